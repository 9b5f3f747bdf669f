"""The block of one controller: identity, cache, arrays, volumes and drives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.health.redundancy import INCOMPLETE, survives
from raidctl.model import Array, Cache, Controller, Volume
from raidctl.model.drives_below import DrivesBelow
from raidctl.model.write_policy import in_force
from raidctl.model.write_protection import drive_caches
from raidctl.output import phrases
from raidctl.output.console import BAD, DULL, PLAIN, STRONG, WARN, Display, Piece, pack
from raidctl.output.drives import drives_table
from raidctl.output.table import Column, facts, nonempty, shown, table
from raidctl.select import short
from raidctl.text import counted
from raidctl.units import format_binary, format_percent

_NAME = "name"
_NOT_MOUNTED = "-"
Row = tuple[str, Sequence[Piece]]
"""A label, and the facts beside it."""


def controller_block(
    controller: Controller, display: Display, below: DrivesBelow, *, more: bool = False, unmounted: Collection[str] = ()
) -> Iterator[RenderableType]:
    """The parts of a controller's block.

    ``below`` are the drives of the machine, ``more`` adds what the tools report without a neutral name, ``unmounted``
    are volumes known not to be mounted.
    """
    yield _title(controller, display)
    rows = [
        *_board(controller, display),
        *_cache(controller, display),
        *_batteries(controller, display),
        *_arrays(controller, display),
        *(_all_details(controller, display) if more else ()),
    ]
    if rows:
        yield facts(rows, display)
    if controller.volumes:
        yield Text("")
        columns = _volume_columns(controller, display, unmounted)
        yield table(columns, display)
        notes = [*_states(controller, display), *_reasons(controller, display), *_settings(controller, display, below)]
        if not any(column.title == _NAME for column in shown(columns, display)):
            notes += _labels(controller, display)
        notes += [row for volume in controller.volumes if more for row in _more(volume, controller, display)]
        if notes:
            yield facts(notes, display, indent=4)
    if controller.drives:
        yield Text("")
        yield from drives_table(controller, display, more=more)


def _title(controller: Controller, display: Display) -> Text:
    pieces: list[Piece] = [(display.clean(controller.id), STRONG)]
    if name := phrases.product(controller):
        pieces.append(display.clean(name))
    word, style = phrases.status(controller.status, controller.status_text)
    if word != phrases.UNKNOWN:
        pieces.append((display.clean(word), style))
    return pack(pieces, display.columns, display.dot)


def _board(controller: Controller, display: Display) -> Iterator[Row]:
    texts = (
        controller.mode and phrases.MODES[controller.mode],
        controller.slot and f"slot {controller.slot}",
        controller.firmware and f"firmware {controller.firmware}",
        controller.serial and f"serial {controller.serial}",
        controller.driver and f"driver {controller.driver}",
        controller.pci_address and f"PCI {controller.pci_address}",
    )
    pieces = [display.clean(text) for text in texts if text]
    if pieces:
        yield "board", pieces


def _cache(controller: Controller, display: Display) -> Iterator[Row]:
    cache = controller.cache
    if cache is None:
        return
    if cache.present is False:
        yield "cache", ["none"]
        return
    pieces: list[Piece] = []
    if cache.size_bytes is not None:
        pieces.append(format_binary(cache.size_bytes))
    word, style = phrases.status(cache.status, phrases.brief(cache.status_text or ""))
    if word != phrases.UNKNOWN:
        pieces.append((display.clean(word), style))
    pieces += [text for text in (phrases.cache_split(cache),) if text]
    pieces += [(display.words(text), style) for text, style in _cache_warnings(cache)]
    if cache.flush_interval_seconds is not None:
        pieces.append(f"flushed every {cache.flush_interval_seconds} s")
    yield "cache", pieces or [phrases.UNKNOWN]


def _cache_warnings(cache: Cache) -> Iterator[tuple[str, Style]]:
    if cache.preserved_data:
        yield "HOLDS PRESERVED DATA OF OFFLINE VOLUMES", BAD
    if cache.unwritten_data:
        yield "holds unwritten data", PLAIN
    if cache.no_battery_write_cache is not None:
        on = cache.no_battery_write_cache
        yield ("NO-BATTERY WRITE CACHE ON", WARN) if on else ("no-battery write cache off", PLAIN)


def _batteries(controller: Controller, display: Display) -> Iterator[Row]:
    for battery in controller.batteries:
        pieces: list[Piece] = [phrases.battery_status(battery), *phrases.battery_facts(battery)]
        if len(controller.batteries) > 1:
            pieces.insert(0, short(battery.id, controller.id))
        label = "capacitor" if battery.kind == "capacitor" else "battery"
        yield label, [display.piece(piece) for piece in pieces]


def _arrays(controller: Controller, display: Display) -> Iterator[Row]:
    for array in controller.arrays:
        if _same_as_volume(array, controller):
            continue
        word, style = phrases.status(array.status, array.status_text)
        pieces: list[Piece] = [(display.clean(word), style)]
        counted = [_count(array.drives, "drive"), _count(array.spares, "spare")]
        members = " + ".join(text for text in counted if text)
        pieces += [members] if members else []
        if array.size_bytes is not None:
            pieces.append(f"{phrases.decimal(array.size_bytes)} raw")
        if array.free_bytes is not None:
            pieces.append(f"{phrases.decimal(array.free_bytes)} free" if array.free_bytes else "nothing free")
        yield display.clean(f"array {short(array.id, controller.id)}"), pieces


def _same_as_volume(array: Array, controller: Controller) -> bool:
    """Whether the array is the same as its one volume. Then the volume's row is enough."""
    on_it = [volume for volume in controller.volumes if volume.array == array.id]
    same = len(on_it) == 1 and array.id.startswith(f"{on_it[0].id}/")
    return same and (array.status in {"ok", "unknown"} or on_it[0].status not in {"ok", "unknown"})


