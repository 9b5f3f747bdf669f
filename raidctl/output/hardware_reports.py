"""The screens of patrol reads, batteries, foreign configurations and preserved cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rich.console import RenderableType
from rich.text import Text

from raidctl.model import Inventory
from raidctl.operate.hardware_reports import (
    BatteryReport,
    BatteryState,
    ControllerBatteries,
    ControllerEntry,
    ControllerForeign,
    ControllerPatrol,
    ControllerPreserved,
    ForeignReport,
    PatrolReport,
    PreservedReport,
    Report,
)
from raidctl.output.console import BAD, DULL, PLAIN, STRONG, WARN, Display, drawn, hanging, line
from raidctl.output.head import head
from raidctl.output.phrases import battery_status, celsius, decimal
from raidctl.output.problems import no_controller, problem_sections
from raidctl.output.table import Column, table
from raidctl.output.trouble import notes, troubles
from raidctl.text import counted
from raidctl.units import format_duration, format_percent

_SILENT = "not reported"
_WORDS = {True: "yes", False: "no", None: _SILENT}


E = TypeVar("E", bound=ControllerEntry)


def _screen(
    found: Report, entries: Sequence[E], display: Display, body: Callable[[E, Display], Iterator[RenderableType]],
    nothing: str,
) -> Iterator[RenderableType]:  # fmt: skip
    """The host, each controller with its body, and what was unreadable.

    ``nothing``: what is missing if there is no controller.
    """
    bare = Inventory(host=found.host, problems=found.problems)
    yield head(bare, display)
    for one in entries:
        yield Text("")
        model = [display.clean(one.model)] if one.model else []
        yield hanging((f"{display.clean(one.object_id)}  ", STRONG), model, display)
        yield from body(one, display)
    if not entries:
        yield no_controller(found.problems, nothing)
    yield from problem_sections(troubles(bare), notes(bare), display)


def _pairs(pairs: list[tuple[str, str]], display: Display) -> Iterator[RenderableType]:
    width = max((len(label) for label, _ in pairs), default=0)
    for label, text in pairs:
        yield hanging(f"  {display.clean(label):{width}}  ", [display.clean(text)], display)


@drawn
def patrols_screen(found: PatrolReport, display: Display) -> Iterator[RenderableType]:
    """The patrol read of each controller."""
    yield from _screen(found, found.controllers, display, _patrols, "patrol read")


def _patrols(one: ControllerPatrol, display: Display) -> Iterator[RenderableType]:
    yield from _pairs(_patrol(one), display)


def _patrol(one: ControllerPatrol) -> list[tuple[str, str]]:
    task, scrub = one.task, one.patrol_read
    now = "none reported"
    if task is not None:
        percent = f", {format_percent(task.percent)}" if task.percent is not None else ""
        now = f"{task.state or 'running'}{percent}"
    pairs = [("running", now), ("starts", (scrub.mode if scrub else None) or _SILENT)]
    if scrub is None:
        return pairs
    if scrub.interval_seconds:
        pairs.append(("every", format_duration(scrub.interval_seconds)))
    pairs += [(label, text) for label, text in (("next", scrub.next_at), ("last", scrub.last_at)) if text]
    return [*pairs, *([("state", scrub.status_text)] if scrub.status_text else [])]


@drawn
def batteries_screen(found: BatteryReport, display: Display) -> Iterator[RenderableType]:
    """The batteries of each controller."""
    yield from _screen(found, found.controllers, display, _batteries, "battery")


def _batteries(one: ControllerBatteries, display: Display) -> Iterator[RenderableType]:
    if not one.batteries:
        yield line(("  no battery reported", DULL))
    for pack in one.batteries:
        yield from _pairs(_battery(pack), display)


def _battery(pack: BatteryState) -> list[tuple[str, str]]:
    charge = format_percent(pack.charge_percent) if pack.charge_percent is not None else _SILENT
    heat = celsius(pack.temperature_celsius) if pack.temperature_celsius is not None else _SILENT
    volts = f"{pack.voltage_volts:g} V" if pack.voltage_volts is not None else _SILENT
    pairs = [
        (pack.object_id.rpartition("/")[2], pack.kind), ("status", battery_status(pack)[0]),
        ("charge", charge), ("temperature", heat), ("voltage", volts), ("replace", _WORDS[pack.replace]),
        ("manufactured", pack.made_at or _SILENT), ("next learn", pack.next_learn_at or _SILENT),
    ]  # fmt: skip
    if not any("capacity" in label.lower() for label in pack.more):
        pairs.append(("capacity", _SILENT))
    silent = [label for label, text in pairs if text == _SILENT]
    known = [pair for pair in pairs if pair[1] != _SILENT]
    return [*known, *_more(pack), *([(_SILENT, ", ".join(silent))] if silent else [])]


def _more(pack: BatteryState) -> list[tuple[str, str]]:
    """The tool's own labels, without the time of the next learn cycle if that is known."""
    known = pack.next_learn_at is not None
    return [pair for pair in pack.more.items() if not (known and pair[0].lower().startswith("next learn"))]


