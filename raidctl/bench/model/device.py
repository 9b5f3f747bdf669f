"""The modelled array: controller, drives, caches, and the effect of a flush."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from raidctl.bench.model.array import Array, Level
from raidctl.bench.model.cache import ReadAhead, ReadCache, WriteCache
from raidctl.bench.model.content import Content, pages_of
from raidctl.bench.model.drive import ELECTRONICS, Mechanics

Kind = Literal["write-through", "volatile", "lying", "battery", "unprotected", "flushing", "media-cache"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Flush = Literal["empties", "ignored"]


@dataclass(frozen=True, kw_only=True)
class Traits:
    """The properties of a kind."""

    controller: Flush | None = None
    """Effect of a flush on the controller's cache. None if it has no cache."""
    battery: bool = False
    """Whether the controller's cache survives a power cut."""
    drives: Flush | None = None
    """Effect of a flush on the drives' caches. None: there are no such caches unless requested."""
    commit: float | None = None
    """Seconds of a write into a durable medium other than a platter. None if there is none."""


TRAITS: dict[Kind, Traits] = {
    "write-through": Traits(),
    "volatile": Traits(drives="empties"),
    "lying": Traits(drives="ignored"),
    "battery": Traits(controller="ignored", battery=True),
    # a controller that is forced to write back without its battery
    "unprotected": Traits(controller="ignored"),
    # an array that destages its protected cache on a flush
    "flushing": Traits(controller="empties", battery=True),
    # 264 a second with the cache off, as measured on a 7200 rpm drive with such a medium; a flush writes the volatile
    # cache before it (``drive_cache``) there
    "media-cache": Traits(commit=1 / 264),
}
CONTROLLER, DRIVES, MEDIUM = 0, 1, 2
SAMPLE, DIFFERENT = 256, 128
"""Bytes sampled, and the number of different ones in incompressible data. Of the first 256 bytes of random data about
160 differ. With 128 and more, nothing is compressible."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The properties to build."""

    kind: Kind
    cache: int = 64 << 20
    """Bytes of the write cache."""
    destage: float = 20e6
    """Bytes per second that leave it."""
    drive_cache: int = 0
    """Bytes of cache in the drives behind a controller. The controller forwards no flush to them."""
    read_cache: int = 0
    size: int = 1 << 30
    """Bytes of one drive."""
    rpm: float = 7200.0
    zones: float = 2.0
    level: Level = "single"
    drives: int = 1
    chunk: int = 64 << 10
    link: float = 400e6
    """Bytes per second between the host and the cache."""
    latency: float = ELECTRONICS
    """Seconds of any reply from a cache, and a flush's minimum."""
    hold: float = 0.2
    """Seconds for which a drive's cache keeps content that could be written. A flush ends this; a power cut loses the
    content."""
    read_ahead: int = 0
    """Bytes that the controller reads ahead of a sequential reader; 0: none."""
    compresses: bool = False
    """Whether compressible data take less transfer time and less room in caches."""
    keep: bool = True
    """Whether content is kept; otherwise reads return zeros."""


