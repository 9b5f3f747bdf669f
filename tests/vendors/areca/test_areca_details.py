from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Controller, DriveCachePolicy, Volume, VolumeCache, WriteActive, WritePolicy
from raidctl.model.write_protection import derived
from tests.support.judged import conditions, wrong
from tests.vendors.areca.areca_texts import (
    DISKS,
    DRIVE,
    SETS,
    SLOTS,
    VOLUME,
    VOLUMES,
    card,
    config,
    hardware,
    left,
    told,
)


def cache(mode: str = "Write Back", battery: str | None = None, drives: str | None = None) -> VolumeCache:
    """The cache of a volume under some settings."""
    texts = [VOLUME.replace("Write Back", mode)]
    texts += [hardware(f"Battery Status   : {battery}")] if battery is not None else []
    texts += [config(f"Disk Write Cache Mode : {drives}")] if drives is not None else []
    (volume,) = card(*texts).volumes
    assert volume.cache is not None
    return volume.cache


def test_a_volume_tells_its_cache_and_its_strip() -> None:
    """And what has no field is kept in the tool's words."""
    (volume,) = card(VOLUME).volumes
    assert (volume.name, volume.raid_level, volume.strip_bytes) == ("home", "raid5", 65536)
    assert (volume.status, volume.details["SCSI target"], volume.drives_expected) == ("ok", "0:0:0", 3)
    assert volume.details["Tagged Queuing"] == "Enabled"


def test_a_volume_by_itself_joins_its_row_in_the_table() -> None:
    """By the number that the command asked for, or by its name."""
    for names in (["vsf info", "cli64 vsf info vol=1"], ["a.txt", "b.txt"]):
        found = told(VOLUMES, VOLUME, names=names).controllers[0]
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
def test_the_cache_mode_is_what_is_in_force(word: str, policy: WritePolicy, active: WriteActive) -> None:
    """These cards are not known to fall back when the battery is bad."""
    found = cache(word)
    assert (found.write_policy, found.write_active, found.why_not_in_force) == (policy, active, None)


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
def test_what_outlives_a_power_loss(mode: str, battery: str | None, drives: str | None, *, protected: bool) -> None:
    """Write-back with a good battery, or nothing unwritten; never while the drives cache; unknown where not told."""
    cached = Volume(id="areca:1/v1", cache=cache(mode, battery, drives))
    [card] = derived([Controller(id="areca:1", volumes=(cached,))])
    assert card.volumes[0].cache is not None
    assert card.volumes[0].cache.write_protected is protected


@pytest.mark.parametrize(
    ("word", "battery", "policy"),
    [
        ("Enabled", None, "enabled"), ("Disabled", None, "disabled"), ("Auto", None, "default"),
        ("Auto", "100%", "disabled"), ("Auto", "Not Installed", "enabled"),
    ],
)  # fmt: skip
def test_auto_turns_the_drives_caches_on_without_a_battery(
    word: str, battery: str | None, policy: DriveCachePolicy
) -> None:
    """As the manual says."""
    assert cache("Write Back", battery, word).drive_write_cache == policy


def test_drive_caches_that_are_on_are_a_problem() -> None:
    """Of the card, since it is one setting."""
    found = told(VOLUME, config("Disk Write Cache Mode : Enabled"))
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
    """Its charge and what the tool says of it; trouble is a problem, a missing one is not."""
    found = told(hardware(f"  Battery Status   : {word}"))
    (battery,) = found.controllers[0].batteries
    assert (battery.id, battery.status, battery.charge_percent) == ("areca:1/battery0", status, charge)
    assert battery.status_text == word
    assert [problem.kind for problem in found.problems] == (["unread"] if status == "unknown" else [])
    assert ("areca:1/battery0" in wrong(found)) == (status not in ("ok", "missing", "unknown"))


