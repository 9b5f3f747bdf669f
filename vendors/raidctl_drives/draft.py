"""Facts about one drive while its output is read line by line."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Problem
from raidctl.text import collapse, printable
from raidctl_drives.parts import DrivePart, is_blank_name

LONGEST = 1000
"""Most characters of a detail; the rest is cut."""
_LARGEST = 2**63 - 1
_LIFE = frozenset({"percent_used", "percentage_used"})
_USED = re.compile(r"(\d{1,3})%?", re.ASCII)
_MOST_USED = 255
"""The largest value of NVMe."""
_MOST_PROBLEMS = 50


class Draft(Struct):
    """A :class:`DrivePart` under construction; each fact is recorded on the output at once."""

    output: Output
    key: str
    values: dict[str, Any] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    marks: dict[str, tuple[Line, int]] = field(default_factory=dict)
    """Numbers that give a fact only together with others, and their lines."""

    def mark(self, line: Line, name: str, value: int = 1) -> None:
        """Keep a number, or that a line occurred."""
        self.marks[name] = (line, value)

    def marked(self, name: str) -> int:
        """A kept number; 0 if there is none."""
        return self.marks[name][1] if name in self.marks else 0

    def problem(self, problem: Problem) -> None:
        """Keep a problem of the drive, each one once, up to a limit."""
        if len(self.problems) < _MOST_PROBLEMS and problem not in self.problems:
            self.problems.append(problem)

    def fact(self, line: Line, name: str, value: object) -> None:
        """Set a field from a line (``errors.media`` as in the model); None only marks the line as read."""
        if isinstance(value, str):
            value = collapse(printable(value))
        if value is None or value == "":
            mark_read(line)
            return
        if isinstance(value, int) and abs(value) > _LARGEST:
            # no drive has such a value, and no JSON parser accepts it
            self.detail(line, name, str(value))
            return
        if name == "wwn" and is_blank_name(value):
            self.detail(line, "WWN", str(value))
            return
        line.fact(self.key, name, value)
        self.values[name.replace(".", "_")] = value

    def detail(self, line: Line, label: str, value: str) -> None:
        """Keep a fact without a neutral field; further values of a label are appended."""
        label, value = collapse(printable(label)), collapse(printable(value))
        line.detail(self.key, label, value)
        used = _USED.fullmatch(value) if label in _LIFE else None
        if used and int(used[1]) <= _MOST_USED:
            self.fact(line, "life_used_percent", int(used[1]))
        known = self.details.get(label)
        if known is None:
            self.details[label] = value
        elif value != known and value not in known.split("; ") and len(known) + len(value) < LONGEST:
            self.details[label] = f"{known}; {value}" if known else value

    def feature(self, line: Line, label: str, value: str) -> None:
        """Keep one of many short words of a list under a common label."""
        value = collapse(printable(value))
        line.detail(self.key, label, value)
        known = self.details.get(label)
        if known is None:
            self.details[label] = value
        elif len(known) + len(value) < 4 * LONGEST:
            self.details[label] = f"{known}, {value}"

    def part(self) -> DrivePart | None:
        """The finished part; None if nothing is known of the drive."""
        if not self.values and not self.details and not self.problems:
            return None
        return DrivePart(key=self.key, details=self.details, problems=tuple(self.problems), **self.values)
