"""Evidence: every line of every tool's output, and the facts it gave.

A parser works on an :class:`Output`, one output of one tool. For each line it calls one of three methods:

* ``output.fact(line, id, field, value)``: the line gave a field of the model;
* ``output.detail(line, id, label, value)``: the line was understood, but the model has no field for it; the object's
  ``details`` have it in the tool's own words;
* ``output.mark_read(line)``: a title, a rule, a banner: nothing is lost.

What remains is :meth:`Output.unparsed`, which ``raidctl show --unparsed`` prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Line(NamedTuple):
    """One line of an output, numbered from 1; of a JSON output, one leaf (``a.b[0].c: value``)."""

    number: int
    text: str

    @property
    def indent(self) -> int:
        """Number of leading blanks; a tab counts as eight."""
        expanded = self.text.expandtabs(8) if "\t" in self.text else self.text
        return len(expanded) - len(expanded.lstrip(" "))

    @property
    def stripped(self) -> str:
        """The text without white space around it."""
        return self.text.strip()


class Fact(NamedTuple):
    """One fact: object, field, value as text, and the line it came from."""

    object_id: str
    field: str
    value: str
    command: str
    line: Line


@dataclass
class Output:
    """One output of one tool, and what its lines gave."""

    command: str
    lines: tuple[Line, ...]
    facts: list[Fact] = field(default_factory=list)
    closing: re.Pattern[str] | None = None
    """How the last line of a complete output begins, if the tool always prints one."""
    framed: bool = False
    """The tool prints a blank line first and last."""
    gap: str = ""
    """Another sign that the output is cut off: ``its last table has no end``."""
    _used: set[int] = field(default_factory=set)

    @classmethod
    def of_text(cls, command: str, text: str) -> Output:
        """Make one from a text output. CR LF and a missing last newline make no difference."""
        parts = text.replace("\r\n", "\n").split("\n")
        return cls(command, tuple(Line(n, part.rstrip("\r")) for n, part in enumerate(parts, 1)))

    @classmethod
    def of_json(cls, command: str, value: object) -> Output:
        """Make one from a JSON output: one line for each leaf, ``path: value`` (see :meth:`leaf`)."""
        return cls(command, tuple(Line(n, f"{p}: {v}") for n, (p, v) in enumerate(_leaves(value), 1)))

    def fact(self, line: Line, object_id: str, field: str, value: object) -> None:
        """Record that the line gave ``field`` (a name of the model, ``cache.size_bytes``) of an object."""
        self._used.add(line.number)
        self.facts.append(Fact(object_id, field, str(value), self.command, line))

    def detail(self, line: Line, object_id: str, label: str, value: object) -> None:
        """Record a line that was understood but has no field in the model."""
        self.fact(line, object_id, f"details[{label}]", value)

    def mark_read(self, *lines: Line) -> None:
        """Mark titles, rules and banners as read: they contain no fact."""
        self._used.update(line.number for line in lines)

    def used(self, line: Line) -> bool:
        """Whether a parser has accounted for the line."""
        return line.number in self._used

    def unparsed(self) -> list[Line]:
        """Return the lines that are not blank and that no parser used."""
        return [line for line in self.lines if line.number not in self._used and line.text.strip()]

    @property
    def cut_off(self) -> str | None:
        """The sign that the output is truncated, a clause; None if there is none, or the output is empty."""
        if self.gap or not any(line.stripped for line in self.lines):
            return self.gap or None
        if self.closing is not None:
            last = max((fact.line.number for fact in self.facts), default=0)
            ended = any(self.closing.match(line.stripped) for line in self.lines if line.number >= last)
            return None if ended else "the line that ends it is missing"
        framed = self.framed and not self.lines[0].stripped and any(line.stripped for line in self.lines[-2:])
        return "the blank line that ends it is missing" if framed else None

    def leaf(self, path: str) -> Line | None:
        """Return the line of a JSON leaf by its path (``nvme_smart_log.temperature``, ``a[0].b``)."""
        index = self.__dict__.get("_index")
        if index is None:
            index = {line.text.split(": ", 1)[0]: line for line in self.lines}
            self.__dict__["_index"] = index
        found: Line | None = index.get(path)
        return found


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, json.dumps(value, ensure_ascii=False)
