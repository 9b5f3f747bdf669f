"""An output of MegaCli as blocks: the lines below each heading.

The tool's outputs have no grammar in common: ``-PDList`` starts a drive with its enclosure, ``-LdPdInfo`` with ``PD: 0
Information``, ``-AdpAllInfo`` sets titles above rules. Blank lines mean nothing. A file may hold several, or a part.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl_megaraid.megacli import grammar
from raidctl_megaraid.megacli.grammar import Heading, Kind
from raidctl_megaraid.megacli.labels import AFTER_GAUGE, LABELS, NAMELESS, ONCE, PARTS, SENSORS, lost_heading, owner
from raidctl_megaraid.vocabulary import normalized

BlockKind = Literal[
    "controller", "volume", "drive", "group", "battery", "enclosure", "event", "summary", "missing", "hotspare"
]

_LONGEST_CONTINUATION = 160
# Check Consistency        : Completed 17%, Taken 55 min.
_PROGRESS = regex(r"completed\s+[\d.]{1,8}\s*%|taken\s+\d", re.IGNORECASE)
# Name                :RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
_GLUED = regex(r"(.*?)\s*\b(RAID Level)\s*:\s*(.+)")
# 0        500056b3aabbcc00
_PORT_ROW = regex(r"(\d{1,3})\s+([0-9a-fA-F]{8,32})", re.ASCII)
_PROMPT = regex(r"\S{0,80}[#$>%]\s")
_PORT = regex(r"port\s*-\s*\d{1,2}", re.IGNORECASE | re.ASCII)


class Item(Struct, gc=False):  # as a pair
    """A pair, and the part of its block that it belongs to."""

    section: str
    pair: Pair
    label: str
    """The label in the form for look-ups."""

    @classmethod
    def of(cls, section: str, pair: Pair) -> Item:
        """The pair with its label in the form for look-ups."""
        return cls(section, pair, normalized(pair.label))


class Block(Struct):
    """The lines below a heading or a label that opens an object."""

    kind: BlockKind
    name: str = ""
    line: Line | None = None
    adapter: str | None = None
    target: str | None = None
    rest: str = ""
    group: str | None = None
    """The disk group around it."""
    volume: str | None = None
    """The virtual drive (its target) that lists this drive as its own."""
    foreign: str | None = None
    """The number of the foreign configuration that it was read from."""
    items: list[Item] = []
    labels: set[str] = set()
    """The labels of its pairs, in the form for look-ups."""
    texts: list[Line] = []
    """Lines that are not pairs."""

    def add(self, item: Item) -> None:
        """Add a pair."""
        self.items.append(item)
        self.labels.add(item.label)


class Segment(Struct):
    """The output of one command: the lines above one exit code."""

    blocks: list[Block] = []
    sentences: list[tuple[str | None, Line]] = []
    """Lines that may be sentences, with the last controller named before."""
    code: int | None = None
    code_line: Line | None = None
    version: str | None = None
    hint: str | None = None
    """The controller that the command line named."""


class Outliner:
    """Reads the lines in one pass."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.segments: list[Segment] = [Segment(hint=grammar.adapter_of_command(output.command))]
        self.hint = self.segments[0].hint
        self.adapter: str | None = self.hint
        self.foreign: str | None = None
        self.group: str | None = None
        self.volume: Block | None = None
        self.block: Block | None = None
        self.section = ""
        self.summary = False
        self.last: Pair | None = None

    def take(self, text: str, line: Line, following: str) -> None:
        """Read one line; ``following`` is the next one that is not blank."""
        if not text or len(line.text) > grammar.LONGEST_LINE:
            self.last = None if self.last is not None and self.last.value else self.last
            return
        if not text[0].isalnum() and grammar.RULE.fullmatch(text):
            mark_read(line)
            return
        plain = grammar.ordinary(text)
        opens = not plain and (self.ends(text, line) or self.opens(text, line))
        if not (opens or self.titles(text, line, following)):
            self.content(text, line, plain=plain)

    def ends(self, text: str, line: Line) -> bool:
        """Whether the line ends an output or begins one: exit code, command line, banner."""
        exit_code = grammar.EXIT.fullmatch(text)
        if exit_code:
            mark_read(line)
            segment = self.segments[-1]
            segment.code, segment.code_line = int(exit_code[1], 0 if "x" in exit_code[1].lower() else 10), line
            self.begin(self.hint)
            return True
        if grammar.COMMAND.search(text):
            mark_read(line)
            self.begin(grammar.adapter_of_command(text) or self.hint)
            return True
        version = grammar.VERSION.search(text)
        if version:
            self.segments[-1].version = version[1]
        if version or grammar.COPYRIGHT.fullmatch(text) or (grammar.TITLES.fullmatch(text) and not self.sub(text)):
            mark_read(line)
            return True
        return False

    def begin(self, hint: str | None) -> None:
        """Start the output of another command."""
        if self.segments[-1].blocks or self.segments[-1].sentences or self.segments[-1].code is not None:
            self.segments.append(Segment())
        self.segments[-1].hint = hint
        self.adapter, self.foreign, self.group, self.volume, self.block = hint, None, None, None, None
        self.section, self.summary, self.last = "", False, None

    def sub(self, text: str) -> bool:
        """Whether the line opens a part of the drive above it."""
        return self.block is not None and self.block.kind == "drive" and normalized(text.rstrip(":")) in PARTS

    def opens(self, text: str, line: Line) -> bool:
        """Whether the line is a heading, which opens a block."""
        found = grammar.heading(text)
        in_event = self.block is not None and self.block.kind == "event"
        if found is None or (in_event and found.kind not in ("event", "adapter", "controller")):
            return False
        mark_read(line)
        self.section, self.last = "", None
        if found.adapter is not None:
            if found.adapter != self.adapter or found.kind in ("adapter", "controller"):
                self.group, self.volume, self.foreign = None, None, None
            self.adapter = found.adapter
        getattr(self, f"open_{found.kind}", self.open_block)(found, line)
        return True

    def open_block(self, found: Heading, line: Line | None, kind: BlockKind | None = None) -> Block:
        """Begin a block."""
        simple: dict[Kind, BlockKind] = {"adapter": "controller", "section": "controller"}
        block = Block(
            kind or simple.get(found.kind, found.kind),  # type: ignore[arg-type] # the others are of both
            found.name, line, self.adapter, found.target, found.rest,
            group=self.group, foreign=self.foreign,
        )  # fmt: skip
        self.block = block
        self.segments[-1].blocks.append(block)
        return block

    def open_adapter(self, found: Heading, line: Line) -> None:
        """``Adapter #0``: any kind of object may follow."""
        block = self.open_block(found, line, "controller")
        block.name = ""
        self.summary = False

    def open_section(self, found: Heading, line: Line) -> None:
        """``PCI information for Controller 0``."""
        self.open_block(found, line, "controller")
        self.section = found.name

    def open_group(self, found: Heading, line: Line) -> None:
        """``DISK GROUP: 0``."""
        self.group, self.volume = found.name, None
        self.open_block(found, line)

    def open_span(self, found: Heading, line: Line) -> None:
        """``SPAN: 0``: the pairs below it are the group's."""
        self.volume = None
        self.open_block(Heading("group", self.group or ""), line)
        self.section = f"Span {found.name}"

    def open_span_of_volume(self, found: Heading, line: Line) -> None:
        """``Span: 0 - Number of PDs: 2``."""
        if self.volume is None:
            self.block = None
            return
        block = self.open_block(Heading("volume", self.volume.name, target=self.volume.target), None)
        label, value = grammar.split(found.rest) or ("", "")
        block.add(Item.of("", Pair(f"Span {found.name} {label}", value, [line])))

    def open_volume(self, found: Heading, line: Line) -> None:
        """``Virtual Drive: 0 (Target Id: 0)``."""
        self.volume = self.open_block(found, line)

    def open_drive(self, found: Heading, line: Line) -> None:
        """Open a drive at ``PD: 0 Information``. It belongs to the virtual drive above, or to the disk group."""
        block = self.open_block(found, line)
        if self.volume is not None and self.group is None:
            block.volume = self.volume.target or self.volume.name

    def open_hotspare(self, found: Heading, line: Line) -> None:
        """``Dedicated Hotspare: 0`` belongs to the disk group above, ``Global Hotspare: 0`` to none."""
        self.volume, self.group = None, None if normalized(found.rest) == "global" else self.group
        block = self.open_block(Heading("drive"), line)
        block.rest = "spare"

    def open_foreign(self, found: Heading, line: Line) -> None:
        """``Foreign configuration 0``."""
        self.foreign, self.group, self.volume = found.name, None, None
        self.open_block(found, line, "controller").foreign = found.name

    def titles(self, text: str, line: Line, following: str) -> bool:
        """Whether the line is a title of ``-AdpAllInfo`` or of ``-ShowSummary``."""
        title = text.rstrip(":").strip()
        if ":" in title or (self.block is not None and self.block.kind == "event"):
            return False
        if title in grammar.SUMMARY_START or (self.summary and title in grammar.SUMMARY_PARTS and title == text):
            self.summary, self.section, self.last = True, title, None
            mark_read(line)
            self.block = None
            return True
        underlined = len(following) >= 8 and set(following) == {"="}
        if (title in grammar.SECTIONS and (underlined or text == title)) or underlined:
            mark_read(line)
            if self.block is None or self.block.kind != "controller":
                self.open_block(Heading("controller"), None)
            self.section, self.last = title, None
            return True
        return False

    def content(self, text: str, line: Line, *, plain: bool) -> None:
        """Read a pair, the continuation of a value, or a sentence. A plain line is never a sentence."""
        if self.block is not None and self.block.kind in ("event", "missing"):
            self.block.texts.append(line)
            return
        if not plain and grammar.SENTENCE.match(text):
            self.segments[-1].sentences.append((self.adapter, line))
            return
        found = grammar.split(text)
        if found is not None and self.pair(found[0], found[1], line):
            return
        if not self.runs_on(text, line):
            self.segments[-1].sentences.append((self.adapter, line))

    def pair(self, label: str, value: str, line: Line) -> bool:
        """Add a pair to its block, beginning one if needed. Return whether there is such a block."""
        key = normalized(label)
        if self.summary:
            self.summed(key, label, value, line)
            return True
        if key in ("time", "code") and self.block is None and re.match(r"\w{3} \w{3} |\d+ sec|0x", value):
            self.open_block(Heading("event"), None).texts.append(line)
            return True
        if lost_heading(key, "" if self.block is None else self.block.kind):
            self.section = ""
            self.volume = self.open_block(Heading("volume", NAMELESS), None)
        elif self.block is None or self.starts(key):
            kind = owner(key)
            if kind is None:
                return False
            self.section = ""
            self.open_block(Heading(kind), None)
        block = self.block
        if block is None:
            return False
        if key == "port" and normalized(value) == "address":
            mark_read(line)
            return True
        section = self.part(block, key, label, value)
        item = Pair(label, value, [line])
        glued = _GLUED.fullmatch(value) if key == "name" else None
        if glued:
            item.value = glued[1]
            block.add(Item.of(section, Pair(glued[2], glued[3], [line])))
        block.add(Item(section, item, key))
        self.last = item
        return True

    def starts(self, key: str) -> bool:
        """Whether a label begins a new object, not the open one."""
        block = self.block
        if block is None:
            return True
        if key == "enclosure device id":
            # Also below ``PD: 0 Information``, whose first label it is
            return block.kind != "drive" or key in block.labels or "slot number" in block.labels
        if key == "slot number":
            return block.kind == "drive" and key in block.labels
        if block.kind in ("volume", "drive"):
            return key in ONCE and owner(key) == block.kind and key in block.labels
        if block.kind == "controller" and not self.section:
            kind = owner(key)
            return kind is not None and kind != "controller"
        return False

    def part(self, block: Block, key: str, label: str, value: str) -> str:
        """The part of a block that a pair belongs to. Some labels open a new part."""
        if block.kind == "controller" and key == "operation mode" and not self.section:
            self.section = "Consistency Check"
        if (block.kind == "enclosure" and key in SENSORS) or key == "phy no":  # -PhyErrorCounters
            self.section = f"{label} {value}"
            return self.section
        if key in PARTS and (not value or key == "bbu gasgauge status"):
            self.section = PARTS[key]
        elif key == "battery state" and not value:
            self.section = ""
        elif block.kind == "drive" and key.startswith("port") and _PORT.fullmatch(key):
            self.section = label
        elif self.section and _ends_part(block, self.section, key, value):
            self.section = ""
        return self.section

    def summed(self, key: str, label: str, value: str, line: Line) -> None:
        """A pair of ``-ShowSummary``."""
        begins = {"connector", "virtual drive", "productname", "product name"}
        parts = self.section == "Enclosure" or key in ("state", "status")
        again = parts and self.block is not None and key in self.block.labels
        if self.block is None or key in begins or again:
            block = self.open_block(Heading("summary", self.section), None)
            block.name = self.section
        if self.block is not None:
            self.last = Pair(label, value, [line])
            self.block.add(Item.of(self.section, self.last))

    def runs_on(self, text: str, line: Line) -> bool:
        """Whether the line continues the value above it."""
        block, last = self.block, self.last
        if block is None or len(text) > _LONGEST_CONTINUATION or _PROMPT.match(text):
            return False
        row = _PORT_ROW.fullmatch(text)
        if block.kind == "controller" and row and self.section:
            block.add(Item.of(self.section, Pair(f"Port {row[1]}", row[2], [line])))
            return True
        if block.kind == "controller" and self.section and text[:8] != "Adapter ":
            if last is None:
                self.last = Pair(self.section, text, [line])
                block.add(Item.of("", self.last))
                return True
            return grammar.append(
                last, text, line, grammar.glue(last.lines[-1].text.rstrip(), text) if last.value else ""
            )
        if self.section == "Ongoing Progresses" and normalized(text).rstrip(".") in ("none", "no"):
            mark_read(line)
            return True
        if block.kind == "drive" and last is not None and normalized(last.label) == "inquiry data":
            return grammar.append(last, text, line, " ")
        if block.kind == "volume" and last is not None and grammar.wrapped(last.label, last.value, text):
            return grammar.append(last, text, line, " ")
        return False


def _ends_part(block: Block, section: str, key: str, value: str) -> bool:
    """Whether a label no longer belongs to a block's open part."""
    if section == "Ongoing Progresses":
        return bool(value) and not _PROGRESS.search(value)
    if block.kind == "battery":
        return key in AFTER_GAUGE
    if block.kind != "drive":
        return False
    if section.lower().startswith("port"):
        return not key.startswith("port")
    return section == "Hotspare" and key in LABELS["drive"]


def outline(output: Output) -> list[Segment]:
    """The segments of a text. Linear in its lines; never raises for their contents."""
    outliner = Outliner(output)
    texts = [line.text.strip() for line in output.lines]
    following = ""
    nexts = []
    for text in reversed(texts):
        nexts.append(following)
        following = text or following
    for line, text, upcoming in zip(output.lines, texts, reversed(nexts), strict=True):
        outliner.take(text, line, upcoming)
    return outliner.segments
