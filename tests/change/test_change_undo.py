"""The undo of a change whose later step failed."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Journal
from raidctl.cli.shared.locate_leds import desired_state, find_leds, led_machine
from raidctl.cli.shared.machine import Machine
from raidctl.errors import ChangeNotUndone, ChangeUndone
from raidctl.request import Answer, Request, Run, RunAnswer
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Desired
from raidctl.vendor.registry import vendors

pytestmark = pytest.mark.usefixtures("alone")


@dataclass
class Slow:
    """A tool that accepts commands, refuses some, and carries out the others in order when all is over."""

    AT_ONCE: ClassVar = True
    machine: Simulated
    refused: Container[int] = (2,)
    """The numbers of the commands that it refuses, from 1."""
    accepted: list[Run] = field(default_factory=list)
    number: int = 0

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request, in order."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Answer:
        """Reply to one request. A command has no effect yet."""
        if not isinstance(request, Run) or not request.changes:
            return self.machine.answer(request)
        self.number += 1
        if self.number in self.refused:
            return RunAnswer(code=1, out=b"\nError: The operation failed.\n\n")
        self.accepted.append(request)
        reply = self.machine.reply(request.argv)
        assert reply is not None
        return RunAnswer(code=reply.code, out=reply.out.encode())

    def settle(self) -> None:
        """Carry out what was accepted."""
        for request in self.accepted:
            self.machine.answer(request)


def test_an_accepted_step_is_undone_although_it_reads_as_before(p400: Simulated, tmp_path: Path) -> None:
    """Its effect may come after the undo. The firmware takes both commands in order."""
    families, before, tool = vendors()[0], p400.state(), Slow(p400)

    def look() -> Survey:
        return survey(tool, families)

    seen = look()
    desired = [
        Desired(object_id="smartarray:1/v1", setting="drive_write_cache", value="enabled"),
        Desired(object_id="smartarray:1", setting="cache_split", value="50/50"),
    ]
    made = plan(seen.inventory, families, desired, unsafe=True)
    assert len(made.steps) == 2
    entry = begin("set", made, seen.inventory, about="", source="local", unsafe=True)
    journal = Journal(tmp_path)
    with pytest.raises(ChangeUndone):
        Change(entry, journal, tool, look, families, lambda _: None, sleep=lambda _: None).apply()
    tool.settle()
    assert p400.state() == before
    assert not journal.pending()


def test_an_undo_that_failed_is_not_done_if_nothing_reports_the_setting(tmp_path: Path) -> None:
    """Which LEDs are on is unknown then, so the change stays open."""
    families = vendors()[0]
    tool = Slow(machine("p440", families, tmp_path), refused=range(2, 9))
    named = Machine(tool, families, "demo:p440")
    found = find_leds(named, ["1I:1:1", "1I:1:2"], 600)
    leds = led_machine(named, found.indicators)
    seen, journal = leds.survey(), Journal(tmp_path)
    made = plan(seen.inventory, leds.vendors, desired_state(found.indicators, "on")(seen), unsafe=False)
    entry = begin("locate", made, seen.inventory, about="", source="demo:p440")
    change = Change(entry, journal, tool, leds.survey, leds.vendors, lambda _: None, sleep=lambda _: None)
    with pytest.raises(ChangeNotUndone, match=r"locate of smartarray:0/1I:1:1, which nothing reports"):
        change.apply()
    assert len(journal.pending()) == 1


class Interrupted(Slow):
    """A tool whose first command is interrupted by Ctrl-C, and takes effect when it settles."""

    def answer(self, request: Request[Any]) -> Answer:
        """Reply to one request."""
        if self.accepted or not isinstance(request, Run) or not request.changes:
            return self.machine.answer(request)
        self.accepted.append(request)
        raise KeyboardInterrupt


@pytest.mark.parametrize(("at", "error"), [(3, KeyboardInterrupt), (4, ChangeNotUndone)])
def test_an_interrupted_command_is_watched(
    p400: Simulated, tmp_path: Path, at: int, error: type[BaseException]
) -> None:
    """It may take effect after Ctrl-C: it is undone, or the change stays open if that happens at the last reading."""
    families, before, tool = vendors()[0], p400.state(), Interrupted(p400)
    journal, seen = Journal(tmp_path), survey(p400, families)
    readings: list[Survey] = []

    def look() -> Survey:
        if len(readings) == at - 1:
            tool.settle()
        readings.append(survey(tool, families))
        return readings[-1]

    split = Desired(object_id="smartarray:1", setting="cache_split", value="50/50")
    made = plan(seen.inventory, families, [split], unsafe=False)
    entry = begin("set", made, seen.inventory, about="", source="local")
    with pytest.raises(error):
        Change(entry, journal, tool, look, families, lambda _: None, sleep=lambda _: None).apply()
    assert (p400.state() == before, len(journal.pending())) == ((True, 0) if at == 3 else (False, 1))
