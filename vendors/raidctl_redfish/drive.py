"""Drives: the standard resource with makers' extensions, and HPE's older resource."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.text import printable
from raidctl.units import format_percent
from raidctl.vendor.draft import WEAK, Draft
from raidctl_redfish.fields import (
    Field,
    Mark,
    flag,
    look_up,
    number,
    own_states,
    percent,
    put_health,
    read_fields,
    report_other_form,
    size,
    state_of,
    text,
    whole,
)
from raidctl_redfish.resource import Resource, keep_rest, link_of, links_of
from raidctl_redfish.vocabulary import (
    ABSENT,
    DIMINISHED,
    DRIVE,
    HEALTH,
    INTERFACES,
    LOST_STATES,
    MEDIA,
    REBUILDS,
    SPARE_STATES,
    SPARES,
    WAITING_STATES,
    WORKING,
    bare,
)

_CACHE = {True: "enabled", False: "disabled"}


def _life_used(value: object) -> int:
    return 100 - percent(value)


def _write_cache(value: object) -> str:
    return _CACHE[flag(value)]


def _rpm(value: object) -> int | None:
    return whole(value) or None


_FIELDS = (
    Field("Model", "model", text),
    Field("SerialNumber", "serial", text),
    Field("Revision", "firmware", text),
    Field("FirmwareVersion", "firmware", text),
    Field("CapacityBytes", "size_bytes", size),
    Field("BlockSizeBytes", "sector_bytes", size),
    Field("MediaType", "media", look_up(MEDIA)),
    Field("Protocol", "interface", look_up(INTERFACES)),
    Field("RotationSpeedRPM", "rpm", _rpm),
    Field("NegotiatedSpeedGbs", "link_gbps", number),
    Field("CapableSpeedGbs", "max_link_gbps", number),
    Field("PredictedMediaLifeLeftPercent", "life_used_percent", _life_used),
    Field("WriteCacheEnabled", "write_cache", _write_cache),
    Field("Oem.Hpe.CurrentTemperatureCelsius", "temperature_celsius", whole),
    Field("Oem.Hpe.PowerOnHours", "power_on_hours", whole),
)
_SMART_FIELDS = (
    Field("Model", "model", text),
    Field("SerialNumber", "serial", text),
    Field("FirmwareVersion.Current.VersionString", "firmware", text),
    Field("BlockSizeBytes", "sector_bytes", size),
    Field("MediaType", "media", look_up(MEDIA)),
    Field("InterfaceType", "interface", look_up(INTERFACES)),
    Field("RotationalSpeedRpm", "rpm", _rpm),
    Field("CurrentTemperatureCelsius", "temperature_celsius", whole),
    Field("PowerOnHours", "power_on_hours", whole),
    Field("SSDEnduranceUtilizationPercentage", "life_used_percent", whole),
)
_DELL = "Oem.Dell.DellPhysicalDisk"
_FEW = 10
"""Percent of spare blocks at which most SSDs set their critical warning."""
_LOCATION = "PhysicalLocation.PartLocation"


def is_empty_bay(resource: Resource) -> bool:
    """Whether it is an empty bay, which HPE lists among the drives."""
    return state_of(resource) == ABSENT and not resource.text("SerialNumber")


def read_drive(draft: Draft, resource: Resource) -> None:
    """Read a drive: ``"@odata.type": "#Drive.v1_17_0.Drive"``."""
    read_fields(draft, resource, _FIELDS)
    put_health(draft, resource, "drive", _status(resource), tuple(_marks(resource)))
    if bare(resource.get(f"{_DELL}.RaidStatus")) == "foreign":
        draft.put(resource.line(f"{_DELL}.RaidStatus"), "foreign", value=True)
    _read_dell(draft, resource)
    identifiers = resource.parts("Identifiers")
    for identifier in identifiers:
        if identifier.get("DurableNameFormat") in ("NAA", "EUI") and identifier.text("DurableName"):
            draft.put(identifier.line("DurableName"), "wwn", identifier.text("DurableName"))
    place = resource.part(_LOCATION)
    if place is not None and place.get("LocationType") in ("Bay", "Slot"):
        read_fields(draft, place, (Field("LocationOrdinalValue", "bay", text),))
    report_other_form(draft, resource, "Operations")
    _put_role(draft, resource)
    keep_rest(draft, resource)


def _read_dell(draft: Draft, resource: Resource) -> None:
    """Report an error that Dell's extension describes, and few spare blocks of an SSD."""
    # "ErrorDescription": null, "AvailableSparePercent": 100
    for name in (_DELL, "Oem.Dell.DellPCIeSSD"):
        own = resource.part(name)
        if own is None:
            continue
        word = own.text("ErrorDescription")
        spare = own.get("AvailableSparePercent") if draft.get("media") == "ssd" else None
        if bare(word) not in ("", "none", "notapplicable"):
            message = f"The BMC reports an error of the drive: {printable(word)[:120]}."
            draft.add_problem("warning", "state", message, "Check the BMC's log.")
        if isinstance(spare, int) and not isinstance(spare, bool) and 0 <= spare <= _FEW:
            draft.add_problem(
                "warning", "state", f"The SSD has {format_percent(spare)} of its spare blocks left.", "Replace it soon."
            )


