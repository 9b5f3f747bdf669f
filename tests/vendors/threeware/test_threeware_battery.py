"""The capacity test of a 3ware battery, which only its duration ends."""

from __future__ import annotations

from pathlib import Path

from raidctl.change.expectations import unmet
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Deed
from raidctl_threeware.simulator import TEST_SECONDS
from tests.support.deeds import look, planned, play, run, simulated

TEST = Deed(object_id="threeware:6", verb="start_learn")


def pack(demo: Simulated) -> str:
    """The state of the battery."""
    return look(demo).inventory.controllers[0].batteries[0].status


def test_a_battery_test_ends_with_its_duration(tmp_path: Path) -> None:
    """A battery test without undo ends with its duration.

    Meanwhile, it is a listed task, and a second one is refused.
    """
    demo = simulated("9690", tmp_path)
    [step] = planned(look(demo), TEST).steps
    assert (step.undo.argv, step.way_back) == ((), "none")
    assert play(demo, TEST, back=False) == ["tw_cli /c6/bbu test quiet"]
    assert [task.operation for task in look(demo).inventory.tasks] == ["learn"]
    demo.pass_time(TEST_SECONDS - 1)
    assert pack(demo) == "learning"
    assert run(demo, "threeware", step.action) is not None
    demo.pass_time(1)
    assert pack(demo) == "ok"
    assert unmet(look(demo), step.expects)
