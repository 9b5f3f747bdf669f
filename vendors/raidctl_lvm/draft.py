"""Logical volumes as lvs lists them, and drafts of RAID volumes."""

from __future__ import annotations

import re

from msgspec import Struct, field

from raidctl.evidence import Line
from raidctl.vendor.draft import GroupDraft
from raidctl.vendor.software import SoftwareDraft


class Row(Struct):
    """A logical volume in a list. The brackets around hidden ones are left out."""

    vg: str
    lv: str
    attr: str
    lines: dict[str, Line]
    """The line of each column; in text the same one for all."""
    cells: dict[str, str]
    """By the names of lvs's fields: ``sync_percent``, ``segtype``, ``devices``."""

    def letter(self, place: int) -> str:
        """A letter of Attr, counted from 1. Empty in the short form of old versions."""
        return self.attr[place - 1 : place]

    def line(self, *columns: str) -> Line:
        """The line of the first of these columns that was printed."""
        found = next((self.lines[name] for name in columns if name in self.lines), None)
        return found or next(iter(self.lines.values()))


class Status(Struct):
    """A line of ``dmsetup status`` or ``table`` about a RAID target."""

    line: Line
    words: list[str]
    """The parameters of the target."""
    target: str

    @property
    def health(self) -> str:
        """``AAa``: a letter for each image; empty in ``dmsetup table``."""
        if self.target == "mirror":
            return next((word for word in self.words if re.fullmatch("[AaDSRU]{2,}", word)), "")
        return self.words[2] if len(self.words) > 3 and re.fullmatch("[A-Za-z-]+", self.words[2]) else ""


class ControllerDraft(SoftwareDraft[GroupDraft]):
    """All RAID volumes of a machine, and what they were read from. A drive's name is ``vg/lv/sda2``."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    """By ``vg/lv``: a volume of several segments has several."""
    statuses: dict[str, Status] = field(default_factory=dict)
    """By ``vg/lv``; of several, the worst."""
