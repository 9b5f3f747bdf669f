"""A right that is missing, an interruption, a drive that does not answer: what is said, and with which exit code."""

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
from raidctl.errors import ChangeStands, ChangeUndone
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


class Told:
    """A simulated machine in front of which somebody answers some of the calls, with what was said to the person."""

    def __init__(self, simulated: Simulated, place: Path, *wished: tuple[str, Setting, str]) -> None:
        self.simulated, self.journal, self.place = simulated, Journal(place), place
        self.reply: Reply = lambda _: None
        self.said: list[str] = []
        self.looks = 0
        self.desired = [Desired(object_id=name, setting=setting, value=value) for name, setting, value in wished]
        self.seen = self.look()
        self.plan = plan(self.seen.inventory, VENDORS, self.desired, unsafe=True)
        story = begin("set", self.plan, self.seen.inventory, about="a trial", source="demo:trial")
        self.change = Change(
            story, self.journal, self, self.look, VENDORS, self.said.append, sleep=lambda _: None
        )  # fmt: skip
        self.looks = 0

    def look(self) -> Survey:
        """Read the state."""
        self.looks += 1
        return survey(self, VENDORS)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """As the simulated machine, but for what somebody else answers."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Answer:
        """One answer."""
        other = self.reply(request) if isinstance(request, Run) else None
        return other if other is not None else self.simulated.answer(request)

    def end(self) -> End:
        """The end in the journal."""
        [story] = self.journal.stories()
        assert story.end is not None
        return story.end


def started_without_right(request: Run) -> Answer | None:
    """The program may not be run."""
    return RunAnswer(trouble=Failure.DENIED, detail="hpacucli: Permission denied") if request.changes else None


def said_by_the_tool(request: Run) -> Answer | None:
    """The program itself says that the right is missing."""
    return RunAnswer(code=1, out=b"\nError: Permission denied\n\n") if request.changes else None


def uninstalled(request: Run) -> Answer | None:
    """The program was removed since it was asked."""
    return RunAnswer(trouble=Failure.MISSING, detail="hpacucli") if request.changes else None


@pytest.mark.parametrize("reply", [started_without_right, said_by_the_tool, uninstalled])
def test_a_missing_right_or_tool_is_exit_code_4_and_nothing_was_changed(
    p400: Simulated, tmp_path: Path, reply: Reply
) -> None:
    """Nothing is said to be put back, because nothing was turned; --json has it as failed."""
    told = Told(p400, tmp_path, SPLIT)
    told.reply = reply
    with pytest.raises(RightMissing, match="Nothing was changed") as caught:
        told.change.apply()
    assert caught.value.exit_code == 4
    assert not any("utting back" in text for text in told.said)
    assert told.end().result == "undone"
    report = Report(told.plan)
    report.failed(caught.value)
    assert report.result == "failed"


def test_a_right_that_is_missing_halfway_puts_the_first_half_back(p400: Simulated, tmp_path: Path) -> None:
    """Still exit code 4, and it is said that something was put back."""
    told = Told(p400, tmp_path, DRIVES, SPLIT)
    before = p400.state()
    refused = told.plan.steps[-1].action.argv
    told.reply = lambda request: started_without_right(request) if request.argv == refused else None
    with pytest.raises(RightMissing, match="put back and read again") as caught:
        told.change.apply()
    assert "Putting back the previous settings:" in told.said
    assert p400.state() == before
    report = Report(told.plan)
    report.failed(caught.value)
    assert report.result == "undone"


def test_a_refusal_of_the_tool_that_changed_nothing_says_so(p400: Simulated, tmp_path: Path) -> None:
    """No right is missing: exit code 5; nothing was turned, so nothing is put back."""
    told = Told(p400, tmp_path, SPLIT)
    told.reply = lambda request: (
        RunAnswer(code=1, out=b"\nError: The operation failed.\n\n") if request.changes else None
    )
    with pytest.raises(ChangeUndone, match="Nothing was changed") as caught:
        told.change.apply()
    assert caught.value.exit_code == 5
    assert not any("utting back" in text for text in told.said)


@pytest.mark.parametrize(
    ("interruption", "words"),
    [
        (KeyboardInterrupt(), "interrupted by Ctrl-C"),
        (SystemExit(143), "ended by SIGTERM"),
        (SystemExit(129), "ended by SIGHUP"),
        (ZeroDivisionError("no number"), "a bug in raidctl"),
    ],
)
def test_the_journal_says_in_words_what_came_between(
    p400: Simulated, tmp_path: Path, interruption: BaseException, words: str
) -> None:
    """Ctrl-C, the name of a signal; no name out of a program's source."""
    told = Told(p400, tmp_path, SPLIT)

    def interrupted(request: Run) -> Answer | None:
        if request.changes:
            told.reply = lambda _: None
            raise interruption
        return None

    told.reply = interrupted
    with pytest.raises(type(interruption)):
        told.change.apply()
    assert words in (told.end().text or "")
    assert type(interruption).__name__ not in (told.end().text or "")
    report = Report(told.plan)
    report.failed(interruption)
    assert words in (report.message or "")


