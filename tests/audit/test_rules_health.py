"""Severities of the rules about drives, volumes and spares."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named, rules
from raidctl.audit.diagnosis import diagnose
from raidctl.model import Errors, Problem, Progress
from tests.audit.rule_examples import LSI, MD, P400, ask, changed, graded
from tests.audit.rule_machines import DRIVE, SPARE, VOLUME, found, lsi
from tests.support.conclusions import read_text
from tests.support.machines import altered, replayed


@pytest.mark.parametrize(
    ("level", "active", "severity"), [("raid6", 4, "warning"), ("raid6", 3, "critical"), ("raid5", 4, "critical")]
)
@pytest.mark.parametrize("status", ["degraded", "ok", "checking"])
def test_a_degraded_volume_is_graded_by_what_is_left(status: str, level: str, active: int, severity: str) -> None:
    """A volume without a member is critical if it has no redundancy left, even if its tool reports it as ok."""
    inventory = changed(
        replayed(MD).inventory, "md:md1", {"status": status, "raid_level": level, "drives_active": active}
    )
    assert graded(ask("volume_degraded", inventory, "md:md1")) == severity


def test_a_volume_that_lacks_a_member_while_it_is_initialised_is_critical() -> None:
    """The operation does not hide the missing member. Until it ends, the redundancy of the volume is unknown."""
    for active, count in ((4, 0), (3, 1)):
        findings = found("volume_degraded", lsi(VOLUME, status="initializing", drives_expected=4, drives_active=active))
        assert [one.severity for one in findings] == ["critical"] * count


def test_a_failed_member_of_a_volume_that_is_reported_ok_is_reported_once() -> None:
    """If a failed member explains what a volume lacks, only the drive is reported."""
    short = lsi(VOLUME, drives_expected=4, drives_active=3)
    [one] = found("volume_degraded", short)
    assert one.message.startswith("The volume is reported ok, but 3 of 4 members work;")
    failed = changed(short, DRIVE, {"status": "critical"})
    assert (found("volume_degraded", failed), len(found("drive_failed", failed))) == ([], 1)


def test_a_degraded_volume_that_is_rebuilt_is_reported_once() -> None:
    """A volume degraded during a rebuild is reported as rebuilding only. No drive is requested."""
    inventory = lsi(VOLUME, status="degraded", progress=Progress(operation="rebuild", percent=12))
    assert ask("volume_rebuilding", inventory, VOLUME).outcome == "fail"
    assert found("volume_degraded", inventory) == []
    assert found("spare_missing", inventory) == []


def test_a_rebuild_that_only_the_drive_reports_is_found() -> None:
    """The state Rebuild of a member is enough."""
    inventory = changed(lsi(VOLUME, status="degraded"), DRIVE, {"status": "warning", "status_text": "Rbld"})
    assert ask("volume_rebuilding", inventory, VOLUME).outcome == "fail"


def test_a_degraded_volume_names_the_drive_of_its_array() -> None:
    """A failed drive of another array is not in the remedy."""
    [one] = [one for one in found("volume_degraded", replayed("lab-md").inventory) if one.where == "md:md14"]
    assert one.remedy
    assert "`raidctl replace md:md14`" in one.remedy
    assert "md:md13" not in one.remedy


def test_a_missing_leg_of_lvm_has_the_commands_of_lvm() -> None:
    """The remedy names the commands that add a drive and rebuild, and no check of the missing device."""
    one, _ = found("volume_degraded", replayed("lvm-legs-gone").inventory)
    assert "`vgextend vg DEVICE`), rebuild with `lvconvert --repair vg/mir`" in (one.remedy or "")
    assert "--check" not in (one.remedy or "")


def test_a_failed_drive_outside_its_array_is_a_warning() -> None:
    """A failed drive that a spare has replaced is a warning. While a volume is degraded, it is critical.

    One that the tool still lists in the array is critical whatever the status of the volume.
    """
    inventory = lsi(DRIVE, status="critical", role="failed", array=None)
    assert graded(ask("drive_failed", inventory, DRIVE)) == "warning"
    assert graded(ask("drive_failed", lsi(DRIVE, status="critical", role="failed"), DRIVE)) == "critical"
    inventory = changed(inventory, VOLUME, {"status": "degraded"})
    assert graded(ask("drive_failed", inventory, DRIVE)) == "critical"


def test_a_failed_member_that_nothing_has_replaced_is_needed() -> None:
    """A failed member of a volume that is reported ok is not called unneeded.

    The message has the remaining redundancy.
    """
    for machine, before, after, only, drive in (
        ("areca:1882", r"(Device State +: )NORMAL", r"\g<1>FAILED", "drv=8", "areca:1/E2:S4"),
        ("adaptec:3154", r"(Device #3$\n(?:.*\n)+?.* State +: )Online", r"\g<1>Failed", "AL", "adaptec:1/0,3"),
    ):
        inventory = altered(machine, before, after, only).inventory
        [one] = found("drive_failed", inventory)
        assert (one.where, one.severity) == (drive, "warning")
        assert one.message.endswith("; its volume survives 1 more drive failure.")
        assert "check that the rebuild starts" in (one.remedy or "")


@pytest.mark.parametrize("words", ["Rebuilding", "Erase In Progress", "Sanitize", "Copyback"])
def test_an_operation_on_a_drive_is_no_predictive_failure(words: str) -> None:
    """A warning that reports a rebuild or erase is not a predictive failure."""
    assert found("drive_expects_failure", lsi(DRIVE, status="warning", status_text=words)) == []


@pytest.mark.parametrize(("level", "severity"), [("raid6", "warning"), ("raid10", "critical"), ("raid0", "critical")])
def test_a_predictive_failure_is_graded_by_the_redundancy_left(level: str, severity: str) -> None:
    """A predictive failure is critical if the array would have no redundancy."""
    inventory = lsi(DRIVE, errors=Errors(predictive=2))
    if level != "raid10":
        inventory = changed(inventory, VOLUME, {"raid_level": level})
    assert graded(ask("drive_expects_failure", inventory, DRIVE)) == severity


@pytest.mark.parametrize(
    ("errors", "severity"),
    [
        (Errors(media=1), "info"),
        (Errors(media=12), "warning"),
        (Errors(pending=1), "warning"),
        (Errors(uncorrectable=1), "warning"),
        (Errors(reallocated=3), "info"),
        (Errors(link=500), "warning"),
    ],
)
def test_error_counters_are_graded(errors: Errors, severity: str) -> None:
    """A few reallocated sectors are information. Many, or one pending, are a warning."""
    assert graded(ask("drive_errors", lsi(DRIVE, interface="sata", errors=errors), DRIVE)) == severity


@pytest.mark.parametrize(
    ("below", "reported"),
    [
        (Errors(), ["member"]),
        (Errors(media=0, reallocated=2), ["drive", "member"]),
        (Errors(reallocated=40), ["drive"]),
    ],
)
def test_read_errors_that_only_md_counts_are_reported(below: Errors, reported: list[str]) -> None:
    """Many read errors of a member are a warning, unless its drive counts as many, which are reported instead."""
    inventory = changed(replayed(MD).inventory, "md:md1/sdc1", {"errors": Errors(media=500)})
    [drive] = [one.id for owner in inventory.controllers for one in owner.drives if one.device == "/dev/sdc"]
    names = {"md:md1/sdc1": "member", drive: "drive"}
    where = [names[one.where] for one in found("drive_errors", changed(inventory, drive, {"errors": below}))]
    assert sorted(where) == reported


def test_link_errors_point_to_the_cable() -> None:
    """The remedy for link errors is the cable. Those of SAS drives are left to ``sas_link``."""
    one = ask("drive_errors", lsi(DRIVE, interface="sata", errors=Errors(link=500)), DRIVE)
    assert "500 link errors, which point to a cable" in one.message
    assert "cable" in (one.remedy or "")
    sas = lsi(DRIVE, errors=Errors(link=500))
    assert "cable" in ask("sas_link", sas, DRIVE).message
    assert DRIVE not in {each.where for each in found("drive_errors", sas)}


def test_unknown_counters_do_not_pass() -> None:
    """A drive without counters neither passes nor fails."""
    known = named("drive_errors")
    assert known is not None
    assert DRIVE not in {one.where for one in known.check(lsi(DRIVE, errors=Errors()))}


@pytest.mark.parametrize(
    "changes",
    [{"size_bytes": 1_000_000_000_000}, {"media": "ssd"}, {"interface": "sata"}, {"sector_bytes": 4096}],
    ids=str,
)
def test_an_unfit_spare_is_reported(changes: dict[str, Any]) -> None:
    """A spare that is too small or of another kind fails."""
    inventory = lsi(SPARE, **changes, spare_for=("megaraid:0/g1",))
    assert ask("spare_unfit", inventory, SPARE).outcome == "fail"


def test_a_spare_is_unfit_also_if_a_member_does_not_report_its_sectors() -> None:
    """One member without a sector size does not make a spare fit that differs from all others."""
    inventory = changed(lsi(SPARE, sector_bytes=4096, spare_for=("megaraid:0/g1",)), DRIVE, {"sector_bytes": None})
    assert ask("spare_unfit", inventory, SPARE).outcome == "fail"


def test_a_global_spare_need_not_fit_every_array() -> None:
    """A global spare passes if it fits one array."""
    assert ask("spare_unfit", replayed(LSI).inventory, SPARE).outcome == "pass"


@pytest.mark.parametrize(
    ("size", "media", "outcome", "severity"),
    [
        (1_000_000_000_000, "hdd", "pass", "info"),
        (2_000_000_000_000, "hdd", "fail", "info"),
        (16_000_000_000_000, "hdd", "fail", "info"),
        (16_000_000_000_000, "ssd", "pass", "info"),
        (16_000_000_000_000, None, "unknown", "info"),
    ],
)
def test_raid_5_is_graded_by_drive_size_and_media(size: int, media: Any, outcome: str, severity: str) -> None:
    """Small drives and SSDs pass, large drives are information. Unknown media is unknown."""
    inventory = lsi(VOLUME, raid_level="raid5")
    for bay in range(4):
        drive = {"size_bytes": size, "media": media, "status_text": "tested"}
        inventory = changed(inventory, f"megaraid:0/310:{bay}", drive)
    one = ask("raid5_large_drives", inventory, VOLUME)
    assert (one.outcome, one.severity) == (outcome, severity)


@pytest.mark.parametrize("points", [("/srv",), (), ("/scratch",)])
def test_raid_0_is_a_property_of_the_design(points: tuple[str, ...]) -> None:
    """RAID-0 is information, whatever it is used for."""
    inventory = lsi(VOLUME, raid_level="raid0", mountpoints=points, drives_expected=4)
    assert graded(ask("raid0_in_use", inventory, VOLUME)) == "info"


@pytest.mark.parametrize(
    ("media", "degrees", "severity"),
    [("hdd", 56, "warning"), ("hdd", 66, "critical"), ("ssd", 56, None), ("ssd", 81, "critical"), ("hdd", 200, None)],
)
def test_temperature_is_graded_by_the_kind_of_drive(media: str, degrees: int, severity: str | None) -> None:
    """SSDs have higher limits than hard drives. An impossible temperature is ignored."""
    heard = [one.severity for one in found("temperature_high", lsi(DRIVE, media=media, temperature_celsius=degrees))]
    assert heard == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("level", "count", "severity"), [("raid1", 128, "info"), ("raid1", 4096, "warning"), ("raid6", 8, "warning")]
)
def test_mismatches_are_graded_by_level(level: str, count: int, severity: str) -> None:
    """A few mismatches of a mirror are information. Any mismatch on parity is a warning."""
    inventory = changed(replayed(MD).inventory, "md:md1", {"raid_level": level, "mismatch_count": count})
    assert graded(ask("md_mismatch", inventory, "md:md1")) == severity


@pytest.mark.parametrize(("count", "expected"), [(1, "found 1 sector where"), (8, "found 8 sectors where")])
def test_a_single_mismatch_is_one_sector(count: int, expected: str) -> None:
    """The message has the singular for one sector."""
    inventory = changed(replayed(MD).inventory, "md:md1", {"mismatch_count": count})
    assert expected in ask("md_mismatch", inventory, "md:md1").message


@pytest.mark.parametrize(("there", "expected"), [(1, "1 of 4 drives is present"), (2, "2 of 4 drives are present")])
def test_a_failed_volume_reports_how_many_drives_are_present(there: int, expected: str) -> None:
    """The message has the singular for one drive."""
    inventory = lsi(VOLUME, status="failed", status_text="OfLn", drives_expected=4, drives_active=there)
    assert expected in ask("volume_failed", inventory, VOLUME).message


def test_a_small_array_needs_no_bitmap() -> None:
    """An array below 100 GB, which is checked in minutes, passes."""
    inventory = changed(replayed(MD).inventory, "md:md0", {"bitmap": "none", "consistency_policy": "resync"})
    assert found("md_without_bitmap", inventory) == []


def test_a_warning_of_a_tool_is_folded_under_the_finding_of_its_object() -> None:
    """A warning about an object with a finding is folded under it. Any other is separate."""
    inventory = replayed("md-degraded-rebuilding").inventory
    assert found("reported_trouble", inventory) == []
    problems = [
        Problem(severity="warning", where=where, message="A bad thing.", kind="state") for where in ("md", "md:md5")
    ]
    findings = found("reported_trouble", structs.replace(inventory, problems=tuple(problems)))
    assert [(one.where, one.because) for one in findings] == [("md", None), ("md:md5", "volume_degraded md:md5")]


def test_a_warning_of_a_controller_is_folded_under_its_drive() -> None:
    """If a failed drive explains the controller's status, it is the cause. The cause is the drive's finding."""
    inventory = changed(replayed(P400).inventory, "smartarray:1", {"status": "critical"})
    assert graded(ask("controller_in_trouble", inventory, "smartarray:1")) == "critical"
    inventory = changed(inventory, "smartarray:1/2I:1:1", {"status": "critical"})
    assert ask("controller_in_trouble", inventory, "smartarray:1").because == "drive_failed smartarray:1/2I:1:1"


def test_a_failed_drive_of_an_unknown_volume_is_critical() -> None:
    """An unknown volume of its array is not assumed to be intact."""
    inventory = changed(lsi(DRIVE, status="critical"), VOLUME, {"array": None})
    one = ask("drive_failed", inventory, DRIVE)
    assert one.severity == "critical"
    assert "no volume" not in one.message


def test_cached_io_with_an_unknown_battery_is_information() -> None:
    """A battery that is not reported is not reported as missing."""
    inventory = changed(lsi(VOLUME, cache={"io_policy": "cached"}), "megaraid:0", {"batteries": ()})
    one = ask("cached_io", inventory, VOLUME)
    assert one.severity == "info"
    assert "is unknown" in one.message


def test_the_status_of_a_failed_battery_is_printed_once() -> None:
    """Of ``Failed (Replace Batteries)``, only the text in brackets is added."""
    heading = "\nSmart Array P411 in Slot 1\n   Controller Status: OK\n"
    text = heading + "   Battery/Capacitor Status: Failed (Replace Batteries)\n\n"
    [found, *_] = diagnose(read_text(text).inventory, rules()).findings
    assert "has failed (Replace Batteries):" in found.message


@pytest.mark.parametrize(
    ("media", "degrees", "limit", "outcome"),
    [
        ("ssd", 66, 60, "critical"), ("ssd", 60, 60, "critical"), ("ssd", 59, 60, "pass"), ("ssd", 66, None, "pass"),
        ("hdd", 58, 68, "warning"), ("hdd", 30, 0, "pass"), ("hdd", 66, 85, "critical"), (None, 62, 62, "critical"),
    ],
)  # fmt: skip
def test_a_drive_above_its_own_limit_is_critical(media: str, degrees: int, limit: int | None, outcome: str) -> None:
    """The limit that a drive reports counts if it is lower than the usual ones. A limit of zero is none."""
    machine = lsi(DRIVE, media=media, temperature_celsius=degrees, max_temperature_celsius=limit)
    one = ask("temperature_high", machine, DRIVE)
    assert (one.severity if one.outcome == "fail" else one.outcome) == outcome
