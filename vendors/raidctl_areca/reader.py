"""Read one output line by line into drafts of controllers.

What ``vsf info vol=N``, ``disk info drv=N`` and ``rsf info raid=N`` print is kept until all outputs were read: another
one may name the object.
"""

from __future__ import annotations

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, regex
from raidctl.text import pair as split_pair
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import read_pair
from raidctl_areca import grammar, tables, vocabulary
from raidctl_areca.draft import ControllerDraft, Controllers
from raidctl_areca.labels import CONFIG, SYSTEM

# Areca CLI, Version: 1.86, Arclib: 310, Date: Nov  1 2010( Linux )
_BANNER = regex(r"\s*(?:Areca CLI, Version: ?(?P<version>[\w.]{1,20}).*|Copyright.*Areca.*|\W*All Rights Reserved\W*)")
_HELP = regex(r"\s*(?:Command Format: .*|Note: Use .*|[a-z]{2,10} {2,}[A-Z].*)")
_LISTS = {
    "channels": "drives", "slots": "drives", "serials": "drives", "sets": "arrays", "volumes": "volumes",
    "controllers": "controllers",
}  # fmt: skip
_SECTION_OF = {
    "device state": "drive", "timeout count": "drive", "media error count": "drive", "firmware rev.": "drive",
    "device location": "drive", "ide channel": "drive", "device type": "drive", "disk capacity": "drive",
    "volume set name": "volume", "cache mode": "volume", "volume state": "volume", "tagged queuing": "volume",
    "scsi ch/id/lun": "volume", "raid set state": "set", "total raw capacity": "set", "main processor": "system",
    "boot rom version": "system", "controller name": "system", "system memory": "system",
    "firmware version": "system", "battery status": "hardware", "cpu fan": "hardware", "cpu temperature": "hardware",
    "disk write cache mode": "config", "buffer threshold": "config", "hdd read ahead cache": "config",
    "jbod/raid configuration": "config", "background task priority": "config",
}  # fmt: skip
"""The section of a line whose title was cut off."""


class Section(Struct):
    """A titled list of labels; ``number`` is that in the command."""

    kind: str
    number: str | None
    controller: ControllerDraft
    pairs: list[Pair] = []


