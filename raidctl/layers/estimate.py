"""Estimate the use of caches without counters from the times of requests. Pure.

The kernel counts how long the requests of a block device took (``/sys/block/X/stat``). In addition to any seek, a
request that waits for a platter waits half a revolution on average: 30,000/rpm milliseconds, which is 4.17 at 7,200
and 2 at 15,000 rpm. So if a share of the requests waited, the mean of all is at least that share of half a revolution,
and of all requests at least

    1 - mean / half a revolution

did not wait: a cache of the controller or the drive served them, or they were sequential. No constant is fitted.
Queues and seeks only make the mean longer and the share smaller, so it is a lower bound: a long mean shows nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidctl.discovery.sysfs import path_of
from raidctl.layers.model import Counter
from raidctl.layers.sysfs_values import number
from raidctl.model import Drive

ENOUGH = 100
"""Fewest requests for a mean. Waits are spread evenly over a revolution, so the error of their mean is
``1/sqrt(3 n)`` of half a revolution: 6% with 100."""
FASTEST = 15000
"""Rpm of the fastest drives ever sold. It is assumed for a drive that does not report its own."""
_MINUTE = 60000.0
_SECTOR = 512
_WRAP = 1 << 32
"""The kernel prints milliseconds as an unsigned int (``part_stat_show`` in block/genhd.c)."""
_FIELDS = 11
"""Numbers in a line of ``stat`` before 4.18. Later ones have 15 (discards) or 17 (flushes, since 5.5)."""
_METHOD = (
    "estimate: {0} compared with the drives' rotation. A request that waits for a platter waits half a "
    "revolution on average, {1:.3g} ms at {2} rpm{3}: at least 1 - mean/{1:.3g} of them did not wait"
)
_PLAIN = "{0}; requests that a cache served cannot be distinguished"


@dataclass(frozen=True)
class Times:
    """A line of ``/sys/block/X/stat``: since boot, or since the device was created."""

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
class Rotation:
    """Rotation of the drives below a volume, or why there is none."""

    rpm: int | None = None
    """Of the fastest drive; None: see ``why``."""
    reported: bool = True
    """All of them report it."""
    why: str = ""

    @property
    def half(self) -> float:
        """Time of half a revolution, milliseconds."""
        return _MINUTE / (self.rpm or FASTEST) / 2


def parse(text: str) -> Times:
    """Parse a line of ``stat``.

    The line has requests, merged requests, sectors and milliseconds for reads, the same for writes, and more.

    Raises:
        ValueError: It has an unknown format.
    """
    figures = [number(word) for word in text.split()]
    if len(figures) < _FIELDS:
        raise ValueError(f"{len(figures)} figures instead of {_FIELDS} or more")
    flushes = figures[15:17] if len(figures) >= 17 else [None, None]
    return Times(
        figures[0], figures[2] * _SECTOR, figures[3], figures[4], figures[6] * _SECTOR, figures[7], figures[8], *flushes
    )


def rotation(drives: Iterable[Drive]) -> Rotation:
    """Return the rotation of the fastest of some drives."""
    found = list(drives)
    media = {drive.media for drive in found}
    if "ssd" in media:
        return Rotation(why="its drives do not rotate, so they are as fast as a cache")
    if media != {"hdd"}:
        return Rotation(why="whether its drives rotate is unknown")
    speeds = [drive.rpm for drive in found if drive.rpm]
    reported = len(speeds) == len(found)
    return Rotation(rpm=max(speeds) if reported else max([FASTEST, *speeds]), reported=reported)


def method(name: str, below: Rotation | None = None) -> str:
    """Describe how a block device's shares were estimated, or its counters' source."""
    path = path_of(name, "stat")
    if below is None or below.rpm is None:
        return _PLAIN.format(path)
    taken = "" if below.reported else " (assumed for drives that report no rpm)"
    return _METHOD.format(path, below.half, below.rpm, taken)


def shares(now: Times, old: Times | None, below: Rotation) -> Iterator[Counter]:
    """Yield the shares of reads and writes without waiting for a platter. If they are unknown, yield why."""
    for name, count, spent in (
        ("reads cached or sequential (at least)", "reads", "read_ms"),
        ("writes cached or sequential (at least)", "writes", "write_ms"),
    ):
        value, why = _share(now, old, below, count, spent)
        yield Counter(name=name, value=value, unit="percent", estimate=True, why=why)


def _share(now: Times, old: Times | None, below: Rotation, count: str, spent: str) -> tuple[int | None, str | None]:
    """Return percent, rounded down; or why it is unknown."""
    growth = _growth(now, old, count, spent)
    if below.rpm is None:
        return None, below.why
    if growth is None:
        return None, "the kernel's counters began again between the two readings"
    requests, took = growth
    if requests < ENOUGH:
        return None, "there were none" if requests == 0 else f"too few: {requests} (at least {ENOUGH} needed)"
    if requests > 0 and took == 0:
        return None, "the kernel measured no time for them"
    mean = took / requests
    share = math.floor(100 * (1 - mean / below.half))
    if share <= 0:
        return None, f"with a mean of {mean:.3g} ms all of them may have waited in a queue or for the platters"
    return share, None


def mean(now: Times, old: Times | None, count: str, spent: str) -> float | None:
    """Return the mean milliseconds per request in the interval, else since boot. None if nothing was counted."""
    requests, took = _growth(now, old, count, spent) or (0, 0)
    return took / requests if requests > 0 and took > 0 else None


def began_again(now: Times, old: Times) -> bool:
    """Whether the device was created again between two readings. One counter that went back shows that.

    The counts of milliseconds wrap: one that grew by more than half of its range went back.
    """
    counts = [(now.reads, old.reads), (now.read_bytes, old.read_bytes), (now.writes, old.writes),
              (now.write_bytes, old.write_bytes), (now.flushes or 0, old.flushes or 0)]  # fmt: skip
    spent = [(now.read_ms - old.read_ms) % _WRAP, (now.write_ms - old.write_ms) % _WRAP]
    return any(value < earlier for value, earlier in counts) or max(spent) > _WRAP // 2


def _growth(now: Times, old: Times | None, count: str, spent: str) -> tuple[int, int] | None:
    """Return requests and milliseconds of the interval, else since boot. None if the device was created since."""
    requests, took = getattr(now, count), getattr(now, spent)
    if old is None:
        return requests, took
    if began_again(now, old):
        return None
    return requests - getattr(old, count), (took - getattr(old, spent)) % _WRAP
