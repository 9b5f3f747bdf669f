"""Description of the blocks that are read back, by generation. A run only uses the file that it created."""

from __future__ import annotations

import errno
import mmap
from pathlib import Path

import pytest

from raidctl.bench.blocks import SECTOR, block
from raidctl.bench.powercut.judgment import Odd
from raidctl.bench.powercut.medium import RunFile, content, described
from raidctl.bench.powercut.report import Plan
from raidctl.errors import BenchError

RUN, PLACE, SIZE = 0xA1, 3 * 4096, 4096
PLAN = Plan(blocks=8)


def made(generation: int, place: int = PLACE, run: int = RUN) -> bytes:
    """A block as it is written."""
    return block(run, place, SIZE, generation, 99)


def mixed(first: bytes, second: bytes, sectors: int) -> bytes:
    """The beginning of one block, and the rest of another."""
    return first[: sectors * SECTOR] + second[sectors * SECTOR :]


@pytest.mark.parametrize("sectors", range(1, 8))
def test_a_block_of_two_writes_has_both_generations(sectors: int) -> None:
    """Both generations are found. This also holds if the first sectors are missing or damaged."""
    assert described(mixed(made(7), made(5), sectors), PLACE, RUN) == [5, 7]
    assert described(mixed(made(5), made(7), sectors), PLACE, RUN) == [5, 7]
    assert described(mixed(bytes(SIZE), made(7), sectors), PLACE, RUN) == [Odd.ZERO, 7]
    flipped = bytearray(made(7))
    flipped[sectors * SECTOR + 100] ^= 1
    assert described(bytes(flipped), PLACE, RUN) == [Odd.DAMAGED, 7]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (made(7), 7),
        (bytes(SIZE), Odd.ZERO),
        (b"\xa5" * SIZE, Odd.FOREIGN),
        (made(7, run=0xA2), Odd.FOREIGN),
        (made(7, place=2 * SIZE), Odd.MISDIRECTED),
    ],
)
def test_an_intact_block_has_one_description(data: bytes, found: int) -> None:
    """A block is the write, zeros, foreign or misdirected."""
    assert described(data, PLACE, RUN) == [found]


class Failing:
    """A target that cannot be read."""

    def __init__(self, number: int) -> None:
        self.number = number

    def write(self, data: mmap.mmap, at: int) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Do nothing."""

    def read(self, at: int, size: int) -> bytes:
        """Fail."""
        raise OSError(self.number, f"no {size} bytes at {at}")


def test_a_block_that_cannot_be_read_is_not_a_lost_one() -> None:
    """An unreadable sector is reported as such. A missing target ends the check."""
    assert content(Failing(errno.EIO), PLAN, RUN, 3) == [Odd.UNREADABLE]
    with pytest.raises(OSError, match="no 4096 bytes"):
        content(Failing(errno.ENODEV), PLAN, RUN, 3)


def test_a_run_never_uses_a_file_that_it_did_not_create(tmp_path: Path) -> None:
    """An existing file, a symlink and another size are refused."""
    place = tmp_path / "raidctl-powercut-00a1.dat"
    place.write_bytes(b"mine")
    with pytest.raises(BenchError, match="File exists"), RunFile(str(tmp_path), "00a1", 1 << 20, new=True):
        pass
    with pytest.raises(BenchError, match="is not the file"), RunFile(str(tmp_path), "00a1", 1 << 20, new=False):
        pass
    assert place.read_bytes() == b"mine"
    place.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_bytes(bytes(1 << 20))
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BenchError, match="is not the file"), RunFile(str(tmp_path), "00a1", 1 << 20, new=False):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", place.name]