class Reader:
    """A reader of one output, line by line. It keeps the current controller, section and table."""

    tool = "cli64"

    def __init__(self, output: Output, controllers: Controllers) -> None:
        """``output.command`` may name the object: ``cli64 disk info drv=3``."""
        self.output = output
        self.controllers = controllers
        self.command = output.command
        self.number = grammar.controller_of(output.command) or "1"
        self.table: str | None = None
        self.column = 0
        self.numbered = False
        self.places = "MinDiskCap"
        self.section: Section | None = None
        self.prefix = ""
        self.sections: list[Section] = []
        self.errors: list[grammar.Trailer] = []
        self.ended = False
        self.lost: list[str] = []
        self.version: str | None = None

    def read(self) -> None:
        """Go through all lines."""
        for line in self.output.lines:
            if line.text and len(line.text) <= grammar.LONGEST_LINE:
                self.line(line)
        self.output.gap = "" if self.ended else "the line that ends it is missing"

    @property
    def controller(self) -> ControllerDraft:
        """The current controller."""
        return self.controllers.controller(self.number)

    def line(self, line: Line) -> None:
        """Read a line by its form."""
        text = line.text.rstrip()
        # the rows of a long table first: nothing else begins with a number
        if not text or (self.table is not None and text.lstrip()[0].isdigit() and self._row(line, self.table)):
            return
        typed = grammar.command_of(text)
        trailer = grammar.trailer(text)
        if typed is not None:
            self._typed(line, typed)
        elif grammar.is_rule(text):
            mark_read(line)
        elif trailer is not None:
            self._trailer(line, trailer)
        elif (title := grammar.title(text)) is not None:
            self.ended = False
            self._open(line, *title)
        elif (kind := grammar.heading(text)) is not None:
            self.ended = False
            self._heading(line, kind)
        elif self.table is None or not self._row(line, self.table):
            self._other(line, text)

    def _typed(self, line: Line, typed: str) -> None:
        # CLI> disk info drv=1
        self.command = typed
        self.number = grammar.controller_of(typed) or self.number
        self.table, self.section = None, None
        mark_read(line)

    def _trailer(self, line: Line, trailer: grammar.Trailer) -> None:
        self.ended = True
        if not trailer.success:
            self.errors.append(trailer)
        self.table, self.section, self.prefix = None, None, ""
        mark_read(line)

    def _open(self, line: Line, kind: str, prefix: str) -> None:
        word = {"drive": "drv", "volume": "vol", "set": "raid"}.get(kind)
        number = grammar.target_of(self.command, word) if word is not None else None
        self.section = Section(kind, number, self.controller)
        self.sections.append(self.section)
        self.table, self.prefix = None, prefix
        mark_read(line)

    def _heading(self, line: Line, kind: str) -> None:
        self.table, self.section = kind, self.section if kind == "smart" else None
        self.column = line.text.find("Raid Name")
        self.numbered = "Raid#" in line.text
        self.places = "DiskChannels" if "diskchannels" in line.text.lower().replace(" ", "") else "MinDiskCap"
        mark_read(line)

    def _row(self, line: Line, table: str) -> bool:
        row = grammar.row(line.text, table)
        if table == "help" and _HELP.fullmatch(line.text):
            mark_read(line)
            return True
        if row is None:
            return False
        if table == "controllers":
            self._listed(line, row)
        elif table == "sets":
            tables.set_row(self.controller, line, row, self.places)
        elif table == "volumes":
            if self.numbered:
                name, _, number = row["names"].rpartition(" ")
                names = (name.strip(), number) if name.strip() else None
            else:
                names = grammar.two_names(row["names"], self.column, line.text) if self.column > 0 else None
            tables.volume_row(self.controller, line, row, names, numbered=self.numbered)
        elif table == "smart":
            if self.section is not None:
                value = f"{row['value']} ({row['limit']}) {row['state']}"
                self.section.pairs.append(Pair(row["name"], value, [line]))
        else:
            tables.drive_row(self.controller, line, row)
        return True

    def _listed(self, line: Line, row: dict[str, str]) -> None:
        # [*] 1   ARC-1880   Raid Controller  PCI
        number = str(int(row["number"]))
        controller = self.controllers.controller(number)
        controller.put(line, "model", row["model"], 1)
        controller.detail(line, "Listed as", row["more"])
        if row.get("mark") == "*":
            self.number = number

    def _other(self, line: Line, text: str) -> None:
        listed = grammar.controller_line(text)
        banner = _BANNER.fullmatch(text)
        part = grammar.part(text)
        if banner is not None:
            self.version = banner["version"] or self.version
            mark_read(line)
        elif listed is not None:
            self._listed(line, listed)
        elif grammar.events_heading(text) or _HELP.fullmatch(text):
            mark_read(line)
        elif grammar.is_event(text):
            self.controller.add_evidence(line, "events", line.stripped)
        elif part is not None:
            self._part(line, *part)
        elif (drive := grammar.smart_title(text)) is not None:
            self.section = Section("smart", drive, self.controller)
            self.sections.append(self.section)
            mark_read(line)
        elif self.table in _LISTS and split_pair(text) is None and grammar.looks_like_a_row(text):
            what = f"Line not recognised in the list of {_LISTS[self.table]}: {collapse(text)[:120]}"
            self.lost.append(what)
        else:
            self._pair(line, text)

    def _part(self, line: Line, name: str, description: str) -> None:
        # [Controller H/W Monitor]      [Enclosure#1 : ARECA   SAS RAID AdapterV1.0]
        self.prefix = "" if name.lower().startswith("controller") else f"{name} "
        if description:
            self.controller.detail(line, name, collapse(description))
        else:
            mark_read(line)

    def _pair(self, line: Line, text: str) -> None:
        parts = split_pair(text)
        if parts is None:
            return
        pair = Pair(*parts, [line])
        if self.section is None:
            kind = _SECTION_OF.get(pair.label.lower())
            if kind is None:
                return
            self._open(line, kind, "")
        if self.section is None:
            return
        if self.section.kind == "system":
            self._system(pair)
        elif self.section.kind == "hardware":
            tables.hardware(self.controller, pair, self.prefix)
        elif self.section.kind == "config":
            read_pair(self.controller, pair, pair.label.lower(), CONFIG)
            self.controller.keep_detail(pair, self.prefix)
        else:
            self.section.pairs.append(pair)

    def _system(self, pair: Pair) -> None:
        # Serial Number      : Y106CABRAR200408
        if pair.label.lower() == "serial number" and vocabulary.has_value(pair.value):
            controller = self.controllers.of_serial(self.number, pair.value)
            if controller.name != self.number:
                controller.add_problem(
                    "info", "note", "The outputs cover several controllers; unnamed output is assigned to the first.",
                )  # fmt: skip
            self.number = controller.name
        if not read_pair(self.controller, pair, pair.label.lower(), SYSTEM):
            self.controller.keep_detail(pair, self.prefix)
