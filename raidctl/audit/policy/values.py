"""Conditions on one value: equal, one of, a range, not, a pattern. Each is compiled to a function of the value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from typing import Any

from raidctl.audit.policy.logic import Truth, conjunction, disjunction, negation
from raidctl.audit.policy.schema import Field
from raidctl.order import natural
from raidctl.text import listing, regex
from raidctl.toml_files.mistakes import Place, hint
from raidctl.units import (
    format_binary,
    format_decimal,
    parse_celsius,
    parse_gbps,
    parse_percent,
    parse_seconds,
    parse_size,
)

SAME = 0.01
"""Tolerance for sizes written with a unit: ``4TB`` drives have 4,000,787,030,016 bytes."""
OPERATORS = ("min", "max", "not", "any_of", "is", "known")
_REMEMBERED = 1000
"""Results remembered for each condition."""
_GLOB = regex(r"[*?\[]")
_PARSERS: dict[str, Callable[[str], float]] = {
    "percent": parse_percent, "celsius": parse_celsius, "seconds": parse_seconds, "gbps": parse_gbps,
}  # fmt: skip
_EXAMPLES = {
    "bytes": '"512MiB" or "4TB"', "percent": '"25%" or 25', "celsius": "45", "seconds": '"15s" or 15',
    "gbps": '"12Gb/s" or 12', "volts": "3.9", "hours": "40000",
}  # fmt: skip

_BINARY = {"strip_bytes", "full_stripe_bytes", "start_bytes", "offsets_bytes", "data_offset_bytes"}
_MAX_PERCENT = {"life_used_percent": 255.0}
"""Percentages that can exceed 100."""

Test = Callable[[Any], Truth]


@dataclass(frozen=True)
class Requirement:
    """A condition on a value, and its wording."""

    test: Test
    words: str


def requirement(field: Field, spec: Any, place: Place, *, binary: bool) -> Requirement | None:
    """The condition on a field's value. None, with a mistake noted, if it is invalid."""
    found = _requirement(field, spec, place, binary=binary)
    return found and Requirement(_Results(found.test).__getitem__, found.words)


class _Results(dict[Any, Truth]):
    """The results of a test by value. Most values of a fleet repeat, and looking one up needs no Python call."""

    def __init__(self, test: Test) -> None:
        self._test = test

    def __missing__(self, value: Any) -> Truth:
        if len(self) >= _REMEMBERED:
            self.clear()
        result = self[value] = self._test(value)
        return result


def _requirement(field: Field, spec: Any, place: Place, *, binary: bool) -> Requirement | None:
    if isinstance(spec, Mapping):
        return _operators(field, spec, place, binary=binary)
    if isinstance(spec, list):
        return _one_of(field, spec, place, binary=binary)
    return _equal(field, spec, place, binary=binary)


