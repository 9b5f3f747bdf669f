"""A write cache and an LRU read cache. The write cache fills and empties at a steady rate."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

PAGE = 4096


class WriteCache:
    """Dirty bytes that decrease at the destage rate. The state is the time at which the cache is empty."""

    def __init__(self, size: int, destage: float) -> None:
        """``size`` in bytes, ``destage`` in bytes per second, both above 0."""
        if size <= 0 or destage <= 0:
            raise ValueError("a cache has a size and a destage rate above 0")
        self.size, self.destage = size, destage
        self.empty_at = 0.0

    def dirty(self, now: float) -> float:
        """Bytes not yet destaged."""
        return max(0.0, self.empty_at - now) * self.destage

    def room_at(self, now: float, size: int) -> float:
        """When that many bytes fit."""
        return max(now, self.empty_at - (self.size - size) / self.destage)

    def take(self, now: float, size: int) -> None:
        """Add dirty bytes, from now on."""
        self.empty_at = max(self.empty_at, now) + size / self.destage


class ReadAhead:
    """A controller's read-ahead for one sequential reader, a chunk at a time."""

    def __init__(self, depth: int, chunk: int, size: int, read: Callable[[float, int, int], float]) -> None:
        """Read ``depth`` bytes ahead (0: never) of ``size``. ``read`` returns the time at which a chunk is there."""
        self.depth = depth
        self.on = depth > 0
        self._chunk, self._size, self._read = chunk, size, read
        self._next = -1
        self._fetched_to = 0
        self._ready: dict[int, float] = {}

    def there(self, now: float, offset: int, size: int) -> float | None:
        """When a read's bytes are in the controller. None if they were not read ahead."""
        if not self.on:
            return None
        end, follows = offset + size, offset == self._next
        self._next = end
        if not follows:
            self._ready.clear()
            self._fetched_to = -(-end // self._chunk) * self._chunk
            return None
        while self._fetched_to < min(end + self.depth, self._size):
            self._ready[self._fetched_to // self._chunk] = self._read(now, self._fetched_to, self._chunk)
            self._fetched_to += self._chunk
        chunks = range(offset // self._chunk, (end - 1) // self._chunk + 1)
        if any(chunk not in self._ready for chunk in chunks):
            return None
        return max(self._ready[chunk] for chunk in chunks)


class ReadCache:
    """The most recently read or written pages."""

    def __init__(self, size: int) -> None:
        """``size`` in bytes; 0 for no cache."""
        self._most = size // PAGE
        self._pages: OrderedDict[int, None] = OrderedDict()

    def holds(self, pages: Iterable[int]) -> bool:
        """Whether all of them are cached."""
        return self._most > 0 and all(page in self._pages for page in pages)

    def touch(self, pages: Iterable[int]) -> None:
        """Cache pages, and drop those unused for longest."""
        if not self._most:
            return
        for page in pages:
            self._pages[page] = None
            self._pages.move_to_end(page)
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        self._pages.clear()
