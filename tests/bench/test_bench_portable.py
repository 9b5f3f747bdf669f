"""The portable engine: its workers, their common start, and how they end."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidctl.bench.engines import process_group
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.engines.process_group import NEVER, Report, ending, now, pack, unpack
from raidctl.bench.engines.work_split import awaited, bin_of, slices
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.work import Op, Stream, Work
from raidctl.errors import BenchError
from tests.support.processes import alive, children, killed_on_error
from tests.support.waiting import until

BLOCK = 4096
BLOCKS = 64


@pytest.fixture
def target(tmp_path: Path) -> Iterator[FileTarget]:
    """A file of raidctl."""
    with FileTarget(str(tmp_path), BLOCKS * BLOCK) as made:
        yield made


def stream(op: Op, count: int, *, depth: int = 1, cycle: bool = False) -> Stream:
    """The first blocks, one after the other."""
    offsets = array("Q", [at % BLOCKS * BLOCK for at in range(count)])
    return Stream(ops=bytes([op] * count), offsets=offsets, size=BLOCK, depth=depth, cycle=cycle)


ENDLESS = """\
from array import array
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.work import Stream, Work
from raidctl.cli import _handle_signals
_handle_signals()
with FileTarget({place!r}, 1 << 20) as target:
    what = Stream(ops=bytes(4), offsets=array("Q", [0, 4096, 8192, 12288]), size=4096, depth=4, cycle=True)
    PortableEngine().run(target, Work(streams=[what], seconds=3600))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_never_outlive_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    """However the parent ends, its workers end and its file is removed."""
    script = ENDLESS.format(place=str(tmp_path))
    with killed_on_error(subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)) as parent:
        until(lambda: len(children(parent.pid)) == 5)  # four workers, and the process that removes the file
        workers = children(parent.pid)
        parent.send_signal(number)
        parent.wait()
    until(lambda: not any(map(alive, workers)))
    until(lambda: not list(tmp_path.iterdir()))