def readable(field: Field, value: Any, *, binary: bool) -> str | None:
    """A value for people to read; None if unknown."""
    if value is None or value == "unknown":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # even if the label looks like that of a number
        return value
    if isinstance(value, (tuple, list)):
        return listing(readable(field, one, binary=binary) or str(one) for one in value) or "none"
    if field.unit == "bytes":
        return format_binary(value) if binary else format_decimal(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def is_binary(kind: str, field: Field) -> bool:
    """Whether its sizes use binary units: caches, strips and offsets do."""
    return field.unit == "bytes" and (kind in {"cache", "volume_cache", "block"} or field.name in _BINARY)


def _operators(field: Field, spec: Mapping[str, Any], place: Place, *, binary: bool) -> Requirement | None:
    found: list[Requirement | None] = []
    if not spec:
        place.wrong(f'the condition on "{field.name}" is empty.')
    for name in spec:
        if name not in OPERATORS:
            place.at(name).wrong(f'"{field.name}" has no condition "{name}": {hint(name, OPERATORS)}')
            found.append(None)
    if "min" in spec or "max" in spec:
        found.append(_range(field, spec, place, binary=binary))
    if "is" in spec:
        found.append(_equal(field, spec["is"], place.at("is"), binary=binary, exact=True))
    if "any_of" in spec:
        inner, there = spec["any_of"], place.at("any_of")
        if not isinstance(inner, list):
            there.wrong('"any_of" needs a list.')
        found.append(_one_of(field, inner, there, binary=binary) if isinstance(inner, list) else None)
    if "not" in spec and (negated := _requirement(field, spec["not"], place.at("not"), binary=binary)):
        found.append(_not(negated))
    if "known" in spec:
        found.append(_known(spec["known"], place.at("known")))
    return _all([one for one in found if one])


def _not(inner: Requirement) -> Requirement:
    test = inner.test
    return Requirement(lambda value: negation(test(value)), f"not {inner.words}")


def _all(found: Sequence[Requirement]) -> Requirement | None:
    if len(found) < 2:
        return found[0] if found else None
    tests = [one.test for one in found]
    return Requirement(
        lambda value: conjunction([test(value) for test in tests]), " and ".join(one.words for one in found)
    )


def _one_of(field: Field, specs: Sequence[Any], place: Place, *, binary: bool) -> Requirement | None:
    if not specs:
        place.wrong(f'the list is empty, so no value of "{field.name}" could pass.')
        return None
    found = [_requirement(field, spec, place.at(number), binary=binary) for number, spec in enumerate(specs)]
    accepted = [one for one in found if one]
    words = listing((one.words for one in accepted), "or")
    if field.sort == "enum":
        return Requirement(
            _table(field, [value for value in field.values if any(one.test(value) for one in accepted)]), words
        )
    tests = [one.test for one in accepted]
    return Requirement(lambda value: disjunction([test(value) for test in tests]), words)


def _known(spec: Any, place: Place) -> Requirement | None:
    if not isinstance(spec, bool):
        place.wrong('"known" is true or false.')
        return None
    return Requirement(lambda value: (value is not None and value != "unknown") is spec, "known" if spec else "unknown")


def _equal(field: Field, spec: Any, place: Place, *, binary: bool, exact: bool = False) -> Requirement | None:
    if field.sort == "enum":
        return _word(field, spec, place, exact=exact)
    if field.sort == "flag":
        if not isinstance(spec, bool):
            place.wrong(f'"{field.name}" is true or false, not {_quoted(spec)}.')
            return None
        return Requirement({True: spec is True, False: spec is False}.get, "true" if spec else "false")
    if field.sort == "number":
        return _number(field, spec, place, binary=binary)
    return _text(field, spec, place, exact=exact)


def _word(field: Field, spec: Any, place: Place, *, exact: bool) -> Requirement | None:
    if spec == "unknown":
        place.wrong(f'"{field.name}" cannot be required to be "unknown"; use {{ known = false }}.')
        return None
    if isinstance(spec, str):
        accepted = [value for value in field.values if value == spec]
        if not accepted and not exact and _GLOB.search(spec):
            accepted = list(filter(re.compile(translate(spec)).fullmatch, field.values))
        if accepted:
            return Requirement(_table(field, accepted), spec)
    place.wrong(f'"{field.name}" cannot be {_quoted(spec)}: {hint(str(spec), field.values)}')
    return None


def _table(field: Field, accepted: Sequence[str]) -> Test:
    """A single dictionary look-up. The result is unknown for None and for values that are not in it."""
    return {value: value in accepted for value in field.values}.get


def _text(field: Field, spec: Any, place: Place, *, exact: bool) -> Requirement | None:
    if not isinstance(spec, str):
        place.wrong(f'"{field.name}" is a string: write {_quoted(str(spec))} in quotes.')
        return None
    if field.name == "cache_split" and not _is_split(spec):
        place.wrong(f'"{spec}" is not a cache split: write read and write share in percent, "25/75".')
        return None
    if exact or not _GLOB.search(spec):
        return Requirement(lambda value: None if value is None else value == spec, spec)
    match = re.compile(translate(spec)).match
    return Requirement(lambda value: None if value is None else match(value) is not None, spec)


def _is_split(text: str) -> bool:
    shares = text.split("/")
    return len(shares) == 2 and all(map(str.isdecimal, shares)) and sum(map(int, shares)) == 100


def _number(field: Field, spec: Any, place: Place, *, binary: bool) -> Requirement | None:
    wanted = _figure(field, spec, place, binary=binary)
    if wanted is None:
        return None
    words = readable(field, wanted, binary=binary) or ""
    if field.unit == "bytes" and isinstance(spec, str) and not binary:
        low, high = wanted * (1 - SAME), wanted * (1 + SAME)
        return Requirement(lambda value: None if value is None else low <= value <= high, words)
    return Requirement(lambda value: None if value is None else value == wanted, words)


def _figure(field: Field, spec: Any, place: Place, *, binary: bool) -> float | None:
    """The number; None, with a mistake noted, if there is none."""
    found: float | None = None
    if isinstance(spec, str):
        try:
            found = parse_size(spec, binary=binary) if field.unit == "bytes" else _PARSERS[field.unit](spec)
        except (KeyError, ValueError):
            found = None
    elif isinstance(spec, (int, float)) and not isinstance(spec, bool) and math.isfinite(spec):
        found = spec
    least = -273 if field.unit == "celsius" else 0
    most = _MAX_PERCENT.get(field.name, 100) if field.unit == "percent" else math.inf
    if found is None or not least <= found <= most:
        example = _EXAMPLES.get(field.unit)
        place.wrong(f'"{field.name}" cannot be {_quoted(spec)}: write {example or "a number"}.')
        return None
    if field.whole and found != (below := math.floor(found)):
        place.wrong(f'"{field.name}" cannot be {_quoted(spec)}: use a whole number, {below} or {below + 1}.')
        return None
    return found


def _range(field: Field, spec: Mapping[str, Any], place: Place, *, binary: bool) -> Requirement | None:
    if field.sort == "text":
        return _versions(field, spec, place)
    if field.sort != "number":
        place.wrong(f'"{field.name}" is not a number, so it has no "min" or "max".')
        return None
    bounds = {
        name: _figure(field, spec[name], place.at(name), binary=binary) for name in ("min", "max") if name in spec
    }
    if None in bounds.values():
        return None
    low, high = bounds.get("min"), bounds.get("max")
    if low is not None and high is not None and low > high:
        place.wrong(f'"{field.name}": min {_quoted(spec["min"])} is greater than max {_quoted(spec["max"])}.')
        return None
    words = _range_words(
        *(readable(field, bound, binary=binary) if bound is not None else None for bound in (low, high))
    )
    bottom, top = -math.inf if low is None else low, math.inf if high is None else high
    return Requirement(lambda value: None if value is None else bottom <= value <= top, words)


def _versions(field: Field, spec: Mapping[str, Any], place: Place) -> Requirement | None:
    """Versions in natural order: ``6.60`` comes before ``8.00`` and ``10.1``."""
    bounds: dict[str, str] = {}
    for name in ("min", "max"):
        if name in spec and isinstance(spec[name], str):
            bounds[name] = spec[name]
        elif name in spec:
            place.at(name).wrong(f'"{field.name}" is a string: write {_quoted(str(spec[name]))} in quotes.')
            return None
    low, high = (natural(bounds[name]) if name in bounds else None for name in ("min", "max"))

    def test(value: Any) -> Truth:
        if value is None:
            return None
        key = natural(value)
        return (low is None or key >= low) and (high is None or key <= high)

    return Requirement(test, _range_words(bounds.get("min"), bounds.get("max")))


def _range_words(low: str | None, high: str | None) -> str:
    parts = [f"at least {low}"] if low is not None else []
    return " and ".join([*parts, f"at most {high}"] if high is not None else parts)


def _quoted(spec: Any) -> str:
    if isinstance(spec, bool):
        return "true" if spec else "false"
    if isinstance(spec, str):
        return f'"{spec}"'
    if isinstance(spec, Mapping):
        return "a table"
    return str(spec)
