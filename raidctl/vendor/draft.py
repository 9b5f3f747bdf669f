"""A model object under construction: values, their lines, ranks of sources.

The id of a controller is known only after all outputs were read. Therefore evidence is kept in the draft, and written
to the outputs at the end, when it is certain which controller of which tool is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar, Generic, TypeVar, cast

from msgspec import Struct

from raidctl.evidence import Evidence, Line, Output, mark_read, record
from raidctl.model import Model, Problem, ProblemKind, Severity
from raidctl.order import natural
from raidctl.text import attempt, collapse

T = TypeVar("T")
M = TypeVar("M", bound=Model)
Derived = Mapping[str, Sequence[tuple[str, Callable[[str], Any]]]]
"""Labels of details, with the fields and readers for each; see :meth:`Draft.derive`."""
ShownOn = Callable[["Draft", str], "Mapping[str, Evidence] | None"]
"""Draft and its object's id -> its evidence by the object that shows it. None: as it is, on the object."""

WEAK, ROW, DETAIL = 0, 1, 2
"""Ranks of sources. They are: derived from other values, a row of a list, the object's own section."""

_BAD = frozenset({"critical", "warning", "failed", "offline", "inactive", "missing", "degraded", "rebuilding"})
_UNSETTLED = frozenset({None, "ok", "unknown", "checking", "initializing", "expanding", "migrating", "charging"})
_STATUSES = ("status", "state")
"""Fields for the state of an object. ``state`` is that of a family whose status follows from several lines."""
_MAX_COMPLAINTS = 50
"""Problems of one object; an output with more is unusable."""

REPORT = "Report it with `raidctl record --redact machine.tar.gz`; the raw words are shown until then."


class Pair(Struct, gc=False):  # has no reference cycle; there is one for almost every line
    """``Label: value`` with the lines that its value extends over."""

    label: str
    value: str
    lines: list[Line]


class Complaint(Struct, frozen=True):
    """A problem of an object whose id is unknown yet."""

    severity: Severity
    kind: ProblemKind
    message: str
    remedy: str | None = None

    def problem(self, where: str) -> Problem:
        """The problem, at the object's id."""
        return Problem(severity=self.severity, kind=self.kind, where=where, message=self.message, remedy=self.remedy)


