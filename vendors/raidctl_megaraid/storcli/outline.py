"""An output of storcli or a relative, JSON or text, as sections.

The text forms print the sections of the JSON under the same titles and labels, so the readers of the sections are the
same. A JSON leaf is a line of its output (``Output.leaf``); a text pair or row is the line that contains it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from raidctl.evidence import Line, Output
from raidctl.model import Problem, ProblemKind, Severity
from raidctl.text import regex, without_escapes
from raidctl.vendor.draft import Pair

_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")

Row = dict[str, Pair]
"""A table row: its cells by column title. Each cell names its lines. Columns with the same title are numbered:
``Status``, ``Status (2)``."""

_MAX_PROBLEMS = 20
"""Most problems of one output; one with more is unusable."""


class Section(Struct):
    """The pairs and rows below one title."""

    title: str
    """As printed: ``HwCfg``, ``VD LIST``, ``/c0/v0``, ``VD0 Properties``, ``Drive /c0/e252/s0 State``. Empty for
    values directly in the response data (``Product Name = …``)."""
    path: tuple[str, ...] = ()
    """The titles around it, the outermost first: ``("Drive /c0/e252/s0 - Detailed Information",)``."""
    lines: list[Line] = []
    """Of text: the title, its rule, the table's rules and head. Accounted for by the front end."""
    pairs: list[Pair] = []
    rows: list[Row] = []
    texts: list[Pair] = []
    """Values without a label: lists of words, the inquiry data's hexadecimal rows. The label is empty."""


class Answer(Struct):
    """A ``Command Status`` and its ``Response Data``, of one controller or none.

    The output of ``show`` is about none.
    """

    status: list[Pair] = []
    """``CLI Version``, ``Operating system``, ``Controller``, ``Status``, ``Description``, ``Status Code``."""
    details: list[Row] = []
    """``Detailed Status``: one row for each object or property that was queried."""
    sections: list[Section] = []

    def printed(self, label: str) -> str | None:
        """A value of the ``Command Status`` by its label, None if absent."""
        return next((pair.value for pair in self.status if pair.label.lower() == label.lower()), None)

    @property
    def number(self) -> str | None:
        """The controller's number, None if the answer is about none in particular."""
        text = self.printed("Controller")
        return text if text is not None and text.isdecimal() else None

    def rows(self, *titles: str) -> Iterator[Row]:
        """The rows of all sections of these titles, in lower case."""
        for section in self.sections:
            if section.title.lower() in titles:
                yield from section.rows


class Outline(Struct):
    """A whole output: one answer for each controller in it."""

    output: Output
    answers: list[Answer] = []
    problems: list[Problem] = []
    """What the front end could not read: truncated JSON, text where JSON was requested, or garbage before it."""
    lists_missing: bool = False
    """A text that ends before the lists of volumes and drives."""

    def complain(self, severity: Severity, kind: ProblemKind, message: str, remedy: str | None = None) -> None:
        """Report a problem of this output, each one once."""
        problem = Problem(severity=severity, kind=kind, where=self.output.command, message=message, remedy=remedy)
        if len(self.problems) < _MAX_PROBLEMS and problem not in self.problems:
            self.problems.append(problem)


def plain(text: str) -> str:
    """A text without escape sequences, with blanks for tabs and control bytes. The layout does not change."""
    if text.isprintable():
        return text
    text = _CONTROL.sub(" ", without_escapes(text.lstrip("\ufeff")))
    return text.expandtabs(8) if "\t" in text else text