def silent(request: Run) -> Answer | None:
    """A drive of which no program gets an answer."""
    about_it = "/dev/sda" in request.argv
    return RunAnswer(trouble=Failure.TIMEOUT, detail="no answer after 30 s") if about_it else None


@pytest.fixture
def workstation(tmp_path: Path) -> Told:
    """A machine with plain drives, on one of which a change is planned."""
    told = Told(machine("workstation", VENDORS, tmp_path / "drives"), tmp_path, OFF)
    [drive] = [d for card in told.seen.inventory.controllers for d in card.drives if d.id == DRIVE]
    assert told.plan.steps
    assert drive.device == "/dev/sda"
    return told


def test_a_drive_that_does_not_answer_is_not_changed(workstation: Told) -> None:
    """The plan is refused, exit code 3, and the sentence says that the drive did not answer."""
    workstation.reply = silent
    refused = plan(workstation.look().inventory, VENDORS, workstation.desired, unsafe=True)
    assert code_of(refused) == 3
    assert any("did not respond" in refusal.reason for refusal in refused.refusals)


def test_a_silent_drive_is_no_reason_against_another_one(workstation: Told) -> None:
    """Only what is to be changed has to answer."""
    workstation.reply = silent
    wishes = [Desired(object_id="drives:LM2204810077", setting="write_cache", value="disabled")]
    made = plan(workstation.look().inventory, VENDORS, wishes, unsafe=True)
    assert made.steps
    assert not made.refusals


def test_a_drive_that_falls_silent_is_not_asked_again_and_again(workstation: Told) -> None:
    """Each look costs half a minute: one before the way back and one after it at most, then it stands open."""

    def falls(request: Run) -> Answer | None:
        if request.changes:
            workstation.reply = silent
            return RunAnswer(trouble=Failure.TIMEOUT, detail="no answer after 30 s")
        return None

    workstation.reply = falls
    with pytest.raises(ChangeStands, match="did not respond"):
        workstation.change.apply()
    assert workstation.looks <= 2
    workstation.looks = 0
    here = Restorer(
        workstation.journal, workstation.place, workstation, workstation.look, VENDORS, "demo:trial",
        workstation.said.append, sleep=lambda _: None,
    )  # fmt: skip
    [result] = here.restore()
    assert any("did not respond" in fault for fault in result.faults)
    assert workstation.looks <= 2
    workstation.reply = lambda _: None
    [result] = here.restore()
    assert result.faults == []


def test_a_drive_that_falls_silent_after_its_change_is_looked_at_once(workstation: Told) -> None:
    """The tool has accepted it, and then nothing answers: not looked at three times before it is put back."""

    def falls(request: Run) -> Answer | None:
        if request.changes:
            done = workstation.simulated.answer(request)
            workstation.reply = silent
            return done
        return None

    workstation.reply = falls
    with pytest.raises(ChangeStands, match="did not respond"):
        workstation.change.apply()
    assert workstation.looks <= 3
