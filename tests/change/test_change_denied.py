"""Missing rights, interruptions and unresponsive drives: messages and exit codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from raidctl.change.engine import Change, begin, plan
from raidctl.change.failure_messages import RightMissing
from raidctl.change.journal import End, Journal
from raidctl.change.restore import Restorer
from raidctl.cli.shared.apply_change import Report
from raidctl.cli.shared.plan_change import code_of
from raidctl.errors import ChangeNotUndone, ChangeUndone
from raidctl.request import Answer, Failure, Request, Run, RunAnswer
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.registry import vendors

VENDORS = vendors()[0]
DRIVE = "drives:HBN1K7Q2"
SPLIT: tuple[str, Setting, str] = ("smartarray:1", "cache_split", "50/50")
DRIVES: tuple[str, Setting, str] = ("smartarray:1/v1", "drive_write_cache", "enabled")
OFF: tuple[str, Setting, str] = (DRIVE, "write_cache", "disabled")
Reply = Callable[[Run], Answer | None]


class Attempt:
    """A change on a simulated machine some of whose replies are replaced. The messages are kept."""

    def __init__(self, simulated: Simulated, place: Path, *settings: tuple[str, Setting, str]) -> None:
        self.simulated, self.journal, self.place = simulated, Journal(place), place
        self.reply: Reply = lambda _: None
        self.printed: list[str] = []
        self.looks = 0
        self.desired = [Desired(object_id=name, setting=setting, value=value) for name, setting, value in settings]
        self.seen = self.look()
        self.plan = plan(self.seen.inventory, VENDORS, self.desired, unsafe=True)
        entry = begin("set", self.plan, self.seen.inventory, about="a trial", source="demo:trial")
        self.change = Change(
            entry, self.journal, self, self.look, VENDORS, self.printed.append, sleep=lambda _: None
        )  # fmt: skip
        self.looks = 0

    def look(self) -> Survey:
        """Read the machine."""
        self.looks += 1
        return survey(self, VENDORS)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply as the simulated machine, except to replaced calls."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Answer:
        """Reply to one request."""
        other = self.reply(request) if isinstance(request, Run) else None
        return other if other is not None else self.simulated.answer(request)

    def end(self) -> End:
        """The end of the change in the journal."""
        [journaled] = self.journal.changes()
        assert journaled.end is not None
        return journaled.end


def started_without_right(request: Run) -> Answer | None:
    """The tool may not be run."""
    return RunAnswer(trouble=Failure.DENIED, detail="hpacucli: Permission denied") if request.changes else None


def denied_by_the_tool(request: Run) -> Answer | None:
    """The tool reports the missing right."""
    return RunAnswer(code=1, out=b"\nError: Permission denied\n\n") if request.changes else None


def uninstalled(request: Run) -> Answer | None:
    """The tool was removed after the plan."""
    return RunAnswer(trouble=Failure.MISSING, detail="hpacucli") if request.changes else None


@pytest.mark.parametrize("reply", [started_without_right, denied_by_the_tool, uninstalled])
def test_a_missing_right_or_tool_is_exit_code_4_and_nothing_was_changed(
    p400: Simulated, tmp_path: Path, reply: Reply
) -> None:
    """Nothing was changed, so no undo is printed. The result with --json is ``failed``."""
    attempt = Attempt(p400, tmp_path, SPLIT)
    attempt.reply = reply
    with pytest.raises(RightMissing, match="Nothing was changed") as caught:
        attempt.change.apply()
    assert caught.value.exit_code == 4
    assert not any("utting back" in text for text in attempt.printed)
    assert attempt.end().result == "undone"
    report = Report(attempt.plan)
    report.failed(caught.value)
    assert report.result == "failed"


def test_a_right_that_is_missing_halfway_undoes_the_first_half(p400: Simulated, tmp_path: Path) -> None:
    """The exit code is 4, and the undo is printed."""
    attempt = Attempt(p400, tmp_path, DRIVES, SPLIT)
    before = p400.state()
    refused = attempt.plan.steps[-1].action.argv
    attempt.reply = lambda request: started_without_right(request) if request.argv == refused else None
    with pytest.raises(RightMissing, match="restored and read again") as caught:
        attempt.change.apply()
    assert "Restoring the previous settings:" in attempt.printed
    assert p400.state() == before
    report = Report(attempt.plan)
    report.failed(caught.value)
    assert report.result == "undone"


def test_a_refusal_that_changed_nothing_is_reported_as_such(p400: Simulated, tmp_path: Path) -> None:
    """The exit code is 5, and no undo is printed."""
    attempt = Attempt(p400, tmp_path, SPLIT)
    attempt.reply = lambda request: (
        RunAnswer(code=1, out=b"\nError: The operation failed.\n\n") if request.changes else None
    )
    with pytest.raises(ChangeUndone, match="Nothing was changed") as caught:
        attempt.change.apply()
    assert caught.value.exit_code == 5
    assert not any("utting back" in text for text in attempt.printed)


@pytest.mark.parametrize(
    ("interruption", "words"),
    [
        (KeyboardInterrupt(), "interrupted by Ctrl-C"),
        (SystemExit(143), "ended by SIGTERM"),
        (SystemExit(129), "ended by SIGHUP"),
        (ZeroDivisionError("no number"), "a bug in raidctl"),
    ],
)
def test_the_journal_describes_an_interruption(
    p400: Simulated, tmp_path: Path, interruption: BaseException, words: str
) -> None:
    """The journal has Ctrl-C or the signal's name. It never has the name of a Python class."""
    attempt = Attempt(p400, tmp_path, SPLIT)

    def interrupted(request: Run) -> Answer | None:
        if request.changes:
            attempt.reply = lambda _: None
            raise interruption
        return None

    attempt.reply = interrupted
    with pytest.raises(type(interruption)):
        attempt.change.apply()
    assert words in (attempt.end().text or "")
    assert type(interruption).__name__ not in (attempt.end().text or "")
    report = Report(attempt.plan)
    report.failed(interruption)
    assert words in (report.message or "")


