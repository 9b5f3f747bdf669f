"""Status words of all versions of the tool, and their meaning."""

from __future__ import annotations

import pytest

from raidctl.model import Health, VolumeStatus
from raidctl_adaptec.state_words import DriveWord
from raidctl_adaptec.vocabulary import drive_word
from tests.vendors.adaptec.adaptec_outputs import (
    ZMM,
    controller_of,
    drive_of,
    drive_text,
    found,
    machine,
    part,
    pqi,
    volume_of,
    volume_text,
)


def backup(status: str, supercap: str = "Ready") -> str:
    """A cache backup unit."""
    values = {"Overall Backup Unit Status": status, "Supercap Status": supercap}
    return part("Controller Cache Backup Unit Information", values)


@pytest.mark.parametrize(
    ("text", "status", "operation"),
    [
        ("Degraded ( Rebuild : 12 % )", "rebuilding", "rebuild"),
        ("Optimal ( Verify with fix : 12 % )", "checking", "repair"),
        ("Optimal ( Reconfiguration : 12 % )", "migrating", "migrate"),
        ("Optimal [Build 12%]", "initializing", "initialize"),
        ("Degraded ( Verify : 12 % )", "degraded", "check"),
        ("Failed ( Rebuild : 12 % )", "failed", "rebuild"),
        ("Impacted ( Build/Verify : 12 % )", "checking", "initialize"),
    ],
)
def test_a_running_operation_is_the_status_of_a_good_volume(text: str, status: VolumeStatus, operation: str) -> None:
    """A rebuild replaces the status degraded. A check of a degraded volume does not."""
    volume = volume_of(machine(volumes=[volume_text(0, {"Status of logical device": text})]))
    assert (volume.status, volume.status_text) == (status, text)
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == (operation, 12.0)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Currently Recovering", "rebuilding"), ("Currently Being Erased", "offline"), ("Not Available", "offline"),
        ("Logical Device Is Not Available", "offline"), ("Has Failed", "failed"), ("Verifying With Fix", "checking"),
        ("A Physical Drive Is Not Properly Connected", "failed"), ("Hardware Is Overheating", "degraded"),
        ("Logically failed", "failed"), ("Optimal (bad stripes)", "unknown"), ("Okay (OKY)", "ok"),
    ],
)  # fmt: skip
def test_words_that_fill_a_status_do_not_hide_it(text: str, status: VolumeStatus) -> None:
    """Newer versions print the same status in longer words."""
    assert volume_of(machine(volumes=[volume_text(0, {"Status of logical device": text})])).status == status


@pytest.mark.parametrize(
    ("text", "operation", "percent"),
    [
        ("In Progress (12 %)", "parity", 12.0), ("In Progress", "parity", None), ("12 percent", "parity", 12.0),
        ("Queued", "parity", None), ("Initialization Not Started", "parity", None), ("Completed", None, None),
        ("Completed (100 %)", None, None), ("Not Applicable", None, None), ("Failed", "parity", None),
    ],
)  # fmt: skip
def test_a_parity_initialisation_that_is_not_complete_is_under_way(
    text: str, operation: str | None, percent: float | None
) -> None:
    """A parity initialisation counts until a word reports that it is complete, also one that waits or has failed."""
    going = volume_of(pqi(volume={"Parity Initialization Status": text})).progress
    assert ((going.operation, going.percent) if going else (None, None)) == (operation, percent)


@pytest.mark.parametrize(
    ("text", "health"),
    [
        ("Down/Offline", "critical"), ("Controller Lockup Error", "critical"), ("Missing SG Module", "critical"),
        ("Controller Powered OFF", "critical"), ("Sys XLR Driver Conflict", "critical"),
        ("Optimal (temperature warning)", "warning"), ("Optimal (firmware 4.1)", "ok"),
    ],
)  # fmt: skip
def test_a_controller_status_of_the_guide_is_known(text: str, health: Health) -> None:
    """Every documented controller status is known, and a warning in brackets counts."""
    assert controller_of(machine({"Controller Status": text})).status == health


@pytest.mark.parametrize(
    ("text", "health"),
    [
        ("Online, SMART alert", "warning"), ("Ready (Predictive Failure)", "warning"), ("Online (JBOD)", "ok"),
        ("Failed (SMART)", "critical"), ("SSD Wearout", "warning"), ("Sanitize Completed", "warning"),
        ("Online (foreign)", "warning"), ("Online (levitating)", "unknown"), ("Ready (RDY)", "ok"),
        ("Hot Spare (Global)", "ok"), ("Online (No Errors)", "ok"), ("Ready (6 Gb/s)", "ok"),
        ("Online (2 bad)", "unknown"),
    ],
)  # fmt: skip
def test_a_remark_of_trouble_behind_a_drive_state_counts(text: str, health: Health) -> None:
    """A drive that is online with an alert is not ok, and one with an unknown remark is unknown."""
    assert drive_of(machine(drives=[drive_text(0, {"State": text}), drive_text(1)])).status == health


