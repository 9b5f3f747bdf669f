"""Volumes, arrays and their caches in the outputs of HP's tools."""

from __future__ import annotations

import pytest

from raidctl.model import RaidLevel, VolumeCache, VolumeStatus
from tests.support.scripted_tools import unparsed
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER, controller, observed, volume

GIB = 1024**3


def test_the_volumes_fields_are_read() -> None:
    """Sizes of volumes and strips are binary."""
    found = volume(CONTROLLER)
    assert (found.id, found.array, found.name) == ("smartarray:0/v1", "smartarray:0/A", "first")
    assert (found.raid_level, found.size_bytes, found.strip_bytes) == ("raid1", round(279.4 * GIB), 256 * 1024)
    assert (found.device, found.mountpoints) == ("/dev/sda", ("/boot", "/"))
    assert found.unique_id == "600508B1001C00112233445566778899"
    assert (found.status, found.status_text) == ("ok", "OK")


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("0", "raid0"),
        ("1+0", "raid10"),
        ("RAID 5", "raid5"),
        ("6 (ADG)", "raid6"),
        ("50", "raid50"),
        ("5+0", "raid50"),
        ("6+0", "raid60"),
        ("1adm", "raid1t"),
        ("1 (ADM)", "raid1t"),
        ("10adm", "raid10t"),
        ("1+0 (ADM)", "raid10t"),
    ],
)
def test_the_words_of_a_raid_level(words: str, level: RaidLevel) -> None:
    """Each wording of the fault tolerance has a RAID level."""
    found = volume(
        f"Smart Array P410 in Slot 1\n   array A\n      Logical Drive: 1\n         Fault Tolerance: {words}\n"
    )
    assert found.raid_level == level


@pytest.mark.parametrize(
    ("words", "status", "percent"),
    [
        ("OK", "ok", None),
        ("Failed", "failed", None),
        ("Interim Recovery Mode", "degraded", None),
        ("Ready for Rebuild", "degraded", None),
        ("Recovering, 12.5% complete", "rebuilding", 12.5),
        ("Rebuilding", "rebuilding", None),
        ("Expanding, 3% complete", "expanding", 3.0),
        ("Transforming, 99.99% complete", "migrating", 99.99),
    ],
)
def test_the_words_of_a_volume_in_a_list(words: str, status: VolumeStatus, percent: float | None) -> None:
    """The row gives size, level, state and progress, in both formats."""
    for row in (f"(1.8 TB, RAID 6 (ADG), {words})", f"(1.8 TB, RAID 6 (ADG)): {words}"):
        found = volume(f"Smart Array P410 in Slot 1\n   array A\n      logicaldrive 7 {row}\n")
        assert (found.status, found.status_text, found.raid_level) == (status, words, "raid6")
        assert (found.progress.percent if found.progress else None) == percent


def test_parity_initialisation_under_way_is_progress_and_no_fault() -> None:
    """The volume is ok; a queued initialisation is reported as queued."""
    text = "Smart Array P410 in Slot 1\n   array A\n      Logical Drive: 1\n         Status: OK\n"
    going = volume(
        f"{text}         Parity Initialization Status: In Progress\n         Parity Initialization Progress: 23%\n"
    )
    assert going.progress is not None
    assert (going.status, going.progress.operation, going.progress.percent) == ("ok", "parity", 23.0)
    queued = volume(f"{text}         Parity Initialization Status: Queued\n").progress
    assert queued is not None
    assert (queued.operation, queued.state, queued.percent) == ("parity", "queued", None)


@pytest.mark.parametrize("parity", ["Parity Initialization Status: Queued", "Parity Initialization Progress: 23%"])
@pytest.mark.parametrize("first", [True, False])
def test_a_rebuild_does_not_take_the_state_of_the_parity(parity: str, first: bool) -> None:
    """A rebuild has neither the state nor the percentage of the initialization of the parity."""
    lines = ["Status: Recovering", parity]
    text = "\n".join(f"         {line}" for line in (lines if first else lines[::-1]))
    progress = volume(
        f"Smart Array P420i in Slot 0\n   array A\n      Logical Drive: 1\n         Size: 1 GB\n{text}\n"
    ).progress
    assert progress is not None
    assert (progress.operation, progress.state, progress.percent) == ("rebuild", None, None)


def test_two_pairs_in_one_line_are_two() -> None:
    """Some versions print two labels on one line."""
    found = observed(CONTROLLER.replace("/dev/sda\n         Mount Points:", "/dev/sda          Mount Points:"))
    assert found.controllers[0].volumes[0].mountpoints == ("/boot", "/")
    assert found.controllers[0].volumes[0].device == "/dev/sda"
    assert unparsed(found) == []


