"""Check inventories against a policy, and count the results. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

import msgspec

from raidctl.audit.finding import Audited, Finding, Outcome
from raidctl.audit.policy.document import MAX_AGE, UNREAD
from raidctl.audit.policy.rules import Count, PolicyRule
from raidctl.audit.policy.scope import Machine
from raidctl.audit.policy.sets import Chosen, Policy, RuleSet
from raidctl.audit.report import RuleCount, Summary, Verdict, worse
from raidctl.audit.waiving import EXPIRED, Waived, expired, waive
from raidctl.health.severity import WEIGHT, Severity
from raidctl.json_decode import valid_text
from raidctl.model import ACCESS_KINDS, Inventory, Problem, hiding_problems
from raidctl.units import parse_moment

_COVERED_BY = {"unread": "not_read", "no_tool": "no_tool", "no_right": "no_right"}
"""Problems that may hide objects, each with its built-in rule. That rule reports it too."""
AGAIN = 'Write it again with "raidctl --json show".'
"""Remedy for an invalid inventory."""
SKEW = 3600
"""Seconds by which a clock may be ahead."""
_UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1}


@dataclass
class Tally:
    """Counts, which can be added up over several processes."""

    rules: dict[str, Count] = field(default_factory=dict)
    severities: dict[str, Severity] = field(default_factory=dict)
    excused: set[str] = field(default_factory=set)
    """Names of rules that selected nothing on a host. They need no further finding."""
    groups: set[str] = field(default_factory=set)
    """Names of groups with a matching host."""
    expired: set[str] = field(default_factory=set)
    """Positions of waivers whose expiry is a finding on a host."""
    hidden: bool = False
    """Something could not be read on a host."""
    summary: Summary = field(default_factory=lambda: Summary(rules=[], findings=[]))

    def add(self, other: Tally) -> None:
        """Add the counts of another process."""
        for name, count in other.rules.items():
            mine = self.rules.setdefault(name, Count())
            for key, value in vars(count).items():
                setattr(mine, key, getattr(mine, key) + value)
        self.severities |= other.severities
        self.excused |= other.excused
        self.groups |= other.groups
        self.expired |= other.expired
        self.hidden |= other.hidden
        self.summary.verdict = worse(self.summary.verdict, other.summary.verdict)
        for key in _SUMS:
            setattr(self.summary, key, getattr(self.summary, key) + getattr(other.summary, key))


_SUMS = tuple(name for name in Summary.__struct_fields__ if name not in {"verdict", "rules", "findings"})


class Auditor:
    """A policy that is applied to inventories.

    Args:
        policy: The policy.
        keep: Also keep findings that pass.
        alone: There is one machine: a rule that selects nothing on it is one of its findings.
        now: Time of the audit.
    """

    def __init__(self, policy: Policy, *, keep: bool = False, alone: bool = False, now: datetime | None = None) -> None:
        self.policy = policy
        self.keep = keep
        self.alone = alone
        self._now = now or datetime.now(timezone.utc)
        self._today = self._now.astimezone().date()
        self.tally = Tally()

    def take(self) -> Tally:
        """Return the counts since the last call."""
        found, self.tally = self.tally, Tally()
        return found

    def audit(self, inventory: Inventory, source: str) -> Audited:
        """Check one inventory with the rules for its host."""
        host, tally, source = inventory.host, self.tally, valid_text(source)
        rules = self.policy.for_host(host.hostname)
        if rules.max_age is not None and (stale := too_old(host.collected_at, rules.max_age, self._now)):
            stale = msgspec.structs.replace(stale, severity=rules.stale)
            return self._unknown(host.hostname or source, source, stale, unreadable=False)
        findings: list[Finding] = list(_unread(inventory.problems, rules))
        findings += [_unsure(name) for name in rules.unsure]
        for one in findings:
            count = self._count(one.rule, one.severity)
            count.checked, count.unknown = count.checked + 1, count.unknown + 1
        for name in {one.rule for one in findings}:
            tally.rules[name].hosts += 1
        if self.policy.groups:
            tally.groups.update(self.policy.matching(host.hostname))
        unread = len(findings)
        with Machine(inventory) as machine:
            tally.hidden |= bool(machine.hiding)
            checked, passed = self._own_rules(rules.rules, machine, findings)
        checked += unread
        for chosen in rules.builtin:
            found = self._builtin(chosen, inventory)
            checked += len(found)
            passed += sum(one.outcome == "pass" for one in found)
            findings += found if self.keep else [one for one in found if one.outcome != "pass"]
        waived = waive(findings, self.policy.waivers, host.hostname, self._today, alone=self.alone)
        findings = [*waived.left, *map(expired, waived.over)]
        checked += self._waived(waived)
        asks = bool(rules.rules or rules.builtin)
        if not checked and not (self.alone and rules.rules):  # alone, each rule that is not optional has a finding
            findings.append(_nothing_checked(asks=asks))
        self._sum(findings, inventory.problems, checked, passed)
        return Audited(
            host=host.hostname or source,
            source=source,
            collected_at=host.collected_at,
            checked=checked,
            passed=passed,
            findings=tuple(findings),
            waived=waived.waived,
        )

    def _own_rules(self, rules: Sequence[PolicyRule], machine: Machine, findings: list[Finding]) -> tuple[int, int]:
        """Check the policy's own rules; return the number of checks and of passes. ``findings`` is added to."""
        checked = passed = 0
        for rule in rules:
            before = len(findings)
            met, right = rule.run(machine, findings, keep=self.keep)
            count = self.tally.rules.get(rule.name) or self._count(rule.name, rule.severity)
            count.checked += met
            count.passed += right
            if met != right:
                failed = sum(one.outcome == "fail" for one in findings[before:])
                count.failed += failed
                count.unknown += met - right - failed
                count.hosts += 1
            elif not met:
                self._nothing_selected(rule, machine, findings)
            checked += met
            passed += right
        return checked, passed

    def _waived(self, found: Waived) -> int:
        """Count what waivers cover, and the expired waivers. Return the number of the latter."""
        left = {one.rule for one in found.left if one.outcome != "pass"}
        for each in found.waived:
            count = self._count(each.finding.rule, each.finding.severity)
            count.waived += 1
            count.failed -= each.finding.outcome == "fail"
            count.unknown -= each.finding.outcome == "unknown"
        for rule in {one.finding.rule for one in found.waived} - left:
            self.tally.rules[rule].hosts -= 1
        for one in found.over:
            self.tally.expired.add(one.place)
            count = self._count(EXPIRED, "warning")
            count.checked, count.failed = count.checked + 1, count.failed + 1
        if found.over:
            self.tally.rules[EXPIRED].hosts += 1
        self.tally.summary.waived += len(found.waived)
        return len(found.over)

    def unreadable(self, source: str, message: str, remedy: str | None = AGAIN) -> Audited:
        """The result for an inventory that cannot be read: unknown."""
        source, finding = valid_text(source), _of_host(UNREAD, "unknown", valid_text(message), remedy)
        self.tally.summary.unreadable += 1
        return self._unknown(source, source, finding, unreadable=True)

    def _unknown(self, host: str, source: str, finding: Finding, *, unreadable: bool) -> Audited:
        """The result for a host whose state is unknown, with the reason."""
        self.tally.hidden = True
        count = self._count(finding.rule, finding.severity)
        count.checked, count.unknown, count.hosts = count.checked + 1, count.unknown + 1, count.hosts + 1
        self._sum([finding], (), 1, 0)
        return Audited(host=host, source=source, unreadable=unreadable, checked=1, findings=(finding,))

    def _nothing_selected(self, rule: PolicyRule, machine: Machine, findings: list[Finding]) -> None:
        if self.alone or rule.optional:
            self.tally.excused.add(rule.name)
            if not rule.optional:
                findings.append(rule.unmatched(hidden=bool(machine.hiding)))

    def _builtin(self, chosen: Chosen, inventory: Inventory) -> list[Finding]:
        rule, override = chosen.rule, chosen.override
        count = self._count(rule.name, override.severity or rule.severity)
        found = list(rule.check(inventory))
        if override.severity or override.remedy or override.reason:
            found = [_changed(one, chosen) for one in found]
        fails = sum(one.outcome == "fail" for one in found)
        passed = sum(one.outcome == "pass" for one in found)
        count.checked += len(found)
        count.passed += passed
        count.failed += fails
        count.unknown += len(found) - passed - fails
        count.hosts += passed != len(found)
        return found

    def _count(self, name: str, severity: Severity) -> Count:
        count = self.tally.rules.get(name)
        if count is None:
            count = self.tally.rules[name] = Count()
            self.tally.severities[name] = severity
        return count

    def _sum(self, findings: Sequence[Finding], problems: Sequence[Problem], checked: int, passed: int) -> None:
        total = self.tally.summary
        total.hosts += 1
        total.checked += checked
        total.passed += passed
        verdict: Verdict = "pass"
        if findings:
            verdict = _verdict(findings, problems)
            for one in findings:
                if one.outcome == "fail":
                    setattr(total, one.severity, getattr(total, one.severity) + 1)
                elif one.outcome == "unknown":
                    total.unknown += 1
        name = f"hosts_{'passed' if verdict == 'pass' else 'failed' if verdict == 'fail' else verdict}"
        setattr(total, name, getattr(total, name) + 1)
        total.verdict = worse(total.verdict, verdict)


