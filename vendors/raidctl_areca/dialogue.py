"""The dialogue with the tool, one command and controller at a time.

``sys info`` first: if it fails, nothing else is run. Then the commands for the whole controller, then those for each
volume (its cache mode) and each drive (its serial number, firmware and error counters), which no table contains.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.controllers import read_outputs
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_areca.capability import FAMILY
from raidctl_areca.collect import KIND, assemble
from raidctl_areca.draft import ControllerDraft, Controllers
from raidctl_areca.reader import Reader

LOCK = FAMILY
TIMEOUT = 60.0
"""Seconds for one call."""
_ONCE = (
    ("sys", "showcfg"),
    ("adsys", "info"),
    ("hw", "info"),
    ("rsf", "info"),
    ("vsf", "info"),
    ("disk", "info"),
)
_MAX_QUERIES = 512
"""Most volumes and drives that are queried one by one."""


def observe(host: HostView, found: Sequence[Installed], drivers: Sequence[str]) -> Dialogue[Observation]:
    """Read the current controller of the first tool found. ``drivers`` are used to count the controllers."""
    session = Session(found[0], KIND, LOCK, TIMEOUT, Reading)
    first = yield from session.run("sys", "info")
    if first.answered and first.answer.fine:
        yield from session.run_all(_ONCE)
        yield from session.run_all(_calls_for_each(session.documents))
    controllers = sum(device.driver in drivers for device in host.pci)
    problems = [*session.problems, *([_more_controllers(controllers, session.name)] if controllers > 1 else [])]
    return assemble(session.documents, problems, [one.tool() for one in found])


def _more_controllers(count: int, tool: str) -> Problem:
    return Problem(
        severity="warning", kind="unread", where="areca",
        message=f"The machine has {count} Areca controllers; only the tool's default controller was read.",
        remedy=f"Read the others by hand: `{tool}`, then `set curctrl=N` and the `info` commands.",
    )  # fmt: skip


def _calls_for_each(documents: Sequence[Document]) -> tuple[tuple[str, ...], ...]:
    """The calls for the volumes and drives that the tables list."""
    controllers = Controllers()
    read_outputs(documents, lambda output: Reader(output, controllers))
    commands: list[tuple[str, ...]] = []
    for controller in controllers.controllers.values():
        commands += [("vsf", "info", f"vol={number}") for number in list(controller.volumes)[:_MAX_QUERIES]]
        commands += [("disk", "info", f"drv={number}") for number in _numbers(controller)[:_MAX_QUERIES]]
    return tuple(dict.fromkeys(commands))


def _numbers(controller: ControllerDraft) -> list[str]:
    return [number for number, place in controller.numbers.items() if place in controller.drives]
