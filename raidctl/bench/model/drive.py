"""One drive: rotating platters, an arm, zones; or flash. In seconds and bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

READ_AHEAD = 2 << 20
"""Bytes that a drive reads ahead."""
ELECTRONICS = 50e-6
"""Seconds of any answer."""


@dataclass(frozen=True, kw_only=True)
class Mechanics:
    """The rated mechanical properties of a drive."""

    size: int
    rpm: float = 7200.0
    """0: solid state."""
    outer: float = 150e6
    """Bytes per second on the outermost track (for flash: everywhere)."""
    zones: float = 2.0
    """Ratio of outermost to innermost track speed, 1 or more."""
    seek_least: float = 1.0e-3
    """Seconds to the next track."""
    seek_span: float = 14.1e-3
    """Additional seconds for a full-stroke seek. They grow with the square root of the distance. The mean seek is then
    8.5 ms."""
    flash: float = 100e-6
    """Seconds of any operation on solid state."""

    @property
    def turn(self) -> float:
        """Seconds per revolution; 0 for solid state."""
        return 60.0 / self.rpm if self.rpm else 0.0


class Drive:
    """A drive that carries out operations one by one, in order."""

    def __init__(self, mechanics: Mechanics, seed: int = 0) -> None:
        """``seed``: the position of the platters at time 0."""
        self.mechanics = mechanics
        self.free_at = 0.0
        self._phase = Random(seed).random()  # noqa: S311 - a place to begin, not a secret
        self._head = 0
        self._next_read = -1
        self._stream = 0.0

    def read(self, now: float, offset: int, size: int) -> float:
        """When it has been read. A sequential read comes from the drive's read-ahead."""
        if offset == self._next_read and self.mechanics.rpm:
            ahead = self._transfer(offset, READ_AHEAD)
            self._stream = max(self._stream, now - ahead) + self._transfer(offset, size)
            end = max(now + ELECTRONICS, self._stream)
            self._head, self.free_at = offset + size, max(self.free_at, end)
        else:
            end = self._stream = self._access(now, offset, size)
        self._next_read = offset + size
        return end

    def write(self, now: float, offset: int, size: int) -> float:
        """When it is on the platter."""
        self._next_read = -1
        return self._access(now, offset, size)

    def rewrite(self, now: float, offset: int, size: int, *, queued: bool) -> float:
        """When data just read are rewritten, from ``now`` on. The drive may do other work until then.

        An idle drive stays on the track until the block passes again; with a queue it seeks elsewhere and back, like
        any other access.
        """
        moved = queued or not self.mechanics.rpm
        begin = max(now, self.free_at) + (
            self.typical() - self.mechanics.turn / 2 if queued and self.mechanics.rpm else 0
        )
        end = self.next_pass(begin, offset, size)
        self.free_at = min(end, self.free_at + (self.typical() if moved else self.mechanics.turn))
        self._next_read = -1
        return end

    def next_pass(self, now: float, offset: int, size: int) -> float:
        """When it would be on the platter with the arm in place. For solid state, this is after one operation."""
        if not self.mechanics.rpm:
            return now + self.mechanics.flash
        turned = now / self.mechanics.turn + self._phase
        wait = (self._turns(offset) - turned) % 1.0
        return now + wait * self.mechanics.turn + self._transfer(offset, size)

    def typical(self) -> float:
        """Seconds of a random access on average."""
        if not self.mechanics.rpm:
            return self.mechanics.flash
        return self.mechanics.seek_least + self.mechanics.seek_span * 8 / 15 + self.mechanics.turn / 2

    def _access(self, now: float, offset: int, size: int) -> float:
        begin = max(now, self.free_at) + self._seek(offset)
        end = self.next_pass(begin, offset, size)
        if not self.mechanics.rpm:
            end += size / self.mechanics.outer
        self._head, self.free_at = offset + size, end
        return end

    def _seek(self, offset: int) -> float:
        tracks = abs(self._turns(offset) - self._turns(self._head))
        if tracks <= 1.0 or not self.mechanics.rpm:
            return 0.0
        share = tracks / max(self._turns(self.mechanics.size), 1.0)
        return self.mechanics.seek_least + self.mechanics.seek_span * math.sqrt(min(share, 1.0))

    def _turns(self, offset: int) -> float:
        """Number of tracks before an offset. Their length falls linearly from outside to inside."""
        if not self.mechanics.rpm:
            return 0.0
        outer = self.mechanics.outer * self.mechanics.turn
        fall = 1 - 1 / self.mechanics.zones
        share = min(offset / self.mechanics.size, 1.0)
        if fall <= 0:
            return offset / outer
        return -self.mechanics.size / (outer * fall) * math.log1p(-fall * share)

    def _transfer(self, offset: int, size: int) -> float:
        return (self._turns(offset + size) - self._turns(offset)) * self.mechanics.turn
