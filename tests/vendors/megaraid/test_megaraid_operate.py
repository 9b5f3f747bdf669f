"""Deeds with storcli, perccli and MegaCli: commands, later readings, refusals and undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import moved, unmet
from raidctl.model import Controller, Drive, Progress, Volume
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Verb
from raidctl_megaraid import operate
from raidctl_megaraid.operate.commands import PRINTED
from raidctl_megaraid.operate.drive_words import state_of
from tests.vendors.megaraid.megaraid_deeds import CONTROLLER, Bench, words

MISSING = "8:1"
"""The bay of the failed drive of perc5i. Its place in the array is free."""


@pytest.fixture
def h730(tmp_path: Path) -> Bench:
    """A PERC with a mirror, a RAID 6 and a spare. The RAID 6 is of 32:2 to 32:7, the spare is 32:8."""
    return Bench("h730", tmp_path)


@pytest.fixture
def perc5i(tmp_path: Path) -> Bench:
    """MegaCli, with a RAID 5 that lacks a drive."""
    return Bench("perc5i", tmp_path)


def exchanged(bench: Bench, bay: str) -> None:
    """Put a new drive into a bay. The controller does not use it automatically."""
    bench.machine.keep(bench.machine.state() | {"megaraid 0/auto": "Off"})
    if f"megaraid 0/bay {bay}" in bench.machine.state():
        bench.machine.pull(bay)
    bench.machine.insert(bay)


# --- removing and adding drives


def test_storcli_takes_a_drive_out_and_lets_another_in(h730: Bench) -> None:
    """A drive is set offline, marked as missing and spun down. A new one gets its row and is rebuilt."""
    assert h730.do("remove_spare", "", "32:8") == ["/e32/s8 delete hotsparedrive"]
    assert h730.do("take_out", "v1", "32:5") == ["/e32/s5 set offline", "/e32/s5 set missing", "/e32/s5 spindown"]
    assert (h730.status("v1"), h730.do("take_out", "v1", "32:5")) == ("degraded", [])
    exchanged(h730, "32:5")
    assert h730.do("add_member", "v1", "32:5") == ["/e32/s5 insert dg=1 array=0 row=3", "/e32/s5 start rebuild"]
    h730.machine.pass_time(3600)
    progress = h730.drive("32:5").progress
    assert progress is not None
    assert progress.percent == 50
    assert h730.do("add_member", "v1", "32:5") == []
    h730.machine.pass_time(3700)
    assert (h730.status("v1"), h730.do("add_member", "v1", "32:5")) == ("ok", [])


def test_megacli_takes_a_drive_out_and_lets_another_in(perc5i: Bench) -> None:
    """Array and row are those of -PdGetMissing, not the slot's number."""
    exchanged(perc5i, MISSING)
    add_member = ["-PdReplaceMissing -PhysDrv[8:1] -Array0 -row1", "-PDRbld -Start -PhysDrv[8:1]"]
    assert perc5i.do("add_member", "v0", MISSING) == add_member
    perc5i.machine.pass_time(1800)
    progress = perc5i.drive(MISSING).progress
    assert progress is not None
    assert progress.percent == 25
    perc5i.machine.pass_time(7200)
    assert perc5i.status() == "ok"
    assert perc5i.do("take_out", "v0", "8:3") == [
        "-PDOffline -PhysDrv[8:3]", "-PdMarkMissing -PhysDrv[8:3]", "-PdPrpRmv -PhysDrv[8:3]",
    ]  # fmt: skip
    assert perc5i.status() == "degraded"


def test_a_controller_that_rebuilds_automatically_gets_no_command(h730: Bench) -> None:
    """A new drive or spare that is rebuilt automatically needs no command."""
    h730.do("remove_spare", "", "32:8")
    h730.machine.pull("32:5")
    h730.machine.insert("32:5")
    assert (h730.drive("32:5").status_text, h730.do("add_member", "v1", "32:5")) == ("Rbld", [])


def test_a_spare_that_takes_over_is_reported_and_not_changed(h730: Bench) -> None:
    """The one step, without an undo, names the spare that takes over."""
    [step] = h730.plan("take_out", "v1", "32:5").steps
    assert step.undo.empty
    assert "32:8" in " ".join(step.affects)
    h730.do("take_out", "v1", "32:5")
    assert (h730.drive("32:8").status_text, h730.drive("32:5").role) == ("Rbld", "failed")
    assert h730.do("take_out", "v1", "32:5") == []
    h730.machine.pull("32:5")
    h730.machine.insert("32:5")
    assert h730.do("add_member", "v1", "32:5") == []


