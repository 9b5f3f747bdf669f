"""Operations on 3ware controllers: commands, effects, refusals and their reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import unmet
from raidctl.request import Run, RunAnswer
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Action, Deed
from tests.support.deeds import bays, look, operations, planned, play, run, simulated, why
from tests.support.machines import recording

CONTROLLER, UNIT, MIRROR = "threeware:6", "threeware:6/v1", "threeware:6/v0"
MEMBER, SPARE, FREE = "threeware:6/p3", "threeware:6/p6", "threeware:6/p7"


@pytest.fixture
def demo(tmp_path: Path) -> Simulated:
    """A mirror, a RAID-5 of p2 to p5, spare p6, free p7."""
    return simulated("9690", tmp_path)


def deed(verb: str, drive: str | None = MEMBER, target: str = UNIT, **more: str) -> Deed:
    """An operation on the demo."""
    return Deed(object_id=target, verb=verb, drive=drive, **more)  # type: ignore[arg-type] # a verb


def roles(demo: Simulated) -> dict[str, str | None]:
    """The role of each drive by its port."""
    return {drive.id.rpartition("/")[2]: drive.role for drive in look(demo).inventory.controllers[0].drives}


def test_every_recorded_output_is_printed_as_it_was(tmp_path: Path) -> None:
    """The simulator reads and prints recorded machines' tables without a difference."""
    for name in ("threeware-9690sa-rebuilding", "threeware-8006-mirror"):
        machine = simulated(name, tmp_path)
        for request, answer in recording(name).answers():
            if isinstance(request, Run):
                assert machine.answer(request) == answer, request


def test_a_member_is_removed_and_a_new_drive_rebuilt(demo: Simulated) -> None:
    """Without a spare the unit is degraded until the rebuild is started."""
    assert play(demo, deed("remove_spare", SPARE, CONTROLLER)) == ["tw_cli /c6/u2 del quiet"]
    assert play(demo, deed("take_out")) == ["tw_cli /c6/p3 remove quiet"]
    assert "p3" not in roles(demo)
    assert look(demo).inventory.controllers[0].volumes[1].status == "degraded"
    demo.pull("p3")
    demo.insert("p3")
    assert roles(demo)["p3"] == "unassigned"
    assert play(demo, deed("add_member", replaces=MEMBER)) == ["tw_cli /c6/u1 start rebuild disk=3"]
    assert play(demo, deed("add_member", replaces=MEMBER)) == []
    demo.pass_time(3600)
    progress = look(demo).inventory.controllers[0].volumes[1].progress
    assert progress is not None
    assert (progress.operation, progress.percent) == ("rebuild", 50)
    demo.pass_time(3601)
    volume = look(demo).inventory.controllers[0].volumes[1]
    assert (volume.status, volume.drives_active) == ("ok", 4)


def test_a_failed_member_is_not_taken_for_one_that_is_rebuilt(demo: Simulated) -> None:
    """The tool rebuilds only on a spare or a free drive: a rebuild of a failed member is refused, not done already."""
    play(demo, deed("remove_spare", SPARE, CONTROLLER))
    demo.fail("p3")
    assert look(demo).inventory.controllers[0].volumes[1].status == "degraded"
    assert "only on a spare or a drive outside the units" in why(demo, deed("start_rebuild"))


def test_a_removed_drive_comes_back_by_a_rescan(demo: Simulated) -> None:
    """A rescan is the undo, and a rebuild follows."""
    [step] = planned(look(demo), deed("take_out")).steps
    assert (str(step.undo), step.way_back) == ("tw_cli /c6 rescan", "other")
    play(demo, deed("take_out"))


def test_the_plan_reports_that_auto_rebuild_takes_any_drive(demo: Simulated, tmp_path: Path) -> None:
    """The plan reports it if Auto-Rebuild is on or unknown (S6)."""
    [step] = planned(look(demo), deed("take_out")).steps
    assert "Auto-Rebuild" not in " ".join(step.affects)
    seen = look(simulated("threeware-9690sa-rebuilding", tmp_path))
    [step] = planned(seen, deed("take_out", "threeware:6/p0", MIRROR)).steps
    assert "Auto-Rebuild is on" in " ".join(step.affects)
    [controller] = seen.inventory.controllers
    unknown = replace(controller, details={})
    made = operations("threeware").plan_deeds(
        unknown, [deed("take_out", "threeware:6/p0", MIRROR)], seen.inventory.tools, seen.view
    )
    assert "unknown" in " ".join(made.steps[0].affects)


def test_with_auto_rebuild_the_controller_begins_without_a_command(tmp_path: Path) -> None:
    """With Auto-Rebuild a new drive is used at once. Adding it needs no step."""
    machine = simulated("threeware-9690sa-rebuilding", tmp_path)
    machine.pass_time(10_000)
    machine.pull("p6")
    machine.pull("p1")
    machine.insert("p1")
    assert look(machine).inventory.controllers[0].volumes[0].status == "rebuilding"
    assert play(machine, deed("add_member", "threeware:6/p1", MIRROR, replaces="threeware:6/p1")) == []


