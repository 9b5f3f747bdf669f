"""Volumes: the standard resource with Dell's extension, and HPE's older logical drives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.evidence import Line
from raidctl.model import (
    BatteryStatus,
    ControllerCacheSafety,
    Operation,
    Progress,
    VolumeCache,
    VolumeStatus,
    WriteActive,
    WritePolicy,
)
from raidctl.text import printable
from raidctl.vendor.draft import REPORT, WEAK, GroupDraft
from raidctl.vendor.statuses import note_nameless_level
from raidctl_redfish.fields import (
    Field,
    Mark,
    look_up,
    mebibytes,
    own_states,
    put_health,
    read_fields,
    report_other_form,
    size,
    state_of,
    text,
)
from raidctl_redfish.resource import Resource, keep_rest, links_of
from raidctl_redfish.vocabulary import (
    DIMINISHED,
    HEALTH,
    LEVELS,
    LOST_STATES,
    NAMELESS,
    OPERATIONS,
    PUBLIC_STATE,
    PUBLIC_WRITE,
    READ,
    REASON_OPERATIONS,
    REASONS,
    SMART_LEVELS,
    TYPES,
    VOLUME,
    WAITING_STATES,
    WORKING,
    WRITE,
    bare,
)

_DELL = "Oem.Dell.DellVolume"
_DELL_NEWER = "Oem.Dell.DellVirtualDisk"
_LEVEL = look_up({**LEVELS, **dict.fromkeys(NAMELESS)})
_FIELDS = (
    Field("DisplayName", "name", text),
    Field("Name", "name", text),
    Field("CapacityBytes", "size_bytes", size),
    Field("StripSizeBytes", "strip_bytes", size),
    Field("RAIDType", "raid_level", _LEVEL),
    Field("WriteCachePolicy", "cache.write_policy", look_up(WRITE)),
    Field("ReadCachePolicy", "cache.read_policy", look_up(READ)),
    Field("WriteCacheState", "cache.state", text),
)
_DRIVE_CACHE = {"enabled": "enabled", "disabled": "disabled", "default": "default"}
_DELL_FIELDS = (
    Field("WriteCachePolicy", "cache.write_policy", look_up(WRITE)),
    Field("ReadCachePolicy", "cache.read_policy", look_up(READ)),
    Field("DiskCachePolicy", "cache.drive_write_cache", look_up(_DRIVE_CACHE)),
)
# "Oem": {"Huawei": {"VolumeRaidLevel": "RAID1", "DefaultWritePolicy": "WriteBackWithBBU", "State": "Optimal"}}
_PUBLIC = ("Oem.Huawei", "Oem.Public")
_PUBLIC_FIELDS = (
    Field("VolumeRaidLevel", "raid_level", _LEVEL),
    Field("VolumeName", "name", text),
    Field("DefaultWritePolicy", "cache.write_policy", look_up(PUBLIC_WRITE)),
    Field("DefaultReadPolicy", "cache.read_policy", look_up(READ)),
)
_SMART_FIELDS = (
    Field("LogicalDriveName", "name", text),
    Field("CapacityMiB", "size_bytes", mebibytes),
    Field("StripSizeBytes", "strip_bytes", size),
    Field("Raid", "raid_level", look_up(SMART_LEVELS)),
    Field("VolumeUniqueIdentifier", "unique_id", text),
    Field("AccelerationMethod", "cache.acceleration", text),
)
_SMART_PERCENT = {
    "RebuildCompletionPercentage": "rebuild",
    "ParityInitializationCompletionPercentage": "initiali",
    "TransformationCompletionPercentage": "transform",
}


def read_volume(draft: GroupDraft, resource: Resource) -> None:
    """Read a volume: ``"@odata.type": "#Volume.v1_9_0.Volume"``."""
    read_fields(draft, resource, _FIELDS)
    for name in (_DELL, _DELL_NEWER):
        own = resource.part(name)
        if own is not None:
            read_fields(draft, own, _DELL_FIELDS, WEAK)
    for name in _PUBLIC:
        own = resource.part(name)
        if own is not None:
            read_fields(draft, own, _PUBLIC_FIELDS, WEAK)
    _level(draft, resource)
    for identifier in resource.parts("Identifiers"):
        if identifier.text("DurableName"):
            draft.put(identifier.line("DurableName"), "unique_id", identifier.text("DurableName"))
    marks = [mark for name in _PUBLIC for mark in _public_state(resource, f"{name}.State")]
    marks += own_states(resource, PUBLIC_STATE)
    put_health(draft, resource, "volume", _status(resource), marks)
    report_other_form(draft, resource, "Operations")
    for operation in sorted(resource.parts("Operations"), key=lambda one: _urgency(_name(one))):
        line = operation.line("Operation") or operation.line("OperationName")
        done = operation.get("PercentageComplete")
        _put_operation(draft, _name(operation), done, [line, operation.line("PercentageComplete")])
    keep_rest(draft, resource)


def _level(draft: GroupDraft, resource: Resource) -> None:
    """Note a level without a name in the model. Where the schema has no level yet, take it from the volume's type."""
    if bare(resource.text("RAIDType")) in NAMELESS:
        note_nameless_level(draft, resource.text("RAIDType"))
    kind = bare(resource.text("VolumeType"))
    if resource.get("RAIDType") is None:
        pair = kind == "mirrored" and len(links_of(resource.get("Links.Drives"))) == 2
        level = "raid1" if pair else TYPES.get(kind)
        if level is not None:
            draft.put(resource.line("VolumeType"), "raid_level", level, WEAK)


