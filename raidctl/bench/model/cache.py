"""A write cache that fills and empties at a steady rate, and a read cache that keeps what was read last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

PAGE = 4096


class WriteCache:
    """Dirty bytes fall at the destage rate from when they came on: one moment says all, that at which it is empty."""

    def __init__(self, size: int, destage: float) -> None:
        """``size`` in bytes, ``destage`` in bytes a second, both above 0."""
        if size <= 0 or destage <= 0:
            raise ValueError("a cache has a size and a destage rate above 0")
        self.size, self.destage = size, destage
        self.empty_at = 0.0

    def dirty(self, now: float) -> float:
        """Bytes not yet destaged."""
        return max(0.0, self.empty_at - now) * self.destage

    def room_at(self, now: float, size: int) -> float:
        """When so many bytes fit in."""
        return max(now, self.empty_at - (self.size - size) / self.destage)

    def take(self, now: float, size: int) -> None:
        """Hold so many more bytes from now on."""
        self.empty_at = max(self.empty_at, now) + size / self.destage


class ReadCache:
    """The pages read or written last."""

    def __init__(self, size: int) -> None:
        """``size`` in bytes; 0: there is none."""
        self._most = size // PAGE
        self._pages: OrderedDict[int, None] = OrderedDict()

    def holds(self, pages: Iterable[int]) -> bool:
        """Whether all of them are kept."""
        return self._most > 0 and all(page in self._pages for page in pages)

    def touch(self, pages: Iterable[int]) -> None:
        """Keep them, and drop those that were not touched for longest."""
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
