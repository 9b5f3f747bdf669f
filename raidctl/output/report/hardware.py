"""The report's section about the inventory, with the lines behind each fact. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rich.style import Style

from raidctl.evidence import Fact, Output
from raidctl.health.redundancy import survives
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.output import phrases
from raidctl.output.console import BAD, DULL, GOOD, WARN
from raidctl.output.report.page import Block, Cell, Heading, Level, Paragraph, Raw, Raws, Section, Table, table
from raidctl.select import items, short
from raidctl.text import collapse, regex
from raidctl.units import format_binary

_LEVELS: Mapping[Style, Level] = {BAD: "bad", WARN: "warn", GOOD: "good", DULL: "dull"}
_MARK = regex(rf"(?<!\S){re.escape(phrases.UNKNOWN)}(?!\S)")
LONGEST = 400
"""Characters of a line of output, at most."""
Lines = Callable[[str], "Raws | None"]
"""The lines behind the facts of an object, by its id."""


def section(inventory: Inventory, lines: Lines) -> Section:
    """Controllers with their caches, batteries, volumes and drives."""
    blocks: list[Block] = []
    for controller in sorted(inventory.controllers, key=lambda one: one.mode == "none"):
        blocks += _controller(controller, lines)
    if not blocks:
        blocks.append(Paragraph("No controller, array or drive was found.", "warn"))
    return Section("hardware", "Hardware", tuple(blocks))


def lines_of(outputs: Sequence[Output], wanted: Callable[[str], bool]) -> Lines:
    """The lines behind the facts of the wanted objects. None for the others."""
    found: dict[str, list[Fact]] = {}
    for output in sorted(outputs, key=lambda one: one.command):
        for fact in output.facts:
            found.setdefault(fact.object_id, []).append(fact)

    def lines(name: str) -> Raws | None:
        facts = found.get(name, []) if wanted(name) else []
        raws = tuple(dict.fromkeys(_raw(fact) for fact in facts))
        return Raws(f"Lines behind the facts of {name}", raws) if raws else None

    return lines


def _raw(fact: Fact) -> Raw:
    return Raw(fact.field, fact.command, fact.line.number, clipped(fact.line.text))


def joined(raws: Iterable[Raw]) -> tuple[Raw, ...]:
    """Lines of output, each once, with all facts that come from it."""
    facts: dict[Raw, list[str]] = {}
    for raw in raws:
        facts.setdefault(replace(raw, fact=""), []).append(raw.fact)
    return tuple(replace(raw, fact=", ".join(names)) for raw, names in facts.items())


def clipped(text: str) -> str:
    """A line of output as one line. A very long one is cut."""
    flat = collapse(text)
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}…"


def styled(cell: tuple[str, Style]) -> Cell:
    """A text of the screen as a cell with its level."""
    return Cell(_written_out(cell[0]), _LEVELS.get(cell[1], "plain"))


def _written_out(text: str) -> str:
    """A text of the screen, with a word instead of the mark for unknown."""
    return _MARK.sub("unknown", text)


def _controller(controller: Controller, lines: Lines) -> Iterator[Block]:
    yield Heading(f"{controller.id} {phrases.product(controller)}".strip())
    yield _facts(controller)
    if controller.volumes:
        yield _volumes(controller)
    if controller.drives:
        yield _drives(controller)
    for item in items(controller):
        if (raws := lines(item.id)) is not None:
            yield replace(raws, raws=joined(raws.raws))


def _facts(controller: Controller) -> Table:
    rows: list[tuple[Cell | str, ...]] = [("Status", styled(phrases.status(controller.status, controller.status_text)))]
    texts = (
        ("Mode", phrases.MODES.get(controller.mode or "", "")),
        ("Firmware", controller.firmware),
        ("Serial number", controller.serial),
        ("Driver", controller.driver),
        ("PCI address", controller.pci_address),
        ("Read by", controller.told_by),
    )
    rows += [(name, text) for name, text in texts if text]
    cache = controller.cache
    if cache is not None:
        size = "none" if cache.present is False else "unknown size"
        size = format_binary(cache.size_bytes) if cache.size_bytes else size
        state = styled(phrases.status(cache.status, cache.status_text))
        parts = [text for text in (size, state.text, phrases.cache_split(cache)) if text]
        rows.append(("Cache", Cell(", ".join(parts), state.level)))
    for battery in controller.batteries:
        word = styled(phrases.battery_status(battery))
        text = ", ".join((word.text, *phrases.battery_facts(battery)))
        noun = "Capacitor" if battery.kind == "capacitor" else "Battery"
        number = short(battery.id, controller.id).removeprefix("battery")
        rows.append((f"{noun} {number}".rstrip(), Cell(text, word.level)))
    for array in controller.arrays:
        state = styled(phrases.status(array.status, array.status_text))
        rows.append((f"Array {short(array.id, controller.id)}", state))
    return table(f"Facts of {controller.id}", ("", ""), rows)


def _volumes(controller: Controller) -> Table:
    heads = (
        "Volume", "RAID level", "Size", "Status", "Left", "Write cache", "Unwritten data safe", "Strip", "Device",
        "Mounted", "Name",
    )  # fmt: skip
    rows = [_volume(volume, controller) for volume in controller.volumes]
    return table(f"Volumes of {controller.id}", heads, rows)


def _volume(volume: Volume, controller: Controller) -> tuple[Cell | str, ...]:
    progress = f", {phrases.progress(volume.progress)}" if volume.progress else ""
    state = styled(phrases.status(volume.status, volume.status_text))
    cached = volume.cache is not None
    return (
        short(volume.id, controller.id),
        _written_out(phrases.level(volume)),
        _written_out(phrases.decimal(volume.size_bytes)),
        Cell(f"{state.text}{progress}", state.level),
        survives(volume),
        styled(phrases.write_cache(volume.cache)) if cached else "",
        styled(phrases.protected(volume.cache)) if cached else "",
        format_binary(volume.strip_bytes) if volume.strip_bytes else "",
        volume.device or "",
        ", ".join(volume.mountpoints),
        volume.name or "",
    )


def _drives(controller: Controller) -> Table:
    heads = (
        "Drive", "Bay", "Model", "Serial number", "Firmware", "Size", "Kind", "Role", "Status", "°C", "Hours", "Errors",
        "Write cache", "Device", "Mounted",
    )  # fmt: skip
    rows = [_drive(drive, controller) for drive in controller.drives]
    return table(f"Drives of {controller.id}", heads, rows)


def _drive(drive: Drive, controller: Controller) -> tuple[Cell | str, ...]:
    role = " ".join((drive.role or "", short(drive.array, controller.id) if drive.array else ""))
    return (
        short(drive.id, controller.id),
        ":".join(part for part in (drive.enclosure, drive.bay) if part),
        drive.model or "",
        drive.serial or "",
        drive.firmware or "",
        _written_out(phrases.decimal(drive.size_bytes)),
        _written_out(phrases.medium(drive)),
        role.strip(),
        styled(phrases.status(drive.status, drive.status_text)),
        "" if drive.temperature_celsius is None else str(drive.temperature_celsius),
        "" if drive.power_on_hours is None else f"{drive.power_on_hours:,}",
        Cell(phrases.errors(drive), "warn"),
        {"enabled": "on", "disabled": "off"}.get(drive.write_cache or "", ""),
        drive.device or "",
        ", ".join(drive.mountpoints),
    )
