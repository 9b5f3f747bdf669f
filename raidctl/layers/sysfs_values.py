"""Parse values of sysfs: numbers, sizes, words. Pure; anything else is a ``ValueError``."""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl.units import parse_size

_NUMBER = regex(r"\d{1,20}", re.ASCII)
_RESHAPED = regex(r"(\d{1,9}) \(\d{1,9}\)", re.ASCII)
_WORD = regex(r"[\w.-]{1,40}", re.ASCII)


def number(text: str) -> int:
    """Parse a number of sysfs or /proc: at most twenty digits."""
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        raise ValueError(f"not a number: {plain[:40]!r}")
    return int(plain)


def members_of(text: str) -> int:
    r"""Parse an md array's number of members. A reshape from 3 to 4 shows ``4 (3)``.

    >>> members_of("4 (3)\n"), members_of("6")
    (4, 6)
    """
    plain = text.strip()
    match = _RESHAPED.fullmatch(plain)
    return number(match[1] if match else plain)


def human(text: str) -> int:
    """Parse bcache's ``1.2M``, ``512.0k``, ``0`` to bytes.

    The units are binary, and the kernel has rounded the value.
    """
    plain = text.strip()
    return int(plain) if _NUMBER.fullmatch(plain) else parse_size(plain, binary=True)


def word(text: str) -> str:
    """Parse a single word."""
    plain = text.strip()
    if not _WORD.fullmatch(plain):
        raise ValueError(f"not a word: {plain[:40]!r}")
    return plain


def state(text: str) -> str:
    """Parse the state of a bcache device, such as ``no cache``."""
    return " ".join(word(part) for part in text.split()) or word(text)