@pytest.mark.parametrize("text", ["Dedicated Hot-Spare", "Global Hot-Spare", "Auto Replace Spare", "Spare"])
def test_a_spare_by_its_configuration_is_one(text: str) -> None:
    """``Drive Configuration Type`` names all kinds of spares."""
    observation = found(
        machine(drives=[drive_text(0), drive_text(1), drive_text(2, {"Drive Configuration Type": text})])
    )
    assert observation.controllers[0].drives[2].role == "spare"
    assert not [problem for problem in observation.problems if problem.kind == "unread"]


@pytest.mark.parametrize("label", ["Dedicated Spare for", "Dedicated Spare for arrays"])
def test_a_dedicated_spare_of_an_array_is_its_spare(label: str) -> None:
    """``Dedicated Spare for : Array 0`` names the array, not the volume of that number."""
    spare = drive_text(5, {"State": "Hot Spare", label: "Array 0"})
    controller = controller_of(pqi().replace("\n\nCommand", f"\n{spare}\n\nCommand"))
    assert controller.arrays[0].spares == ("adaptec:1/0,5",)
    assert controller.drives[-1].spare_for == ("adaptec:1/a0",)


@pytest.mark.parametrize("place", [{"Dedicated Spare for": "Array 0"}, {"Array": 0}])
def test_an_active_spare_is_a_member(place: dict[str, object]) -> None:
    """A spare that has taken the place of a failed member holds its data, whatever it is configured as."""
    changes = {"State": "Active Hot Spare", "Drive Configuration Type": "Dedicated Hot-Spare", **place}
    controller = controller_of(pqi().replace("\n\nCommand", f"\n{drive_text(5, changes)}\n\nCommand"))
    assert (controller.drives[-1].role, controller.drives[-1].array) == ("member", "adaptec:1/a0")
    assert (controller.arrays[0].drives[-1], controller.arrays[0].spares) == ("adaptec:1/0,5", ())


@pytest.mark.parametrize(
    ("text", "health"),
    [
        ("Has Initializing Logical Device", "ok"), ("Logical Devices Not Contiguous", "ok"),
        ("Has Erasing Drive", "warning"), ("Has Offline Logical Device", "critical"),
    ],
)  # fmt: skip
def test_an_array_status_of_the_guide_is_known(text: str, health: Health) -> None:
    """Every documented array status is known. A volume that is being initialised is not a problem."""
    controller = controller_of(pqi().replace(f"{'Status':<41}: Ok", f"{'Status':<41}: {text}"))
    assert (controller.arrays[0].status, controller.arrays[0].status_text) == (health, text)


@pytest.mark.parametrize(("unit", "safe"), [("Ready", "protected"), ("Charging", "unknown"), ("Failed", "unprotected")])
def test_a_charging_backup_unit_leaves_the_protection_unknown(unit: str, safe: str) -> None:
    """The protection is unknown while the unit is not ready. Write-back "when protected" is on."""
    cache = volume_of(machine(backup=backup(unit))).cache
    assert cache is not None
    assert (cache.write_active, cache.controller_cache) == ("write_back", safe)


@pytest.mark.parametrize("text", ["Off (battery failed)", "Temporarily disabled"])
def test_the_reason_of_the_tool_is_shown(text: str) -> None:
    """A reason that the tool prints is shown as the reason."""
    cache = volume_of(machine(backup=ZMM, volumes=[volume_text(0, {"Write-cache status": text})])).cache
    assert cache is not None
    assert (cache.write_active, cache.why_not_in_force) == ("write_through", f"The tool reports: {text}.")


def test_a_mode_that_is_not_supported_is_off() -> None:
    """A mode that is not supported is off.

    A controller without a write cache prints only the mode, and nothing can be configured.
    """
    text = (
        machine(backup="").replace("Write-cache setting ", "Partitioned ").replace("Write-cache status  ", "Bootable ")
    )
    cache = volume_of(
        text.replace("Failed stripes", "Write-cache mode").replace(": No\n", ": Not supported\n", 1)
    ).cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("off", "off")


def test_a_drive_state_that_speaks_of_a_failure_is_critical() -> None:
    """An undocumented drive state with the word "failed" is critical."""
    assert drive_word("JBOD failed") == DriveWord("critical")
    assert drive_word("JBOD bewildered") is None
