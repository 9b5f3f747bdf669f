"""The rules for a host: the policy's, changed by its groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate

from raidctl.audit.policy.document import MAX_AGE, UNREAD, Document, Group, Override, Part, Read, read_document
from raidctl.audit.policy.rules import PolicyRule
from raidctl.audit.policy.waivers import Waiver
from raidctl.audit.rule import Rule
from raidctl.health.severity import Severity


@dataclass(frozen=True)
class Chosen:
    """A built-in rule with the changes of a policy."""

    rule: Rule
    override: Override = field(default_factory=Override)


@dataclass(frozen=True)
class RuleSet:
    """The rules for one host."""

    rules: tuple[PolicyRule, ...] = ()
    builtin: tuple[Chosen, ...] = ()
    unread: Severity | None = "warning"
    """Severity if something could not be read; None: ignored."""
    max_age: int | None = None
    """Seconds; None: any age."""
    stale: Severity = "warning"
    """Severity if an inventory is older."""
    unsure: tuple[str, ...] = ()
    """Groups that the host may belong to, because its name is unknown."""


class Policy:
    """A loaded policy."""

    def __init__(self, name: str, found: Document, builtin: Sequence[Rule]) -> None:
        self.name = name
        self._part = found.part
        self.waivers = tuple(one for one, _ in found.waivers)
        self._builtin = {rule.name: rule for rule in builtin}
        self.groups = tuple(found.groups.values())
        self._patterns = [
            re.compile("|".join(map(translate, group.hosts)) or r"(?!)", re.IGNORECASE).fullmatch
            for group in self.groups
        ]
        self._sets: dict[tuple[bool, ...] | None, RuleSet] = {}

    def for_host(self, hostname: str | None) -> RuleSet:
        """The rules for a host of this name."""
        key: tuple[bool, ...] | None = None
        if hostname is not None:
            key = tuple(match(hostname) is not None for match in self._patterns)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = self._build_set(key)
        return found

    def matching(self, hostname: str | None) -> list[str]:
        """The groups that a host of this name belongs to."""
        return [
            g.name for g, m in zip(self.groups, self._patterns, strict=True) if hostname is not None and m(hostname)
        ]

    def every(self) -> tuple[list[PolicyRule], list[str]]:
        """All active rules, and the names of the built-in ones. Those of groups are included."""
        parts = [self._part, *(group.part for group in self.groups)]
        ignored = set(self._part.ignore)
        rules = {name: rule for part in reversed(parts) for name, rule in part.rules.items() if name not in ignored}
        order = dict.fromkeys(name for part in parts for name in part.rules if name in rules)
        return [rules[name] for name in order], list(dict.fromkeys(name for part in parts for name in part.builtin))

    def add_waivers(self, waivers: Sequence[Waiver]) -> None:
        """Add the waivers of a separate file."""
        self.waivers += tuple(waivers)

    def known(self) -> list[str]:
        """Names of rules that a waiver may have."""
        return [*(rule.name for rule in self.every()[0]), *self._builtin, UNREAD]

    def _build_set(self, key: tuple[bool, ...] | None) -> RuleSet:
        mine = [group for group, chosen in zip(self.groups, key or (), strict=False) if chosen]
        unsure = tuple(group.name for group in self.groups) if key is None else ()
        part = Part()
        part.add(self._part)
        for group in mine:
            part.add(group.part)
        rules = [_overridden(rule, part) for name, rule in part.rules.items() if name not in part.ignore]
        builtin = [
            Chosen(self._builtin[name], part.overrides.get(name, Override()))
            for name in dict.fromkeys(part.builtin)
            if name not in part.ignore
        ]
        unread = part.overrides.get(UNREAD, Override()).severity or "warning"
        age = None if MAX_AGE in part.ignore else part.max_age
        stale = part.overrides.get(MAX_AGE, Override()).severity or "warning"
        return RuleSet(tuple(rules), tuple(builtin), None if UNREAD in part.ignore else unread, age, stale, unsure)


def _overridden(rule: PolicyRule, part: Part) -> PolicyRule:
    other = part.overrides.get(rule.name)
    if other is None:
        return rule
    reason = rule.reason if other.reason is None else other.reason
    remedy = rule.remedy if other.remedy is None else other.remedy
    return replace(rule, severity=other.severity or rule.severity, reason=reason, remedy=remedy)


def load(path: str, read: Read, builtin: Sequence[Rule], *, every: bool = False) -> Policy:
    """The policy of a file; ``every``: with all built-in rules.

    Raises:
        MistakesError: The policy has mistakes.
        OSError: The file cannot be read.
    """
    found = read_document(path, read, [rule.name for rule in builtin], every=every)
    return Policy(path, found, builtin)


def only_builtin(builtin: Sequence[Rule]) -> Policy:
    """A policy of the built-in rules alone."""
    return Policy("built-in rules", Document(Part(builtin=[rule.name for rule in builtin])), builtin)


__all__ = ["Chosen", "Group", "Policy", "RuleSet", "load", "only_builtin"]