def test_mount_points_in_the_newer_form() -> None:
    """Sizes and partitions precede the paths, and a block repeats the partitions."""
    found = volume(
        """
        HPE Smart Array P816i-a SR Gen10 in Slot 0 (Embedded)
           Array A
              Logical Drive: 1
                 Mount Points: 1024 MiB Partition   2, 600 MiB Partition   1 /boot, /boot/efi
                 Disk Partition Information
                    Partition   2: Basic, 1024 MiB, /boot
                    Partition   1: Basic, 600 MiB, /boot/efi
                 Logical Drive Label: system
        """
    )
    assert found.mountpoints == ("/boot", "/boot/efi")
    assert found.name == "system"


def cache_of(text: str) -> VolumeCache:
    """The cache of the only volume."""
    found = volume(text).cache
    assert found is not None
    return found


def test_a_cached_volume_behind_a_good_capacitor_is_protected_write_back() -> None:
    """Configured and active policy agree, and unwritten data is protected."""
    assert cache_of(CONTROLLER) == VolumeCache(
        write_policy="protected_write_back",
        write_active="write_back",
        controller_cache="protected",
        drive_write_cache="disabled",
    )


def test_a_volume_without_caching_writes_through() -> None:
    """Without caching there is no unwritten data in the cache."""
    found = cache_of(CONTROLLER.replace("Caching:  Enabled", "Caching:  Disabled"))
    assert (found.write_policy, found.write_active, found.controller_cache) == (
        "write_through",
        "write_through",
        "not_caching",
    )
    assert found.why_not_in_force is None


def test_no_battery_write_cache_is_write_back_without_protection() -> None:
    """With a failed battery it stays write-back and is unprotected."""
    text = CONTROLLER.replace("No-Battery Write Cache: Disabled", "No-Battery Write Cache: Enabled")
    good = cache_of(text)
    assert (good.write_policy, good.write_active, good.controller_cache) == (
        "unprotected_write_back",
        "write_back",
        "protected",
    )
    bad = cache_of(
        text.replace("Battery/Capacitor Status: OK", "Battery/Capacitor Status: Failed (Replace Capacitors)")
    )
    assert (bad.write_active, bad.controller_cache) == ("write_back", "unprotected")
    none = cache_of(text.replace("Battery/Capacitor Count: 1", "Battery/Capacitor Count: 0"))
    assert (none.write_active, none.controller_cache) == ("write_back", "unprotected")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Cache Status: OK", "Cache Status: Temporarily Disabled", "Temporarily Disabled"),
        ("Cache Status: OK", "Cache Status: Not Configured", "not configured"),
        ("Battery/Capacitor Status: OK", "Battery/Capacitor Status: Recharging", "Recharging"),
        ("Capacitor Count: 1\n   Battery/Capacitor Status: OK", "Capacitor Count: 0", "no battery"),
        ("25% Read / 75% Write", "100% Read / 0% Write", "reads"),
        ("Cache Board Present: True", "Cache Board Present: False", "no cache board"),
        ("Method: Controller Cache", "Method: HPE SSD Smart Path", "Smart Path"),
    ],
)
def test_the_reason_for_inactive_write_back_is_shown(old: str, new: str, reason: str) -> None:
    """Each reason that disables the cache is shown, and write-through is active."""
    assert old in CONTROLLER
    found = cache_of(CONTROLLER.replace(old, new))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")
    assert found.why_not_in_force is not None
    assert reason in found.why_not_in_force


def test_the_active_policy_is_unknown_from_a_volume_alone() -> None:
    """Without the controller's cache and battery the active policy is unknown."""
    found = cache_of("Smart Array P410 in Slot 1\n   array A\n      Logical Drive: 1\n         Caching:  Enabled\n")
    assert (found.write_policy, found.write_active, found.controller_cache) == ("protected_write_back", None, "unknown")


def test_the_drives_cache_in_the_newer_wording() -> None:
    """The volumes have the policy of configured drives. The other policy is a detail."""
    text = CONTROLLER.replace(
        "   Drive Write Cache: Disabled\n",
        "   Configured Drive Write Cache Policy: Default\n   Unconfigured Drive Write Cache Policy: Enable\n",
    )
    assert cache_of(text).drive_write_cache == "default"
    assert controller(text).details["Unconfigured Drive Write Cache Policy"] == "Enable"


def test_logical_drives_printed_before_their_array_belong_to_it() -> None:
    """One version prints each logical drive above its array."""
    found = controller(
        """
        Smart Array P410i in Slot 0 (Embedded)    (sn: 5001438012340000)

              logicaldrive 1 (279.4 GB, RAID 1, OK)

           array A (SAS, Unused Space: 0 MB)

              physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 300 GB, OK)

              logicaldrive 2 (558.9 GB, RAID 0, OK)

           array B (SAS, Unused Space: 0 MB)

              physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 600 GB, OK)
        """
    )
    assert [item.array for item in found.volumes] == ["smartarray:0/A", "smartarray:0/B"]
    assert [item.drives for item in found.arrays] == [("smartarray:0/1I:1:1",), ("smartarray:0/1I:1:2",)]


