"""Operations on Areca controllers: commands, effects, refusals and their reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import unmet
from raidctl.request import Run, RunAnswer
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Action, Deed
from raidctl_areca.locate import SESSION
from tests.support.deeds import bays, look, operations, planned, play, run, simulated, why
from tests.support.machines import recording

CONTROLLER, VOLUME, MIRROR, MEMBER = "areca:1", "areca:1/v1", "areca:1/v2", "areca:1/E2:S4"


@pytest.fixture
def demo(tmp_path: Path) -> Simulated:
    """A RAID-6 of E2:S1 to S6, a mirror of E2:S7 and S8."""
    return simulated("1882", tmp_path)


@pytest.fixture
def old(tmp_path: Path) -> Simulated:
    """A RAID-5 of 1 to 3, the spare 4."""
    return simulated("areca-arc1210", tmp_path)


def deed(verb: str, drive: str | None = MEMBER, target: str = VOLUME, **more: str) -> Deed:
    """An operation on the demo."""
    return Deed(object_id=target, verb=verb, drive=drive, **more)  # type: ignore[arg-type] # a verb


def states(demo: Simulated) -> list[tuple[str, int | None]]:
    """Status and working members of each volume."""
    return [(one.status, one.drives_active) for one in look(demo).inventory.controllers[0].volumes]


@pytest.mark.parametrize("name", ["areca-arc1882-degraded", "areca-arc1210"])
def test_every_recorded_output_is_printed_as_it_was(tmp_path: Path, name: str) -> None:
    """The simulator prints the recorded lists without a difference."""
    machine = simulated(name, tmp_path)
    simulator = bays("areca")
    machine.keep(simulator.advance(machine.state(), 0))
    for request, answer in recording(name).answers():
        if isinstance(request, Run):
            assert machine.answer(request) == answer, request


def test_a_member_is_pulled_and_the_controller_rebuilds(demo: Simulated) -> None:
    """Pulling a member or rebuilding in its bay needs no command."""
    assert play(demo, deed("take_out")) == []
    demo.pull("E2:S4")
    assert states(demo)[0] == ("degraded", 5)
    demo.insert("E2:S4")
    assert play(demo, deed("add_member", replaces=MEMBER)) == []
    assert states(demo)[0] == ("rebuilding", None)
    demo.pass_time(1800)
    progress = look(demo).inventory.controllers[0].volumes[0].progress
    assert progress is not None
    assert progress.percent == 25
    demo.pass_time(5401)
    assert states(demo)[0] == ("ok", 6)


def test_a_new_drive_is_added_as_a_spare(old: Simulated) -> None:
    """A drive in another bay is added as a spare. The controller uses it at once."""
    play(old, deed("remove_spare", "areca:1/4", CONTROLLER), back=False)
    old.pull("1")
    new = deed("add_member", "areca:1/4", replaces="areca:1/1")
    assert play(old, new, back=False) == ["cli64 rsf createhs drv=4"]
    assert play(old, new) == []
    assert states(old) == [("rebuilding", None)]


def test_spares_of_all_arrays(old: Simulated) -> None:
    """Spares are created and removed by their number. It must be unchanged right before."""
    assert play(old, deed("remove_spare", "areca:1/4", CONTROLLER)) == ["cli64 rsf deletehs drv=4"]
    add = deed("add_spare", "areca:1/4", CONTROLLER)
    assert play(old, add) == ["cli64 rsf createhs drv=4"]
    play(old, deed("remove_spare", "areca:1/4", CONTROLLER), back=False)
    [step] = planned(look(old), add).steps
    assert [(one.object_id, one.field, one.value) for one in step.requires] == [("areca:1/4", "details.#", "4")]
    seen = look(old)
    [controller] = seen.inventory.controllers
    renumbered = replace(
        controller,
        drives=tuple(replace(one, details={**one.details, "#": f"1{one.details['#']}"}) for one in controller.drives),
    )
    assert unmet(replace(seen, inventory=replace(seen.inventory, controllers=(renumbered,))), step.requires) != []
    assert step.action.session == SESSION
    assert "all arrays only" in why(old, deed("add_spare", "areca:1/4"))
    assert "is not free" in why(old, deed("add_spare", "areca:1/1", CONTROLLER))
    assert "is not a spare" in why(old, deed("remove_spare", "areca:1/1", CONTROLLER))


def test_a_dedicated_spare_is_kept(old: Simulated) -> None:
    """Removing a dedicated spare is refused. The tool cannot create one again."""
    seen = look(old)
    [controller] = seen.inventory.controllers
    dedicated = replace(
        controller,
        drives=tuple(
            replace(one, details={**one.details, "Usage": "HotSpare[Dedicated To Raid Set # 00]"})
            for one in controller.drives
        ),
    )
    made = operations("areca").plan_deeds(
        dedicated, [deed("remove_spare", "areca:1/4", CONTROLLER)], seen.inventory.tools, seen.view
    )
    assert "no command that restores that state" in made.denials[0].reason


def test_checks_start_and_end(demo: Simulated) -> None:
    """Only volumes with parity are checked. A check of a mirror is not documented."""
    assert play(demo, deed("start_check", None)) == ["cli64 vsf check vol=1"]
    assert play(demo, deed("stop_check", None)) == ["cli64 vsf stopcheck"]
    assert "not documented" in why(demo, deed("start_check", None, MIRROR))
    play(demo, deed("start_check", None), back=False)
    demo.pass_time(3601)
    assert states(demo)[0] == ("ok", 6)


def test_stopping_ends_every_check_so_all_must_be_named(tmp_path: Path) -> None:
    """Every checked volume must be named to stop checks. The stop command ends every check."""
    demo = simulated("1882", tmp_path)
    assert run(demo, "areca", Action(argv=("cli64", "vsf", "check", "vol=1"))) is None
    assert run(demo, "areca", Action(argv=("cli64", "vsf", "check", "vol=2"))) is None
    refused = planned(look(demo), deed("stop_check", None)).denials
    assert "also of areca:1/v2" in refused[0].reason
    both = (deed("stop_check", None), deed("stop_check", None, MIRROR))
    [step] = planned(look(demo), *both).steps
    assert (step.way_back, "every check" in " ".join(step.affects)) == ("none", True)
    assert play(demo, *both) == ["cli64 vsf stopcheck"]
    assert [status for status, _ in states(demo)] == ["ok", "ok"]
    [step] = planned(look(demo), deed("stop_check", None)).steps
    run(demo, "areca", Action(argv=("cli64", "vsf", "check", "vol=2")))
    assert unmet(look(demo), step.requires) != []


def test_another_controller_is_out_of_reach(demo: Simulated) -> None:
    """Only the tool's default controller can be changed."""
    seen = look(demo)
    [controller] = seen.inventory.controllers
    other = replace(controller, id="areca:2")
    made = operations("areca").plan_deeds(other, [deed("start_check", None)], seen.inventory.tools, seen.view)
    assert "default controller" in made.denials[0].reason
    assert not any(one.can for one in operations("areca").abilities(other, seen.inventory.tools).values())


