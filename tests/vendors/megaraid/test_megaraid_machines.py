"""The recorded machines of this family: what is special about each, and how few calls it took."""

from __future__ import annotations

import pytest

from raidctl.model import Controller
from raidctl.request import Run
from tests.support.machines import MACHINES, recording, replayed

OURS = [machine for machine in MACHINES if machine.startswith("megaraid-")]


def first(machine: str) -> Controller:
    """The first card of a machine."""
    return replayed(machine).inventory.controllers[0]


def said(machine: str) -> str:
    """All problems of a machine, one a line."""
    return "\n".join(f"{item.kind} {item.where} {item.message}" for item in replayed(machine).inventory.problems)


@pytest.mark.parametrize("machine", OURS)
def test_every_recorded_answer_is_asked_for(machine: str) -> None:
    """No recording holds a call of these tools that is not made, but for the versions that ``doctor`` asks."""
    asked = {sheet.command for sheet in replayed(machine).outputs}
    kept = {
        " ".join(request.argv): answer
        for request, answer in recording(machine).answers()
        if isinstance(request, Run) and request.argv[-1] != "v"
    }
    silent = {command for command, answer in kept.items() if not getattr(answer, "out", b"")}
    assert set(kept) - silent <= asked


def test_the_h730p_is_protected_and_has_a_drive_that_will_fail() -> None:
    """Write-back with a battery at 97 %, and a S.M.A.R.T. alert in bay 5."""
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
    """What is configured stands apart from what is in force; MegaCli is not asked."""
    cache = first("megaraid-9271-learning").volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force == "The cache's capacitor is in a learn cycle."
    assert "MegaCli64 is also installed; it was not run" in said("megaraid-9271-learning")


def test_the_9660_is_told_by_the_second_storcli() -> None:
    """Mirror and stripe of mirrors, a spare, an energy pack, no problem at all."""
    found = first("megaraid-9660-storcli2")
    assert [volume.raid_level for volume in found.volumes] == ["raid1", "raid10"]
    assert [drive.role for drive in found.drives].count("spare") == 1
    assert [(battery.kind, battery.status) for battery in found.batteries] == [("capacitor", "ok")]
    assert "megaraid" not in said("megaraid-9660-storcli2")


def test_the_perc_5_tells_its_failed_battery_and_drive() -> None:
    """RAID-5 is degraded; write-back fell back because of the battery; the drive that left is named."""
    found = first("megaraid-perc5i-failed-battery")
    assert [volume.status for volume in found.volumes] == ["degraded"]
    cache = found.volumes[0].cache
    assert cache is not None
    assert cache.write_active == "write_through"
    assert "battery has failed" in (cache.why_not_in_force or "")
    assert [drive.serial for drive in found.drives if drive.status == "critical"] == ["3LM0RC02"]


def test_a_card_that_crashes_the_tool_hides_nothing_of_the_other() -> None:
    """Its volume, the rebuild, the drive that the system sees itself, the foreign one."""
    one, two = replayed("megaraid-second-card-crashes").inventory.controllers
    assert [(volume.progress.percent if volume.progress else None) for volume in one.volumes] == [37.0]
    assert {drive.role: drive.device for drive in one.drives if drive.device} == {"passthrough": "/dev/sdb"}
    assert two.model is not None
    assert "unread storcli64 /c1 show all nolog J Controller 1" in said("megaraid-second-card-crashes")
    assert [drive.id for drive in one.drives if drive.foreign] == ["megaraid:0/252:7"]


def test_megacli_alone_beside_a_95xx_is_not_run() -> None:
    """The kernel's devices are shown; the problem names the tool that is needed."""
    assert "can freeze a host with the controller 1000:10e2" in said("megaraid-9560-megacli-barred")
    assert replayed("megaraid-9560-megacli-barred").inventory.tools == ()