class Draft(Struct):
    """The draft of one object: values with ranks, details, evidence, and problems.

    Details are in the tool's words.
    """

    name: str = ""
    values: dict[str, tuple[int, Any]] = {}
    details: dict[str, str] = {}
    evidence: Evidence = []
    complaints: list[Complaint] = []

    def put(
        self, line: Line | None, name: str, value: object, weight: int = DETAIL, shown_as: str | None = None
    ) -> None:
        """Set a field from a line. The higher-ranked source wins; between equals, the first.

        ``shown_as``: the model's field, or ``details[LABEL]``, that shows a field of the package's own.
        """
        known = self.values.get(name)
        if known is None or known[0] < weight:
            self.values[name] = (weight, value)
        if line is not None:
            self.evidence.append((line, shown_as or name, value))

    def conclude(self, name: str, value: object, weight: int = WEAK) -> None:
        """Set a derived field, if no source of that rank reports it."""
        self.put(None, name, value, weight)

    def override(self, name: str, value: object, weight: int = DETAIL) -> None:
        """Set a field regardless of its sources. It follows from several of them."""
        self.values[name] = (weight, value)

    def discard(self, *names: str) -> None:
        """Make fields unknown again; their lines stay evidence."""
        for name in names:
            self.values.pop(name, None)

    def get(self, name: str) -> Any:
        """The value of a field, None if unknown."""
        known = self.values.get(name)
        return None if known is None else known[1]

    def detail(self, line: Line, label: str, value: str) -> None:
        """Keep a fact without a neutral field. The same label reported twice keeps its first value.

        Runs of blanks become one: their number is layout, which mail programs change.
        """
        words = collapse(value)
        self.keep_words(label, words)
        self.evidence.append((line, f"details[{label}]", words))

    def detail_of(self, lines: Sequence[Line], label: str, value: str) -> None:
        """Keep a fact that several lines report together; nothing without a line."""
        if lines:
            self.detail(lines[0], label, value)
            self.evidence += [(line, *self.evidence[-1][1:]) for line in lines[1:]]

    def keep_words(self, label: str, value: str) -> None:
        """Keep the tool's words as a detail. Their line is also evidence for a field."""
        self.details.setdefault(label, value)

    def replace_words(self, label: str, value: str) -> None:
        """The same, but the later value counts."""
        self.details[label] = value

    def restate(self, name: str, value: object, sources: Collection[str]) -> None:
        """Override a field with a value that follows from other fields. Their lines become its evidence."""
        lines = [line for line, field, _ in self.evidence if field in sources]
        self.evidence = [item for item in self.evidence if item[1] != name]
        self.override(name, value)
        for line in lines:
            self.add_evidence(line, name, value)

    def add_evidence(self, line: Line | None, name: str, value: object) -> None:
        """Add evidence for a field whose value is computed at the end."""
        if line is not None:
            self.evidence.append((line, name, value))

    def add_problem(self, severity: Severity, kind: ProblemKind, message: str, remedy: str | None = None) -> None:
        """Keep a problem, each one once."""
        self.complain(Complaint(severity, kind, message, remedy))

    def complain(self, complaint: Complaint) -> None:
        """Keep a problem, each one once."""
        if len(self.complaints) < _MAX_COMPLAINTS and complaint not in self.complaints:
            self.complaints.append(complaint)

    def withdraw(self, beginning: str) -> None:
        """Drop the problems whose message begins like this."""
        self.complaints = [item for item in self.complaints if not item.message.startswith(beginning)]

    def unread(self, label: str, value: str) -> None:
        """Report a value whose form other tool versions do not print."""
        self.add_problem("warning", "unread", f"The tool's {label} {value!r} was not understood.", REPORT)

    def read_field(
        self,
        pair: Pair,
        name: str,
        parse: Callable[[str], T | None],
        weight: int = DETAIL,
        shown_as: str | None = None,
    ) -> T | None:
        """Read a pair into a field (see :meth:`put`). An unreadable or missing value becomes a detail."""
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
            self.put(line, name, value, weight, shown_as)
        return value

    def keep_detail(self, pair: Pair, prefix: str = "") -> None:
        """Keep a pair as a detail. A label without a value is ignored."""
        if not pair.value:
            mark_read(*pair.lines)
            return
        for line in pair.lines:
            self.detail(line, f"{prefix}{pair.label}" if prefix else pair.label, pair.value)

    def derive(self, table: Derived) -> None:
        """Set fields from details with a known form; the details are kept.

        ``table`` gives for a label, in lower case and without the words before a colon, the fields and their readers. A
        reader that returns None or raises ``ValueError`` gives no value.
        """
        wanted = {f"details[{label}]": rows for label in self.details if (rows := table.get(_without_prefix(label)))}
        for line, name, value in tuple(self.evidence) if wanted else ():
            for known, parse in wanted.get(name, ()):
                found = attempt(parse, str(value))
                if found is not None:
                    self.put(line, known, found)

    def part(self, name: str, build: Callable[..., T]) -> T | None:
        """Build a part from its fields: ``patrol_read`` of ``patrol_read.mode`` …; None without any."""
        prefix = f"{name}."
        fields = {
            known.removeprefix(prefix): value
            for known, (_, value) in self.values.items()
            if value is not None and known.startswith(prefix)
        }
        return build(**fields) if fields else None

    def build(self, kind: type[M], /, **known: Any) -> M:
        """Build the object from the fields and details; ``known`` takes precedence.

        A field without a value keeps the model's default. Parts of the object are for ``known`` (see :meth:`part`).
        """
        fields = _fields_of(kind)
        reported = {name: value for name, (_, value) in self.values.items() if value is not None and name in fields}
        reported["details"] = self.details
        reported.update(known)
        return kind(**reported)

    def status_weight(self, name: str, value: object, weight: int) -> int:
        """The rank of a status if sources disagree. A bad one overrides a good or unknown one of any source."""
        known = self.values.get(name)
        if known is None or is_bad(known[1]) == is_bad(value):
            return weight
        if is_bad(value):
            return max(weight, known[0] + 1) if known[1] in _UNSETTLED else weight
        return min(weight, known[0]) if value in _UNSETTLED else weight

    def absorb(self, other: Draft) -> None:
        """Add another draft's facts on this object. The higher rank wins, then the first, except for bad statuses."""
        shift: dict[str, int] = {}
        for name in _STATUSES:
            if name not in other.values:
                continue
            weight, value = other.values[name]
            shift |= dict.fromkeys((name, "status_text"), self.status_weight(name, value, weight) - weight)
        for name, (own, value) in other.values.items():
            weight = own + shift.get(name, 0)
            if name not in self.values or self.values[name][0] < weight:
                self.values[name] = (weight, value)
        self.details = {**other.details, **self.details}
        self.evidence += other.evidence
        self.complaints += [complaint for complaint in other.complaints if complaint not in self.complaints]

    def drop_evidence(self) -> None:
        """Mark the lines as read. The object is shown as another tool reports it."""
        mark_read(*(line for line, _, _ in self.evidence))


@lru_cache(maxsize=4096)
def _without_prefix(label: str) -> str:
    """``block size`` of ``Phy #0: Block Size``."""
    return label.rpartition(": ")[2].strip().lower()


@cache
def _fields_of(kind: type[Model]) -> frozenset[str]:
    return frozenset(kind.__struct_fields__)


def is_bad(status: object) -> bool:
    """Whether a model status is bad, for any kind of object."""
    return status in _BAD


def _sorted(drafts: dict[str, T]) -> dict[str, T]:
    return {name: drafts[name] for name in sorted(drafts, key=natural)}


