"""Where a device-mapper device keeps its bytes, from its ``dmsetup table``. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.bench.trials.trial import Range
from raidctl.text import regex

SECTOR = 512
_NUMBER = regex(r"\d{1,20}", re.ASCII)
_DEVICE = regex(r"\d{1,10}:\d{1,10}", re.ASCII)
_PLACES = {"linear": (0, 1), "crypt": (3, 4)}
"""For each kind of target, the positions of two arguments. They are the device below and its start sector."""
Node = Callable[[str], str | None]
"""The path of a device by its numbers (``8:3``). None if there is none."""


def ranges(mapping: str, table: str, node: Node) -> tuple[Range, ...]:
    """Ranges of a mapping that are contiguous on the device below. Other target types are left out.

    ``mapping`` is its own device; ``table`` is what ``dmsetup table NAME`` prints, without the name.
    """
    found = []
    for line in table.splitlines():
        # 0 204800 linear 8:3 2048
        # 0 204800 crypt aes-xts-plain64 :32:logon:cryptsetup:… 0 8:3 4096
        words = line.split()
        if len(words) < 3 or words[2] not in _PLACES:
            continue
        device, first = (3 + place for place in _PLACES[words[2]])
        if len(words) <= first:
            continue
        numbers = words[0], words[1], words[first]
        if not all(_NUMBER.fullmatch(word) for word in numbers) or not _DEVICE.fullmatch(words[device]):
            continue
        path = node(words[device])
        start, length, begin = (int(word) * SECTOR for word in numbers)
        if path is not None and length:
            found.append(Range(mapping=mapping, path=path, first=begin, length=length, start=start, kind=words[2]))
    return tuple(found)
