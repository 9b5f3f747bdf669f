"""One thing that is asked of an object, and several of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from raidctl.audit.policy.logic import Truth
from raidctl.audit.policy.scope import Scope

Test = Callable[[Any, Scope], Truth]
Say = Callable[[Any, Scope], "str | None"]
Sentence = Callable[["str | None", Any, Scope, Truth], str]


@dataclass(frozen=True)
class Check:
    """One thing that is asked of an object."""

    path: str
    """`cache.write_active`; empty for alternatives of several fields."""
    test: Test
    wanted: str
    actual: Say
    """What is there, as people read it; None: not told."""
    be: str = "is"
    """Or ``are``, where the field is called what several things are called."""
    sentence: Sentence | None = None
    """Of lists: all of it, as one says it of several things; of what is there, the object, and what came of it."""


def clause(check: Check, actual: str | None, item: Any, scope: Scope, value: Truth) -> str:
    """What is, and what should be; ``value``: what came of it, ``actual``: what is there, or None: not told."""
    if check.sentence is not None:
        return check.sentence(actual, item, scope, value)
    name = check.path or "it"
    be = check.be
    if value:
        return f"{name} {be} {actual or 'as it should be'}"
    return f"{name} {be} {actual or 'not told'}, and should be {check.wanted}"


def together(checks: Sequence[Check]) -> Test:
    """All of them."""
    tests = [check.test for check in checks]
    if not tests:
        return lambda _item, _scope: True
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        return _both(*tests)

    def test(item: Any, scope: Scope) -> Truth:
        told: Truth = True
        for one in tests:
            value = one(item, scope)
            if value is False:
                return False
            if value is None:
                told = None
        return told

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
    """What is there, field by field."""
    return ", ".join(dict.fromkeys(f"{one.path} {one.actual(item, scope) or 'not told'}" for one in checks))


def words_of(checks: Sequence[Check]) -> str:
    """What is wanted, field by field."""
    return " and ".join(f"{one.path} {one.wanted}".strip() for one in checks)