def test_a_spare_of_another_medium_does_not_take_over(h730: Bench) -> None:
    """An HDD spare does not replace an SSD. All three steps are planned."""
    assert len(h730.plan("take_out", "v0", "32:1").steps) == 3


def test_a_drive_that_comes_back_is_marked_good_first(h730: Bench) -> None:
    """A drive in ``UBad`` is set good, read again, and then inserted."""
    h730.do("remove_spare", "", "32:8")
    serial = h730.drive("32:5").serial
    h730.machine.keep(h730.machine.state() | {"megaraid 0/auto": "Off"})
    h730.machine.pull("32:5")
    h730.machine.insert("32:5", serial)
    assert h730.drive("32:5").status_text == "UBad"
    assert h730.do("add_member", "v1", "32:5") == ["/e32/s5 set good"]
    assert h730.do("add_member", "v1", "32:5")[0] == "/e32/s5 insert dg=1 array=0 row=3"


def test_a_member_is_copied_and_its_array_stays_complete(h730: Bench) -> None:
    """Copyback makes the spare a member and the member unassigned."""
    assert h730.do("replace", "v1", "32:5", "32:8") == ["/e32/s5 start copyback target=32:8"]
    assert h730.status("v1") in ("ok", "rebuilding")
    h730.machine.pass_time(7300)
    assert (h730.drive("32:8").array, h730.drive("32:5").role) == ("megaraid:0/g1", "unassigned")


@pytest.mark.parametrize("name", ["h730", "perc5i"])
def test_a_removal_is_undone_in_reverse_order(name: str, tmp_path: Path) -> None:
    """The steps are undone in reverse order, as far as commands exist."""
    bench = Bench(name, tmp_path)
    volume, bay = ("v1", "32:5") if name == "h730" else ("v0", "8:3")
    if name == "h730":
        bench.do("remove_spare", "", "32:8")
    else:
        exchanged(bench, MISSING)
        bench.do("add_member", "v0", MISSING)
        bench.machine.pass_time(7300)
    steps = bench.plan("take_out", volume, bay).steps
    bench.do("take_out", volume, bay)
    for step in reversed(steps):
        if step.undo.empty:
            assert step.no_way_back
            assert name == "perc5i"
            return
        bench.undo(step)
    assert bench.drive(bay).status_text == "Rbld"


# --- spares, rebuilds, checks, states


def test_storcli_spares(h730: Bench) -> None:
    """Global and dedicated spares are added and removed, each only once."""
    h730.do("remove_spare", "", "32:8")
    assert h730.do("add_spare", "v1", "32:8") == ["/e32/s8 add hotsparedrive DGs=1"]
    assert (h730.drive("32:8").spare_for, h730.do("add_spare", "v1", "32:8")) == (("megaraid:0/g1",), [])
    assert h730.do("remove_spare", "v1", "32:8") == ["/e32/s8 delete hotsparedrive"]
    assert h730.do("add_spare", "", "32:8") == ["/e32/s8 add hotsparedrive"]
    assert (h730.drive("32:8").spare_for, h730.do("add_spare", "", "32:8")) == ((), [])


def test_megacli_spares(perc5i: Bench) -> None:
    """MegaCli sets only global spares. None of its outputs has its number of an array."""
    exchanged(perc5i, MISSING)
    perc5i.do("add_member", "v0", MISSING)
    perc5i.machine.pass_time(7300)
    perc5i.machine.insert("8:4")
    [denial] = perc5i.plan("add_spare", "v0", "8:4").denials
    assert "number" in denial.reason
    assert perc5i.do("add_spare", "", "8:4") == ["-PDHSP -Set -PhysDrv[8:4]"]
    assert perc5i.do("remove_spare", "", "8:4") == ["-PDHSP -Rmv -PhysDrv[8:4]"]


def test_rebuilds_are_stopped_and_started(h730: Bench) -> None:
    """A member whose rebuild is stopped is offline."""
    h730.do("remove_spare", "", "32:8")
    h730.machine.pull("32:5")
    h730.machine.insert("32:5")
    assert h730.do("start_rebuild", "v1", "32:5") == []
    assert h730.do("stop_rebuild", "v1", "32:5") == ["/e32/s5 stop rebuild"]
    assert h730.drive("32:5").status_text == "Offln"
    assert h730.do("start_rebuild", "v1", "32:5") == ["/e32/s5 start rebuild"]
    assert h730.drive("32:5").status_text == "Rbld"


