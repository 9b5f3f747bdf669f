"""Three-valued logic after Kleene: ``None`` is unknown, unless the other values decide."""

from __future__ import annotations

from collections.abc import Iterable

Truth = bool | None


def negation(value: Truth) -> Truth:
    """Negation; unknown stays unknown."""
    return None if value is None else not value


def conjunction(values: Iterable[Truth]) -> Truth:
    """Conjunction: one ``False`` decides."""
    result: Truth = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def disjunction(values: Iterable[Truth]) -> Truth:
    """Disjunction: one ``True`` decides."""
    result: Truth = False
    for value in values:
        if value:
            return True
        if value is None:
            result = None
    return result


def within(least: int, most: int | None, lowest: int, highest: int | None) -> Truth:
    """Whether a count from ``least`` to ``most`` is within ``lowest`` to ``highest``.

    ``None``: no bound.
    """
    if (most is not None and most < lowest) or (highest is not None and least > highest):
        return False
    if least >= lowest and (highest is None or (most is not None and most <= highest)):
        return True
    return None