def test_indentation_does_not_matter() -> None:
    """An output without indentation gives the same objects."""
    flat = "\n".join(line.strip() for line in CONTROLLER.splitlines())
    assert observed(flat).controllers == observed(CONTROLLER).controllers


def test_mirror_groups_that_are_indented_wrongly_stay_in_their_volume() -> None:
    """Lines after the mirror groups belong to the volume. The drives belong to its array."""
    found = observed(
        """
        Smart Array P420 in Slot 2
           array A
              Logical Drive: 1
                 Status: OK
              Mirror Group 1:
              physicaldrive 2I:1:7 (port 2I:box 1:bay 7, Solid State SATA, 100 GB, OK)
           Mirror Group 2:
              physicaldrive 2I:1:8 (port 2I:box 1:bay 8, Solid State SATA, 100 GB, OK)
                 Drive Type: Data
                 LD Acceleration Method: Controller Cache
        """
    )
    (only,) = found.controllers
    assert only.volumes[0].details["Mirror Group 2"] == "2I:1:8"
    assert only.volumes[0].details["LD Acceleration Method"] == "Controller Cache"
    assert only.arrays[0].drives == ("smartarray:2/2I:1:7", "smartarray:2/2I:1:8")
    assert unparsed(found) == []


def test_state_and_free_space_of_an_array_are_read() -> None:
    """Both are read from the array's section and from a list."""
    assert controller(CONTROLLER).arrays[0].free_bytes == 2048 * 1024**2
    (failed,) = controller("Smart Array P410 in Slot 1\n   array B (Failed)\n").arrays
    assert (failed.status, failed.status_text) == ("critical", "Failed")
    (listed,) = controller("Smart Array P410 in Slot 1\n   Array A (Solid State SAS, Unused Space: 16  MB)\n").arrays
    assert (listed.free_bytes, listed.details["Interface Type"]) == (16 * 1024**2, "Solid State SAS")


def test_media_errors_belong_to_the_volume_below_the_warning() -> None:
    """The warning is printed above its logical drive."""
    found = observed(
        """
        HPE Smart Array P816i-a SR Gen10 in Slot 0 (Embedded)

           Array B

              logicaldrive 3 (16.00 TB, RAID 6, OK)


        Warning: Unrecoverable Media Errors Detected on Drives during previous Rebuild
        or Background Surface Analysis (ARM) scan.

              logicaldrive 4 (16.00 TB, RAID 6, OK)
        """
    )
    (problem,) = found.problems
    assert (problem.where, problem.kind, problem.severity) == ("smartarray:0/v4", "state", "error")
    assert [item.array for item in found.controllers[0].volumes] == ["smartarray:0/B"] * 2


@pytest.mark.parametrize(("word", "severities"), [("Detected", ["error"]), ("None", []), ("N/A", [])])
def test_media_errors_that_lost_data_are_an_error(word: str, severities: list[str]) -> None:
    """A volume with sectors that cannot be read has lost data."""
    label = f"         Unrecoverable Media Errors: {word}\n         Caching:  Enabled"
    found = observed(CONTROLLER.replace("         Caching:  Enabled", label))
    assert [problem.severity for problem in found.problems] == severities


def test_failed_parity_initialisation_is_a_warning() -> None:
    """``Initialization Failed`` is a warning, and the redundancy left is unknown."""
    status = "         Parity Initialization Status: {}\n         Caching:  Enabled"
    words = ("Initialization Completed", 0), ("Initialization Complete", 0), ("Initialization Failed", 1)
    for word, warned in words:
        found = observed(CONTROLLER.replace("         Caching:  Enabled", status.format(word)))
        progress = found.controllers[0].volumes[0].progress
        assert (len(found.problems), progress is not None) == (warned, bool(warned))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Battery/Capacitor Status: OK", "Battery/Capacitor Status: Failed (Replace Batteries)"),
        ("Battery/Capacitor Count: 1\n   Battery/Capacitor Status: OK", "Battery/Capacitor Count: 0"),
    ],
)
def test_a_cache_that_is_ok_without_its_battery_may_be_in_use(old: str, new: str) -> None:
    """Where no output has the no-battery write cache, the active policy is unknown, and no data is called safe."""
    found = cache_of(CONTROLLER.replace("   No-Battery Write Cache: Disabled\n", "").replace(old, new))
    assert (found.write_active, found.controller_cache, found.why_not_in_force) == (None, "unknown", None)
