"""The drives of a controller, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import RenderableType
from rich.style import Style

from raidctl.model import Controller, Drive
from raidctl.output import phrases
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece
from raidctl.output.table import Column, facts, nonempty, shown, table
from raidctl.select import short
from raidctl.text import counted

_CACHE = {"enabled": ("on", PLAIN), "disabled": ("off", PLAIN), None: (phrases.UNKNOWN, DULL)}


_DEVICE = "device"
_NO_DEVICE = "-"
"""Shown for members of a controller's arrays, which have no device."""
_FEW = 8
"""Up to this number of drives, a drive may take two lines. With more, long model names are cut."""


def drives_table(controller: Controller, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The table of drives; ``more`` adds further facts about each below it."""
    columns = _columns(controller, display, whole=more)
    yield table(columns, display)
    homeless = not any(column.title == _DEVICE for column in shown(columns, display))
    rows = [
        (drive, [*_state(drive, display, device=homeless), *(_more(drive, display) if more else ())])
        for drive in controller.drives
    ]
    lines = [(display.clean(short(drive.id, controller.id)), pieces) for drive, pieces in rows if pieces]
    points = [
        (display.clean(f"{d.device or short(d.id, controller.id)} on {', '.join(d.mountpoints)}"), PLAIN)
        for d in controller.drives
        if d.mountpoints
    ]
    if points:
        lines.append(("mounted", points))
    if lines:
        yield facts(lines, display, indent=4)


def _state(drive: Drive, display: Display, *, device: bool) -> Iterator[Piece]:
    """Further state of a drive that is not ok. Its device is included if that has no column."""
    if device and drive.device:
        yield display.clean(drive.device)
    text = drive.status_text
    if text and drive.status not in {"ok", text.lower()}:
        yield display.clean(text), WARN
    if phrases.errors(drive):
        yield f"errors: {phrases.errors(drive)}", WARN


def _columns(controller: Controller, display: Display, *, whole: bool) -> list[Column]:
    drives = controller.drives

    def of(
        title: str, get: Callable[[Drive], str | None], least: int = 0, style: Style = PLAIN, *, optional: bool = False
    ) -> Column:
        return Column(
            title, [(display.clean(get(drive) or phrases.UNKNOWN), style) for drive in drives], least, optional=optional
        )

    def styled(title: str, get: Callable[[Drive], tuple[str, Style]]) -> Column:
        return Column(title, [(display.clean(text), style) for text, style in map(get, drives)])

    places = {d.id: _place(d, controller) for d in drives}
    identified = all(not d.serial or d.serial in d.id for d in drives)
    model = of("model", lambda d: d.model, 10)
    kind = of("kind", phrases.medium, 8)
    bay = of("bay", lambda d: places[d.id], 5)
    kind.late = bay.late = True  # a bay is a name: "Slot 01"
    model.cut = len(drives) > _FEW and not whole
    return [
        of("drive", lambda d: short(d.id, controller.id), style=STRONG),
        *nonempty(
            [
                bay if any(places.values()) else None,
                of(_DEVICE, lambda d: d.device or _NO_DEVICE, optional=not all(d.device for d in drives))
                if any(d.device for d in drives)
                else None,
                model,
            ]
        ),
        *nonempty([Column("size", [(phrases.decimal(d.size_bytes), PLAIN) for d in drives], right=True)]),
        *nonempty([kind, _roles(controller, display)]),
        styled("status", lambda d: phrases.status(d.status)),
        *nonempty(
            [
                Column(display.clean("°C"), [_celsius(d) for d in drives], right=True),
                styled("cache", lambda d: _CACHE[d.write_cache]),
                None if identified else of("serial", lambda d: d.serial, 10, optional=True),
                of("firmware", lambda d: d.firmware, 8, optional=True),
                of("link", lambda d: f"{d.link_gbps:g} Gbit/s" if d.link_gbps else None, 6, optional=True),
            ]
        ),
    ]


def _celsius(drive: Drive) -> tuple[str, Style]:
    known = drive.temperature_celsius is not None
    return (str(drive.temperature_celsius), PLAIN) if known else (phrases.UNKNOWN, DULL)


def _place(drive: Drive, controller: Controller) -> str:
    """Enclosure and bay, unless the id ends in them. If there is only one SES enclosure, the bay alone."""
    beside = {other.enclosure for other in controller.drives}
    known = len(beside) == 1 and (drive.enclosure or "").startswith("0x")
    place = ":".join(part for part in (None if known else drive.enclosure, drive.bay) if part)
    return "" if drive.bay and drive.id.rpartition("/")[2].endswith(drive.bay) else place


def _roles(controller: Controller, display: Display) -> Column | None:
    """The column with the roles of the drives. None if the system sees every drive."""
    if all(drive.role in {None, "passthrough"} and not drive.array for drive in controller.drives):
        return None
    rows = [_role(drive, controller) for drive in controller.drives]
    return Column("role", [(display.clean(text), style) for text, style in rows], 10)


def _role(drive: Drive, controller: Controller) -> tuple[str, Style]:
    word = drive.role or ("member" if drive.array else phrases.UNKNOWN)
    style = BAD if word == "failed" else DULL if word == phrases.UNKNOWN else GOOD if word == "spare" else PLAIN
    arrays = [drive.array] if drive.array else list(drive.spare_for)
    named = [short(array, controller.id) for array in arrays if not _named_after(drive, array, controller)]
    text = " ".join((word, *named, *(flag.replace("_", "-") for flag in drive.flags)))
    return text, style


def _named_after(drive: Drive, array: str, controller: Controller) -> bool:
    """Whether the drive's id begins with that of its array's volume (``md:md0/sda1``). If so, it is not repeated."""
    parent = array.rpartition("/")[0]
    return parent != controller.id and drive.id.startswith(f"{parent}/")


def _more(drive: Drive, display: Display) -> Iterator[Piece]:
    texts = (
        drive.serial and f"serial {drive.serial}",
        drive.firmware and f"firmware {drive.firmware}",
        drive.wwn and f"WWN {drive.wwn}",
        drive.link_gbps and f"link {drive.link_gbps:g} Gbit/s",
        drive.rpm and f"{drive.rpm} rpm",
        drive.power_on_hours is not None and counted(drive.power_on_hours, "hour"),
        drive.errors.media is not None and f"media errors {drive.errors.media}",
        drive.errors.other is not None and f"other errors {drive.errors.other}",
        drive.errors.predictive is not None and f"predicted failures {drive.errors.predictive}",
        *(f"{label}: {value}" for label, value in drive.details.items()),
    )
    yield from ((display.clean(text), DULL) for text in texts if text)
