"""Rates of 3ware controllers, set on a simulated machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.cli.rate import _desired
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.plan_change import Work, work_on
from raidctl.recording.recording import load
from raidctl.request import RunAnswer
from raidctl.simulation.demo import simulators
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Action, Desired, Setting
from raidctl.vendor.registry import vendors
from raidctl_threeware.change import judge
from tests.support.machines import FIXTURES


@pytest.fixture
def named(tmp_path: Path) -> Machine:
    """A recorded machine with a 9690SA."""
    found = vendors()[0]
    runner = Simulated(load(FIXTURES / "threeware-9690sa-rebuilding"), simulators(found), tmp_path / "settings.json")
    return Machine(runner, found, "demo:9690sa")


def planned(named: Machine, place: Path, wanted: dict[Setting, str | None]) -> Work:
    """The plan of ``raidctl rate threeware:6``, with the words of the command line."""
    return work_on(named, place, lambda seen: _desired(seen, "threeware:6", wanted))


def rates(named: Machine) -> tuple[str | None, str | None]:
    """The rebuild and verify rates."""
    [found] = [one.rates for one in named.survey().inventory.controllers if one.id == "threeware:6"]
    return (found.rebuild, found.check) if found is not None else (None, None)


def test_rates_are_set_read_again_and_restored(named: Machine, tmp_path: Path) -> None:
    """A percentage of the command line is a level of the controller."""
    assert rates(named) == ("1", "1")
    work = planned(named, tmp_path, {"rebuild_rate": "5%", "check_rate": "2%"})
    assert [str(step.action) for step in work.plan.steps] == [
        "tw_cli /c6 set rebuildrate=5", "tw_cli /c6 set verifyrate=2",
    ]  # fmt: skip
    change = work.change(work.begin("set", "test"))
    change.apply()
    assert rates(named) == ("5", "2")
    change.undo_all()
    assert rates(named) == ("1", "1")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("rebuild_rate", "0%"), ("rebuild_rate", "6%"), ("rebuild_rate", "high"), ("patrol_read_rate", "3%")],
)
def test_what_is_no_level_is_refused(named: Machine, tmp_path: Path, setting: Setting, value: str) -> None:
    """A rebuild rate of 0 (T7), or a rate that these controllers lack, is refused."""
    work = planned(named, tmp_path, {setting: value})
    assert not work.plan.steps
    assert len(work.plan.refusals) == 1


def test_nothing_else_is_set(named: Machine, tmp_path: Path) -> None:
    """The reason comes from the capabilities."""
    desired = Desired(object_id="threeware:6/u0", setting="write_policy", value="write_through")
    work = work_on(named, tmp_path, lambda _: [desired])
    assert "sets only the rates" in work.plan.refusals[0].reason


@pytest.mark.parametrize(
    ("text", "fine"),
    [("Setting Rebuild Rate on /c6 to [3] ... Done.\n", True), ("Error: (CLI:003) Invalid value\n", False),
     ("Setting Rebuild Rate on /c6 to [3] ... Failed.\n", False), ("", False)],
)  # fmt: skip
def test_the_tools_done_decides(text: str, fine: bool) -> None:
    """The output decides, not the exit code."""
    action = Action(argv=("tw_cli", "/c6", "set", "rebuildrate=3"))
    assert (judge(action, RunAnswer(code=0, out=text.encode())) is None) == fine
