"""What was written and acknowledged between two power cuts. Pure.

Each write has a number, the generation in its block's header. The range is first filled with generation ``base``; then
groups of writes follow, each to different blocks and ended by a flush. A group is announced before its first write,
after the flush of the previous group has returned.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence


class Disorder(ValueError):
    """A record that no writer sends: it contradicts those before it."""


class History:
    """The writes of one session.

    Args:
        blocks: How many there are in the range.
        base: Generation with which all of them are filled first, 1 or more.
    """

    def __init__(self, blocks: int, base: int) -> None:
        if blocks < 1 or base < 1:
            raise Disorder("A range without blocks, or a generation below 1.")
        self.blocks = blocks
        self.base = base
        self.durable = 0
        """The generation up to which a completed flush followed every write. It is 0 if there is none yet."""
        self.last = base
        """The newest generation that was announced."""
        self._places = array("I")
        self._ends = array("Q", [base])
        self._times = array("d")

    def announce(self, places: Sequence[int]) -> None:
        """Record a group of future writes by their block numbers.

        Raises:
            Disorder: The previous group was not flushed, or a block is outside of the range or repeated.
        """
        if self.durable != self.last:
            raise Disorder("A group of writes was announced before the flush of the one before it.")
        if not places or len(set(places)) != len(places):
            raise Disorder("A group of writes is empty, or has a block twice.")
        if min(places) < 0 or max(places) >= self.blocks:
            raise Disorder("A write outside of the range was announced.")
        self._places.extend(places)
        self.last += len(places)
        self._ends.append(self.last)

    def flushed(self, upto: int, at: float) -> None:
        """Record that a flush has returned. ``at``: seconds on the clock of the witness.

        Raises:
            Disorder: It is not the flush of the group that was announced last.
        """
        if upto != self.last or self.durable == upto:
            raise Disorder("A flush was reported that does not belong to the last group of writes.")
        self.durable = upto
        self._times.append(at)

    @property
    def flushes(self) -> int:
        """Completed flushes, including that of the filling."""
        return len(self._times)

    @property
    def acknowledged(self) -> int:
        """Writes after the filling that were followed by a completed flush."""
        return max(self.durable - self.base, 0)

    def group(self, generation: int) -> int:
        """Number of the group that a write belongs to; 0: the filling."""
        return bisect_left(self._ends, generation)

    def flushed_at(self, generation: int) -> float | None:
        """When the flush of a write returned; None: it has not."""
        number = self.group(generation)
        return self._times[number] if number < len(self._times) else None

    def pace(self) -> float | None:
        """Mean seconds from flush to flush; None: fewer than two groups."""
        count = len(self._times) - 1
        return (self._times[-1] - self._times[0]) / count if count > 1 else None

    def writes(self) -> Sequence[int]:
        """The block of each write after the filling, by generation. The first generation is ``base + 1``."""
        return self._places
