"""The state of reading an answer: its controller, and the section's object."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.text import regex
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.storcli.columns import key
from raidctl_megaraid.storcli.outline import Answer, Section
from raidctl_megaraid.vocabulary import normalized

# Drive /c0/e252/s0 - Detailed Information    Drive /c0/s4 Device attributes
DRIVE = regex(r"(?:drive )?/c(\d{1,6})(?:/e(\d{1,6}))?/s(\d{1,6})\b(?: ?-)? ?(.*)", re.IGNORECASE | re.ASCII)
# /c0/v3    PDs for VD 3    VD3 Properties
VOLUME = regex(r"/c\d{1,6}/v(\d{1,6})|pds for vd ?(\d{1,6})|vd ?(\d{1,6}) properties", re.IGNORECASE | re.ASCII)
_CONTROLLER = regex(r"(?:drive |enclosure )?/c(\d{1,6})(?:/.*)?", re.IGNORECASE | re.ASCII)

OF_DRIVE = frozenset(
    {
        "drive detailed information", "lu/ns information", "lu/ns properties", "path information",
        "connector information", "port information", "inquiry data", "state", "device attributes",
        "policies/settings", "drive information", "phy information",
    }
)  # fmt: skip
"""Titles of sections of the drive that the sections before were about."""
_OF_VOLUME = frozenset({"vd info", "vd properties", "pds"})


class StorageContext(Struct):
    """One answer while it is read."""

    controllers: Controllers
    answer: Answer
    description: str
    drive: Draft | None = None
    """The drive that the sections are about."""
    volume: GroupDraft | None = None
    """The volume that the sections are about."""
    units: int = 0
    """Logical units of the current drive that were read."""
    pieces: int = 0
    """Pieces of free space that were read."""
    touched: dict[int, Draft] = {}
    """Drafts with new facts; their status is inferred at the end."""
    _controller: ControllerDraft | None = None
    _by_pid: dict[str, Draft] | None = None

    @property
    def controller(self) -> ControllerDraft:
        """The controller. A draft is created only if an answer reports something about it."""
        if self._controller is None:
            self._controller = self.controllers.controller(self.answer.number or self._titled())
        return self._controller

    def _titled(self) -> str | None:
        """The controller's number from a title, if the answer lost its head."""
        for section in self.answer.sections:
            match = _CONTROLLER.fullmatch(section.title)
            if match is not None:
                return match[1]
        return None

    def about(self, draft: Draft | None) -> None:
        """Note that something was reported about it."""
        if draft is not None:
            self.touched[id(draft)] = draft

    def enter_drive(self, draft: Draft) -> None:
        """The sections that follow are about a drive."""
        if draft is not self.drive:
            self.drive, self.units = draft, 0
        self.volume = None
        self.about(draft)

    def enter_volume(self, draft: GroupDraft) -> None:
        """The sections that follow are about a volume."""
        self.volume, self.drive = draft, None
        self.about(draft)

    def enter(self, section: Section) -> None:
        """Enter the object that a section is about.

        It follows from the section's title, the titles around it, or the section before.
        """
        for title in (section.title, *reversed(section.path)):
            match = DRIVE.fullmatch(title)
            if match is not None:
                self.enter_drive(self.controller.drive(key((match[2] or "", match[3]))))
                return
            match = VOLUME.fullmatch(title)
            if match is not None:
                self.enter_volume(self.controller.volume(match[1] or match[2] or match[3]))
                return
        title = normalized(section.title)
        if title in _OF_VOLUME and self.volume is None:
            self.drive = None  # a volume whose number was not read
        listed = inside(section, "drives list") or inside(section, "virtual drives")
        if not (listed or title in OF_DRIVE or title in _OF_VOLUME):
            self.drive = self.volume = None

    def by_pid(self, pid: str) -> Draft | None:
        """The drive of a persistent id (version 8)."""
        if self._by_pid is None:
            self._by_pid = {d.details["PID"]: d for d in self.controller.drives.values() if "PID" in d.details}
        return self._by_pid.get(pid)


def inside(section: Section, title: str) -> bool:
    """Whether a section belongs to an item of a list: ``("Drives List[3]",)``."""
    return any(path.lower().startswith(f"{title}[") for path in section.path)
