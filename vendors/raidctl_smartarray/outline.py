"""One output of the tools as a tree of sections.

Controllers contain arrays and groups, and these contain volumes and drives.

A section belongs below the last open section of a higher rank; a ``label: value`` pair belongs to the innermost open
section whose kind has the label. Indentation only decides between two such sections, because the tools' own is not
reliable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, indent_of, pair, printable, regex
from raidctl.vendor.draft import Pair
from raidctl_smartarray.grammar import (
    Heading,
    Kind,
    heading,
    line_kind,
    slot_of_command,
    tool_of_command,
    tool_version,
)
from raidctl_smartarray.labels import decides, holds, known
from raidctl_smartarray.vocabulary import normalized

LONGEST_LINE = 4096
"""Characters; the tools' lines are below 200."""
LONGEST_PARAGRAPH = 40
"""Lines; the tools' warnings have ten at most."""
_RANK: dict[Kind, int] = {
    "controller": 0,
    "array": 1, "unassigned": 1, "hba": 1, "listing": 1, "spares": 1, "device": 1, "port": 1, "sensor": 1,
    "volume": 2, "drive": 2, "volume_row": 2, "drive_row": 2, "group": 3, "partitions": 3, "partition": 4,
}  # fmt: skip
_ROWS = frozenset({"volume_row", "drive_row", "partition"})
_WRAPPED = frozenset(
    {"cache status details", "cache disable reason", "last failure reason", "failure reason", "mount points"}
)
"""Labels whose values continue on the following lines."""
_GLUED = regex(r"(?<=[a-z0-9]) ?(?=Mount Points: )")
_SECOND_PAIR = regex(r"\s{2,}(?=[A-Z][\w()/ .-]{2,60}:(?:\s|$))")
# Max: 1042188 (Units in MB)
# 5 (default value)
_OPTION = regex(r"(?:Max|Min): \d+ \(Units in \w+\)|\S{1,40}(?: \((?:default|current)[^()]*\))*|Current value.*")


class Section(Struct):
    """A heading and the lines below it."""

    heading: Heading
    line: Line | None
    """None for the controller of an output that names none."""
    pairs: list[Pair] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)
    indent: int = -1
    """Indentation of the heading; below every line where there is none."""

    @property
    def kind(self) -> Kind:
        """Kind of the heading."""
        return self.heading.kind


class Paragraph(Struct):
    """A warning, a note or an error, of one or more lines."""

    kind: Literal["error", "warning", "note", "missing_tool"]
    lines: list[Line]
    words: list[str]
    controller: Section | None
    """The controller whose text contains it, or the one right below it."""

    volume: str | None = None
    """The logical drive right below it."""
    array: str | None = None
    """The array whose section contains it."""

    @property
    def text(self) -> str:
        """The whole sentence(s) in one line."""
        return collapse(" ".join(self.words))


class Outline(Struct):
    """The contents of one output, in order."""

    output: Output
    controllers: list[Section] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    slot: str | None = None
    """Slot that the command line named, where one is known."""
    tool: str | None = None
    version: str | None = None
    options: bool = False
    """The output lists the possible values of a setting."""


class _Form(NamedTuple):
    """The form of a line, without its context."""

    text: str
    indent: int
    pair: tuple[str, str] | None
    certain: bool
    """It is a pair, whatever its value."""
    several: bool
    """It may have more than one pair."""


@lru_cache(maxsize=4096)
def _form(line: str) -> _Form:
    """The form of a line's text. Drives repeat most of their lines."""
    text = printable(line).strip()
    found = pair(text)
    several = "  " in text or not text.isprintable() or "Mount Points: " in text[1:]
    return _Form(text, indent_of(line), found, found is not None and decides(found[0]), several)


