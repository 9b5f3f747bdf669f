"""The reports on patrol reads, batteries, foreign configurations and preserved cache. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct
from msgspec.structs import replace

from raidctl.described import doc
from raidctl.model import (
    Battery,
    BatteryKind,
    BatteryStatus,
    Controller,
    ForeignGroup,
    Host,
    Inventory,
    PreservedCache,
    Problem,
    Scrub,
    Task,
    unread_problems,
)
from raidctl.operate.foreign_guards import foreign_drives, has_foreign
from raidctl.vendor.foreign import ForeignPreview

_HIDDEN = ("capacity", "learn", "health", "design", "cycle")
"""Details of a battery that are shown, by parts of their labels. The model has no field for them."""


class Report(Struct, frozen=True, kw_only=True):
    """The fields that all these reports share."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class ControllerEntry(Struct, frozen=True, kw_only=True):
    """A controller in these reports."""

    object_id: Annotated[str, doc("Id of the controller.")]
    model: Annotated[str | None, doc("Its model.")] = None


class ControllerPatrol(ControllerEntry, frozen=True, kw_only=True):
    """The patrol read of a controller."""

    patrol_read: Annotated[Scrub | None, doc("Its setting and last run; null: not reported.")] = None
    task: Annotated[Task | None, doc("The one that is running or paused; null: none is reported.")] = None


class PatrolReport(Report, frozen=True, kw_only=True):
    """The patrol reads of a machine's RAID controllers."""

    controllers: Annotated[tuple[ControllerPatrol, ...], doc("Its RAID controllers.")] = ()


