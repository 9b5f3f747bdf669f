"""The values of DMTF's schemas and of vendors' extensions.

The schemas are Volume, Drive, Resource and StorageController.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.survey.survey import Survey
from tests.support.conclusions import anything_unread, only_controller, read_text
from tests.vendors.redfish.damaged_machines import resources, seen_with

_MACHINE = "redfish-ilo6-failed-capacitor"
_VOLUME = "/redfish/v1/Systems/1/Storage/DE00C000/Volumes/239"
_DRIVE = "/redfish/v1/Chassis/DE00C000/Drives/1"


def _seen(path: str, **changes: Any) -> Survey:
    value = {**resources(_MACHINE)[path], **changes}
    return seen_with(_MACHINE, {path: {name: one for name, one in value.items() if one is not ...}})


@pytest.mark.parametrize(
    ("word", "level"),
    [("RAID0", "raid0"), ("RAID1", "raid1"), ("RAID1E", "raid1e"), ("RAID4", "raid4"), ("RAID5", "raid5"),
     ("RAID6", "raid6"), ("RAID10", "raid10"), ("RAID10E", "raid10"), ("RAID50", "raid50"), ("RAID60", "raid60"),
     ("RAID1Triple", "raid1t"), ("RAID10Triple", "raid10t"), ("None", "jbod"), ("RAID00", None), ("RAID01", None),
     ("RAID3", None), ("RAID6TP", None)],
)  # fmt: skip
def test_every_level_of_the_schema(word: str, level: str | None) -> None:
    """Every level is known; one without a neutral name is a note."""
    seen = _seen(_VOLUME, RAIDType=word)
    assert [volume.raid_level for volume in only_controller(seen).volumes] == [level]
    assert any(word in problem.message for problem in seen.inventory.problems) == (level is None)
    assert not anything_unread(seen)


@pytest.mark.parametrize(
    ("state", "status"),
    [("Enabled", "ok"), ("Disabled", "ok"), ("Degraded", "warning"), ("UnavailableOffline", "warning"),
     ("Updating", "unknown")],
)  # fmt: skip
def test_the_state_of_a_cache_qualifies_its_good_health(state: str, status: str) -> None:
    """A cache whose health is OK is not good in a state in which it does not work."""
    machine, path = "redfish-supermicro-x12", "/redfish/v1/Systems/1/Storage/HBA0/Controllers/0"
    resource = resources(machine)[path]
    summary = {**resource["CacheSummary"], "Status": {"Health": "OK", "State": state}}
    seen = seen_with(machine, {path: {**resource, "CacheSummary": summary}})
    cache = only_controller(seen).cache
    assert cache is not None
    assert cache.status == status
    assert anything_unread(seen) == (status == "unknown")


@pytest.mark.parametrize(("size", "present"), [(0, False), (None, False), (8192, True)])
def test_a_cache_that_is_absent_is_none(size: int | None, *, present: bool) -> None:
    """A good health of an absent cache is not a problem. A size beside it contradicts it: the state is unknown."""
    machine, path = "redfish-supermicro-x12", "/redfish/v1/Systems/1/Storage/HBA0/Controllers/0"
    summary = {"TotalCacheSizeMiB": size, "Status": {"Health": "OK", "State": "Absent"}}
    seen = seen_with(machine, {path: {**resources(machine)[path], "CacheSummary": summary}})
    cache = only_controller(seen).cache
    assert cache is not None
    assert (cache.present, cache.status) == (present, "unknown" if present else None)
    assert anything_unread(seen) == present


@pytest.mark.parametrize(
    ("state", "count"), [("Enabled", 0), ("Disabled", 0), ("Degraded", 1), ("UnavailableOffline", 1)]
)
def test_a_storage_in_a_bad_state_is_a_problem_beside_good_parts(state: str, count: int) -> None:
    """The state of the storage may be bad although its health and all parts are good."""
    machine, path = "redfish-supermicro-x12", "/redfish/v1/Systems/1/Storage/HBA0"
    resource = resources(machine)[path]
    seen = seen_with(machine, {path: {**resource, "Status": {**resource["Status"], "State": state}}})
    problems = [one for one in seen.inventory.problems if "of the storage" in one.message]
    assert [one.kind for one in problems] == ["state"] * count
    assert all(one.message == f"The BMC reports the state {state} of the storage." for one in problems)


def test_a_level_that_no_schema_has_is_unread() -> None:
    """A level of no schema is unknown, and a problem."""
    seen = _seen(_VOLUME, RAIDType="RAID99")
    assert [volume.raid_level for volume in only_controller(seen).volumes] == [None]
    assert anything_unread(seen)


@pytest.mark.parametrize(
    ("word", "level"),
    [("Mirrored", "raid1"), ("SpannedMirrors", "raid10"), ("RawDevice", "jbod"), ("StripedWithParity", None),
     ("SpannedStripesWithParity", None), ("NonRedundant", None)],
)  # fmt: skip
def test_the_type_of_a_volume_before_there_were_levels(word: str, level: str | None) -> None:
    """Older schemas' VolumeType gives a level only if it has one meaning."""
    links = {"Drives": [{"@odata.id": _DRIVE}, {"@odata.id": _DRIVE.replace("/1", "/2")}]}
    seen = _seen(_VOLUME, RAIDType=..., VolumeType=word, Links=links)
    assert [volume.raid_level for volume in only_controller(seen).volumes] == [level]


