"""Operations on Adaptec controllers: commands, effects, refusals and their reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import unmet
from raidctl.host import HostView
from raidctl.model import Tool
from raidctl.request import RunAnswer
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Action, Deed
from raidctl_adaptec import operate
from tests.support.deeds import bays, look, operations, planned, play, run, simulated, why
from tests.vendors.adaptec.adaptec_outputs import controller_of, drive_text, machine, volume_text

MEMBER, SPARE = "adaptec:1/0,1", "adaptec:1/0,6"
ARCCONF = "/usr/Arcconf/arcconf"


@pytest.fixture
def demo(tmp_path: Path) -> Simulated:
    """A demo with a RAID-10, a mirror and a global spare.

    The drives are 0,0 to 0,3, then 0,4 and 0,5, and the spare 0,6.
    """
    return simulated("6805", tmp_path)


def deed(verb: str, drive: str | None = MEMBER, target: str = "adaptec:1/v0", **more: str) -> Deed:
    """A deed on the demo."""
    return Deed(object_id=target, verb=verb, drive=drive, **more)  # type: ignore[arg-type] # a verb


def drive(demo: Simulated, name: str) -> tuple[str | None, str | None]:
    """Role and state of a drive."""
    [found] = [one for one in look(demo).inventory.controllers[0].drives if one.id == name]
    return found.role, found.status_text


def test_a_member_is_marked_as_failed_pulled_and_replaced(demo: Simulated) -> None:
    """Without a spare, the controller rebuilds in the same bay. It rebuilds the new drive there."""
    assert play(demo, deed("remove_spare", SPARE, "adaptec:1")) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 6 RDY noprompt"]
    assert play(demo, deed("take_out"), back=False) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 1 DDD noprompt"]
    assert drive(demo, MEMBER) == ("failed", "Failed")
    assert planned(look(demo), deed("take_out")).steps == ()
    demo.pull("0,1")
    demo.insert("0,1")
    assert drive(demo, MEMBER) == ("member", "Rebuilding")
    assert play(demo, deed("add_member", replaces=MEMBER)) == []
    volume = look(demo).inventory.controllers[0].volumes[0]
    assert (volume.status, volume.drives_active, volume.drives_expected) == ("rebuilding", 3, 4)
    demo.pass_time(3600)
    progress = look(demo).inventory.controllers[0].volumes[0].progress
    assert progress is not None
    assert progress.percent == 50
    demo.pass_time(3601)
    volume = look(demo).inventory.controllers[0].volumes[0]
    assert (volume.status, volume.drives_active, volume.progress) == ("ok", 4, None)


def test_taking_out_is_undone_by_making_the_drive_ready(demo: Simulated) -> None:
    """The undo makes the drive ready, and the controller rebuilds it."""
    play(demo, deed("remove_spare", SPARE, "adaptec:1"), back=False)
    [step] = planned(look(demo), deed("take_out")).steps
    assert (step.way_back, str(step.undo)) == ("other", f"{ARCCONF} SETSTATE 1 DEVICE 0 1 RDY noprompt")
    assert "adaptec:1/v0" in " ".join(step.affects)
    play(demo, deed("take_out"))


def test_a_new_drive_in_another_bay_becomes_a_spare_that_is_used_at_once(demo: Simulated) -> None:
    """The new drive becomes a dedicated spare. The next reading must show the rebuild."""
    play(demo, deed("remove_spare", SPARE, "adaptec:1"), back=False)
    demo.pull("0,1")
    new = deed("add_member", SPARE, replaces=MEMBER)
    assert play(demo, new, back=False) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 6 HSP LOGICALDRIVE 0 noprompt"]
    assert drive(demo, SPARE) == ("member", "Rebuilding")
    assert planned(look(demo), new).steps == ()


def test_spares_global_and_dedicated(demo: Simulated) -> None:
    """Each spare command is undone by its opposite. A drive in use cannot become a spare."""
    assert play(demo, deed("remove_spare", SPARE, "adaptec:1")) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 6 RDY noprompt"]
    assert play(demo, deed("add_spare", SPARE, "adaptec:1")) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 6 HSP noprompt"]
    play(demo, deed("remove_spare", SPARE, "adaptec:1"), back=False)
    dedicated = f"{ARCCONF} SETSTATE 1 DEVICE 0 6 HSP LOGICALDRIVE 1 noprompt"
    assert play(demo, deed("add_spare", SPARE, "adaptec:1/v1")) == [dedicated]
    [step] = planned(look(demo), deed("remove_spare", SPARE, "adaptec:1/v1")).steps
    assert str(step.undo) == dedicated
    assert "is not a spare" in why(demo, deed("remove_spare", MEMBER))
    assert "is not free" in why(demo, deed("add_spare", MEMBER))


def test_a_failed_drive_becomes_good(demo: Simulated) -> None:
    """The failure mark of a drive is cleared without an undo. A good drive is refused."""
    assert "has not failed" in why(demo, deed("good", target=MEMBER))
    demo.keep(bays("adaptec").fail(demo.state(), "0,1"))
    assert look(demo).inventory.controllers[0].volumes[0].status == "rebuilding"
    assert play(demo, deed("good", target=MEMBER)) == [f"{ARCCONF} SETSTATE 1 DEVICE 0 1 RDY noprompt"]
    assert drive(demo, MEMBER) == ("unassigned", "Ready")


def test_checks_start_stop_and_end_with_the_clock(demo: Simulated) -> None:
    """VERIFY compares and VERIFY_FIX repairs. The plan explains the repair of a mirror."""
    start = deed("start_check", None, "adaptec:1/v1")
    assert play(demo, start) == [f"{ARCCONF} TASK START 1 LOGICALDRIVE 1 VERIFY noprompt"]
    stop = deed("stop_check", None, "adaptec:1/v1")
    assert play(demo, stop) == [f"{ARCCONF} TASK STOP 1 LOGICALDRIVE 1"]
    repair = deed("repair", None, "adaptec:1/v1")
    [step] = planned(look(demo), repair).steps
    assert "one overwrites the other" in " ".join(step.affects)
    assert play(demo, repair) == [f"{ARCCONF} TASK START 1 LOGICALDRIVE 1 VERIFY_FIX noprompt"]
    assert look(demo).inventory.controllers[0].volumes[1].status == "checking"
    demo.pass_time(3601)
    assert look(demo).inventory.controllers[0].volumes[1].status == "ok"


def test_a_raw_drive_is_initialised_by_a_separate_command() -> None:
    """Adding a raw drive is refused. The command that erases it has no undo."""
    text = machine(
        volumes=[volume_text(0, {"Status of logical device": "Degraded"})],
        drives=[drive_text(0), drive_text(1), drive_text(5, {"State": "Raw (Pass Through)"})],
    )
    controller = replace(controller_of(text), driver="aacraid", told_by=None)
    raw = next(one for one in controller.drives if one.status_text == "Raw (Pass Through)")
    found = [Tool(name="arcconf", path=ARCCONF)]
    refused = operate.plan_deeds(controller, [deed("add_member", raw.id, controller.volumes[0].id)], found, HostView())
    assert [denial.alternative for denial in refused.denials] == [f"raidctl drive raid {raw.id}"]
    [step] = operate.plan_deeds(controller, [deed("raid", raw.id, raw.id)], found, HostView()).steps
    assert str(step.action).endswith("TASK START 1 DEVICE 0 5 INITIALIZE noprompt")
    assert (step.way_back, "erased" in (step.no_way_back or "")) == ("none", True)
    member = operate.plan_deeds(
        controller, [deed("raid", controller.drives[0].id, controller.drives[0].id)], found, HostView()
    )
    assert "is not Raw" in member.denials[0].reason


def test_undocumented_commands_are_shown_and_not_run(demo: Simulated) -> None:
    """An undocumented command is a refusal's alternative and is not run."""
    made = planned(look(demo), deed("erase", target=MEMBER), deed("jbod", target=MEMBER))
    assert made.steps == ()
    assert [denial.alternative for denial in made.denials] == [
        "By hand: `arcconf TASK START 1 DEVICE 0 1 CLEAR`", "By hand: `arcconf UNINIT 1 0 1`",
    ]  # fmt: skip


