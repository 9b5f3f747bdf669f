"""How a rule says what it found: the finding with the object's device and mount points, and the facts beneath it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, structs

from raidctl.audit.finding import Finding, Outcome, Severity
from raidctl.audit.rule import Rule
from raidctl.health.judge import Condition, judge
from raidctl.model import Controller, Drive, Inventory, Problem
from raidctl.select import Item

__all__ = ["Finding", "Findings", "RuleFindings", "Severity", "counters", "facts", "named", "place", "settable"]

Findings = Iterator[Finding]


class RuleFindings(Struct, frozen=True):
    """The voice of one rule: its name, how bad a failure is at most, and what it looks for in one line."""

    rule: str
    severity: Severity
    title: str

    def made(self, check: Callable[[Inventory], Iterable[Finding]]) -> Rule:
        """The rule with this check; a finding about a condition gets its severity, place and cause."""

        def graded(inventory: Inventory) -> Findings:
            found = self.conditions(inventory)
            told = {(one.where, one.cause): one for one in judge(inventory) if one.rule == self.rule}
            for said in check(inventory):
                one = told.get((said.where, said.message), found.get(said.where))
                yield said if one is None or said.outcome != "fail" else _judged(one, said)

        return Rule(name=self.rule, title=self.title, severity=self.severity, check=graded)

    def conditions(self, inventory: Inventory) -> dict[str, Condition]:
        """What the rule describes of :mod:`raidctl.health.judge`, by object."""
        return {one.where: one for one in judge(inventory) if one.rule == self.rule}

    def failed(
        self, item: Item, message: str, remedy: str | None, shown: str = "", *, severity: Severity | None = None,
        wants: tuple[str | None, str | None] = (None, None), more: Iterable[str] = (), outcome: Outcome = "fail",
    ) -> Finding:  # fmt: skip
        """The object is not as it should be.

        Args:
            item: The object.
            message: What is the matter.
            remedy: What to do.
            shown: Its fields that are the evidence, with blanks between them.
            severity: Where it is milder or worse than the rule's.
            wants: The field that decided (None: several), and what it should be.
            more: Further evidence.
            outcome: For the methods below.
        """
        field, wanted = wants
        value = reach(item, field) if field else None
        return Finding(
            rule=self.rule, severity=severity or self.severity, outcome=outcome, where=item.id,
            device=getattr(item, "device", None), mountpoints=getattr(item, "mountpoints", ()), field=field,
            wanted=wanted, actual=None if value is None else word(value), message=message, remedy=remedy,
            evidence=(*facts(item, *shown.split()), *more),
        )  # fmt: skip

    def passed(self, item: Item, message: str) -> Finding:
        """The object is as the rule wants it."""
        return self.failed(item, message, None, outcome="pass")

    def unknown(
        self, item: Item, message: str, remedy: str | None = None, shown: str = "", *,
        severity: Severity | None = None, wants: tuple[str | None, str | None] = (None, None), more: Iterable[str] = (),
    ) -> Finding:  # fmt: skip
        """What decides was not told: ``message`` says what, ``remedy`` how to get it."""
        return self.failed(item, message, remedy, shown, severity=severity, wants=wants, more=more, outcome="unknown")

    def of_problem(
        self, problem: Problem, outcome: Outcome, remedy: str | None = None, severity: Severity | None = None
    ) -> Finding:
        """A finding about what an inventory has a problem for; ``remedy`` where the problem has none."""
        evidence = (f"problem.kind = {problem.kind}",)
        return Finding(
            rule=self.rule, severity=severity or self.severity, outcome=outcome, where=problem.where,
            message=problem.message, remedy=problem.remedy or remedy, evidence=evidence,
        )  # fmt: skip

    def of_host(self, message: str) -> Finding:
        """The machine as a whole is as the rule wants it."""
        return Finding(rule=self.rule, severity=self.severity, outcome="pass", where="host", message=message)


def _judged(one: Condition, said: Finding) -> Finding:
    """A finding with the severity, the place in the order and the cause of its condition."""
    return structs.replace(
        said, severity=one.severity, rank=one.rank, bay=one.bay, serial=one.serial,
        failures_tolerated=one.failures_tolerated, because=" ".join(one.under) if one.under else None,
    )  # fmt: skip


def settable(card: Controller, setting: str, remedy: str, by_hand: str) -> str:
    """The remedy, where raidctl can set this on the card; else what is to be set ``by_hand``, and how."""
    told = card.capabilities.get(setting)
    if told is None or told.set:
        return remedy
    return f"{by_hand}; raidctl cannot do it here: {told.why or 'the tool has no command for it.'}"


def reach(item: object, path: str) -> object:
    """The value at a path of field names, ``cache.write_active``; None where something on the way is not told."""
    for name in path.split("."):
        item = getattr(item, name, None)
        if item is None:
            return None
    return item


def word(value: object) -> str:
    """A value as it stands in JSON, without quotation marks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def place(drive: Drive) -> str:
    """Where the hand finds a drive: ``bay 5, serial RCX15W0K7``; empty where neither is known."""
    told = (drive.bay and f"bay {drive.bay}", drive.serial and f"serial {drive.serial}")
    return ", ".join(text for text in told if text)


def named(drive: Drive) -> str:
    """``megaraid:0/8:1 (bay 1, serial 3LM0RC02)``."""
    where = place(drive)
    return f"{drive.id} ({where})" if where else drive.id


def counters(drive: Drive) -> tuple[str, ...]:
    """The error counters that a drive tells, as facts."""
    told = [name for name in drive.errors.__struct_fields__ if getattr(drive.errors, name) and name != "predictive"]
    return facts(drive, *(f"errors.{name}" for name in told))


def facts(item: Item, *paths: str, of: Item | None = None) -> tuple[str, ...]:
    """The facts at these paths, ``field = value`` each; those of another object than the finding's with its id."""
    prefix = f"{item.id} " if of is not None and of is not item else ""
    found = ((path, reach(item, path)) for path in paths)
    return tuple(f"{prefix}{path} = {'not told' if value is None else word(value)}" for path, value in found)
