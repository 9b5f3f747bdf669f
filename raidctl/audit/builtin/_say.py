"""How a rule says what it found: the finding with the object's device and mount points, and the facts beneath it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import structs

from raidctl.audit.finding import Finding, Outcome, Severity
from raidctl.health import Condition, of_rule
from raidctl.model import Array, Battery, Controller, Drive, Inventory, Volume

Item = Controller | Array | Volume | Drive | Battery


@dataclass(frozen=True)
class Voice:
    """The voice of one rule."""

    rule: str
    severity: Severity

    def judged(self, one: Condition, said: Finding) -> Finding:
        """A finding with the severity, the place in the order and the cause of its condition."""
        return structs.replace(
            said, severity=one.severity, rank=one.rank, bay=one.bay, serial=one.serial,
            failures_tolerated=one.failures_tolerated, because=" ".join(one.under) if one.under else None,
        )  # fmt: skip

    def graded(self, inventory: Inventory, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Findings, those of a condition with its severity, place and cause."""
        found = of_rule(inventory, self.rule)
        for said in findings:
            bad = said.outcome == "fail" and said.where in found
            yield self.judged(found[said.where], said) if bad else said

    def passed(self, item: Item, message: str) -> Finding:
        """The object is as the rule wants it."""
        return self._say("pass", item, message)

    def failed(
        self,
        item: Item,
        message: str,
        *,
        remedy: str | None,
        severity: Severity | None = None,
        field: str | None = None,
        wanted: str | None = None,
        evidence: Iterable[str] = (),
    ) -> Finding:
        """The object is not as it should be; ``severity`` where it is milder or worse than the rule's."""
        said = self._say("fail", item, message, severity or self.severity, field)
        return structs.replace(said, remedy=remedy, wanted=wanted, evidence=tuple(evidence))

    def unknown(
        self,
        item: Item,
        message: str,
        *,
        remedy: str | None = None,
        severity: Severity | None = None,
        field: str | None = None,
        wanted: str | None = None,
        evidence: Iterable[str] = (),
    ) -> Finding:
        """What decides was not told: ``message`` says what, ``remedy`` how to get it."""
        said = self._say("unknown", item, message, severity or self.severity, field)
        return structs.replace(said, remedy=remedy, wanted=wanted, evidence=tuple(evidence))

    def of_place(
        self, outcome: Outcome, where: str, message: str, *, remedy: str | None, severity: Severity | None = None,
        evidence: Iterable[str] = (),
    ) -> Finding:  # fmt: skip
        """A finding about something that is no object of the inventory: a command, a file, a card without a tool."""
        return Finding(
            rule=self.rule,
            severity=severity or self.severity,
            outcome=outcome,
            where=where,
            message=message,
            remedy=remedy,
            evidence=tuple(evidence),
        )

    def _say(
        self, outcome: Outcome, item: Item, message: str, severity: Severity | None = None, field: str | None = None
    ) -> Finding:
        value = reach(item, field) if field else None
        return Finding(
            rule=self.rule,
            severity=severity or self.severity,
            outcome=outcome,
            where=item.id,
            device=getattr(item, "device", None),
            mountpoints=getattr(item, "mountpoints", ()),
            field=field,
            actual=None if value is None else word(value),
            message=message,
        )


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