def read_smart_drive(draft: Draft, resource: Resource) -> None:
    """Read a drive of iLO 4 and 5: ``"#HpeSmartStorageDiskDrive.v2_1_0.HpeSmartStorageDiskDrive"``."""
    read_fields(draft, resource, _SMART_FIELDS)
    blocks, block = resource.get("CapacityLogicalBlocks"), resource.get("BlockSizeBytes")
    if isinstance(blocks, int) and isinstance(block, int) and not isinstance(block, bool):
        draft.put(resource.line("CapacityLogicalBlocks"), "size_bytes", max(blocks * block, 0) or None)
    marks = [
        mark
        for place, reason in enumerate(resource.words("DiskDriveStatusReasons"))
        for mark in _mark(resource, f"DiskDriveStatusReasons[{place}]", reason)
    ]
    put_health(draft, resource, "drive", _status(resource), marks)
    # "CarrierAuthenticationStatus": "NotApplicable"
    carrier = resource.text("CarrierAuthenticationStatus")
    if bare(carrier) not in ("", "ok", "notapplicable"):
        message = f"Carrier authentication status: {printable(carrier)[:60]}."
        draft.add_problem("warning", "state", message, "Reseat the drive; use one that the controller supports.")
    # "Location": "1I:1:13", "LocationFormat": "ControllerPort:Box:Bay"
    place_text = resource.text("Location")
    if resource.get("LocationFormat") and place_text.count(":") == 2:
        port, box, bay = place_text.split(":")
        draft.put(resource.line("Location"), "bay", bay)
        draft.put(resource.line("Location"), "enclosure", f"{port}:{box}")
    use = {"spare": "spare", "raw": "passthrough", "unconfigured": "unassigned", "data": "member"}
    role = use.get(bare(resource.get("DiskDriveUse")))
    if role is not None:
        draft.put(resource.line("DiskDriveUse"), "role", role)
    keep_rest(draft, resource)


def _status(resource: Resource) -> str | None:
    """Return a drive's status from its health and state. It works if it is enabled, or a spare in waiting."""
    health, state = HEALTH.get(bare(resource.text("Status.Health"))), state_of(resource)
    if state == ABSENT or state in LOST_STATES:
        return "critical"
    if health == "ok" and state == DIMINISHED:
        return "warning"
    return None if health == "ok" and state not in WORKING | SPARE_STATES | WAITING_STATES else health


def _marks(resource: Resource) -> Iterator[Mark]:
    """Further signs that a standard drive is failing."""
    predicted = bare(resource.get("FailurePredicted"))
    if predicted not in ("", "none", "false"):
        status = "warning" if predicted == "true" else "unknown"
        yield Mark(status, "FailurePredicted", resource.line("FailurePredicted"))
    # "EncryptionStatus": "Locked": the data cannot be read
    if bare(resource.get("EncryptionStatus")) in ("locked", "foreign"):
        yield Mark("warning", resource.text("EncryptionStatus"), resource.line("EncryptionStatus"))
    for leaf in ("StatusIndicator", f"{_DELL}.RaidStatus", "Oem.Dell.DellPCIeSSD.RaidStatus"):
        yield from _mark(resource, leaf, resource.get(leaf))
    yield from own_states(resource, DRIVE)
    # "Operations": [{"OperationName": "Rebuild", "PercentageComplete": 42}]
    for operation in resource.parts("Operations"):
        leaf = "OperationName" if operation.text("OperationName") else "Operation"
        if REBUILDS.search(operation.text(leaf)):
            yield Mark("warning", f"rebuild: {operation.text(leaf)}", operation.line(leaf))
    yield from _mark(resource, f"{_DELL}.PredictiveFailureState", resource.get(f"{_DELL}.PredictiveFailureState"))


def _mark(resource: Resource, leaf: str, word: object) -> Iterator[Mark]:
    """A further word for the state; one that means "good" adds nothing."""
    if isinstance(word, str) and bare(word) not in ("", "unknown") and (status := DRIVE.get(bare(word))) != "ok":
        yield Mark(status or "unknown", word, resource.line(leaf))


def _put_role(draft: Draft, resource: Resource) -> None:
    kind = resource.text("HotspareType")
    if bare(kind) in SPARES:
        draft.put(resource.line("HotspareType"), "role", "spare")
    elif kind and bare(kind) != "none":
        draft.unread("HotspareType", kind[:80])
    elif state_of(resource) in SPARE_STATES:
        draft.put(resource.line("Status.State"), "role", "spare")
    elif state_of(resource) in WAITING_STATES:
        draft.put(resource.line("Status.State"), "role", "unassigned", WEAK)


def volumes_of(resource: Resource) -> list[str]:
    """The paths of the volumes on a drive, as it names them."""
    found = links_of(resource.get("Links.Volumes"))
    single = link_of(resource.get("Links.Volume"))
    return [*found, *([single] if single else [])]
