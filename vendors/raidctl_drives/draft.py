"""What one output reports of one drive, line by line.

Several outputs describe the same drive; :mod:`raidctl_drives.to_model` finds those that do, and combines them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from msgspec import field

from raidctl.evidence import Line, mark_read
from raidctl.model import Problem
from raidctl.text import collapse, printable, regex
from raidctl.vendor import draft
from raidctl.vendor.draft import DETAIL, WEAK, Complaint, Pair

LONGEST = 1000
"""Most characters of a detail; the rest is cut."""
_LARGEST = 2**63 - 1
PLACE = frozenset({"device", "address"})
"""The fields that show only where a drive is."""
_LIFE = frozenset({"percent_used", "percentage_used"})
_USED = regex(r"(\d{1,3})%?", re.ASCII)
_MAX_USED = 255
"""The largest value of NVMe."""
_NO_RESULT = regex(r"(?i)abort|interrupt|progress")
"""Words of a self-test that has no result: it was not completed, or is running."""
_LONG = regex(r"(?i)extended|long")
"""Kinds of self-tests that read the whole drive."""


class DeviceComplaint(Complaint, frozen=True):
    """A problem of a device or an output. The device is not listed as a drive."""

    device: str = ""

    def problem(self, where: str) -> Problem:
        """The problem, at the device or output whatever the drive's id."""
        return super().problem(self.device or where)


class DriveDraft(draft.Draft):
    """A drive in one output.

    ``name`` is unique in the output, and the fields are those of :class:`raidctl.model.Drive`.

    ``device`` is the node as printed, unknown if it is the node of the controller above the drive; ``address`` is then
    that of the drive on the controller, ``/dev/bus/0 megaraid,8``: two addresses are two drives.
    """

    marks: dict[str, tuple[Line, int]] = field(default_factory=dict)
    """Numbers that give a fact only together with others, and their lines."""

    tests: list[tuple[str, bool | None]] = field(default_factory=list)
    """The self-tests of the log, the newest first: kind, and whether the drive passed. None: it was not completed."""
    failed_test: bool = False
    """Whether a failed self-test is reported; one problem is enough."""

    joins: ClassVar[bool] = True
    """Whether further values of a label are appended to the detail. Otherwise the first one counts."""

    def put(
        self, line: Line | None, name: str, value: object, weight: int = DETAIL, shown_as: str | None = None
    ) -> None:
        """Set a field from a line. A value that no drive has becomes a detail, and None only marks the line as read."""
        if isinstance(value, str):
            value = collapse(printable(value))
        if line is None:
            super().put(line, name, value, weight, shown_as)
        elif value is None or value == "":
            mark_read(line)
        elif isinstance(value, int) and abs(value) > _LARGEST:
            # no JSON parser accepts it
            self.detail(line, name, str(value))
        elif name == "wwn" and is_blank_name(value):
            self.detail(line, "WWN", str(value))
        else:
            super().put(line, name, value, weight, shown_as)

    def replace(self, line: Line, name: str, value: str) -> None:
        """Replace a field's value by the one that a further line completes."""
        value = collapse(printable(value))
        self.override(name, value)
        self.add_evidence(line, name, value)

    def detail(self, line: Line, label: str, value: str) -> None:
        """Keep a fact without a neutral field."""
        label, value = collapse(printable(label)), collapse(printable(value))
        super().detail(line, label, value)
        used = _USED.fullmatch(value) if label in _LIFE else None
        if used and int(used[1]) <= _MAX_USED:
            self.put(line, "life_used_percent", int(used[1]))

    def keep(self, pair: Pair) -> None:
        """Keep a pair as a detail."""
        self.detail(pair.lines[0], pair.label, pair.value)

    def keep_words(self, label: str, value: str) -> None:
        """Keep the tool's words as a detail."""
        known = self.details.get(label)
        if known is None:
            self.details[label] = value
        elif self.joins and value != known and value not in known.split("; ") and len(known) + len(value) < LONGEST:
            self.details[label] = f"{known}; {value}" if known else value

    def list_word(self, line: Line, label: str, value: str) -> None:
        """Keep one of a list's many short words under a common label."""
        value = collapse(printable(value))
        self.add_evidence(line, f"details[{label}]", value)
        known = self.details.get(label)
        if known is None:
            self.details[label] = value
        elif len(known) + len(value) < 4 * LONGEST:
            self.details[label] = f"{known}, {value}"

    def mark(self, line: Line, name: str, value: int = 1) -> None:
        """Keep a number, or that a line occurred."""
        self.marks[name] = (line, value)

    def marked(self, name: str) -> int:
        """A kept number; 0 if there is none."""
        return self.marks[name][1] if name in self.marks else 0

    def add_test(self, kind: str, words: str, *, passed: bool | None) -> None:
        """Add a self-test of the log, older than those before. A failure counts until the drive passes a later test.

        That is one of the same kind, or one of the whole drive. An aborted test, or a short one, shows nothing about
        the sector that an extended test could not read; nor does one of unknown kind (empty).
        """
        later = [known for known, good in self.tests if good]
        disproved = (kind and kind in later) or any(map(_LONG.search, later))
        if passed is False and not self.failed_test and not disproved:
            which = "An earlier self-test of the drive" if self.tests else "The drive's last self-test"
            since = ", and no later one is known to have passed" if self.tests else ""
            message = f"{which} failed{since}: {printable(words)}."
            self.add_problem("warning", "state", message, "Check the backups and replace the drive.")
            self.failed_test = True
        if passed is None and words and not self.tests and not _NO_RESULT.search(words):
            message = f"The result of the drive's last self-test is unknown: {printable(words)}."
            self.add_problem("warning", "unread", message, "Start another: `raidctl check media start`.")
        self.tests.append((kind, passed))

    def at_device(self, node: str | None) -> None:
        """Set the node that the command line names. A node in the output takes precedence."""
        if node:
            self.conclude("device", node, WEAK)

    @property
    def answered(self) -> bool:
        """Whether the drive returned SMART data in an output that should have a verdict."""
        return False

    @property
    def empty(self) -> bool:
        """Whether the drive has no facts except where it is."""
        return not (self.values.keys() - PLACE or self.details)

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of the drive, not even a problem."""
        return not (self.values or self.details or self.complaints)

    @property
    def place(self) -> str:
        """The object that problems of a drive without facts are reported for."""
        return self.name

    def problems(self, where: str) -> Iterator[Problem]:
        """The problems, at the id of the drive."""
        return (complaint.problem(where) for complaint in self.complaints)


def is_blank_name(text: object) -> bool:
    """Whether a world wide name is all zeros, and thus none."""
    bare = str(text).strip().lower().removeprefix("0x").removeprefix("naa.").removeprefix("eui.")
    return not bare.strip("0 :.-")
