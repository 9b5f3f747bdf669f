"""The words of both MegaRAID tools for levels, states and policies."""

from __future__ import annotations

import pytest

from raidctl.model import Health, RaidLevel, Role
from raidctl_megaraid import vocabulary
from tests.support.over import over


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("RAID0", "raid0"), ("RAID-5", "raid5"), ("R6", "raid6"), ("raid 10", "raid10"), ("RAID1E", "raid1e"),
        ("RAID00", "raid0"), ("RAID60", "raid60"), ("JBOD", "jbod"), ("Cac1", "raid1"), ("-", None), ("N/A", None),
    ],
)  # fmt: skip
def test_the_words_of_raid_levels(text: str, level: RaidLevel | None) -> None:
    """All spellings of a level are one level; a dash is None."""
    assert vocabulary.raid_level(text) == level


@pytest.mark.parametrize("text", ["RAID77", "Optl", "RAID", "5", "RAID-" + "5" * 400])
def test_an_unknown_level_is_an_error(text: str) -> None:
    """An unknown level raises ValueError."""
    with pytest.raises(ValueError, match="not a RAID level"):
        vocabulary.raid_level(text)


@over("text, health, role",
    [
        ("Onln", "ok", "member"), ("UGood", "ok", "unassigned"), ("GHS", "ok", "spare"), ("DHS", "ok", "spare"),
        ("JBOD", "ok", "passthrough"), ("UBad", "critical", "failed"), ("Offln", "critical", "failed"),
        ("Failed", "critical", "failed"), ("Rbld", "warning", "member"), ("Cpybck", "warning", "member"),
        ("CBShld", "warning", "member"), ("CFShld", "warning", "member"), ("HSPShld", "warning", "spare"),
        ("UGShld", "warning", "unassigned"), ("UGUnsp", "warning", "unassigned"), ("Sntze", "warning", "unassigned"),
        ("Frgn", "warning", "unassigned"), ("Unconfigured(good)", "ok", "unassigned"),
        ("Unconfigured(bad)", "critical", "failed"), ("Hotspare", "ok", "spare"), ("ConfShld", "warning", "member"),
        ("UConfUnsp", "warning", "unassigned"), ("GHSSntz", "warning", "spare"), ("JBODDgrd", "warning", "passthrough"),
        ("UConfBad", "critical", "failed"),
    ],
)  # fmt: skip
def test_the_words_of_drives(text: str, health: Health, role: Role) -> None:
    """A spare and a free good drive are ok. One that is tested, filled or erased is a warning."""
    assert vocabulary.drive_state(text) == (health, role)


@pytest.mark.parametrize(
    "look_up", [vocabulary.volume_state, vocabulary.group_state, vocabulary.drive_state, vocabulary.drive_status]
)
def test_an_unknown_state_is_none(look_up: object) -> None:
    """An unknown state is None."""
    assert callable(look_up)
    assert look_up("Dancing") is None


def test_every_operation_that_changes_the_status_has_a_name() -> None:
    """Every operation that gives a volume its status is known. Any other is ``unknown``."""
    words = ("CC", "BGI", "Initialization", "Migrate", "OCE", "Rebuild", "Recovery", "Copyback")
    assert {vocabulary.operation(text) for text in words} == set(vocabulary.BUSY_STATUS)
    assert vocabulary.operation("Flush") == "unknown"


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("Disk's Default", "default"), ("Disk\u2019s Default", "default"),
        ("Enabled", "enabled"), ("dsbl", "disabled"), ("Off", "disabled"), ("N/A", None),
    ],
)  # fmt: skip
def test_the_words_of_drive_caches(text: str, policy: str | None) -> None:
    """The topology's short words and the properties' long ones are one setting."""
    assert vocabulary.disk_cache(text) == policy


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("WriteBack", "protected_write_back"), ("WriteThrough", "write_through"), ("Write Through", "write_through"),
        ("AlwaysWriteBack", "unprotected_write_back"), ("Always Write Back", "unprotected_write_back"), ("-", None),
    ],
)  # fmt: skip
def test_the_words_of_write_policies(text: str, policy: str | None) -> None:
    """Always write back is unprotected."""
    assert vocabulary.write_policy(text) == policy


def test_words_of_reading_and_of_io() -> None:
    """Each word of MegaCli's cache policy is known. An unknown one raises ValueError."""
    assert [vocabulary.read_policy(text) for text in ("ReadAheadNone", "ReadAhead", "ReadAdaptive")] == [
        "none", "read_ahead", "adaptive",
    ]  # fmt: skip
    assert [vocabulary.io_policy(text) for text in ("Direct", "Cached", "-")] == ["direct", "cached", None]
    with pytest.raises(ValueError, match="IO policy"):
        vocabulary.io_policy("Sideways")


def test_media_and_interfaces() -> None:
    """Words of both dialects are known; a dash is None."""
    assert [vocabulary.media(text) for text in ("HDD", "Solid State Device", "-")] == ["hdd", "ssd", None]
    assert [vocabulary.interface(text) for text in ("SAS", "NVMe", "Parallel SCSI", "")] == [
        "sas",
        "nvme",
        "scsi",
        None,
    ]


def test_switches() -> None:
    """On and off are enabled and disabled."""
    assert [vocabulary.switch(text) for text in ("On", "Disabled", "N/A")] == ["enabled", "disabled", None]
