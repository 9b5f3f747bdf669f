"""A drive in one output of smartctl.

Several lines may report the same fact (a temperature is in an attribute and in the SCT status). Each has a rank; the
highest rank gives the field, the others become details.
"""

from __future__ import annotations

import re
from typing import ClassVar

from msgspec import Struct, field

from raidctl.evidence import Line, mark_read
from raidctl.model import ProblemKind, Severity
from raidctl.text import printable, regex
from raidctl.vendor.draft import Draft
from raidctl_drives.draft import PLACE, DriveDraft, is_blank_name
from raidctl_drives.smart.labels import BEHIND

_FIRST = regex(r"#1((?:#\d+)?)$")
"""Mark of a document's first output at the end of a name. ``file.txt#1#4`` is the fourth one of ``file.txt``."""

LOST_SECTOR = regex(r"\bError: (?:[A-Z]+, )*(?:UNC|IDNF)\b", re.ASCII)
"""An error of ATA's log: a sector that could not be read, or not be found. Refused commands (ABRT) are harmless."""


class Attribute(Struct):
    """A row of the ATA attribute table."""

    line: Line
    number: int
    name: str
    raw: str
    prefail: bool
    failed: str
    """``now``, ``past`` or empty."""
    value: int | None = None
    """Normalised value."""


def failed_now(value: int | None, threshold: int | None) -> str:
    """``now`` if a value has reached its threshold. That of 0 is always passed."""
    return "now" if value is not None and threshold and value <= threshold else ""


PASSED = frozenset({"PASSED", "OK", "OK!"})


class Health(Struct):
    """The drive's health as reported, before it is judged."""

    verdict: str | None = None
    """The tool's word: ``PASSED``, ``OK``, ``FAILED!``, or SCSI's sentence."""
    verdict_line: Line | None = None
    scsi: bool = False
    """Whether the verdict carries ASC and ASCQ. These are a sense code of an informational exception."""
    reasons: list[str] = field(default_factory=list)
    critical_warning: int | None = None
    warning_line: Line | None = None

    def judged_by(self, verdict: str | None, line: Line | None, *, scsi: bool) -> None:
        """Take a verdict. The first counts, but a bad one replaces a good one."""
        if self.verdict is None or (self.verdict in PASSED and verdict not in (None, *PASSED)):
            self.verdict, self.verdict_line, self.scsi = verdict, line, scsi

    def add(self, other: Health) -> None:
        """Add what another output of the same drive reports."""
        self.reasons += [reason for reason in other.reasons if reason not in self.reasons]
        self.judged_by(other.verdict, other.verdict_line, scsi=other.scsi)
        if not self.critical_warning and other.critical_warning is not None:
            self.critical_warning, self.warning_line = other.critical_warning, other.warning_line

    @property
    def warning_text(self) -> str | None:
        """NVMe's byte in the tool's words; None if not reported."""
        return None if self.critical_warning is None else f"Critical Warning: 0x{self.critical_warning:02x}"


class ErrorLog(Struct):
    """ATA's log of commands that ended in an error. It lists only the newest ones."""

    total: int = 0
    """The errors since the drive was made; 0 if not reported."""
    listed: dict[int, bool] = field(default_factory=dict)
    """The listed errors by number, and whether each is a sector that the drive could not read or find."""

    def note(self, number: int, words: str) -> None:
        """Add what the log has of an error. Without words, it is an error of unknown kind."""
        self.listed[number] = self.listed.get(number, False) or LOST_SECTOR.search(words) is not None

    def add(self, other: ErrorLog) -> None:
        """Add what another output has of the log."""
        self.total = max(self.total, other.total)
        self.listed = {**other.listed, **self.listed}


