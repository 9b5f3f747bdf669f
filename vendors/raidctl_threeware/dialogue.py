"""The dialogue with tw_cli.

There is a call for the list of controllers, for each controller, and for each unit with StorSave.

The newer tables have no serial numbers, so the serial number of each drive is queried.

Old releases of the tool (and of firmware) that refuse the ``/cX`` forms are read with ``info``, which all of them have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.text import regex
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed, as_note
from raidctl_threeware.capability import FAMILY
from raidctl_threeware.collect import KIND, assemble
from raidctl_threeware.draft import ControllerDraft, Controllers
from raidctl_threeware.reader import Reader

LOCK = FAMILY
TIMEOUT = 60.0
"""Seconds for one call. The driver waits long for a drive that dies."""
# "9550SX and higher" have a StorSave policy (tw_cli(8), /cx/ux show storsave)
_STORSAVE = regex(r"9(?:5[59]|6|7)\d", re.ASCII)
_MAX_QUERIES = 256
"""Most units and drives that are queried one by one."""


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller through the first tool found."""
    session = Session(found[0], KIND, LOCK, TIMEOUT, _controllers)
    listed = yield from _new_or_old_form(session, ("show",), ("info",))
    for number, controller in (listed.controllers if listed is not None else {}).items():
        if number:
            yield from _controller(session, number, controller)
    return assemble(
        session.documents,
        session.problems,
        [one.tool() for one in found],
        forgiven=frozenset(session.forgiven),
        root=host.root,
    )


def _controllers(document: Document) -> Reading[Controllers]:
    """The controllers of an output."""
    controllers = Controllers()
    reader = Reader(Output.of_text(document.name, document.text), controllers)
    reader.read()
    reported = any(controller.reported for controller in controllers.controllers.values())
    return Reading(controllers, answered=reported, note_exit=reported and not reader.errors)


def _controller(session: Session[Controllers], number: str, listed: ControllerDraft) -> Dialogue[None]:
    found = yield from _new_or_old_form(session, (f"/c{number}", "show", "all"), ("info", f"c{number}"))
    controller = found.controllers.get(number) if found is not None else None
    if controller is None:
        return
    yield from _serials(session, number, controller)
    model = controller.get("model") or listed.get("model") or ""
    if _STORSAVE.match(model) is None:
        return
    units = [unit.name for unit in controller.arrays.values() if not unit.spare and unit.get("type")][:_MAX_QUERIES]
    yield from session.run_all((f"/c{number}/u{unit}", "show", "all") for unit in units)


def _serials(session: Session[Controllers], number: str, controller: ControllerDraft) -> Dialogue[None]:
    """Query the serial numbers that the tables do not have. One that is not printed stays unknown."""
    ports = [name for name, drive in controller.drives.items() if drive.get("serial") is None][:_MAX_QUERIES]
    calls = yield from session.run_all((f"/c{number}/p{port}", "show", "serial") for port in ports)
    for call in calls:
        if not call.answered:
            session.forgiven.add(call.command)
            call.problems[:] = [as_note(problem) for problem in call.problems]


def _new_or_old_form(
    session: Session[Controllers], new: tuple[str, ...], old: tuple[str, ...]
) -> Dialogue[Controllers | None]:
    """Read controllers by a command's new form, else by the old one."""
    first = yield from session.run(*new)
    if first.answered or first.final:
        return first.value if first.answered else None
    second = yield from session.run(*old)
    if second.answered:
        session.forgiven.add(first.command)
        first.problems.clear()
        return second.value
    if first.answer.trouble is None:
        # the same problem twice is reported once
        second.problems.clear()
        session.forgiven.add(second.command)
    return None
