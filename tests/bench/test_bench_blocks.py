"""Written blocks identify themselves, and every fault of one is recognised."""

from __future__ import annotations

import zlib
from collections import Counter

import pytest

from raidctl.bench.blocks import (
    HEADER,
    HEADER_BYTES,
    POOL_SIZE,
    SECTOR,
    Checker,
    Filler,
    State,
    block,
    classify,
    describe,
    header,
    pool,
    shift_of,
)
from tests.support.over import over

RUN = 0xFEDCBA9876543210
SIZE = 4096
PLACES = [0, SIZE, 512, 7 * 512, (1 << 40) + SIZE, (1 << 63) + 3 * 512, 100]


def made(start: int = SIZE, size: int = SIZE, generation: int = 5, time_ns: int = 99, run: int = RUN) -> bytes:
    """A block as it is written."""
    return block(run, start, size, generation, time_ns)


def put(data: bytes, at: int, piece: bytes) -> bytes:
    """A copy with some bytes replaced."""
    return data[:at] + piece + data[at + len(piece) :]


@over("start", PLACES)
@over("size", [512, SIZE, 3 * 512, 1 << 20, 3 << 20])
def test_every_sector_has_the_documented_layout(start: int, size: int) -> None:
    """Header and body of a sector are as the layout's docstring defines.

    Of large blocks, every seventh sector and the last one are checked.
    """
    data, around = made(start, size), pool() * 2
    shift = shift_of(RUN, 5)
    for at in {*range(0, size, SECTOR if size < 1 << 20 else 7 * SECTOR), size - SECTOR}:
        window = around[(shift + start + at) % POOL_SIZE :][:SECTOR]
        assert data[at : at + SECTOR] == header(RUN, start + at, 5, 99) + window[HEADER_BYTES:]


def test_known_values_hold() -> None:
    """Fixed values for other implementations."""
    assert shift_of(1, 1) == 957369
    assert header(1, 0, 1, 0)[-4:] == (0xCB6462BE).to_bytes(4, "little")
    assert len(pool()) == POOL_SIZE


@over("start", PLACES)
@over("size", [512, SIZE, 1300, 100_000])
def test_a_written_block_is_ok(start: int, size: int) -> None:
    """A block at its offset is OK for both checkers."""
    data = made(start, size)
    assert Checker(size, RUN, 5).check(data, start) is State.OK
    assert classify(data, start, RUN, 5) is State.OK


@pytest.mark.parametrize("size", [512, SIZE])
def test_every_flipped_bit_is_found(size: int) -> None:
    """Any flipped bit of header or body is reported as flipped."""
    data = made(size=size)
    for bit in range(0, size * 8, 1 if size == 512 else 37):
        changed = put(data, bit // 8, bytes([data[bit // 8] ^ (1 << bit % 8)]))
        assert Checker(size, RUN).check(changed, SIZE) is State.FLIPPED


FAULTS = {
    "nothing written": (bytes(SIZE), State.ZERO),
    "an older one": (made(generation=4), State.STALE),
    "another run's": (made(run=RUN + 1), State.FOREIGN),
    "nobody's": (bytes(range(256)) * (SIZE // 256), State.FOREIGN),
    "another place's": (made(start=2 * SIZE), State.MISDIRECTED),
    "half older": (made()[:1024] + made(generation=4)[1024:], State.TORN),
    "half later": (made()[:512] + made(time_ns=98)[512:], State.TORN),
    "half nothing": (made()[:1024] + bytes(SIZE - 1024), State.TORN),
    "half another run's": (made()[:1024] + made(run=7)[1024:], State.TORN),
    "half another place's": (made()[:1024] + made(start=2 * SIZE)[1024:], State.MISDIRECTED),
}


@pytest.mark.parametrize(("data", "state"), FAULTS.values(), ids=FAULTS)
def test_each_fault_has_its_class(data: bytes, state: State) -> None:
    """Lost, foreign, misdirected and torn blocks are distinguished. No record of the writes is needed."""
    assert Checker(SIZE, RUN, 5).check(data, SIZE) is state


def test_exchanged_sectors_are_misdirected() -> None:
    """Two exchanged sectors of a block are found by their offsets."""
    data = made()
    swapped = data[512:1024] + data[:512] + data[1024:]
    assert Checker(SIZE, RUN).check(swapped, SIZE) is State.MISDIRECTED


def test_a_sector_with_another_body_is_flipped() -> None:
    """A sector with different generations in body and header is damaged."""
    data = made()
    assert Checker(SIZE, RUN).check(put(data, 300, made(generation=6)[300:512]), SIZE) is State.FLIPPED


def test_a_changed_tail_is_found() -> None:
    """The bytes after the last whole sector are checked too."""
    data = made(size=1300)
    assert Checker(1300, RUN).check(put(data, 1299, bytes([data[1299] ^ 1])), SIZE) is State.FLIPPED


def test_a_later_generation_is_no_fault() -> None:
    """A newer generation than expected is OK."""
    assert Checker(SIZE, RUN, 5).check(made(generation=6), SIZE) is State.OK


def test_blocks_do_not_compress_and_do_not_repeat() -> None:
    """Blocks of different offsets, generations and runs share no sector body.

    They do not compress.
    """
    blocks = [
        made(start=at * SIZE, generation=generation, run=run)
        for at in range(8)
        for generation in (1, 2)
        for run in (1, 2)
    ]
    data = b"".join(blocks)
    assert len(zlib.compress(b"".join(blocks[::4]), 9)) > 0.9 * len(data) / 4
    bodies = [data[at + HEADER_BYTES : at + SECTOR] for at in range(0, len(data), SECTOR)]
    assert len(set(bodies)) == len(bodies)


def test_a_filler_can_be_reused_and_released() -> None:
    """A buffer takes any offsets and generations, and is free afterwards."""
    buffer = bytearray(SIZE)
    filler = Filler(buffer, RUN)
    for start, generation in ((0, 1), (SIZE, 2), (0, 1), (512, 1)):
        filler.fill(start, generation, 3)
        assert bytes(buffer) == block(RUN, start, SIZE, generation, 3)
    filler.release()
    buffer.clear()


def test_the_header_has_its_documented_length() -> None:
    """Five numbers and a checksum are 44 bytes."""
    assert HEADER.size + 4 == HEADER_BYTES == 44


def test_counts_are_printed_as_a_sentence() -> None:
    """The most frequent fault comes first."""
    assert describe(Counter({State.OK: 3})) == "All 3 blocks read back as they were written."
    assert describe(Counter({State.OK: 3, State.TORN: 1, State.ZERO: 2})).startswith("2 blocks: zeros")
