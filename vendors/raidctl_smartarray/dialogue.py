"""The dialogue with the tools of a machine.

Each installed tool is run once for everything. If that fails, or if the PCI bus has more controllers than all tools
reported, it lists its controllers, and is then run for each one: at most two calls for the machine and one for each
controller. The tools cannot run twice at once; all calls share one lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raidctl.host import HostView
from raidctl.request import Dialogue, together
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_smartarray.capability import FAMILY
from raidctl_smartarray.tools import KIND

if TYPE_CHECKING:
    from raidctl_smartarray.outline import Outline

LOCK = FAMILY
TIMEOUT = 120.0
"""Seconds for one call. A tool waits long for a drive that dies."""
ENVIRONMENT = (("INFOMGR_BYPASS_NONSA", "1"),)
"""Keeps the tools from querying every LUN of a storage network."""
EVERYTHING = ("ctrl", "all", "show", "config", "detail")


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller of the family with the installed tools."""
    sessions = [Session(one, KIND, LOCK, TIMEOUT, _read, ENVIRONMENT) for one in found]
    yield from together([one.run(*EVERYTHING) for one in sessions])
    from raidctl_smartarray import assemble  # noqa: PLC0415 - imported while the tools run

    seen = assemble.best_choices(sessions, assemble.collections_of(sessions))
    missing = assemble.controllers_on_bus(host) > len(seen)
    again = [one for one in sessions if assemble.worth_another(one.calls[-1]) or (missing and one.calls[-1].answered)]
    if again:
        slots = {choice.draft.chassis or choice.draft.name for choice in seen}
        yield from together([_query_one_by_one(one, slots) for one in again])
    # collected again: choosing the best source has removed evidence
    return assemble.assemble(sessions, assemble.collections_of(sessions), host)


def _read(document: Document) -> Reading[Outline]:
    from raidctl_smartarray.assemble import read_outline  # noqa: PLC0415 - imported while the tools run

    return read_outline(document)


def _query_one_by_one(session: Session[Outline], seen: set[str]) -> Dialogue[None]:
    """Query the list of controllers, then each one not seen yet."""
    from raidctl_smartarray.assemble import targets  # noqa: PLC0415 - imported while the tools run

    first = session.calls[0]
    listed = yield from session.run("ctrl", "all", "show")
    left = targets(listed.value, seen) if listed.value is not None else []
    calls = yield from session.run_all(("ctrl", target, "show", "config", "detail") for target in left)
    if calls and calls[-1].answered and not any(call.problems for call in (listed, *calls)):
        session.forgiven.add(first.command)