@pytest.mark.parametrize(
    ("health", "state", "status"),
    [
        ("OK", "Enabled", "ok"), ("OK", "Degraded", "degraded"), ("Warning", "Enabled", "degraded"),
        ("Critical", "Enabled", "failed"), ("OK", "UnavailableOffline", "offline"), ("OK", "Disabled", "offline"),
        ("OK", "StandbyOffline", "offline"), ("OK", "Starting", "unknown"), ("OK", "InTest", "unknown"),
        ("OK", "Quiesced", "unknown"), ("OK", "Updating", "unknown"), ("OK", "Deferring", "unknown"),
        ("OK", "Absent", "unknown"), ("OK", "Bewildered", "unknown"), ("Bewildered", "Enabled", "unknown"),
        (None, "Enabled", "unknown"), ("OK", None, "unknown"),
    ],
)  # fmt: skip
def test_health_and_state_of_a_volume(health: str | None, state: str | None, status: str) -> None:
    """Only health OK and state Enabled are ok. An unknown word is unknown, and a problem."""
    seen = _seen(_VOLUME, Status={"Health": health, "State": state})
    assert [volume.status for volume in only_controller(seen).volumes] == [status]
    assert anything_unread(seen) == (status == "unknown")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "ok"),
        ({"FailurePredicted": True}, "warning"),
        ({"EncryptionStatus": "Unlocked"}, "ok"),
        ({"EncryptionStatus": "Locked"}, "warning"),
        ({"EncryptionStatus": "Foreign"}, "warning"),
        ({"StatusIndicator": "Fail"}, "critical"),
        ({"StatusIndicator": "Rebuild"}, "warning"),
        ({"StatusIndicator": "PredictiveFailureAnalysis"}, "warning"),
        ({"StatusIndicator": "Hotspare"}, "ok"),
        ({"StatusIndicator": "InACriticalArray"}, "warning"),
        ({"StatusIndicator": "InAFailedArray"}, "critical"),
        ({"StatusIndicator": "Bewildered"}, "unknown"),
        ({"Oem": {"Lenovo": {"DriveStatus": "UnconfiguredBad"}}}, "critical"),
        ({"Oem": {"Maker": {"Own": {"PdState": "Failed"}}}}, "critical"),
        ({"Oem": {"Maker": {"PdState": "Online"}}}, "ok"),
        ({"Oem": {"Lenovo": {"DriveStatus": "Unconfigured Good"}}}, "ok"),
        ({"Oem": {"Maker": {"PdState": "Unconfigured(Good)"}}}, "ok"),
        ({"Oem": {"Maker": {"DriveStatus": "Global Spare"}}}, "ok"),
        ({"Oem": {"Maker": {"DriveStatus": "Non-RAID"}}}, "ok"),
        ({"Oem": {"Lenovo": {"DriveStatus": "Failed drive"}}}, "unknown"),
        ({"Oem": {"Lenovo": {"DriveStatus": "Bewildered"}}}, "unknown"),
        ({"Oem": {"Maker": {"ShippingStatus": "Bewildered"}}}, "ok"),
        ({"Oem": {"Maker": {"SecurityStatus": "Failed", "PowerState": "Offline"}}}, "ok"),
        ({"Operations": [{"OperationName": "Rebuild", "PercentageComplete": 42}]}, "warning"),
        ({"Operations": [{"OperationName": "Sanitize", "PercentageComplete": 42}]}, "ok"),
        ({"Status": {"Health": "OK", "State": "Degraded"}}, "warning"),
        ({"Status": {"Health": "OK", "State": "StandbySpare"}}, "ok"),
        ({"Status": {"Health": "OK", "State": "InTest"}}, "unknown"),
    ],
)
def test_what_else_a_drive_reports(changes: dict[str, Any], status: str) -> None:
    """A drive's other values can each make it worse than its health."""
    base = {"Status": {"Health": "OK", "State": "Enabled"}, "StatusIndicator": "OK", "FailurePredicted": False}
    found = {
        drive.id.rpartition("/")[2]: drive.status
        for drive in only_controller(_seen(_DRIVE, **{**base, **changes})).drives
    }
    assert found["1"] == status


