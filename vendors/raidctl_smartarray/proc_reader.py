"""/proc/driver/cciss: controllers and volumes without any status. The kernel's cciss driver lists them."""

from __future__ import annotations

import re

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, regex
from raidctl.vendor.draft import Draft
from raidctl_smartarray import status_words
from raidctl_smartarray.draft import ControllerDraft

KIND = "proc"
SOURCE = "/proc/driver/cciss"
_GIGABYTE = 1_000_000_000
# cciss0: HP Smart Array 5i Controller        cciss0:  Compaq Smart Array 5300 Controller
_TITLE = regex(r"(?:cciss|hpsa)(\d{1,3}): +(?:(?:HP|Compaq) +)?(\S.{0,80}?) Controller", re.ASCII)
# cciss/c0d0:       72.83GB       RAID 1(1+0)
_VOLUME = regex(r"cciss/c(\d{1,3})d(\d{1,4}): +(\d{1,9})\.(\d\d)GB +RAID (\S.{0,20})", re.ASCII)
# cciss/c0d0: blksz=512 nr_blocks=17764320
_BLOCKS = regex(r"cciss/c(\d{1,3})d(\d{1,4}): blksz=(\d{1,6}) nr_blocks=(\d{1,15})", re.ASCII)
# Max # commands on controller since init: 21        Current # commands on controller 0
_PAIR = regex(r"([A-Z][\w #/().]{1,60}?)(?:: *| (?=\d+$))(\S.{0,80})", re.ASCII)
# nr_allocs = 11831533
_COUNTER = regex(r"nr_\w+ = \d+", re.ASCII)


class ProcReader:
    """A reader of one file. Several files in one text are read one after the other."""

    def __init__(self, output: Output) -> None:
        """Nothing is read yet."""
        self.output = output
        self.controllers: list[ControllerDraft] = []
        self.expected: dict[str, int] = {}

    def read(self) -> None:
        """Go through all lines."""
        for line in self.output.lines:
            text = collapse(line.text)
            if text:
                self._line(line, text)
        self.output.gap = self._gap()

    def _line(self, line: Line, text: str) -> None:
        title, volume, blocks = _TITLE.fullmatch(text), _VOLUME.fullmatch(text), _BLOCKS.fullmatch(text)
        if title is not None:
            found = ControllerDraft(node=f"c{int(title[1])}")
            found.put(line, "model", title[2])
            self.controllers.append(found)
        elif volume is not None:
            draft = self._volume(volume[1], volume[2], line)
            size = int(volume[3]) * _GIGABYTE + int(volume[4]) * _GIGABYTE // 100
            if size:  # drivers before Linux 2.6.8 could print 0.00GB
                draft.put(line, "size_bytes", size)
            read_level(draft, line, volume[5])
        elif blocks is not None:
            self._volume(blocks[1], blocks[2], line).put(line, "size_bytes", int(blocks[3]) * int(blocks[4]))
        elif _COUNTER.fullmatch(text):
            mark_read(line)
        elif self.controllers:
            self._pair(line, text)

    def _volume(self, controller: str, number: str, line: Line) -> Draft:
        node = f"c{int(controller)}"
        owner = next((one for one in self.controllers if one.node == node), None)
        if owner is None:
            owner = ControllerDraft(node=node)
            self.controllers.append(owner)
        draft = owner.volume(str(int(number)))
        draft.put(line, "device", f"/dev/cciss/{node}d{int(number)}")
        return draft

    def _pair(self, line: Line, text: str) -> None:
        pair = _PAIR.fullmatch(text)
        if pair is None:
            return
        label, value, owner = pair[1], pair[2], self.controllers[-1]
        if label == "Firmware Version":
            owner.put(line, "firmware", value)
            return
        if label == "Logical drives" and value.isdecimal():
            self.expected[owner.node] = int(value)
        owner.detail(line, label, value)

    def _gap(self) -> str:
        for one in self.controllers:
            expected = self.expected.get(one.node)
            if expected is None:
                return "the number of logical drives is missing"
            if len(one.volumes) < expected:
                return f"{len(one.volumes)} of {expected} logical drives are listed"
        return ""


def read_level(draft: Draft, line: Line, word: str) -> None:
    """Read the level behind a word of the driver or cciss_vol_status. A word with several meanings stays a detail."""
    found = status_words.level(word)
    if found is None:
        draft.detail(line, "RAID level", word)
    else:
        draft.put(line, "raid_level", found)
