"""A policy rule: the selected objects, their required values, the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, get_args

from raidctl.audit.finding import Finding, Outcome
from raidctl.audit.policy.checks import Check, Test, clause, together, words_of
from raidctl.audit.policy.conditions import conditions
from raidctl.audit.policy.derived_fields import all_listed
from raidctl.audit.policy.logic import Truth, within
from raidctl.audit.policy.quantifiers import bounds, how_many, required
from raidctl.audit.policy.schema import Kind, kinds, selectable
from raidctl.audit.policy.scope import Machine, Scope
from raidctl.health.severity import Severity
from raidctl.text import listing, plural
from raidctl.toml_files.mistakes import Place, hint, suggestion

KEYS = ("name", "for", "where", "require", "count", "severity", "reason", "remedy", "optional")
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
USUAL: Severity = "warning"


@dataclass
class Count:
    """Number of checks of a rule, by result."""

    checked: int = 0
    passed: int = 0
    failed: int = 0
    unknown: int = 0
    waived: int = 0
    hosts: int = 0
    """Hosts on which it did not pass."""


@dataclass(frozen=True, kw_only=True)
class PolicyRule:
    """One compiled rule."""

    name: str
    label: str
    """Its name in messages: ``rule 3 ("database volumes")``."""
    kind: str
    severity: Severity = USUAL
    reason: str = ""
    remedy: str | None = None
    optional: bool = False
    """It may select nothing."""
    short: bool = False
    """A short line that applies to every volume."""
    spec: Any = field(default=None, compare=False)
    """The conditions of a short line, as written."""
    chosen: tuple[Check, ...] = ()
    required: tuple[Check, ...] = ()
    count: tuple[int, int | None] | None = None
    select: Test | None = None
    test: Test = field(default=lambda _item, _scope: True)

    def run(self, machine: Machine, findings: list[Finding], *, keep: bool) -> tuple[int, int]:
        """Check a machine. Add its findings, and return the number of checks and of passes.

        ``keep``: also findings that pass.
        """
        sure = None if keep else self._all_pass(machine)
        if sure is None:
            met, passed, sure = self._one_by_one(machine, findings, keep=keep)
        else:  # as on most machines: nothing to report
            met = passed = sure
        if self.count is None:
            return met, passed
        right = self._counted(machine, sure, met, findings, keep=keep)
        return (met + 1, passed + right) if self.required else (1, int(right))

    def _all_pass(self, machine: Machine) -> int | None:
        """The number of objects that are selected, if all of them pass. None: they have to be checked one by one.

        Most machines pass most rules, and whole columns are several times as fast as one object after another.
        """
        items, around = machine.columns(self.kind)
        for check in self.chosen:
            selected = [*check.results(items, around)]
            if all(selected):
                continue
            if None in selected:
                return None
            items, around = [*compress(items, selected)], [*compress(around, selected)]
        for check in self.required:
            if not all(check.results(items, around)):
                return None
        return len(items)

    def _one_by_one(self, machine: Machine, findings: list[Finding], *, keep: bool) -> tuple[int, int, int]:
        """Three numbers of objects: possibly selected, passing, and certainly selected."""
        select, test = self.select, self.test
        met = passed = sure = 0
        for item, scope in machine.objects(self.kind):
            selected = True if select is None else select(item, scope)
            if selected is False:
                continue
            met += 1
            sure += selected is True
            value = test(item, scope)
            if value:
                passed += 1
                if keep and self.required:
                    findings.append(self._finding("pass", item, scope, selected))
            else:
                findings.append(
                    self._finding("fail" if selected and value is False else "unknown", item, scope, selected)
                )
        return met, passed, sure

    def _counted(self, machine: Machine, sure: int, most: int, findings: list[Finding], *, keep: bool) -> bool:
        """Whether it selects the required number of objects."""
        assert self.count is not None  # noqa: S101 - the caller has checked it
        whole = machine.scope.complete and all_listed(self.kind, machine)
        value = within(sure, most if whole else None, *self.count)
        outcome = _OUTCOMES[value]
        if value and not keep:
            return True
        open_end = "" if whole and most == sure else " or more"
        wanted, actual = how_many(*self.count, self.selects), f"{sure}{open_end}"
        text = f"{self.selects(2)}: {actual} found"
        findings.append(
            Finding(
                rule=self.name,
                severity=self.severity,
                outcome=outcome,
                where="host",
                field="count",
                wanted=wanted,
                actual=actual,
                message=self._sentence(text if value else f"{text}, {required(*self.count)}"),
                remedy=None if value else self.remedy,
                evidence=(f"count = {actual}",),
            )
        )
        return value is True

    def selects(self, number: int = 1) -> str:
        """``volume with mountpoints /srv/*``, in the number given."""
        kind = (self.kind if number == 1 else plural(self.kind)).replace("_", " ")
        return f"{kind} with {words_of(self.chosen)}" if self.chosen else kind

    def unmatched(self, *, hidden: bool) -> Finding:
        """A finding that it selects nothing, usually a typing error. ``hidden``: not everything could be read."""
        return Finding(
            rule=self.name,
            severity=self.severity,
            outcome="unmatched",
            where="host",
            message=f"{self.label} matched no {self.selects()}.",
            remedy=_HIDDEN if hidden else _SHORT if self.short else _UNMATCHED,
        )

    def _finding(self, outcome: Outcome, item: Any, scope: Scope, selected: Truth) -> Finding:
        decisive = self._decisive(outcome, item, scope, selected)
        values = [(check, check.actual(item, scope)) for check in decisive]
        one = decisive[0] if len(decisive) == 1 else None
        return Finding(
            rule=self.name,
            severity=self.severity,
            outcome=outcome,
            where=_name(item, scope, self.kind),
            device=getattr(item, "device", None) if self.kind in ("volume", "drive") else None,
            mountpoints=item.mountpoints if self.kind in ("volume", "drive") else (),
            field=(one.path or None) if one else None,
            wanted=one.wanted if one else words_of(decisive) or None,
            actual=values[0][1] if one else ", ".join(f"{c.path} {v or 'unknown'}" for c, v in values) or None,
            message=self._sentence(self._message(outcome, values, item, scope, selected)),
            remedy=None if outcome == "pass" else self.remedy,
            evidence=tuple(f"{check.path or 'fields'} = {value or 'unknown'}" for check, value in values),
        )

    def _decisive(self, outcome: Outcome, item: Any, scope: Scope, selected: Truth) -> Sequence[Check]:
        if outcome == "pass":
            return self.required
        if outcome == "fail":
            return [check for check in self.required if check.test(item, scope) is False]
        if selected is None:
            return [check for check in self.chosen if check.test(item, scope) is None]
        return [check for check in self.required if check.test(item, scope) is None]

    @staticmethod
    def _message(
        outcome: Outcome, values: Sequence[tuple[Check, str | None]], item: Any, scope: Scope, selected: Truth
    ) -> str:
        if outcome == "unknown" and selected is None:
            fields = list(dict.fromkeys(check.path or "a field" for check, _ in values))
            return f"Whether the rule applies is unknown: {listing(fields)} not reported"
        value = _VALUES[outcome]
        return "; ".join([clause(check, actual, item, scope, value) for check, actual in values])

    def _sentence(self, text: str) -> str:
        if not self.reason:
            return f"{text}."
        return f"{text} ({self.reason.rstrip('.')})."


_HIDDEN = "Not everything could be read, so the objects may be hidden; fix that first, then audit again."
_UNMATCHED = "Correct the selection, or set optional = true if it may select nothing."
_SHORT = "The line applies to every volume, and there is none; if that is right, write a [[rule]] with optional = true."
_OUTCOMES: dict[Truth, Outcome] = {True: "pass", False: "fail", None: "unknown"}
_VALUES: dict[Outcome, Truth] = {outcome: value for value, outcome in _OUTCOMES.items()}


def _name(item: Any, scope: Scope, kind: str) -> str:
    if kind == "host":
        return "host"
    name = getattr(item, "id", None) or getattr(item, "where", None) or getattr(item, "name", None)
    controller = scope.controller.id if scope.controller else "host"
    return str(name) if name else f"{controller}/{kind}" if kind != "cache" else controller


def compile_rule(table: Any, number: int, place: Place, owner: str = "") -> PolicyRule | None:
    """The rule of one ``[[rule]]``. Mistakes are noted, and the rule may then be None.

    ``owner``: the included file or the group that it belongs to. It is part of the name of a rule without one, as such
    a rule replaces no other.
    """
    if not isinstance(table, Mapping):
        place.wrong("a rule has to be a table: [[rule]], then its keys, or rule = [{ … }].")
        return None
    for key in table:
        if key not in KEYS:
            meant = suggestion(key, KEYS)
            fields = "" if "did you" in meant else ' (conditions go into "require", the selection into "where")'
            place.at(key).wrong(f'"{key}" is not a key of a rule; {meant}{fields}')
    kind = table.get("for")
    known = selectable()
    if "for" not in table:
        place.wrong(f'"for" is missing: {listing(known, "or")}.')
        return None
    if not isinstance(kind, str) or kind not in known:
        place.at("for").wrong(f'"for" has to be {listing(known, "or")}, not "{kind}"; {hint(str(kind), known)}')
        return None
    if "require" not in table and "count" not in table:
        place.wrong('a rule needs "require" or "count".')
    return _build_rule(table, f"rule {number}", kind, place, owner)


def _build_rule(table: Mapping[str, Any], numbered: str, kind: str, place: Place, owner: str) -> PolicyRule:
    shape = kinds()[kind]
    chosen = conditions(shape, table["where"], place.at("where")) if "where" in table else []
    required = conditions(shape, table["require"], place.at("require")) if "require" in table else []
    name = text(table, "name", place)
    unnamed = f"{numbered} of {owner}" if owner else numbered
    return PolicyRule(
        name=name or unnamed,
        label=f'{numbered} ("{name}")' if name else unnamed,
        kind=kind,
        severity=severity(table, place) or USUAL,
        reason=text(table, "reason", place) or "",
        remedy=text(table, "remedy", place),
        optional=_flag(table, "optional", place),
        chosen=tuple(chosen),
        required=tuple(required),
        count=bounds(table["count"], place.at("count")) if "count" in table else None,
        select=together(chosen) if chosen else None,
        test=together(required),
    )


def short_rule(key: str, spec: Any, place: Place) -> PolicyRule | None:
    """The rule of a line like ``raid_level = "raid6"``, which applies to every volume."""
    required = conditions(kinds()["volume"], {key: spec}, place)
    if not required:
        return None
    return PolicyRule(
        name=key,
        label=f'the line "{key}"',
        kind="volume",
        required=tuple(required),
        test=together(required),
        short=True,
        spec=spec,
    )


def beside(older: PolicyRule | None, rule: PolicyRule) -> PolicyRule:
    """The rule that replaces an older one of its name.

    Short lines are named after their first word: ``controller.mode`` replaces no ``controller.status``.
    """
    if older is None or not (older.short and rule.short):
        return rule
    merged = _merged(kinds()["volume"], rule.name, older.spec, rule.spec)
    both = None if merged is rule.spec else short_rule(rule.name, merged, Place("", {}))
    return both or rule


def _merged(kind: Kind, name: str, older: Any, spec: Any) -> Any:
    """The conditions on a field, with those on other fields of the same object. Anything else is replaced."""
    known = kind.fields.get(name)
    inner = kinds().get((known and known.target) or "")
    tables = isinstance(older, Mapping) and isinstance(spec, Mapping)
    if inner is None or not tables or any(key.split(".")[0] not in inner.fields for key in (*older, *spec)):
        return spec
    return {**older, **{key: _merged(inner, key, older.get(key), value) for key, value in spec.items()}}


def text(table: Mapping[str, Any], key: str, place: Place) -> str | None:
    """A string of a table; anything else is a mistake."""
    value = table.get(key)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    place.at(key).wrong(f'"{key}" has to be a string.')
    return None


def severity(table: Mapping[str, Any], place: Place) -> Severity | None:
    """The severity of a table, if it has one."""
    word = table.get("severity")
    for known in SEVERITIES:
        if word == known:
            return known
    if word is not None:
        place.at("severity").wrong(f'"severity" cannot be "{word}": {hint(str(word), SEVERITIES)}')
    return None


def _flag(table: Mapping[str, Any], key: str, place: Place) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        place.at(key).wrong(f'"{key}" has to be true or false.')
    return value is True
