"""The engine that runs the real fio. Work is translated or refused, and output is parsed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidctl.bench.engines import fio
from raidctl.bench.engines.fio import Fio, commit_samples, document, log_samples, sequential, untranslatable
from raidctl.bench.work import Op, Stream, Work
from raidctl.errors import BenchError
from tests.bench.engine_bench import BLOCK, Handle, ends, on_disk, stream

pytestmark = pytest.mark.slow  # needs Debian's fio
BLOCKS = 64
RANDOM = [int(number) for number in random.Random(5).choices(range(BLOCKS), k=200)]  # noqa: S311 - places, not secrets


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Handle]:
    """A file of 64 blocks."""
    made = on_disk(tmp_path / "a:file", BLOCKS)
    yield made
    os.close(made.handle)


@pytest.mark.parametrize(("depth", "batch"), [(1, 1), (16, 1), (16, 8)])
def test_random_reads_are_translated(target: Handle, depth: int, batch: int) -> None:
    """All requested operations are within the range. A note mentions that fio chose the offsets."""
    outcome = Fio().run(target, Work(streams=[stream(Op.READ, RANDOM, depth=depth, batch=batch)]))
    (done,) = outcome.samples
    assert list(done.results) == [BLOCK] * len(RANDOM)
    assert {offset % BLOCK for offset in done.offsets} == {0}
    assert max(done.offsets) < target.size
    assert min(done.latencies) > 0
    assert outcome.engine.startswith("fio-")
    assert fio.OWN_PLACES in outcome.notes


def test_sequential_reads_keep_their_places(target: Handle) -> None:
    """Sequential reads have the requested offsets."""
    outcome = Fio().run(target, Work(streams=[stream(Op.READ, range(8, 40))]))
    assert list(outcome.samples[0].offsets) == [number * BLOCK for number in range(8, 40)]
    assert fio.OWN_PLACES not in outcome.notes


def test_the_same_block_is_written_again_and_again(target: Handle) -> None:
    """Durable writes go to one block only."""
    outcome = Fio().run(target, Work(streams=[stream(Op.WRITE_DURABLE, [3] * 20)]))
    assert set(outcome.samples[0].offsets) == {3 * BLOCK}
    assert outcome.samples[0].ops == bytes([Op.WRITE_DURABLE] * 20)
    held = Path(f"/proc/self/fd/{target.handle}").read_bytes()
    assert any(held[3 * BLOCK : 4 * BLOCK])
    assert not any(held[: 3 * BLOCK] + held[4 * BLOCK :])


def test_commits_are_counted(target: Handle) -> None:
    """Repeated writes and flushes of a block are equal in number."""
    commits = stream([Op.WRITE, Op.FLUSH], [3, 3], cycle=True)
    outcome = Fio().run(target, Work(streams=[commits], seconds=0.3))
    (one,) = outcome.samples
    writes, flushes = sum(one.beyond[Op.WRITE]), sum(one.beyond[Op.FLUSH])
    assert writes > 0
    assert 0 <= writes - flushes <= 1
    assert not one.ops
    held = Path(f"/proc/self/fd/{target.handle}").read_bytes()
    assert any(held[3 * BLOCK : 4 * BLOCK])
    assert not any(held[: 3 * BLOCK] + held[4 * BLOCK :])


def test_a_fio_that_counts_no_flushes_measures_no_commits() -> None:
    """A fio without latencies of flushes cannot measure commits."""
    commits = stream([Op.WRITE, Op.FLUSH], [3, 3], cycle=True)
    with pytest.raises(BenchError, match="how long flushes take"):
        commit_samples(commits, "12, 81340, 1, 4096, 0\n", {"sync": {"lat_ns": {"N": 5}}})


def test_a_cycle_ends_with_its_time(target: Handle) -> None:
    """A repeated stream ends at its time limit."""
    streams = [stream(Op.READ, RANDOM, cycle=True), stream(Op.READ, range(BLOCKS), depth=2, cycle=True)]
    outcome = Fio().run(target, Work(streams=streams, seconds=0.3))
    assert len(outcome.samples) == 2
    assert all(max(ends(one)) <= (outcome.wall_seconds + 0.01) * 1e9 for one in outcome.samples)


def test_the_range_of_a_device_is_kept(tmp_path: Path) -> None:
    """Nothing in front of a target inside a device is written."""
    target = on_disk(tmp_path / "device", 8, base=8 * BLOCK)
    Fio().run(target, Work(streams=[stream(Op.WRITE, range(8))]))
    held = (tmp_path / "device").read_bytes()
    os.close(target.handle)
    assert not any(held[: 8 * BLOCK])
    assert all(any(held[at : at + BLOCK]) for at in range(8 * BLOCK, 16 * BLOCK, BLOCK))


def test_a_failure_is_an_error() -> None:
    """The message has fio's reason."""
    handle = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(BenchError, match="fio"):
        Fio().run(Handle(handle, 1 << 20), Work(streams=[stream(Op.WRITE, range(4))]))
    os.close(handle)


