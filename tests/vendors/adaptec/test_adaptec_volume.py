"""Logical devices, arrays, segments and their caching."""

from __future__ import annotations

import pytest

from raidctl.model import RaidLevel, VolumeCache, VolumeStatus, WriteActive, WritePolicy
from raidctl.model.write_protection import derived
from tests.support.judged import conditions
from tests.vendors.adaptec.adaptec_outputs import (
    controller_of,
    drive_text,
    found,
    left,
    machine,
    part,
    pqi,
    volume_of,
    volume_text,
)

NO_BATTERY = part("Controller Battery Information", {"Status": "Failed"})


def cache(text: str) -> VolumeCache:
    """The cache of the first volume."""
    reported = volume_of(text).cache
    assert reported is not None
    return reported


def test_a_volume_is_read() -> None:
    """Name, level, size in binary units and strip size are read."""
    volume = volume_of(machine())
    assert (volume.id, volume.name, volume.raid_level, volume.status) == ("adaptec:1/v0", "store", "raid1", "ok")
    assert (volume.size_bytes, volume.strip_bytes) == (953334 * 1024**2, 256 * 1024)
    assert (volume.drives_expected, volume.drives_active) == (2, 2)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("0", "raid0"), ("1E", "raid1e"), ("5EE", "raid5"), ("6 Reed-Solomon", "raid6"), ("10", "raid10"),
        ("50", "raid50"), ("60", "raid60"), ("Simple_volume", "jbod"), ("Spanned volume", "linear"),
        ("1(ADM)", "raid1t"), ("10 Triple", "raid10t"),
        ("1Triple", "raid1t"), ("10(Triple)", "raid10t"), ("Hybrid 1", "raid1"), ("Hybrid RAID 10", "raid10"),
        ("RAID_Volume", "linear"),
    ],
)  # fmt: skip
def test_a_level_is_read(text: str, level: RaidLevel) -> None:
    """Every spelling of a RAID level is read."""
    assert volume_of(machine(volumes=[volume_text(0, {"RAID level": text})])).raid_level == level


@pytest.mark.parametrize("remark", [" (Predictive failure)", " (degraded)", ", 1 drive failed"])
def test_a_good_state_with_a_bad_remark_is_not_ok(remark: str) -> None:
    """A remark that names trouble makes the state of a volume unknown, and is a problem."""
    observation = found(machine(volumes=[volume_text(0, {"Status of logical device": f"Optimal{remark}"})]))
    assert observation.controllers[0].volumes[0].status == "unknown"
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/v0"]


def test_an_unknown_level_is_reported() -> None:
    """An unknown level is kept as printed. A problem names the volume."""
    observation = found(machine(volumes=[volume_text(0, {"RAID level": "7 1/2"})]))
    assert observation.controllers[0].volumes[0].details["RAID level"] == "7 1/2"
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/v0"]


@pytest.mark.parametrize(
    ("text", "status", "operation", "percent"),
    [
        ("Optimal", "ok", None, None), ("Okay", "ok", None, None), ("Suboptimal", "degraded", None, None),
        ("Failed", "failed", None, None), ("Offline", "offline", None, None),
        ("Impacted", "checking", None, None), ("Quick initialized", "ok", None, None),
        ("Impacted ( Build/Verify with fix : 90 % )", "checking", "repair", 90.0),
        ("Impacted ( Build/Verify : 3 % )", "checking", "initialize", 3.0),
        ("Degraded ( Rebuild : 12 % )", "rebuilding", "rebuild", 12.0),
        ("Degraded, Rebuilding", "rebuilding", "rebuild", None),
        ("Rebuilding, 55% complete", "rebuilding", "rebuild", 55.0),
        ("Interim Recovery", "degraded", None, None), ("Ready for Rebuild", "degraded", None, None),
    ],
)  # fmt: skip
def test_a_status_is_read(text: str, status: VolumeStatus, operation: str | None, percent: float | None) -> None:
    """A status may include the running operation and its progress."""
    volume = volume_of(machine(volumes=[volume_text(0, {"Status of logical device": text})]))
    assert (volume.status, volume.status_text) == (status, text)
    reported = (volume.progress.operation, volume.progress.percent) if volume.progress else (None, None)
    assert reported == (operation, percent)