def _public_state(resource: Resource, leaf: str) -> Iterator[Mark]:
    """A maker's own word for the state. A word for a good state adds nothing."""
    word = resource.get(leaf)
    if isinstance(word, str) and bare(word) and (status := PUBLIC_STATE.get(bare(word))) != "ok":
        yield Mark(status or "unknown", word, resource.line(leaf))


def read_logical_drive(draft: GroupDraft, resource: Resource) -> None:
    """Read a volume of iLO 4 and 5: ``"#HpeSmartStorageLogicalDrive.v2_3_0.HpeSmartStorageLogicalDrive"``."""
    read_fields(draft, resource, _SMART_FIELDS)
    if resource.get("StripSizeBytes") is None:
        read_fields(draft, resource, (Field("StripeSizeBytes", "strip_bytes", size),))
    reasons = [
        (REASONS.get(bare(reason), "unknown"), reason, resource.line(f"LogicalDriveStatusReasons[{place}]"))
        for place, reason in enumerate(resource.words("LogicalDriveStatusReasons"))
    ]
    marks = [Mark(*reason) for reason in reasons if reason[0] not in ("ok", *REASON_OPERATIONS)]
    put_health(draft, resource, "volume", _status(resource), marks)
    for status, word, line in reasons:
        if status in REASON_OPERATIONS:
            _put_operation(draft, word, None, [line])
    for leaf, word in _SMART_PERCENT.items():
        done = resource.get(leaf)
        if isinstance(done, int) and done < 100:
            _put_operation(draft, word, done, [resource.line(leaf)])
    keep_rest(draft, resource)


def _status(resource: Resource) -> VolumeStatus | None:
    """Health and state together; good only if the volume is enabled."""
    health, state = bare(resource.text("Status.Health")), state_of(resource)
    if health in HEALTH and state in LOST_STATES | WAITING_STATES:
        return "offline"
    status = VOLUME.get(health)
    if status == "ok" and state == DIMINISHED:
        return "degraded"
    return None if status == "ok" and state not in WORKING else status


def _name(operation: Resource) -> str:
    return operation.text("Operation") or operation.text("OperationName")


def _row(name: str) -> tuple[str, Operation, VolumeStatus | None] | None:
    return next((row for row in OPERATIONS if row[0] in bare(name)), None)


def _urgency(name: str) -> int:
    """The place of an operation among several: a rebuild first, then an unrecognised one."""
    row = _row(name)
    place = 0 if row is None else OPERATIONS.index(row)
    return place if row is not None and row[1] == "rebuild" else place + len(OPERATIONS)


def _put_operation(draft: GroupDraft, name: str, done: object, lines: Sequence[Line | None]) -> None:
    """Put an operation that runs, and the status that follows from it. Of several, the first is shown.

    Only a rebuild changes the status ``degraded``.
    """
    row = _row(name)
    if row is None:
        shown = printable(name)[:40]
        draft.add_problem("warning", "unread", f"The volume's operation {shown!r} is not recognised.", REPORT)
    if draft.get("progress") is not None:
        return
    operation: Operation = row[1] if row else "unknown"
    status = row[2] if row else None
    percent = (
        float(done) if isinstance(done, (int, float)) and not isinstance(done, bool) and 0 <= done <= 100 else None
    )
    draft.override("progress", Progress(operation=operation, percent=percent, state="running"))
    known = draft.get("status")
    if status is not None and (known == "ok" or (status == "rebuilding" and known == "degraded")):
        draft.override("status", status)
    for line in lines:
        draft.add_evidence(line, "progress.operation", operation)


def volume_cache(draft: GroupDraft, battery: BatteryStatus | None) -> VolumeCache | None:
    """The cache of a volume. None if the BMC does not report it.

    ``battery``: the worst of the batteries of the controller; None: none is reported.
    """
    named = {name for name in draft.values if name.startswith("cache.")}
    if not named:
        return None
    policy: WritePolicy | None = draft.get("cache.write_policy")
    state = bare(draft.get("cache.state") or "")
    active = _active(policy, state)
    reason = None
    if state == "degraded" and policy not in ("write_through", "off", None):
        reason = "The BMC reports the write cache as Degraded: it is diminished, or not in use."
    return VolumeCache(
        write_policy=policy,
        write_active=active,
        controller_cache=_safety(policy, active, state, battery),
        why_not_in_force=reason,
        read_policy=draft.get("cache.read_policy"),
        drive_write_cache=draft.get("cache.drive_write_cache"),
    )


def _active(policy: WritePolicy | None, state: str) -> WriteActive | None:
    """The active policy, as far as it is reported. Write-through is active whatever the cache's state."""
    if policy == "write_through":
        return "write_through"
    if policy == "off":
        return "off"
    return "write_back" if state in ("protected", "unprotected") else None


def _safety(
    policy: WritePolicy | None, active: WriteActive | None, state: str, battery: BatteryStatus | None
) -> ControllerCacheSafety:
    """Whether unwritten data in the controller's cache survives a power failure."""
    if active in ("write_through", "off"):
        return "not_caching"
    if state == "unprotected":
        return "unprotected"
    if state == "protected":
        return "protected" if battery in ("ok", None) else "unknown"
    # by definition, this policy caches only while a working battery protects the cache
    return "protected" if policy == "protected_write_back" and battery == "ok" and not state else "unknown"