def _count(names: tuple[str, ...], noun: str) -> str:
    return counted(len(names), noun) if names else ""


def _volume_columns(controller: Controller, display: Display, unmounted: Collection[str]) -> list[Column]:
    volumes = controller.volumes

    def of(title: str, values: list[tuple[str, Style]], least: int = 0, *, optional: bool = False) -> Column:
        return Column(title, [(display.clean(text), style) for text, style in values], least, optional=optional)

    cached = any(volume.cache for volume in volumes)
    always = (
        of("volume", [(short(v.id, controller.id), STRONG) for v in volumes]),
        of("level", [(phrases.level(v), PLAIN) for v in volumes]),
        Column("size", [(phrases.decimal(v.size_bytes), PLAIN) for v in volumes], right=True),
        of("status", [_volume_status(v) for v in volumes]),
        of("write cache", [phrases.write_cache(v.cache) for v in volumes]) if cached else None,
        Column("safe", [phrases.protected(v.cache) for v in volumes], whole=True) if cached else None,
    )
    if_reported = (
        of("device", [(v.device or phrases.UNKNOWN, PLAIN) for v in volumes]),
        of("mounted", [_mounted(v, unmounted) for v in volumes], 10),
        of(_NAME, [(v.name or "", PLAIN) for v in volumes], optional=True),
        of("unique id", [(v.unique_id or "", DULL) for v in volumes], optional=True),
    )
    return [column for column in always if column] + nonempty(if_reported)


def _mounted(volume: Volume, unmounted: Collection[str]) -> tuple[str, Style]:
    nothing = _NOT_MOUNTED if volume.id in unmounted else phrases.UNKNOWN
    return ", ".join(volume.mountpoints) or nothing, PLAIN


def _volume_status(volume: Volume) -> tuple[str, Style]:
    word, style = phrases.status(volume.status)
    percent = volume.progress.percent if volume.progress and volume.status != "ok" else None
    return (word if percent is None else f"{word} {format_percent(percent)}"), style


