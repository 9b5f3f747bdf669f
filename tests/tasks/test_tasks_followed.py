"""Tasks followed to their end, on a virtual clock.

The tests cover what is read how often, what is printed, the exit code.
"""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from raidctl.cli.shared.options import Settings
from raidctl.cli.tasks import follow
from raidctl.tasks.report import TaskReport
from tests.tasks.moving import Moving, md_rebuild, tool_rebuild


def followed(
    moving: Moving,
    *,
    at_most: float | None = None,
    awaited: bool = True,
    as_json: bool = False,
    target: str | None = None,
) -> int:
    """The exit code of waiting, or watching."""
    settings = Settings()
    settings.as_json = as_json
    return follow(moving.machine(), target, settings, awaited=awaited, at_most=at_most, clock=moving.clock)


def test_a_rebuild_that_completes_is_reached(capsys: pytest.CaptureFixture[str]) -> None:
    """A line every 5 percent, then the result: exit code 0."""
    moving = md_rebuild()
    assert followed(moving) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "0:00:00  recovery of md:md10, sdg1: 38.6%, 2 min left"
    assert out.splitlines()[-1] == "0:02:00  Recovery of md:md10 ended: it is ok."
    assert 12 <= len(out.splitlines()) <= 15
    assert err == ""


def test_a_rebuild_that_vanishes_because_its_drive_failed_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """A rebuild that vanishes as its drive fails is a failure. Its volume stays degraded, with exit code 6."""
    assert followed(md_rebuild(fails_at=45.0)) == 6
    assert capsys.readouterr().out.splitlines()[-1] == "0:00:45  Recovery of md:md10 failed: it is degraded."


def test_the_kernels_files_are_read_every_second_and_tools_only_at_the_end() -> None:
    """While nothing but md works, no tool starts between two looks. Only the first and the last look start tools."""
    moving = md_rebuild()
    followed(moving)
    assert moving.asked["mdadm --detail /dev/md10"] == 2
    assert 120 <= moving.asked["/proc/mdstat"] <= 130


def test_a_tool_is_run_after_30_seconds_then_less_often() -> None:
    """A tool is run after 30 seconds, then less often.

    Pauses are 30, 45, 68 … up to 300 seconds, about 16 looks in an hour.
    """
    moving = tool_rebuild()
    assert followed(moving) == 0
    assert 14 <= moving.asked["tw_cli /c6 show all"] <= 20
    assert moving.clock.time - 1000.0 < 3600 + 301


def test_a_time_left_that_no_tool_reports_is_estimated_from_two_looks(capsys: pytest.CaptureFixture[str]) -> None:
    """The estimate is marked, and right to within a tenth. The first look has no estimate."""
    followed(tool_rebuild(takes=6000.0), as_json=True)
    reports = [msgspec.json.decode(line, type=TaskReport) for line in capsys.readouterr().out.splitlines()]
    assert (reports[0].tasks[0].remaining_seconds, reports[0].tasks[0].estimated) == (None, False)
    middle = reports[len(reports) // 2].tasks[0]
    assert middle.estimated
    assert middle.percent is not None
    assert middle.remaining_seconds == pytest.approx((100 - middle.percent) / 63 * 6000, rel=0.1)
    assert [one.result for one in reports[-1].ended] == ["reached"]
    assert reports[-1].tasks == ()


def test_each_look_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line is a complete report; percentages never fall."""
    followed(md_rebuild(takes=20.0), as_json=True)
    lines = capsys.readouterr().out.splitlines()
    found = [json.loads(line)["tasks"] for line in lines]
    percents = [tasks[0]["percent"] for tasks in found if tasks]
    assert len(percents) == 20
    assert percents == sorted(percents)
    assert found[-1] == []


def test_a_time_limit_ends_the_waiting_and_names_the_command_that_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 7 after the limit, to the second."""
    moving = md_rebuild(takes=600.0)
    assert followed(moving, at_most=90.0, target="md10") == 7
    assert moving.clock.time == 1090.0
    assert capsys.readouterr().err == "raidctl: 1 task is still under way. Wait with: raidctl tasks md10 --wait\n"


def test_ctrl_c_leaves_the_task_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 7 and the command that continues."""
    moving = md_rebuild()
    moving.clock.interrupt_at = 30.0
    assert followed(moving) == 7
    assert "Wait with: raidctl tasks --wait" in capsys.readouterr().err


def test_watching_goes_on_after_the_end_of_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    """Watching ends with the time limit, not with a task. It ends with 0 because no task is left."""
    moving = md_rebuild()
    assert followed(moving, awaited=False, at_most=400.0) == 0
    assert moving.clock.time == 1400.0
    assert capsys.readouterr().out.splitlines()[-1] == "No operation is running."


def test_only_the_target_is_waited_for() -> None:
    """The tasks of other objects do not count."""
    moving = md_rebuild()
    assert followed(moving, target="md5") == 0
    assert moving.clock.time == 1000.0


def test_parity_that_nothing_completes_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Only a check completes parity that is not consistent: waiting for it would never end."""
    moving = Moving("megaraid-h730p-predictive", lambda _, text, __: text.replace('Consist" : "Yes', 'Consist" : "No'))
    assert followed(moving, at_most=3600.0) == 0
    assert "paused" in capsys.readouterr().out
    assert moving.clock.time < 1060.0


def test_a_check_that_vanishes_long_before_its_end_is_not_called_complete(capsys: pytest.CaptureFixture[str]) -> None:
    """A stopped check leaves an array that is ok: exit code 3."""

    def edit(name: str, text: str, passed: float) -> str:
        if name.endswith("sync_action"):
            return "idle\n" if passed >= 10 else "check\n"
        return (
            re.sub(r".*(?:check = |Check Status : ).*\n", "", text).replace(", checking", "") if passed >= 10 else text
        )

    assert followed(Moving("md-journal-check", edit)) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("ended, the result is unknown: it was seen last at 18.9%, and may have been stopped.")


def hidden(begin: float, end: float) -> Moving:
    """A rebuild whose tool another program keeps from reading between two moments."""
    moving = tool_rebuild()
    plain = moving.edit
    busy = "Error: (CLI:003) Another instance of the tool is already running.\n"
    moving.edit = lambda name, text, passed: (
        busy if name.startswith("tw_cli") and begin <= passed < end else plain(name, text, passed)
    )
    return moving


def test_a_look_that_fails_does_not_end_the_waiting(capsys: pytest.CaptureFixture[str]) -> None:
    """A failed look does not list the rebuild. Nothing follows from that, and its end is seen later."""
    assert followed(hidden(500.0, 1000.0)) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("ended: it is ok.")
    moving = hidden(500.0, 99_999.0)
    assert followed(moving) == 3
    assert "the result is unknown: not everything could be read" in capsys.readouterr().out
    assert 500 + 900 <= moving.clock.time - 1000.0 < 500 + 900 + 2 * 300
