"""One output as a list of answers, each a list of blocks."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import pair, regex
from raidctl.vendor.draft import Pair
from raidctl_adaptec import grammar
from raidctl_adaptec.grammar import Area, Heading, RunNote
from raidctl_adaptec.vocabulary import normalized

LONGEST_LINE = 4096
"""Characters; the tool's lines are below 300."""
_OBJECT_AREAS: dict[str, Area] = {
    "logical": "logical", "array": "array", "maxcache": "maxcache", "device": "physical", "connector": "connector",
    "expander": "expander", "version": "version", "task": "task", "channel": "physical",
}  # fmt: skip
# Segments contain the number of the controller: Present (Controller:2,Connector:0,Device:2)
_CONTROLLER = regex(r"\(Controller:(\d{1,3}),", re.IGNORECASE)
_TASK_LABELS = frozenset({"current operation", "logical device", "task id"})
_PLACES = frozenset({"stripe order (channel,device)", "drive(s) (channel,device)"})
_MAX_CONTINUED = 64
_RESTS = {
    **dict.fromkeys(_PLACES, grammar.MORE_PLACES),
    **dict.fromkeys(("write-cache setting", "write-cache mode", "write-cache status"), grammar.REST_OF_POLICY),
}
"""How a line without a label continues the value above. The keys are labels of the line above."""
NAMELESS = "line"
"""Beginning of a device's name, if no line reports its number."""


class Block(Struct):
    """A part of an object's section: the pairs below one title."""

    area: Area
    name: str = ""
    """Number of the object, empty for the controller itself."""
    sub: str = ""
    """Title of the part, as printed: ``Controller Battery Information``."""
    item: str = ""
    """``Phy #0``: which of several below the same title."""
    channel: str = ""
    what: str = ""
    """Of a physical device: ``Hard drive``, ``Enclosure Services Device``."""
    heads: list[Line] = []
    pairs: list[Pair] = []


class RunMessage(Struct):
    """A line about the run."""

    kind: RunNote
    line: Line


class Answer(Struct):
    """What one call printed."""

    output: Output
    number: str | None = None
    """The controller that the command or the text names."""
    hinted: str | None = None
    """The controller that the segments name."""
    found: int | None = None
    """``Controllers found: N``."""
    trailer: str | None = None
    """``completed successfully``, ``aborted``; None if the text ends without it."""
    blocks: list[Block] = []
    messages: list[RunMessage] = []
    rows: list[tuple[str, str, Line]] = []
    """Rows of ``list``: number, rest, line."""
    version: str | None = None
    """The tool's own version out of its banner."""

    @property
    def known(self) -> bool:
        """Whether anything of the tool's was recognised."""
        return bool(self.blocks or self.messages or self.rows or self.trailer or self.version or self.found is not None)


@lru_cache(maxsize=4096)
def _form(text: str) -> tuple[bool, tuple[str, str] | None]:
    """Whether a line is ordinary, and its pair. Drives repeat most of their lines."""
    return grammar.ordinary(text), pair(text)


