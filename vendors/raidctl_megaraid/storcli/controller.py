"""Sections about a controller, not about its volumes, drives or arrays.

The sections of volumes, drives, enclosures, groups and foreign configurations are handed back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidctl.evidence import mark_read
from raidctl.text import regex
from raidctl.vendor.draft import WEAK, Pair
from raidctl.vendor.statuses import is_bad_status
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.storcli import battery, foreign
from raidctl_megaraid.storcli import controller_labels as labels
from raidctl_megaraid.storcli import controller_words as words
from raidctl_megaraid.storcli.host_tables import is_overview, read_overview, row_number
from raidctl_megaraid.storcli.outline import Answer, Row, Section
from raidctl_megaraid.storcli.settings import read_pair, read_property
from raidctl_megaraid.storcli.tables import keep_rows, keep_texts
from raidctl_megaraid.vocabulary import normalized

_OWN = regex(
    r"supported (?:adapter|controller|pd|vd|drive|enclosure|jbod)s? operations|.*system overview|.*preserved cache.*"
    r"|aso|(?:controller|ctrl) .*|max\. supported config|virtual drive defaults"
)
_OTHERS = regex(
    r"drives?\b.*|/c\w+/(?!bbu|cv|ep\b).*|/[esvdf](?:\d|all).*|.*\bv(?:irtual )?d(?:rive)?s?\d*\b.*|pds?\b.*"
    r"|.*physical d.*"
    r"|(?:dg|jbod|un-?configured|foreign|topology|enclosure|lu/ns|inquiry)s?\b.*"
)
_DRIVE_PARTS = regex(r"(?:port|path|connector|phy) information")
_OTHER_COLUMNS = frozenset({
    "eid:slt", "eid:slot", "eid", "dg/vd", "dg", "vd", "did", "pid", "drive", "drive-id", "slt", "slot", "vdid", "jbod",
    "enclosure", "vd operation", "drive status", "enclid", "eid:slt:pid", "progress%",
})  # fmt: skip


def read_controller(controllers: Controllers, answer: Answer, command: str) -> list[Section]:
    """Read the sections about the controller, its cache and its battery. Return the others.

    A controller is created only if something about it is reported, not for "Controller 5 not found".
    """
    own, others = _divide(answer)
    _read_status_block(controllers, answer)
    kind = battery.kind_of_answer(answer, command)
    for section in own:
        rest = _without_controllers(controllers, section)
        if rest.pairs or rest.rows or rest.texts:
            controller = _controller(controllers, answer)
            if battery.is_battery(rest, kind):
                battery.read_battery(controller, rest, kind)
            else:
                _read_section(controller, rest)
    _read_anchor(controllers, answer, own)
    return [_take_counts(controllers, answer, section) for section in others]


def _controller(controllers: Controllers, answer: Answer) -> ControllerDraft:
    controller = controllers.controller(answer.number)
    if answer.number is not None and len(answer.number) < 8 and controller.get("number") is None:
        for pair in answer.status:
            if words.word(pair.label) == "controller":
                controller.put(pair.lines[0] if pair.lines else None, "number", int(answer.number))
    return controller


def _divide(answer: Answer) -> tuple[list[Section], list[Section]]:
    """Return the controller's own sections, and the others. Tables of drives in its own are among the others."""
    own: list[Section] = []
    others: list[Section] = []
    drives = False
    for section in answer.sections:
        title = words.word(section.title)
        drives = drives or title.startswith(("drive", "/c"))
        if _belongs_elsewhere(section, title, drives=drives):
            others.append(section)
            continue
        rows = [row for row in section.rows if not _OWN.fullmatch(title) and _is_other_row(row)]
        if rows:
            others.append(replace(section, pairs=[], texts=[], lines=[], rows=rows))
            own.append(replace(section, rows=[row for row in section.rows if not _is_other_row(row)]))
        else:
            own.append(section)
    return own, others


def _belongs_elsewhere(section: Section, title: str, *, drives: bool) -> bool:
    if any(_is_others_title(words.word(part)) for part in section.path):
        return True
    return _is_others_title(title) or (drives and _DRIVE_PARTS.fullmatch(title) is not None)


def _is_others_title(title: str) -> bool:
    return not _OWN.fullmatch(title) and _OTHERS.fullmatch(title) is not None


def _is_other_row(row: Row) -> bool:
    return any(words.word(label) in _OTHER_COLUMNS for label in row)


def _read_status_block(controllers: Controllers, answer: Answer) -> None:
    """``CLI Version``, ``Status``, ``Description`` and the rows of ``Detailed Status``: see ``failure.py``."""
    for pair in answer.status:
        mark_read(*pair.lines)
        # Description = No Virtual Drive has Preserved Cache Data.
        if words.word(pair.label) == "description" and _NOTHING_PRESERVED.search(pair.value) and answer.number:
            _controller(controllers, answer).put(pair.lines[0] if pair.lines else None, "cache.preserved_data", False)
    for row in answer.details:
        for cell in row.values():
            mark_read(*cell.lines)


_NOTHING_PRESERVED = regex(r"\bno (?:virtual drives?|vds?) ha(?:s|ve) (?:any )?preserved cache", re.IGNORECASE)


