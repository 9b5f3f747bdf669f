"""What the times of requests tell of caches that have no counters. Pure.

The kernel counts how long the requests of a block device took (``/sys/block/X/stat``). Whatever the heads do before, a
request that has to wait for a platter waits half a turn on average: 30,000/rpm milliseconds, which are 4.17 at 7,200
and 2 at 15,000 turns a minute. So if a share of the requests waited, their mean is that share of half a turn at least,
and of all of them at least

    1 - mean / half a turn

did not wait: a cache took or gave them (of the controller or of the drive), or they were in sequence. No figure in it
is fitted to anything. Waiting in queues and moving heads only make the mean longer and the share smaller, so it is a
lower bound and nothing more: a long mean tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidctl.discovery.sysfs import path_of
from raidctl.layers.model import Counter
from raidctl.layers.phrases import number
from raidctl.model import Drive

ENOUGH = 100
"""Requests below which a mean says nothing. Waits are spread evenly over a turn, so the error of their mean is
``1/sqrt(3 n)`` of half a turn: 6 % with 100."""
FASTEST = 15000
"""Turns a minute of the fastest disks that were ever sold: what is taken where a drive does not tell its own."""
_MINUTE = 60000.0
_SECTOR = 512
_WRAP = 1 << 32
"""The kernel prints milliseconds as an unsigned int (``part_stat_show`` in block/genhd.c)."""
_FIELDS = 11
"""Figures of a line of ``stat`` before 4.18; later ones have 15 (discards) or 17 (flushes, since 5.5)."""
_METHOD = (
    "estimate: {0} against the turning of the disks. A request that waits for a platter waits half a "
    "turn on average, {1:.3g} ms at {2} turns a minute{3}: at least 1 - mean/{1:.3g} of them did not wait"
)
_PLAIN = "{0}; which of the requests a cache has answered cannot be told apart"


@dataclass(frozen=True)
class Times:
    """A line of ``/sys/block/X/stat``: since boot, or since the device was made."""

    reads: int
    read_bytes: int
    read_ms: int
    writes: int
    write_bytes: int
    write_ms: int
    in_flight: int
    flushes: int | None = None
    flush_ms: int | None = None


@dataclass(frozen=True)
class Turning:
    """How fast the disks below a volume turn, or why it does not matter."""

    rpm: int | None = None
    """Of the fastest of them; None: see ``why``."""
    told: bool = True
    """All of them tell it."""
    why: str = ""

    @property
    def half(self) -> float:
        """Milliseconds of half a turn."""
        return _MINUTE / (self.rpm or FASTEST) / 2


def parse(text: str) -> Times:
    """A line of ``stat``: requests, merged, sectors, milliseconds for reads, the same for writes, and more.

    Raises:
        ValueError: It is no such line.
    """
    figures = [number(word) for word in text.split()]
    if len(figures) < _FIELDS:
        raise ValueError(f"{len(figures)} figures instead of {_FIELDS} or more")
    flushes = figures[15:17] if len(figures) >= 17 else [None, None]
    return Times(
        figures[0], figures[2] * _SECTOR, figures[3], figures[4], figures[6] * _SECTOR, figures[7], figures[8], *flushes
    )


def turning(drives: Iterable[Drive]) -> Turning:
    """How fast the fastest of some drives turns."""
    found = list(drives)
    media = {drive.media for drive in found}
    if "ssd" in media:
        return Turning(why="its drives do not turn, so they are as fast as a cache")
    if media != {"hdd"}:
        return Turning(why="whether its drives turn is not known")
    speeds = [drive.rpm for drive in found if drive.rpm]
    told = len(speeds) == len(found)
    return Turning(rpm=max(speeds) if told else max([FASTEST, *speeds]), told=told)


def method(name: str, below: Turning | None = None) -> str:
    """How the shares of a block device were estimated; where they are not, what its figures are from."""
    path = path_of(name, "stat")
    if below is None or below.rpm is None:
        return _PLAIN.format(path)
    taken = "" if below.told else ", as the fastest do where a drive does not tell"
    return _METHOD.format(path, below.half, below.rpm, taken)


def shares(now: Times, old: Times | None, below: Turning) -> Iterator[Counter]:
    """Of reads and of writes the share that did not wait for a platter; unknown, with the reason, where untold."""
    for name, count, spent in (
        ("reads from a cache or in sequence (at least)", "reads", "read_ms"),
        ("writes into a cache or in sequence (at least)", "writes", "write_ms"),
    ):
        value, why = _share(now, old, below, count, spent)
        yield Counter(name=name, value=value, unit="percent", estimate=True, why=why)


def _share(now: Times, old: Times | None, below: Turning, count: str, spent: str) -> tuple[int | None, str | None]:
    """Percent, rounded down; or why it is not known."""
    requests, took = _grown(now, old, count, spent)
    if below.rpm is None:
        return None, below.why
    if requests < ENOUGH:
        return None, "there were none" if requests == 0 else f"{requests} are too few (less than {ENOUGH})"
    if requests > 0 and took == 0:
        return None, "the kernel has measured no time of them"
    mean = took / requests
    share = math.floor(100 * (1 - mean / below.half))
    if share <= 0:
        return None, f"with a mean of {mean:.3g} ms all may have waited in a queue, or for the platters"
    return share, None


def mean(now: Times, old: Times | None, count: str, spent: str) -> float | None:
    """Milliseconds of a request in the interval, else since boot; None where none or no time was counted."""
    requests, took = _grown(now, old, count, spent)
    return took / requests if requests > 0 and took > 0 else None


def _grown(now: Times, old: Times | None, count: str, spent: str) -> tuple[int, int]:
    """Requests and milliseconds of the interval, else since boot; none where the device was made anew meanwhile."""
    requests, took = getattr(now, count), getattr(now, spent)
    if old is None:
        return requests, took
    requests -= getattr(old, count)
    return (requests, (took - getattr(old, spent)) % _WRAP) if requests >= 0 else (0, 0)