@pytest.mark.parametrize("operations", [{"OperationName": "Rebuild"}, "Rebuild", 7, [None], ["Rebuild"]])
@pytest.mark.parametrize("changed", [_VOLUME, _DRIVE])
def test_operations_in_another_form_are_reported(changed: str, operations: object) -> None:
    """Whether a volume or a drive is being rebuilt is then unknown."""
    problems = _seen(changed, Operations=operations).inventory.problems
    assert [one.message for one in problems if one.kind == "unread" and "Operations" in one.message]


_BMC = "redfish-xcc-930-8i"
_STORAGE = "/redfish/v1/Systems/1/Storage/RAID_Slot1"
_BATTERY = "/redfish/v1/Chassis/1/PowerSubsystem/Batteries/RAID_Slot1"


@pytest.mark.parametrize(
    ("health", "state", "status"),
    [("OK", "Enabled", "ok"), ("OK", None, "ok"), ("OK", "Degraded", "warning"), ("OK", "Disabled", "ok"),
     ("OK", "UnavailableOffline", "unknown"), ("OK", "Bewildered", "unknown"),
     ("Bewildered", "Enabled", "unknown"), ("Warning", "Disabled", "warning"),
     ("Critical", "Enabled", "critical"), (None, "Enabled", "ok"), (None, "Absent", "ok"),
     (None, "UnavailableOffline", "unknown"), (None, "Degraded", "warning")],
)  # fmt: skip
def test_health_and_state_of_a_controller(health: str | None, state: str | None, status: str) -> None:
    """The health of Storage does not hide a controller's unknown health or bad state.

    One that is disabled is as it reports.
    """
    value = {**resources(_BMC)[_STORAGE], "Status": {"Health": "OK"}}
    value["StorageControllers"][0]["Status"] = {"Health": health, "State": state}
    seen = seen_with(_BMC, {_STORAGE: value})
    [controller] = [one for one in seen.inventory.controllers if one.id == "redfish:RAID_Slot1"]
    assert controller.status == status


@pytest.mark.parametrize("state", ["UnavailableOffline", "Degraded", "Starting"])
def test_the_bad_health_of_storage_counts_beside_a_state_without_a_health(state: str) -> None:
    """A controller whose Storage is critical is critical, whatever its state alone would mean."""
    value = {**resources(_BMC)[_STORAGE], "Status": {"Health": "Critical"}}
    value["StorageControllers"][0]["Status"] = {"Health": None, "State": state}
    seen = seen_with(_BMC, {_STORAGE: value})
    [controller] = [one for one in seen.inventory.controllers if one.id == "redfish:RAID_Slot1"]
    assert controller.status == "critical"