def _without_controllers(controllers: Controllers, section: Section) -> Section:
    """Return a section without rows of other controllers and of the machine."""
    if is_overview(section):
        read_overview(controllers, section)
    rows = []
    for row in section.rows:
        cell = row_number(row)
        if cell is None or len(row) < 3:
            rows.append(row)
        elif not is_overview(section):
            _read_controller_row(controllers, section, row, cell)
    return replace(section, rows=rows, pairs=[pair for pair in section.pairs if not _is_hosts(section, pair)])


def _read_controller_row(controllers: Controllers, section: Section, row: Row, number: Pair) -> None:
    """A row of ``ASO`` in ``show all``: ``Ctl Cl SAS MD R6 WC R5 …``."""
    controller = controllers.controller(number.value.strip())
    mark_read(*number.lines)
    for cell in row.values():
        if cell is not number:
            controller.keep_detail(cell, f"{section.title}: ")


def _is_hosts(section: Section, pair: Pair) -> bool:
    """``Number of Controllers``, ``Host Name``: the machine's, not a controller's."""
    if section.title or words.word(pair.label) not in labels.HOST_LABELS:
        return False
    mark_read(*pair.lines)
    return True


def _take_counts(controllers: Controllers, answer: Answer, section: Section) -> Section:
    """``Virtual Drives = 2`` between the tables of a text output."""
    own = [pair for pair in section.pairs if words.word(pair.label) in labels.COUNTS]
    if not own:
        return section
    controller = _controller(controllers, answer)
    for pair in _without_foreign(controller, own):
        read_pair(controller, pair, "", fields=True)
    return replace(section, pairs=[pair for pair in section.pairs if words.word(pair.label) not in labels.COUNTS])


def _without_foreign(controller: ControllerDraft, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs except ``Total Foreign PDs = 15``, which reports a foreign configuration."""
    counts = [pair for pair in pairs if normalized(pair.label) in foreign.COUNTS]
    foreign.read_counts(controller, counts)
    return [pair for pair in pairs if pair not in counts]


def _read_section(controller: ControllerDraft, section: Section) -> None:
    title = words.word(section.title)
    if _is_event_log(section):
        _note_all(section)
        return
    if "preserved cache" in title and section.rows:
        _read_preserved(controller, section)
        return
    # The rows of the Policies Table and what follows them belong together: Policies: Rebuild Rate
    shown = "Policies" if title == "policies table" else section.title
    prefix = "" if title in labels.PLAIN_TITLES else f"{shown}: "
    for pair in section.pairs if prefix else _without_foreign(controller, section.pairs):
        read_pair(controller, pair, prefix, fields=title in labels.FIELD_TITLES)
    rest = [row for row in section.rows if not read_property(controller, row, title)]
    keep_rows(controller, section, rest, shown)
    for cell in (cell for row in rest for label, cell in row.items() if words.word(label) in ("state", "status")):
        if is_bad_status(cell.value):  # the title that names the object is missing
            controller.unread(f"row of {shown or 'a table'} with the {cell.label}", cell.value[:80])
    keep_texts(controller, section)


def _read_preserved(controller: ControllerDraft, section: Section) -> None:
    """Read a table of volumes whose preserved data the controller holds.

    Its columns are volume and state (``Missing``, ``Offline``).
    """
    for cell in next(iter(section.rows)).values():
        for line in cell.lines[:1]:
            controller.put(line, "cache.preserved_data", True)
    for row in section.rows:
        found = {words.word(label): pair.value.strip() for label, pair in row.items()}
        number = next((text for label, text in found.items() if label in _VOLUME_COLUMNS), "")
        if number.rpartition("/")[2].isdecimal():
            controller.keep_preserved(number.rpartition("/")[2], found.get("state"))
    keep_rows(controller, section, section.rows, section.title)


_VOLUME_COLUMNS = ("vd", "dg/vd", "virtual drive", "vd id", "ld", "target id")


def _is_event_log(section: Section) -> bool:
    """``seqNum: 0x000012ab`` …: past events, not the current state."""
    reported = {words.word(pair.label) for pair in section.pairs[:20]}
    return words.word(section.title) == "event data" or not reported.isdisjoint(("seqnum", "event description"))


def _note_all(section: Section) -> None:
    for pair in (*section.pairs, *section.texts, *(cell for row in section.rows for cell in row.values())):
        mark_read(*pair.lines)


def _read_anchor(controllers: Controllers, answer: Answer, own: list[Section]) -> None:
    """``Bus Number = 22``, ``Device Number = 0``, ``Function Number = 0`` (decimal), where no address is printed."""
    found: dict[str, Pair] = {}
    for pair in _pairs(own):
        name = labels.ANCHORS.get(words.word(pair.label))
        if name is not None:
            found.setdefault(name, pair)
    if not {"bus", "device", "function"} <= found.keys():
        return
    try:
        parts = {name: words.number(pair.value) for name, pair in found.items()}
    except ValueError:
        return
    bus, device, function = parts["bus"], parts["device"], parts["function"]
    if bus is None or device is None or function is None or bus > 255 or device > 31 or function > 7:
        return
    address = words.join_pci(min(parts.get("domain") or 0, 0xFFFFFFFF), bus, device, function)
    line = found["bus"].lines[0] if found["bus"].lines else None
    controller = _controller(controllers, answer)
    controller.put(line, "pci_address", address, WEAK)
    controller.put(None, "bus", address, WEAK)


def _pairs(sections: list[Section]) -> Iterator[Pair]:
    for section in sections:
        if words.word(section.title) in ("", "bus", "pci version", "basics"):
            yield from section.pairs