def test_the_hardware_monitor_is_kept_in_the_tools_words() -> None:
    """Parts of enclosures by the enclosure's name; a failed power supply is a problem; drives have theirs."""
    found = told(
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


def test_a_drive_tells_serial_number_firmware_and_errors() -> None:
    """It joins its row of the table by its channel."""
    found = card(SETS, DISKS, DRIVE)
    (drive,) = [drive for drive in found.drives if drive.serial]
    assert (drive.id, drive.serial, drive.firmware) == ("areca:1/2", "WD-WMAUJ0042017", "03.00C05")
    assert (drive.errors.media, drive.errors.other, drive.temperature_celsius) == (11, 3, 38)
    assert (drive.status, drive.status_text, drive.role) == ("ok", "NORMAL", "member")
    assert drive.details["SMART Reallocation Count"] == "199(140)"


def test_a_drive_in_an_enclosure_joins_its_row() -> None:
    """By its location, or by the number that the command asked for; the device type tells how it is attached."""
    located = DRIVE.replace("IDE Channel                        : 2", "Device Location : Enclosure#2 SLOT 01")
    typed = located.replace("Drive Information\n", "Drive Information\nDevice Type : SAS(5000C50012345678)\n")
    found = card(SLOTS, typed.replace("WDC WD7502ABYS-01A6B0", "SEAGATE ST2000NM0023"))
    first = found.drives[0]
    assert (len(found.drives), first.serial, first.interface, first.model) == (
        2, "WD-WMAUJ0042017", "sas", "ST2000NM0023",
    )  # fmt: skip
    asked = DRIVE.replace("IDE Channel                        : 2\n", "")
    by_number = told(SLOTS, asked, names=["cli64 disk info", "cli64 disk info drv=10"]).controllers[0]
    assert [drive.serial for drive in by_number.drives] == [None, "WD-WMAUJ0042017"]


@pytest.mark.parametrize(("word", "status"), [("FAILED", "critical"), ("REBUILDING", "warning"), ("NORMAL", "ok")])
def test_the_state_of_a_drive(word: str, status: str) -> None:
    """Trouble is a problem of the drive."""
    found = told(DRIVE.replace("NORMAL", word))
    assert found.controllers[0].drives[0].status == status
    assert any(one.rule != "drive_errors" for one in conditions(found)) == (status != "ok")


def test_a_drive_that_its_set_has_dropped_stays_failed() -> None:
    """Though it says of itself that it is well."""
    row = DISKS.replace(
        "WDC WD7502ABYS-01A6B0            750.2GB  Raid Set # 00", "WDC WD7502ABYS-01A6B0            750.2GB  Failed"
    )
    found = card(row, DRIVE)
    assert {drive.bay: drive.status for drive in found.drives}["2"] == "critical"


def test_the_tools_mode_for_all_drives_is_the_cards_mode() -> None:
    """JBOD hands every drive to the system."""
    assert card(config("JBOD/RAID Configuration : JBOD")).mode == "hba"
    assert card(config("JBOD/RAID Configuration : RAID")).mode == "raid"


def test_read_ahead_is_one_setting_for_all_volumes() -> None:
    """The volumes carry it."""
    (volume,) = card(VOLUME, config("Volume Data Read Ahead : Disabled")).volumes
    assert volume.cache is not None
    assert volume.cache.read_policy == "none"


def test_sections_whose_title_was_cut_off_are_known_by_their_labels() -> None:
    """And no line is left."""
    found = told(VOLUME.split("===\n", 1)[1], DRIVE.split("===\n", 1)[1])
    assert left(found) == []
    assert (len(found.controllers[0].volumes), len(found.controllers[0].drives)) == (1, 1)


def test_values_that_cannot_be_read_are_said_and_kept() -> None:
    """A problem names the label, the words stay."""
    found = told(VOLUME.replace("64K", "many"), DRIVE.replace(": 11", ": lots"))
    assert {(p.kind, p.where) for p in found.problems} == {("unread", "areca:1/v=home"), ("unread", "areca:1/2")}
    assert found.controllers[0].volumes[0].details["Stripe Size"] == "many"
