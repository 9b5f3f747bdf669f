"""Controllers: Storage with its controllers, and HPE's older array controllers."""

from __future__ import annotations

from raidctl.model import Health
from raidctl.text import printable
from raidctl.vendor.draft import WEAK, GroupDraft, is_bad
from raidctl.vendor.limits import MANY_ERRORS
from raidctl.vendor.statuses import put_status
from raidctl_redfish.draft import ControllerDraft
from raidctl_redfish.fields import Field, flag, look_up, mebibytes, percent, put_health, read_fields, state_of, text
from raidctl_redfish.resource import Resource, keep_rest
from raidctl_redfish.vocabulary import ABSENT, DIMINISHED, HEALTH, LOST_STATES, WORKING, bare

_FIELDS = (
    Field("Manufacturer", "vendor", text),
    Field("Model", "model", text),
    Field("SerialNumber", "serial", text),
    Field("FirmwareVersion", "firmware", text),
    Field("CacheSummary.TotalCacheSizeMiB", "cache.size_bytes", mebibytes),
    Field("CacheSummary.Status.Health", "cache.status", look_up(HEALTH)),
    Field("CacheSummary.Status.State", "cache.status_text", text),
)
_DELL = (
    Field("Oem.Dell.DellController.CacheSizeInMB", "cache.size_bytes", mebibytes),
    Field("Oem.Dell.DellStorageController.CacheSizeInMB", "cache.size_bytes", mebibytes),
    Field("Oem.Dell.DellController.PCISlot", "slot", text),
)
_SMART_FIELDS = (
    Field("Model", "model", text),
    Field("SerialNumber", "serial", text),
    Field("FirmwareVersion.Current.VersionString", "firmware", text),
    Field("CacheMemorySizeMiB", "cache.size_bytes", mebibytes),
    Field("CacheModuleStatus.Health", "cache.status", look_up(HEALTH)),
    Field("ReadCachePercent", "cache.read_percent", percent),
    Field("WriteCacheWithoutBackupPowerEnabled", "cache.no_battery_write_cache", flag),
)
_NOT_PINNED = frozenset({"", "none", "0", "false", "no"})
_LOOK = "Check the BMC's log and the controller's own tool."
_UNUSED = frozenset({"disabled", "standbyoffline"})
"""States of a controller that is not in use. An example is one for NVMe drives that the firmware has switched off."""
_DRIVE_CACHE = {"enabled": "enabled", "disabled": "disabled"}


def read_storage(controller: ControllerDraft, storage: Resource | None, resources: list[Resource]) -> None:
    """Read a Storage resource and its controllers. The health of Storage counts if no controller reports one."""
    for resource in resources:
        read_fields(controller, resource, _FIELDS)
        read_fields(controller, resource, _DELL, WEAK)
        _qualify_cache(controller, resource)
        if resource.text("Status.Health"):
            put_health(controller, resource, "controller", _status(resource))
        # "HasForeignConfig": false
        foreign = resource.get("Oem.Cisco.HasForeignConfig")
        if isinstance(foreign, bool):
            controller.put(resource.line("Oem.Cisco.HasForeignConfig"), "foreign", foreign)
        _read_cisco(controller, resource)
        rates = resource.get("SupportedRAIDTypes")
        if isinstance(rates, list) and any(bare(word) != "none" for word in rates):
            controller.put(None, "mode", "raid")
    rolled = [bare(resource.text("Status.HealthRollup")) for resource in resources]
    if storage is not None:
        named = [bare(storage.text(f"Status.{name}")) for name in ("HealthRollup", "Health")] + rolled
        controller.override("rollup", next((word for word in ("critical", "warning") if word in named), named[0]))
        read_fields(controller, storage, _DELL, WEAK)
        if state_of(storage) in {DIMINISHED, *LOST_STATES} - _UNUSED and not {"critical", "warning"} & set(named):
            message = f"The BMC reports the state {storage.text('Status.State')} of the storage."
            controller.add_problem("warning", "state", message, _LOOK)
        if controller.get("model") is None:
            read_fields(controller, storage, (Field("Name", "model", text),), WEAK)
        if controller.get("status") is None and bare(storage.text("Status.Health")) in HEALTH:
            put_health(controller, storage, "controller", HEALTH[bare(storage.text("Status.Health"))], weight=WEAK)
        elif controller.get("status") is None and bare(storage.text("Status.HealthRollup")) in ("warning", "critical"):
            line = storage.line("Status.HealthRollup")
            word = storage.text("Status.HealthRollup")
            put_status(
                controller, [line] if line else [], "controller", "warning", text=f"HealthRollup {printable(word)}"
            )
    for resource in resources:
        _read_state(controller, resource)