def finish(policy: Policy, tally: Tally, *, alone: bool) -> Summary:
    """The totals, rule by rule in the order of the policy. They include findings about the policy itself."""
    total = tally.summary
    rules, builtin = policy.every()
    order = [*(rule.name for rule in rules), *builtin]
    names = [*dict.fromkeys(name for name in order if name in tally.rules)]
    names += [name for name in tally.rules if name not in names]
    total.rules = [RuleCount(rule=name, severity=tally.severities[name], **vars(tally.rules[name])) for name in names]
    if not alone and total.hosts > total.unreadable:
        unmatched = [
            rule for rule in rules if rule.name not in tally.excused and not tally.rules.get(rule.name, Count()).checked
        ]
        total.findings = [rule.unmatched(hidden=tally.hidden) for rule in unmatched]
        total.findings += [_empty(group.name, group.hosts) for group in policy.groups if group.name not in tally.groups]
        today = datetime.now(timezone.utc).astimezone().date()
        over = [one for one in policy.waivers if one.until < today and one.place not in tally.expired]
        if total.findings:
            total.verdict = worse(total.verdict, "unknown")
        if over:
            total.findings += map(expired, over)
            total.warning += len(over)
            total.verdict = "fail"
    return total


def too_old(collected_at: str | None, most: int, now: datetime) -> Finding | None:
    """The finding for an inventory older than ``most`` seconds, or None.

    An inventory from the future or of unknown age counts as too old.
    """
    read = parse_moment(collected_at)
    age = None if read is None else (now - read).total_seconds()
    if age is not None and -SKEW <= age <= most:
        return None
    if age is None:
        message = "The time of the scan is unknown"
    else:
        message = f"The inventory was read at {collected_at}, " + ("in the future" if age < 0 else "too long ago")
    message += f": the current state of the host is unknown (max_age {format_age(most)})."
    return _of_host(MAX_AGE, "unknown", message, AGAIN, field="collected_at")