def test_a_killed_worker_is_an_error_and_ends_the_others(target: FileTarget) -> None:
    """A killed worker is an error: part of the figure is missing."""
    seen: list[int] = []
    before = set(children(os.getpid()))  # what other tests have left running

    def kill_one() -> None:
        until(lambda: len(set(children(os.getpid())) - before) == 4)
        seen.extend(pid for pid in children(os.getpid()) if pid not in before)
        os.kill(seen[2], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with pytest.raises(BenchError, match="killed"):
        PortableEngine().run(target, Work(streams=[stream(Op.READ, 8, depth=4, cycle=True)], seconds=3600))
    killer.join()
    assert not any(map(alive, seen))


def test_an_error_of_a_worker_is_raised() -> None:
    """The message is that of the worker."""

    def fail(_arrive: Callable[[], int]) -> Report:
        raise BenchError("The server is gone.")

    with pytest.raises(BenchError, match="The server is gone"):
        process_group.work([fail])


def test_all_workers_begin_at_the_same_instant() -> None:
    """All workers get the same start. None passes the barrier before it."""

    def job(arrive: Callable[[], int]) -> Report:
        start = arrive()
        return Report(starts=array("Q", [start]), ends=array("Q", [process_group.now()]))

    start, reports = process_group.work([job] * 8)
    assert {report.starts[0] for report in reports} == {start}
    assert all(report.ends[0] >= start for report in reports)


@pytest.mark.usefixtures("uncollected")
def test_a_handler_that_raises_while_workers_are_forked_stays_in_the_parent(target: FileTarget) -> None:
    """The exception is raised once, in the parent. No worker continues as the parent."""
    own = os.getpid()
    others = set(children(own))  # what other tests have left running

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt(os.getpid())

    before, over = signal.signal(signal.SIGALRM, interrupt), threading.Event()
    other = threading.Thread(target=over.wait)  # takes the signals that the first thread holds back
    other.start()
    try:
        for delay in range(1, 41):
            try:
                # again after a while: what a handler raises in a finalizer is lost to Python
                signal.setitimer(signal.ITIMER_REAL, delay / 2000, 60)
                PortableEngine().run(target, Work(streams=[stream(Op.READ, 64, depth=16, cycle=True)], seconds=3600))
            except KeyboardInterrupt as caught:
                signal.setitimer(signal.ITIMER_REAL, 0)
                who = caught.args[0]
            if os.getpid() != own:
                os._exit(99)  # a worker came here: the parent sees it by the exit code that nobody expects
            assert who == own
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        over.set()
        other.join()
    assert set(children(own)) <= others


@pytest.mark.slow
def test_a_hundred_workers_run_with_a_low_limit_of_open_files(target: FileTarget) -> None:
    """The soft limit on open files rises up to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        outcome = PortableEngine().run(target, Work(streams=[stream(Op.READ, 400, depth=100)]))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(outcome.samples[0].results) == 400


def test_a_late_worker_has_its_full_time() -> None:
    """A worker that starts after the end still runs for its time."""
    moment = now()
    assert ending(moment, 5.0) == moment + 5_000_000_000
    assert ending(moment - 10**10, 5.0) >= moment + 5_000_000_000
    assert ending(moment, None) == NEVER


def test_too_many_workers_for_the_system_are_an_error(tmp_path: Path) -> None:
    """At the hard limit of open files there is a message. No worker and no file is left."""
    script = (
        "import resource\n"
        "from array import array\n"
        "from raidctl.bench.engines.portable import PortableEngine\n"
        "from raidctl.bench.targets.file import FileTarget\n"
        "from raidctl.bench.work import Stream, Work\n"
        "from raidctl.errors import BenchError\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
        f"with FileTarget({str(tmp_path)!r}, 1 << 20) as target:\n"
        "    what = Stream(ops=bytes(64), offsets=array('Q', [0] * 64), size=4096, depth=64)\n"
        "    try:\n"
        "        PortableEngine().run(target, Work(streams=[what]))\n"
        "    except BenchError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "could not be started: Too many open files" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_progress_bar_may_have_a_thread(target: FileTarget) -> None:
    """Threads of the parent neither stop the workers nor cause a warning."""
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        outcome = PortableEngine().run(target, Work(streams=[stream(Op.READ, 8, depth=2)]))
    finally:
        stop.set()
        thread.join()
    assert len(outcome.samples[0].results) == 8


@pytest.mark.parametrize("depth", [1, 4])
def test_samples_beyond_the_limit_are_counted(target: FileTarget, depth: int) -> None:
    """Beyond `keep` samples, each operation is in the histogram."""
    outcome = PortableEngine().run(target, Work(streams=[stream(Op.READ, 500, depth=depth)], keep=100))
    done = outcome.samples[0]
    assert len(done.results) == len(done.starts) == len(done.ops) == 100
    assert sum(done.beyond[Op.READ]) == 400
    assert outcome.wall_seconds * 1e9 >= max(done.starts)


@pytest.mark.parametrize(
    ("latency", "number"), [(0, 0), (127, 127), (128, 128), (255, 255), (256, 256), (257, 256), (511, 383), (512, 384)]
)
def test_bins_are_those_of_the_contract(latency: int, number: int) -> None:
    """Bins are those of `Samples.beyond`."""
    assert bin_of(latency) == number


def test_each_bin_begins_at_its_documented_latency() -> None:
    """The lower bounds hold for each bin up to the longest latency."""
    for number in range(128, 58 * 128):
        lowest = (128 + number % 128) << (number // 128 - 1)
        assert bin_of(lowest) == number
        assert bin_of(lowest - 1) == number - 1
    assert bin_of((1 << 64) - 1) == 58 * 128 - 1


def test_a_batch_is_not_supported(target: FileTarget) -> None:
    """A note reports that the operations were not batched."""
    what = Stream(ops=bytes(4), offsets=array("Q", [0] * 4), size=BLOCK, depth=2, batch=2)
    assert any("one operation" in note for note in PortableEngine().run(target, Work(streams=[what])).notes)


@pytest.mark.parametrize("depth", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("count", [1, 5, 12])
def test_slices_are_all_of_the_stream(depth: int, count: int) -> None:
    """A cycling stream is divided evenly. Lengths are equal, and each operation is equally frequent."""
    parts = slices(stream(Op.READ, count, depth=depth, cycle=True))
    assert len(parts) == depth
    assert len({len(part.ops) for part in parts}) == 1
    offsets = sorted(offset for part in parts for offset in part.offsets)
    rounds = len(offsets) // count
    assert offsets == sorted(list(stream(Op.READ, count).offsets) * rounds)
    assert {number for part in parts for number in part.passes} == set(range(rounds))


def test_a_flush_awaits_exactly_the_operations_before_it() -> None:
    """The awaited operations are right in every round and for every worker."""
    ops = bytes([Op.WRITE, Op.WRITE, Op.FLUSH, Op.WRITE, Op.WRITE, Op.WRITE])
    what = Stream(ops=ops, offsets=array("Q", [0] * 6), size=BLOCK, depth=2, cycle=True)
    even, odd = parts = slices(what)
    lengths = [len(part.ops) for part in parts]
    assert awaited(even, 0, 1, lengths) == [(1, 1)]
    assert awaited(even, 1, 1, lengths) == [(1, 4)]
    assert awaited(odd, 0, 0, lengths) == []
    assert awaited(odd, 0, 1, lengths) == [(0, 2)]
    assert awaited(odd, 1, 0, lengths) == [(0, 2)]
    assert awaited(odd, 1, 1, lengths) == [(0, 5)]


def test_reports_survive_their_way() -> None:
    """A packed report is unpacked unchanged."""
    report = Report(
        starts=array("Q", [1, 1 << 63]),
        ends=array("Q", [2]),
        places=array("Q"),
        odd={1: -5, 3: 100},
        mismatches=array("Q", [7]),
        beyond={1 << 32 | 5: 9},
        notes={"one", "two ü"},
        cpu_ns=11,
        last_end=12,
    )
    data = b"".join(bytes(memoryview(piece).cast("B")) if len(piece) else b"" for piece in pack(report))
    assert unpack(data) == report
    assert unpack(b"".join(bytes(memoryview(piece).cast("B")) for piece in pack(Report()) if len(piece))) == Report()
