"""Natural sort order: ``1I:1:2`` before ``1I:1:10``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from raidctl.text import regex

T = TypeVar("T")

_NUMBER = regex(r"(\d+)", re.ASCII)
_LONGEST = 100
"""Most digits that count as a number. Python refuses to convert thousands of them."""


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which runs of digits count as numbers."""
    key = []
    number = False
    for part in _NUMBER.split(text):
        if part:
            key.append((0, int(part), "") if number and len(part) < _LONGEST else (1, 0, part))
        number = not number
    return tuple(key)


_LETTERED = regex(r"^(sd|vd|xvd|hd)([a-z]+)", re.ASCII)


def by_kernel_name(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key for names of block devices. The kernel counts ``sda`` to ``sdz``, then ``sdaa``."""
    return natural(_LETTERED.sub(lambda found: found[1] + found[2].rjust(8, "@"), name))  # "@" comes before "a"


def in_order(items: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """The items sorted by :func:`natural` of their key."""
    return sorted(items, key=lambda item: natural(key(item)))
