"""A condition on an object, and combinations of conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from raidctl.audit.policy.logic import Truth
from raidctl.audit.policy.scope import Scope

Test = Callable[[Any, Scope], Truth]
Describe = Callable[[Any, Scope], "str | None"]
Sentence = Callable[["str | None", Any, Scope, Truth], str]


@dataclass(frozen=True)
class Column:
    """A test of a plain field, which needs no scope."""

    path: str
    """``errors.media``. Each object on the way is always there."""
    test: Callable[[Any], Truth]

    @cached_property
    def attribute(self) -> Callable[[Any], Any]:
        """The getter of the field."""
        return attrgetter(self.path)


@dataclass(frozen=True)
class Check:
    """One condition on an object."""

    path: str
    """`cache.write_active`; empty for alternatives of several fields."""
    test: Test
    wanted: str
    actual: Describe
    """The current value for people to read; None if unknown."""
    sentence: Sentence | None = None
    """Wording for lists. Its arguments are the current value, the object, its scope and the result."""
    column: Column | None = None
    """The same test without the scope; None if it needs the scope."""

    def results(self, items: Iterable[Any], scopes: Iterable[Scope]) -> Iterator[Truth]:
        """The result for each object, in order."""
        column = self.column
        if column is None:
            return map(self.test, items, scopes)
        return map(column.test, map(column.attribute, items))


def clause(check: Check, actual: str | None, item: Any, scope: Scope, value: Truth) -> str:
    """Current and required value. ``value``: the result; ``actual``: the current value, or None if unknown."""
    if check.sentence is not None:
        return check.sentence(actual, item, scope, value)
    current = f"{check.path}: {actual or 'unknown'}" if check.path else actual or "unknown"
    return current if value else f"{current}, required: {check.wanted}"


def together(checks: Sequence[Check]) -> Test:
    """Return a test that passes if all checks do."""
    tests = [check.test for check in checks]
    if not tests:
        return lambda _item, _scope: True
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        return _both(*tests)

    def test(item: Any, scope: Scope) -> Truth:
        result: Truth = True
        for one in tests:
            value = one(item, scope)
            if value is False:
                return False
            if value is None:
                result = None
        return result

    return test


def _both(first: Test, second: Test) -> Test:
    def test(item: Any, scope: Scope) -> Truth:
        value = first(item, scope)
        if value is False:
            return False
        other = second(item, scope)
        return value if other else other

    return test


def state_of(checks: Sequence[Check], item: Any, scope: Scope) -> str:
    """The current values, field by field."""
    return ", ".join(dict.fromkeys(f"{one.path} {one.actual(item, scope) or 'unknown'}" for one in checks))


def words_of(checks: Sequence[Check]) -> str:
    """The required values, field by field."""
    return " and ".join(f"{one.path} {one.wanted}".strip() for one in checks)
