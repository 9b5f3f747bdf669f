"""Convert drafts to model objects with final ids, and their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidctl.evidence import Evidence
from raidctl.model import (
    Array,
    Battery,
    BatteryStatus,
    Cache,
    Controller,
    Drive,
    Errors,
    Health,
    Operation,
    PciLink,
    Problem,
    Progress,
    Rates,
    Role,
    Scrub,
    Volume,
)
from raidctl.text import listing
from raidctl.vendor.draft import Draft, ShownOn, is_bad
from raidctl.vendor.mixed_machines import note_mixed
from raidctl.vendor.statuses import doubt_ok, health_of_volume, put_status, report_unknown_modes
from raidctl_threeware import derived_fields, vocabulary
from raidctl_threeware.capability import SUPPORT
from raidctl_threeware.draft import ControllerDraft, UnitDraft
from raidctl_threeware.messages import reports
from raidctl_threeware.policy import volume_cache


def build(controller: ControllerDraft) -> tuple[Controller, list[Problem]]:
    """The controller with all its problems; writes the evidence."""
    object_id = controller.object_id
    controller.sort()
    _drop_empty_ports(controller)
    _place(controller)
    _drop_spares_without_drive(controller)
    controller.derive(derived_fields.CONTROLLER)
    units = [unit for unit in controller.arrays.values() if not unit.spare]
    for unit in units:
        unit.derive(derived_fields.UNIT)
        report_unknown_modes(unit, derived_fields.UNIT, vocabulary.has_state)
        drives = [controller.drives[port] for port in unit.ports if port in controller.drives]
        doubt_ok(unit, {f"p{one.name}": "in no unit" for one in drives if one.get("free")})
    places = {port: place for place, port in enumerate(controller.drives)}
    batteries = tuple(_battery(item, object_id, n) for n, item in enumerate(controller.batteries.values()))
    battery = batteries[0] if batteries else None
    found = Controller(
        id=object_id,
        vendor="3ware",
        model=controller.get("model"),
        serial=controller.get("serial"),
        firmware=controller.get("firmware"),
        driver=controller.get("driver"),
        mode="raid" if units else None,
        cache=_cache(controller),
        pci_link=controller.part("pci_link", PciLink),
        rates=controller.part("rates", Rates),
        batteries=batteries,
        arrays=tuple(_array(unit, places, object_id) for unit in units),
        volumes=tuple(
            volume for unit in units if unit.described for volume in _volumes(unit, controller, battery, object_id)
        ),
        drives=tuple(_drive(item, controller, object_id) for item in controller.drives.values()),
        capabilities=SUPPORT,
        details=controller.details,
    )
    note_mixed(controller)
    _report_unlisted(controller)
    listed = sum(not _optimal(unit) for unit in controller.arrays.values() if unit.described)
    problems = [*controller.problems(object_id), *reports(found, listed)]
    controller.write_evidence(object_id, _shown_on(found))
    return found, problems


def _report_unlisted(controller: ControllerDraft) -> None:
    """Report the units that a port names and the table of units lacks."""
    for unit in controller.arrays.values():
        if controller.lists_units and not unit.described:
            ports = listing([f"p{port}" for port in unit.ports])
            text = f"Unit u{unit.name} of {ports} is not in the list of units."
            controller.add_problem("warning", "unread", text, "List the units again: `tw_cli /cX show`.")


def _optimal(unit: UnitDraft) -> bool:
    return (unit.get("status_text") or "").upper().rstrip("*") in ("OK", "VERIFYING")


def _drop_empty_ports(controller: ControllerDraft) -> None:
    """Drop empty ports, ``/c0/p3 Status = NOT-PRESENT``.

    If no unit misses the drive, the port is empty, and nothing is wrong.
    """
    for port, drive in list(controller.drives.items()):
        if drive.get("status_text") != "NOT-PRESENT":
            continue
        if all(drive.get(name) is None for name in ("unit", "raw_model", "model", "serial", "size_bytes")):
            for line, _, _ in drive.evidence:
                controller.add_evidence(line, "drives", f"p{port} is empty")
            del controller.drives[port]


def _place(controller: ControllerDraft) -> None:
    """Place drives by the enclosure slots of their ports."""
    for port, slot in controller.slots.items():
        drive = controller.drives.get(port)
        if drive is not None:
            drive.put(slot.line, "enclosure", slot.enclosure)
            drive.put(slot.line, "bay", slot.slot)


def _drop_spares_without_drive(controller: ControllerDraft) -> None:
    """Move a spare's values and bad status to its drive. If no table lists the drive, they go to the controller."""
    for unit in controller.arrays.values():
        if not unit.spare:
            continue
        drives = [controller.drives[port] for port in unit.ports if port in controller.drives]
        for draft in drives or [controller]:
            for label, value in unit.details.items():
                draft.keep_words(f"u{unit.name} {label}", value)
        if is_bad(unit.get("status")):
            _fail_spare(controller, unit, drives)
        if not drives:
            controller.replace_words(f"u{unit.name} Status", unit.get("status_text") or "-")


def _fail_spare(controller: ControllerDraft, unit: UnitDraft, drives: Sequence[Draft]) -> None:
    """Report a spare that its unit calls ``INOPERABLE`` or ``DEGRADED``. It takes no member's place."""
    word = unit.get("status_text") or "-"
    lines = [line for line, name, _ in unit.evidence if name == "status"]
    for drive in drives:
        put_status(drive, lines, "drive", "critical", text=f"spare unit {word}")
    if not drives:
        text = f"Spare unit u{unit.name} is {word}: it cannot replace a failed drive."
        controller.add_problem("warning", "state", text, "Replace its drive.")