def _of_host(rule: str, outcome: Outcome, message: str, remedy: str | None, field: str | None = None) -> Finding:
    return Finding(
        rule=rule, severity="warning", outcome=outcome, where="host", field=field, message=message, remedy=remedy
    )


def format_age(seconds: int) -> str:
    """``7d``, ``36h``: in the largest unit that fits."""
    unit, size = next((unit, size) for unit, size in _UNITS.items() if seconds % size == 0)
    return f"{seconds // size}{unit}"


def _empty(name: str, hosts: Sequence[str]) -> Finding:
    message = f'The group "{name}" matched no host: no name matches {" or ".join(hosts)}.'
    return _of_host(f"group {name}", "unmatched", message, "Correct its hosts.")


def _verdict(findings: Iterable[Finding], problems: Sequence[Problem]) -> Verdict:
    outcomes = {one.outcome for one in findings}
    if "fail" in outcomes:
        return "fail"
    if not outcomes - {"pass"}:
        return "pass"
    kinds = {problem.kind for problem in problems}
    return "no_access" if kinds & ACCESS_KINDS and "unread" not in kinds else "unknown"


def _unread(problems: Sequence[Problem], rules: RuleSet) -> Iterable[Finding]:
    """Findings for what could not be read and may hide objects."""
    if rules.unread is None or not problems:
        return
    covered = {chosen.rule.name for chosen in rules.builtin}
    for one in hiding_problems(problems):
        if _COVERED_BY[one.kind] not in covered:
            finding = _of_host(UNREAD, "unknown", f"Not everything could be read: {one.message}", one.remedy)
            yield msgspec.structs.replace(finding, severity=rules.unread, where=one.where)


def _nothing_checked(*, asks: bool) -> Finding:
    """A finding that nothing was checked. ``asks``: whether there are rules for the host."""
    what = "No rule of the policy applied to this host" if asks else "The policy has no rule for this host"
    remedy = "Check its inventory, or leave it out." if asks else "Add a line or a rule for it."
    return _of_host("policy", "unmatched", f"{what}, so its state is unknown.", remedy)


def _unsure(group: str) -> Finding:
    message = f'The host name is unknown, so whether the host belongs to the group "{group}" is unknown too.'
    return _of_host(f"group {group}", "unknown", message, "Record the inventory on the machine itself.", "hostname")


def _changed(one: Finding, chosen: Chosen) -> Finding:
    """A finding of a built-in rule with the changes of a policy. A finding milder than its rule stays milder."""
    wanted = chosen.override.severity
    severity = one.severity
    if wanted is not None:
        milder = WEIGHT[one.severity] > WEIGHT[chosen.rule.severity]
        severity = max(wanted, one.severity, key=WEIGHT.__getitem__) if milder else wanted
    reason = chosen.override.reason
    changed = reason and one.outcome != "pass"
    return msgspec.structs.replace(
        one,
        severity=severity,
        message=f"{one.message.rstrip('.')} ({(reason or '').rstrip('.')})." if changed else one.message,
        remedy=(chosen.override.remedy or one.remedy) if one.outcome != "pass" else one.remedy,
    )
