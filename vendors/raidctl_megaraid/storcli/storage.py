"""Sections about volumes, drives, arrays, enclosures and foreign configurations.

A table is known by its columns (:mod:`storage_tables`). Sections below a drive or a volume are known by their titles,
by the titles around them, or by what came before them (:mod:`storage_context`).
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from raidctl.text import collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft, Pair
from raidctl_megaraid.draft import Controllers
from raidctl_megaraid.ports import keep_port
from raidctl_megaraid.storcli import drive as drives
from raidctl_megaraid.storcli import enclosure, foreign, numbers, volume
from raidctl_megaraid.storcli.columns import Cells, cells, keep_cells, keep_table
from raidctl_megaraid.storcli.outline import Answer, Row, Section
from raidctl_megaraid.storcli.storage_context import DRIVE, StorageContext, inside
from raidctl_megaraid.storcli.storage_tables import drive_row, reader_of, volume_row
from raidctl_megaraid.vocabulary import has_state, normalized

_ENCLOSURE = regex(r"enclosure (/c\d{1,6}/e(\d{1,6}))\b.*", re.IGNORECASE | re.ASCII)

_HEADINGS = frozenset(
    {
        "virtual drives", "drives list", "physical device information", "enclosure information", "vd list", "pd list",
        "physical drives", "topology", "enclosures", "enclosure list", "dg drive list", "un-configured drive list",
        "unconfigured drive list", "free space details", "jbod list", "drive information", "vds", "lu/ns list",
        "foreign configuration", "vd operation status",
    }
)  # fmt: skip
_COUNTS = frozenset(
    {
        "drive groups", "virtual drives", "physical drives", "enclosures", "jbod drives", "total vd count",
        "total drive count", "unconfigured drive count", "arrays", "jbods", "total free space count",
        "total enclosure count", "total jbod count",
    }
)  # fmt: skip


def read_storage(controllers: Controllers, answer: Answer) -> list[Section]:
    """Read every section about volumes, drives, groups, enclosures and foreign configurations.

    Returns:
        The unknown sections; for the untitled section, its remaining pairs.
    """
    context = StorageContext(controllers, answer, answer.printed("Description") or "")
    left = [rest for section in answer.sections for rest in _section(context, section)]
    for draft in context.touched.values():
        found = context.controller.volumes.get(draft.name)
        if found is draft:
            volume.infer(found)
        else:
            drives.infer(draft)
    return left


_LISTS = frozenset(
    {
        "vd list", "pd list", "topology", "jbod list", "virtual drives", "physical drives", "drive information",
        "enclosure list", "dg drive list", "un-configured drive list", "unconfigured drive list", "vd info",
    }
)  # fmt: skip
"""Tables whose rows are objects, whatever columns they have."""


def _section(context: StorageContext, section: Section) -> list[Section]:
    """Read a section, and return what is left of it."""
    if not section.title and not section.rows:
        return _untitled(context, section)
    context.enter(section)
    if not (section.pairs or section.rows or section.texts):
        known = normalized(section.title) in _HEADINGS or context.drive is not None or context.volume is not None
        return [] if known else [section]
    if foreign.is_foreign(section, context.description):
        foreign.read_section(context.controller, section)
        return []
    box = next((m for m in map(_ENCLOSURE.fullmatch, (section.title, *section.path)) if m), None)
    if box is not None:
        enclosure.read_section(context.controller, section, f"Enclosure {box[2]}")
        return []
    return _table(context, section)


def _untitled(context: StorageContext, section: Section) -> list[Section]:
    """Read the pairs directly in the response data: counts."""
    foreign_ones = [pair for pair in section.pairs if normalized(pair.label) in foreign.COUNTS]
    ours = [pair for pair in section.pairs if normalized(pair.label) in _COUNTS]
    if foreign_ones:
        foreign.read_counts(context.controller, foreign_ones)
    for pair in ours:
        context.controller.keep_detail(pair)
    taken = {id(pair) for pair in (*foreign_ones, *ours)}
    rest = replace(section, pairs=[pair for pair in section.pairs if id(pair) not in taken])
    return [rest] if rest.pairs or rest.texts else []


def _table(context: StorageContext, section: Section) -> list[Section]:
    """A table, or an object that stands for a row: ``"VD Info" : {"DG/VD" : "0/1", …}``."""
    rows = [cells(row) for row in section.rows]
    if not rows and section.pairs:
        row = {normalized(pair.label): pair for pair in section.pairs}
        nameless = _is_item(section) and reader_of(section, set(row)) is None
        if nameless:
            context.drive = context.volume = None  # those of the item before it
        if nameless or reader_of(section, set(row)) is not None:
            rows, section = [row], replace(section, pairs=[])
    usual = any(reader_of(section, set(row)) is not None for row in rows)
    listed = normalized(section.title) in _LISTS or any({"progress%", "status"} <= set(row) for row in rows)
    if not usual and not (rows and listed):
        return _below(context, section)
    for number, row in enumerate(rows):
        reader = reader_of(section, set(row))
        if reader is None or not reader(context, section, row):
            _keep_unaddressed(context, section, number, row)
    if len(rows) > 1 and context.drive is not None and not inside(section, "drives list"):
        context.drive = None
    _others(context, section)
    return []


def _is_item(section: Section) -> bool:
    """Whether a section names the object of an item: ``{"Drives List" : [{"Drive Information" : {…}, …}, …]}``."""
    title = normalized(section.title)
    return (title == "drive information" and inside(section, "drives list")) or (
        title == "vd info" and inside(section, "virtual drives")
    )


def _keep_unaddressed(context: StorageContext, section: Section, number: int, row: Cells) -> None:
    """Keep a row without the address of its object. A drive that is listed this way exists nevertheless."""
    owner: Draft = context.controller if context.volume is None else context.volume
    keep_cells(owner, row, f"{section.title} {number} ".lstrip())
    reader = reader_of(section, set(row))
    if reader not in (volume_row, drive_row) and {"state", "status"} & set(row):
        owner.add_problem(
            "warning", "unread", f"A row of {section.title or 'a table'} lacks the column that names its object; it is "
            "shown in the details only.", "See the tool's own list.",
        )  # fmt: skip
    if reader is volume_row:
        owner.add_problem(
            "warning", "unread", "A volume is listed without its number; it is shown in the details only.",
            "See the tool's own list.",
        )  # fmt: skip
    if reader is drive_row:
        owner.add_problem(
            "warning", "unread", "A drive is listed without enclosure and slot; it is shown in the details only.",
            "See the tool's own list.",
        )  # fmt: skip


def _others(context: StorageContext, section: Section) -> None:
    """Pairs and texts beside a table: counts (``Virtual Drives = 2``)."""
    owner: Draft = context.controller if context.volume is None else context.volume
    for pair in section.pairs:
        owner.keep_detail(pair)
    for pair in section.texts:
        owner.keep_detail(pair, section.title or "Text")


def _below(context: StorageContext, section: Section) -> list[Section]:
    """Read a drive's or volume's section, or one below a known title."""
    if context.drive is not None:
        _drive_section(context, context.drive, section)
    elif context.volume is not None:
        _volume_section(context, context.volume, section)
    elif normalized(section.title) in _HEADINGS and not section.rows:
        _others(context, section)
    else:
        return [section]
    return []


def _drive_section(context: StorageContext, draft: Draft, section: Section) -> None:
    """A drive's own section: state, attributes, policies, ports, inquiry data."""
    title = normalized(section.title)
    context.about(draft)
    prefix = ""
    if title.startswith("lu/ns properties"):
        context.units += 1
        prefix = "LU/NS " if context.units == 1 else f"LU/NS {context.units} "
    if context.units > 1 and prefix:
        drives.read_unit(draft, section.pairs, prefix)
    else:
        drives.read_pairs(draft, section.pairs, prefix)
    for row in section.rows:
        _link(draft, row)
        _report_state(draft, section, row)
    match = DRIVE.fullmatch(section.title)
    name = (match[4] if match else section.title) or "Text"
    keep_table(draft, section.rows, name if match else section.title)
    if section.texts:
        # Inquiry Data: rows of hexadecimal figures
        value = " ".join(pair.value for pair in section.texts)
        draft.keep_detail(Pair(name, value, [line for pair in section.texts for line in pair.lines]))