def test_a_flush_between_two_phases_is_made(target: Handle) -> None:
    """A flush that only empties caches is run without fio."""
    outcome = Fio().run(target, Work(streams=[stream(Op.FLUSH, [0, 0])]))
    (done,) = outcome.samples
    assert (list(done.ops), list(done.results)) == ([Op.FLUSH, Op.FLUSH], [0, 0])
    assert min(done.latencies) > 0
    assert outcome.engine.startswith("fio-")


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (Work(streams=[stream([Op.WRITE, Op.FLUSH], [0, 0])]), "flush"),
        (Work(streams=[stream(Op.FLUSH, [0], intended=[0])]), "start"),
        (Work(streams=[stream([Op.WRITE, Op.READ], [0, 1])]), "mixed"),
        (Work(streams=[stream(Op.READ, [0, 1], intended=[0, 5])]), "start"),
        (Work(streams=[stream(Op.READ, [0, 1])], verify=True), "verify"),
        (Work(streams=[stream(Op.READ, [0, 2, 1, 5, 9][::-1], cycle=True), stream(Op.READ, [0, 1])]), "repeat"),
        (Work(streams=[stream(Op.READ, [0, 8, 16, 24])]), "places"),
        (Work(streams=[stream(Op.READ, [24, 0, 16, 8])]), "places"),
        (Work(streams=[stream(Op.READ, [9, 7, 4, 3, 1])]), "places"),
    ],
)
def test_untranslatable_work_is_refused(target: Handle, work: Work, reason: str) -> None:
    """Work that fio cannot run is refused with the reason. Nothing is run."""
    assert reason in (untranslatable(work) or "")
    with pytest.raises(BenchError, match=reason):
        Fio().run(target, work)


def test_operations_outside_of_the_target_are_refused(target: Handle) -> None:
    """An operation beyond the end is refused before fio is started."""
    with pytest.raises(BenchError):
        Fio().run(target, Work(streams=[stream(Op.WRITE, [BLOCKS])]))


def test_sentences_before_the_json_are_dropped() -> None:
    """Notes before the JSON document are ignored."""
    assert document('note: both iodepth >= 1 and\n{"jobs": []}\nmore') == {"jobs": []}
    assert document("fio: engine not found\n") == {}
    assert document("") == {}


def test_a_log_is_read_with_and_without_priorities() -> None:
    """Lines with five and with six fields are parsed. A cut line is ignored."""
    one = Stream(ops=b"\0", offsets=stream(Op.READ, [0]).offsets, size=BLOCK)
    samples = log_samples(one, "12, 81340, 0, 4096, 405504\n13, 99, 0, 4096, 0, 0\n14, 5")
    assert list(samples.latencies) == [81340, 99]
    assert list(samples.offsets) == [405504, 0]
    assert list(samples.starts) == [12_000_000 - 81340, 13_000_000 - 99]


def test_a_single_operation_is_sequential() -> None:
    """A single operation counts as sequential."""
    assert sequential(stream(Op.READ, [7]))
