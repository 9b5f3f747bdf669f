"""The engine in pure Python: forked processes, preadv, pwritev, aligned memory, O_DIRECT.

It reaches the speed of compiled programs within a few percent on anything slower than a microsecond:
``benchmarks/engine_vs_fio.py`` compares them.
An operation is timed from before to after the system call; filling a block with data and comparing data read are not
included.
"""

from __future__ import annotations

import errno
import mmap
import os
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from raidctl.bench.blocks import Checker, Filler, State
from raidctl.bench.engines.empty_work import refuse_without_success
from raidctl.bench.engines.portable_nbd import pipelined
from raidctl.bench.engines.process_group import NEVER, Job, Report, ending, now, work
from raidctl.bench.engines.work_split import Slice, awaited, samples, slices, trim
from raidctl.bench.targets import Handled, refuse_outside
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work

NAME = "portable"
MAX_CONSECUTIVE_FAILURES = 1000
"""Consecutive failures after which a worker's stream ends. The device is gone then."""
_DSYNC = getattr(os, "RWF_DSYNC", 0)
_NO_DSYNC = "This system has no durable writes: each is a write and a flush."
_SPIN_NS = 120_000
_NAP = 0.00002


class PortableEngine:
    """Pure Python, for files, devices and NBD exports."""

    name = NAME

    def usable(self, target: Target) -> str | None:
        """Why it cannot be used here, one sentence; None if it can."""
        if isinstance(target, (NbdTarget, Handled)):
            return None
        return f"The portable engine does not support targets of the kind {target.kind}."

    def run(self, target: Target, work_: Work) -> Outcome:
        """Run the work; a failed operation is a sample.

        Raises:
            BenchError: Nothing could be carried out, or a worker was killed.
        """
        refuse_outside(target, work_)
        notes: set[str] = set()
        _warm(work_)
        if isinstance(target, NbdTarget):
            parts = [[_whole(stream)] for stream in work_.streams]
            jobs = [pipelined(target, work_, stream) for stream in work_.streams]
            if len(jobs) > 1 and not target.export.shared:
                notes.add("On this NBD server a flush covers its own connection only.")
        else:
            parts = [slices(stream) for stream in work_.streams]
            jobs = _jobs(target, work_, parts)
            if any(stream.batch > 1 for stream in work_.streams):
                notes.add("The portable engine hands over one operation with each system call.")
        begun, reports = work(jobs)
        outcome = _outcome(work_, parts, begun, reports, notes)
        refuse_without_success(target, outcome.samples)
        return outcome


def _warm(work_: Work) -> None:
    """Create the shared block data before the workers are forked."""
    if work_.verify or any(stream.ops.count(Op.READ) < len(stream.ops) for stream in work_.streams):
        for size in {stream.size for stream in work_.streams}:
            Filler(bytearray(size), work_.run_id).fill(0, 0, 0)


def _whole(stream: Stream) -> Slice:
    return Slice(stream.ops, stream.offsets, stream.intended, array("Q"), 1, 0, 1)


def _outcome(
    work_: Work, parts: Sequence[Sequence[Slice]], begun: int, reports: list[Report], notes: set[str]
) -> Outcome:
    rest = iter(reports)
    found: list[Samples] = []
    for stream, dealt in zip(work_.streams, parts, strict=True):
        found.append(samples(stream, dealt, list(islice(rest, len(dealt))), begun))
    last = max((end for report in reports for end in (report.last_end, *report.ends[-1:])), default=begun)
    return Outcome(
        samples=found,
        wall_seconds=max(0, last - begun) / 1e9,
        cpu_seconds=sum(report.cpu_ns for report in reports) / 1e9,
        engine=NAME,
        notes=tuple(sorted(notes.union(*(report.notes for report in reports)))),
    )


def _jobs(target: Target, work_: Work, parts: Sequence[Sequence[Slice]]) -> list[Job]:
    """One job per slice. The slices of a stream with flushes share their progress."""
    assert isinstance(target, Handled)  # noqa: S101 - for the type checker: `usable` has checked it
    jobs: list[Job] = []
    for stream, dealt in zip(work_.streams, parts, strict=True):
        lengths = [len(part.ops) for part in dealt]
        shared = len(dealt) > 1 and Op.FLUSH in stream.ops
        progress = memoryview(mmap.mmap(-1, 8 * len(dealt))).cast("Q") if shared else None
        jobs += [_Worker(target.fileno(), target.base, work_, stream, part, lengths, progress).job for part in dealt]
    return jobs