@pytest.mark.parametrize(
    ("name", "start", "stop"),
    [("9271", "/v0 start cc", "/v0 stop cc"), ("perc5i", "-LDCC -Start -L0", "-LDCC -Abort -L0")],
)
def test_checks(name: str, start: str, stop: str, tmp_path: Path) -> None:
    """A check is started once, shows its percentage, and is stopped once."""
    bench = Bench(name, tmp_path)
    if name == "perc5i":
        exchanged(bench, MISSING)
        bench.do("add_member", "v0", MISSING)
        bench.machine.pass_time(7300)
    assert bench.do("start_check", "v0") == [start]
    bench.machine.pass_time(900)
    [progress] = [one.progress for one in bench.controller().volumes]
    assert progress is not None
    assert (progress.operation, progress.percent) == ("check", 25)
    assert bench.do("start_check", "v0") == []
    assert (bench.do("stop_check", "v0"), bench.do("stop_check", "v0")) == ([stop], [])


def test_storcli_reports_what_is_paused(h730: Bench) -> None:
    """Paused rebuilds and checks are read as paused, and not paused again."""
    h730.do("remove_spare", "", "32:8")
    assert h730.do("start_check", "v0") == ["/v0 start cc"]
    h730.machine.pass_time(900)
    assert h730.do("pause_check", "v0") == ["/v0 pause cc"]
    h730.machine.pass_time(9000)
    assert h730.do("pause_check", "v0") == []
    assert h730.do("resume_check", "v0") == ["/v0 resume cc"]
    assert h730.do("stop_check", "v0") == ["/v0 stop cc"]
    h730.machine.pull("32:5")
    h730.machine.insert("32:5")
    assert h730.do("pause_rebuild", "v1", "32:5") == ["/e32/s5 pause rebuild"]
    h730.machine.pass_time(9000)
    assert h730.do("resume_rebuild", "v1", "32:5") == ["/e32/s5 resume rebuild"]
    h730.machine.pass_time(9000)
    assert h730.status("v1") == "ok"


def test_work_whose_pause_was_not_read_is_neither_already_paused_nor_running(h730: Bench) -> None:
    """Where nothing reports whether a check or rebuild is paused, neither command is "not needed": it is printed."""
    h730.do("remove_spare", "", "32:8")
    h730.do("start_check", "v0")
    h730.machine.pull("32:5")
    h730.machine.insert("32:5")
    seen, controller = h730.read(), h730.controller()
    silent = replace(
        controller,
        volumes=tuple(replace(one, progress=_without_state(one.progress)) for one in controller.volumes),
        drives=tuple(replace(one, progress=_without_state(one.progress)) for one in controller.drives),
    )
    rebuilt = f"{CONTROLLER}/32:5"
    for verb, where, drive in (
        ("pause_check", "v0", None), ("resume_check", "v0", None),
        ("pause_rebuild", "v1", rebuilt), ("resume_rebuild", "v1", rebuilt),
    ):  # fmt: skip
        deed = Deed(object_id=f"{CONTROLLER}/{where}", verb=verb, drive=drive)  # type: ignore[arg-type]  # verbs
        [denial] = operate.plan_deeds(silent, [deed], list(seen.inventory.tools), seen.view).denials
        assert denial.printed, verb
        assert verb.partition("_")[0] in (denial.alternative or "")


def test_pauses_with_megacli_are_printed(perc5i: Bench) -> None:
    """MegaCli does not report a pause. The command is printed instead of run."""
    exchanged(perc5i, MISSING)
    perc5i.do("add_member", "v0", MISSING)
    for verb, bay in (("pause_rebuild", MISSING), ("resume_rebuild", MISSING), ("pause_check", None)):
        [denial] = perc5i.plan(verb, "v0", bay).denials  # type: ignore[arg-type]  # verbs
        assert "Run it yourself: " in (denial.alternative or "")


def test_states_of_a_drive(h730: Bench) -> None:
    """A member is set offline and online, once. The configuration is saved first."""
    [step] = h730.plan("offline", "32:5").steps
    assert [saved.name for saved in step.saves] == ["megaraid-0-configuration"]
    h730.do("remove_spare", "", "32:8")
    assert h730.do("offline", "32:5") == ["/e32/s5 set offline"]
    assert h730.do("offline", "32:5") == []
    assert h730.do("online", "32:5") == ["/e32/s5 set online"]
    assert (h730.status("v1"), h730.do("online", "32:5")) == ("ok", [])
    h730.machine.fail("32:8")
    assert h730.drive("32:8").status_text == "UBad"
    assert h730.do("good", "32:8") == ["/e32/s8 set good"]
    assert h730.do("good", "32:8") == []


@pytest.mark.parametrize("text", ["Online, Spun Up, S.M.A.R.T. alert", "Onln, locked"])
def test_a_drive_with_an_alert_is_still_online(text: str) -> None:
    """What raidctl adds to a state word does not make the state unknown to the commands."""
    assert state_of(Drive(id="megaraid:0/8:0", status="warning", status_text=text)) == "online"


