"""The contract of all engines."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidctl.bench import blocks
from raidctl.bench.work import Engine, Op, Outcome, Stream, Work
from raidctl.errors import BenchError
from tests.bench.engine_bench import BLOCK, RUN, Handle, ends, engines, on_disk, stream, timed
from tests.support.waiting import until

BLOCKS = 64
SHAPES = [(1, 1), (7, 1), (32, 32)]


@pytest.fixture(params=engines(), ids=lambda engine: str(engine.name))
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    made: Engine = request.param
    return made


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Handle]:
    """A file of 64 blocks."""
    made = on_disk(tmp_path / "file", BLOCKS)
    yield made
    os.close(made.handle)


def shuffled(rounds: int = 1) -> list[int]:
    """All blocks in random order, this number of times."""
    return [number for _ in range(rounds) for number in random.sample(range(BLOCKS), BLOCKS)]


def descriptors() -> set[str]:
    """The open descriptors of this process."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def write(engine: Engine, target: Handle, *, generation: int = 1, op: Op = Op.WRITE) -> Outcome:
    """Write every block once."""
    return engine.run(target, Work(streams=[stream(op, shuffled())], run_id=RUN, generation=generation))


def test_it_can_be_used_on_a_file(engine: Engine, target: Handle) -> None:
    """An ordinary file is usable."""
    assert engine.usable(target) is None


@pytest.mark.parametrize(("depth", "batch"), SHAPES)
def test_every_operation_is_run_once(engine: Engine, target: Handle, depth: int, batch: int) -> None:
    """Each operation is run exactly once at every depth and batch. Samples have the order of their ends."""
    wanted = shuffled(5)
    (done,) = engine.run(target, Work(streams=[stream(Op.READ, wanted, depth=depth, batch=batch)])).samples
    assert Counter(done.offsets) == Counter(number * BLOCK for number in wanted)
    assert set(done.results) == {BLOCK}
    assert done.ops == bytes(len(wanted))
    assert ends(done) == sorted(ends(done))


def test_operations_one_at_a_time_keep_their_order(engine: Engine, target: Handle) -> None:
    """At depth 1, each operation begins after the previous one ends."""
    wanted = shuffled(2)
    (done,) = engine.run(target, Work(streams=[stream(Op.READ, wanted)])).samples
    assert list(done.offsets) == [number * BLOCK for number in wanted]
    assert all(start >= end for start, end in zip(done.starts[1:], ends(done), strict=False))


def test_no_sample_ends_after_the_run(engine: Engine, target: Handle) -> None:
    """The wall time covers every operation, and the CPU time is positive."""
    outcome = engine.run(target, Work(streams=[stream(Op.READ, shuffled(50), depth=4)]))
    assert max(ends(outcome.samples[0])) <= outcome.wall_seconds * 1e9 + 1
    assert outcome.cpu_seconds > 0


@pytest.mark.parametrize("depth", [1, 4])
def test_failures_beyond_the_kept_samples_are_samples(engine: Engine, depth: int) -> None:
    """Operations that succeed are only counted there; one that fails has its place and error."""
    handle = os.open("/dev/full", os.O_RDWR)
    try:
        wanted = [Op.READ] * 40 + [Op.WRITE, Op.READ] * 10
        work = Work(streams=[stream(wanted, list(range(60)), depth=depth)], keep=20)
        (done,) = engine.run(Handle(handle, 1 << 30), work).samples
    finally:
        os.close(handle)
    failed = [at for at, result in enumerate(done.results) if result < 0]
    assert [done.results[at] for at in failed] == [-errno.ENOSPC] * 10
    assert sorted(done.offsets[at] for at in failed) == [number * BLOCK for number in range(40, 60, 2)]
    assert {done.ops[at] for at in failed} == {Op.WRITE}
    assert done.count == 60


def test_streams_run_side_by_side(engine: Engine, target: Handle) -> None:
    """Two endless streams run at the same time, with separate samples."""
    work = Work(streams=[stream(Op.READ, [1], cycle=True), stream(Op.READ, [2], cycle=True, depth=2)], seconds=0.3)
    first, second = timed(engine, target, work)[1].samples
    assert set(first.offsets) == {BLOCK}
    assert set(second.offsets) == {2 * BLOCK}