def _link(draft: Draft, row: Row) -> None:
    """Read the speed of a port, ``0 Active 12.0Gb/s 0x5000c500…``.

    It counts if the drive's own section does not report it.
    """
    found = cells(row)
    if "status" in found and not found.keys().isdisjoint(("port", "linkspeed", "sas address")):
        keep_port(draft, collapse(found["port"].value) if "port" in found else "?", found["status"].value)
    if "negotiated speed" in found:
        draft.read_field(found["negotiated speed"], "link_gbps", numbers.link_speed, DETAIL)
    elif "linkspeed" in found and normalized(found["status"].value if "status" in found else "active") == "active":
        draft.read_field(found["linkspeed"], "link_gbps", numbers.link_speed, ROW)


def _report_state(draft: Draft, section: Section, row: Row) -> None:
    """Report a row with a state among an object's sections: the column that names what it is about is damaged."""
    found = cells(row)
    if "state" in found and has_state(found["state"].value):
        draft.unread(f"row of {section.title or 'a table'} with the state", found["state"].value[:80])


def _volume_section(context: StorageContext, draft: GroupDraft, section: Section) -> None:
    """``VD0 Properties``, ``VD Properties``."""
    context.about(draft)
    volume.read_properties(draft, section.pairs)
    for row in section.rows:
        _report_state(draft, section, row)
    keep_table(draft, section.rows, section.title)
    for pair in section.texts:
        draft.keep_detail(pair, section.title)
