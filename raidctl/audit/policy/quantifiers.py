"""Conditions on lists of objects: their number, and any, all or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raidctl.audit.policy.checks import Check, Describe, Test
from raidctl.audit.policy.logic import Truth, negation, within
from raidctl.audit.policy.schema import Field
from raidctl.audit.policy.scope import Scope
from raidctl.text import listing, plural
from raidctl.toml_files.mistakes import Place, hint

__all__ = ["OPERATORS", "Group", "bounds", "counted", "every", "how_many", "none", "required", "same", "some", "within"]
OPERATORS = ("count", "any", "all", "none", "where")
_NAMES = ("id", "point", "name", "device", "where", "message")
"""Fields that name an object; the first one that it has counts."""
_REQUIRED = {"any": "required for at least one", "no": "not allowed", "every": "required for all"}
_NAMED = 4
"""Objects that are named; the rest is counted."""


@dataclass(frozen=True)
class Group:
    """Objects that belong to another one."""

    path: str
    kind: str
    pairs: Callable[[Any, Scope], Iterable[tuple[Any, Scope]]]
    complete: Callable[[Any, Scope], bool] | None
    chosen: Test | None = None
    which: str = ""
    """The selection in words."""

    def narrowed(self, chosen: Test, which: str) -> Group:
        """The members that a condition selects."""
        return replace(self, chosen=chosen, which=which)

    def members(self, item: Any, scope: Scope) -> tuple[list[tuple[Any, Scope, Truth]], bool]:
        """The objects, each with whether it is selected (never ``False``). Then whether the list is complete."""
        if self.chosen is None:
            return [(one, around, True) for one, around in self.pairs(item, scope)], self.is_whole(item, scope)
        found = [(one, around, self.chosen(one, around)) for one, around in self.pairs(item, scope)]
        return [entry for entry in found if entry[2] is not False], self.is_whole(item, scope)

    def number(self, item: Any, scope: Scope) -> tuple[int, int | None]:
        """The least number of selected objects, and the greatest; None if the list is incomplete."""
        members, whole = self.members(item, scope)
        sure = sum(selected is True for _, _, selected in members)
        return sure, len(members) if whole else None

    def is_whole(self, item: Any, scope: Scope) -> bool:
        """Whether the list is complete, as far as known."""
        return self.complete is None or self.complete(item, scope)

    @property
    def words(self) -> str:
        """``drive with status ok``."""
        return self.noun(1)

    @property
    def members_words(self) -> str:
        """``array.drives with status ok``."""
        return f"{self.path} with {self.which}" if self.which else self.path

    def noun(self, number: int) -> str:
        """The noun for a number, ``drives with status ok``."""
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
        place.wrong(f"min {low} is greater than max {high}.")
        return None
    if isinstance(spec, Mapping) and (odd := [key for key in spec if key not in ("min", "max")]):
        for key in odd:
            place.at(key).wrong(f'a count has no "{key}"; {hint(key, ("min", "max"))}')
        return None
    place.wrong('"count" has to be a number, or { min = …, max = … }.')
    return None


def _is_count(spec: Any) -> bool:
    return isinstance(spec, int) and not isinstance(spec, bool) and spec >= 0


def how_many(low: int, high: int | None, noun: Callable[[int], str]) -> str:
    """``exactly 8 drives``, ``at least 1 battery``; ``noun``: the noun for a number."""
    return f"{_count_words(low, high)} {noun(low if high is None else high)}"


def required(low: int, high: int | None) -> str:
    """``at least 1 required``, ``none allowed``."""
    return "none allowed" if high == 0 else f"{_count_words(low, high)} {'required' if low else 'allowed'}"


def _count_words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}" if low else "no"
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if not low else f"{low} to {high}"


def counted(group: Group, low: int, high: int | None) -> Check:
    """A check of their number."""

    def test(item: Any, scope: Scope) -> Truth:
        return within(*group.number(item, scope), low, high)

    def describe(item: Any, scope: Scope) -> str | None:
        sure, most = group.number(item, scope)
        if sure == most:
            return f"{sure}"
        return f"{sure} or more" if sure or most is not None else None

    wanted = how_many(low, high, group.noun)

    def sentence(actual: str | None, _item: Any, _scope: Scope, value: Truth) -> str:
        found = f"{group.members_words}: {f'{actual} found' if actual else 'number unknown'}"
        return found if value else f"{found}, {required(low, high)}"

    return Check(group.path, test, wanted, describe, sentence=sentence)


def some(group: Group, wanted: Test, words: str) -> Check:
    """A check that at least one of them meets a condition."""

    def test(item: Any, scope: Scope) -> Truth:
        members, whole = group.members(item, scope)
        result: Truth = False if whole else None
        for one, around, selected in members:
            value = wanted(one, around)
            if value and selected:
                return True
            if value is not False:
                result = None
        return result

    return _check(group, test, "any", words, _named(group, wanted, "met by"))


def none(group: Group, unwanted: Test, words: str) -> Check:
    """A check that none of them meets a condition."""
    one = some(group, unwanted, words).test
    test: Test = lambda i, s: negation(one(i, s))  # noqa: E731 - as short as it is clear
    return _check(group, test, "no", words, _named(group, unwanted, "met by"))


def every(group: Group, wanted: Test, words: str, _rest: object = None) -> Check:
    """A check that all of them meet a condition. Unknown if there is none."""

    def test(item: Any, scope: Scope) -> Truth:
        members, whole = group.members(item, scope)
        # an object that may not be selected does not prove that there is one
        result: Truth = True if whole and any(selected for _, _, selected in members) else None
        for one, around, selected in members:
            value = wanted(one, around)
            if value is False and selected:
                return False
            if value is not True:
                result = None
        return result

    return _check(group, test, "every", words, _named(group, wanted, "not met by"))


def same(group: Group, field: Field) -> Check:
    """A check that all members have the same value in a field."""
    get, name = field.getter, field.name

    def test(item: Any, scope: Scope) -> Truth:
        # there is no selection: "same" is used alone
        found = {get(one, around) for one, around in group.pairs(item, scope)}
        known = found - {None, "unknown"}
        if len(known) > 1:
            return False
        return True if known and known == found and group.is_whole(item, scope) else None

    def describe(item: Any, scope: Scope) -> str | None:
        members, _ = group.members(item, scope)
        found = Counter("unknown" if (value := get(one, around)) is None else value for one, around, _ in members)
        times = ((v, "once" if count == 1 else f"{count} times") for v, count in found.items())
        return ", ".join(f"{v} {often}" for v, often in times) or None

    return Check(f"{group.path}.{name}", test, f"the same {name} for every {group.words}", describe)


def _named(group: Group, wanted: Test, verb: str) -> Describe:
    """The objects that decide, ``met by smartarray:0/1I:1:4``, else the unknown ones."""
    bad = verb.startswith("not")

    def describe(item: Any, scope: Scope) -> str | None:
        members, whole = group.members(item, scope)
        results = [(one, wanted(one, around)) for one, around, _ in members]
        decisive = [one for one, value in results if value is (not bad)]
        unsure = [one for one, value in results if value is None]
        if decisive:
            return f"{verb} {_ids(decisive)}"
        if unsure:
            return f"unknown for {_ids(unsure)}"
        return f"{verb} none of {len(members)}" if whole and not bad else None

    return describe


def _ids(items: list[Any]) -> str:
    names = [next((str(name) for key in _NAMES if (name := getattr(item, key, None))), "?") for item in items]
    rest = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else []
    return listing([*(names[:_NAMED] if rest else names), *rest])


def _check(group: Group, test: Test, which: str, words: str, describe: Describe) -> Check:

    def sentence(actual: str | None, _item: Any, _scope: Scope, value: Truth) -> str:
        found = f"{group.members_words}: {words} {_REQUIRED[which]}"
        return found if value else f"{found}, {actual or 'unknown'}"

    return Check(group.path, test, f"{which} {group.words} with {words}", describe, sentence=sentence)