def _made(drafts: dict[str, T], name: str, make: Callable[[str], T]) -> T:
    """The draft of a name, created if it is new."""
    found = drafts.get(name)
    if found is None:
        found = drafts[name] = make(name)
    return found


class GroupDraft(Draft):
    """An array or a volume, and the keys of its drives."""

    members: dict[str, None] = {}
    spares: dict[str, bool] = {}
    """True for a dedicated one."""

    def absorb(self, other: Draft) -> None:
        """Add the facts of another draft of the same array or volume. Drives are included."""
        super().absorb(other)
        if isinstance(other, GroupDraft):
            self.members |= other.members
            self.spares |= other.spares


G = TypeVar("G", bound=GroupDraft)


class ControllerDraft(Draft, Generic[G]):
    """A controller and everything on it. ``name`` is the tool's number or slot, empty if unknown."""

    arrays: dict[str, G] = {}
    volumes: dict[str, G] = {}
    drives: dict[str, Draft] = {}
    batteries: dict[str, Draft] = {}

    array_prefix: ClassVar[str] = "a"
    """``a`` of the array's id ``adaptec:1/a0``."""
    group_type: ClassVar[type[GroupDraft]] = GroupDraft
    """Class of its arrays and volumes."""

    def array(self, name: str) -> G:
        """The draft of an array, made if it is new."""
        return _made(self.arrays, name, cast("type[G]", self.group_type))

    def volume(self, name: str) -> G:
        """The draft of a volume."""
        return _made(self.volumes, name, cast("type[G]", self.group_type))

    def drive(self, key: str) -> Draft:
        """The draft of a drive. The key is the last part of its id."""
        return _made(self.drives, key, Draft)

    def battery(self, name: str) -> Draft:
        """The draft of a battery. Its id is its place in the order."""
        return _made(self.batteries, name, Draft)

    def sort(self) -> None:
        """Put arrays, volumes and drives in the natural order of their names."""
        self.arrays, self.volumes, self.drives = _sorted(self.arrays), _sorted(self.volumes), _sorted(self.drives)

    def all(self) -> Iterator[Draft]:
        """The controller's draft and those of everything on it."""
        yield self
        for drafts in (self.arrays, self.volumes, self.drives, self.batteries):
            yield from drafts.values()

    def owned(self, controller_id: str) -> Iterator[tuple[Draft, str]]:
        """Each draft with its id."""
        yield self, controller_id
        for array in self.arrays.values():
            yield array, f"{controller_id}/{self.array_prefix}{array.name}"
        for volume in self.volumes.values():
            yield volume, f"{controller_id}/v{volume.name}"
        for drive in self.drives.values():
            yield drive, f"{controller_id}/{drive.name}"
        for number, battery in enumerate(self.batteries.values()):
            yield battery, f"{controller_id}/battery{number}"

    def arrays_of_spares(self, *, dedicated: bool = False) -> dict[str, list[str]]:
        """Names of the arrays that each spare covers, by the spare's key."""
        found: dict[str, list[str]] = {}
        for array in self.arrays.values():
            for key, own in array.spares.items():
                if own or not dedicated:
                    found.setdefault(key, []).append(array.name)
        return found

    @property
    def reported(self) -> bool:
        """Whether any line is about the controller or an object on it."""
        return any(draft.evidence for draft in self.all())

    def problems(self, controller_id: str) -> list[Problem]:
        """The problems of the controller and of everything on it."""
        return [item.problem(where) for draft, where in self.owned(controller_id) for item in draft.complaints]

    def write_evidence(self, controller_id: str, shown_on: ShownOn | None = None) -> None:
        """Record the facts of each line under the final ids. ``shown_on``: how drafts are shown on other objects."""
        for draft, where in self.owned(controller_id):
            shown = None if shown_on is None else shown_on(draft, where)
            for object_id, evidence in ({where: draft.evidence} if shown is None else shown).items():
                record(object_id, evidence)

    def absorb(self, other: Draft) -> None:
        """Add another output's facts about the same controller and everything on it."""
        super().absorb(other)
        if isinstance(other, ControllerDraft):
            for make, drafts in (
                (self.array, other.arrays), (self.volume, other.volumes),
                (self.drive, other.drives), (self.battery, other.batteries),
            ):  # fmt: skip
                for name, draft in drafts.items():
                    make(name).absorb(draft)


def unreadable(output: Output, remedy: str, lost: Iterable[str] = (), *, known: object = False) -> Iterator[Problem]:
    """Report lost rows, and an output without any data. ``known``: whether the output was understood."""
    found: list[tuple[Severity, str, str]] = [("warning", message, REPORT) for message in lost]
    lines = [] if known else [line for line in output.lines if line.text.strip()]
    if not lines and not known:
        found.append(("warning", "The output is empty.", "Record it again."))
    elif not known and len(output.unparsed()) == len(lines):
        found.append(("error", "Nothing in this output was understood.", remedy))
    for severity, message, advice in found:
        yield Problem(severity=severity, kind="unread", where=output.command, message=message, remedy=advice)