@pytest.mark.parametrize(
    ("health", "state", "status"),
    [("OK", "Enabled", "ok"), ("OK", "Degraded", "degraded"), ("OK", "Disabled", "failed"),
     ("OK", "UnavailableOffline", "failed"), ("OK", "Absent", "missing"), ("OK", "Bewildered", "unknown"),
     ("Critical", "Enabled", "failed")],
)  # fmt: skip
def test_health_and_state_of_a_battery(health: str, state: str, status: str) -> None:
    """A disabled battery with health OK protects nothing, and has failed."""
    value = {**resources(_BMC)[_BATTERY], "Status": {"Health": health, "State": state}}
    seen = seen_with(_BMC, {_BATTERY: value})
    assert [one.status for controller in seen.inventory.controllers for one in controller.batteries] == [status]


def test_a_kind_of_spare_that_no_schema_has_is_unread() -> None:
    """A HotspareType of no schema is a problem."""
    assert anything_unread(_seen(_DRIVE, HotspareType="Bewildered"))


@pytest.mark.parametrize("word", ["Global", "Chassis", "Dedicated"])
def test_spares(word: str) -> None:
    """Each kind of spare drive has the role of a spare."""
    roles = [
        drive.role for drive in only_controller(_seen(_DRIVE, HotspareType=word)).drives if drive.id.endswith("/1")
    ]
    assert roles == ["spare"]


@pytest.mark.parametrize(
    ("word", "operation", "status"),
    [("Rebuild", "rebuild", "rebuilding"), ("CheckConsistency", "check", "checking"),
     ("ChangeRAIDType", "migrate", "migrating"),
     ("ChangeStripSize", "migrate", "migrating"), ("Initialize", "initialize", "initializing"),
     ("Resize", "expand", "expanding"), ("Deduplicate", "unknown", "ok")],
)  # fmt: skip
def test_operations_of_the_schema(word: str, operation: str, status: str) -> None:
    """Each ``Operation`` gives the volume's status and progress."""
    work = [{"Operation": word, "PercentageComplete": 42}]
    [volume] = only_controller(_seen(_VOLUME, Status={"Health": "OK", "State": "Enabled"}, Operations=work)).volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent, volume.status) == (operation, 42, status)


@pytest.mark.parametrize(
    ("words", "operation", "status"),
    [
        (("CheckConsistency", "Rebuild"), "rebuild", "rebuilding"),
        (("Rebuild", "CheckConsistency"), "rebuild", "rebuilding"),
        (("CheckConsistency", "Resynchronize"), "unknown", "ok"),
    ],
)
def test_the_worst_of_several_operations_counts(words: tuple[str, ...], operation: str, status: str) -> None:
    """Their order does not matter."""
    work = [{"OperationName": word, "PercentageComplete": 12} for word in words]
    [volume] = only_controller(_seen(_VOLUME, Status={"Health": "OK", "State": "Enabled"}, Operations=work)).volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.status) == (operation, status)


def test_what_a_volume_survives_is_unknown_during_an_operation_that_is_not_known() -> None:
    """``Resynchronize``, a word of no schema, may mean that a member is not current: it is a problem."""
    seen = _seen(_VOLUME, Status={"Health": "OK", "State": "Enabled"}, Operations=[{"OperationName": "Resynchronize"}])
    assert [volume.failures_tolerated for volume in only_controller(seen).volumes] == [None]
    assert anything_unread(seen)


