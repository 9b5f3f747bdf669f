"""Findings of a rule: object, device, mount points, and facts as evidence."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, structs

from raidctl.audit.finding import Finding, Outcome
from raidctl.audit.rule import Rule
from raidctl.health.judge import Condition, judge
from raidctl.health.severity import Severity
from raidctl.model import Drive, Inventory, Problem
from raidctl.select import Item

__all__ = ["Finding", "Findings", "RuleFindings", "Severity", "counters", "facts", "named", "place", "pull_check"]

Findings = Iterator[Finding]


class RuleFindings(Struct, frozen=True):
    """Findings of one rule, with its name, worst severity and one-line title."""

    rule: str
    severity: Severity
    title: str

    def as_rule(self, check: Callable[[Inventory], Iterable[Finding]]) -> Rule:
        """The rule with this check. A finding about a condition gets the condition's severity, place and cause."""

        def graded(inventory: Inventory) -> Findings:
            found = self.conditions(inventory)
            if not found:
                yield from check(inventory)
                return
            causes = {(one.where, one.cause): one for one in judge(inventory) if one.rule == self.rule}
            for finding in check(inventory):
                one = causes.get((finding.where, finding.message), found.get(finding.where))
                yield finding if one is None or finding.outcome != "fail" else _with_condition(finding, one)

        return Rule(name=self.rule, title=self.title, severity=self.severity, check=graded)

    def conditions(self, inventory: Inventory) -> dict[str, Condition]:
        """The conditions of :mod:`raidctl.health.judge` that the rule describes, by object."""
        return {one.where: one for one in judge(inventory) if one.rule == self.rule}

    def failed(
        self, item: Item, message: str, remedy: str | None, shown: str = "", *, severity: Severity | None = None,
        wants: tuple[str | None, str | None] = (None, None), more: Iterable[str] = (), outcome: Outcome = "fail",
    ) -> Finding:  # fmt: skip
        """A failed check of an object.

        Args:
            item: The object.
            message: What is wrong.
            remedy: What to do.
            shown: Fields of the object that are the evidence, separated by blanks.
            severity: If it differs from the rule's.
            wants: The field that decided (None: several), and its required value.
            more: Further evidence.
            outcome: For the methods below.
        """
        field, wanted = wants
        value = reach(item, field) if field else None
        return Finding(
            rule=self.rule, severity=severity or self.severity, outcome=outcome, where=item.id,
            device=getattr(item, "device", None), mountpoints=getattr(item, "mountpoints", ()), field=field,
            serial=item.serial if isinstance(item, Drive) else None,
            wanted=wanted, actual=None if value is None else json_word(value), message=message, remedy=remedy,
            evidence=(*facts(item, *shown.split()), *more),
        )  # fmt: skip

    def passed(self, item: Item, message: str) -> Finding:
        """A passed check of an object."""
        return self.failed(item, message, None, outcome="pass")

    def unknown(
        self, item: Item, message: str, remedy: str | None = None, shown: str = "", *,
        severity: Severity | None = None, wants: tuple[str | None, str | None] = (None, None), more: Iterable[str] = (),
    ) -> Finding:  # fmt: skip
        """A check without a result. ``message`` names what is not reported, ``remedy`` how to get it."""
        return self.failed(item, message, remedy, shown, severity=severity, wants=wants, more=more, outcome="unknown")

    def of_problem(
        self, problem: Problem, outcome: Outcome, remedy: str | None = None, severity: Severity | None = None
    ) -> Finding:
        """A finding about a problem of the inventory. ``remedy`` is used if the problem has none."""
        evidence = (f"problem.kind = {problem.kind}",)
        return Finding(
            rule=self.rule, severity=severity or self.severity, outcome=outcome, where=problem.where,
            message=problem.message, remedy=problem.remedy or remedy, evidence=evidence,
        )  # fmt: skip

    def of_host(self, message: str) -> Finding:
        """A passed check of the machine as a whole."""
        return Finding(rule=self.rule, severity=self.severity, outcome="pass", where="host", message=message)


def _with_condition(finding: Finding, one: Condition) -> Finding:
    """A finding with the severity, rank and cause of its condition."""
    return structs.replace(
        finding, severity=one.severity, rank=one.rank, bay=one.bay, serial=one.serial or finding.serial,
        failures_tolerated=one.failures_tolerated, because=" ".join(one.under) if one.under else None,
    )  # fmt: skip


def reach(item: object, path: str) -> object:
    """The value at a path of field names, ``cache.write_active``. None if a part of the path is None."""
    for name in path.split("."):
        item = getattr(item, name, None)
        if item is None:
            return None
    return item


def json_word(value: object) -> str:
    """A value as in JSON, without quotation marks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def place(drive: Drive) -> str:
    """The location of a drive: ``bay 5, serial RCX15W0K7``; empty if neither is known."""
    parts = (drive.bay and f"bay {drive.bay}", drive.serial and f"serial {drive.serial}")
    return ", ".join(text for text in parts if text)


def named(drive: Drive) -> str:
    """``megaraid:0/8:1 (bay 1, serial 3LM0RC02)``."""
    where = place(drive)
    return f"{drive.id} ({where})" if where else drive.id


def pull_check(inventory: Inventory, drive: Drive) -> str:
    """Command that checks whether a drive may be pulled, as a sentence. Empty if it is not one drive."""
    known = {one.id for controller in inventory.controllers for one in controller.drives}
    if len(drive.backing) > 1 or not known.issuperset(drive.backing):
        return ""
    return f" Before you pull it: `raidctl replace {shlex.quote(drive.id)} --check`."


def counters(drive: Drive) -> tuple[str, ...]:
    """The error counters of a drive that are not zero, as facts."""
    names = [name for name in drive.errors.__struct_fields__ if getattr(drive.errors, name) and name != "predictive"]
    return facts(drive, *(f"errors.{name}" for name in names))


def facts(item: Item, *paths: str, of: Item | None = None) -> tuple[str, ...]:
    """The facts at these paths, ``field = value`` each. The id precedes them if the object is not the finding's."""
    prefix = f"{item.id} " if of is not None and of is not item else ""
    found = ((path, reach(item, path)) for path in paths)
    return tuple(f"{prefix}{path} = {'not reported' if value is None else json_word(value)}" for path, value in found)
