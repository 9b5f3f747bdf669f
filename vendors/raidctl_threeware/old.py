"""The lists of the oldest releases (1.x, cards of the 6000 to 8000 series), which have no tables.

No source of today shows them, so the words are unverified::

    Controller: c0
    Model: 7506-8
    FW: FE7X 1.05.00.063
    # of units: 1
            Unit 0: RAID 5 698.65 GB ( 1465189376 blocks): OK
    # of ports: 8
            Port 0: WDC WD2500JB-00FUA0 WD-WCAL7XXXXXXX 232.88 GB (488397168 blocks): OK(unit 0)
            Port 7: DRIVE NOT PRESENT
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.draft import ROW, Pair
from raidctl.evidence import Line, Sheet
from raidctl_threeware import tables
from raidctl_threeware.draft import CardDraft, Cards
from raidctl_threeware.labels import driver, text

_LIST = re.compile(r"\s*List of controllers\s*", re.IGNORECASE)
# Controller 0: 7506-8 (8)
_LISTED = re.compile(r"\s*Controller (\d{1,3}): (\S+)\s*(?:\((\d{1,3})\))?\s*", re.ASCII)
_CARD = re.compile(r"\s*Controller: c?(\d{1,3})\s*", re.ASCII)
_LABEL = re.compile(r"\s*(Driver|Model|FW|BIOS|Monitor|Serial #|PCB|PCHIP|ACHIP|# of (?:units|ports)): *(.*?)\s*")
_SPACE = r"(\d{1,7}(?:\.\d{1,3})? [KMGT]B)\s*\(\s*(\d{1,15}) blocks\)"
_UNIT = re.compile(
    rf"\s*Unit (\d{{1,3}}):\s+([A-Za-z][\w -]{{0,20}}?)\s+{_SPACE}:\s*([A-Z][A-Z_-]*\*?)\s*(?:\(?(\d{{1,3}})%\)?)?\s*",
    re.ASCII,
)
_PORT = re.compile(
    rf"\s*Port (\d{{1,3}}):\s+(\S.*?)\s+{_SPACE}:\s*([A-Z][A-Z_-]*)\s*(?:\((?:unit (\d{{1,3}})|[A-Z ]{{1,20}})\))?\s*",
    re.ASCII,
)
_EMPTY = re.compile(r"\s*Port (\d{1,3}):\s+DRIVE NOT PRESENT\s*", re.ASCII | re.IGNORECASE)
_LEVEL = re.compile(r"RAID[ -]?(\d{1,2})", re.ASCII)
_FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "Model": ("model", text),
    "FW": ("firmware", text),
    "Serial #": ("serial", text),
}


def is_old(line: str) -> bool:
    """Whether a line is one that only these releases print."""
    return any(form.fullmatch(line) for form in (_UNIT, _PORT, _EMPTY, _LISTED, _CARD))


def read(line: Line, sheet: Sheet, cards: Cards, number: str) -> str | None:
    """Read one line into the card in focus, and tell which that is now; None for a line of another form."""
    raw = line.text.rstrip()
    named = _CARD.fullmatch(raw) or _LISTED.fullmatch(raw)
    if named is not None:
        _named(line, sheet, cards.card(named[1]), named)
        return named[1]
    if _LIST.fullmatch(raw):
        sheet.note(line)
        return number
    for form, take in ((_UNIT, _unit), (_PORT, _port), (_EMPTY, _nothing), (_LABEL, _label)):
        match = form.fullmatch(raw)
        if match is not None:
            take(line, sheet, cards.card(number), match)
            return number
    return None


def _named(line: Line, sheet: Sheet, card: CardDraft, match: re.Match[str]) -> None:
    card.seen(sheet, line, "id", f"c{match[1]}")
    if match.re is _LISTED:
        card.put(sheet, line, "model", match[2], ROW)
        if match[3]:
            card.detail(sheet, line, "Ports", match[3])


def _label(line: Line, sheet: Sheet, card: CardDraft, match: re.Match[str]) -> None:
    pair = Pair(match[1], match[2], [line])
    name, parse = _FIELDS.get(match[1], ("", None))
    if parse is not None:
        card.take(sheet, pair, name, parse)
        return
    if match[1] == "Driver" and driver(match[2]) is not None:
        card.put(sheet, line, "driver", driver(match[2]))
    card.keep(sheet, pair)


def _unit(line: Line, sheet: Sheet, card: CardDraft, match: re.Match[str]) -> None:
    number, kind, _, blocks, status, percent = match.groups()
    unit = card.unit(number)
    unit.seen(sheet, line, "id", f"u{number}")
    level = _LEVEL.fullmatch(kind)
    spare = "SPARE" in kind.upper()
    tables.unit_type(unit, sheet, line, f"RAID-{level[1]}" if level else "SPARE" if spare else kind.upper().split()[0])
    unit.put(sheet, line, "size_bytes", int(blocks) * 512)
    tables.unit_status(unit, sheet, line, status)
    if percent is not None and int(percent) <= 100:
        unit.put(sheet, None, "rebuilt", float(percent))
        unit.seen(sheet, line, "progress.percent", float(percent))


def _port(line: Line, sheet: Sheet, card: CardDraft, match: re.Match[str]) -> None:
    number, name, _, blocks, status, unit = match.groups()
    drive = card.drive(number)
    drive.seen(sheet, line, "id", f"p{number}")
    # the serial number stands behind the model, which has blanks of its own
    model, _, serial = name.rpartition(" ")
    drive.put(sheet, line, "model", (model or serial).strip(), ROW)
    if model:
        drive.put(sheet, line, "serial", serial, ROW)
    drive.put(sheet, line, "size_bytes", int(blocks) * 512)
    tables.drive_status(drive, sheet, line, status)
    if unit is None:
        drive.put(sheet, line, "free", value=True)
        return
    drive.put(sheet, line, "unit", unit)
    card.unit(unit).ports.setdefault(number)


def _nothing(line: Line, sheet: Sheet, card: CardDraft, match: re.Match[str]) -> None:
    card.seen(sheet, line, "drives", f"p{match[1]} is empty")
