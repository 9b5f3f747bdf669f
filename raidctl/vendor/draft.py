"""Objects while a vendor package puts them together: what was told, by which line, and how much a source counts.

The id of a controller is known only when all outputs were read; evidence is therefore kept in the draft and written
to the outputs at the end, when it is certain which controller of which tool is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Model, Problem, ProblemKind, Severity
from raidctl.text import attempt

T = TypeVar("T")
M = TypeVar("M", bound=Model)
Derived = Mapping[str, Sequence[tuple[str, Callable[[str], Any]]]]
"""Labels of details, and the fields that they give with their readers; see :meth:`Draft.derive`."""

WEAK, ROW, DETAIL = 0, 1, 2
"""How much a source counts: derived from something else, a list's row, the object's own section."""

_MOST_COMPLAINTS = 50
"""Of one object; an output with more is rubbish."""

REPORT = "Report it with a recording of the machine (raidctl record); the raw words are shown until then."


@dataclass
class Pair:
    """``Label: value`` with the lines that its value ran on."""

    label: str
    value: str
    lines: list[Line]


@dataclass(frozen=True)
class Complaint:
    """A problem of an object whose id is not known yet."""

    severity: Severity
    kind: ProblemKind
    message: str
    remedy: str | None = None

    def problem(self, where: str) -> Problem:
        """The problem, at the object's id."""
        return Problem(severity=self.severity, kind=self.kind, where=where, message=self.message, remedy=self.remedy)


@dataclass
class Draft:
    """One object: field values with their weight, details in the tool's words, evidence, complaints."""

    name: str = ""
    values: dict[str, tuple[int, Any]] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    evidence: list[tuple[Line, str, object]] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)

    def put(self, line: Line | None, name: str, value: object, weight: int = DETAIL) -> None:
        """The line told a field. The weightier source wins, among equals the first."""
        if name not in self.values or self.values[name][0] < weight:
            self.values[name] = (weight, value)
        if line is not None:
            self.evidence.append((line, name, value))

    def get(self, name: str) -> Any:
        """The value of a field, None when nobody told it."""
        return self.values[name][1] if name in self.values else None

    def detail(self, line: Line, label: str, value: str) -> None:
        """A fact without a neutral field. The same label told twice keeps its first value."""
        self.details.setdefault(label, value)
        self.evidence.append((line, f"details[{label}]", value))

    def add_evidence(self, line: Line | None, name: str, value: object) -> None:
        """Evidence for a field that is worked out when everything is known."""
        if line is not None:
            self.evidence.append((line, name, value))

    def add_problem(self, severity: Severity, kind: ProblemKind, message: str, remedy: str | None = None) -> None:
        """Keep a problem, each one once."""
        complaint = Complaint(severity, kind, message, remedy)
        if len(self.complaints) < _MOST_COMPLAINTS and complaint not in self.complaints:
            self.complaints.append(complaint)

    def unread(self, label: str, value: str) -> None:
        """A value that is not in the form that the tool's other versions print."""
        self.add_problem("warning", "unread", f"The tool's {label} {value!r} was not understood.", REPORT)

    def read_field(self, pair: Pair, name: str, parse: Callable[[str], T | None], weight: int = DETAIL) -> T | None:
        """Read a pair into a field; what cannot be read, or says that there is nothing, becomes a detail."""
        value: T | None
        try:
            value = parse(pair.value)
        except ValueError:
            value = None
            self.unread(pair.label, pair.value)
        if value is None:
            self.keep_detail(pair)
            return None
        for line in pair.lines:
            self.put(line, name, value, weight)
        return value

    def keep_detail(self, pair: Pair, prefix: str = "") -> None:
        """A pair that is a detail; a label without a value is none."""
        if not pair.value:
            mark_read(*pair.lines)
            return
        for line in pair.lines:
            self.detail(line, f"{prefix}{pair.label}", pair.value)

    def derive(self, table: Derived) -> None:
        """Fields out of the details, where their form is a known one; the tool's words stay as they are.

        ``table`` gives for a label, in lower case and without what stands before a colon, the fields and their
        readers. A reader that returns None or raises ``ValueError`` tells nothing.
        """
        for line, name, value in tuple(self.evidence):
            if name.startswith("details["):
                label = name[8:-1].rpartition(": ")[2].strip().lower()
                for known, parse in table.get(label, ()):
                    found = attempt(parse, str(value))
                    if found is not None:
                        self.put(line, known, found)

    def part(self, name: str, build: Callable[..., T]) -> T | None:
        """A part of the object out of its fields: ``patrol_read`` of ``patrol_read.mode`` …; None when none is told."""
        told = {
            known[len(name) + 1 :]: value
            for known, (_, value) in self.values.items()
            if known.startswith(f"{name}.") and value is not None
        }
        return build(**told) if told else None

    def build(self, kind: type[M], **known: Any) -> M:
        """The object: each field as it was told under its own name, and the details; ``known`` goes before.

        What nobody told keeps the model's default. Parts of the object are for ``known`` (see :meth:`part`).
        """
        told = {name: value for name in kind.__struct_fields__ if (value := self.get(name)) is not None}
        return kind(**{**told, "details": self.details, **known})

    def absorb(self, other: Draft) -> None:
        """Add what another draft of the same object has; the weightier value wins, else the first."""
        for name, (weight, value) in other.values.items():
            if name not in self.values or self.values[name][0] < weight:
                self.values[name] = (weight, value)
        self.details = {**other.details, **self.details}
        self.evidence += other.evidence
        self.complaints += [complaint for complaint in other.complaints if complaint not in self.complaints]

    def write_evidence(self, object_id: str, names: Mapping[str, str] = MappingProxyType({})) -> None:
        """Record which line gives what of the object; ``names`` maps other names of fields to the model's."""
        for line, field_name, value in self.evidence:
            name = names.get(field_name, field_name)
            if name.startswith("details["):
                line.detail(object_id, name[8:-1], value)
            else:
                line.fact(object_id, name, value)

    def drop_evidence(self) -> None:
        """The lines were understood, but the object is shown as another tool told it."""
        for line, _, _ in self.evidence:
            line.used = True


def distinct(ids: Iterable[str]) -> list[str]:
    """Ids of which none stands twice: the second card that is called like another one is ``adaptec:1-2``."""
    taken: Counter[str] = Counter()
    told = []
    for name in ids:
        taken[name] += 1
        told.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return told


def unreadable(sheet: Output, remedy: str, lost: Iterable[str] = (), *, known: object = False) -> Iterator[Problem]:
    """Problems where rows were lost, or an output reports nothing; ``known``: it was understood."""
    lines = [line for line in sheet.lines if line.text.strip()]
    found: list[tuple[Severity, str, str]] = [("warning", message, REPORT) for message in lost]
    if not lines and not known:
        found.append(("warning", "The output is empty.", "Record it again."))
    elif not known and len(sheet.unparsed()) == len(lines):
        found.append(("error", "Nothing in this output was understood.", remedy))
    for severity, message, advice in found:
        yield Problem(severity=severity, kind="unread", where=sheet.command, message=message, remedy=advice)
