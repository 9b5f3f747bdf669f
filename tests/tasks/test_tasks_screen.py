"""What ``raidctl tasks`` prints of one look, and its exit code."""

from __future__ import annotations

import json
from typing import Literal

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.model import Battery, Controller, Drive, Host, Inventory, Problem, Scrub, Task, Volume
from raidctl.model.inventory import RaidLevel
from raidctl.output.console import Display
from raidctl.output.json import schema
from raidctl.output.tasks import bars, summary, tasks_screen
from raidctl.tasks.outcome import ended
from raidctl.tasks.report import Ended, TaskReport, report
from raidctl.tasks.wait import Step
from raidctl.tasks.watch import Frame
from tests.support.machines import FIXTURES, MACHINES
from tests.support.over import over

UNREAD = Problem(severity="error", where="acmecli", message="It crashed.", kind="unread")
QUEUED = Task(operation="resync", object_id="md:md1", state="queued", reason="starts with the first write to the array")
HALF = Task(
    operation="check", object_id="md:md0", percent=50.0, remaining_seconds=4800, estimated=True, state="running"
)


def raidctl(*arguments: str) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(cli, arguments)


def machine(status: str = "ok", *problems: Problem) -> Inventory:
    """A machine with one volume."""
    volume = msgspec.convert({"id": "acme:0/v0", "status": status}, Volume)
    controller = Controller(id="acme:0", volumes=(volume,))
    return Inventory(host=Host(hostname="db7"), controllers=(controller,), problems=problems)


@pytest.mark.slow
@over("machine", MACHINES)
def test_the_json_of_each_machine_fits_its_schema(machine: str) -> None:
    """Every recorded machine has a report. Its list is that of the inventory."""
    done = raidctl("--replay", str(FIXTURES / machine), "tasks", "--json")
    assert done.exit_code in (0, 3, 4)
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema("Tasks", TaskReport))
    shown = json.loads(raidctl("--replay", str(FIXTURES / machine), "show", "--json").stdout)
    assert found["tasks"] == shown["tasks"]


def test_nothing_is_going_on_only_if_everything_was_read() -> None:
    """An unread tool or an unknown state may hide a task."""
    display = Display(80)
    assert summary(report(machine()), display)[0] == "No operation is running."
    unread = report(machine("ok", UNREAD))
    assert summary(unread, display)[0] == "No task is reported, but not everything could be read."
    assert "It crashed." in tasks_screen(unread, display)
    unknown = report(machine("unknown"))
    assert summary(unknown, display)[0] == "No task is reported, but state unknown: acme:0/v0."


def test_the_screen_shows_why_a_task_waits_and_what_is_an_estimate() -> None:
    """The reason for waiting is shown, and estimates are marked. Unknown figures are question marks."""
    text = tasks_screen(report(machine(), [HALF, QUEUED]), Display(120))
    assert "2 tasks" in text
    assert "about 1 h 20 min" in text
    assert "queued: starts with the first write to the array" in text
    assert [line.split()[2] for line in text.splitlines() if "md:md1" in line] == ["?"]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_bars_of_a_terminal(ascii_only: bool) -> None:
    """Each task has its bar, and those that have ended their result."""
    over_ = Ended(operation="rebuild", object_id="md:md2", result="worse", message="Rebuild of md:md2 failed.")
    frame = Frame(5.0, machine(), (HALF, QUEUED), whole=True)
    display = Display(100, ascii=ascii_only)
    text = display.render([bars(Step(frame, (over_,), (), 2), display)])
    assert "50.0%" in text
    assert ("############............" in text) == ascii_only
    assert "FAILED  Rebuild of md:md2 failed." in text


def test_on_a_narrow_terminal_a_task_is_a_sentence() -> None:
    """In 20 columns, no word of a task is broken. Nothing but the bar is left out."""
    display = Display(20)
    text = display.render([bars(Step(Frame(5.0, machine(), (HALF, QUEUED), whole=True), (), (), 2), display)])
    assert "check of md:md0:\n50%, 1 h 20 min\nleft, estimated\n" in text
    assert "md:md1:" in text.split()
    assert max(map(len, text.splitlines())) <= 20


@pytest.mark.parametrize(
    ("before", "after", "operation", "result"),
    [
        ("rebuilding", "ok", "rebuild", "reached"), ("rebuilding", "checking", "rebuild", "reached"),
        ("rebuilding", "degraded", "rebuild", "worse"), ("degraded", "degraded", "check", "reached"),
        ("checking", "degraded", "check", "worse"), ("checking", "failed", "check", "worse"),
        ("rebuilding", "unknown", "rebuild", "unknown"), ("degraded", "offline", "check", "worse"),
    ],
)  # fmt: skip
def test_how_a_task_of_a_volume_ended(before: str, after: str, operation: str, result: str) -> None:
    """The state afterwards decides; an unknown one is not a success."""
    task = msgspec.convert({"operation": operation, "object_id": "acme:0/v0"}, Task)
    assert ended(task, machine(before), machine(after), 1.0).result == result