@pytest.mark.parametrize(
    ("policy", "state", "expected"),
    [
        ("WriteBackWithBBU", "Optimal", ("protected_write_back", "ok")),
        ("WriteBack", "Optimal", ("unprotected_write_back", "ok")),
        ("WriteThrough", "Degraded", ("write_through", "degraded")),
        ("WriteThrough", "Partially degraded", ("write_through", "degraded")),
        ("WriteThrough", "Recovering", ("write_through", "rebuilding")),
        ("Sometimes", "Bewildered", (None, "unknown")),
    ],
)
def test_volumes_of_huawei(policy: str, state: str, expected: tuple[str | None, str]) -> None:
    """Level, policy and state come from Huawei's extension, below ``Storages``."""
    own = {"VolumeRaidLevel": "RAID1", "DefaultWritePolicy": policy, "State": state}
    value = resources(_MACHINE)
    renamed = {
        path: _renamed(
            {**one, "Oem": {"Huawei": own}, "RAIDType": None, "WriteCachePolicy": None} if path == _VOLUME else one
        )
        for path, one in value.items()
    }
    seen = seen_with(_MACHINE, {path.replace("/Storage/", "/Storages/"): one for path, one in renamed.items()})
    [volume] = only_controller(seen).volumes
    assert volume.cache is not None
    assert volume.raid_level == "raid1"
    assert (volume.cache.write_policy, volume.status) == expected


def _renamed(value: Any) -> Any:
    """The value with its links below ``Storages``."""
    if isinstance(value, dict):
        return {name: _renamed(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one) for one in value]
    return value.replace("/Storage/", "/Storages/") if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("rollup", "spare", "severity"),
    [
        ("OK", "OK", None), ("Warning", "OK", "warning"), ("Critical", "OK", "error"), ("Warning", "Warning", None),
        ("Critical", "Warning", "error"), ("Critical", "Critical", None),
    ],
)  # fmt: skip
def test_a_bad_health_rollup_without_a_bad_part_is_a_problem(rollup: str, spare: str, severity: str | None) -> None:
    """``HealthRollup``: a part that the BMC does not list is worse than each part that it lists."""
    machine, path = "redfish-supermicro-x12", "/redfish/v1/Systems/1/Storage/HBA0"
    [drive] = [one for one in resources(machine) if one.endswith("/Drives/Disk.Bay.4")]
    storage, value = resources(machine)[path], resources(machine)[drive]
    changes = {
        path: {**storage, "Status": {**storage["Status"], "HealthRollup": rollup}},
        drive: {**value, "Status": {**value["Status"], "Health": spare}},
    }
    seen = seen_with(machine, changes)
    found = [one.severity for one in seen.inventory.problems if "all parts together" in one.message]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize(("health", "severity"), [("OK", None), ("Warning", "warning"), ("Critical", "error")])
def test_a_bad_health_of_storage_beside_good_controllers_counts(health: str, severity: str | None) -> None:
    """A bad ``Status.Health`` of Storage is a problem beside good parts."""
    machine, path = "redfish-supermicro-x12", "/redfish/v1/Systems/1/Storage/HBA0"
    storage = resources(machine)[path]
    seen = seen_with(machine, {path: {**storage, "Status": {"State": "Enabled", "Health": health}}})
    found = [one.severity for one in seen.inventory.problems if "all parts together" in one.message]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize("severity", ["Warning", "Critical"])
@pytest.mark.parametrize("place", ["Status", "Oem"])
def test_whatever_the_bmc_calls_bad_is_a_finding(place: str, severity: str) -> None:
    """``Conditions`` of a ``Status``, and the health in a maker's extension, count beside a good health."""
    bad = {"Conditions": [{"Severity": severity, "Message": "The temperature is too high."}]}
    kinds = ("#Storage.", "#Volume.", "#Drive.", "#StorageController.")
    before = len(seen_with(_MACHINE, {}).inventory.problems)
    for path, value in resources(_MACHINE).items():
        status = value.get("Status", {})
        if not str(value.get("@odata.type")).startswith(kinds) or status.get("State") == "Absent":
            continue
        own = {"Oem": {"Hpe": {"TemperatureStatus": {"Health": severity}}}}
        changed = {**value, **(own if place == "Oem" else {"Status": {**status, **bad}})}
        found = seen_with(_MACHINE, {path: changed}).inventory.problems
        assert len(found) == before + 1, path
        assert ("error" if severity == "Critical" else "warning") in {one.severity for one in found}, path


