"""Reader of one output: lines to sections, sections to controller drafts."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, counted, regex
from raidctl.vendor.draft import ROW, Pair
from raidctl.vendor.fields import read_pair, read_pairs
from raidctl.vendor.forms import first_form, forms
from raidctl.vendor.statuses import put_status
from raidctl_marvell import vocabulary
from raidctl_marvell.draft import ControllerDraft, Controllers
from raidctl_marvell.labels import ATTRIBUTES, CONTROLLER, DRIVE, VOLUME

_LONGEST = 600
"""Characters of the longest line that the tools print."""
_COUNTED = {"errors.pending": 1, "errors.uncorrectable": 1, "errors.reallocated": 10}
"""Sectors that are a warning, as in the rule `drive_errors`."""
_NVME = regex(r"^ *(?:VD ID|PD Count|SSD backend .{0,30}|Sector Size|SMART Critical) *:", re.MULTILINE)
_SMART = regex(r"\bsmart +-[pi] +(\d{1,4})\b", re.ASCII)
_FORMS = forms(
    # Total # of VD:       1
    ("total", "total #", r"total # of (vd|pd) *: *(\d{1,4})"),
    # # /bin/mvcli info -o vd        > info -o hba        > exit
    ("typed", "info", r"(?:[#$>] *)?(?:\S*/)?(?:(?:mvcli|mnv_?cli) +)?info +-o +\w+.*"),
    ("typed", "smart", r"(?:[#$>] *)?(?:\S*/)?(?:(?:mvcli|mnv_?cli) +)?smart +-[pi] +\d+.*"),
    ("heading", "exit", r"> *exit"),
    ("heading", ">", r">"),
    # SG driver version 3.5.36.
    ("heading", "sg driver", r"(?:sg driver version .*|wait for sg driver ready\.?)"),
    # cli :error opening SG device /dev/sg0: No such file or directory
    ("heading", "sg device", r"cli ?:error opening sg device .*"),
    ("heading", "ls:", r"ls: .*no such file or directory"),
    # CLI Version: 4.1.13.31   RaidAPI Version: 5.0.13.1071
    ("version", "cli version", r"cli version: *(\S{1,30})(?: +raidapi version: *\S+)?"),
    ("heading", "welcome", r"welcome to .*raid command line interface\.?"),
    ("heading", "-", r"-+"),
    ("heading", "information", r"(?:virtual disk|physical disk|block|adapter|hba) information"),
    ("heading", "smart info", r"smart info"),
    # ID      Attribute Name          Current Worst   Threshhold      RawValue        Status
    ("heading", "attribute name", r"id +attribute name +current +worst +thresh\w* +raw ?value(?: +status)?"),
    # 05      Reallocated Sectors     100     100     0               000000000000    OK
    ("attribute", " ", r"([\da-f]{2}) +(\S.*?) +(\d+) +(\d+) +(\d+) +([\da-f]{12})(?: +(\w+))?"),
    # No Adapter Found
    ("error", "no adapter", r"(.*no adapter.*)"),
    ("error", "error", r"((?:error|cli ?: ?error)\b.*)"),
    ("none", "no ", r"no (?:virtual disk|vd|physical disk|pd)\b.*"),
    # Current AdapterID:0
    ("adapter", "current adapter", r"current adapter ?id *: *(\d{1,3})"),
    flags=re.IGNORECASE | re.ASCII,
)
# 05      Reallocated Sectors     100     100     0
_TORN_ROW = regex(r"[\dA-Fa-f]{2} [A-Za-z].* \d+ \d+ \d+(?: [\dA-Fa-f]{1,11})?", re.ASCII)
# Sub Product:                         1d49-300        SMART Critical                No
_PAIR = regex(r"\s*(?:([^:]{1,60}?)\s*:|(SMART Critical)\s{2,})\s*(.*?)\s*")
_TWO_COLUMNS = regex(r"\s*\S[^:]{0,60}?\s{2,}\S.{0,200}")
_BEGINS = {
    "id": "v", "vd id": "v", "adapter": "p", "pd id": "p", "adapter id": "h", "controller id": "h", "block id": "b",
    "sequence": "e",
}  # fmt: skip
"""The labels that sections begin with."""


class Section(Struct):
    """The labels of one object."""

    kind: str
    pairs: list[Pair]

    def value(self, *labels: str) -> str | None:
        """The value of the first of these labels, in lower case."""
        return next((pair.value for pair in self.pairs if pair.label.lower() in labels), None)


class Reader:
    """Reads one output."""

    def __init__(self, output: Output, controllers: Controllers) -> None:
        """``output.command`` names the tool, and the drive: ``mvcli smart -p 0``."""
        self.output = output
        self.controllers = controllers
        texts = "\n".join(line.text for line in output.lines if len(line.text) <= _LONGEST)
        tool = output.command.partition(" ")[0].rpartition("/")[2]
        self.nvme = tool.startswith("mnv") or (not tool.startswith("mvcli") and _NVME.search(texts) is not None)
        self.adapter = "0"
        found = _SMART.search(output.command)
        self.drive = found[1] if found is not None else None
        self.section: Section | None = None
        self.errors: list[str] = []
        self.version: str | None = None
        self.listed: dict[str, int] = {"v": 0, "p": 0}
        self.totals: dict[str, int] = {}
        self.empty = False
        self.torn = ""
        self.judged: set[bool] = set()
        """Whether mnv_cli prints a SMART verdict, for each drive: all of them have one, or none."""

    def read(self) -> None:
        """Go through all lines."""
        for line in self.output.lines:
            if line.stripped and len(line.text) <= _LONGEST:
                self._line(line)
        self._close()
        self.output.gap = self._gap()
        if not self.output.gap and "p" in self.totals:
            self.controller.conclude("all_listed", value=True)

    def _gap(self) -> str:
        if self.torn:
            return self.torn
        for kind, label in (("v", "VD"), ("p", "PD")):
            listed, total = self.listed[kind], self.totals.get(kind)
            if listed and total is None:
                return f"the line `Total # of {label}` is missing"
            if total is not None and listed != total:
                return f"{listed} of {total} objects are listed"
        return "the line `SMART Critical` of a drive is missing" if len(self.judged) > 1 else ""

    @property
    def controller(self) -> ControllerDraft:
        """The current controller."""
        return self.controllers.controller(f"{'n' if self.nvme else ''}{int(self.adapter)}")

    @property
    def tool(self) -> str:
        """The tool that prints such an output."""
        return "mnv_cli" if self.nvme else "mvcli"

    def _line(self, line: Line) -> None:
        text = collapse(line.text)
        found = first_form(_FORMS, text, text.lower())
        if found is None:
            if _TORN_ROW.fullmatch(text):
                self.torn = "a row of the SMART attributes has no raw value"
            self._pair(line)
            return
        kind, match = found
        if kind == "attribute":
            self._attribute(line, match)
            return
        if kind == "total":
            self._close()
            self.totals[match[1][0].lower()] = self.totals.get(match[1][0].lower(), 0) + int(match[2])
        elif kind == "typed":
            self._close()
            smart = _SMART.search(text)
            self.drive = smart[1] if smart is not None else None
        elif kind == "version":
            self.version = match[1]
        elif kind == "error":
            self.errors.append(match[1][:200])
        elif kind == "adapter":
            self.adapter = match[1]
        self.empty = self.empty or kind == "none"
        mark_read(line)

    def _attribute(self, line: Line, match: re.Match[str]) -> None:
        owner = self.controller.drive(f"p{int(self.drive)}") if self.drive is not None else self.controller
        number, raw = int(match[1], 16), int(match[6], 16)
        label = f"SMART {number} {match[2]}" if self.drive is not None else f"drive SMART {number} {match[2]}"
        field = ATTRIBUTES.get(number)
        if field is not None and self.drive is not None:
            owner.put(line, field, raw)
        elif number == 0xC2 and self.drive is not None and 0 < raw & 0xFF < 120:
            owner.put(line, "temperature_celsius", raw & 0xFF)
        if self.drive is None and raw >= _COUNTED.get(field or "", raw + 1):
            # the command is missing, and with it the number of the drive
            message = f"SMART attribute {match[2]} of a drive counts {counted(raw, 'sector')}."
            owner.add_problem("warning", "state", message, "`mvcli smart -p N` shows which drive it is.")
        owner.detail(line, label, f"{match[3]}, threshold {match[5]}, raw {match[6]}")
        current, limit = int(match[3]), int(match[5])
        if (match[7] or "OK").upper() != "OK" or (limit > 0 and current <= limit):
            text = f"SMART attribute {match[2]}: {current}, threshold {limit}"
            owner.add_problem("warning", "state", f"{text}.", "Replace the drive.")
            if self.drive is not None:
                put_status(owner, [line], "drive", "warning", text=text, weight=ROW)

    def _pair(self, line: Line) -> None:
        parts = _PAIR.fullmatch(line.text)
        if parts is None:
            if self.nvme and self.section is not None and _TWO_COLUMNS.fullmatch(line.text):
                self.controller.unread("line", collapse(line.text)[:80])
            return
        pair = Pair(collapse(parts[1] or parts[2]), parts[3], [line])
        label = pair.label.lower()
        if label == "smart status return":
            if self.drive is not None:
                read_pair(self.controller.drive(f"p{int(self.drive)}"), pair, label, DRIVE)
            else:
                read_pair(self.controller, pair, label, CONTROLLER)
            return
        known = self.section.value("status") if self.section is not None else ""
        if self.nvme and label == "status" and known is not None:
            self.controller.unread("status of an object without its number", pair.value[:80])
        kind = _BEGINS.get(label)
        if kind is not None and not self._belongs_to_section(kind, label):
            self._close()
            self.section = Section(kind, [])
        if self.section is not None:
            self.section.pairs.append(pair)

    def _belongs_to_section(self, kind: str, label: str) -> bool:
        """Whether the label belongs to the current section.

        Examples are ``PD id`` of a block and ``PD ID`` behind ``Adapter``.
        """
        section = self.section
        if section is None:
            return False
        if section.kind == "b" and label in ("pd id", "vd id"):
            return section.value(label) is None
        return kind == section.kind == "p" and label == "pd id" and section.value("pd id") is None

    def _close(self) -> None:
        section, self.section = self.section, None
        if section is None:
            return
        missing = "" if self.nvme else missing_line(section)
        if self.nvme and section.kind == "p":
            self.judged.add(bool(section.value("smart critical")))
        if missing:
            self.torn = f"the line `{missing}` is missing"
        if section.kind in self.listed:
            self.listed[section.kind] += 1
        number = section.value("adapter", "adapter id", "controller id")
        if number is not None and re.fullmatch(r"\d{1,3}", number, re.ASCII):
            self.adapter = number
        read_section(self.controller, section)


def missing_line(section: Section) -> str:
    """The missing line at the end of a controller's description.

    Only lines that mvcli always prints are checked. The text is empty if they are there.

    A controller that checks the images of its firmware announces it as a feature, and their states come last.
    """
    if section.kind != "h" or section.value("adapter id") is None:
        return ""
    # Advanced features:                   event sense code,multi VD,spc 4,image health,timer,ata pass through
    for last in ("Features", "Max buffer size"):
        if section.value(last.lower()) is None:
            return last
    images = "image health" in (section.value("advanced features") or "").lower()
    return "HBA info image health" if images and section.value("hba info image health") is None else ""


def read_section(controller: ControllerDraft, section: Section) -> None:
    """Read the labels of one object into its draft."""
    if section.kind == "h":
        read_pairs(controller, section.pairs, CONTROLLER, str.lower)
    elif section.kind == "v":
        _volume(controller, section)
    elif section.kind == "p":
        drive = controller.drive(f"p{_number(section.value('pd id'))}")
        drive.conclude("listed", value=True)
        read_pairs(drive, section.pairs, DRIVE, str.lower)
    elif section.kind == "e":
        for pair in section.pairs:
            controller.add_evidence(pair.lines[0], "events", pair.value)
    else:
        name = f"block {section.value('block id')} "
        for pair in section.pairs:
            controller.keep_detail(pair, name)


def _number(text: str | None) -> str:
    return str(int(text)) if text is not None and re.fullmatch(r"\d{1,4}", text, re.ASCII) else "unknown"


def _volume(controller: ControllerDraft, section: Section) -> None:
    number = _number(section.value("id", "vd id"))
    volume = controller.volume(number)
    read_pairs(volume, section.pairs, VOLUME, str.lower)
    array = controller.array(number)
    lines = [pair.lines[0] for pair in section.pairs if pair.label.lower() in ("pd raid setup", "pds")]
    for name in volume.get("drives") or []:
        array.members[f"p{name}"] = None
        for line in lines:
            array.add_evidence(line, "drives", name)
    mode = section.value("cache mode")
    if mode is not None and mode.lower() not in ("", "unknown"):
        volume.conclude("cached", vocabulary.has_value(mode) and mode.lower() not in ("off", "disabled"), ROW)