def _read_cisco(controller: ControllerDraft, resource: Resource) -> None:
    """Read Cisco's own state, its counts of memory errors, and whether preserved data is in the cache."""
    # "PinnedCacheState": 0, "ControllerStatus": "Optimal", "MemoryCorrectableErrors": 0
    own = resource.part("Oem.Cisco")
    if own is None:
        return
    if bare(own.get("PinnedCacheState")) not in _NOT_PINNED:
        controller.put(own.line("PinnedCacheState"), "cache.preserved_data", value=True)
    word = own.text("ControllerStatus")
    if bare(word) not in ("", "optimal", "ok"):
        controller.add_problem("warning", "state", f"ControllerStatus: {printable(word)[:60]}.", _LOOK)
    for name, least in (("MemoryCorrectableErrors", MANY_ERRORS), ("MemoryUncorrectableErrors", 1)):
        count = own.get(name)
        if isinstance(count, int) and count >= least:
            controller.add_problem("warning", "state", f"{name}: {count}.", "Replace the cache module if it grows.")


def _read_state(controller: ControllerDraft, resource: Resource) -> None:
    """Read a state without a health. A good health of Storage does not apply to such a controller, a bad one does."""
    state = state_of(resource)
    if resource.text("Status.Health") or state in ("", ABSENT, *WORKING, *_UNUSED) or is_bad(controller.get("status")):
        return
    # "Status": {"State": "UnavailableOffline"}
    put_health(controller, resource, "controller", "warning" if state == DIMINISHED else None)


def _qualify_cache(controller: ControllerDraft, resource: Resource) -> None:
    """Qualify a good health of the cache by its state. The state of an unused cache is ``Disabled``."""
    state = bare(resource.text("CacheSummary.Status.State"))
    if state == ABSENT and not controller.get("cache.size_bytes"):
        # "CacheSummary": {"Status": {"State": "Absent", "Health": "OK"}, "TotalCacheSizeMiB": 0}
        controller.put(resource.line("CacheSummary.Status.State"), "cache.present", value=False)
    elif controller.get("cache.status") == "ok" and state not in ("", *WORKING, *_UNUSED):
        # "CacheSummary": {"Status": {"State": "Degraded", "Health": "OK"}}
        status = "warning" if state == DIMINISHED or state in LOST_STATES else "unknown"
        controller.restate("cache.status", status, ("cache.status", "cache.status_text"))
        if status == "unknown":
            controller.unread("CacheSummary.Status.State", resource.text("CacheSummary.Status.State")[:80])


def _status(resource: Resource) -> Health | None:
    """The health, qualified by the state. A state that is not reported does not count against it."""
    health, state = HEALTH.get(bare(resource.text("Status.Health"))), state_of(resource)
    if health != "ok" or state in WORKING | _UNUSED or not state:
        return health
    return "warning" if state == DIMINISHED else None


def read_array_controller(controller: ControllerDraft, resource: Resource) -> None:
    """Read a controller of iLO 4 and 5: ``"#HpeSmartStorageArrayController.v2_2_0.HpeSmartStorageArrayController"``."""
    read_fields(controller, resource, _SMART_FIELDS)
    controller.conclude("vendor", "HPE")
    put_health(controller, resource, "controller", _status(resource))
    controller.override("rollup", bare(resource.text("Status.HealthRollup")))
    # "Location": "Slot 1", "LocationFormat": "PCISlot"
    location = resource.text("Location")
    if location.startswith("Slot "):
        controller.put(resource.line("Location"), "slot", location.removeprefix("Slot "))
    mode = {"raid": "raid", "hba": "hba", "mixed": "mixed"}.get(bare(resource.get("CurrentOperatingMode")))
    if mode is not None:
        controller.put(resource.line("CurrentOperatingMode"), "mode", mode)
    cache = _DRIVE_CACHE.get(bare(resource.get("DriveWriteCache")))
    for volume in controller.volumes.values():
        if cache is not None:
            volume.put(None, "cache.drive_write_cache", cache)
            volume.add_evidence(resource.line("DriveWriteCache"), "cache.drive_write_cache", cache)
        _put_policy(volume.get("cache.acceleration"), volume, controller)


def _put_policy(method: str | None, volume: GroupDraft, controller: ControllerDraft) -> None:
    """Put the write policy of a logical drive.

    It follows from its acceleration and what the controller does without a battery.
    """
    if method is None:
        return
    used = bare(method)
    if used in ("none", "iobypass"):
        volume.restate("cache.write_policy", "write_through", ("cache.acceleration",))
    elif used == "controllercache" and controller.get("cache.no_battery_write_cache") is not None:
        always = controller.get("cache.no_battery_write_cache")
        policy = "unprotected_write_back" if always else "protected_write_back"
        if controller.get("cache.read_percent") == 100:
            policy = "write_through"
        volume.restate("cache.write_policy", policy, ("cache.acceleration",))


def finish(controller: ControllerDraft, resources: list[Resource]) -> None:
    """Keep what else the resources of the controller report as details."""
    for resource in resources:
        keep_rest(controller, resource)