def test_a_cycle_is_repeated_until_the_time_is_over(engine: Engine, target: Handle) -> None:
    """A stream of one operation is repeated. Only one for which the clock was already read may begin after the end."""
    began = time.monotonic()
    seconds, outcome = timed(engine, target, Work(streams=[stream(Op.READ, [3], cycle=True)], seconds=0.2), least=2)
    assert time.monotonic() - began >= seconds
    (done,) = outcome.samples
    assert len(done.results) > 1
    # if the worker had its first turn only after the end, its time began then
    late = done.starts[0] if done.starts[0] > seconds * 1e9 else 0
    assert sum(start > late + seconds * 1e9 for start in done.starts) <= 1


def test_the_time_limit_ends_a_list(engine: Engine, target: Handle) -> None:
    """A list that is too long for its time is not completed."""
    work = Work(streams=[stream(Op.READ, [5] * 1_000_000)], seconds=0.1)
    assert 0 < len(timed(engine, target, work)[1].samples[0].results) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("op", [Op.WRITE, Op.WRITE_DURABLE])
@pytest.mark.parametrize(("depth", "batch"), SHAPES)
def test_a_written_block_has_the_documented_layout(
    engine: Engine, target: Handle, op: Op, depth: int, batch: int
) -> None:
    """Every written sector has the header and body of the layout."""
    engine.run(target, Work(streams=[stream(op, shuffled(), depth=depth, batch=batch)], run_id=RUN, generation=7))
    checker = blocks.Checker(BLOCK, RUN, 7)
    held = Path(f"/proc/self/fd/{target.handle}").read_bytes()
    for place in range(0, BLOCKS * BLOCK, BLOCK):
        assert checker.check(held[place : place + BLOCK], place) is blocks.State.OK


def test_each_pass_of_a_cycle_writes_the_next_generation(engine: Engine, target: Handle) -> None:
    """A rewritten block differs from its predecessor."""
    work = Work(streams=[stream(Op.WRITE, [4], cycle=True)], run_id=RUN, generation=10, seconds=0.1)
    (done,) = timed(engine, target, work)[1].samples
    data = Path(f"/proc/self/fd/{target.handle}").read_bytes()[4 * BLOCK :][:BLOCK]
    assert blocks.HEADER.unpack_from(data)[3] == 10 + len(done.results) - 1


@pytest.mark.parametrize(("depth", "batch"), SHAPES)
def test_written_blocks_verify(engine: Engine, target: Handle, depth: int, batch: int) -> None:
    """Verification of intact blocks finds no mismatch."""
    write(engine, target)
    work = Work(streams=[stream(Op.READ, shuffled(), depth=depth, batch=batch)], run_id=RUN, verify=True)
    assert list(engine.run(target, work).samples[0].mismatches) == []


@pytest.mark.parametrize("depth", [1, 8])
def test_one_changed_bit_is_found(engine: Engine, target: Handle, depth: int) -> None:
    """Exactly the blocks with a flipped bit are mismatches."""
    write(engine, target)
    places = (0, 16, 43, 44, 511, 512 + 40, BLOCK - 1)
    buffered = os.open(f"/proc/self/fd/{target.handle}", os.O_RDWR)
    for number, place in enumerate(places):
        (byte,) = os.pread(buffered, 1, 9 * number * BLOCK + place)
        os.pwrite(buffered, bytes([byte ^ 1]), 9 * number * BLOCK + place)
    os.fsync(buffered)
    os.close(buffered)
    work = Work(streams=[stream(Op.READ, shuffled(), depth=depth)], run_id=RUN, verify=True)
    found = engine.run(target, work).samples[0].mismatches
    assert sorted(found) == [9 * number * BLOCK for number in range(len(places))]