def silent(request: Run) -> Answer | None:
    """A drive that does not respond to any tool."""
    about_it = "/dev/sda" in request.argv
    return RunAnswer(trouble=Failure.TIMEOUT, detail="no answer after 30 s") if about_it else None


@pytest.fixture
def workstation(tmp_path: Path) -> Attempt:
    """A machine with plain drives and a planned change on one."""
    attempt = Attempt(machine("workstation", VENDORS, tmp_path / "drives"), tmp_path, OFF)
    [drive] = [d for controller in attempt.seen.inventory.controllers for d in controller.drives if d.id == DRIVE]
    assert attempt.plan.steps
    assert drive.device == "/dev/sda"
    return attempt


def test_an_unresponsive_drive_is_not_changed(workstation: Attempt) -> None:
    """A plan for an unresponsive drive is refused with exit code 3."""
    workstation.reply = silent
    refused = plan(workstation.look().inventory, VENDORS, workstation.desired, unsafe=True)
    assert code_of(refused) == 3
    assert any("did not respond" in refusal.reason for refusal in refused.refusals)


def test_an_unresponsive_drive_does_not_block_another_one(workstation: Attempt) -> None:
    """Only the drives to be changed have to respond."""
    workstation.reply = silent
    desired = [Desired(object_id="drives:LM2204810077", setting="write_cache", value="disabled")]
    made = plan(workstation.look().inventory, VENDORS, desired, unsafe=True)
    assert made.steps
    assert not made.refusals


def test_an_unresponsive_drive_is_read_at_most_twice(workstation: Attempt) -> None:
    """At most one reading is before the undo, and one after. Each reading times out."""

    def falls(request: Run) -> Answer | None:
        if request.changes:
            workstation.reply = silent
            return RunAnswer(trouble=Failure.TIMEOUT, detail="no answer after 30 s")
        return None

    workstation.reply = falls
    with pytest.raises(ChangeNotUndone, match="did not respond"):
        workstation.change.apply()
    assert workstation.looks <= 2
    workstation.looks = 0
    here = Restorer(
        workstation.journal, workstation.place, workstation, workstation.look, VENDORS, "demo:trial",
        workstation.printed.append, sleep=lambda _: None,
    )  # fmt: skip
    [result] = here.restore()
    assert any("did not respond" in fault for fault in result.faults)
    assert workstation.looks <= 2
    workstation.reply = lambda _: None
    [result] = here.restore()
    assert result.faults == []


def test_a_drive_that_stops_responding_after_its_change_is_read_once(workstation: Attempt) -> None:
    """Before the undo, an unresponsive drive is not read three times. It stopped responding after the change."""

    def falls(request: Run) -> Answer | None:
        if request.changes:
            done = workstation.simulated.answer(request)
            workstation.reply = silent
            return done
        return None

    workstation.reply = falls
    with pytest.raises(ChangeNotUndone, match="did not respond"):
        workstation.change.apply()
    assert workstation.looks <= 3