def test_a_status_below_no_heading_is_reported() -> None:
    """The status of a volume or array whose line with the number is missing is not a detail of the controller."""
    for text, heading in ((machine(), "Logical Device number 0"), (pqi(), "Array Number 0")):
        [line] = [line for line in text.splitlines() if line.strip().lower() == heading.lower()]
        assert not [problem for problem in found(text).problems if problem.kind == "unread"]
        for cut in (text.replace(f"{line}\n", ""), *([text.partition(line)[2]] if "Logical" in heading else [])):
            kinds = [one.kind for one in found(cut).problems if "without the number" in one.message]
            assert kinds == ["unread"]


def test_an_unknown_status_is_reported() -> None:
    """An unknown status word is reported under the volume."""
    observation = found(machine(volumes=[volume_text(0, {"Status of logical device": "Wistful"})]))
    assert observation.controllers[0].volumes[0].status == "unknown"
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/v0"]


@pytest.mark.parametrize(
    ("setting", "status", "policy", "active"),
    [
        ("On when protected by battery/ZMM", "On", "protected_write_back", "write_back"),
        ("Enabled (write-back) when protected by battery", "On", "protected_write_back", "write_back"),
        ("Enabled (write-back)", "On", "unprotected_write_back", "write_back"),
        ("Enabled", "On (write-back)", "unprotected_write_back", "write_back"),
        ("Disabled (write-through)", "Off", "write_through", "write_through"),
        ("Disabled", "Off", "write_through", "write_through"),
    ],
)
def test_setting_and_status_are_read(setting: str, status: str, policy: WritePolicy, active: WriteActive) -> None:
    """The configured and the active policy are read. With a good ZMM, active write-back is protected."""
    reported = cache(machine(volumes=[volume_text(0, {"Write-cache setting": setting, "Write-cache status": status})]))
    assert (reported.write_policy, reported.write_active) == (policy, active)
    kept = "protected" if active == "write_back" else "not_caching"
    assert (reported.controller_cache, reported.why_not_in_force, reported.read_policy) == (kept, None, "read_ahead")


@pytest.mark.parametrize(
    "setting", ["Enabled (write-back) when protected by battery/ZMM", "On when protected by battery"]
)
def test_a_wrapped_or_torn_setting_keeps_its_condition(setting: str) -> None:
    """``when protected by battery`` on the next line counts. A torn condition leaves the setting unknown."""
    text = machine(volumes=[volume_text(0, {"Write-cache setting": setting})])
    policies = {cache(text.replace(setting, f"{setting[:at]}\n{setting[at + 1 :]}")).write_policy
                for at, letter in enumerate(setting) if letter == " "}  # fmt: skip
    torn = cache(text.replace(setting, setting[: setting.index("protected")].strip())).write_policy
    assert (policies, torn) == ({"protected_write_back"}, None)


def test_a_failed_battery_is_the_reason() -> None:
    """The battery is the reason that write-through is active. Write-back when protected is configured."""
    reported = cache(machine(backup=NO_BATTERY, volumes=[volume_text(0, {"Write-cache status": "Off"})]))
    assert (reported.write_policy, reported.write_active) == ("protected_write_back", "write_through")
    assert reported.why_not_in_force is not None
    assert "battery has failed" in reported.why_not_in_force


def test_an_unexplained_difference_is_called_so() -> None:
    """With a good ZMM, an inactive write-back has no known reason."""
    reported = cache(machine(volumes=[volume_text(0, {"Write-cache status": "Off"})]))
    assert reported.why_not_in_force == "The tool reports no reason."


def test_old_versions_print_a_mode() -> None:
    """``Write-cache mode`` is the active policy."""
    old = volume_text(0, {"Write-cache mode": "Disabled (write-through)"}).replace("Write-cache status", "Other status")
    assert cache(machine(volumes=[old])).write_active == "write_through"


