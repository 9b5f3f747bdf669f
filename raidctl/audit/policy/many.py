"""Conditions on lists of objects: how many there are, and what any, all or none of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raidctl.audit.policy.checks import Check, Test
from raidctl.audit.policy.faults import Place
from raidctl.audit.policy.logic import Truth, conjunction, negation, within
from raidctl.audit.policy.machine import Scope, plural
from raidctl.text import listing

__all__ = ["OPERATORS", "Group", "bounds", "count_words", "counted", "every", "nobody", "same", "some", "within"]
OPERATORS = ("count", "any", "all", "none", "where")
_NAMED = 4
"""So many objects are named; of more, their number."""


@dataclass(frozen=True)
class Group:
    """Objects that belong to another one."""

    path: str
    kind: str
    pairs: Callable[[Any, Scope], Iterable[tuple[Any, Scope]]]
    told: Callable[[Any, Scope], bool] | None
    chosen: Test | None = None
    which: str = ""
    """The choice in words."""

    def narrowed(self, chosen: Test, which: str) -> Group:
        """Those of them that a condition selects."""
        return replace(self, chosen=chosen, which=which)

    def members(self, item: Any, scope: Scope) -> tuple[list[tuple[Any, Scope, Truth]], bool]:
        """The objects, each with whether it is selected (never ``False``); and whether these are certainly all."""
        whole = self.told is None or self.told(item, scope)
        if self.chosen is None:
            return [(one, around, True) for one, around in self.pairs(item, scope)], whole
        found = [(one, around, self.chosen(one, around)) for one, around in self.pairs(item, scope)]
        return [entry for entry in found if entry[2] is not False], whole

    @property
    def words(self) -> str:
        """``drive with status ok``."""
        return self.noun(1)

    def noun(self, number: int | None) -> str:
        """The same of so many, ``drives with status ok``; None: of any number."""
        kind = (self.kind if number == 1 else plural(self.kind)).replace("_", " ")
        return f"{kind} with {self.which}" if self.which else kind


def bounds(spec: Any, place: Place) -> tuple[int, int | None] | None:
    """Least and greatest number of ``8`` or ``{ min = 1, max = 2 }``."""
    if _is_count(spec):
        return spec, spec
    if isinstance(spec, Mapping) and spec and set(spec) <= {"min", "max"} and all(map(_is_count, spec.values())):
        low, high = spec.get("min", 0), spec.get("max")
        if high is None or low <= high:
            return low, high
    place.wrong('"count" is a number, or { min = …, max = … }.')
    return None


def _is_count(spec: Any) -> bool:
    return isinstance(spec, int) and not isinstance(spec, bool) and spec >= 0


def count_words(low: int, high: int | None) -> str:
    """``exactly 8``, ``at least 1``."""
    if low == high:
        return f"exactly {low}" if low else "none"
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if not low else f"{low} to {high}"


def counted(group: Group, low: int, high: int | None) -> Check:
    """There are so many of them."""

    def test(item: Any, scope: Scope) -> Truth:
        members, whole = group.members(item, scope)
        sure = sum(selected is True for _, _, selected in members)
        return within(sure, len(members) if whole else None, low, high)

    def say(item: Any, scope: Scope) -> str | None:
        members, whole = group.members(item, scope)
        sure = sum(selected is True for _, _, selected in members)
        open_end = "" if whole and sure == len(members) else " or more"
        return f"{sure}{open_end}" if sure or whole else None

    return _check(group, test, f"{count_words(low, high)} {group.noun(high if low in (0, high) else low)}", say)


def some(group: Group, wanted: Test, words: str) -> Check:
    """At least one of them is as it is wanted."""

    def test(item: Any, scope: Scope) -> Truth:
        members, whole = group.members(item, scope)
        told: Truth = False if whole else None
        for one, around, selected in members:
            value = wanted(one, around)
            if value and selected:
                return True
            if value is not False:
                told = None
        return told

    return _check(group, test, f"any {group.words} with {words}", _named(group, wanted, bad=False))


def nobody(group: Group, unwanted: Test, words: str) -> Check:
    """None of them is like that."""
    one = some(group, unwanted, words).test
    wanted = f"no {group.words} with {words}"
    return _check(group, lambda i, s: negation(one(i, s)), wanted, _named(group, unwanted, bad=False))


def every(group: Group, wanted: Test, words: str, _rest: object = None) -> Check:
    """All of them are as it is wanted; where there is none to look at, nothing can be told."""

    def test(item: Any, scope: Scope) -> Truth:
        members, whole = group.members(item, scope)
        # one that may not be meant is no proof that there is any to look at
        told: Truth = True if whole and any(selected for _, _, selected in members) else None
        for one, around, selected in members:
            value = wanted(one, around)
            if value is False and selected:
                return False
            if value is not True:
                told = None
        return told

    return _check(group, test, f"every {group.words} with {words}", _named(group, wanted, bad=True))


def same(group: Group, name: str, get: Callable[[Any, Scope], Any]) -> Check:
    """All of them have the same value in a field."""

    def values(item: Any, scope: Scope) -> tuple[dict[Any, int], bool]:
        members, whole = group.members(item, scope)
        found: dict[Any, int] = {}
        for one, around, _ in members:
            value = get(one, around)
            value = None if value == "unknown" else value
            found[value] = found.get(value, 0) + 1
        return found, whole

    def test(item: Any, scope: Scope) -> Truth:
        found, whole = values(item, scope)
        if len(found) - (None in found) > 1:
            return False
        return conjunction([None if not whole or None in found or not found else True])

    def say(item: Any, scope: Scope) -> str | None:
        found, _ = values(item, scope)
        return ", ".join(f"{count} times {'not told' if v is None else v}" for v, count in found.items()) or None

    return replace_path(_check(group, test, f"the same {name} of every {group.words}", say), f"{group.path}.{name}")


def replace_path(check: Check, path: str) -> Check:
    """The check under the name of another field."""
    return replace(check, path=path)


def _named(group: Group, wanted: Test, *, bad: bool) -> Callable[[Any, Scope], str | None]:
    """Who is like that, or who is not: ``smartarray:0/1I:1:4``; of unknown ones that they are."""

    def say(item: Any, scope: Scope) -> str | None:
        members, whole = group.members(item, scope)
        told = [(one, wanted(one, around)) for one, around, _ in members]
        decisive = [one for one, value in told if value is (not bad)]
        unsure = [one for one, value in told if value is None]
        if decisive:
            return f"{'not so' if bad else 'so'}: {_ids(decisive)}"
        if unsure:
            return f"not told of {_ids(unsure)}"
        return f"none of {len(members)}" if whole and not bad else None

    return say


def _ids(items: list[Any]) -> str:
    names = [str(getattr(item, "id", getattr(item, "name", "?"))) for item in items]
    rest = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else []
    return listing([*(names[:_NAMED] if rest else names), *rest])


def _check(group: Group, test: Test, wanted: str, say: Callable[[Any, Scope], str | None]) -> Check:
    return Check(group.path, test, wanted, say)