def test_smartpqi_has_only_spares_of_arrays(tmp_path: Path) -> None:
    """A drive is pulled without a command. Undocumented operations are refused with the reason."""
    demo = simulated("3154", tmp_path)
    [controller] = look(demo).inventory.controllers
    free = next(drive.id for drive in controller.drives if drive.role == "unassigned")
    member = controller.volumes[1]
    [step] = planned(look(demo), deed("add_spare", free, member.id)).steps
    assert str(step.action).endswith(f"HSP ARRAY {(member.array or '').rpartition('/a')[2]} noprompt")
    assert "belongs to an array" in why(demo, deed("add_spare", free, "adaptec:1"))
    taken = planned(look(demo), deed("take_out", controller.drives[0].id))
    assert (taken.steps, taken.denials) == ((), ())
    assert "check in the background" in why(demo, deed("start_check", None))


def test_the_closing_line_and_the_exit_code_decide(demo: Simulated) -> None:
    """An aborted command has failed. So has success with a non-zero exit code."""
    action = Action(argv=("arcconf", "SETSTATE", "1", "DEVICE", "0", "1", "RDY", "noprompt"))
    done = "Controllers found: 1\n\nCommand completed successfully.\n"
    judge = operations("adaptec").judge
    assert judge(action, RunAnswer(code=0, out=done.encode())) is None
    assert judge(action, RunAnswer(code=1, out=done.encode())) is not None
    assert judge(action, RunAnswer(code=0, out=b"Controllers found: 1\nCommand aborted.\n")) is not None
    assert judge(action, RunAnswer(code=0, out=b"")) is not None
    before = look(demo)
    assert "not in a state" in (run(demo, "adaptec", action) or "")
    [step] = planned(before, deed("take_out")).steps
    assert unmet(look(demo), step.expects)


def test_bays_that_do_not_exist_are_refused(demo: Simulated) -> None:
    """The refusal names the existing bays."""
    simulator = bays("adaptec")
    for act in (simulator.pull, simulator.fail):
        with pytest.raises(ValueError, match="0,0"):
            act(demo.state(), "0,9")
    with pytest.raises(ValueError, match="not an empty bay"):
        simulator.insert(demo.state(), "0,1", None)
    with pytest.raises(ValueError, match="not a drive that was pulled"):
        simulator.insert(demo.state(), "0,7", "X")
    with pytest.raises(LookupError):
        simulator.pull({}, "0,1")
    with pytest.raises(LookupError):
        simulator.pull(demo.state(), "adaptec:2/0,1")


def test_new_drives_differ_as_requested(demo: Simulated) -> None:
    """A new drive is smaller, failing or an SSD as requested."""
    [before] = [one for one in look(demo).inventory.controllers[0].drives if one.id == SPARE]
    demo.pull("0,6")
    simulator = bays("adaptec")
    for kind, field in (("small", "size_bytes"), ("failing", "status"), ("other_media", "media")):
        state = simulator.insert(demo.state(), "0,6", None, kind)  # type: ignore[arg-type] # one of the kinds
        demo.keep(state)
        [new] = [one for one in look(demo).inventory.controllers[0].drives if one.id == SPARE]
        assert new.serial != before.serial
        assert getattr(new, field) != getattr(before, field), kind
        demo.pull("0,6")
