"""The array's content, sparse, and the state of each page. A page is in a cache, in flight, or durable."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from raidctl.bench.model.cache import PAGE

NOTHING = bytes(PAGE)
Pending = OrderedDict[int, tuple[float, bytes]]
"""Pages in the order in which they leave a layer. Each has its time and content."""


class Content:
    """Layers of pages, uppermost first. Each page moves to the next layer at its time, and finally becomes durable."""

    def __init__(self, survives: Sequence[bool], *, keep: bool = True) -> None:
        """``survives``: whether each layer survives a power cut. ``keep``: if False, reads return only zeros."""
        self._survives = survives
        self._keep = keep
        self._layers: list[Pending] = [OrderedDict() for _ in survives]
        self._durable: dict[int, bytes] = {}

    def write(self, layer: int, offset: int, data: bytes, leaves: float) -> None:
        """Put data into a layer until that time. A page already waiting there keeps its time."""
        absorbs = layer < len(self._layers) - 1
        target = self._layers[layer]
        for page, content in self._paged(offset, data):
            for upper in self._layers[:layer]:
                upper.pop(page, None)
            if absorbs and page in target:
                target[page] = (target[page][0], content)
            else:
                target[page] = (leaves, content)
                target.move_to_end(page)

    def waits(self, layer: int, page: int) -> bool:
        """Whether a page is in a layer."""
        return page in self._layers[layer]

    def count(self, layer: int) -> int:
        """Number of pages in a layer."""
        return len(self._layers[layer])

    def leave_by(self, layer: int, by: float) -> None:
        """Let every page of a layer leave by that time."""
        pending = self._layers[layer]
        for page, (leaves, content) in pending.items():
            pending[page] = (min(leaves, by), content)

    def settle(self, now: float, holds: Sequence[float] = ()) -> None:
        """Move pages whose time has come. Each layer holds them for its ``holds`` seconds."""
        for number, pending in enumerate(self._layers):
            for page in self._ready(number, now):
                leaves, content = pending.pop(page)
                # a layer that is switched off holds for 0 s: the page goes straight through
                below = next((n for n in range(number + 1, len(holds)) if holds[n]), None)
                for lower in self._layers[number + 1 :]:
                    lower.pop(page, None)
                if below is None:
                    self._keep_for_good(page, content)
                else:
                    self._layers[below][page] = (leaves + holds[below], content)

    def _ready(self, number: int, now: float) -> list[int]:
        """Pages of a layer whose time has come. Caches keep their order; transfers may overtake one another."""
        pending = self._layers[number]
        if number == len(self._layers) - 1:
            return [page for page, (leaves, _) in pending.items() if leaves <= now]
        return [page for page, _ in takewhile(lambda item: item[1][0] <= now, pending.items())]

    def read(self, offset: int, size: int) -> bytes:
        """Return the data that a reader gets."""
        first, last = offset // PAGE, (offset + size - 1) // PAGE
        whole = b"".join(self._visible(page) for page in range(first, last + 1))
        begin = offset - first * PAGE
        return whole[begin : begin + size]

    def cut(self) -> int:
        """Lose what does not survive a power cut. Return the number of pages lost. The rest is durable afterwards."""
        lost: set[int] = set()
        for survives, pending in zip(reversed(self._survives), reversed(self._layers), strict=True):
            if survives:
                for page, (_, content) in pending.items():
                    self._keep_for_good(page, content)
                lost -= pending.keys()
            else:
                lost |= pending.keys()
            pending.clear()
        return len(lost)

    def _keep_for_good(self, page: int, content: bytes) -> None:
        if self._keep:
            self._durable[page] = content

    def _visible(self, page: int) -> bytes:
        for pending in self._layers:
            if page in pending:
                return pending[page][1]
        return self._durable.get(page, NOTHING)

    def _paged(self, offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
        view, end = memoryview(data), offset + len(data)
        while offset < end:
            page, inside = divmod(offset, PAGE)
            length = min(PAGE - inside, end - offset)
            part = view[:length]
            view = view[length:]
            offset += length
            if not self._keep:
                yield page, NOTHING
            elif length == PAGE:
                yield page, bytes(part)
            else:
                old = self._visible(page)
                yield page, old[:inside] + bytes(part) + old[inside + length :]


def pages_of(offset: int, size: int) -> Iterable[int]:
    """Numbers of the pages in a range."""
    return range(offset // PAGE, (offset + size - 1) // PAGE + 1)
