"""Volumes, their spans and their cache policies in MegaCli's outputs."""

from __future__ import annotations

import pytest

from raidctl.model import RaidLevel, ReadPolicy, VolumeStatus, WritePolicy
from raidctl.vendor.protocol import Document
from raidctl_megaraid import read
from tests.vendors.megaraid.megacli_outputs import (
    CONFIGURATION,
    VOLUME,
    complaints,
    controller_of,
    fields,
    left,
    read_outputs,
    volume,
)


def _level(text: str, depth: str = "1") -> object:
    return volume(f"Virtual Drive: 0 (Target Id: 0)\nRAID Level: {text}\nSpan Depth: {depth}\n").get("raid_level")


def test_all_fields_of_a_virtual_drive_are_read() -> None:
    """All fields are read; GB and TB are binary units."""
    found = volume(VOLUME)
    assert fields(found, "name", "raid_level", "drives_expected") == ("system", "raid1", 2)
    assert fields(found, "size_bytes", "strip_bytes") == (409095634944, 65536)
    assert fields(found, "status", "status_text", "target") == ("ok", "Optimal", 0)
    assert found.details["Mirror Data"] == "381.0 GB"


def test_no_line_of_a_list_of_virtual_drives_is_left() -> None:
    """Each line is a field, a detail or a title."""
    assert left(VOLUME) == []
    assert left(CONFIGURATION) == []


def test_configured_and_active_policy_are_two_fields() -> None:
    """A fallback because of the battery is in the current policy only."""
    found = volume(VOLUME)
    assert fields(found, "write_configured", "write_current") == ("protected_write_back", "write_through")
    assert fields(found, "cache.read_policy", "cache.io_policy", "cache.drive_write_cache") == (
        "adaptive", "direct", "default",
    )  # fmt: skip
    assert found.get("bad_bbu") is False


@pytest.mark.parametrize(
    ("words", "policy", "bad"),
    [
        ("WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU", "protected_write_back", False),
        ("WriteBack, ReadAdaptive, Direct, Write Cache OK if Bad BBU", "unprotected_write_back", True),
        ("WriteBack,ReadAdaptive, Direct,No Write Cacheif Bad BBU", "protected_write_back", False),
        ("ForcedWriteBack, ReadAhead, Cached, No Write Cache if Bad BBU", "unprotected_write_back", False),
        ("WriteThrough, ReadAheadNone, Direct, Write Cache OK if Bad BBU", "write_through", True),
    ],
)
def test_the_words_of_the_write_policy(words: str, policy: WritePolicy, bad: bool) -> None:
    """Write-back that is allowed with a bad battery is unprotected."""
    found = volume(f"Virtual Drive: 0 (Target Id: 0)\nDefault Cache Policy: {words}\n")
    assert fields(found, "write_configured", "bad_bbu") == (policy, bad)


@pytest.mark.parametrize(
    ("words", "policy"), [("ReadAheadNone", "none"), ("ReadAhead", "read_ahead"), ("ReadAdaptive", "adaptive")]
)
def test_the_words_of_the_read_policy(words: str, policy: ReadPolicy) -> None:
    """Each read policy is known, including the adaptive one of old versions."""
    found = volume(f"Virtual Drive: 0 (Target Id: 0)\nCurrent Cache Policy: WriteThrough, {words}, Cached\n")
    assert fields(found, "cache.read_policy", "cache.io_policy") == (policy, "cached")


def test_a_policy_that_was_cut_is_not_guessed() -> None:
    """Write-back without its battery clause is unknown, a detail and a problem."""
    found = volume("Virtual Drive: 0 (Target Id: 0)\nDefault Cache Policy: WriteBack, ReadAdaptive\n")
    assert found.get("write_configured") is None
    assert found.details["Default Cache Policy"] == "WriteBack, ReadAdaptive"
    assert complaints(found, "unread")


def test_an_unknown_policy_word_is_unread() -> None:
    """An unknown word is a problem. The other words of the policy are read."""
    found = volume("Virtual Drive: 0 (Target Id: 0)\nCurrent Cache Policy: WriteThrough, ReadSideways, Direct\n")
    assert fields(found, "write_current", "cache.io_policy", "cache.read_policy") == ("write_through", "direct", None)
    assert complaints(found, "unread") == ["The tool's Current Cache Policy 'ReadSideways' was not understood."]