@pytest.mark.parametrize(
    "word", ["FiftySixDayThreshold", "FivePercentThreshold", "TwoPercentThreshold", "SSDWearOut", "OK"]
)
def test_the_wear_of_a_drive_of_hpe_counts(word: str) -> None:
    """``"WearStatus": "TwoPercentThreshold"`` beside health OK is a warning."""
    seen = _seen(_DRIVE, Oem={"Hpe": {"WearStatus": word}})
    drives = only_controller(seen).drives
    assert ("warning" in {drive.status for drive in drives}) is (word != "OK")


def test_a_volume_is_degraded_if_its_vendors_extension_reports_it() -> None:
    """``"DellVirtualDisk": {"RaidStatus": "Degraded"}`` beside health OK is degraded."""
    for word, status in (("Degraded", "degraded"), ("Rebuilding", "rebuilding"), ("Online", "ok"), ("Healthy", "ok")):
        good = {"Health": "OK", "State": "Enabled"}
        seen = _seen(_VOLUME, Status=good, Oem={"Dell": {"DellVirtualDisk": {"RaidStatus": word}}})
        assert [volume.status for volume in only_controller(seen).volumes] == [status]


def test_an_absent_drive_without_a_health_is_critical() -> None:
    """``"State": "Absent"`` with ``"Health": null`` and a serial number is a missing drive."""
    seen = _seen(_DRIVE, Status={"Health": None, "State": "Absent"})
    [gone] = [drive for drive in only_controller(seen).drives if drive.status != "ok"]
    assert gone.status == "critical"
    assert not anything_unread(seen)


@pytest.mark.parametrize("prompt", ["[root@db ~]# ", "$ ", ""])
def test_resources_that_follow_each_other_in_one_text_are_all_read(prompt: str) -> None:
    """All resources in a terminal's text with several curl calls are read. One that is cut off is a problem."""
    found = {path: one for path, one in resources(_BMC).items() if "RAID_Slot1" in path}
    text = "".join(f"{prompt}curl -sk https://bmc{path}\n{json.dumps(one, indent=1)}\n" for path, one in found.items())
    [controller] = [one for one in read_text(text).inventory.controllers if one.volumes]
    [whole] = [one for one in seen_with(_BMC, {}).inventory.controllers if one.volumes]
    assert [one.id for one in controller.volumes] == [one.id for one in whole.volumes]
    assert [one.id for one in controller.batteries] == [one.id for one in whole.batteries] != []
    assert any("cut off" in problem.message for problem in read_text(text[:-40]).inventory.problems)


def test_an_expanded_collection_is_its_members() -> None:
    """The members of a saved ``GET …/Volumes?$expand=.`` are read."""
    volume = {**resources(_MACHINE)[_VOLUME], "Status": {"Health": "Critical", "State": "Enabled"}}
    path = _VOLUME.rpartition("/")[0]
    kind = "#VolumeCollection.VolumeCollection"
    text = json.dumps({"@odata.id": path, "@odata.type": kind, "Members": [volume]}, indent=1)
    assert [one.status for one in only_controller(read_text(text)).volumes] == ["failed"]


