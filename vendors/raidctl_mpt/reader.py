"""Reader of one output: lines into sections, sections into drafts of controllers."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, printable, regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import read_pair, read_pairs
from raidctl.vendor.forms import first_form, forms
from raidctl_mpt import vocabulary
from raidctl_mpt.draft import ControllerDraft, Controllers
from raidctl_mpt.labels import CONTROLLER, DRIVE, VOLUME

_LONGEST = 400
"""Characters of the longest line that the tools print."""
_GENERATION = regex(r"SAS([23]) IR Configuration Utility|SAS([23])IRCU|Controller type\s*:\s*SAS([23])", re.IGNORECASE)
_TYPED = regex(r"sas[23]ircu\S*\s+(\d{1,3})\s+\w", re.IGNORECASE | re.ASCII)
_ROW = (
    r"(\d{1,3}) +(\S+) +([\da-f]{1,4})h +([\da-f]{1,4})h +([\da-f]{1,4})h:([\da-f]{1,2})h:([\da-f]{1,2})h:"
    r"([\da-f]{1,2})h(?: +([\da-f]{1,4})h +([\da-f]{1,4})h)?"
)
_FORMS = forms(
    # SAS2IRCU: Utility Completed Successfully.
    ("end", "ircu", r"sas[23]ircu: utility completed successfully\.?"),
    # SAS2IRCU: Command DISPLAY Completed Successfully.    SAS2IRCU: there are no IR volumes on the controller!
    ("heading", "ircu", r"sas[23]ircu: command .* successfully\.?"),
    ("empty", "ircu", r"sas[23]ircu: there are no ir volumes.*"),
    # SAS2IRCU: Error executing command STATUS.        SAS2IRCU: MPTLib2 Error 1
    ("error", "ircu", r"sas[23]ircu: (.*)"),
    # # /opt/lsi/sas2ircu/sas2ircu 0 DISPLAY
    ("typed", "ircu", r"(?:\S{0,60}[#$>] *)?(?:\S*/)?sas[23]ircu\S* .*"),
    # Read configuration has been initiated for controller 0
    # Background command progress status for controller 0...
    ("start", "for controller", r".* for controller (\d{1,3})\b[. ]*"),
    # Version 18.00.00.00 (2013.11.18)
    ("version", "version", r"version (\d[\d.]{2,30}) *\(.*\)"),
    # LSI Corporation SAS2 IR Configuration Utility.
    ("heading", "utility", r".* sas[23] ir configuration utility\.?"),
    ("heading", "copyright", r"copyright .*"),
    # Initiator at ID #0
    ("heading", "initiator", r"initiator at id #.*"),
    # -----  ------------  ------      ************
    ("heading", "-", r"[- ]+"),
    ("heading", "*", r"\*+"),
    #          Adapter      Vendor  Device                       SubSys  SubSys
    #  Index    Type          ID      ID    Pci Address          Ven ID  Dev ID
    ("heading", "adapter", r"adapter +vendor +device +subsys.*"),
    ("heading", "index", r"index +type +id +id +pci address.*"),
    #   0     SAS2008     1000h    72h   00h:01h:00h:00h      152dh   897ah
    ("row", "h:", _ROW),
    ("title", "information", r"(controller|ir volume|physical device|enclosure) information"),
    # IR volume 1        IR Volume 1
    ("volume", "ir volume", r"ir volume (\d{1,4})"),
    # Device is a Hard disk        Device is a Enclosure services device
    ("device", "device is a", r"device is an? (.*)"),
    flags=re.IGNORECASE | re.ASCII,
)
_PAIR = regex(r"\s*([^:]{1,60}?)\s*:(?:\s+(.*?))?\s*")
# PHY[0] Enclosure#/Slot#                 : 1:0
_MEMBER = regex(r"PHY\[(\d{1,3})\] Enclosure#/Slot#", re.ASCII | re.IGNORECASE)
_PLACE = regex(r"(\d{1,5}):(\d{1,5})", re.ASCII)
_ZERO = regex(r"[0-]+")
_SECTION_OF = {
    "controller type": "controller", "volume id": "volume", "status of volume": "volume", "enclosure #": "drive",
    "current operation": "volume", "enclosure#": "enclosure", "slot #": "drive",
}  # fmt: skip
"""The section of a line whose title was cut off."""


class Section(Struct):
    """The labels of one object."""

    kind: str
    name: str
    pairs: list[Pair] = []


class Reader:
    """Reads one output."""

    def __init__(self, output: Output, controllers: Controllers) -> None:
        """``output.command`` names the tool and the controller: ``sas2ircu 0 DISPLAY``."""
        self.output = output
        self.controllers = controllers
        words = "\n".join(line.text for line in output.lines if len(line.text) <= _LONGEST)
        found = _GENERATION.search(f"{words}\n{output.command}")
        self.generation = next((f"sas{digit}-" for digit in found.groups() if digit), "") if found else ""
        typed = _TYPED.search(output.command)
        self.number = typed[1] if typed else "0"
        self.section: Section | None = None
        self.place = ""
        self.errors: list[str] = []
        self.ended = self.empty = False
        self.version: str | None = None

    def read(self) -> None:
        """Go through all lines."""
        for line in self.output.lines:
            if line.stripped and len(line.text) <= _LONGEST:
                self._line(line)
        self._close()
        self.output.gap = "" if self.ended else "the line that ends it is missing"

    @property
    def tool(self) -> str:
        """``sas2ircu``; empty if the output does not show which tool it is."""
        return f"{self.generation[:-1]}ircu" if self.generation else ""

    @property
    def controller(self) -> ControllerDraft:
        """The current controller."""
        return self.controllers.controller(f"{self.generation}{int(self.number)}")

    def _line(self, line: Line) -> None:
        text = collapse(line.text)
        found = first_form(_FORMS, text, text.lower())
        if found is None:
            self._pair(line)
            return
        kind, match = found
        if kind == "row":
            self._row(line, match)
        elif kind == "error":
            self.errors += [] if self.empty else [match[1][:200]]
            self.ended = True
        elif kind in ("empty", "end"):
            self.empty, self.ended = kind == "empty", True
            if kind == "end":
                self._close()  # pairs below it are another tool's
        elif kind == "version":
            self.version = match[1]
        elif kind in ("start", "typed"):
            number = match[1] if kind == "start" else (typed[1] if (typed := _TYPED.search(text)) else self.number)
            self._close()
            self.number, self.ended, self.place = number, False, ""
        elif kind in ("title", "volume", "device"):
            self._open(kind, match[1])
        mark_read(line)

    def _open(self, kind: str, words: str) -> None:
        self._close()
        if kind == "title":
            self.place = words.lower()
            self.section = Section("controller", "") if self.place == "controller" else None
        elif kind == "volume":
            self.section = Section("volume", str(int(words)))
        else:
            enclosure = "enclosure" in words.lower()
            self.section = Section("device" if enclosure else "drive", words)

    def _close(self) -> None:
        section, self.section = self.section, None
        if section is not None and section.pairs:
            read_section(self.controller, section)

    def _pair(self, line: Line) -> None:
        parts = _PAIR.fullmatch(line.text)
        if parts is None:
            return
        pair = Pair(collapse(parts[1]), (parts[2] or "").strip(), [line])
        label = pair.label.lower()
        begins = label in ("enclosure#", "controller type") and (self.section is None or bool(self.section.pairs))
        if self.section is None or begins:
            kind = _SECTION_OF.get(label)
            if kind is None:
                return
            self._close()
            self.section = Section(kind, pair.value if kind == "enclosure" else "1" if kind == "volume" else "")
        self.section.pairs.append(pair)

    def _row(self, line: Line, match: re.Match[str]) -> None:
        self.number = match[1]
        controller = self.controller
        controller.put(line, "model", match[2], 1)
        address = f"{int(match[5], 16):04x}:{int(match[6], 16):02x}:{int(match[7], 16):02x}.{int(match[8], 16):x}"
        controller.put(line, "pci_address", address)
        controller.detail(line, "PCI id", f"{int(match[3], 16):04x}:{int(match[4], 16):04x}")
        if match[9]:
            controller.detail(line, "PCI subsystem", f"{int(match[9], 16):04x}:{int(match[10], 16):04x}")


def read_section(controller: ControllerDraft, section: Section) -> None:
    """Read the labels of one object into its draft."""
    if section.kind == "controller":
        read_pairs(controller, section.pairs, CONTROLLER, str.lower)
    elif section.kind == "volume":
        _volume(controller, section)
    elif section.kind == "drive":
        _drive(controller, section)
    else:
        value = {pair.label.lower(): pair.value for pair in section.pairs}
        place = f"{value.get('enclosure #', '?')}:{value.get('slot #', '?')}"
        prefix = f"enclosure {section.name} " if section.kind == "enclosure" else f"{section.name} {place} "
        for pair in section.pairs:
            controller.keep_detail(pair, prefix)
        # State : Failed (FLD)
        state = value.get("state", "")
        found = vocabulary.drive_state(state)
        if found is None and vocabulary.has_value(state):
            controller.unread(f"state of {section.name} {place}", state)
        elif found is not None and found[0] != "ok":
            message = f"{section.name} {place}: {printable(state)}."
            controller.add_problem("warning", "state", message, "Check the enclosure and its cables.")


def _volume(controller: ControllerDraft, section: Section) -> None:
    identity = next((pair.value for pair in section.pairs if pair.label.lower() == "volume id"), None)
    same = [name for name, one in controller.volumes.items() if identity and one.details.get("Volume ID") == identity]
    name = same[0] if same else section.name
    if not same and name in controller.volumes and identity and "Volume ID" in controller.volumes[name].details:
        name = str(max(int(number) for number in controller.volumes) + 1)
    volume = controller.volume(name)
    for pair in section.pairs:
        member = _MEMBER.fullmatch(pair.label)
        place = _PLACE.fullmatch(pair.value) if member is not None else None
        if member is not None and place is not None:
            array = controller.array(name)
            array.members[f"{member[1]} {int(place[1])}:{int(place[2])}"] = None
            array.add_evidence(pair.lines[0], "drives", pair.value)
        elif not read_pair(volume, pair, pair.label.lower(), VOLUME):
            volume.keep_detail(pair)


def _drive(controller: ControllerDraft, section: Section) -> None:
    value = {pair.label.lower(): pair.value for pair in section.pairs}
    enclosure, bay, serial = (value.get(label, "") for label in ("enclosure #", "slot #", "serial no"))
    key = place = f"{enclosure or '?'}:{bay or '?'}"
    number = 1
    while key in controller.drives and controller.drives[key].get("serial") != vocabulary.text(serial):
        number += 1
        key = f"{place}-{number}"
    drive = controller.drive(key)
    drive.conclude("place", place)
    # SAS Address : 0000000-0-0000-0000 of a missing drive, whose place 0:0 means that there is none
    nowhere = _ZERO.fullmatch(value.get("sas address", "")) is not None
    for pair in section.pairs:
        label = pair.label.lower()
        if (nowhere and label in ("enclosure #", "slot #")) or not read_pair(drive, pair, label, DRIVE):
            drive.keep_detail(pair)
