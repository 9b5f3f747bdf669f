"""Recognise saved outputs by tables of signatures, with one scorer. Pure.

A family writes one :class:`Signature` for each form of output that its tools print, the most specific first, and a
:class:`Recogniser` scores a text with them. A line or a pair of JSON keys that only one tool prints is enough; labels
count together, because each may occur in the output of another tool.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from raidctl.text import collapse, pair, printable, regex
from raidctl.vendor.protocol import Confidence, Sniffed

_CHARACTERS = 200_000
"""Characters of a text that are examined."""
_LONGEST = 2000
"""Characters of the longest line that a tool prints."""
_EARLY = 4_000
"""Characters before the first line that counts in full. A later one may be a quotation in a mail or a log."""
_SURE_LABELS, _LIKELY_LABELS = 3, 2
"""Numbers of characteristic labels for the confidence ``SURE`` and ``LIKELY``."""
_JSON = regex(r'\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[\[{\]]|$))')


class Signature(Struct, frozen=True):
    """One form of output, and its signs."""

    command: str
    """The command that prints it: ``ssacli ctrl all show``."""
    first_lines: tuple[str, ...] = ()
    """Expressions for lines that no other tool prints. They match the beginning of a line without the blanks before
    it."""
    own_labels: tuple[str, ...] = ()
    """Labels and titles that hardly any other tool prints, in lower case. Three make it sure, two likely."""
    json_keys: tuple[str, ...] = ()
    """Keys that occur together in the JSON of this tool alone."""
    parts: tuple[str, ...] = ()
    """Commands of other signatures. An output with the forms of all of them is printed by this command."""
    confidence: Confidence | None = Confidence.SURE
    """The confidence of a first line or the keys. None: they only name the command, other tools print them as well."""
    every_line: bool = False
    """Whether every line of the text must match."""
    kind: str = ""
    """The kind of the document, if it differs from the recogniser's."""


class _Score(Struct):
    """The signs found in a text."""

    lines: int = 0
    hits: dict[int, int] = field(default_factory=dict)
    """Number of lines that match each signature, by index in the table."""
    late: set[int] = field(default_factory=set)
    """Signatures whose first line comes late in the text."""
    labels: dict[int, set[str]] = field(default_factory=dict)

    def count(self) -> int:
        """Number of different characteristic labels found."""
        return len(set().union(*self.labels.values()))


class Recogniser:
    """The signatures of a tool."""

    def __init__(
        self, kind: str, signatures: Sequence[Signature], *, tool: str = "", separator: str = ":", flags: int = 0
    ) -> None:
        """Prepare the table.

        Args:
            kind: The kind of the tool's documents.
            signatures: The most specific first: the first one that matches a line counts.
            tool: An expression for the tool's names; a file's name or command line that contains it is a hint.
            separator: The separator between a label and its value.
            flags: Flags of :mod:`re` for all expressions.
        """
        self._kind, self._separator = kind, separator
        self._signatures = tuple(signatures)
        # a group that follows its form, as re skips forms that begin with another letter, but looks into groups
        lines = [(n, form) for n, row in enumerate(signatures) for form in row.first_lines]
        self._numbers = [n for n, _ in lines]
        forms = [f"(?:{form})(?P<s{place}>)" for place, (_, form) in enumerate(lines)]
        self._line = regex("|".join(forms) or "(?!)", flags | re.ASCII)
        self._labels = {label: n for n, row in enumerate(signatures) for label in row.own_labels}
        self._tool = regex(tool or "(?!)", re.IGNORECASE)

    def sniff(self, name: str, text: str) -> Sniffed | None:
        """The claim on a text; None for the output of another tool. The name is only a hint."""
        head = text[:_CHARACTERS]
        for row in self._signatures:
            if row.json_keys and row.confidence and all(f'"{key}"' in head for key in row.json_keys):
                return Sniffed(row.kind or self._kind, row.confidence, row.command)
        if _JSON.match(head):
            return None
        score = self._score(head)
        confidence = self._confidence(score, hinted=self._tool.search(name) is not None)
        if confidence is None:
            return None
        row = self._best(score)
        return Sniffed(row.kind or self._kind, confidence, row.command)

    def _score(self, head: str) -> _Score:
        score = _Score()
        for line in _lines(head):
            score.lines += line.times
            match = self._line.match(line.text)
            if match is not None:
                number = self._numbers[int(str(match.lastgroup)[1:])]
                if line.late and number not in score.hits:
                    score.late.add(number)
                score.hits[number] = score.hits.get(number, 0) + line.times
            label = line.label if self._separator == ":" else _label(line.text, self._separator)
            if label in self._labels:
                score.labels.setdefault(self._labels[label], set()).add(label)
        return score

    def _confidence(self, score: _Score, *, hinted: bool) -> Confidence | None:
        found = [Confidence.SURE] if score.count() >= _SURE_LABELS else []
        if score.count() >= _LIKELY_LABELS or (hinted and (score.hits or score.labels)):
            found.append(Confidence.LIKELY)
        for number, count in score.hits.items():
            row = self._signatures[number]
            if row.confidence and (not row.every_line or score.lines == count):
                found.append(min(row.confidence, Confidence.LIKELY) if number in score.late else row.confidence)
        return max(found, default=None)

    def _best(self, score: _Score) -> Signature:
        """The first signature that matches, or all of whose parts were found. Its command is the recognised one."""
        seen = {self._signatures[number].command for number in (*score.hits, *score.labels)}
        fits = (
            row
            for number, row in enumerate(self._signatures)
            if number in score.hits or number in score.labels or (row.parts and seen.issuperset(row.parts))
        )
        return next(fits)


class _Line(NamedTuple):
    text: str
    label: str
    """The label in lower case. Without a pair, it is the whole line, which may be a title."""
    late: bool
    """The first of them comes late in the text."""
    times: int
    """How often the text has this line: the pages of drives repeat most of theirs."""


@lru_cache(maxsize=2)
def _lines(head: str) -> tuple[_Line, ...]:
    """The different lines of a text that are not blank, in the order in which each comes first.

    The cache serves the other families, which examine the same text.
    """
    lines = head.split("\n")
    early = {*lines[: head.count("\n", 0, _EARLY) + 1]}
    found = []
    for raw, times in Counter(lines).items():
        text = printable(raw.rstrip("\r")).strip() if len(raw) <= _LONGEST else ""
        if text:
            found.append(_Line(text, _label(text, ":"), raw not in early, times))
    return tuple(found)


def _label(text: str, separator: str) -> str:
    if separator != ":":
        return collapse(text.partition(separator)[0]).lower()
    found = pair(text)
    return collapse(found[0] if found else text).lower()


def surest(claims: Iterable[Sniffed | None]) -> Sniffed | None:
    """The claim with the highest confidence; of several, the first."""
    return max((claim for claim in claims if claim), key=lambda claim: claim.confidence, default=None)