def test_forced_write_back_on_a_failed_battery_is_a_problem() -> None:
    """Unprotected write-back is reported at the volume."""
    text = machine(backup=NO_BATTERY, volumes=[volume_text(0, {"Write-cache setting": "Enabled (write-back)"})])
    assert cache(text).controller_cache == "unprotected"
    assert ("write_back_unprotected", "adaptec:1/v0") in [one.key for one in conditions(found(text))]


def test_without_a_battery_section_the_protection_is_unknown() -> None:
    """Without a battery section the protection of the cache is unknown."""
    text = machine(backup="", volumes=[volume_text(0, {"Write-cache setting": "Enabled"})])
    assert cache(text).controller_cache == "unknown"


def test_drive_caches_make_it_unsafe() -> None:
    """A volume with drive caches on is unprotected. Unwritten data in them is lost with the power."""
    drives = [drive_text(0), drive_text(1, {"Write Cache": "Enabled (write-back)"})]
    [controller] = derived(found(machine(drives=drives)).controllers)
    assert controller.volumes[0].cache is not None
    assert (controller.volumes[0].cache.drive_caches, controller.volumes[0].cache.write_protected) == ("on", False)


def test_the_scsi_target_of_an_aacraid_volume_is_its_number() -> None:
    """The aacraid driver shows a volume on channel 0 under its number."""
    assert volume_of(machine(volumes=[volume_text(3)])).details["SCSI target"] == "0:3:0"
    assert "SCSI target" not in volume_of(pqi()).details


def test_a_smartpqi_volume_names_its_device() -> None:
    """Device, mount points, unique id and array are read."""
    mounts = "/boot 488 MB  Partition Number 1 /srv/a b 17 GB  Partition Number 2"
    volume = volume_of(pqi(volume={"Mount Points": mounts}))
    assert (volume.device, volume.array) == ("/dev/sdb", "adaptec:1/a0")
    assert volume.mountpoints == ("/boot", "/srv/a b")
    assert volume.unique_id == "600508B1001C0102030405060708090A"


@pytest.mark.parametrize(
    ("changes", "backup", "policy", "active", "why"),
    [
        ({}, "Ok", "protected_write_back", "write_back", None),
        ({}, "Recharging", "protected_write_back", "write_through", "charging"),
        ({"No-Battery Write Cache": "Enabled"}, "Recharging", "unprotected_write_back", "write_back", None),
        ({"Cache Status": "Not Configured"}, "Ok", "protected_write_back", "write_through", "not configured"),
        ({"Cache Status": "Temporarily Disabled"}, "Ok", "protected_write_back", "write_through", "Temporarily"),
        ({"Read Cache Percentage": "100 percent", "Write Cache Percentage": "0 percent"}, "Ok",
         "protected_write_back", "write_through", "allocated to reads"),
    ],
)  # fmt: skip
def test_caching_follows_the_cache(
    changes: dict[str, object], backup: str, policy: WritePolicy, active: WriteActive, why: str | None
) -> None:
    """The active policy on smartpqi follows from the cache and its backup."""
    reported = cache(pqi(cache=changes, backup={"Backup Power Status": backup, "Battery/Capacitor Pack Count": 1}))
    assert (reported.write_policy, reported.write_active) == (policy, active)
    assert (reported.why_not_in_force is None) == (why is None)
    assert why is None or why in (reported.why_not_in_force or "")


def test_the_ssd_path_goes_past_the_cache() -> None:
    """With SSD I/O bypass, writes do not use the cache."""
    reported = cache(pqi(volume={"LD Acceleration Method": "SSD I/O Bypass"}))
    assert reported.write_active == "write_through"
    assert "bypass" in (reported.why_not_in_force or "")


@pytest.mark.parametrize(
    "row",
    [
        "Present (0,1) W470AAA1", "Present (Controller:1,Enclosure:0,Slot:1)      W470AAA1",
        "Present (953869MB, SATA, HDD, Enclosure:0, Slot:1) W470AAA1", "Present (Controller:1,Enclosure:0,Slot:1)",
        "Present (953869MB, SATA, HDD, Connector:CN0, Enclosure:0, Slot:1)      *****",
    ],
)  # fmt: skip
def test_a_segment_finds_its_drive(row: str) -> None:
    """Segments name drives by serial number, channel and device, or bay."""
    controller = controller_of(machine(volumes=[volume_text(0, segments=["Present (0,0) W470AAA0", row])]))
    assert controller.arrays[0].drives == ("adaptec:1/0,0", "adaptec:1/0,1")
    assert [drive.array for drive in controller.drives] == ["adaptec:1/a0", "adaptec:1/a0"]