@pytest.mark.parametrize(
    ("extension", "expected"),
    [
        ({"Lenovo": {"Battery": {"ProductName": "SuperCaP", "OperationalStatus": "Operational"}}}, ("ok", "capacitor")),
        ({"Lenovo": {"Battery": {"ProductName": "SuperCaP", "OperationalStatus": "Failed"}}}, ("failed", "capacitor")),
        ({"Lenovo": {"Battery": {"ProductName": "SuperCaP", "OperationalStatus": "Odd"}}}, ("unknown", "capacitor")),
        ({"Huawei": {"CapacitanceStatus": {"Health": "OK", "State": "Enabled"}}}, ("ok", "capacitor")),
        ({"Huawei": {"CapacitanceStatus": {"Health": "Critical", "State": "Enabled"}}}, ("failed", "capacitor")),
        ({"Huawei": {"CapacitanceStatus": {"Health": "OK", "State": "Odd"}}}, ("unknown", "capacitor")),
        ({"Huawei": {"CapacitanceStatus": {"Health": None, "State": "Absent"}}}, ("missing", "capacitor")),
        ({"Huawei": {"CapacitanceStatus": {"Health": None, "State": None}}}, None),
    ],
)
def test_batteries_in_the_extensions_of_lenovo_and_huawei(
    extension: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    """Batteries of older BMCs are read from the controller's vendor extension."""
    value = resources(_BMC)[_STORAGE]
    value["StorageControllers"][0] |= {"Oem": extension, "Links": {}}
    value["Links"] = {**value.get("Links", {}), "Batteries": []}
    seen = seen_with(_BMC, {_STORAGE: value})
    [controller] = [one for one in seen.inventory.controllers if one.id == "redfish:RAID_Slot1"]
    assert [(one.status, one.kind) for one in controller.batteries] == ([expected] if expected else [])


_HPE = "redfish-ilo4-smartstorage"


@pytest.mark.parametrize(
    ("word", "states", "protected"),
    [
        ("Present", ["ok"], "protected"), ("PresentAndCharged", ["ok"], "protected"),
        ("PresentAndCharging", ["ok", "charging"], "unknown"), ("NotPresent", ["ok", "missing"], "unknown"),
        ("Bewildered", ["ok", "unknown"], "unknown"),
    ],
)  # fmt: skip
def test_the_backup_power_of_a_controller_counts_beside_a_good_pack(
    word: str, states: list[str], protected: str
) -> None:
    """A good energy pack of the chassis protects no controller that reports none, or one that is not charged."""
    path = "/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0"
    seen = seen_with(_HPE, {path: {**resources(_HPE)[path], "BackupPowerSourceStatus": word}})
    controller = only_controller(seen)
    assert [one.status for one in controller.batteries] == states
    assert [one.cache.controller_cache for one in controller.volumes if one.cache] == [protected]


def test_a_controller_that_reports_no_cache_lacks_no_battery() -> None:
    """It may have no cache. The energy pack of the chassis does not show that it protects one."""
    path = "/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0"
    cacheless = {name: one for name, one in resources(_HPE)[path].items() if not name.startswith("Cache")}
    controller = only_controller(seen_with(_HPE, {path: {**cacheless, "BackupPowerSourceStatus": "NotPresent"}}))
    assert [one.status for one in controller.batteries] == ["ok"]
    assert {one.cache.controller_cache for one in controller.volumes if one.cache} == {"unknown"}


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("Ok", "ok"), ("Degraded", "degraded"), ("BadConnect", "failed"), ("Overheating", "degraded"),
        ("Failed", "failed"), ("WrongDrive", "failed"), ("Rebuilding", "rebuilding"),
        ("NoAccessEncryptedNoControllerKey", "offline"), ("MultipathAccessDegraded", "degraded"),
        ("Expanding", "expanding"), ("RapidParityInitInProgress", "initializing"), ("NewKeyRekeyInProgress", "ok"),
        ("Bewildered", "unknown"),
    ],
)  # fmt: skip
def test_each_reason_of_a_logical_drive_counts_beside_health_ok(reason: str, status: str) -> None:
    """No word in ``LogicalDriveStatusReasons`` is dropped; one that is not known is unknown, and a problem."""
    [path] = [path for path in resources(_HPE) if path.endswith("/LogicalDrives/1")]
    good = {"Health": "OK", "State": "Enabled"}
    more = {"LogicalDriveStatusReasons": [reason], "RebuildCompletionPercentage": None}
    seen = seen_with(_HPE, {path: {**resources(_HPE)[path], "Status": good, **more}})
    assert [one.status for one in only_controller(seen).volumes] == [status]
    assert anything_unread(seen) == (status == "unknown")