@pytest.mark.parametrize(("number", "result"), [("one", "reached"), ("two", "unknown"), (None, "reached")])
@pytest.mark.parametrize("operation", ["rebuild", "check", "expand"])
def test_the_state_of_another_object_under_the_same_id_is_no_result(
    operation: Literal["rebuild", "check", "expand"], number: str | None, result: str
) -> None:
    """If volumes were renumbered meanwhile, the result is unknown. The same holds for a test of another drive."""

    def shown(unique: str | None) -> Inventory:
        volume = Volume(id="acme:0/v0", status="ok", unique_id=unique)
        drive = Drive(id="acme:0/d3", status="ok", serial=unique)
        return Inventory(host=Host(), controllers=(Controller(id="acme:0", volumes=(volume,), drives=(drive,)),))

    assert ended(Task(operation=operation, object_id="acme:0/v0"), shown("one"), shown(number), 1.0).result == result
    test = Task(operation="self_test", object_id="acme:0/d3")
    assert ended(test, shown("one"), shown(number), 1.0).result == result


@over("level, differ, last, result, why", [
    ("raid5", 128, None, "worse", "it is ok, and 128 sectors differ"), ("raid5", 0, "ok", "reached", "it is ok"),
    ("raid1", 1, None, "reached", "it is ok, and 1 sector differs"),
    ("raidz2", None, "failed", "worse", "it is ok, and the check found errors"),
])  # fmt: skip
def test_a_check_that_found_differences_has_not_just_ended(
    level: RaidLevel, differ: int | None, last: Literal["ok", "failed"] | None, result: str, why: str
) -> None:
    """Its result is printed. Wrong parity and unreadable data are worse; on mirrors it may be harmless."""
    after = Volume(
        id="acme:0/v0", status="ok", raid_level=level, mismatch_count=differ, consistency_check=Scrub(last_result=last)
    )
    whole = Inventory(host=Host(), controllers=(Controller(id="acme:0", volumes=(after,)),))
    found = ended(Task(operation="check", object_id="acme:0/v0"), machine("checking"), whole, 1.0)
    assert (found.result, found.message.rpartition(": ")[2]) == (result, f"{why}.")


@pytest.mark.parametrize("role", ["unassigned", "spare"])
def test_a_rebuild_is_not_reached_if_its_drive_left_the_array(role: Literal["unassigned", "spare"]) -> None:
    """A drive that is good but unassigned or a spare afterwards was not rebuilt."""
    drive = Drive(id="acme:0/d3", role="member", status="warning", status_text="Rbld")
    before, after = (
        Inventory(host=Host(), controllers=(Controller(id="acme:0", drives=(one,)),))
        for one in (drive, replace(drive, role=role, status="ok", status_text="UGood"))
    )
    found = ended(Task(operation="rebuild", object_id="acme:0/d3"), before, after, 1.0)
    assert (found.result, found.message) == (
        "worse", f"Rebuild of acme:0/d3 failed: it is {role} and not in the array."
    )  # fmt: skip


@over(
    "last, problem, result",
    [
        ("Extended offline Completed: read failure 90% 12", True, "worse"),
        ("Extended offline Aborted by host 90% 12", False, "unknown"),
        ("Extended offline Completed without error 00% 12", False, "reached"),
    ],
)
def test_a_self_test_that_failed_or_was_stopped_has_not_ended_well(last: str, problem: bool, result: str) -> None:
    """The drive itself may be called good afterwards: its newest self-test counts."""
    old = Problem("warning", "drives:A", "The drive's last self-test failed: Short offline 11.", None, "state")
    fresh = Problem("warning", "drives:A", f"The drive's last self-test failed: {last}.", None, "state")
    drive = Drive(id="drives:A", status="ok", details={"Last self-test": last})
    before, after = (
        Inventory(host=Host(), controllers=(Controller(id="drives", drives=(drive,)),), problems=problems)
        for problems in ((old,), (old, fresh) if problem else (old,))
    )
    assert ended(Task(operation="self_test", object_id="drives:A"), before, after, 1.0).result == result


@over("replace_it, result", [(True, "worse"), (False, "reached"), (None, "reached")])
def test_a_learn_cycle_that_finds_a_worn_battery_has_not_ended_well(replace_it: bool | None, result: str) -> None:
    """Its state may be good although the controller requires a new battery."""
    name = "acme:0/battery0"
    batteries = (Battery(id=name, status="learning"), Battery(id=name, status="ok", replace=replace_it))
    before, after = (
        Inventory(host=Host(), controllers=(Controller(id="acme:0", batteries=(one,)),)) for one in batteries
    )
    assert ended(Task(operation="learn", object_id=name), before, after, 1.0).result == result


def test_an_object_that_is_gone_is_worse_unless_it_may_be_hidden() -> None:
    """If a tool failed, the object may still be there."""
    task, empty = Task(operation="check", object_id="acme:0/v0"), Inventory(host=Host())
    assert ended(task, machine("checking"), empty, 1.0).result == "worse"
    hidden = msgspec.structs.replace(empty, problems=(UNREAD,))
    assert ended(task, machine("checking"), hidden, 1.0).result == "unknown"


def test_what_cannot_be_waited_for_is_refused() -> None:
    """Impossible waits are refused: a recording is one moment, a limit needs a wait, a duration has a unit."""
    recorded = str(FIXTURES / "md-healthy")
    for arguments in (["--wait"], ["--at-most", "6h"], ["--watch", "--wait"], ["--wait", "--at-most", "soon"]):
        assert raidctl("--replay", recorded, "tasks", *arguments).exit_code == 2
    assert raidctl("--replay", recorded, "tasks", "md99").exit_code == 2
