"""How the rules about drives, volumes and spares grade what they find."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named, rules
from raidctl.audit.diagnosis import diagnose
from raidctl.audit.finding import Finding
from raidctl.model import Errors, Inventory, Problem, Progress
from tests.audit.rule_examples import LSI, MD, P400, changed, graded
from tests.audit.test_rules_safety import ask
from tests.support.conclusions import read_text
from tests.support.machines import replayed

VOLUME, DRIVE, SPARE = "megaraid:0/v2", "megaraid:0/310:2", "megaraid:0/310:4"


def lsi(object_id: str, **changes: Any) -> Inventory:
    """The MegaRAID with fields of one object set anew."""
    return changed(replayed(LSI).inventory, object_id, changes)


def found(rule: str, inventory: Inventory) -> list[Finding]:
    """What a rule says that did not pass."""
    known = named(rule)
    assert known is not None
    return [one for one in known.check(inventory) if one.outcome != "pass"]


@pytest.mark.parametrize(
    ("level", "active", "severity"), [("raid6", 4, "warning"), ("raid6", 3, "critical"), ("raid5", 4, "critical")]
)
def test_a_degraded_volume_is_graded_by_what_is_left(level: str, active: int, severity: str) -> None:
    """RAID-6 without one drive bears the loss of another; RAID-5, or RAID-6 without two, does not."""
    inventory = changed(
        replayed(MD).inventory,
        "md:md1",
        {"status": "degraded", "raid_level": level, "drives_active": active},
    )
    assert graded(ask("volume_degraded", inventory, "md:md1")) == severity


def test_a_degraded_volume_that_is_rebuilt_is_told_once() -> None:
    """Where a tool goes on saying degraded during a rebuild, the rebuild is told, and no drive is asked for."""
    inventory = lsi(VOLUME, status="degraded", progress=Progress(operation="rebuild", percent=12))
    assert ask("volume_rebuilding", inventory, VOLUME).outcome == "fail"
    assert found("volume_degraded", inventory) == []
    assert found("spare_missing", inventory) == []


def test_a_rebuild_that_only_the_drive_tells_of_is_seen() -> None:
    """A member whose state is Rebuild is reason enough."""
    inventory = changed(lsi(VOLUME, status="degraded"), DRIVE, {"status": "warning", "status_text": "Rbld"})
    assert ask("volume_rebuilding", inventory, VOLUME).outcome == "fail"


def test_a_degraded_volume_names_the_drive_of_its_own_array() -> None:
    """A drive that has failed in another array is not what is to be replaced here."""
    two = [one for one in found("volume_degraded", replayed("lab-md").inventory) if one.where == "md:md14"]
    assert "md:md13" not in (two[0].remedy or "")


def test_a_failed_drive_that_nobody_lacks_is_a_warning() -> None:
    """After the spare has stepped in, the broken drive is a warning; while a volume is degraded, critical.

    One that the tool still lists in the array, which has no redundancy without it, is critical whatever the volume is.
    """
    inventory = lsi(DRIVE, status="critical", role="failed", array=None)
    assert graded(ask("drive_failed", inventory, DRIVE)) == "warning"
    assert graded(ask("drive_failed", lsi(DRIVE, status="critical", role="failed"), DRIVE)) == "critical"
    inventory = changed(inventory, VOLUME, {"status": "degraded"})
    assert graded(ask("drive_failed", inventory, DRIVE)) == "critical"


@pytest.mark.parametrize("words", ["Rebuilding", "Erase In Progress", "Sanitize", "Copyback"])
def test_what_is_done_to_a_drive_is_no_prediction(words: str) -> None:
    """A warning that only says that a drive is rebuilt or erased does not mean that it will fail."""
    assert found("drive_expects_failure", lsi(DRIVE, status="warning", status_text=words)) == []


@pytest.mark.parametrize(("level", "severity"), [("raid6", "warning"), ("raid10", "critical"), ("raid0", "critical")])
def test_a_prediction_is_graded_by_what_stands_behind_the_drive(level: str, severity: str) -> None:
    """Without redundancy the drive takes the data with it; a mirror is left without redundancy; RAID-6 is not."""
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
    """A few moved sectors are information; many, or one that is unreadable now, a warning."""
    assert graded(ask("drive_errors", lsi(DRIVE, interface="sata", errors=errors), DRIVE)) == severity


def test_errors_of_the_link_are_the_cables() -> None:
    """CRC errors do not ask for a new drive; of SAS drives one rule judges the link, and the other is silent on it."""
    one = ask("drive_errors", lsi(DRIVE, interface="sata", errors=Errors(link=500)), DRIVE)
    assert "500 link errors, which point to a cable" in one.message
    assert "cable" in (one.remedy or "")
    sas = lsi(DRIVE, errors=Errors(link=500))
    assert "cable" in ask("sas_link", sas, DRIVE).message
    assert DRIVE not in {each.where for each in found("drive_errors", sas)}


def test_counters_that_nobody_tells_are_no_good_counters() -> None:
    """A drive without counters neither passes nor fails."""
    known = named("drive_errors")
    assert known is not None
    assert DRIVE not in {one.where for one in known.check(lsi(DRIVE, errors=Errors()))}


@pytest.mark.parametrize(
    "changes",
    [{"size_bytes": 1_000_000_000_000}, {"media": "ssd"}, {"interface": "sata"}, {"sector_bytes": 4096}],
    ids=str,
)
def test_a_spare_that_would_not_do_is_told(changes: dict[str, Any]) -> None:
    """Too small, or of another kind: such a spare is worse than none."""
    inventory = lsi(SPARE, **changes, spare_for=("megaraid:0/g1",))
    assert ask("spare_unfit", inventory, SPARE).outcome == "fail"


def test_a_global_spare_need_not_fit_every_array() -> None:
    """A disk that serves the array of disks is a good spare, though SSDs are there as well."""
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
def test_raid_5_is_graded_by_what_a_rebuild_reads(size: int, media: Any, outcome: str, severity: str) -> None:
    """Small disks and SSDs pass; large disks are information, whatever a rebuild reads: a property of the design."""
    inventory = lsi(VOLUME, raid_level="raid5")
    for bay in range(4):
        drive = {"size_bytes": size, "media": media, "status_text": "tested"}
        inventory = changed(inventory, f"megaraid:0/310:{bay}", drive)
    one = ask("raid5_large_drives", inventory, VOLUME)
    assert (one.outcome, one.severity) == (outcome, severity)


@pytest.mark.parametrize(
    ("points", "active", "severity"),
    [(("/srv",), 4, "info"), ((), 4, "info"), (("/scratch",), 4, "info")],
)
def test_raid_0_is_a_property_of_the_design(points: tuple[str, ...], active: int, severity: str) -> None:
    """Whatever it is used for, it is information: no failure of a machine, and no reason to wake anybody."""
    inventory = lsi(VOLUME, raid_level="raid0", mountpoints=points, drives_expected=active)
    assert graded(ask("raid0_in_use", inventory, VOLUME)) == severity


@pytest.mark.parametrize(
    ("media", "degrees", "severity"),
    [("hdd", 56, "warning"), ("hdd", 66, "critical"), ("ssd", 56, None), ("ssd", 81, "critical"), ("hdd", 200, None)],
)
def test_heat_is_graded_by_the_kind_of_drive(media: str, degrees: int, severity: str | None) -> None:
    """SSDs bear more than disks, and what is no temperature is none."""
    heard = [one.severity for one in found("temperature_high", lsi(DRIVE, media=media, temperature_celsius=degrees))]
    assert heard == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("level", "count", "severity"), [("raid1", 128, "info"), ("raid1", 4096, "warning"), ("raid6", 8, "warning")]
)
def test_mismatches_are_graded_by_level(level: str, count: int, severity: str) -> None:
    """A few on a mirror are often harmless; on parity none is."""
    inventory = changed(replayed(MD).inventory, "md:md1", {"raid_level": level, "mismatch_count": count})
    assert graded(ask("md_mismatch", inventory, "md:md1")) == severity


@pytest.mark.parametrize(("count", "said"), [(1, "found 1 sector where"), (8, "found 8 sectors where")])
def test_a_single_mismatch_is_one_sector(count: int, said: str) -> None:
    """One and several are said as one says them."""
    inventory = changed(replayed(MD).inventory, "md:md1", {"mismatch_count": count})
    assert said in ask("md_mismatch", inventory, "md:md1").message


@pytest.mark.parametrize(("there", "said"), [(1, "1 of 4 drives is present"), (2, "2 of 4 drives are present")])
def test_a_failed_volume_says_how_many_drives_are_there(there: int, said: str) -> None:
    """One is there, several are."""
    inventory = lsi(VOLUME, status="failed", status_text="OfLn", drives_expected=4, drives_active=there)
    assert said in ask("volume_failed", inventory, VOLUME).message


def test_a_small_array_needs_no_bitmap() -> None:
    """Below 100 GB comparing all of it takes minutes."""
    inventory = changed(replayed(MD).inventory, "md:md0", {"bitmap": "none", "consistency_policy": "resync"})
    assert found("md_without_bitmap", inventory) == []


def test_what_a_tool_prints_is_folded_under_the_finding_of_its_object() -> None:
    """A warning about an object that has a finding belongs to that one; a warning about anything else is its own."""
    inventory = replayed("md-degraded-rebuilding").inventory
    assert found("reported_trouble", inventory) == []
    told = [
        Problem(severity="warning", where=where, message="A bad thing.", kind="state") for where in ("md", "md:md5")
    ]
    findings = found("reported_trouble", structs.replace(inventory, problems=tuple(told)))
    assert [(one.where, one.because) for one in findings] == [("md", None), ("md:md5", "volume_degraded md:md5")]


def test_a_card_that_warns_for_its_drives_is_folded_under_them() -> None:
    """Where something on it explains the card's status, the card only repeats it."""
    inventory = changed(replayed(P400).inventory, "smartarray:1", {"status": "critical"})
    assert graded(ask("controller_in_trouble", inventory, "smartarray:1")) == "critical"
    inventory = changed(inventory, "smartarray:1/2I:1:1", {"status": "critical"})
    assert ask("controller_in_trouble", inventory, "smartarray:1").because == "drive_failed smartarray:1/2I:1:1"


def test_a_broken_drive_of_an_array_that_is_not_shown_is_critical() -> None:
    """Where the volume of its array was not told, nobody says that it is not lacked."""
    inventory = changed(lsi(DRIVE, status="critical"), VOLUME, {"array": None})
    one = ask("drive_failed", inventory, DRIVE)
    assert one.severity == "critical"
    assert "no volume" not in one.message


def test_cached_io_over_an_untold_battery_is_no_accusation() -> None:
    """Where no battery is told of, it is not said that there is none."""
    inventory = changed(lsi(VOLUME, cache={"io_policy": "cached"}), "megaraid:0", {"batteries": ()})
    one = ask("cached_io", inventory, VOLUME)
    assert one.severity == "info"
    assert "is unknown" in one.message


def test_the_word_of_a_failed_battery_is_said_once() -> None:
    """``Failed (Replace Batteries)``: what is in the brackets is the news."""
    card = "\nSmart Array P411 in Slot 1\n   Controller Status: OK\n"
    text = card + "   Battery/Capacitor Status: Failed (Replace Batteries)\n\n"
    [found, *_] = diagnose(read_text(text).inventory, rules()).findings
    assert "has failed (Replace Batteries):" in found.message