@pytest.mark.parametrize(
    ("numbers", "depth", "expected"),
    [
        ("Primary-0, Secondary-0, RAID Level Qualifier-0", "1", "raid0"),
        ("Primary-1, Secondary-0, RAID Level Qualifier-0", "1", "raid1"),
        ("Primary-1, Secondary-0, RAID Level Qualifier-0", "4", "raid10"),
        ("Primary-1, Secondary-3, RAID Level Qualifier-0", "3", "raid10"),
        ("Primary-5, Secondary-0, RAID Level Qualifier-3", "1", "raid5"),
        ("Primary-5, Secondary-0, RAID Level Qualifier-3", "2", "raid50"),
        ("Primary-5, Secondary-3, RAID Level Qualifier-3", "2", "raid50"),
        ("Primary-6, Secondary-0, RAID Level Qualifier-3", "1", "raid6"),
        ("Primary-6, Secondary-3, RAID Level Qualifier-3", "2", "raid60"),
        ("Primary-0, Secondary-3, RAID Level Qualifier-0", "2", "raid0"),
        ("Primary-17, Secondary-0, RAID Level Qualifier-0", "1", "raid1e"),
        ("Primary-1,Secondary-0, RAID LevelQualifier-0", "2", "raid10"),
    ],
)
def test_the_numbers_of_a_raid_level(numbers: str, depth: str, expected: RaidLevel) -> None:
    """The numbers and the span depth give the level."""
    assert _level(numbers, depth) == expected


def test_a_level_without_its_span_depth_is_not_guessed() -> None:
    """Without the span depth, the level is None. RAID 1 could be RAID 10."""
    found = volume("Virtual Drive: 0 (Target Id: 0)\nRAID Level: Primary-1, Secondary-0, RAID Level Qualifier-0\n")
    assert found.get("raid_level") is None
    assert "RAID Level" in found.details


def test_an_unknown_level_is_unread() -> None:
    """An unknown level is ``unknown``, and a problem."""
    found = volume("Virtual Drive: 0 (Target Id: 0)\nRAID Level: Primary-77, Secondary-0, RAID Level Qualifier-0\n")
    assert found.get("raid_level") == "unknown"
    assert complaints(found, "unread")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Optimal", "ok"), ("Degraded", "degraded"), ("Partially Degraded", "degraded"), ("Offline", "offline"),
        ("Sideways", "unknown"),
    ],
)  # fmt: skip
def test_the_states_of_a_virtual_drive(words: str, status: VolumeStatus) -> None:
    """Each state is known; any other is unknown, and a problem."""
    found = volume(f"Virtual Drive: 0 (Target Id: 0)\nState: {words}\n")
    assert fields(found, "status", "status_text") == (status, words)
    assert bool(complaints(found, "unread")) == (status == "unknown")


def test_virtual_drives_are_identified_by_target_id() -> None:
    """Each disk group counts its virtual drives from 0. The target id is unique."""
    found = controller_of(CONFIGURATION)
    assert list(found.volumes) == ["3", "4"]
    assert [item.get("array") for item in found.volumes.values()] == ["0", "1"]
    assert found.volumes["3"].details["SCSI target"] == "2:3:0"
    assert found.volumes["3"].details["Virtual Drive"] == "0"


def test_the_spans_of_a_disk_group_hold_its_drives() -> None:
    """The drives of all spans are members of the array."""
    found = controller_of(CONFIGURATION)
    assert list(found.array("0").members) == ["252:0", "252:1", "252:2", "252:3"]
    assert list(found.array("1").members) == [":5"]
    assert found.volumes["3"].get("drives_expected") == 4


def test_an_operation_under_way() -> None:
    """A check is read with its percentage. The next label is not an operation."""
    found = controller_of(CONFIGURATION).volumes["3"]
    assert fields(found, "progress.operation", "progress.percent", "status") == ("check", 17.0, "checking")
    assert found.details["Ongoing Check Consistency"] == "Completed 17%, Taken 55 min."
    assert found.details["Encryption Type"] == "None"


