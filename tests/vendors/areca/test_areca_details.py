"""Outputs of cli64 about one volume, drive, battery or hardware monitor."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Controller, DriveCachePolicy, Volume, VolumeCache, WriteActive, WritePolicy
from raidctl.model.write_protection import derived
from raidctl.output.explain import facts_of
from tests.support.judged import conditions, wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.areca.areca_outputs import (
    DISKS,
    DRIVE,
    SETS,
    SLOTS,
    VOLUME,
    VOLUMES,
    config,
    controller,
    hardware,
    observed,
)


def cache(mode: str = "Write Back", battery: str | None = None, drives: str | None = None) -> VolumeCache:
    """The cache of a volume under some settings."""
    texts = [VOLUME.replace("Write Back", mode)]
    texts += [hardware(f"Battery Status   : {battery}")] if battery is not None else []
    texts += [config(f"Disk Write Cache Mode : {drives}")] if drives is not None else []
    (volume,) = controller(*texts).volumes
    assert volume.cache is not None
    return volume.cache


def test_cache_and_strip_of_a_volume_are_read() -> None:
    """Labels without a field are details."""
    (volume,) = controller(VOLUME).volumes
    assert (volume.name, volume.raid_level, volume.strip_bytes) == ("home", "raid5", 65536)
    assert (volume.status, volume.details["SCSI target"], volume.drives_expected) == ("ok", "0:0:0", 3)
    assert volume.details["Tagged Queuing"] == "Enabled"


def test_a_volume_output_is_merged_with_its_row() -> None:
    """A volume is merged by its command's number or by its name."""
    for names in (["vsf info", "cli64 vsf info vol=1"], ["a.txt", "b.txt"]):
        found = observed(VOLUMES, VOLUME, names=names).controllers[0]
        assert [volume.id for volume in found.volumes] == ["areca:1/v1", "areca:1/v2"]
        assert [volume.strip_bytes for volume in found.volumes] == [65536, None]


@pytest.mark.parametrize(
    ("word", "policy", "active"),
    [
        ("Write Back", "unprotected_write_back", "write_back"),
        ("Write-Back", "unprotected_write_back", "write_back"),
        ("Write Through", "write_through", "write_through"),
        ("Disabled", "write_through", "write_through"),
    ],
)
def test_the_configured_cache_mode_is_active(word: str, policy: WritePolicy, active: WriteActive) -> None:
    """The configured cache mode is active.

    Areca controllers are not known to fall back to write-through when the battery is bad.
    """
    found = cache(word)
    assert (found.write_policy, found.write_active, found.why_not_in_force) == (policy, active, None)


def test_cache_policies_name_the_lines_that_they_come_from() -> None:
    """`show --explain` lists a line for each policy of a volume's cache that the tool prints."""
    found = observed(VOLUME, config("Disk Write Cache Mode : Auto\n  Volume Data Read Ahead : Normal"))
    facts = {
        fact.field: (fact.value, " ".join(fact.line.text.split()))
        for fact in facts_of(found.outputs, "areca:1/v=home")
        if fact.field.startswith("cache.")
    }
    assert facts == {
        "cache.write_active": ("write_back", "Cache Mode : Write Back"),
        "cache.write_policy": ("unprotected_write_back", "Cache Mode : Write Back"),
        "cache.drive_write_cache": ("default", "Disk Write Cache Mode : Auto"),
        "cache.read_policy": ("read_ahead", "Volume Data Read Ahead : Normal"),
    }
    [volume] = found.controllers[0].volumes
    assert volume.details["Cache Mode"] == "Write Back"


def test_an_unknown_cache_mode_is_a_problem_and_a_detail() -> None:
    """A word that is not in the table gives no policy."""
    found = observed(VOLUME.replace("Write Back", "Bewildered"))
    [volume] = found.controllers[0].volumes
    assert (volume.cache, volume.details["Cache Mode"]) == (None, "Bewildered")
    assert [(one.kind, one.where) for one in found.problems] == [("unread", "areca:1/v=home")]


def test_two_outputs_with_different_cache_modes_are_one_problem() -> None:
    """The worse mode is shown."""
    found = observed(VOLUME.replace("Write Back", "Write Through"), VOLUME)
    [volume] = found.controllers[0].volumes
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.write_active) == ("unprotected_write_back", "write_back")
    assert [one.where for one in found.problems if "disagree" in one.message] == ["areca:1/v=home"]


