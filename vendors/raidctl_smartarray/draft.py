"""Objects while they are put together: what was told of them, by which line, and how much a source counts.

The id of a controller is known only when all outputs were read; evidence is therefore kept here and written to the
sheets at the end, when it is certain which card of which tool is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from raidctl.evidence import Line, Sheet
from raidctl.model import Problem, ProblemKind, Severity
from raidctl_smartarray.outline import Pair

T = TypeVar("T")

WEAK, ROW, DETAIL = 0, 1, 2
"""How much a source counts: derived from something else, a list's row, the object's own section."""

_MOST_COMPLAINTS = 50
"""Of one object; an output with more is rubbish."""

REPORT = "Report it with a recording of the machine (raidctl record); the raw words are shown until then."


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
    told: list[tuple[Sheet, Line, str, object]] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)

    def put(self, sheet: Sheet, line: Line | None, name: str, value: object, weight: int = DETAIL) -> None:
        """The line told a field. The weightier source wins, among equals the first."""
        if name not in self.values or self.values[name][0] < weight:
            self.values[name] = (weight, value)
        if line is not None:
            self.told.append((sheet, line, name, value))

    def get(self, name: str) -> Any:
        """The value of a field, None when nobody told it."""
        return self.values[name][1] if name in self.values else None

    def detail(self, sheet: Sheet, line: Line, label: str, value: str) -> None:
        """A fact without a neutral field. The same label told twice keeps its first value."""
        self.details.setdefault(label, value)
        self.told.append((sheet, line, f"details[{label}]", value))

    def seen(self, sheet: Sheet, line: Line | None, name: str, value: object) -> None:
        """Evidence for a field that is worked out when everything is known."""
        if line is not None:
            self.told.append((sheet, line, name, value))

    def complain(self, severity: Severity, kind: ProblemKind, message: str, remedy: str | None = None) -> None:
        """Keep a problem, each one once."""
        complaint = Complaint(severity, kind, message, remedy)
        if len(self.complaints) < _MOST_COMPLAINTS and complaint not in self.complaints:
            self.complaints.append(complaint)

    def unread(self, label: str, value: str) -> None:
        """A value that is not in the form that the tool's other versions print."""
        self.complain("warning", "unread", f"The tool's {label} {value!r} was not understood.", REPORT)

    def take(
        self, sheet: Sheet, pair: Pair, name: str, parse: Callable[[str], T | None], weight: int = DETAIL
    ) -> T | None:
        """Read a pair into a field; what cannot be read, or says that there is nothing, becomes a detail."""
        value: T | None
        try:
            value = parse(pair.value)
        except ValueError:
            value = None
            self.unread(pair.label, pair.value)
        if value is None:
            self.keep(sheet, pair)
            return None
        for line in pair.lines:
            self.put(sheet, line, name, value, weight)
        return value

    def keep(self, sheet: Sheet, pair: Pair, prefix: str = "") -> None:
        """A pair that is a detail; a label without a value is none."""
        if not pair.value:
            sheet.note(*pair.lines)
            return
        for line in pair.lines:
            self.detail(sheet, line, f"{prefix}{pair.label}", pair.value)

    def write_evidence(self, object_id: str) -> None:
        """Say on the sheets which line told what of the object."""
        for sheet, line, name, value in self.told:
            if name.startswith("details["):
                sheet.detail(line, object_id, name[8:-1], value)
            else:
                sheet.fact(line, object_id, name, value)

    def drop_evidence(self) -> None:
        """The lines were understood, but the object is shown as another tool told it."""
        for sheet, line, _, _ in self.told:
            sheet.note(line)


@dataclass
class ArrayDraft(Draft):
    """An array; members and spares by their addresses, as printed."""

    members: dict[str, None] = field(default_factory=dict)
    spares: dict[str, None] = field(default_factory=dict)


@dataclass
class ControllerDraft(Draft):
    """A card, and everything on it. ``name`` is its slot, empty when no output told it."""

    chassis: str | None = None
    arrays: dict[str, ArrayDraft] = field(default_factory=dict)
    volumes: dict[str, Draft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    """``logical`` and ``physical``: the tool says that there are none."""

    def weight(self) -> int:
        """How much was told of the card and all on it."""
        return sum(len(draft.told) for draft in self.all())

    def all(self) -> list[Draft]:
        """The card's draft and those of all that is on it."""
        return [self, *self.arrays.values(), *self.volumes.values(), *self.drives.values()]

    def array(self, name: str) -> ArrayDraft:
        """The draft of an array."""
        return self.arrays.setdefault(name, ArrayDraft(name))

    def volume(self, name: str) -> Draft:
        """The draft of a volume."""
        return self.volumes.setdefault(name, Draft(name))

    def drive(self, address: str) -> Draft:
        """The draft of a drive."""
        return self.drives.setdefault(address, Draft(address))