def _cache(controller: ControllerDraft) -> Cache | None:
    size = controller.get("cache.size_bytes")
    if size is None:
        return None
    return Cache(present=True, size_bytes=size, available_bytes=controller.get("cache.available_bytes"))


def _battery(draft: Draft, controller_id: str, number: int) -> Battery:
    word = draft.get("status_text")
    status: BatteryStatus = draft.get("status") or "unknown"
    return Battery(
        id=f"{controller_id}/battery{number}",
        kind="battery",
        status=status,
        status_text=word,
        temperature_celsius=draft.get("temperature_celsius"),
        voltage_volts=draft.get("voltage_volts"),
        # "Failed", "Fault", "Error", "WeakBat": "we recommend you to replace the battery" (/cx/bbu show status)
        replace=True if status in {"failed", "degraded"} else False if status == "ok" else None,
        details=draft.details,
    )


def _array(unit: UnitDraft, places: dict[str, int], controller_id: str) -> Array:
    """The array of a unit. ``places``: the place of each port among the drives, which are in order."""
    return Array(
        id=f"{controller_id}/u{unit.name}",
        status=health_of_volume(unit.get("status")),
        status_text=unit.get("status_text"),
        drives=tuple(
            f"{controller_id}/p{port}"
            for port in sorted(filter(places.__contains__, unit.ports), key=places.__getitem__)
        ),
    )


def _volumes(
    unit: UnitDraft, controller: ControllerDraft, battery: Battery | None, controller_id: str
) -> Iterator[Volume]:
    """The volume of a unit. A unit that was carved has one volume for each piece."""
    # u1/v0    Volume    -              -       -       -     -       2047.00
    carved = unit.carved if len(unit.carved) > 1 else {"0": unit.get("size_bytes")}
    if len(unit.carved) == 1 and unit.get("size_bytes") is None:
        carved = {"0": next(iter(unit.carved.values()))}
    working = sum(vocabulary.drive_status(word) == "ok" for word in unit.parts.values())
    for number, size in carved.items():
        yield Volume(
            id=f"{controller_id}/v{unit.name}" if number == "0" else f"{controller_id}/v{unit.name}-{number}",
            name=unit.get("name"),
            array=f"{controller_id}/u{unit.name}",
            raid_level=unit.get("raid_level"),
            size_bytes=size,
            strip_bytes=unit.get("strip_bytes"),
            status=unit.get("status") or "unknown",
            status_text=unit.get("status_text"),
            unique_id=unit.get("unique_id"),
            cache=volume_cache(unit, controller, battery),
            progress=_progress(unit),
            drives_expected=len(unit.parts) or None,
            drives_active=working if unit.parts else None,
            consistency_check=unit.part("consistency_check", Scrub),
            # drivers/scsi/3w-9xxx.c, 3w-sas.c, 3w-xxxx.c: the target is the unit, the LUN the volume
            details={**unit.details, "SCSI target": f"0:{unit.name}:{number}"},
        )


def _progress(unit: UnitDraft) -> Progress | None:
    """The percentage that belongs to the operation which the unit's status names."""
    operation: Operation | None = unit.get("operation")
    rebuilt, done = unit.get("rebuilt"), unit.get("done")
    if operation is None:
        return None
    percent = rebuilt if operation in {"rebuild", "recovery"} and rebuilt is not None else done
    # VERIFY-PAUSED, REBUILD-PAUSE
    paused = "PAUSE" in (unit.get("status_text") or "")
    percent = rebuilt if percent is None else percent
    return Progress(operation=operation, percent=percent, state="paused" if paused else "running")


def _drive(draft: Draft, controller: ControllerDraft, controller_id: str) -> Drive:
    unit = controller.arrays.get(draft.get("unit") or "")
    status: Health = draft.get("status") or "unknown"
    if draft.get("status_text") == "DEGRADED" and unit is not None and unit.get("status") == "rebuilding":
        status = "warning"
    raw = draft.get("raw_model")
    return draft.build(
        Drive,
        id=f"{controller_id}/p{draft.name}",
        array=None if unit is None or unit.spare else f"{controller_id}/u{unit.name}",
        role=_role(draft, unit),
        model=vocabulary.drive_model(raw, draft.get("interface")) if raw else draft.get("model"),
        status=status,
        errors=Errors(media=draft.get("errors.media"), reallocated=draft.get("errors.media")),
    )


def _role(draft: Draft, unit: UnitDraft | None) -> Role | None:
    if unit is None:
        if not draft.get("free"):
            return None
        return "failed" if draft.get("status") == "critical" else "unassigned"
    if unit.spare:
        return "spare"
    if not unit.described:
        # a hot spare is a unit of one drive
        return "member" if len(unit.ports) > 1 else None
    return "passthrough" if unit.get("type") == "JBOD" else "member"


def _shown_on(controller: Controller) -> ShownOn:
    """Show a unit's lines on its volumes. Its status is shown on the array, too."""
    volumes: dict[str | None, list[str]] = {}
    for volume in controller.volumes:
        volumes.setdefault(volume.array, []).append(volume.id)

    def shown_on(draft: Draft, where: str) -> Mapping[str, Evidence] | None:
        if not isinstance(draft, UnitDraft):
            return None
        if draft.spare:
            names = (
                (line, name[8:-1] if name.startswith("details[") else name, value)
                for line, name, value in draft.evidence
            )
            return {where: [(line, f"details[u{draft.name} {name}]", value) for line, name, value in names]}
        array = f"{controller.id}/u{draft.name}"
        status = [item for item in draft.evidence if item[1] in {"status", "status_text"}]
        return {array: status, **dict.fromkeys(volumes.get(array, []), draft.evidence)}

    return shown_on