@pytest.mark.parametrize(
    ("mode", "battery", "drives", "protected"),
    [
        ("Write Back", "100%", "Disabled", True),
        ("Write Back", "100%", "Auto", True),
        ("Write Back", "100%", "Enabled", False),
        ("Write Back", "Not Installed", "Disabled", False),
        ("Write Back", "Charging(20%)", "Disabled", False),
        ("Write Back", None, None, None),
        ("Write Through", "Not Installed", "Auto", False),
        ("Write Through", "Not Installed", "Disabled", True),
        ("Write Through", None, "Auto", None),
    ],
)
def test_protection_against_a_power_loss(
    mode: str, battery: str | None, drives: str | None, *, protected: bool
) -> None:
    """Unwritten data is protected by a good battery. In drive caches it never is. Without a report, it is unknown."""
    cached = Volume(id="areca:1/v1", cache=cache(mode, battery, drives))
    [controller] = derived([Controller(id="areca:1", volumes=(cached,))])
    assert controller.volumes[0].cache is not None
    assert controller.volumes[0].cache.write_protected is protected


@pytest.mark.parametrize(
    ("word", "battery", "policy"),
    [
        ("Enabled", None, "enabled"), ("Disabled", None, "disabled"), ("Auto", None, "default"),
        ("Auto", "100%", "disabled"), ("Auto", "Not Installed", "enabled"), ("Auto", "Failed", "default"),
    ],
)  # fmt: skip
def test_auto_enables_the_drive_caches_without_a_battery(
    word: str, battery: str | None, policy: DriveCachePolicy
) -> None:
    """Only without a battery does "Auto" enable the drive caches, as documented."""
    assert cache("Write Back", battery, word).drive_write_cache == policy


def test_enabled_drive_caches_are_no_problem_of_the_reader() -> None:
    """Enabled drive caches are left to the audit."""
    found = observed(VOLUME, config("Disk Write Cache Mode : Enabled"))
    assert found.problems == ()


@pytest.mark.parametrize(
    ("word", "status", "charge"),
    [
        ("100%", "ok", 100),
        ("Charged(100%)", "ok", 100),
        ("Charging(35%)", "charging", 35),
        ("12%", "degraded", 12),
        ("Failed", "failed", None),
        ("Low", "degraded", None),
        ("Not Installed", "missing", None),
        ("Gone fishing", "unknown", None),
        ("250%", "unknown", None),
    ],
)
def test_a_battery(word: str, status: BatteryStatus, charge: int | None) -> None:
    """Charge and status are read. Only an unknown word is an unread problem."""
    found = observed(hardware(f"  Battery Status   : {word}"))
    (battery,) = found.controllers[0].batteries
    assert (battery.id, battery.status, battery.charge_percent) == ("areca:1/battery0", status, charge)
    assert battery.status_text == word
    assert [problem.kind for problem in found.problems] == (["unread"] if status == "unknown" else [])
    assert ("areca:1/battery0" in wrong(found)) == (status not in ("ok", "missing", "unknown"))


def test_the_hardware_monitor_is_kept_in_the_tools_words() -> None:
    """Enclosure parts are details, and a failed power supply is a problem. Drives get their temperature."""
    found = observed(
        hardware(
            "  CPU Fan  : 2596 RPM", "HDD #2  Temp. : 41", "[Enclosure#2 : Areca   x (00)]", "  Power 01  : Failed"
        ),
        DISKS,
        SETS,
    )
    (only,) = found.controllers
    assert only.details["CPU Fan"] == "2596 RPM"
    assert only.details["Enclosure#2 Power 01"] == "Failed"
    assert "Hardware monitor, Enclosure#2 Power 01: Failed." in {p.message for p in found.problems}
    assert {drive.bay: drive.temperature_celsius for drive in only.drives}["2"] == 41


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("Lost", ["state"]), ("Off", ["state"]), ("NG", ["state"]), ("Levitating", ["state"]), ("Unknown", ["unread"]),
        ("", ["unread"]), ("OK", []), ("Not Installed", []), ("N.A.", []), ("12.1 V", []), ("-12.0 V", []),
    ],
)  # fmt: skip
def test_a_part_of_the_hardware_monitor_is_good_only_by_a_good_word(word: str, kinds: list[str]) -> None:
    """Each word but the known good ones is a problem of the part, and an unknown state makes the verdict unknown."""
    found = observed(hardware("[Enclosure#2 : Areca   x (00)]", f"  Power 02  : {word}"))
    assert [problem.kind for problem in found.problems if "Power 02" in problem.message] == kinds


def test_serial_number_firmware_and_errors_of_a_drive_are_read() -> None:
    """A drive's output is merged with its row by channel."""
    found = controller(SETS, DISKS, DRIVE)
    (drive,) = [drive for drive in found.drives if drive.serial]
    assert (drive.id, drive.serial, drive.firmware) == ("areca:1/2", "WD-WMAUJ0042017", "03.00C05")
    assert (drive.errors.media, drive.errors.other, drive.temperature_celsius) == (11, 3, 38)
    assert (drive.status, drive.status_text, drive.role) == ("ok", "NORMAL", "member")
    assert drive.details["SMART Reallocation Count"] == "199(140)"