@dataclass
class _Worker:
    """One process: a slice of a stream on an open descriptor."""

    handle: int
    base: int
    work: Work
    stream: Stream
    part: Slice
    lengths: Sequence[int]
    """Operations of each worker of the stream in one round."""
    progress: memoryview | None
    """Completed operations of each worker, if a flush waits for them. None otherwise."""

    def job(self, arrive: Callable[[], int]) -> Report:
        """Run a worker: prepare, wait for the others, work, report."""
        report = Report()
        size = self.stream.size
        memory = memoryview(mmap.mmap(-1, size))
        memory[:] = bytes(size)  # all pages are mapped before the clock runs
        plain = self.work.verify or self.part.intended is not None or self.progress is not None
        run = self._reads if self.part.ops.count(Op.READ) == len(self.part.ops) and not plain else self._mixed
        round_ = self.part.offsets if not self.base else array("Q", (self.base + at for at in self.part.offsets))
        begun = arrive()
        used = time.process_time_ns()
        end = ending(begun, self.work.seconds)
        try:
            run(report, memory, round_, begun, end)
        finally:
            if self.progress is not None:
                self.progress[self.part.worker] = NEVER
        report.cpu_ns = time.process_time_ns() - used
        trim(report, self.part.ops, max(1, self.work.keep // self.part.depth))
        return report

    def _reads(self, report: Report, memory: memoryview, round_: array[int], _begun: int, end: int) -> None:
        """Run reads only, in the shortest possible loop. Its cost is attributed to the device."""
        handle, size, buffers, preadv, clock = self.handle, self.stream.size, [memory], os.preadv, now
        starts, ends = report.starts, report.ends
        begin, finish = starts.append, ends.append
        done, count, failures = 0, len(round_), _Failures()
        while True:
            try:
                for offset in islice(round_, done, None) if done else round_:
                    before_ = clock()
                    if before_ >= end:
                        return
                    got = preadv(handle, buffers, offset)
                    after = clock()
                    begin(before_)
                    finish(after)
                    if got != size:
                        report.odd[len(ends) - 1] = got
            except OSError as error:
                finish(clock())
                begin(before_)
                report.odd[len(ends) - 1] = -(error.errno or errno.EIO)
                if failures.give_up(len(ends) - 1, error.errno, report):
                    return
            done = len(ends) % count
            if not done and not self.stream.cycle:
                return

    def _mixed(self, report: Report, memory: memoryview, round_: array[int], begun: int, end: int) -> None:
        """Run everything else: writes, flushes, fixed start times, comparison."""
        once = _SingleOperations(self, memory)
        part, base, failures = self.part, self.base, _Failures()
        acts = (once.read, once.write, once.write_durable, once.flush)
        round_number, first, done = 0, self.work.generation, 0
        while not done or (self.stream.cycle and done == round_number * len(part.ops)):
            for index, op in enumerate(part.ops):
                if not self._await_earlier(round_number, index, end):
                    break
                if op in (Op.WRITE, Op.WRITE_DURABLE):
                    once.fill(round_[index] - base, first + part.passes[index])
                before_ = now() if part.intended is None else _wait_until(begun + part.intended[index], end)
                if before_ >= end:
                    break
                result = acts[op](round_[index])
                report.ends.append(now())
                report.starts.append(before_)
                if result != (0 if op == Op.FLUSH else self.stream.size):
                    report.odd[done] = result
                    if result < 0 and failures.give_up(done, -result, report):
                        break
                elif op == Op.READ and self.work.verify and not once.good(round_[index] - base):
                    report.mismatches.append(round_[index] - base)
                done += 1
                if self.progress is not None:
                    self.progress[part.worker] = done
            round_number += 1
            first += part.passes_a_round
            if not done:
                break
        report.notes |= once.notes

    def _await_earlier(self, round_number: int, index: int, end: int) -> bool:
        """Wait until every operation that must come first is done. Return False if the time is up."""
        progress = self.progress
        if progress is not None:
            for worker, count in awaited(self.part, round_number, index, self.lengths):
                while progress[worker] < count:
                    if now() >= end:
                        return False
                    time.sleep(_NAP)
        return True


class _Failures:
    """Count consecutive failures, to stop when a device is gone."""

    def __init__(self) -> None:
        self._last = -2
        self._row = 0

    def give_up(self, number: int, error: int | None, report: Report) -> bool:
        """Whether the stream should end after too many consecutive failures. This one is included."""
        self._row = self._row + 1 if number == self._last + 1 else 1
        self._last = number
        if self._row >= MAX_CONSECUTIVE_FAILURES:
            report.notes.add(
                f"It gave up after {MAX_CONSECUTIVE_FAILURES} failures in a row: {os.strerror(error or errno.EIO)}."
            )
        return self._row >= MAX_CONSECUTIVE_FAILURES


def _wait_until(when: int, end: int) -> int:
    """Sleep, then spin, until an instant; `end` if that comes first."""
    if when >= end:
        return end
    while (left := when - now()) > 0:
        if left > _SPIN_NS:
            time.sleep((left - _SPIN_NS) / 1e9)
    return when


class _SingleOperations:
    """Single operations that return the number of bytes or a negative errno."""

    def __init__(self, worker: _Worker, memory: memoryview) -> None:
        self._handle = worker.handle
        self._memory = memory
        self._buffers = [memory]
        self._filler = Filler(memory, worker.work.run_id)
        self._checker = Checker(len(memory), worker.work.run_id, worker.work.generation)
        self._dsync = _DSYNC
        self.notes: set[str] = set()

    def fill(self, place: int, generation: int) -> None:
        """Fill the buffer with the data for an offset."""
        self._filler.fill(place, generation, time.time_ns())

    def good(self, place: int) -> bool:
        """Whether the data read are those written there."""
        return self._checker.check(bytes(self._memory), place) is State.OK

    def read(self, offset: int) -> int:
        """Read."""
        try:
            return os.preadv(self._handle, self._buffers, offset)
        except OSError as error:
            return -(error.errno or errno.EIO)

    def write(self, offset: int) -> int:
        """Write."""
        try:
            return os.pwritev(self._handle, self._buffers, offset)
        except OSError as error:
            return -(error.errno or errno.EIO)

    def write_durable(self, offset: int) -> int:
        """Write to stable storage."""
        try:
            if self._dsync:
                return os.pwritev(self._handle, self._buffers, offset, self._dsync)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
                return -(error.errno or errno.EIO)
            self._dsync = 0
        self.notes.add(_NO_DSYNC)
        result = self.write(offset)
        return result if result < 0 else self.flush(0) or result

    def flush(self, _offset: int) -> int:
        """Flush; 0 or a negative errno."""
        try:
            os.fdatasync(self._handle)
        except OSError as error:
            return -(error.errno or errno.EIO)
        return 0
