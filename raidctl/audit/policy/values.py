"""What a policy wants of one value: equal, one of, a range, not, a pattern; made into a function of the value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from typing import Any

from raidctl.audit.policy.logic import Truth, conjunction, disjunction, negation
from raidctl.audit.policy.mistakes import Place, suggestion
from raidctl.audit.policy.schema import Field
from raidctl.order import natural
from raidctl.text import listing
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
"""A disk space that is written with its unit is met within so much: ``4TB`` drives have 4,000,787,030,016 bytes."""
OPERATORS = ("min", "max", "not", "any_of", "is", "known")
_REMEMBERED = 1000
"""So many texts, and whether they match, are kept for each pattern."""
_GLOB = re.compile(r"[*?\[]")
_PARSERS: dict[str, Callable[[str], float]] = {
    "percent": parse_percent, "celsius": parse_celsius, "seconds": parse_seconds, "gbps": parse_gbps,
}  # fmt: skip
_EXAMPLES = {
    "bytes": '"512MiB" or "4TB"', "percent": '"25%" or 25', "celsius": "45", "seconds": '"15s" or 15',
    "gbps": '"12Gb/s" or 12', "volts": "3.9", "hours": "40000",
}  # fmt: skip

_BINARY = {"strip_bytes", "full_stripe_bytes", "start_bytes", "offsets_bytes", "data_offset_bytes"}
_MOST = {"life_used_percent": 255.0}
"""Percentages of which there can be more than 100."""

Test = Callable[[Any], Truth]


@dataclass(frozen=True)
class Wish:
    """What is wanted of a value, and how that is said."""

    test: Test
    words: str


def wish(field: Field, spec: Any, place: Place, *, binary: bool) -> Wish | None:
    """What a value of this field is to be; None, and a note of it, where that cannot be meant."""
    if isinstance(spec, Mapping):
        return _operators(field, spec, place, binary=binary)
    if isinstance(spec, list):
        return _one_of(field, spec, place, binary=binary)
    return _equal(field, spec, place, binary=binary)


def said(field: Field, value: Any, *, binary: bool) -> str | None:
    """A value as people read it; None: not told."""
    if value is None or value == "unknown":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # also under a label of a tool that looks like a figure's
        return value
    if isinstance(value, (tuple, list)):
        return listing(said(field, one, binary=binary) or str(one) for one in value) or "none"
    if field.unit == "bytes":
        return format_binary(value) if binary else format_decimal(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def is_binary(kind: str, field: Field) -> bool:
    """Whether its sizes are counted as memory is: caches, strips, and where data begin on a disk are."""
    return field.unit == "bytes" and (kind in {"cache", "volume_cache", "block"} or field.name in _BINARY)


def _operators(field: Field, spec: Mapping[str, Any], place: Place, *, binary: bool) -> Wish | None:
    found: list[Wish | None] = []
    if not spec:
        place.wrong(f'nothing is said of "{field.name}".')
    for name in spec:
        if name not in OPERATORS:
            place.at(name).wrong(f'"{name}" is nothing that can be asked of "{field.name}": {_hint(name, OPERATORS)}')
            found.append(None)
    if "min" in spec or "max" in spec:
        found.append(_range(field, spec, place, binary=binary))
    if "is" in spec:
        found.append(_equal(field, spec["is"], place.at("is"), binary=binary, exact=True))
    if "any_of" in spec:
        inner, there = spec["any_of"], place.at("any_of")
        if not isinstance(inner, list):
            there.wrong('"any_of" is followed by a list.')
        found.append(_one_of(field, inner, there, binary=binary) if isinstance(inner, list) else None)
    if "not" in spec and (negated := wish(field, spec["not"], place.at("not"), binary=binary)):
        found.append(_not(negated))
    if "known" in spec:
        found.append(_known(spec["known"], place.at("known")))
    return _all([one for one in found if one])


def _not(inner: Wish) -> Wish:
    test = inner.test
    return Wish(lambda value: negation(test(value)), f"not {inner.words}")


def _all(wishes: Sequence[Wish]) -> Wish | None:
    if len(wishes) < 2:
        return wishes[0] if wishes else None
    tests = [one.test for one in wishes]
    return Wish(lambda value: conjunction([test(value) for test in tests]), " and ".join(one.words for one in wishes))


def _one_of(field: Field, specs: Sequence[Any], place: Place, *, binary: bool) -> Wish | None:
    if not specs:
        place.wrong(f'an empty list: nothing could be "{field.name}".')
        return None
    found = [wish(field, spec, place.at(number), binary=binary) for number, spec in enumerate(specs)]
    wishes = [one for one in found if one]
    words = listing((one.words for one in wishes), "or")
    if field.sort == "enum":
        return Wish(_table(field, [value for value in field.values if any(one.test(value) for one in wishes)]), words)
    tests = [one.test for one in wishes]
    return Wish(lambda value: disjunction([test(value) for test in tests]), words)


def _known(spec: Any, place: Place) -> Wish | None:
    if not isinstance(spec, bool):
        place.wrong('"known" is true or false.')
        return None
    return Wish(lambda value: (value is not None and value != "unknown") is spec, "told" if spec else "not told")


def _equal(field: Field, spec: Any, place: Place, *, binary: bool, exact: bool = False) -> Wish | None:
    if field.sort == "enum":
        return _word(field, spec, place, exact=exact)
    if field.sort == "flag":
        if not isinstance(spec, bool):
            place.wrong(f'"{field.name}" is true or false, not {_quoted(spec)}.')
            return None
        return Wish({True: spec is True, False: spec is False}.get, "true" if spec else "false")
    if field.sort == "number":
        return _number(field, spec, place, binary=binary)
    return _text(field, spec, place, exact=exact)


def _word(field: Field, spec: Any, place: Place, *, exact: bool) -> Wish | None:
    if spec == "unknown":
        place.wrong(f'"unknown" is no value that "{field.name}" can be required to have; say {{ known = false }}.')
        return None
    if isinstance(spec, str):
        accepted = [value for value in field.values if value == spec]
        if not accepted and not exact and _GLOB.search(spec):
            accepted = list(filter(re.compile(translate(spec)).fullmatch, field.values))
        if accepted:
            return Wish(_table(field, accepted), spec)
    place.wrong(f'"{field.name}" is never {_quoted(spec)}: {_hint(str(spec), field.values)}')
    return None


def _table(field: Field, accepted: Sequence[str]) -> Test:
    """One look into a dictionary; a word that this raidctl does not know, like none at all, cannot be told."""
    return {value: value in accepted for value in field.values}.get


def _text(field: Field, spec: Any, place: Place, *, exact: bool) -> Wish | None:
    if not isinstance(spec, str):
        place.wrong(f'"{field.name}" is a text: write {_quoted(str(spec))} in quotes.')
        return None
    if field.name == "cache_split" and not _is_split(spec):
        place.wrong(f'"{spec}" is no split: write read and write share in percent, "25/75".')
        return None
    if exact or not _GLOB.search(spec):
        return Wish(lambda value: None if value is None else value == spec, spec)
    return Wish(_remembered(re.compile(translate(spec))), spec)


def _remembered(pattern: re.Pattern[str]) -> Test:
    """Whether a text matches; the same models and mount points come again and again."""
    known: dict[str | None, Truth] = {None: None}

    def test(value: Any) -> Truth:
        try:
            return known[value]
        except KeyError:
            if len(known) >= _REMEMBERED:
                known.clear()
                known[None] = None
            found = known[value] = pattern.match(value) is not None
            return found

    return test


def _is_split(text: str) -> bool:
    shares = text.split("/")
    return len(shares) == 2 and all(map(str.isdecimal, shares)) and sum(map(int, shares)) == 100


def _number(field: Field, spec: Any, place: Place, *, binary: bool) -> Wish | None:
    wanted = _figure(field, spec, place, binary=binary)
    if wanted is None:
        return None
    words = said(field, wanted, binary=binary) or ""
    if field.unit == "bytes" and isinstance(spec, str) and not binary:
        low, high = wanted * (1 - SAME), wanted * (1 + SAME)
        return Wish(lambda value: None if value is None else low <= value <= high, words)
    return Wish(lambda value: None if value is None else value == wanted, words)


def _figure(field: Field, spec: Any, place: Place, *, binary: bool) -> float | None:
    """The number that is meant; None, and a note, where none is."""
    found: float | None = None
    if isinstance(spec, str):
        try:
            found = parse_size(spec, binary=binary) if field.unit == "bytes" else _PARSERS[field.unit](spec)
        except (KeyError, ValueError):
            found = None
    elif isinstance(spec, (int, float)) and not isinstance(spec, bool) and math.isfinite(spec):
        found = spec
    least = -273 if field.unit == "celsius" else 0
    most = _MOST.get(field.name, 100) if field.unit == "percent" else math.inf
    if found is None or not least <= found <= most:
        example = _EXAMPLES.get(field.unit)
        place.wrong(f'"{field.name}" is never {_quoted(spec)}: write {example or "a number"}.')
        return None
    if field.whole and found != (below := math.floor(found)):
        place.wrong(f'"{field.name}" is never {_quoted(spec)}: it is a whole number, {below} or {below + 1}.')
        return None
    return found


def _range(field: Field, spec: Mapping[str, Any], place: Place, *, binary: bool) -> Wish | None:
    if field.sort == "text":
        return _versions(field, spec, place)
    if field.sort != "number":
        place.wrong(f'"{field.name}" is no number: it has no "min" and "max".')
        return None
    bounds = {
        name: _figure(field, spec[name], place.at(name), binary=binary) for name in ("min", "max") if name in spec
    }
    if None in bounds.values():
        return None
    low, high = bounds.get("min"), bounds.get("max")
    if low is not None and high is not None and low > high:
        place.wrong(f'no "{field.name}" is at least {_quoted(spec["min"])} and at most {_quoted(spec["max"])}.')
        return None
    words = _range_words(*(said(field, bound, binary=binary) if bound is not None else None for bound in (low, high)))
    bottom, top = -math.inf if low is None else low, math.inf if high is None else high
    return Wish(lambda value: None if value is None else bottom <= value <= top, words)


def _versions(field: Field, spec: Mapping[str, Any], place: Place) -> Wish | None:
    """Texts in the order that people expect: of firmware, ``6.60`` comes before ``8.00`` and ``10.1``."""
    bounds: dict[str, str] = {}
    for name in ("min", "max"):
        if name in spec and isinstance(spec[name], str):
            bounds[name] = spec[name]
        elif name in spec:
            place.at(name).wrong(f'"{field.name}" is a text: write {_quoted(str(spec[name]))} in quotes.')
            return None
    low, high = (natural(bounds[name]) if name in bounds else None for name in ("min", "max"))

    def test(value: Any) -> Truth:
        if value is None:
            return None
        key = natural(value)
        return (low is None or key >= low) and (high is None or key <= high)

    return Wish(test, _range_words(bounds.get("min"), bounds.get("max")))


def _range_words(low: str | None, high: str | None) -> str:
    parts = [f"at least {low}"] if low is not None else []
    return " and ".join([*parts, f"at most {high}"] if high is not None else parts)


def _hint(word: str, known: Sequence[str]) -> str:
    return suggestion(word, known) or "see the manual."


def _quoted(spec: Any) -> str:
    if isinstance(spec, bool):
        return "true" if spec else "false"
    if isinstance(spec, str):
        return f'"{spec}"'
    if isinstance(spec, Mapping):
        return "a table"
    return str(spec)
