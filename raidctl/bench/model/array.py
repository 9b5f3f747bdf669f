"""The model of drives under a RAID level, and their timing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from raidctl.bench.model.drive import Drive, Mechanics
from raidctl.model.raid_levels import MIN_DRIVES, PARITY_DRIVES

Level = Literal["single", "raid0", "raid1", "raid5", "raid6", "raid10"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True)
class Piece:
    """Part of an operation within one chunk."""

    row: int
    """Stripe."""
    column: int
    """Index of the data chunk in the stripe."""
    offset: int
    """Offset on the drive."""
    size: int


class Array:
    """Chunks placed across the drives; parity rotates by one drive per stripe.

    A small write under parity reads old data and parity and rewrites them one revolution later (read-modify-write, for
    any number of drives); a full stripe is written without reading.
    """

    def __init__(self, mechanics: Mechanics, level: Level = "single", drives: int = 1, chunk: int = 64 << 10) -> None:
        """Raise ValueError for an impossible array."""
        if (
            drives < MIN_DRIVES.get(level, 1)
            or (level == "single" and drives != 1)
            or (level == "raid10" and drives % 2)
        ):
            raise ValueError(f"{level} cannot be made of {drives} drives")
        if chunk < 4096 or chunk % 4096:
            raise ValueError("a chunk is a multiple of 4 KiB")
        self.level, self.chunk = level, chunk
        self.drives = [Drive(mechanics, seed) for seed in range(drives)]
        self.data_drives = {"raid1": 1, "raid10": drives // 2}.get(level, drives - PARITY_DRIVES.get(level, 0))
        self.size = mechanics.size // chunk * chunk * self.data_drives

    def read(self, now: float, offset: int, size: int) -> float:
        """When all of it has been read. If there are copies, the first free drive answers."""
        ends = [now]
        for piece in self._pieces(offset, size):
            drive = min((self.drives[number] for number in self._data(piece)), key=lambda each: each.free_at)
            ends.append(drive.read(now, piece.offset, piece.size))
        return max(ends)

    def write(self, now: float, offset: int, size: int) -> float:
        """When all of it, with copies or parity, is on the platters."""
        if self.level not in PARITY_DRIVES:
            places = ((number, piece) for piece in self._pieces(offset, size) for number in self._data(piece))
            return max([now, *(self.drives[number].write(now, piece.offset, piece.size) for number, piece in places)])
        rows: defaultdict[int, list[Piece]] = defaultdict(list)
        for piece in self._pieces(offset, size):
            rows[piece.row].append(piece)
        return max([now, *(self._parity_write(now, pieces) for pieces in rows.values())])

    def next_pass(self, now: float, offset: int, size: int) -> float:
        """The earliest time at which an otherwise idle block can be rewritten."""
        first = next(self._pieces(offset, max(size, 1)))
        return max(self.drives[number].next_pass(now, first.offset, first.size) for number in self._data(first))

    def typical(self) -> float:
        """Seconds of a random access on average."""
        return self.drives[0].typical()

    def _parity_write(self, now: float, pieces: Sequence[Piece]) -> float:
        row = pieces[0].row
        if sum(piece.size for piece in pieces) == self.chunk * self.data_drives:
            return max(drive.write(now, pieces[0].offset, pieces[0].size) for drive in self.drives)
        low = min(piece.offset for piece in pieces)
        high = max(piece.offset + piece.size for piece in pieces)
        parity = Piece(row, -1, low, high - low)
        places = [(self.drives[self._data(piece)[0]], piece) for piece in pieces]
        places += [(self.drives[number], parity) for number in self._parity(row)]
        queued = [drive.free_at > now for drive, _ in places]
        begin = max(drive.read(now, piece.offset, piece.size) for drive, piece in places)
        return max(
            drive.rewrite(begin, piece.offset, piece.size, queued=busy)
            for (drive, piece), busy in zip(places, queued, strict=True)
        )

    def _pieces(self, offset: int, size: int) -> Iterator[Piece]:
        end = offset + size
        while offset < end:
            number, inside = divmod(offset, self.chunk)
            row, column = divmod(number, self.data_drives)
            length = min(self.chunk - inside, end - offset)
            yield Piece(row, column, row * self.chunk + inside, length)
            offset += length

    def _parity(self, row: int) -> list[int]:
        count = len(self.drives)
        return [(count - 1 - row - further) % count for further in range(PARITY_DRIVES.get(self.level, 0))]

    def _data(self, piece: Piece) -> list[int]:
        """The drives that hold a piece: one, or all copies."""
        if self.level == "raid1":
            return list(range(len(self.drives)))
        if self.level == "raid10":
            return [2 * piece.column, 2 * piece.column + 1]
        parity = self._parity(piece.row)
        return [[number for number in range(len(self.drives)) if number not in parity][piece.column]]
