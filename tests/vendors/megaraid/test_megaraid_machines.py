"""The family's recorded machines. The tests cover what is special about each, and the number of commands."""

from __future__ import annotations

import pytest

from raidctl.model import Controller
from raidctl.request import Run
from tests.support.machines import MACHINES, recording, replayed

OURS = [machine for machine in MACHINES if machine.startswith("megaraid-")]


def first(machine: str) -> Controller:
    """The first controller of a machine."""
    return replayed(machine).inventory.controllers[0]


def problem_lines(machine: str) -> str:
    """All problems of a machine, one a line."""
    return "\n".join(f"{item.kind} {item.where} {item.message}" for item in replayed(machine).inventory.problems)


@pytest.mark.parametrize("machine", OURS)
def test_every_recorded_command_is_run(machine: str) -> None:
    """Every recorded command is run, except for the versions that ``doctor`` requests."""
    asked = {output.command for output in replayed(machine).outputs}
    kept = {
        " ".join(request.argv): answer
        for request, answer in recording(machine).answers()
        if isinstance(request, Run) and request.argv[-1] != "v"
    }
    silent = {command for command, answer in kept.items() if not getattr(answer, "out", b"")}
    assert set(kept) - silent <= asked


def test_the_h730p_is_protected_and_has_a_predictive_failure() -> None:
    """Write-back is protected by a battery at 97%. Bay 5 has a S.M.A.R.T. alert."""
    found = first("megaraid-h730p-predictive")
    (battery,) = found.batteries
    assert (battery.kind, battery.status, battery.charge_percent) == ("battery", "ok", 97)
    cache = found.volumes[1].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active, cache.write_protected) == (
        "protected_write_back",
        "write_back",
        True,
    )
    assert [drive.bay for drive in found.drives if drive.status == "warning"] == ["5"]
    assert [volume.device for volume in found.volumes] == ["/dev/sda", "/dev/sdb"]


def test_the_9271_writes_through_while_its_capacitor_learns() -> None:
    """The configured policy differs from the active one, with the cause. MegaCli is not run."""
    cache = first("megaraid-9271-learning").volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force == "The cache's capacitor is in a learn cycle."
    assert "MegaCli64 is also installed; it was not run" in problem_lines("megaraid-9271-learning")


def test_the_9660_is_read_with_storcli2() -> None:
    """RAID 1, RAID 10, a spare and an energy pack are read. There is no problem."""
    found = first("megaraid-9660-storcli2")
    assert [volume.raid_level for volume in found.volumes] == ["raid1", "raid10"]
    assert [drive.role for drive in found.drives].count("spare") == 1
    assert [(battery.kind, battery.status) for battery in found.batteries] == [("capacitor", "ok")]
    assert "megaraid" not in problem_lines("megaraid-9660-storcli2")


def test_the_perc_5_has_a_failed_battery_and_drive() -> None:
    """The volume is degraded and in write-through because of the battery. The failed drive is listed."""
    found = first("megaraid-perc5i-failed-battery")
    assert [volume.status for volume in found.volumes] == ["degraded"]
    cache = found.volumes[0].cache
    assert cache is not None
    assert cache.write_active == "write_through"
    assert "battery has failed" in (cache.why_not_in_force or "")
    assert [drive.serial for drive in found.drives if drive.status == "critical"] == ["3LM0RC02"]


def test_a_controller_that_crashes_the_tool_does_not_hide_the_other() -> None:
    """The other controller has its volume, rebuild, JBOD drive and foreign drive."""
    one, two = replayed("megaraid-second-card-crashes").inventory.controllers
    assert [(volume.progress.percent if volume.progress else None) for volume in one.volumes] == [37.0]
    assert {drive.role: drive.device for drive in one.drives if drive.device} == {"passthrough": "/dev/sdb"}
    assert two.model is not None
    assert "unread storcli64 /c1 show all nolog J Controller 1" in problem_lines("megaraid-second-card-crashes")
    assert [drive.id for drive in one.drives if drive.foreign] == ["megaraid:0/252:7"]


def test_megacli_alone_beside_a_95xx_is_not_run() -> None:
    """MegaCli is not run, and a problem names the reason."""
    assert "can freeze a host with the controller 1000:10e2" in problem_lines("megaraid-9560-megacli-barred")
    assert replayed("megaraid-9560-megacli-barred").inventory.tools == ()