def test_an_older_generation_is_a_mismatch(engine: Engine, target: Handle) -> None:
    """A lost write leaves the previous generation, which is a mismatch."""
    write(engine, target, generation=1)
    work = Work(streams=[stream(Op.READ, range(BLOCKS))], run_id=RUN, generation=2, verify=True)
    assert len(engine.run(target, work).samples[0].mismatches) == BLOCKS


def test_a_foreign_run_is_a_mismatch(engine: Engine, target: Handle) -> None:
    """Blocks of another run are mismatches."""
    write(engine, target)
    work = Work(streams=[stream(Op.READ, range(BLOCKS))], run_id=RUN + 1, verify=True)
    assert len(engine.run(target, work).samples[0].mismatches) == BLOCKS


@pytest.mark.parametrize("depth", [2, 5, 32])
def test_a_flush_is_a_barrier(engine: Engine, target: Handle, depth: int) -> None:
    """A flush begins after the end of all before it. All after it begin after its end."""
    ops = ([Op.WRITE] * 6 + [Op.FLUSH]) * 8
    offsets = [0 if op == Op.FLUSH else number % BLOCKS for number, op in enumerate(ops)]
    (done,) = engine.run(target, Work(streams=[stream(ops, offsets, depth=depth)], run_id=RUN)).samples
    ended = ends(done)
    assert done.ops.count(Op.FLUSH) == 8
    assert not any(result < 0 for result in done.results)
    for at, op in enumerate(done.ops):
        if op == Op.FLUSH:
            assert at % 7 == 6
            assert max(ended[:at]) <= done.starts[at]
            assert min(done.starts[at + 1 :], default=ended[at]) >= ended[at]


@pytest.mark.parametrize("depth", [1, 8])
def test_an_open_loop_counts_from_the_intended_start(engine: Engine, target: Handle, depth: int) -> None:
    """No operation ends before its intended start. A late start counts as latency."""
    intended = [number * 200_000 for number in range(100)]
    wanted = stream(Op.READ, [number % BLOCKS for number in range(100)], depth=depth, intended=intended)
    outcome = engine.run(target, Work(streams=[wanted]))
    (done,) = outcome.samples
    assert sorted(done.starts) == intended
    assert outcome.wall_seconds >= intended[-1] / 1e9


def test_a_late_start_counts_as_latency(engine: Engine, target: Handle) -> None:
    """Each latency includes the wait for the previous operations. All of them are due at once."""
    (done,) = engine.run(target, Work(streams=[stream(Op.READ, range(BLOCKS), intended=[0] * BLOCKS)])).samples
    assert list(done.latencies) == sorted(done.latencies)


def test_a_short_read_is_a_sample(engine: Engine, tmp_path: Path) -> None:
    """A short read returns its number of bytes and is not compared."""
    path = tmp_path / "short"
    path.write_bytes(bytes(BLOCK + 100))
    with path.open("rb") as file:
        target = Handle(file.fileno(), 3 * BLOCK)
        (done,) = engine.run(target, Work(streams=[stream(Op.READ, [0, 1, 2])])).samples
    assert list(done.results) == [BLOCK, 100, 0]


@pytest.mark.parametrize("depth", [1, 8])
def test_a_failure_is_a_sample(engine: Engine, depth: int) -> None:
    """An I/O error is a sample with its number. Later operations are run."""
    with Path("/proc/self/mem").open("rb", buffering=0) as memory:  # address 0 is mapped nowhere: EIO
        mapped = id(engine) // BLOCK  # there is memory at the address of this object
        target = Handle(memory.fileno(), 1 << 62, writable=False)
        (done,) = engine.run(target, Work(streams=[stream(Op.READ, [mapped, 0, mapped], depth=depth)])).samples
    assert sorted(zip(done.offsets, done.results, strict=True)) == [
        (0, -errno.EIO),
        (mapped * BLOCK, BLOCK),
        (mapped * BLOCK, BLOCK),
    ]