def test_jbod_and_back(h730: Bench) -> None:
    """With the controller's JBOD mode on, storcli converts a drive and back."""
    h730.do("remove_spare", "", "32:8")
    [denial] = h730.plan("jbod", "32:8").denials
    assert "JBOD mode is off" in denial.reason
    seen, controller = h730.read(), h730.controller()
    details = {name: "Yes" if "JBOD" in name else text for name, text in controller.details.items()}
    drive = operate.plan_deeds(
        _replaced(controller, details), [_deed("jbod", "32:8")], list(seen.inventory.tools), seen.view
    ).steps  # fmt: skip
    assert [(words(step.action), words(step.undo)) for step in drive] == [("/e32/s8 set jbod", "/e32/s8 del jbod")]


# --- refusals and printed commands


@pytest.mark.parametrize("verb", sorted(PRINTED["storcli"]))
def test_what_no_output_confirms_is_printed(verb: Verb, h730: Bench) -> None:
    """A command whose result no output shows is printed for the user. The table of commands lacks it."""
    h730.do("remove_spare", "", "32:8")
    target: dict[str, tuple[str, str | None]] = {
        "erase": ("32:8", None), "patrol": ("", None), "learn": ("", None)
    }  # fmt: skip
    plan = h730.plan(verb, *target[verb.rpartition("_")[2]])
    [denial] = plan.denials
    assert not plan.steps
    assert denial.alternative is not None
    command = denial.alternative.removeprefix("Run it yourself: ").split()
    assert command[0] == "/opt/MegaRAID/perccli/perccli64"
    assert not any(tuple(command[2:]) == shape[2:] for shape in operate.SHAPES)


@pytest.mark.parametrize(
    ("verb", "where", "bay", "reason"),
    [
        ("take_out", "v1", "32:8", "is a spare"),
        ("take_out", "v0", "32:5", "is not a member of the array"),
        ("add_member", "v1", "32:9", "is not a drive of"),
        ("add_spare", "", "32:5", "only an unconfigured good drive"),
        ("remove_spare", "", "32:5", "is not a spare"),
        ("start_rebuild", "v1", "32:5", "only a member that is offline"),
        ("stop_rebuild", "v1", "32:5", "is not being rebuilt"),
        ("good", "32:5", None, "only an unconfigured bad drive"),
        ("online", "32:8", None, "only a member that was set offline"),
        ("offline", "32:8", None, "only a working member"),
        ("raid", "32:8", None, "only a JBOD drive"),
        ("erase", "32:5", None, "only an unconfigured good drive"),
        ("start_check", "32:5", None, "is not a volume"),
        ("wipe", "32:5", None, "no command for wipe"),
    ],
)
def test_what_the_hardware_cannot_do_is_refused_with_the_reason(
    verb: Verb, where: str, bay: str | None, reason: str, h730: Bench
) -> None:
    """An impossible deed is refused with the reason, without a command."""
    plan = h730.plan(verb, where, bay)
    assert not plan.steps
    assert reason in plan.denials[0].reason


def _deed(verb: Verb, where: str) -> Deed:
    return Deed(object_id=f"megaraid:0/{where}", verb=verb)


def _without_state(progress: Progress | None) -> Progress | None:
    return None if progress is None else replace(progress, state=None)


def _replaced(controller: Controller, details: dict[str, str]) -> Controller:
    return replace(controller, details=details)


def test_guard_X2_a_group_that_went_with_its_last_volume_is_not_named(h730: Bench) -> None:
    """The array's number is used only while the volume is the same. The volume also has to be in the same array."""
    h730.do("remove_spare", "", "32:8")
    [step] = h730.plan("add_spare", "v1", "32:8").steps
    assert step.action.argv[-3:] == ("DGs=1", "nolog", "J")
    seen = h730.read()
    controller = h730.controller()
    [volume] = [one for one in controller.volumes if one.id == f"{CONTROLLER}/v1"]

    def now(*volumes: Volume) -> Survey:
        others = tuple(one for one in controller.volumes if one.id != volume.id)
        return replace(seen, inventory=replace(
            seen.inventory, controllers=(replace(controller, volumes=(*others, *volumes)),)
        ))  # fmt: skip

    def stopped(survey: Survey) -> bool:
        return moved(survey, step.subjects) is not None or bool(unmet(survey, step.requires))

    assert not stopped(now(volume))
    assert stopped(now())
    assert stopped(now(replace(volume, unique_id="600508e0")))
    assert stopped(now(replace(volume, array=f"{CONTROLLER}/g0")))