class SmartDraft(DriveDraft):
    """One drive; :meth:`finish` chooses the values."""

    node: str | None = None
    """The node that smartctl opened."""
    node_line: Line | None = None
    """Where it is named; None if only the command names it."""
    kind: str | None = None
    """The type that it opened it as (``-d``)."""
    attributes: dict[tuple[int, str], Attribute] = field(default_factory=dict)
    """The rows of the attribute table, by number and name."""
    health: Health = field(default_factory=Health)
    counters: list[tuple[Line, int]] = field(default_factory=list)
    """SCSI: uncorrected errors while reading, writing, verifying."""
    defects: list[tuple[Line, int]] = field(default_factory=list)
    """Sectors that cannot be read now: a line and how many. They come from the logs that list them."""
    statistics: dict[str, tuple[Line, int]] = field(default_factory=dict)
    """ATA: counts of the device statistics, by smartctl's names."""
    error_log: ErrorLog = field(default_factory=ErrorLog)
    test_status: int = 0
    """ATA: the status byte of the last self-test."""
    tested: bool = False
    """Whether the log has a self-test: it shows the result in more detail than the status."""
    scanned: bool = False
    """Whether smartctl itself named the device. It does so in a scan, or when it opens the device."""
    sections: set[str] = field(default_factory=set)
    """The sections of the output that this drive has had."""
    labels: dict[tuple[int, str], str] = field(default_factory=dict)
    """Labels of details, by line number and field. A line becomes a detail if another one gives the field."""

    joins: ClassVar[bool] = False

    def offer(self, line: Line, name: str, value: object, *, rank: int = 0, label: str | None = None) -> None:
        """Set a field from a line.

        With a label, the line becomes a detail under that label if a higher rank gives the field.
        """
        if name == "wwn" and label and is_blank_name(value):
            self.detail(line, label, str(value))
            return
        if label:
            self.labels[line.number, name] = label
        self.put(line, name, value, rank)

    def found_at(self, line: Line, node: str | None = None, kind: str | None = None) -> None:
        """Set the node that smartctl opened, and the type of drive (``-d``)."""
        if kind:
            self.detail(line, "type", kind)
            self.kind = kind
        if node:
            self.node, self.node_line = printable(node), line

    def drop_value(self, name: str, value: object) -> None:
        """Drop a value of a field, and mark its lines as read. Other values count."""
        mark_read(*(line for line, known, found in self.evidence if (known, found) == (name, value)))
        self.evidence = [item for item in self.evidence if item[1:] != (name, value)]
        if self.get(name) == value:
            self.discard(name)
            for found in [found for _, known, found in self.evidence if known == name][:1]:
                self.conclude(name, found)

    def report(
        self, message: str, *, remedy: str | None = None, kind: ProblemKind = "state", severity: Severity = "warning"
    ) -> None:
        """Add a warning of the tool, or a read failure."""
        self.add_problem(severity, kind, printable(message), remedy)

    def topics(self) -> set[str]:
        """The topics of the output. They differ between two outputs of one drive."""
        return (self.sections - {"data"}) | ({"verdict"} if self.health.verdict else set())

    @property
    def identified(self) -> bool:
        """Whether the output identifies the drive."""
        return bool(self.values.keys() & {"model", "serial", "wwn"})

    def absorb(self, other: Draft) -> None:
        """Merge another output of the same drive."""
        details = self.details
        super().absorb(other)
        self.details = {**details, **{label: value for label, value in other.details.items() if label not in details}}
        if not isinstance(other, SmartDraft):
            return
        self.attributes = {**other.attributes, **self.attributes}
        self.labels |= other.labels
        self.counters += other.counters
        self.defects += other.defects
        self.statistics = {**other.statistics, **self.statistics}
        self.error_log.add(other.error_log)
        self.sections |= other.sections
        self.test_status, self.tested = self.test_status or other.test_status, self.tested or other.tested
        self.health.add(other.health)

    @property
    def blank(self) -> bool:
        """Whether the drive has no facts yet."""
        known = self.values or self.attributes or self.complaints or self.health.verdict or self.counters
        known = known or self.defects
        return not (known or self.details.keys() - {"type"} or self.scanned)

    @property
    def answered(self) -> bool:
        """Whether the drive returned SMART data in an output that also identifies it.

        ``smartctl -A`` does not, and prints no verdict.
        """
        return self.identified and bool(self.attributes or self.counters)

    @property
    def empty(self) -> bool:
        """Whether the drive has no facts except where it is."""
        facts = self.values.keys() - PLACE or self.details.keys() - {"type", "device"}
        return not (facts or (self.scanned and self.details))

    @property
    def place(self) -> str:
        """The place of problems of a drive without facts: device or output."""
        return self.get("address") or self.node or _FIRST.sub(r"\1", self.name)

    def finish(self) -> SmartDraft:
        """Keep lines as evidence or details, and set the drive's place.

        Lines that give the chosen value are evidence, the others are details.
        """
        found, self.evidence = self.evidence, []
        others = []
        for line, name, value in found:
            if name.startswith("details[") or value == self.get(name):
                self.evidence.append((line, name, value))
            else:
                others.append((line, name, value))
        read = {line.number for line, _, _ in self.evidence}
        for line, name, value in others:
            label = self.labels.get((line.number, name))
            if label or not (line.used or line.number in read):
                self.detail(line, label or name, str(value))
        self._set_place()
        return self

    def _set_place(self) -> None:
        """Set the drive's node. Behind a controller, set the controller's node and the address there."""
        if not self.node:
            return
        if self.kind is None or not BEHIND.search(self.kind):
            self.conclude("device", self.node)
            self.add_evidence(self.node_line, "device", self.node)
            return
        # the drive is behind a controller: the node is not its own
        self.conclude("address", f"{self.node} {self.kind}")
        self.keep_words("device", self.node)
        self.add_evidence(self.node_line, "details[device]", self.node)
