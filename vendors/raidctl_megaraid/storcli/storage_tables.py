"""The reader of a table, by its columns.

The versions and the commands name the same table differently (``PD LIST``, ``Drive Information``, ``DG Drive LIST``,
none ); its columns show what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.text import regex
from raidctl.vendor.draft import DETAIL, ROW
from raidctl_megaraid.storcli import drive as drives
from raidctl_megaraid.storcli import enclosure, foreign, group, progress, volume
from raidctl_megaraid.storcli.columns import Cells, keep_cells, key, place
from raidctl_megaraid.storcli.outline import Section
from raidctl_megaraid.storcli.storage_context import VOLUME, StorageContext
from raidctl_megaraid.vocabulary import normalized

RowReader = Callable[[StorageContext, Section, Cells], bool]
"""A reader of a row. It returns False if the row does not show what it is about."""

_DRIVE_COLUMNS = frozenset({"state", "size", "med", "intf", "model", "did", "pid"})
_GOING_ON = frozenset({"progress%", "operation", "estimated time left"})
_NUMBER = regex(r"\d{1,6}", re.ASCII)


def reader_of(section: Section, titles: set[str]) -> RowReader | None:
    """The reader of a row with these columns. None for a table that is not about storage."""
    if "dg/vd" in titles:
        return _volume_progress if titles & _GOING_ON else volume_row
    if titles & {"eid:slt", "eid:slot", "drive-id"}:
        return _reader_of_drives(titles)
    if "vd" in titles:
        return _volume_progress if titles & _GOING_ON else _volume_note
    if "eid" in titles and titles & {"slots", "pd", "prodid"}:
        return _enclosure_row
    if "lun/nsid" in titles or (titles & {"pid", "status"} and normalized(section.title).startswith("lu/ns")):
        return _unit_row
    return _free_row if normalized(section.title).startswith("free space") and titles & {"dg", "size"} else None


def _reader_of_drives(titles: set[str]) -> RowReader:
    if titles & {"progress%", "estimated time left"}:
        return _drive_progress
    if "row" in titles and titles & {"arr", "span"}:
        return _topology_row
    return drive_row if titles & _DRIVE_COLUMNS else _drive_note


def volume_row(context: StorageContext, section: Section, row: Cells) -> bool:
    """A row of ``VD LIST``; the only row of ``/c0/v3`` ranks higher."""
    own = normalized(section.title) == "vd info" or VOLUME.fullmatch(section.title) is not None
    found = volume.read_row(context.controller, row, DETAIL if own else ROW)
    if found is not None and own:
        context.enter_volume(found)
    context.about(found)
    return found is not None


def drive_row(context: StorageContext, section: Section, row: Cells) -> bool:
    """A row of ``PD LIST``, ``PDs for VD 3``, ``JBOD LIST`` …."""
    found = drives.read_row(context.controller, row, jbod=normalized(section.title).startswith("jbod"))
    if found is None:
        return False
    if "dg" in row:
        foreign.read_mark(found, row["dg"])
    if context.volume is None:
        context.enter_drive(found)
        return True
    if found.get("role") != "spare":
        context.volume.members[found.name] = None
    context.about(found)
    return True


def _topology_row(context: StorageContext, _: Section, row: Cells) -> bool:
    found = group.read_topology(context.controller, row)
    context.about(found)
    return found is not None


def _volume_progress(context: StorageContext, _: Section, row: Cells) -> bool:
    found = progress.read_volume_row(context.controller, row, context.description)
    context.about(found)
    return found is not None


def _drive_progress(context: StorageContext, _: Section, row: Cells) -> bool:
    found = progress.read_drive_row(context.controller, row, context.description)
    context.about(found)
    return found is not None


def _volume_note(context: StorageContext, section: Section, row: Cells) -> bool:
    """Settings of volumes in a table: ``VD AutoBGI``."""
    number = row["vd"].value.strip()
    if not _NUMBER.fullmatch(number):
        return False
    keep_cells(context.controller.volume(number), row, f"{section.title} ".lstrip())
    return True


def _drive_note(context: StorageContext, section: Section, row: Cells) -> bool:
    """Settings of drives in a table."""
    where = place(row)
    if where is None:
        return False
    keep_cells(context.controller.drive(key(where)), row, f"{section.title} ".lstrip())
    return True


def _enclosure_row(context: StorageContext, _: Section, row: Cells) -> bool:
    enclosure.read_row(context.controller, row)
    return True


def _unit_row(context: StorageContext, _: Section, row: Cells) -> bool:
    """A logical unit of a drive: ``293 0/-  Online 9.094 TiB``."""
    found = context.drive
    if found is None and "pid" in row:
        found = context.by_pid(row["pid"].value)
    if found is None or "lun/nsid" not in row:
        return False
    if "status" in row:
        drives.read_unit_status(found, row["lun/nsid"].value, row["status"])
    keep_cells(found, row, f"LU/NS {row['lun/nsid'].value} ")
    context.about(found)
    return True


def _free_row(context: StorageContext, _: Section, row: Cells) -> bool:
    group.read_free_space(context.controller, row, context.pieces)
    context.pieces += 1
    return True