class Device:
    """A device that gives each operation its completion time. Times are in seconds of one clock."""

    def __init__(self, plan: Plan) -> None:
        """Raise ValueError for an impossible model."""
        self.plan, self.traits = plan, TRAITS[plan.kind]
        mechanics = Mechanics(size=plan.size, rpm=plan.rpm, zones=plan.zones)
        self.array = Array(mechanics, plan.level, plan.drives, plan.chunk)
        self._controller = WriteCache(plan.cache, plan.destage) if self.traits.controller else None
        behind = plan.cache if self.traits.drives else plan.drive_cache
        self._drives = WriteCache(behind, plan.destage) if behind else None
        self.write_back = self._controller is not None
        self.drive_cache = self._drives is not None
        self._reads = ReadCache(plan.read_cache)
        self._ahead = ReadAhead(plan.read_ahead, plan.chunk, self.array.size, self.array.read)
        self._content = Content((self.traits.battery, False, False), keep=plan.keep)
        self._link_free = 0.0
        self._pass_at = 0.0
        self._last = (0, 0)
        if plan.latency < 0:
            raise ValueError("an answer takes no less than no time")
        self._chance = Random(1)  # noqa: S311 - positions of the platters, not a secret

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.array.size

    def set_write_back(self, now: float, on: bool) -> None:
        """Set the controller's write policy, after destaging dirty content. Raise ValueError without a cache."""
        if self._controller is None:
            raise ValueError(f"a {self.plan.kind} array has no controller with a write cache")
        self._settle(now)
        if not on:
            self._content.leave_by(CONTROLLER, now)
        self.write_back = on

    def set_drive_cache(self, now: float, on: bool) -> None:
        """Set the drives' caches, after destaging dirty content. Raise ValueError if there are none."""
        if self._drives is None:
            raise ValueError("the drives have no cache that could be switched")
        self._settle(now)
        if not on:
            self._content.leave_by(DRIVES, now)
            self._settle(now)
        self.drive_cache = on

    @property
    def reads_ahead(self) -> bool:
        """Whether the controller reads ahead."""
        return self._ahead.on

    def set_read_ahead(self, on: bool) -> None:
        """Set the controller's read-ahead. Raise ValueError if it has none."""
        if not self._ahead.depth:
            raise ValueError("there is no controller that reads ahead")
        self._ahead.on = on

    def dirty(self, now: float) -> int:
        """Bytes in the write caches that are not destaged."""
        return round(sum(cache.dirty(now) for cache in (self._controller, self._drives) if cache))

    def read(self, now: float, offset: int, size: int) -> tuple[float, bytes]:
        """Completion time and data of a read."""
        self._settle(now)
        pages = pages_of(offset, size)
        kept = self._reads.holds(pages) or all(
            self._content.waits(CONTROLLER, page) or self._content.waits(DRIVES, page) for page in pages
        )
        self._reads.touch(pages)
        data = self._content.read(offset, size)
        carried = self._bytes_transferred(data)
        if kept:
            return self._over_link(now, carried), data
        ready = self._ahead.there(now, offset, size)
        if ready is not None:
            return self._over_link(max(now, ready), carried), data
        begin = now
        if self.dirty(now):
            # the arm is destaging: that has to end first
            begin += self._chance.random() * self.array.typical()
        return self.array.read(begin, offset, carried), data

    def write(self, now: float, offset: int, data: bytes, *, durable: bool = False) -> float:
        """When the write is acknowledged. ``durable``: force unit access, equivalent to a flush."""
        self._settle(now)
        self._reads.touch(pages_of(offset, len(data)))
        if self._controller and self.write_back and len(data) <= self._controller.size:
            end = self._cached(now, CONTROLLER, self._controller, offset, data)
            return self.flush(end) if durable else end
        honest = self.traits.drives == "empties" or self.traits.commit is not None
        if self._drives and self.drive_cache and len(data) <= self._drives.size and not (durable and honest):
            return self._cached(now, DRIVES, self._drives, offset, data)
        size = self._bytes_transferred(data)
        end = now + self.traits.commit if self.traits.commit else self.array.write(now, offset, size)
        self._content.write(MEDIUM, offset, data, end)
        return end

    def flush(self, now: float) -> float:
        """When everything acknowledged before is durable, or is reported to be."""
        self._settle(now)
        end = now + self.plan.latency
        if self._drives and self.traits.commit and self._content.count(DRIVES):
            # the content of the drive's memory goes to its persistent medium, at once and sequentially
            end += self.traits.commit
            self._content.leave_by(DRIVES, end)
        if self._controller and self.traits.controller == "empties" and self._content.count(CONTROLLER):
            end = self._emptied(end, CONTROLLER, self._controller)
        if self._drives and self.traits.drives == "empties" and self._content.count(DRIVES):
            end = self._emptied(end, DRIVES, self._drives)
        return end

    def _emptied(self, now: float, layer: int, cache: WriteCache) -> float:
        """When a cache has been destaged.

        It empties at the destage rate, and not before the last block passes the head.
        """
        passes = self._pass_at if self._pass_at >= now else self.array.next_pass(now, *self._last)
        end = max(now, cache.empty_at, passes)
        self._content.leave_by(layer, end)
        return end

    def power_cut(self, now: float) -> int:
        """Lose what no battery protects. Return the number of pages (4 KiB) lost. Power returns at once."""
        self._settle(now)
        lost = self._content.cut()
        for cache in (self._controller, self._drives):
            if cache:
                cache.empty_at = now
        self._reads.clear()
        return lost

    def _cached(self, now: float, layer: int, cache: WriteCache, offset: int, data: bytes) -> float:
        pages = list(pages_of(offset, len(data)))
        known = all(self._content.waits(layer, page) for page in pages)
        begin = now if known else cache.room_at(now, len(data))
        if not cache.dirty(begin):
            # the drives are idle: the first block waits until it passes the head
            self._last = (offset, len(data))
            self._pass_at = self.array.next_pass(begin, *self._last)
        if known:
            # rewritten before it was destaged: takes no more room
            self._content.write(layer, offset, data, cache.empty_at)
            return self._over_link(now, self._bytes_transferred(data))
        size = self._bytes_transferred(data)
        cache.take(begin, size)
        hold = self.plan.hold if layer == DRIVES else 0.0
        self._content.write(layer, offset, data, max(cache.empty_at, self._pass_at) + hold)
        return self._over_link(begin, size)

    def _bytes_transferred(self, data: bytes) -> int:
        """Bytes transferred for the data. With compression, there are fewer if the first bytes are alike.

        Counting takes a microsecond; real compression would make the replies late.
        """
        if not self.plan.compresses:
            return len(data)
        return max(1, len(data) * min(len(set(data[:SAMPLE])), DIFFERENT) // DIFFERENT)

    def _over_link(self, now: float, size: int) -> float:
        self._link_free = max(self._link_free, now) + size / self.plan.link
        return self._link_free + self.plan.latency

    def _settle(self, now: float) -> None:
        self._content.settle(now, (0.0, self.plan.hold if self.drive_cache else 0.0, 0.0))
