"""Conditions on lists of objects: how many there are, and what any, all or none of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raidctl.audit.policy.checks import Check, Say, Test
from raidctl.audit.policy.logic import Truth, conjunction, negation, within
from raidctl.audit.policy.mistakes import Place, suggestion
from raidctl.audit.policy.scope import Scope
from raidctl.text import listing, plural

__all__ = ["OPERATORS", "Group", "bounds", "counted", "every", "how_many", "nobody", "same", "some", "within"]
OPERATORS = ("count", "any", "all", "none", "where")
_NAMES = ("id", "point", "name", "device", "where", "message")
"""What an object is called by, the first of these that it has."""
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

    @property
    def members_words(self) -> str:
        """``array.drives with status ok``."""
        return f"{self.path} with {self.which}" if self.which else self.path

    def noun(self, number: int) -> str:
        """The same of so many, ``drives with status ok``."""
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
        place.wrong(f"no count is at least {low} and at most {high}.")
        return None
    if isinstance(spec, Mapping) and (odd := [key for key in spec if key not in ("min", "max")]):
        for key in odd:
            place.at(key).wrong(f'"{key}" is nothing that a count has; {suggestion(key, ("min", "max"))}')
        return None
    place.wrong('"count" is a number, or { min = …, max = … }.')
    return None


def _is_count(spec: Any) -> bool:
    return isinstance(spec, int) and not isinstance(spec, bool) and spec >= 0


def how_many(low: int, high: int | None, noun: Callable[[int], str]) -> str:
    """``exactly 8 drives``, ``at least 1 battery``; ``noun``: what so many of them are called."""
    return f"{_count_words(low, high)} {noun(low if high is None else high)}"


def there_are(actual: str) -> str:
    """``there are 2``."""
    return f"there {'is' if actual == '1' else 'are'} {actual}"


def _count_words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}" if low else "no"
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

    wanted = how_many(low, high, group.noun)

    def sentence(actual: str | None, _item: Any, _scope: Scope, value: Truth) -> str:
        told = f"of {group.path} {there_are(actual)}" if actual else f"how many {group.path} there are is not told"
        return told if value else f"{told}, and there should be {wanted}"

    return Check(group.path, test, wanted, say, sentence=sentence)


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

    return _check(group, test, ("any", "one"), words, _named(group, wanted, bad=False))


def nobody(group: Group, unwanted: Test, words: str) -> Check:
    """None of them is like that."""
    one = some(group, unwanted, words).test
    test: Test = lambda i, s: negation(one(i, s))  # noqa: E731 - as short as it is clear
    return _check(group, test, ("no", "none"), words, _named(group, unwanted, bad=False))


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

    return _check(group, test, ("every", "every one"), words, _named(group, wanted, bad=True))


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
        times = ((v, "once" if count == 1 else f"{count} times") for v, count in found.items())
        return ", ".join(f"{'not told' if v is None else v} {often}" for v, often in times) or None

    return Check(f"{group.path}.{name}", test, f"the same {name} of every {group.words}", say)


def _named(group: Group, wanted: Test, *, bad: bool) -> Say:
    """Who is like that, or who is not: ``so of smartarray:0/1I:1:4``; of unknown ones that they are."""

    def say(item: Any, scope: Scope) -> str | None:
        members, whole = group.members(item, scope)
        told = [(one, wanted(one, around)) for one, around, _ in members]
        decisive = [one for one, value in told if value is (not bad)]
        unsure = [one for one, value in told if value is None]
        if decisive:
            return f"{'not so' if bad else 'so'} of {_ids(decisive)}"
        if unsure:
            return f"not told of {_ids(unsure)}"
        return f"so of none of {len(members)}" if whole and not bad else None

    return say


def _ids(items: list[Any]) -> str:
    names = [next((str(name) for key in _NAMES if (name := getattr(item, key, None))), "?") for item in items]
    rest = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else []
    return listing([*(names[:_NAMED] if rest else names), *rest])


def _check(group: Group, test: Test, which: tuple[str, str], words: str, say: Say) -> Check:
    """``which``: how many of them, before one and by itself."""

    def sentence(actual: str | None, _item: Any, _scope: Scope, value: Truth) -> str:
        who = f"{which[1]} of {group.members_words}"
        if value:
            return f"{who} {'have' if which[0] == 'no' else 'has'} {words}"
        return f"{who} should have {words}, and it is {actual or 'not told'}"

    return Check(group.path, test, f"{which[0]} {group.words} with {words}", say, sentence=sentence)