def test_a_missing_segment_counts() -> None:
    """A missing segment leaves one of two drives. The array has a warning."""
    rows = ["Present (0,0) W470AAA0", "Missing"]
    controller = controller_of(machine(volumes=[volume_text(0, {"Status of logical device": "Degraded"}, rows)]))
    assert (controller.volumes[0].drives_expected, controller.volumes[0].drives_active) == (2, 1)
    assert (controller.arrays[0].status, controller.arrays[0].drives) == ("warning", ("adaptec:1/0,0",))


def test_a_rebuilding_segment_is_progress() -> None:
    """A rebuilding segment shows a rebuild without a percentage."""
    rows = ["Present (0,0) W470AAA0", "Rebuilding (0,1) W470AAA1"]
    volume = volume_of(machine(volumes=[volume_text(0, {"Status of logical device": "Degraded"}, rows)]))
    assert volume.status == "rebuilding"
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", None)


def test_volumes_on_the_same_drives_share_an_array() -> None:
    """The shared array has the number of its first volume."""
    controller = controller_of(
        machine({"Logical devices/Failed/Degraded": "2/0/0"}, volumes=[volume_text(0), volume_text(1)])
    )
    assert [array.id for array in controller.arrays] == ["adaptec:1/a0"]
    assert [volume.array for volume in controller.volumes] == ["adaptec:1/a0", "adaptec:1/a0"]


def test_a_drive_of_several_arrays_belongs_to_none_alone() -> None:
    """A drive in two overlapping arrays is assigned to neither."""
    volumes = [volume_text(0), volume_text(1, segments=["Present (0,1) W470AAA1", "Present (0,2) W470AAA2"])]
    controller = controller_of(machine(volumes=volumes, drives=[drive_text(n) for n in range(3)]))
    assert [drive.array for drive in controller.drives] == ["adaptec:1/a0", None, "adaptec:1/a1"]


def test_a_dedicated_spare_names_its_array() -> None:
    """The volume lists its dedicated spare, and the drive names the volume."""
    spare = drive_text(2, {"State": "Dedicated Hot-Spare", "Dedicated Spare for": "logical device 0"})
    volumes = [volume_text(0, {"Dedicated Hot-Spare": "0,2"})]
    controller = controller_of(machine(volumes=volumes, drives=[drive_text(0), drive_text(1), spare]))
    assert controller.arrays[0].spares == ("adaptec:1/0,2",)
    assert (controller.drives[2].role, controller.drives[2].spare_for) == ("spare", ("adaptec:1/a0",))


def test_old_versions_list_channels_and_devices() -> None:
    """The list of drives may continue on the next line."""
    reported = {
        "Logical drive name": "old",
        "RAID level": 6,
        "Status of logical drive": "Okay",
        "Number of segments": 3,
    }
    rows = "\n".join(f"{label} : {value}" for label, value in reported.items())
    text = (
        "Controllers found: 1\n" + "-" * 60 + "\nLogical drive information\n" + "-" * 60 + "\nLogical drive number 1\n"
        f"{rows}\nStripe order (Channel,Device) : 0,0 0,1\n0,2\nDefunct stripes : No\n\nCommand completed successfully."
    )
    controller = controller_of(text)
    assert controller.arrays[0].drives == ("adaptec:1/0,0", "adaptec:1/0,1", "adaptec:1/0,2")
    assert (controller.volumes[0].id, controller.volumes[0].drives_expected) == ("adaptec:1/v1", 3)
    assert left(text) == []


def test_failed_stripes_are_reported() -> None:
    """Failed stripes, whose data are lost, are an error of the volume."""
    problems = found(machine(volumes=[volume_text(0, {"Failed stripes": "Yes"})])).problems
    assert [(p.where, p.severity) for p in problems if "Failed stripes" in p.message] == [("adaptec:1/v0", "error")]