class BatteryState(Struct, frozen=True, kw_only=True):
    """A battery or capacitor, with all that is reported of it."""

    object_id: Annotated[str, doc("Id of the battery.")]
    kind: Annotated[BatteryKind, doc("Battery, capacitor, or unknown.")] = "unknown"
    status: Annotated[BatteryStatus, doc("State.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    charge_percent: Annotated[int | None, doc("Charge, percent; null: not reported.")] = None
    temperature_celsius: Annotated[int | None, doc("Temperature, degrees Celsius; null: not reported.")] = None
    voltage_volts: Annotated[float | None, doc("Voltage, volts; null: not reported.")] = None
    replace: Annotated[bool | None, doc("The tool reports that it needs replacement; null: not reported.")] = None
    made_at: Annotated[str | None, doc("Date of manufacture; null: not reported.")] = None
    next_learn_at: Annotated[str | None, doc("Next learn cycle; null: not reported.")] = None
    more: Annotated[dict[str, str], doc("Capacity and learn cycles in the tool's labels and words.")] = {}


class ControllerBatteries(ControllerEntry, frozen=True, kw_only=True):
    """The batteries of a controller."""

    batteries: Annotated[tuple[BatteryState, ...], doc("Its batteries; empty: none is reported.")] = ()


class BatteryReport(Report, frozen=True, kw_only=True):
    """The batteries of a machine's RAID controllers."""

    controllers: Annotated[tuple[ControllerBatteries, ...], doc("Its RAID controllers.")] = ()


class ForeignDrive(Struct, frozen=True, kw_only=True):
    """A drive that holds a foreign configuration."""

    drive: Annotated[str, doc("Id of the drive.")]
    serial: Annotated[str | None, doc("Its serial number; null: not reported.")] = None
    size_bytes: Annotated[int | None, doc("Its size, bytes.")] = None
    status_text: Annotated[str | None, doc("The tool's words for its state.")] = None


class ControllerForeign(ControllerEntry, frozen=True, kw_only=True):
    """The foreign configurations of a controller."""

    serial: Annotated[str | None, doc("Its serial number, which confirms what acts on all of it.")] = None
    foreign: Annotated[bool | None, doc("Whether there are any; null: not reported.")] = None
    groups: Annotated[tuple[ForeignGroup, ...], doc("The configurations that the tool lists.")] = ()
    drives: Annotated[tuple[ForeignDrive, ...], doc("The drives that hold them.")] = ()
    preview: Annotated[ForeignPreview | None, doc("What an import would add, if it was asked for.")] = None
    why: Annotated[str | None, doc("Why that cannot be shown; null: it is, or was not asked for.")] = None


class ForeignReport(Report, frozen=True, kw_only=True):
    """The foreign configurations of a machine."""

    controllers: Annotated[tuple[ControllerForeign, ...], doc("Its RAID controllers.")] = ()


class ControllerPreserved(ControllerEntry, frozen=True, kw_only=True):
    """The preserved cache of a controller."""

    preserved_data: Annotated[bool | None, doc("Whether its cache holds preserved data; null: not reported.")] = None
    volumes: Annotated[tuple[PreservedCache, ...], doc("The volumes that it is of, as far as they are listed.")] = ()


class PreservedReport(Report, frozen=True, kw_only=True):
    """The preserved cache of a machine."""

    controllers: Annotated[tuple[ControllerPreserved, ...], doc("Its RAID controllers.")] = ()


def hardware_controllers(inventory: Inventory) -> list[Controller]:
    """The RAID controllers of an inventory."""
    return [one for one in inventory.controllers if one.mode not in ("software", "none")]


def patrols(inventory: Inventory, tasks: tuple[Task, ...]) -> PatrolReport:
    """The patrol reads; ``tasks`` are those of the whole machine."""
    running = {task.object_id: task for task in tasks if task.operation == "patrol_read"}
    found = (
        ControllerPatrol(
            object_id=one.id, model=one.model, patrol_read=one.patrol_read, task=running.get(one.id)
        )
        for one in hardware_controllers(inventory)
    )  # fmt: skip
    return PatrolReport(host=inventory.host, problems=unread_problems(inventory.problems), controllers=tuple(found))


def batteries(inventory: Inventory) -> BatteryReport:
    """The batteries."""
    found = (
        ControllerBatteries(
            object_id=one.id, model=one.model, batteries=tuple(_battery(pack) for pack in one.batteries)
        )
        for one in hardware_controllers(inventory)
    )
    return BatteryReport(host=inventory.host, problems=unread_problems(inventory.problems), controllers=tuple(found))


def _battery(pack: Battery) -> BatteryState:
    more = {label: text for label, text in pack.details.items() if any(part in label.lower() for part in _HIDDEN)}
    return BatteryState(
        object_id=pack.id, kind=pack.kind, status=pack.status, status_text=pack.status_text,
        charge_percent=pack.charge_percent, temperature_celsius=pack.temperature_celsius,
        voltage_volts=pack.voltage_volts, replace=pack.replace, made_at=pack.made_at,
        next_learn_at=pack.next_learn_at, more=more,
    )  # fmt: skip


def learning_only(found: BatteryReport) -> BatteryReport:
    """The batteries with only the facts about learn cycles."""
    controllers = tuple(
        replace(one, batteries=tuple(replace(pack, more=_of_learning(pack.more)) for pack in one.batteries))
        for one in found.controllers
    )
    return replace(found, controllers=controllers)


def _of_learning(more: dict[str, str]) -> dict[str, str]:
    return {label: text for label, text in more.items() if "learn" in label.lower()}


def foreign(inventory: Inventory, previews: dict[str, ForeignPreview | str] | None = None) -> ForeignReport:
    """The foreign configurations, with previews by controller if they were asked for."""
    found = (_foreign(one, (previews or {}).get(one.id)) for one in hardware_controllers(inventory))
    return ForeignReport(host=inventory.host, problems=unread_problems(inventory.problems), controllers=tuple(found))


def _foreign(one: Controller, preview: ForeignPreview | str | None) -> ControllerForeign:
    drives = foreign_drives(one)
    return ControllerForeign(
        object_id=one.id, model=one.model, serial=one.serial, foreign=has_foreign(one),
        groups=one.foreign_groups,
        drives=tuple(
            ForeignDrive(drive=d.id, serial=d.serial, size_bytes=d.size_bytes, status_text=d.status_text)
            for d in drives
        ),
        preview=preview if isinstance(preview, ForeignPreview) else None,
        why=preview if isinstance(preview, str) else None,
    )  # fmt: skip


def preserved(inventory: Inventory) -> PreservedReport:
    """The preserved cache."""
    found = (
        ControllerPreserved(
            object_id=one.id, model=one.model, volumes=one.preserved,
            preserved_data=True if one.preserved else one.cache.preserved_data if one.cache is not None else None,
        )
        for one in hardware_controllers(inventory)
    )  # fmt: skip
    return PreservedReport(host=inventory.host, problems=unread_problems(inventory.problems), controllers=tuple(found))
