"""Conditions of a policy on objects. There is one check for each entry of ``where`` or ``require``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from raidctl.audit.policy import quantifiers
from raidctl.audit.policy.checks import Check, Column, Test, clause, state_of, together, words_of
from raidctl.audit.policy.logic import Truth, disjunction, negation
from raidctl.audit.policy.schema import Field, Kind, kinds
from raidctl.audit.policy.scope import Scope, single
from raidctl.audit.policy.string_conditions import texts
from raidctl.audit.policy.values import Requirement, is_binary, readable, requirement
from raidctl.text import listing, plural
from raidctl.toml_files.mistakes import Place, suggestion


def conditions(kind: Kind, table: Any, place: Place, prefix: str = "") -> list[Check]:
    """A check for each entry of a table; mistakes are noted."""
    if not isinstance(table, Mapping):
        place.wrong('this has to be a table of fields such as { status = "ok" }.')
        return []
    if not table:
        place.wrong("this table is empty, and would require nothing.")
    found: list[Check | None] = []
    for key, spec in table.items():
        there = place.at(key)
        if key in ("any_of", "not") and key not in kind.fields:
            found.append(_alternatives(kind, spec, there) if key == "any_of" else _negated(kind, spec, there))
        else:
            found += _entry(kind, key.split("."), spec, there, prefix)
    return [one for one in found if one]


def _entry(kind: Kind, steps: list[str], spec: Any, place: Place, prefix: str) -> list[Check | None]:
    name, rest = steps[0], steps[1:]
    field = kind.fields.get(name)
    if field is None:
        place.wrong(misplaced(kind, steps, spec) or _no_field(kind, name))
        return []
    path = f"{prefix}{name}"
    if field.sort == "object":
        return _object(kind, field, rest, spec, place, path=path)
    if field.sort == "objects":
        return [_objects(field, rest, spec, place, path)]
    if field.sort == "mapping":
        return _mapping(field, rest, spec, place, path)
    if rest:
        place.wrong(f'"{path}" is a single value and has no "{".".join(rest)}".')
        return []
    if field.sort in ("texts", "numbers"):
        return [texts(field, spec, place, path, binary=is_binary(kind.name, field))]
    return [_leaf(kind, field, spec, place, path)]


def misplaced(kind: Kind, steps: Sequence[str], spec: Any) -> str | None:
    """The message for a path that begins with the object itself, ``volume.array``. None for other paths."""
    rest = list(steps[1:])
    while isinstance(spec, Mapping) and len(spec) == 1 and (not rest or kind.fields[rest[0]].sort == "object"):
        [(key, spec)] = spec.items()
        rest += key.split(".")
        if rest[0] not in kind.fields:
            break
    if steps[0] != kind.name or not rest or rest[0] not in kind.fields:
        return None
    if len(rest) == 1 and kind.fields[rest[0]].sort == "object" and not isinstance(spec, Mapping):
        rest.append(_first(kind.fields[rest[0]].target))
    return f'omit "{steps[0]}", which the line is about, and write {".".join(rest)}.'


def _no_field(kind: Kind, name: str) -> str:
    hint = suggestion(name, kind.fields)
    return f'"{name}" is not a field of {single(kind.name)}{f"; {hint}" if hint else "."}'


def _first(target: str | None) -> str:
    """The field of a kind that is most often intended."""
    return "id" if target and "id" in kinds()[target].fields else "NAME"


def _leaf(kind: Kind, field: Field, spec: Any, place: Place, path: str) -> Check | None:
    binary = is_binary(kind.name, field)
    get = field.getter
    if isinstance(spec, Mapping) and "field" in spec:
        return _compared(kind, field, spec, place, path)
    wanted = requirement(field, spec, place, binary=binary)
    if wanted is None:
        return None
    column = Column(field.name, wanted.test) if field.attribute else None
    return Check(
        path,
        _of_value(field, wanted),
        wanted.words,
        lambda i, s: readable(field, get(i, s), binary=binary),
        column=column,
    )


def _of_value(field: Field, wanted: Requirement) -> Test:
    test, attribute, get = wanted.test, field.attribute, field.get
    if attribute is not None:
        return lambda item, _scope: test(attribute(item))
    assert get is not None  # noqa: S101 - a value has one or the other
    return lambda item, scope: test(get(item, scope))


def _compared(kind: Kind, field: Field, spec: Mapping[str, Any], place: Place, path: str) -> Check | None:
    """A check that two fields of one object are equal."""
    other = kind.fields.get(spec["field"]) if isinstance(spec["field"], str) else None
    if other is None or other is field or other.sort != field.sort or len(spec) > 1:
        like = [one.name for one in kind.fields.values() if one.sort == field.sort and one is not field]
        hint = suggestion(str(spec["field"]), like)
        words = f'"{path}" can be compared only with another {field.sort} field of the same object'
        place.wrong(f"{words}; {hint}" if hint else f"{words}.")
        return None
    left, right, binary = field.getter, other.getter, is_binary(kind.name, field)

    def test(item: Any, scope: Scope) -> Truth:
        pair = left(item, scope), right(item, scope)
        return None if None in pair or "unknown" in pair else pair[0] == pair[1]

    return Check(path, test, f"the same as {other.name}", lambda i, s: readable(field, left(i, s), binary=binary))


def _object(kind: Kind, field: Field, rest: list[str], spec: Any, place: Place, *, path: str) -> list[Check | None]:
    assert field.target is not None  # noqa: S101 - an object is of a kind
    get = field.getter
    if not rest and field.words and _is_text(spec):
        return [_leaf(kind, Field(field.name, "text", attribute=attrgetter(field.name)), spec, place, path)]
    if not rest and isinstance(spec, Mapping) and set(spec) == {"known"} and isinstance(spec["known"], bool):
        wanted: bool = spec["known"]
        return [Check(path, lambda i, s: (get(i, s) is not None) is wanted, "known" if wanted else "unknown",
                      lambda i, s: None if get(i, s) is None else "known")]  # fmt: skip
    inner = kinds()[field.target]
    if rest:
        found: Sequence[Check | None] = _entry(inner, rest, spec, place, f"{path}.")
    elif isinstance(spec, Mapping):
        found = conditions(inner, spec, place, f"{path}.")
    else:
        place.wrong(f'"{path}" is {single(field.target)}: name one of its fields, {path}.{_first(field.target)}.')
        return []
    return [_through(field, check) for check in found if check]


def _is_text(spec: Any) -> bool:
    """Whether a string is required, not fields of an object."""
    if isinstance(spec, list):
        return all(map(_is_text, spec))
    if isinstance(spec, Mapping):
        return "is" in spec or any(_is_text(spec[name]) for name in ("not", "any_of") if name in spec)
    return isinstance(spec, str)


def _through(field: Field, check: Check) -> Check:
    """A check of another object that a field holds. The result is unknown if there is none."""
    get, test, actual = field.getter, check.test, check.actual

    def through(item: Any, scope: Scope) -> Truth:
        inner = get(item, scope)
        return None if inner is None else test(inner, scope)

    def describe(item: Any, scope: Scope) -> str | None:
        inner = get(item, scope)
        return None if inner is None else actual(inner, scope)

    def sentence(current: str | None, item: Any, scope: Scope, value: Truth) -> str:
        inner = get(item, scope)
        if inner is None:
            return f"{check.path}: unknown, required: {check.wanted}"
        return clause(check, current, inner, scope, value)

    column = _inner_column(field, check.column) if field.attribute and check.column else None
    return Check(check.path, through, check.wanted, describe, sentence if check.sentence else None, column)


def _inner_column(field: Field, column: Column) -> Column:
    test, path = column.test, f"{field.name}.{column.path}"
    if field.always:
        return Column(path, test)
    attribute = attrgetter(column.path)
    return Column(field.name, lambda inner: None if inner is None else test(attribute(inner)))


def _objects(field: Field, rest: list[str], spec: Any, place: Place, path: str) -> Check | None:
    assert field.target is not None and field.pairs is not None  # noqa: S101,PT018 - a list has both
    inner = kinds()[field.target]
    group = quantifiers.Group(path, field.target, field.pairs, field.complete)
    if rest:
        if isinstance(spec, Mapping) and "same" in spec:
            return _same(inner, rest, spec, place, group)
        checks = [one for one in _entry(inner, rest, spec, place, "") if one]
        return quantifiers.every(group, together(checks), words_of(checks), rest) if checks else None
    if isinstance(spec, int) and not isinstance(spec, bool):
        spec = {"count": spec}
    elif field.words and _is_text(spec):
        denied = isinstance(spec, Mapping) and set(spec) == {"not"}
        spec = {"none": {"id": spec["not"]}} if denied else {"any": {"id": spec}}
    if not isinstance(spec, Mapping):
        place.wrong(
            f'"{path}" is a list of {_several(field.target)}: use "count", or "any", "all" or "none" with conditions.'
        )
        return None
    return _quantified(inner, spec, place, group, field)


def _quantified(
    inner: Kind, spec: Mapping[str, Any], place: Place, group: quantifiers.Group, field: Field
) -> Check | None:
    """``{ where = {…}, count = {…}, any = {…}, all = {…}, none = {…} }``."""
    before = len(place.faults)
    found: list[Check] = []
    for name, value in spec.items():
        steps = name.split(".")
        if name in quantifiers.OPERATORS:
            continue
        if steps[0] in inner.fields:  # drives.status = "ok", which TOML parses as a table
            through = _objects(field, steps, value, place.at(name), group.path)
            found += [through] if through else []
        else:
            hint = suggestion(name, [*quantifiers.OPERATORS, *inner.fields]) or (
                f"use count, any, all, none or where, or a field of {single(inner.name)}."
            )
            place.at(name).wrong(f'a list of {_several(inner.name)} has no condition "{name}"; {hint}')
    chosen = conditions(inner, spec["where"], place.at("where")) if "where" in spec else []
    if chosen:
        group = group.narrowed(together(chosen), words_of(chosen))
    if "count" in spec and (bounds := quantifiers.bounds(spec["count"], place.at("count"))):
        found.append(quantifiers.counted(group, *bounds))
    makers = {"any": quantifiers.some, "all": quantifiers.every, "none": quantifiers.none}
    for name, make in makers.items():
        if name in spec and (checks := conditions(inner, spec[name], place.at(name))):
            found.append(make(group, together(checks), words_of(checks)))
    if not found and len(place.faults) == before:
        place.wrong('a list needs "count", "any", "all" or "none".')
    return _joined(group.path, found) if found else None


def _several(kind: str) -> str:
    return plural(kind).replace("_", " ")


def _joined(path: str, checks: Sequence[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def describe(item: Any, scope: Scope) -> str | None:
        return listing(dict.fromkeys(text for check in checks if (text := check.actual(item, scope)))) or None

    def sentence(_actual: str | None, item: Any, scope: Scope, value: Truth) -> str:
        met = [check for check in checks if check.test(item, scope) is value]
        return "; ".join(clause(check, check.actual(item, scope), item, scope, value) for check in met)

    return Check(path, together(checks), " and ".join(check.wanted for check in checks), describe, sentence=sentence)


def _same(
    inner: Kind, rest: list[str], spec: Mapping[str, Any], place: Place, group: quantifiers.Group
) -> Check | None:
    field = inner.fields.get(rest[0])
    if spec != {"same": True}:
        place.wrong('"same" has to be true, and is used alone.')
    elif field is None:
        place.wrong(_no_field(inner, rest[0]))
    elif len(rest) > 1 or field.sort not in {"enum", "text", "number", "flag"}:
        place.wrong(f'"{".".join(rest)}" is not a single value of {single(inner.name)}, so it cannot be the same.')
    else:
        return quantifiers.same(group, field)
    return None


def _mapping(field: Field, rest: list[str], spec: Any, place: Place, path: str) -> list[Check | None]:
    """A dictionary: ``details."Cache Ratio"``, ``capabilities."cache split".set``."""
    entries: list[tuple[str, list[str], Any]] = []
    if not rest:
        if not isinstance(spec, Mapping):
            place.wrong(f'"{path}" is a table: name one of its entries, {path}."LABEL".')
            return []
        if not spec:
            place.wrong("this table is empty, and would require nothing.")
        entries += [(key, [], value) for key, value in spec.items()]
    elif field.target is None:
        entries.append((".".join(rest), [], spec))
    else:
        entries.append((rest[0], rest[1:], spec))
    found: list[Check | None] = []
    for key, inner, value in entries:
        there = place if rest else place.at(key)
        get = _item(field, key)
        if field.target is None:
            found.append(_leaf(Kind("details"), Field(key, "text", get=get), value, there, f"{path}.{key}"))
        else:
            found += _object(Kind(""), Field(key, "object", get=get, target=field.target), inner, value, there,
                             path=f"{path}.{key}")  # fmt: skip
    return found


def _item(field: Field, key: str) -> Callable[[Any, Scope], Any]:
    attribute = field.attribute
    assert attribute is not None  # noqa: S101 - mappings are plain fields
    return lambda item, _scope: attribute(item).get(key)


def _alternatives(kind: Kind, spec: Any, place: Place) -> Check | None:
    if not isinstance(spec, list) or not spec:
        place.wrong('"any_of" needs a list of tables.')
        return None
    parts = [conditions(kind, one, place.at(number)) for number, one in enumerate(spec)]
    tests = [together(checks) for checks in parts]

    def test(item: Any, scope: Scope) -> Truth:
        return disjunction([one(item, scope) for one in tests])

    flat = [check for checks in parts for check in checks]
    return Check("", test, " or ".join(words_of(checks) for checks in parts), lambda i, s: state_of(flat, i, s))


def _negated(kind: Kind, spec: Any, place: Place) -> Check | None:
    checks = conditions(kind, spec, place)
    if not checks:
        return None
    inner = together(checks)
    wanted = f"not ({words_of(checks)})"
    return Check("", lambda i, s: negation(inner(i, s)), wanted, lambda i, s: state_of(checks, i, s))