def _states(controller: Controller, display: Display) -> Iterator[Row]:
    """State of volumes that are not ok, or redundant in name only."""
    for volume in controller.volumes:
        bare = volume.status in INCOMPLETE or (volume.status == "ok" and volume.failures_tolerated == 0)
        if volume.status == "ok" and not volume.progress and not (bare and survives(volume)):
            continue
        texts = (
            phrases.members(volume),
            survives(volume) if bare else "",
            _progress(volume),
            _other_source(volume),
        )
        pieces: list[Piece] = [(display.clean(text), WARN) for text in texts if text]
        if pieces:
            yield _names([volume], controller, display), pieces


def _progress(volume: Volume) -> str:
    """The operation, or only its time left if the column of the states has the rest: ``REBUILDING 37%``."""
    current = volume.progress
    if current is None:
        return ""
    text = phrases.progress(current)
    if current.percent is None or current.state in ("queued", "paused") or current.operation not in _STATED:
        return text
    return text.partition(", ")[2] if volume.status == _STATED[current.operation] else text


_STATED = {"rebuild": "rebuilding", "recovery": "rebuilding", "check": "checking"}
"""The state that an operation gives its volume."""


def _other_source(volume: Volume) -> str:
    """The tool's own words for the state, if they are more specific."""
    text = volume.status_text or ""
    percent = volume.progress.percent if volume.progress else None
    known = text.lower() == volume.status or (percent is not None and format_percent(percent) in text)
    return "" if known else text


def _reasons(controller: Controller, display: Display) -> Iterator[Row]:
    """Why a configured write policy is not active. Volumes with the same reason are listed together."""
    groups: dict[str, list[Volume]] = {}
    for volume in controller.volumes:
        if volume.cache and (volume.cache.why_not_in_force or in_force(volume.cache) is False):
            groups.setdefault(volume.cache.why_not_in_force or "", []).append(volume)
    for why, volumes in groups.items():
        reason = display.clean(why) if why else "the tool reports no reason"
        yield (
            _names(volumes, controller, display),
            [(display.words("configured write policy is not active: ") + reason, WARN)],
        )


def _settings(controller: Controller, display: Display, below: DrivesBelow) -> Iterator[Row]:
    """Further settings; volumes with the same settings are listed together."""
    groups: dict[tuple[str, ...], list[Volume]] = {}
    for volume in controller.volumes:
        groups.setdefault(phrases.volume_settings(volume, drive_caches(volume, below)), []).append(volume)
    for settings, volumes in groups.items():
        if settings:
            yield _names(volumes, controller, display), [(display.clean(text), DULL) for text in settings]


def _names(volumes: list[Volume], controller: Controller, display: Display) -> str:
    """The volumes of a row; ``all`` if none is missing."""
    if len(volumes) == len(controller.volumes) > 1:
        return "all"
    return display.clean(", ".join(short(volume.id, controller.id) for volume in volumes))


def _labels(controller: Controller, display: Display) -> Iterator[Row]:
    """The users' labels of volumes, for tables without room for them."""
    named = [f"{short(volume.id, controller.id)} is {volume.name}" for volume in controller.volumes if volume.name]
    if named:
        yield "names", [(display.clean(text), DULL) for text in named]


def _all_details(controller: Controller, display: Display) -> Iterator[Row]:
    """Details in the tools' words. They describe the controller, its cache, batteries and arrays."""
    yield from _details("details", controller.details, display)
    yield from _details("of cache", controller.cache.details if controller.cache else {}, display)
    sources = [(battery.id, battery.details) for battery in controller.batteries]
    sources += [(array.id, array.details) for array in controller.arrays]
    for identifier, details in sources:
        yield from _details(f"of {short(identifier, controller.id)}", details, display)


def _more(volume: Volume, controller: Controller, display: Display) -> Iterator[Row]:
    yield from _details(short(volume.id, controller.id), volume.details, display)


def _details(label: str, details: dict[str, str], display: Display) -> Iterator[Row]:
    if details:
        yield display.clean(label), [(display.clean(f"{name}: {value}"), DULL) for name, value in details.items()]