@pytest.mark.parametrize(("word", "status"), [("OK", "ok"), ("Failed", "failed"), ("Bewildered", "unknown")])
def test_the_worse_of_two_words_for_an_energy_pack_counts(word: str, status: str) -> None:
    """``BatteryHealthStatus`` counts beside ``"Status": {"Health": "OK"}``."""
    chassis = json.loads(json.dumps(resources(_HPE)["/redfish/v1/Chassis/1"]))
    chassis["Oem"]["Hp"]["SmartStorageBattery"][0]["BatteryHealthStatus"] = word
    seen = seen_with(_HPE, {"/redfish/v1/Chassis/1": chassis})
    assert [one.status for one in only_controller(seen).batteries] == [status]


def test_a_single_linked_battery_is_read() -> None:
    """``Links.Battery``, one link, is followed like the list ``Links.Batteries``."""
    value = resources(_BMC)[_STORAGE]
    owners = (value, value["StorageControllers"][0])
    [links] = [owner["Links"] for owner in owners if "Batteries" in owner.get("Links", {})]
    links["Battery"] = links.pop("Batteries")[0]
    seen = seen_with(_BMC, {_STORAGE: value})
    assert [one.status for controller in seen.inventory.controllers for one in controller.batteries] == ["ok"]


@pytest.mark.parametrize(
    ("part", "name", "bad"),
    [
        ("", "PinnedCacheState", 1), ("", "ControllerStatus", "Degraded"), ("", "MemoryCorrectableErrors", 10),
        ("", "MemoryUncorrectableErrors", 1), ("Bbu", "IsTemperatureHigh", True), ("Bbu", "IsVoltageLow", True),
        ("Bbu", "CapacitanceInPercent", 20), ("Bbu", "LearnCycleProgressStatus", "Failed"),
    ],
)  # fmt: skip
def test_what_cisco_adds_about_cache_and_battery_counts(part: str, name: str, bad: object) -> None:
    """Health is OK and the battery Optimal beside it."""
    machine, path = "redfish-cimc-m5", "/redfish/v1/Systems/WZP2301A4BC/Storage/MRAID"
    storage = json.loads(json.dumps(resources(machine)[path]))
    own = storage["StorageControllers"][0]["Oem"]["Cisco"]
    (own[part] if part else own)[name] = bad
    before, after = (diagnose(seen_with(machine, one).inventory, rules()).findings for one in ({}, {path: storage}))
    messages = [{one.message for one in found if one.severity != "info"} for found in (before, after)]
    assert messages[0] < messages[1]


@pytest.mark.parametrize(
    ("name", "good", "bad"), [("ErrorDescription", None, "Media error"), ("AvailableSparePercent", 11, 10)]
)
def test_what_dell_adds_about_a_drive_counts(name: str, good: object, bad: object) -> None:
    """An error that is described, and few spare blocks of an SSD, count beside health OK."""
    for value, count in ((good, 0), (bad, 1)):
        seen = _seen(_DRIVE, MediaType="SSD", Oem={"Dell": {"DellPhysicalDisk": {name: value}}})
        assert len([one for one in seen.inventory.problems if one.kind == "state"]) == count


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [("FailurePredicted", "true", "warning"), ("FailurePredicted", "soon", "unknown"), ("FailurePredicted", None, "ok"),
     ("PredictiveFailureState", "SmartAlertPresent", "warning"), ("PredictiveFailureState", "SmartAlertAbsent", "ok"),
     ("PredictiveFailureState", "SmartAlertImminent", "unknown")],
)  # fmt: skip
def test_a_drive_with_another_word_for_a_predicted_failure_is_not_ok(name: str, value: str | None, status: str) -> None:
    """A predicted failure counts as a word, too; one that is not known makes the drive unknown."""
    seen = _seen(_DRIVE, **{name: value}, Oem={"Dell": {"DellPhysicalDisk": {name: value}}})
    assert only_controller(seen).drives[1].status == status
    assert anything_unread(seen) == (status == "unknown")