@pytest.mark.parametrize(
    ("words", "operation", "status"),
    [
        ("Background Initialization", "parity", "initializing"),
        ("Initialization", "initialize", "initializing"),
        ("Reconstruction", "migrate", "migrating"),
    ],
)
def test_the_operations_of_virtual_drives(words: str, operation: str, status: str) -> None:
    """Each operation gives an optimal volume its status."""
    found = volume(
        "Virtual Drive: 0 (Target Id: 0)\nState: Optimal\n"
        f"Ongoing Progresses:\n  {words} : Completed 7%, Taken 1 min.\n"
    )
    assert fields(found, "progress.operation", "progress.percent", "status") == (operation, 7.0, status)


def test_the_progress_command() -> None:
    """A sentence gives operation and percentage. A volume with nothing in progress has neither."""
    found = controller_of(
        "Check Consistency on VD #1 (target id #1) Completed 8% in 18 Minutes.\n"
        "Check Consistency on VD #0 is not in Progress.\n\nExit Code: 0x00\n"
    )
    assert list(found.volumes) == ["1"]
    assert fields(found.volumes["1"], "progress.operation", "progress.percent") == ("check", 8.0)


def test_bad_blocks_are_a_problem() -> None:
    """``Bad Blocks Exist: Yes`` is a problem, ``No`` is none. Another word is not understood."""
    assert complaints(volume(VOLUME), "state") == complaints(volume(VOLUME), "unread") == []
    assert complaints(volume(VOLUME.replace("Exist: No", "Exist: Some")), "unread")
    assert complaints(volume(VOLUME.replace("Exist: No", "Exist: Yes")), "state")


def test_a_pool_of_cachecade_is_no_device() -> None:
    """A CacheCade volume has no SCSI target. The kernel does not see it."""
    found = volume(
        "CacheCade Virtual Drive: 1 (Target Id: 1)\nVirtual Drive Type: CacheCade\nName:pool\nSize:512.0 GB\n"
    )
    assert fields(found, "name", "size_bytes") == ("pool", 512 * 1024**3)
    assert "SCSI target" not in found.details


def test_the_property_command_gives_the_configured_policy() -> None:
    """``-LDGetProp`` gives the configured policy; the active one is unknown."""
    found = controller_of(
        "Adapter 0-VD 1(target id: 1): Cache Policy:WriteBack, ReadAheadNone, Cached, No Write Cache if bad BBU\n"
        "Adapter 0-VD 1(target id: 1): Disk Write Cache : Disabled\n\nExit Code: 0x00\n"
    ).volumes["1"]
    assert fields(found, "write_configured", "write_current") == ("protected_write_back", None)
    assert fields(found, "cache.read_policy", "cache.io_policy") == ("none", "cached")
    assert found.get("cache.drive_write_cache") == "disabled"


def test_a_label_that_runs_into_the_next() -> None:
    """The next label follows an empty name without its line end."""
    found = volume(
        "Virtual Drive: 1 (Target Id: 1)\n"
        "Name                :RAID Level          : Primary-1,Secondary-0, RAID LevelQualifier-0\n"
        "Span Depth          : 8\n"
    )
    assert fields(found, "name", "raid_level") == (None, "raid10")


def test_a_controller_without_virtual_drives() -> None:
    """An empty list is not a problem."""
    text = "Adapter 0 -- Virtual Drive Information:\nAdapter 0: No Virtual Drive Configured.\n\nExit Code: 0x00\n"
    controllers, _, problems = read_outputs(text)
    assert controllers.by_number["0"].volumes == {}
    assert problems == []
    assert left(text) == []


@pytest.mark.parametrize("later", [False, True])
def test_a_check_in_one_output_does_not_hide_a_degraded_state_in_another(*, later: bool) -> None:
    """A volume that one of two outputs calls degraded is degraded, while the other shows its check."""
    checked = VOLUME.replace(
        "Is VD Cached", "Ongoing Progresses:\n  Check Consistency : Completed 17%, Taken 55 min.\nIs VD Cached"
    )
    degraded = VOLUME.replace("State               : Optimal", "State               : Degraded")
    texts = (checked, degraded) if later else (degraded, checked)
    [controller] = read(
        [Document(f"ldinfo-{number}.txt", "megacli", text) for number, text in enumerate(texts)]
    ).controllers
    assert [(volume.status, volume.status_text) for volume in controller.volumes] == [("degraded", "Degraded")]