class _Outliner:
    """Reads the lines in one pass."""

    def __init__(self, output: Output, number: str | None) -> None:
        self.output = output
        self.answer = Answer(output, number)
        self.answers = [self.answer]
        self.block: Block | None = None
        self.area: Area | None = None
        self.channel = ""
        self.asked: str | None = None
        """The controller that the command line above asks for."""
        self.ruled = False
        """The line above is a rule."""
        self.below = ""
        """The next line that is not blank."""
        self.last: Pair | None = None
        self.prefix = ""

    def take(self, line: Line, text: str, below: str) -> None:
        """Read a line that is not blank. ``below`` is the next such line."""
        if len(line.text) > LONGEST_LINE:
            self.ruled = False
            return
        self.below = below
        ordinary, found = _form(text)
        asked = None if ordinary else grammar.command_of(text)
        if asked is not None:
            self.asked, self.ruled, self.last = asked, False, None
            return
        if not text[:1].isalnum() and grammar.RULE.fullmatch(text):
            mark_read(line)
            self.ruled = True
            return
        last, self.last = self.last, None
        # what has a label and a value is not a title
        if not (
            (not ordinary and self.about_the_run(text, line))
            or (not (found and found[1]) and self.heads(text, line))
            or self.facts(found, text, line, last, None if ordinary else grammar.row(text))
        ):
            self.rest(text, line)
        self.ruled = False

    def about_the_run(self, text: str, line: Line) -> bool:
        """First and last lines of an answer, the tool's banner, errors."""
        trailer, found = grammar.TRAILER.match(text), grammar.found_controllers(text)
        if trailer is not None:
            self.answer.trailer = trailer[1].lower()
            self.block, self.area = None, None
        if found is not None and (found.start() == 0 or trailer is not None):
            self.open_answer(int(found[1]))
        if trailer is not None or (found is not None and found.start() == 0):
            mark_read(line)
            return True
        banner = grammar.BANNER.match(text)
        if banner is not None:
            version = grammar.BANNER_VERSION.search(banner[1])
            self.answer.version = version[1] if version else self.answer.version
        elif not (self.answer.version and grammar.USAGE.fullmatch(text)):
            kind = grammar.run_note(text)
            if kind is None:
                return False
            self.answer.messages.append(RunMessage(kind, line))
        mark_read(line)
        return True

    def open_answer(self, count: int) -> None:
        """Begin another answer at ``Controllers found: 1``, unless it is the first line."""
        if self.answer.blocks or self.answer.trailer or self.answer.found is not None:
            self.answer = Answer(self.output)
            self.answers.append(self.answer)
        self.answer.number, self.asked = self.asked or self.answer.number, None
        self.answer.found = count
        self.block, self.area, self.channel = None, None, ""

    def heads(self, text: str, line: Line) -> bool:
        """Titles of areas, headings of objects, titles of parts."""
        area = grammar.title(text)
        number = grammar.expanders_of(text) if area is None else None
        if number is not None:
            area, self.answer.number = "expander", self.answer.number or number
        if area is not None:
            self.open(Block(area), line)
            self.area, self.channel = area, ""
            return True
        found = grammar.heading(text)
        if found is not None:
            self.object(found, text, line)
            return True
        device = grammar.DEVICE_IS.fullmatch(text)
        known = self.block is not None and self.block.area == "physical" and self.block.name and not self.block.what
        if device is not None and not known:
            # its line "Device #3" is missing
            self.open(Block("physical", f"{NAMELESS}{line.number}", channel=self.channel), None)
        if device is not None and self.block is not None:
            self.block.what = device[1]
            self.block.heads.append(line)
            return True
        if self.block is not None and grammar.HALF_LABEL.fullmatch(text):
            self.prefix = text
            self.block.heads.append(line)
            return True
        if (self.block is not None or grammar.BACKUP.fullmatch(text)) and self.is_subtitle(text):
            same = self.block or Block("controller")
            # Lane SAS Phy Information
            item = same.item if text.lower().startswith("lane sas") else ""
            self.open(Block(same.area, same.name, text.rstrip(": "), item, same.channel, same.what), line)
            return True
        return False

    def is_subtitle(self, text: str) -> bool:
        """A line between rules, or of words that only titles have."""
        colon = text.endswith(":") and not text[:-1].endswith((" ", "\t"))
        plain = pair(text) is None or (colon and text.count(":") == 1)
        ruled = self.ruled and grammar.RULE.fullmatch(self.below) is not None
        # Protocol Specific port log page for SAS SSP:
        worded = grammar.RULE.fullmatch(self.below) is not None if colon else grammar.subtitle(text)
        return plain and len(text) < 100 and (ruled or worded)

    def object(self, found: Heading, text: str, line: Line) -> None:
        """``Device #4``, ``Logical device number 0``, ``Phy #1``."""
        if found.kind == "item":
            lane = found.name.startswith("lane")
            same = self.block or Block("connector" if lane else "physical")
            sub = "" if lane else same.sub
            self.open(Block(same.area, same.name, sub, text, same.channel, same.what), line)
            return
        if found.kind == "channel":
            self.channel = found.name
            self.open(Block("physical", channel=found.name, sub=f"Channel #{found.name}"), line)
            return
        area = _OBJECT_AREAS[found.kind]
        self.area = area
        if found.kind == "version":
            self.answer.number = self.answer.number or found.name
        name = "" if found.kind == "task" else found.name
        self.open(Block(area, name, found.name if found.kind == "task" else "", channel=self.channel), line)

    def open(self, block: Block, line: Line | None) -> None:
        """Begin a block; the line is its heading."""
        self.block, self.prefix = block, ""
        if line is not None:
            block.heads.append(line)
        self.answer.blocks.append(block)

    def facts(
        self, found: tuple[str, str] | None, text: str, line: Line, last: Pair | None, row: grammar.Row | None
    ) -> bool:
        """Pairs and rows."""
        if row is not None and row[0] == "list":
            self.answer.rows.append((str(int(row[1][1])), row[1][2], line))
            return True
        if row is not None and row[0] == "columns":
            mark_read(line)
            return True
        if self.block is None and found is not None and normalized(found[0]) in _TASK_LABELS:
            self.open(Block("task"), None)
        elif self.block is None and found is not None and normalized(found[0]).startswith("status of logical"):
            self.open(Block("logical"), None)  # the text begins below the number of a volume
        elif self.block is None and found is not None and normalized(found[0]) == "controller status":
            self.open(Block("controller"), None)  # its title is missing
        elif row is not None:
            found = row[1]["label"], row[1]["value"]
        if found is not None and self.block is not None:
            self.pair(self.block, Pair(*found, [line]))
            return True
        rest = _RESTS.get(normalized(last.label)) if last is not None else None
        if last is not None and rest is not None and rest.fullmatch(text):
            if len(last.lines) < _MAX_CONTINUED:
                last.value = f"{last.value} {text}"
                last.lines.append(line)
                self.last = last
            return True
        return False

    def pair(self, block: Block, found: Pair) -> None:
        """Put a pair into the open block."""
        if self.prefix and found.label.startswith("("):
            # Life-time Temperature Recorded
            # (Min/Max)                          : 21 deg C/ 45 deg C
            found.label = f"{self.prefix} {found.label}"
        hint = _CONTROLLER.search(found.value) if "(" in found.value else None
        if hint is not None:
            self.answer.hinted = self.answer.hinted or str(int(hint[1]))
        block.pairs.append(found)
        self.last = found

    def rest(self, text: str, line: Line) -> None:
        """Read a line of no other form. The title of a log's entry opens a block. Other lines stay unparsed."""
        if re.fullmatch(r"(?:ControllerLog|deadDriveEntry|\w+Entry|\w+Log)", text):
            self.open(Block("log", sub=text), line)


def outline(output: Output, number: str | None) -> list[Answer]:
    """The answers of an output. ``number`` is the controller that its command names. Linear; never raises."""
    outliner = _Outliner(output, number)
    output.closing = grammar.TRAILER
    lines = [line for line in output.lines if line.text.strip("> \t\r\n\x0b\x0c")]
    texts = [grammar.plain(line.text) for line in lines]
    for line, text, below in zip(lines, texts, [*texts[1:], ""], strict=False):
        outliner.take(line, text, below)
    return outliner.answers
