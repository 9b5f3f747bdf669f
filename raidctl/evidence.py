"""Evidence: every line of every tool's output, and its facts.

A parser works on an :class:`Output`, one output of one tool. For each line it records one of three things:

* ``line.fact(id, field, value)``: the line gives a field of the model;
* ``line.detail(id, label, value)``: the line was understood, but the model has no field for it; the object's
  ``details`` have it in the tool's own words;
* ``mark_read(line)``: a title, a rule, a banner: nothing is lost.

What remains is :meth:`Output.unparsed`, which ``raidctl show --unparsed`` prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from raidctl.text import indent_of, regex

Evidence = list[tuple["Line", str, object]]
"""Lines of an object, each with the field and value it gives."""


class Line(Struct, eq=False):
    """One line of an output, numbered from 1. For a JSON output, it is one leaf (``a.b[0].c: value``)."""

    number: int
    text: str
    output: Output
    """The output of the line."""
    used: bool = False
    """Whether a parser has accounted for the line."""

    def __repr__(self) -> str:
        """Leave out the output, which would print all its lines."""
        return f"Line(number={self.number}, text={self.text!r})"

    @property
    def indent(self) -> int:
        """Number of leading blanks; a tab counts as eight."""
        return indent_of(self.text)

    @property
    def stripped(self) -> str:
        """The text without white space around it."""
        return self.text.strip()

    def fact(self, object_id: str, field: str, value: object) -> None:
        """Record that the line gives ``field`` of an object.

        Fields are named as in the model, such as ``cache.size_bytes``.
        """
        self.used = True
        # called for each field of each object, so without the helper that unpacks the name
        self.output.facts.append(tuple.__new__(Fact, (object_id, field, str(value), self)))

    def detail(self, object_id: str, label: str, value: object) -> None:
        """Record an understood line for which the model has no neutral field."""
        self.fact(object_id, f"details[{label}]", value)


def record(object_id: str, evidence: Evidence) -> None:
    """Record the facts of an object; ``evidence`` must not change afterwards."""
    outputs = set()
    last = None
    for line, _, _ in evidence:
        if line is not last:  # a row of a table gives several facts
            line.used = True
            outputs.add(line.output)
            last = line
    for output in outputs:
        output.record(object_id, evidence)


def by_object(
    evidence: Evidence, shown: Callable[[str, object], Iterable[tuple[str, str, object]]]
) -> dict[str, Evidence]:
    """Evidence by the object that shows it. ``shown``: field and value -> the facts: object id, field, value."""
    found: dict[str, Evidence] = {}
    for line, name, value in evidence:
        for object_id, field, shown_value in shown(name, value):
            found.setdefault(object_id, []).append((line, field, shown_value))
    return found


def mark_read(*lines: Line) -> None:
    """Mark titles, rules, banners: no fact is lost with them."""
    for line in lines:
        line.used = True


class Fact(NamedTuple):
    """One fact: object, field, value as text, and the line giving it."""

    object_id: str
    field: str
    value: str
    line: Line

    @property
    def command(self) -> str:
        """The command that printed the line."""
        return self.line.output.command


_WORD = regex(r"[^\W\d_]+")
_LEFT_OUT = frozenset(
    f"{what}{word}"
    for what in ("", "output ", "lines ", "rest ")
    for word in (
        "snip", "snipped", "cut", "cut here", "truncated", "omitted", "removed", "trimmed", "shortened", "etc", "usw",
        "gekürzt", "gekuerzt", "abgeschnitten", "ausgelassen", "weggelassen", "tronqué", "coupé", "and so on",
    )
)  # fmt: skip
"""Words of a line by which a person marks left-out lines. Examples are ``[snip]`` and ``-- gekürzt --``."""
_DOTS = regex(r"\.\.\.|…|\. \. \.")
_SHORT = 60
NO_LAST_BLANK = "the blank line that ends it is missing"
"""The sign of :attr:`Output.cut_off` that is only a hint: editors and web pages remove blank lines, too."""


def _is_left_out(text: str) -> bool:
    if len(text) > _SHORT:
        return False
    words = " ".join(_WORD.findall(text.lower()))
    return words in _LEFT_OUT if words else not any(map(str.isdigit, text)) and _DOTS.search(text) is not None


class Output(Struct, eq=False):
    """One output of one tool, and the facts of its lines."""

    command: str
    lines: list[Line] = []
    closing: re.Pattern[str] | None = None
    """The beginning of the last line of a complete output. None unless the tool always prints one."""
    framed: bool = False
    """The tool prints a blank line first and last."""
    gap: str = ""
    """Another sign that the output is cut off: ``its last table has no end``."""
    _facts: list[Fact] = []
    _later: list[tuple[str, Evidence]] = []
    _leaves: dict[str, Line] = {}

    @classmethod
    def of_text(cls, command: str, text: str) -> Output:
        """A text output. CR LF and a missing last newline make no difference."""
        lines = text.split("\n")
        return cls.of_lines(command, [line.rstrip("\r") for line in lines] if "\r" in text else lines)

    @classmethod
    def of_json(cls, command: str, value: object) -> Output:
        """A JSON output: one line for each leaf, ``path: value`` (see :meth:`leaf`)."""
        from json import JSONEncoder  # noqa: PLC0415 - only where a tool prints JSON

        shown = JSONEncoder(ensure_ascii=False).encode
        return cls.of_lines(command, [f"{path}: {shown(leaf)}" for path, leaf in _leaves(value)])

    @classmethod
    def of_lines(cls, command: str, texts: Iterable[str]) -> Output:
        """An output of these lines."""
        output = cls(command)
        output.lines = [Line(number, text, output) for number, text in enumerate(texts, 1)]
        return output

    def add(self, text: str, number: int = 0) -> Line:
        """Append a line. ``number`` is its place in the text, where 0 means after the last one."""
        line = Line(number or len(self.lines) + 1, text, self)
        self.lines.append(line)
        return line

    def record(self, object_id: str, evidence: Evidence) -> None:
        """Add an object's evidence. It consists of lines of this output (see :func:`record`)."""
        self._later.append((object_id, evidence))

    @property
    def facts(self) -> list[Fact]:
        """The facts of the lines, created when a line's origin is needed."""
        later, self._later = self._later, []
        for object_id, evidence in later:
            self._facts += [
                Fact(object_id, field, str(value), line) for line, field, value in evidence if line.output is self
            ]
        return self._facts

    def unparsed(self) -> list[Line]:
        """The non-blank lines that no parser used."""
        return [line for line in self.lines if not line.used and line.text.strip()]

    @property
    def left_out(self) -> Sequence[Line]:
        """The unparsed lines that mark left-out ones: ``...``, ``[snip]``."""
        return [line for line in self.lines if not line.used and _is_left_out(line.stripped)]

    @property
    def cut_off(self) -> str | None:
        """The sign that the output is truncated, as a clause. None if there is none, or if the output is empty."""
        if self.gap or not any(line.stripped for line in self.lines):
            return self.gap or None
        if left_out := self.left_out:
            return f"lines were left out at {left_out[0].stripped!r}"
        if self.closing is not None:
            given = [fact.line for fact in self._facts]
            given += [line for _, evidence in self._later for line, _, _ in evidence if line.output is self]
            last = max((line.number for line in given), default=0)
            ended = any(self.closing.match(line.stripped) for line in self.lines if line.number >= last)
            return None if ended else "the line that ends it is missing"
        framed = self.framed and not self.lines[0].stripped and any(line.stripped for line in self.lines[-2:])
        return NO_LAST_BLANK if framed else None

    def leaf(self, path: str) -> Line | None:
        """Return the line of a JSON leaf by its path (``nvme_smart_log.temperature``, ``a[0].b``)."""
        if not self._leaves:
            self._leaves = {line.text.split(": ", 1)[0]: line for line in self.lines}
        return self._leaves.get(path)


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, (str, int, float, bytes)) or not value:  # most are; to ask for the others takes longer
        yield path, value
    elif isinstance(value, (dict, Mapping)):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, Sequence)):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value
