"""The parts of a page, independent of the format. Texts are as read: each format escapes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from raidctl.text import regex

_WORD = regex(r"[^\s-]+-?|-")
"""A part of a word without a break. Browsers break after a hyphen."""
_GAP = 1
"""Characters between two columns."""
_DENSE, _BROAD = 95, 125
"""Characters across a printed page, in normal and in the smallest type."""
Level = Literal["bad", "warn", "good", "plain", "dull"]


@dataclass(frozen=True)
class Cell:
    """A text and its level."""

    text: str
    level: Level = "plain"

    @property
    def longest(self) -> int:
        """Characters of the longest word."""
        return longest(self.text)


Row = tuple[Cell, ...]


def longest(text: str) -> int:
    """Characters of the longest word."""
    return max(map(len, _WORD.findall(text)), default=0)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str
    level: Level = "plain"
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Heading:
    """A heading below that of the section."""

    text: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Table:
    """A table with a title, which screen readers read aloud."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    folded: bool = False
    """The table is folded until the reader unfolds it."""
    kind: ClassVar[str] = "table"

    @property
    def fit(self) -> Literal["", "dense", "broad"]:
        """How the table fits a printed page. ``dense`` needs small type, ``broad`` breaks long words as well."""
        columns = zip(self.heads, *([cell.text for cell in row] for row in self.rows), strict=True)
        breadth = sum(_GAP + longest(" ".join(column)) for column in columns)
        return "broad" if breadth > _BROAD else "dense" if breadth > _DENSE else ""


@dataclass(frozen=True)
class Raw:
    """A line of a tool's output, and the facts in it."""

    fact: str
    command: str
    line: int | None
    text: str

    @property
    def longest(self) -> int:
        """Characters of the longest word."""
        return longest(self.text)


@dataclass(frozen=True)
class Raws:
    """The lines behind some facts, folded."""

    title: str
    raws: tuple[Raw, ...]
    kind: ClassVar[str] = "raws"


@dataclass(frozen=True)
class Entry:
    """A finding, or a claim that does not pass."""

    label: Cell
    title: str
    rows: tuple[tuple[str, str], ...]
    """Labels and texts: state, evidence, remedy."""
    raws: Raws | None = None
    kind: ClassVar[str] = "entry"


@dataclass(frozen=True)
class Plot:
    """A drawing with its text alternative: description, and table of figures."""

    title: str
    description: str
    svg: str | None
    """None: no drawing is available."""
    table: Table
    kind: ClassVar[str] = "plot"


Block = Paragraph | Heading | Table | Raws | Entry | Plot


@dataclass(frozen=True)
class Section:
    """A section; ``name`` is its anchor."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """The complete page."""

    title: str
    partial: str | None
    """A warning that the machine could be read only in part. None: everything was read."""
    about: tuple[tuple[str, str], ...]
    """Labels and texts: host, time, source."""
    summary: tuple[Cell, ...]
    """The results on the first page, the most important first."""
    sections: tuple[Section, ...]


def table(title: str, heads: tuple[str, ...], rows: list[tuple[Cell | str, ...]], *, folded: bool = False) -> Table:
    """A table of texts and cells; empty columns are left out."""
    cells = [tuple(one if isinstance(one, Cell) else Cell(one) for one in row) for row in rows]
    kept = [at for at in range(len(heads)) if any(row[at].text for row in cells)] if cells else list(range(len(heads)))
    shown = tuple(tuple(row[at] for at in kept) for row in cells)
    return Table(title, tuple(heads[at] for at in kept), shown, folded)
