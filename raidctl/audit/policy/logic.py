"""Logic of three values, after Kleene: ``None`` is "cannot tell", and stays so unless the rest decides alone."""

from __future__ import annotations

from collections.abc import Iterable

Truth = bool | None


def negation(value: Truth) -> Truth:
    """Not: what cannot be told stays so."""
    return None if value is None else not value


def conjunction(values: Iterable[Truth]) -> Truth:
    """All of them: one ``False`` decides."""
    told: Truth = True
    for value in values:
        if value is False:
            return False
        if value is None:
            told = None
    return told


def disjunction(values: Iterable[Truth]) -> Truth:
    """Any of them: one ``True`` decides."""
    told: Truth = False
    for value in values:
        if value:
            return True
        if value is None:
            told = None
    return told


def within(least: int, most: int | None, lowest: int, highest: int | None) -> Truth:
    """Whether a count is from ``lowest`` to ``highest``, when it is known to be from ``least`` to ``most``.

    ``None`` as a bound: there is none.
    """
    if (most is not None and most < lowest) or (highest is not None and least > highest):
        return False
    if least >= lowest and (highest is None or (most is not None and most <= highest)):
        return True
    return None
