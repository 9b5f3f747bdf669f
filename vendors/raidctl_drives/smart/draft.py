"""A drive under construction: what the lines of an output report, with the evidence.

Several lines may report the same fact (a temperature is in an attribute and in the SCT status). Each
:meth:`Draft.offer` has a rank; the highest rank gives the field, the others stay as details.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Problem, ProblemKind, Severity
from raidctl.text import printable
from raidctl_drives.parts import DrivePart, is_blank_name, readdress
from raidctl_drives.smart.words import BEHIND

_FIRST = re.compile(r"#1((?:#\d+)?)$")
"""The mark of a document's first output at the end of a key; ``file.txt#1#4`` is the fourth one of ``file.txt``."""
_MOST_PROBLEMS = 50
"""No drive has more; an output that is rubbish might."""


@dataclass
class Offer:
    """The value of a field according to one line."""

    line: Line
    value: object
    rank: int
    label: str | None


@dataclass
class Attribute:
    """A row of the ATA attribute table."""

    line: Line
    number: int
    name: str
    raw: str
    prefail: bool
    failed: str
    """``now``, ``past`` or empty."""


@dataclass
class Health:
    """The drive's health as reported, before it is judged."""

    verdict: str | None = None
    """The tool's word: ``PASSED``, ``OK``, ``FAILED!``, or SCSI's sentence."""
    verdict_line: Line | None = None
    scsi: bool = False
    """The verdict carries ASC and ASCQ: a sense code of an informational exception."""
    reasons: list[str] = field(default_factory=list)
    critical_warning: int | None = None
    warning_line: Line | None = None

    @property
    def warning_text(self) -> str | None:
        """NVMe's byte in the tool's words; None if not reported."""
        return None if self.critical_warning is None else f"Critical Warning: 0x{self.critical_warning:02x}"


@dataclass
class Draft:
    """Collects one drive; :meth:`finish` gives the part."""

    output: Output
    key: str
    device: str | None = None
    """The node that smartctl opened."""
    kind: str | None = None
    """The type that it opened it as (``-d``)."""
    offers: dict[str, list[Offer]] = field(default_factory=dict)
    best: dict[str, Offer] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    attributes: dict[tuple[int, str], Attribute] = field(default_factory=dict)
    """The rows of the attribute table, by number and name."""
    health: Health = field(default_factory=Health)
    counters: list[tuple[Line, int]] = field(default_factory=list)
    """SCSI: uncorrected errors while reading, writing, verifying."""
    scanned: bool = False
    """smartctl itself named the device (in a scan, or when it opened it)."""
    device_line: Line | None = None
    """Where the device is named; None when only the command names it."""
    seen: set[str] = field(default_factory=set)
    """The sections of the output that this drive has had."""

    def offer(self, line: Line, name: str, value: object, *, rank: int = 0, label: str | None = None) -> None:
        """The line gives a field (``errors_media`` for ``errors.media``)."""
        if isinstance(value, str):
            value = printable(value)
        if name == "wwn" and is_blank_name(value):
            self.detail(line, label or "WWN", value)
            return
        offer = Offer(line, value, rank, label)
        self.offers.setdefault(name, []).append(offer)
        if name not in self.best or rank > self.best[name].rank:
            self.best[name] = offer

    def found_at(self, line: Line, device: str | None = None, kind: str | None = None) -> None:
        """Set the node that smartctl opened, and the type of drive (``-d``)."""
        if kind:
            self.detail(line, "type", kind)
            self.kind = kind
        if device:
            self.device = printable(device)
            self.device_line = line

    @property
    def behind(self) -> bool:
        """Whether the drive lies behind a controller, so that the node is not its own."""
        return self.kind is not None and BEHIND.search(self.kind) is not None

    def withdraw(self, name: str, value: object) -> None:
        """Drop a value of a field, and mark its lines as read; other values count."""
        offers = self.offers.pop(name, [])
        self.best.pop(name, None)
        for offer in offers:
            if offer.value == value:
                self.note(offer.line)
            else:
                self.offer(offer.line, name, offer.value, rank=offer.rank, label=offer.label)

    def detail(self, line: Line, label: str, value: object) -> None:
        """The line is known; its fact has no neutral field."""
        text = printable(str(value))
        line.detail(self.key, label, text)
        self.details.setdefault(label, text)

    def note(self, line: Line) -> None:
        """Mark a known line that has nothing to keep."""
        mark_read(line)

    def problem(
        self, message: str, *, remedy: str | None = None, kind: ProblemKind = "state", severity: Severity = "warning"
    ) -> None:
        """Add a warning of the tool, or a read failure."""
        found = Problem(severity=severity, where=self.key, message=printable(message), remedy=remedy, kind=kind)
        if found not in self.problems and len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(found)

    def get(self, name: str) -> Any:
        """The current value of a field, None if not reported."""
        return self.best[name].value if name in self.best else None

    def topics(self) -> set[str]:
        """The topics of the output, which differ between two outputs of one drive."""
        return (self.seen - {"data"}) | ({"verdict"} if self.health.verdict else set())

    @property
    def identified(self) -> bool:
        """Whether the output identifies the drive."""
        return bool(self.offers.keys() & {"model", "serial", "wwn"})

    def merge(self, other: Draft) -> None:
        """Merge another output of the same drive."""
        readdress(self.output, {other.key: self.key})
        for name, offers in other.offers.items():
            for offer in offers:
                self.offer(offer.line, name, offer.value, rank=offer.rank, label=offer.label)
        for label, value in other.details.items():
            self.details.setdefault(label, value)
        moved = (msgspec.structs.replace(problem, where=self.key) for problem in other.problems)
        self.problems += [problem for problem in moved if problem not in self.problems]
        self.attributes = {**other.attributes, **self.attributes}
        self.counters += other.counters
        self.seen |= other.seen
        if self.health.verdict is None:
            other.health.reasons = self.health.reasons + other.health.reasons
            self.health = other.health

    @property
    def blank(self) -> bool:
        """Whether the drive has no facts yet."""
        known = self.offers or self.attributes or self.problems or self.health.verdict or self.counters
        return not (known or self.details.keys() - {"type"} or self.scanned)

    def finish(self) -> DrivePart:
        """Choose the values, record the evidence, and return the part."""
        chosen: dict[str, Any] = {}
        for name, offers in self.offers.items():
            best = self.best[name]
            chosen[name] = best.value
            for offer in offers:
                if offer.value == best.value:
                    offer.line.fact(self.key, name.replace("errors_", "errors."), offer.value)
                elif offer.label or not offer.line.used:
                    self.detail(offer.line, offer.label or name, offer.value)
        silent = not (chosen or self.attributes or self.scanned or self.details.keys() - {"type"})
        place = self._place()
        chosen |= place
        if not silent:
            return DrivePart(key=self.key, details=self.details, problems=tuple(self.problems), **chosen)
        # nothing is known of a drive: the problems belong to the device, or to the whole output
        where = place.get("address") or self.device or _FIRST.sub(r"\1", self.key)
        problems = tuple(msgspec.structs.replace(problem, where=where) for problem in self.problems)
        return DrivePart(key=self.key, problems=problems, **chosen)

    def _place(self) -> dict[str, str]:
        """The drive's node, or the node of its controller and the address there."""
        if not self.device:
            return {}
        behind = self.behind
        if self.device_line:
            self.device_line.fact(self.key, "details[device]" if behind else "device", self.device)
        if not behind:
            return {"device": self.device}
        address = f"{self.device} {self.kind}"
        self.details.setdefault("device", self.device)
        return {"address": address}
