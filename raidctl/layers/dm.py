"""Parse ``dmsetup table`` and ``dmsetup status`` of caching targets. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from raidctl.layers.sysfs_values import number
from raidctl.text import regex

SECTOR = 512
CACHES = ("writecache", "cache")
# vg0-log: 0 204800 writecache 0 25500 24476 0
_LINE = regex(r"(\S+): +(\d{1,20}) (\d{1,20}) (\S+)(?: (.*))?", re.ASCII)
_WITH_VALUE = frozenset({
    "start_sector", "high_watermark", "low_watermark", "writeback_jobs", "autocommit_blocks", "autocommit_time",
    "max_age", "pause_writeback",
})  # fmt: skip
_WRITECACHE = (
    "reads", "read hits", "writes", "write hits uncommitted", "write hits committed", "writes past the cache",
    "writes allocated", "writes that waited", "flushes", "discards",
)  # fmt: skip
_CACHE = ("read hits", "read misses", "write hits", "write misses", "demotions", "promotions")
_MODES = ("writethrough", "writeback", "passthrough")
HIGH, LOW = 50, 45
"""Default watermarks of dm-writecache, percent."""


@dataclass
class Target:
    """The only target of a device, from table and status."""

    target: str
    table: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True)
class CacheState:
    """The state of a caching target, writecache or cache."""

    target: Literal["writecache", "cache"]
    mode: str | None = None
    policy: str | None = None
    size_bytes: int | None = None
    used_bytes: int | None = None
    unwritten_bytes: int | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    fault: str | None = None
    """A fault that the kernel reports; None if there is none."""


def lines(text: str) -> tuple[dict[str, list[tuple[str, tuple[str, ...]]]], int]:
    """Return each device's targets by name, and the number of unparsed lines.

    dmsetup prints ``No devices found`` if there is none.
    """
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    strange = 0
    for line in text.splitlines():
        match = _LINE.fullmatch(line.rstrip())
        if match:
            found.setdefault(match[1], []).append((match[4], tuple((match[5] or "").split())))
        elif line.strip() and line.strip() != "No devices found":
            # a device without a table prints its name and nothing more: "vg0-empty:"
            strange += not re.fullmatch(r"\S+:", line.strip())
    return found, strange


def mappings(table: str, status: str) -> tuple[dict[str, Target], int]:
    """Return the caching mappings by name, and the number of unparsed lines."""
    tables, strange = lines(table)
    states, odd = lines(status)
    found: dict[str, Target] = {}
    for name in dict.fromkeys((*tables, *states)):
        for source, part in ((tables, "table"), (states, "status")):
            for target, words in source.get(name, ()):
                if target in CACHES:
                    setattr(found.setdefault(name, Target(target)), part, words)
    return found, strange + odd


def read(mapping: Target) -> CacheState:
    """Parse the state of a caching mapping.

    Raises:
        ValueError: Its table or status has an unknown format.
    """
    return _writecache(mapping) if mapping.target == "writecache" else _cache(mapping)


def _writecache(mapping: Target) -> CacheState:
    # table: s 253:1 253:2 4096 4 high_watermark 60 low_watermark 40
    table = mapping.table
    if len(table) < 5 and table:
        raise ValueError(f"the table of writecache has {len(table)} words")
    block = number(table[3]) if table else None
    options = dict(_options(table[5:]))
    status = mapping.status
    if status[:1] in (("Error",), ("Fail",)):
        return CacheState("writecache", "writeback", options=options, fault=status[0])
    # status: 0 25500 24476 0 [10 counters since 5.15]
    figures = [number(text) for text in status]
    if figures and len(figures) < 4:
        raise ValueError(f"the status of writecache has {len(figures)} figures")
    size = used = None
    if block is not None and figures:
        size, used = figures[1] * block, max(figures[1] - figures[2], 0) * block
    return CacheState(
        "writecache",
        "writeback",
        "cleaner" if "cleaner" in table[5:] else None,
        size,
        used,
        used,
        options,
        dict(zip(_WRITECACHE, figures[4:], strict=False)),
        f"error {figures[0]}" if figures and figures[0] else None,
    )


def _options(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    rest = iter(words)
    for name in rest:
        if name in _WITH_VALUE:
            yield name, number(next(rest, ""))


def _cache(mapping: Target) -> CacheState:
    status = mapping.status
    if status[:1] in (("Fail",), ("Error",)):
        return CacheState("cache", _mode(mapping.table), fault=status[0])
    if not status:
        return CacheState("cache", _mode(mapping.table))
    # 8 27/8192 128 191/1600 139 1 352643 15 0 191 0 3 metadata2 writethrough no_discard_passdown 2
    # migration_threshold 2048 smq 0 rw -
    if len(status) < 12:
        raise ValueError(f"the status of cache has {len(status)} words")
    block = number(status[2]) * SECTOR
    used, _, total = status[3].partition("/")
    figures = [number(text) for text in status[4:11]]
    count = number(status[11])
    features, rest = status[12 : 12 + count], status[12 + count :]
    cores = number(rest[0]) if rest else 0
    core, rest = rest[1 : 1 + cores], rest[1 + cores :]
    pairs = dict(zip(core[::2], core[1::2], strict=False))
    threshold = {"migration_threshold": number(pairs["migration_threshold"])} if "migration_threshold" in pairs else {}
    faults = [text for text in rest if text in ("needs_check", "ro")]
    return CacheState(
        "cache",
        next((word for word in features if word in _MODES), None) or _mode(mapping.table),
        rest[0] if rest else None,
        number(total) * block,
        number(used) * block,
        figures[6] * block,
        threshold,
        dict(zip(_CACHE, figures, strict=False)),
        {"ro": "its metadata is read-only", "needs_check": "its metadata needs a check"}[faults[-1]]
        if faults
        else None,
    )


def _mode(table: Sequence[str]) -> str | None:
    """Return the mode in a table. If it has none, return writeback, the kernel's default."""
    return next((word for word in table if word in _MODES), "writeback" if table else None)


def lvm_name(name: str) -> str:
    """Convert ``vg0-srv--db`` to ``vg0/srv-db``: LVM doubles the hyphens within a name.

    >>> lvm_name("vg0-srv--db"), lvm_name("luks")
    ('vg0/srv-db', 'luks')
    """
    parts = re.split(r"(?<!-)-(?!-)", name, maxsplit=1)
    return "/".join(part.replace("--", "-") for part in parts)
