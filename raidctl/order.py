"""Natural sort order: ``1I:1:2`` before ``1I:1:10``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from raidctl.text import regex

T = TypeVar("T")

_NUMBER = regex(r"(\d{1,100})", re.ASCII)
"""Python refuses to convert thousands of digits."""


def natural(text: str) -> tuple[str | int, ...]:
    """A sort key in which runs of digits count as numbers."""
    key: list[Any] = _NUMBER.split(text)  # text and number in turn, so that like is compared with like
    for place in range(1, len(key), 2):
        key[place] = int(key[place])
    return tuple(key)


_LETTERED = regex(r"^(sd|vd|xvd|hd)([a-z]+)", re.ASCII)


def by_kernel_name(name: str) -> tuple[str | int, ...]:
    """A sort key for names of block devices. The kernel counts ``sda`` to ``sdz``, then ``sdaa``."""
    return natural(_LETTERED.sub(lambda found: found[1] + found[2].rjust(8, "@"), name))  # "@" comes before "a"


def in_order(items: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """The items sorted by :func:`natural` of their key."""
    return sorted(items, key=lambda item: natural(key(item)))
