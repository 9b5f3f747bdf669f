"""Parse the claims of the command line. Invalid values are usage errors with suggestions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from raidctl.errors import UsageError
from raidctl.model import RaidLevel, VolumeStatus
from raidctl.text import listing, printable
from raidctl.units import parse_size
from raidctl.vendor import setting_values
from raidctl.verify.report import ClaimName

LEVELS = tuple(level for level in get_args(RaidLevel) if level != "unknown")
STATES = tuple(state for state in get_args(VolumeStatus) if state != "unknown")
WRITE_CACHE = ("protected", "write-through", "unprotected", "off")
READ_POLICY = setting_values.READ
DRIVE_CACHE = ("disabled", "enabled")
MEDIA = ("hdd", "ssd")
_LONG = {"protected-write-back": "protected", "unprotected-write-back": "unprotected"}
_WRITE_ALSO = {**_LONG, **{word: _LONG.get(policy, policy) for word, policy in setting_values.WRITE_ALSO.items()}}
_SWITCH = {"off": "disabled", "on": "enabled"}
_HOURS = {"y": 8766, "m": 730.5, "w": 168, "d": 24}
RPM = (4200, 5400, 5900, 7200, 10000, 10500, 15000)


@dataclass(frozen=True)
class Claim:
    """One claim; ``value`` is an alternative of ``words``, a number, or nothing."""

    name: ClaimName
    words: tuple[str, ...] = ()
    """Claimed values in the model's spelling; one of them has to match."""
    number: int = 0
    """Bytes, drives, rpm, days or hours."""

    @property
    def option(self) -> str:
        """The option of the claim."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def wanted(self) -> str | None:
        """The claimed value in the spelling of the command line."""
        return " or ".join(self.words) or None


DEFAULT: tuple[Claim, ...] = (
    Claim("volume_status", ("ok",)),
    Claim("policy_active"),
    Claim("power_safe"),
)
"""Claims that every healthy server meets."""


def claims(given: Mapping[str, object]) -> tuple[Claim, ...]:
    """The claims of the options, or the default ones, in help order.

    The options are given by their names with underscores.

    Raises:
        UsageError: An invalid value; the message suggests similar ones.
    """
    found = []
    for name, read in _READERS.items():
        value = given.get(name)
        if value is None or value is False or value == ():
            continue
        found.append(read(value))
    return tuple(found) or DEFAULT


def claim(name: ClaimName, value: object) -> Claim:
    """The claim of one name and its value. The name is one of :data:`NAMES`, and the value is as given to the option.

    Raises:
        UsageError: An invalid value.
    """
    return _READERS[name](value)


def _switch(name: ClaimName) -> Callable[[object], Claim]:
    return lambda _value: Claim(name)


def _word(name: ClaimName, known: Sequence[str], also: Mapping[str, str]) -> Callable[[object], Claim]:
    def read(value: object) -> Claim:
        return Claim(name, (_one(str(value), known, also, name),))

    return read


def _one(text: str, known: Sequence[str], also: Mapping[str, str], name: ClaimName) -> str:
    word = text.strip().lower().replace("_", "-")
    word = also.get(word, word)
    if word in known:
        return word
    near = difflib.get_close_matches(word, [*known, *also], n=2, cutoff=0.6)
    hint = f"did you mean {listing(near, 'or')}?" if near else f"it can be {listing(known, 'or')}."
    raise UsageError(f'--{name.replace("_", "-")}: "{printable(text)}" is not a valid value; {hint}')


def _levels(value: object) -> Claim:
    texts = [part for text in _texts(value) for part in text.split(",")]
    also = {level.removeprefix("raid"): level for level in LEVELS if level.startswith("raid")}
    also |= {f"raid-{short}": level for short, level in also.items()}
    return Claim("raid_level", tuple(dict.fromkeys(_level(text, also) for text in texts)))


def _level(text: str, also: Mapping[str, str]) -> str:
    try:
        return _one(text, LEVELS, also, "raid_level")
    except UsageError:
        raise UsageError(
            f'--raid-level: "{printable(text)}" is not a RAID level; it can be {listing(LEVELS, "or")}.'
        ) from None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(part) for part in value) if isinstance(value, (tuple, list)) else (str(value),)


def _size(name: ClaimName, *, binary: bool, example: str) -> Callable[[object], Claim]:
    def read(value: object) -> Claim:
        text = str(value)
        try:
            size = parse_size(text, binary=binary)
        except ValueError:
            size = 0
        if size <= 0:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f'{option}: "{printable(text)}" is not a size; write a number with a unit, {example}.')
        return Claim(name, (text.strip(),), size)

    return read


def _number(name: ClaimName, least: int) -> Callable[[object], Claim]:
    def read(value: object) -> Claim:
        number = int(str(value))
        if number < least:
            raise UsageError(f"--{name.replace('_', '-')}: {number} is too small; the minimum is {least}.")
        return Claim(name, (str(number),), number)

    return read


def _days(value: object) -> Claim:
    match = re.fullmatch(r"(\d{1,4}) ?(d|days?|w|weeks?)?", str(value).strip())
    if match is None or not int(match[1]):
        raise UsageError(
            f'--checked-within: "{printable(str(value))}" is not a duration; write days or weeks, such as 30d or 8w.'
        )
    number = int(match[1]) * (7 if (match[2] or "d").startswith("w") else 1)
    return Claim("checked_within", (f"{number}d",), number)


def _age(value: object) -> Claim:
    """Hours, from `3 years`, `18 months`, `90d`; a year has 8766 hours."""
    match = re.fullmatch(r"(\d{1,4}(?:\.\d)?) ?(y|years?|months?|w|weeks?|d|days?)", str(value).strip().lower())
    hours = round(float(match[1]) * _HOURS[match[2][:1]]) if match else 0
    if not hours:
        raise UsageError(
            f'--drive-age: "{printable(str(value))}" is not an age; write years, months, weeks or days, such as '
            '"3 years" or 90d.'
        )
    return Claim("drive_age", (str(value).strip(),), hours)


def _rpm(value: object) -> Claim:
    number = int(str(value))
    if number not in RPM:
        near = min(RPM, key=lambda known: abs(known - number))
        raise UsageError(f"--drive-rpm: there are no drives with {number} rpm; did you mean {near}?")
    return Claim("drive_rpm", (str(number),), number)


def _split(value: object) -> Claim:
    read, write = setting_values.split(str(value))
    return Claim("cache_split", (f"{read}/{write}",), read)


def _text(name: ClaimName) -> Callable[[object], Claim]:
    def read(value: object) -> Claim:
        text = str(value).strip()
        if not text:
            raise UsageError(f"--{name}: name a version as printed by raidctl show.")
        return Claim(name, (text,))

    return read


_READERS: Mapping[ClaimName, Callable[[object], Claim]] = {
    "raid_level": _levels,
    "battery": _switch("battery"),
    "write_cache": _word("write_cache", WRITE_CACHE, _WRITE_ALSO),
    "cache_size": _size("cache_size", binary=True, example="such as 512MiB"),
    "cache_split": _split,
    "drive_cache": _word("drive_cache", DRIVE_CACHE, _SWITCH),
    "drives": _number("drives", 1),
    "spares": _number("spares", 0),
    "read_policy": _word("read_policy", READ_POLICY, {}),
    "strip_size": _size("strip_size", binary=True, example="such as 256KiB"),
    "min_size": _size("min_size", binary=False, example="such as 4TB or 3.6TiB"),
    "media": _word("media", MEDIA, {}),
    "drive_rpm": _rpm,
    "volume_status": _word("volume_status", STATES, {}),
    "firmware": _text("firmware"),
    "policy_active": _switch("policy_active"),
    "power_safe": _switch("power_safe"),
    "no_write_hole": _switch("no_write_hole"),
    "survives": _number("survives", 0),
    "checked_within": _days,
    "drive_size": _size("drive_size", binary=False, example="such as 4TB or 3.6TiB"),
    "drive_age": _age,
}
"""Parsers of the claims, in the order of the help and answers."""
NAMES: tuple[ClaimName, ...] = tuple(_READERS)
SWITCHES: frozenset[ClaimName] = frozenset({"battery", "policy_active", "power_safe", "no_write_hole"})
"""Claims without a value."""
NUMBERS: frozenset[ClaimName] = frozenset({"drives", "spares", "drive_rpm", "survives"})
"""Claims with a whole number."""