@drawn
def schedule_screen(found: BatteryReport, display: Display) -> Iterator[RenderableType]:
    """When the learn cycles of each battery start."""
    yield from _screen(found, found.controllers, display, _schedules, "battery")


def _schedules(one: ControllerBatteries, display: Display) -> Iterator[RenderableType]:
    if not one.batteries:
        yield line(("  no battery reported", DULL))
    for pack in one.batteries:
        name = pack.object_id.rpartition("/")[2]
        rest = _more(pack) or [("interval, mode", _SILENT)]
        yield from _pairs([(name, pack.kind), ("next learn", pack.next_learn_at or _SILENT), *rest], display)


@drawn
def foreign_screen(found: ForeignReport, display: Display) -> Iterator[RenderableType]:
    """The foreign configurations of each controller, with their drives and previews."""
    yield from _screen(found, found.controllers, display, _foreign, "foreign configuration")


def _foreign(one: ControllerForeign, display: Display) -> Iterator[RenderableType]:
    if one.foreign is None:
        yield line(("  foreign configurations: not reported", DULL))
    elif not one.foreign:
        yield line("  no foreign configuration")
    for group in one.groups:
        volumes = counted(group.volumes, "volume") if group.volumes is not None else "volumes not reported"
        parts = (group.raid_level or "level not reported", decimal(group.size_bytes), volumes, group.status_text)
        pieces = [display.clean(text) for text in parts if text]
        yield hanging((f"  configuration {display.clean(group.number)}  ", WARN), pieces, display)
    if one.drives:
        yield _drives(one, display)
    yield from _preview(one, display)


def _drives(one: ControllerForeign, display: Display) -> RenderableType:
    return table(
        [
            Column("drive", [(display.clean(drive.drive), PLAIN) for drive in one.drives]),
            Column("size", [(decimal(drive.size_bytes), PLAIN) for drive in one.drives], right=True),
            Column("state", [(display.clean(drive.status_text or "?"), PLAIN) for drive in one.drives]),
            Column("serial", [(display.clean(drive.serial or "?"), PLAIN) for drive in one.drives]),
        ],
        display,
    )


def _preview(one: ControllerForeign, display: Display) -> Iterator[RenderableType]:
    if one.why:
        yield hanging(("  preview  ", WARN), [display.clean(one.why)], display)
    if one.preview is None:
        return
    for volume in one.preview.volumes:
        parts = (volume.name or "", volume.raid_level or "level not reported", decimal(volume.size_bytes))
        state = {True: "complete", False: "INCOMPLETE", None: "completeness unknown"}[volume.complete]
        words = f"{state} ({volume.status_text})" if volume.status_text else state
        pieces = [display.clean(text) for text in (*parts, words) if text]
        yield hanging((f"  would add volume {display.clean(volume.number)}  ", STRONG), pieces, display)
    complete = {True: "yes", False: "NO", None: "unknown"}[one.preview.complete]
    why = [display.clean(one.preview.why)] if one.preview.why else []
    yield hanging(("  complete  ", PLAIN), [(complete, BAD if one.preview.complete is False else PLAIN), *why], display)
    for text in one.preview.lines:
        yield hanging("    ", [display.clean(text)], display)


@drawn
def preserved_screen(found: PreservedReport, display: Display) -> Iterator[RenderableType]:
    """The preserved cache of each controller."""
    yield from _screen(found, found.controllers, display, _preserved, "preserved cache")


def _preserved(one: ControllerPreserved, display: Display) -> Iterator[RenderableType]:
    if one.preserved_data is None:
        yield line(("  preserved data: not reported", DULL))
    elif not one.preserved_data:
        yield line("  no preserved data")
    elif not one.volumes:
        yield line(("  preserved data of volumes that are not listed", BAD))
    for volume in one.volumes:
        words = display.clean(f"{volume.volume} ({volume.status_text or '?'})")
        yield hanging(("  preserved data of ", BAD), [words], display)