def test_only_the_success_line_counts_and_a_password_is_required(demo: Simulated) -> None:
    """``GuiErrMsg<0x00>`` is success; a controller with a password refuses commands without it."""
    judge = operations("areca").judge
    action = Action(argv=("cli64", "vsf", "check", "vol=1"))
    assert judge(action, RunAnswer(code=0, out=b"GuiErrMsg<0x00>: Success.\n")) is None
    assert judge(action, RunAnswer(code=0, out=b"GuiErrMsg<0x4a>: Password Required.\n")) is not None
    assert judge(action, RunAnswer(code=0, out=b"")) is not None
    demo.keep({**demo.state(), "areca password": "s3cret"})
    assert "password" in (run(demo, "areca", action) or "").lower()
    session = Run(("cli64",), feed=b"set password=s3cret\nvsf check vol=1\nexit\n", changes=True)
    assert judge(action, demo.answer(session)) is None
    assert states(demo)[0] == ("checking", 6)


def test_bays_and_new_drives(demo: Simulated) -> None:
    """Only existing bays are accepted. A new drive may be small or failing."""
    simulator = bays("areca")
    with pytest.raises(ValueError, match="E2:S1"):
        simulator.pull(demo.state(), "E1:S1")
    with pytest.raises(ValueError, match="not an empty bay"):
        simulator.insert(demo.state(), "E1:S1", None)
    with pytest.raises(LookupError):
        simulator.pull({}, "E2:S1")
    [before] = [one for one in look(demo).inventory.controllers[0].drives if one.id == MEMBER]
    demo.keep(simulator.fail(demo.state(), "E2:S4"))
    assert states(demo)[0] == ("degraded", 5)
    demo.pull("E2:S4")
    demo.keep(simulator.insert(demo.state(), "areca:1/E2:S4", None, "small"))
    [after] = [one for one in look(demo).inventory.controllers[0].drives if one.id == MEMBER]
    assert (after.size_bytes or 0) < (before.size_bytes or 0)
