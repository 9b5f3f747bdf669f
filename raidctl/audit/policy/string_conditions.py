"""Conditions on lists of strings and numbers: mount points, flags, offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from raidctl.audit.policy import quantifiers
from raidctl.audit.policy.checks import Check
from raidctl.audit.policy.logic import Truth, conjunction, disjunction, negation
from raidctl.audit.policy.schema import Field
from raidctl.audit.policy.scope import Scope
from raidctl.audit.policy.values import Requirement, readable, requirement
from raidctl.toml_files.mistakes import Place


def texts(field: Field, spec: Any, place: Place, path: str, *, binary: bool) -> Check | None:
    """A check that any of them meets a condition.

    ``not``: none does; ``count``: their number; ``known``: there is one.
    """
    single = replace(field, sort="number" if field.sort == "numbers" else "text")
    count = None
    if isinstance(spec, Mapping) and "count" in spec:
        count = quantifiers.bounds(spec["count"], place.at("count"))
        spec = {key: value for key, value in spec.items() if key != "count"}
        if count is None:
            return None
    unwanted = None
    if isinstance(spec, Mapping) and "not" in spec:
        unwanted = requirement(single, spec["not"], place.at("not"), binary=binary)
        spec = {key: value for key, value in spec.items() if key != "not"}
        if unwanted is None:
            return None
    wanted = None
    if spec or not isinstance(spec, Mapping) or (count is None and unwanted is None):
        wanted = requirement(single, spec, place, binary=binary)
        if wanted is None:
            return None
    words = [wanted.words] if wanted else []
    words += [f"not {unwanted.words}"] if unwanted else []
    if count:
        words.append("none of them" if count == (0, 0) else quantifiers.how_many(*count, lambda _number: "of them"))
    known = isinstance(spec, Mapping) and set(spec) == {"known"}
    return _check(
        path, " and ".join(words), field, wanted=wanted, unwanted=unwanted, count=count, known=known, binary=binary
    )


def _check(
    path: str,
    words: str,
    field: Field,
    *,
    wanted: Requirement | None,
    unwanted: Requirement | None,
    count: tuple[int, int | None] | None,
    known: bool,
    binary: bool,
) -> Check:
    get, complete = field.getter, field.complete

    def test(item: Any, scope: Scope) -> Truth:
        found = get(item, scope)
        values = found or ()
        whole = found is not None and (complete is None or complete(item, scope))
        rest: list[Truth] = [] if whole else [None]
        results: list[Truth] = []
        if wanted is not None and known:
            results.append(wanted.test(values or None))
        elif wanted is not None:
            results.append(disjunction([*map(wanted.test, values), *rest]))
        if unwanted is not None:
            results.append(negation(disjunction([*map(unwanted.test, values), *rest])))
        if count is not None:
            results.append(quantifiers.within(len(values), len(values) if whole else None, *count))
        return conjunction(results)

    def describe(item: Any, scope: Scope) -> str | None:
        values = get(item, scope)
        known = values or complete is None or complete(item, scope)
        return readable(field, values, binary=binary) if known else None

    return Check(path, test, words, describe)