class _Outliner:
    """Reads the lines in one pass."""

    def __init__(self, output: Output) -> None:
        self.result = Outline(output)
        self.flat = all(line.indent <= 1 for line in output.lines)
        """The indentation is lost: lines after a heading belong to it."""
        self.indent = 0
        """Indentation of the current line."""
        self.open: list[Section] = []
        self.paragraph: Paragraph | None = None
        self.wrapped: Pair | None = None
        self.waiting: list[Paragraph] = []
        self.latest: Paragraph | None = None
        self.listing_options = False
        self.slot: str | None = None
        """Slot that the latest command line named."""
        self.row: Section | None = None
        """The drive's row directly above."""
        self.strange: int | None = None
        """Indentation of a line that was not understood. Deeper lines directly below it belong to it."""

    def take(self, line: Line) -> None:
        form = _form(line.text if len(line.text) <= LONGEST_LINE else "")
        text, self.indent = form.text, form.indent
        if not text:
            if not line.text.strip("> \t\r"):
                mark_read(line)
            self.paragraph = self.wrapped = None
            return
        if not form.certain and self.opens(text, line):
            return
        if self.listing_options and _OPTION.fullmatch(text):
            mark_read(line)
            return
        if self.strange is not None and form.indent <= self.strange:
            self.strange = None
        if (self.strange is not None or not self.pairs(form, line)) and not self.run_on(text, line):
            self.strange = form.indent if self.strange is None else self.strange

    def opens(self, text: str, line: Line) -> bool:
        """Take a heading or a message; whether the line was one."""
        opened = heading(text)
        if opened is not None:
            self.paragraph = self.wrapped = self.strange = None
            self.enter(opened, line)
            return True
        kind = line_kind(text)
        if kind is not None:
            self.take_message(kind, text, line)
        return kind is not None

    def enter(self, opened: Heading, line: Line) -> None:
        rank = _RANK[opened.kind]
        if rank == 0:
            self.open = []
        elif not self.open:
            self.open = [self.nameless()]
        grouped = opened.kind == "drive_row" and any(section.kind == "group" for section in self.open)
        while (
            len(self.open) > 1 and _RANK[self.open[-1].kind] >= rank and not (grouped and self.open[-1].kind == "group")
        ):
            self.open.pop()
        section = Section(opened, line, indent=self.indent)
        self.row = section if opened.kind == "drive_row" else None
        if rank == 0:
            self.result.controllers.append(section)
            for paragraph in self.waiting:
                paragraph.controller = section
        else:
            self.open[-1].children.append(section)
            if self.latest is not None and opened.kind in ("volume", "volume_row"):
                self.latest.volume = opened.name
        self.waiting = []
        self.latest = None
        if opened.kind not in _ROWS:
            self.open.append(section)

    def nameless(self) -> Section:
        """The controller of an output that does not name it."""
        parts = {} if self.slot is None else {"slot": self.slot}
        section = Section(Heading("controller", "", parts), None)
        self.result.controllers.append(section)
        return section

    def take_message(self, kind: str, text: str, line: Line) -> None:
        self.wrapped = None
        mark_read(line)
        if kind == "missing_tool" and self.paragraph is not None and self.paragraph.kind == kind:
            self.paragraph.lines.append(line)
            self.paragraph.words.append(text)
            return
        if kind in ("error", "warning", "note", "missing_tool"):
            controller = self.open[0] if self.open else None
            shown: Literal["error", "warning", "note", "missing_tool"] = kind  # type: ignore[assignment] # one of the four
            self.paragraph = Paragraph(shown, [line], [text], controller)
            self.paragraph.array = next((part.heading.name for part in self.open if part.kind == "array"), None)
            self.latest = self.paragraph
            self.result.paragraphs.append(self.paragraph)
            if not self.open:
                self.waiting.append(self.paragraph)
            return
        self.paragraph = None
        if kind == "version":
            found = tool_version(text)
            if found is not None:
                self.result.tool, self.result.version = found
        elif kind == "command":
            # Another command's output follows: it describes the controller that its command line names.
            self.open, self.row = [], None
            self.slot = slot_of_command(text)
            self.result.slot = self.slot or self.result.slot
            self.result.tool = tool_of_command(text) or self.result.tool
        elif kind == "options":
            self.result.options = self.listing_options = True

    def pairs(self, form: _Form, line: Line) -> bool:
        """Take a line of one or more ``label: value`` pairs. Return whether it was such a line.

        Some versions omit the line break between two pairs: a second one counts if its label is known.
        """
        if form.several:
            return all(self.give(pair(piece), line) for piece in self.pieces(form.text))
        return self.give(form.pair, line)

    def give(self, found: tuple[str, str] | None, line: Line) -> bool:
        """Add a pair to its section. False if no open section has its label."""
        owner = None if found is None else self.owner(found[0])
        if found is None or owner is None:
            return False
        label, value = found
        item = Pair(label, value, [line])
        owner.pairs.append(item)
        self.paragraph = self.latest = None
        self.wrapped = item if normalized(label) in _WRAPPED else None
        return True

    def pieces(self, text: str) -> list[str]:
        """The pairs of a line."""
        pieces: list[str] = []
        for part in _SECOND_PAIR.split(_GLUED.sub("  ", text)):
            found = pair(part) if pieces else None
            if pieces and (found is None or self.owner(found[0]) is None):
                pieces[-1] = f"{pieces[-1]}  {part}"
            else:
                pieces.append(part)
        return pieces

    def owner(self, label: str) -> Section | None:
        """The open section that a pair belongs to."""
        if self.paragraph is not None and not known(label):
            return None
        inner = self.open[-1] if self.open else None
        if inner is not None and inner.indent < self.indent and holds(inner.kind, label):
            return inner
        candidates = [section for section in self.open if holds(section.kind, label)]
        if len(candidates) == 1:
            return candidates[0]
        if candidates and self.flat:
            return candidates[-1]
        if candidates:
            return next((section for section in reversed(candidates) if section.indent < self.indent), candidates[-1])
        if self.row is not None and self.row.indent < self.indent and holds("drive", label):
            return self.row
        if not self.open and holds("controller", label):
            self.open = [self.nameless()]
            return self.open[0]
        return None

    def run_on(self, text: str, line: Line) -> bool:
        """Read a line that continues a paragraph or a long value. False if it is neither."""
        if self.paragraph is not None:
            if len(self.paragraph.lines) < LONGEST_PARAGRAPH:
                self.paragraph.lines.append(line)
                self.paragraph.words.append(text)
                mark_read(line)
        elif (
            self.wrapped is not None
            and len(self.wrapped.lines) < LONGEST_PARAGRAPH
            and (normalized(self.wrapped.label) != "mount points" or text.startswith(("/", ",")))
        ):
            self.wrapped.lines.append(line)
            self.wrapped.value = f"{self.wrapped.value} {text}"
        else:
            return False
        return True


def outline(output: Output) -> Outline:
    """The sections of an output. Linear in its lines; never raises for their contents."""
    outliner = _Outliner(output)
    for line in output.lines:
        outliner.take(line)
    return outliner.result