@pytest.mark.parametrize("op", [Op.WRITE, Op.WRITE_DURABLE])
def test_a_full_device_is_a_sample(engine: Engine, op: Op) -> None:
    """Without space, writes fail and reads do not."""
    handle = os.open("/dev/full", os.O_RDWR)
    (done,) = engine.run(Handle(handle, 1 << 30), Work(streams=[stream([op, Op.READ, op], [0, 1, 2])])).samples
    os.close(handle)
    assert list(done.results) == [-errno.ENOSPC, BLOCK, -errno.ENOSPC]


def test_failures_only_are_an_error(engine: Engine) -> None:
    """If no operation succeeds, the reason is raised. There is no empty figure."""
    handle = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(BenchError, match="No space left on device"):
        engine.run(Handle(handle, 1 << 30), Work(streams=[stream(Op.WRITE, [0, 1], depth=2)]))
    os.close(handle)


def test_nothing_outside_of_the_target_is_written(engine: Engine, target: Handle) -> None:
    """An operation beyond the end is refused before the first is run."""
    with pytest.raises(BenchError):
        engine.run(target, Work(streams=[stream(Op.WRITE, [0, BLOCKS])], run_id=RUN))
    assert not any(Path(f"/proc/self/fd/{target.handle}").read_bytes())


def test_a_target_may_begin_inside_of_its_device(engine: Engine, tmp_path: Path) -> None:
    """Offsets and headers count from the beginning of the range."""
    target = on_disk(tmp_path / "device", 4, base=2 * BLOCK)
    engine.run(target, Work(streams=[stream(Op.WRITE, [0, 3])], run_id=RUN))
    held = (tmp_path / "device").read_bytes()
    assert not any(held[: 2 * BLOCK])
    assert blocks.Checker(BLOCK, RUN, 1).check(held[2 * BLOCK : 3 * BLOCK], 0) is blocks.State.OK
    assert blocks.Checker(BLOCK, RUN, 1).check(held[5 * BLOCK :], 3 * BLOCK) is blocks.State.OK
    os.close(target.handle)


def test_odd_sizes_are_written_and_verified(engine: Engine, tmp_path: Path) -> None:
    """The bytes after the last whole sector have no header."""
    (tmp_path / "odd").write_bytes(bytes(8192))
    handle = os.open(tmp_path / "odd", os.O_RDWR)
    target, offsets = Handle(handle, 8192), stream(Op.WRITE, [0, 1]).offsets
    engine.run(target, Work(streams=[Stream(ops=bytes([1, 1]), offsets=offsets, size=1300)], run_id=RUN))
    assert os.pread(handle, 1300, BLOCK)[1024:] == blocks.block(RUN, BLOCK, 1300, 1, 0)[1024:]
    work = Work(streams=[Stream(ops=bytes([0, 0]), offsets=offsets, size=1300)], run_id=RUN, verify=True)
    assert list(engine.run(target, work).samples[0].mismatches) == []
    os.close(handle)


def test_signals_disturb_no_operation(engine: Engine, target: Handle) -> None:
    """A timer that fires a thousand times per second fails no operation."""
    fired = []
    before = signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        work = Work(streams=[stream(Op.READ, shuffled(), cycle=True, depth=4)], seconds=0.3)
        (done,) = timed(engine, target, work)[1].samples
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert fired
    assert set(done.results) == {BLOCK}


def interrupted_soon(engine: Engine, target: Handle, work: Work) -> None:
    """Run a work that would take an hour, with a Ctrl-C after a tenth of a second."""

    def run() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        engine.run(target, work)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("depth", [1, 32])
def test_an_interruption_ends_it(engine: Engine, target: Handle, depth: int) -> None:
    """Ctrl-C ends a run of an hour, and leaves no descriptor open."""
    held = descriptors()
    interrupted_soon(engine, target, Work(streams=[stream(Op.READ, shuffled(), depth=depth, cycle=True)], seconds=3600))
    until(lambda: descriptors() == held)  # operations that were under way may end later


@pytest.mark.usefixtures("uncollected")
def test_an_interruption_ends_a_wait(engine: Engine, target: Handle) -> None:
    """Ctrl-C does not wait for an operation due in an hour."""
    interrupted_soon(engine, target, Work(streams=[stream(Op.READ, [0, 1], intended=[0, 3600 * 10**9])]))