@pytest.mark.parametrize(("value", "bad"), [("199(140)", False), ("140(140)", True), ("3(140)", True), ("0(0)", False)])
def test_a_smart_attribute_at_its_threshold_is_a_warning(value: str, *, bad: bool) -> None:
    """The controller prints value and threshold. It prints no word for an attribute that has failed."""
    found = observed(SETS, DISKS, DRIVE.replace("199(140)", value))
    warned = [p.where for p in found.problems if p.kind == "state" and "Reallocation Count" in p.message]
    assert warned == ["areca:1/2"] * bad


def test_a_drive_in_an_enclosure_joins_its_row() -> None:
    """A drive's output is merged by location or command number. The device type gives the interface."""
    located = DRIVE.replace("IDE Channel                        : 2", "Device Location : Enclosure#2 SLOT 01")
    typed = located.replace("Drive Information\n", "Drive Information\nDevice Type : SAS(5000C50012345678)\n")
    found = controller(SLOTS, typed.replace("WDC WD7502ABYS-01A6B0", "SEAGATE ST2000NM0023"))
    first = found.drives[0]
    assert (len(found.drives), first.serial, first.interface, first.model) == (
        2, "WD-WMAUJ0042017", "sas", "ST2000NM0023",
    )  # fmt: skip
    asked = DRIVE.replace("IDE Channel                        : 2\n", "")
    by_number = observed(SLOTS, asked, names=["cli64 disk info", "cli64 disk info drv=10"]).controllers[0]
    assert [drive.serial for drive in by_number.drives] == [None, "WD-WMAUJ0042017"]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("FAILED", "critical"), ("REBUILDING", "warning"), ("NORMAL", "ok"), ("NORMAL(Predictive Failure)", "warning"),
        ("NORMAL(Media Error)", "warning"), ("NORMAL(Levitating)", "unknown"), ("FAILED(Levitating)", "critical"),
        ("HotSpare(Global)", "ok"), ("HotSpare(Enclosure#2)", "ok"), ("NORMAL(Global)", "unknown"),
        ("Hot Spare (Dedicated For RaidSet # 00)", "ok"),
    ],
)  # fmt: skip
def test_the_state_of_a_drive(word: str, status: str) -> None:
    """A bad state is a problem of the drive. So is a bad remark in brackets behind a good one."""
    found = observed(DRIVE.replace("NORMAL", word))
    assert found.controllers[0].drives[0].status == status
    assert any(one.rule != "drive_errors" for one in conditions(found)) == (status in ("warning", "critical"))
    assert any(one.kind == "unread" for one in found.problems) == (status == "unknown")


def test_a_drive_that_its_set_has_dropped_stays_failed() -> None:
    """A failed drive stays failed even if its own output reports "NORMAL"."""
    row = DISKS.replace(
        "WDC WD7502ABYS-01A6B0            750.2GB  Raid Set # 00", "WDC WD7502ABYS-01A6B0            750.2GB  Failed"
    )
    found = controller(row, DRIVE)
    assert {drive.bay: drive.status for drive in found.drives}["2"] == "critical"


def test_the_mode_for_all_drives_is_the_controllers_mode() -> None:
    """JBOD for all drives is HBA mode."""
    assert controller(config("JBOD/RAID Configuration : JBOD")).mode == "hba"
    assert controller(config("JBOD/RAID Configuration : RAID")).mode == "raid"


def test_read_ahead_is_one_setting_for_all_volumes() -> None:
    """The read-ahead setting of the controller is shown for each volume."""
    (volume,) = controller(VOLUME, config("Volume Data Read Ahead : Disabled")).volumes
    assert volume.cache is not None
    assert volume.cache.read_policy == "none"


def test_sections_whose_title_was_cut_off_are_known_by_their_labels() -> None:
    """A section without a title is recognised by its labels. No line is left unread."""
    found = observed(VOLUME.split("===\n", 1)[1], DRIVE.split("===\n", 1)[1])
    assert unparsed(found) == []
    assert (len(found.controllers[0].volumes), len(found.controllers[0].drives)) == (1, 1)


def test_values_that_cannot_be_read_are_reported_and_kept() -> None:
    """A problem names the object of an unreadable value. The value is a detail."""
    found = observed(VOLUME.replace("64K", "many"), DRIVE.replace(": 11", ": lots"))
    assert {(p.kind, p.where) for p in found.problems} == {("unread", "areca:1/v=home"), ("unread", "areca:1/2")}
    assert found.controllers[0].volumes[0].details["Stripe Size"] == "many"
