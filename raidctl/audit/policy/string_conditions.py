"""Conditions on lists of texts and of numbers: mount points, flags, where the pieces of a logical volume begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from raidctl.audit.policy import quantifiers
from raidctl.audit.policy.checks import Check, Say
from raidctl.audit.policy.logic import Truth, conjunction, disjunction, negation
from raidctl.audit.policy.mistakes import Place
from raidctl.audit.policy.schema import Field
from raidctl.audit.policy.scope import Scope
from raidctl.audit.policy.values import Wish, said, wish

_SEVERAL = {"mountpoints", "flags", "options", "offsets_bytes"}
"""Lists that are called what several of their texts or numbers are called."""


def texts(field: Field, spec: Any, place: Place, path: str, *, binary: bool) -> Check | None:
    """Any of them is what is wanted; with ``not`` none of them; or ``count``; ``known``: that there is any."""
    single = replace(field, sort="number" if field.sort == "numbers" else "text")
    count = None
    if isinstance(spec, Mapping) and "count" in spec:
        count = quantifiers.bounds(spec["count"], place.at("count"))
        spec = {key: value for key, value in spec.items() if key != "count"}
        if count is None:
            return None
    flip = isinstance(spec, Mapping) and set(spec) == {"not"}
    inner = spec["not"] if flip else spec
    wanted = None
    if inner or not isinstance(inner, Mapping) or count is None:
        wanted = wish(single, inner, place.at("not") if flip else place, binary=binary)
        if wanted is None:
            return None
    words = [f"{'not ' if flip else ''}{wanted.words}"] if wanted else []
    if count:
        words.append("none of them" if count == (0, 0) else quantifiers.how_many(*count, lambda _number: "of them"))
    known = isinstance(spec, Mapping) and set(spec) == {"known"}
    return _check(path, " and ".join(words), wanted, count, field, flip=flip, known=known, binary=binary)


def _check(
    path: str,
    words: str,
    wanted: Wish | None,
    count: tuple[int, int | None] | None,
    field: Field,
    *,
    flip: bool,
    known: bool,
    binary: bool,
) -> Check:
    get, told = field.getter, field.told

    def test(item: Any, scope: Scope) -> Truth:
        values = get(item, scope)
        whole = told is None or told(item, scope)
        rest: list[Truth] = [] if whole else [None]
        answers: list[Truth] = []
        if wanted is not None and known:
            answers.append(wanted.test(values or None))
        elif wanted is not None:
            found = disjunction([*map(wanted.test, values), *rest])
            answers.append(negation(found) if flip else found)
        if count is not None:
            answers.append(quantifiers.within(len(values), len(values) if whole else None, *count))
        return conjunction(answers)

    def say(item: Any, scope: Scope) -> str | None:
        values = get(item, scope)
        return said(field, values, binary=binary) if values or told is None or told(item, scope) else None

    actual: Say = say
    return Check(path, test, words, actual, "are" if field.name in _SEVERAL else "is")