def test_spares_are_units_that_are_looked_up_by_their_drive(demo: Simulated) -> None:
    """Right before the command, the unit must have this spare drive."""
    [step] = planned(look(demo), deed("remove_spare", SPARE, CONTROLLER)).steps
    assert {one.object_id for one in step.requires} == {SPARE}
    assert play(demo, deed("add_spare", FREE, CONTROLLER)) == ["tw_cli /c6 add type=spare disk=7"]
    play(demo, deed("remove_spare", SPARE, CONTROLLER), back=False)  # u3, that of p7, becomes u2
    assert unmet(look(demo), step.requires) != []
    assert play(demo, deed("remove_spare", FREE, CONTROLLER), back=False) == ["tw_cli /c6/u2 del quiet"]
    assert [volume.id for volume in look(demo).inventory.controllers[0].volumes] == [MIRROR, UNIT]


def test_what_the_tool_would_refuse_is_refused_before(demo: Simulated) -> None:
    """Each refusal of the tool is foreseen with its reason."""
    assert "no spares of one unit" in why(demo, deed("add_spare", FREE, UNIT))
    assert "is not free" in why(demo, deed("add_spare", MEMBER, CONTROLLER))
    assert "is not a spare" in why(demo, deed("remove_spare", FREE, CONTROLLER))
    assert "is not a member" in why(demo, deed("take_out", SPARE))
    assert planned(look(demo), deed("take_out", FREE)).steps == ()
    [controller] = look(demo).inventory.controllers
    single = replace(controller, volumes=tuple(replace(one, raid_level="raid0") for one in controller.volumes))
    seen = look(demo)
    made = operations("threeware").plan_deeds(single, [deed("take_out")], seen.inventory.tools, seen.view)
    assert "does not remove drives" in made.denials[0].reason
    nameless = replace(controller, drives=tuple(replace(one, serial=None) for one in controller.drives))
    made = operations("threeware").plan_deeds(nameless, [deed("take_out")], seen.inventory.tools, seen.view)
    assert [(denial.guard, denial.unknown) for denial in made.denials] == [("X1", True)]


def test_a_verify_of_a_mirror_is_a_repair(demo: Simulated) -> None:
    """It overwrites one copy, so it needs a confirmed repair."""
    refused = planned(look(demo), deed("start_check", None, MIRROR)).denials
    assert [denial.alternative for denial in refused] == [f"raidctl check start {MIRROR} --repair"]
    assert play(demo, deed("repair", None, MIRROR)) == ["tw_cli /c6/u0 start verify"]
    assert play(demo, deed("start_check", None)) == ["tw_cli /c6/u1 start verify"]
    assert play(demo, deed("stop_check", None)) == ["tw_cli /c6/u1 stop verify"]
    demo.pass_time(3601)
    assert {volume.status for volume in look(demo).inventory.controllers[0].volumes} == {"ok"}


def test_done_decides_and_a_question_is_no_success(demo: Simulated) -> None:
    """Without "quiet" the tool asks for confirmation, and nothing is changed."""
    judge = operations("threeware").judge
    action = Action(argv=("tw_cli", "/c6/p3", "remove", "quiet"))
    assert judge(action, RunAnswer(code=0, out=b"Removing port /c6/p3 ... Done.\n")) is None
    warned = b"... Done.\nWARNING: This Spare unit may replace failed drive of same interface type only.\n"
    assert judge(action, RunAnswer(code=0, out=warned)) is None
    assert judge(action, RunAnswer(code=0, out=b"... Done.\nError: (CLI:144) failed.\n")) is not None
    assert judge(action, RunAnswer(code=1, out=b"Error: (CLI:144) Invalid drive.\n")) is not None
    assert judge(action, RunAnswer(code=0, out=b"")) is not None
    assert "Y|N" in (run(demo, "threeware", Action(argv=("tw_cli", "/c6/p3", "remove"))) or "")
    assert roles(demo)["p3"] == "member"
    [step] = planned(look(demo), deed("take_out", "threeware:6/p0", MIRROR)).steps
    bad = replace(step.action, argv=("tw_cli", "/c6/p9", "remove", "quiet"))
    assert "Invalid drive" in (run(demo, "threeware", bad) or "")


def test_bays_are_ports(demo: Simulated) -> None:
    """A removed drive is still in its bay. A port without a recorded drive cannot be used."""
    simulator = bays("threeware")
    play(demo, deed("take_out"), back=False)
    with pytest.raises(ValueError, match="not an empty bay"):
        simulator.insert(demo.state(), "p3", None)
    demo.pull("p3")
    with pytest.raises(ValueError, match="is empty"):
        simulator.pull(demo.state(), "p3")
    with pytest.raises(ValueError, match="not an empty bay"):
        simulator.insert(demo.state(), "p12", None)
    with pytest.raises(LookupError):
        simulator.pull({}, "p3")
    small = simulator.insert(demo.state(), "threeware:6/p3", None, "small")
    demo.keep(small)
    sizes = {drive.id: drive.size_bytes for drive in look(demo).inventory.controllers[0].drives}
    assert (sizes[MEMBER] or 0) < (sizes[FREE] or 0)
