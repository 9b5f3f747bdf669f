"""Forked processes that start together, return arrays, and die with their parent.

Processes instead of threads: Python's threads block each other as soon as an operation takes less than a hundred
microseconds, and their latencies are those of the lock.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import struct
import time
import traceback
import warnings
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from raidctl.errors import BenchError
from raidctl.runners.deferred_signals import Held, defer_signals
from raidctl.runners.parent_death import die_with

now = time.perf_counter_ns
"""CLOCK_MONOTONIC, the same in all processes."""

_START = struct.Struct("<Q")
_LEAD_NS = 1_000_000
_LEAD_EACH_NS = 100_000
_PATIENCE = 5.0
"""Seconds to wait for killed workers. A worker blocked in a dead device is left to the kernel."""
_MAX_TEXT = 4000
_EACH, _OTHERS = 2, 256
"""Descriptors per worker in the parent, and others possibly open there."""
NEVER = (1 << 64) - 1


def ending(begun: int, seconds: float | None) -> int:
    """When (ns) a worker stops issuing. A worker first scheduled after that still gets its time.

    On such a busy machine a low figure is right, while no figure would fail the whole test.
    """
    if seconds is None:
        return NEVER
    length, moment = int(seconds * 1e9), now()
    return begun + length if moment < begun + length else moment + length


@dataclass
class Report:
    """Results of one worker as arrays. Times are in ns of the monotonic clock."""

    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    places: array[int] | None = None
    """``Q``: the operation of each entry, if completed out of order."""
    odd: dict[int, int] = field(default_factory=dict)
    """Results that are not the full size, by entry. They are bytes, or a negative errno."""
    mismatches: array[int] = field(default_factory=lambda: array("Q"))
    """Offsets of blocks that did not read back as written."""
    beyond: dict[int, int] = field(default_factory=dict)
    """Operations that are only counted: their number by ``op << 32 | bin`` (see
    `raidctl.bench.work.Samples.beyond`).
    """
    notes: set[str] = field(default_factory=set)
    cpu_ns: int = 0
    last_end: int = 0
    """When the last operation ended, if that is not in ``ends``."""


Job = Callable[[Callable[[], int]], Report]
"""Work of one worker, called in its process with the barrier. The barrier returns the common start (ns)."""


def work(jobs: Sequence[Job]) -> tuple[int, list[Report]]:
    """Run all jobs at once, one process each. Return the common start and the reports in order.

    An interruption (Ctrl-C, an exception of a signal handler) ends all of them at once, and is raised again.

    Raises:
        BenchError: A worker could not be started, was killed, or failed.
    """
    _raise_descriptor_limit(_EACH * len(jobs) + _OTHERS)
    workers = _Workers()
    try:
        for job in jobs:
            workers.fork(job)
        start = workers.begin()
        workers.wait()
        return start, [workers.report(index) for index in range(len(jobs))]
    finally:
        workers.end()


def _raise_descriptor_limit(count: int) -> None:
    """Raise this process's limit of descriptors if permitted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Workers:
    """The processes of one work."""

    def __init__(self) -> None:
        self._ready = os.pipe2(os.O_CLOEXEC)
        self._gate = os.pipe2(os.O_CLOEXEC)
        self._pids: dict[int, int] = {}
        """Workers that have not ended, and their numbers."""
        self._results: list[int] = []

    def fork(self, job: Job) -> None:
        """Fork a worker, which waits at the barrier."""
        parent = os.getpid()
        # no signal may arrive until the child has its own handlers and the parent has its number: an exception of a
        # handler would make the child continue as if it were the parent
        with defer_signals() as held:
            try:
                result = os.memfd_create("raidctl-bench", os.MFD_CLOEXEC)
                self._results.append(result)
                with warnings.catch_warnings():
                    # a progress bar may have a thread: the child does nothing that could wait for its locks
                    warnings.simplefilter("ignore", DeprecationWarning)
                    pid = os.fork()
                if pid == 0:
                    self._work(job, result, parent, held)
                self._pids[pid] = len(self._results) - 1
            except OSError as error:
                number = len(self._results) + 1
                raise BenchError(f"Worker {number} of the engine could not be started: {error.strerror}.") from None

    def _work(self, job: Job, result: int, parent: int, held: Held) -> NoReturn:
        code = 1
        try:
            for number in signal.valid_signals():
                if callable(signal.getsignal(number)):
                    signal.signal(number, signal.SIG_DFL)
            # the terminal's Ctrl-C goes to all processes; the parent ends this one
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            die_with(parent)
            gc.disable()
            os.close(self._gate[1])
            _write_all(result, pack(job(self._arrive)))
            code = 0
        except BaseException as error:  # noqa: BLE001 - the last frame of a process: the error is sent to the parent
            message = str(error) if isinstance(error, BenchError) else traceback.format_exc()[-_MAX_TEXT:]
            with suppress(BaseException):
                os.ftruncate(result, 0)
                _write_all(result, message.encode(errors="replace"))
        finally:
            os._exit(code)

    def _arrive(self) -> int:
        """In a worker: report ready, then wait for the common start."""
        os.write(self._ready[1], b"+")
        start: int = _START.unpack(os.read(self._gate[0], _START.size))[0]
        while (left := start - now()) > 0:
            if left > 200_000:
                time.sleep((left - 100_000) / 1e9)
        return start

    def begin(self) -> int:
        """Wait until all are ready, then start them."""
        count = len(self._results)
        poll = select.poll()
        poll.register(self._ready[0], select.POLLIN)
        while count:
            if poll.poll(100):
                count -= len(os.read(self._ready[0], count))
            self._collect()
        start = now() + _LEAD_NS + _LEAD_EACH_NS * len(self._results)
        os.write(self._gate[1], _START.pack(start) * len(self._results))
        return start

    def wait(self) -> None:
        """Wait until all have ended."""
        watches: list[int] = []
        with suppress(OSError):  # an old kernel, a strict container, too many files: then it polls
            watches.extend(map(os.pidfd_open, self._pids))
        try:
            poll = select.poll()
            for watch in watches:
                poll.register(watch, select.POLLIN)
            while self._pids:
                for watch, _ in poll.poll(1000 if len(watches) >= len(self._pids) else 20):
                    poll.unregister(watch)
                self._collect()
        finally:
            for watch in watches:
                os.close(watch)

    def _collect(self) -> None:
        """Collect workers that have ended.

        Raises:
            BenchError: One of them failed.
        """
        for pid in list(self._pids):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                index = self._pids.pop(pid)
                code = os.waitstatus_to_exitcode(status)
                if code < 0:
                    name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
                    raise BenchError(f"A worker of the engine was killed ({name}): nothing of this phase counts.")
                if code:
                    message = _read_all(self._results[index]).decode(errors="replace").strip()
                    raise BenchError(f"A worker of the engine failed: {message or f'exit code {code}'}")

    def report(self, index: int) -> Report:
        """The result of a worker."""
        return unpack(_read_all(self._results[index]))

    def end(self) -> None:
        """End the remaining workers and close everything. A second Ctrl-C waits for that."""
        with defer_signals():
            self._end()

    def _end(self) -> None:
        for pid in self._pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + _PATIENCE
        while self._pids and time.monotonic() < deadline:
            for pid in list(self._pids):
                with suppress(ChildProcessError):
                    if not os.waitpid(pid, os.WNOHANG)[0]:
                        continue
                del self._pids[pid]
            if self._pids:
                time.sleep(0.002)
        for handle in (*self._results, *self._ready, *self._gate):
            os.close(handle)


def pack(report: Report) -> list[bytes | array[int]]:
    """Encode a report as byte strings with their lengths."""
    text = "\n".join(sorted(report.notes)).encode()
    parts = [
        report.starts, report.ends, array("Q", report.odd), array("q", report.odd.values()), report.mismatches,
        array("Q", report.beyond), array("Q", report.beyond.values()), report.places or array("Q"),
    ]  # fmt: skip
    counts = [len(part) for part in parts]
    return [
        array("Q", [report.cpu_ns, report.last_end, report.places is not None, len(text), *counts]), *parts, text,
    ]  # fmt: skip


def unpack(data: bytes) -> Report:
    """Decode a report."""
    view = memoryview(data)
    cpu, last, placed, text, *counts = view[: 8 * 12].cast("Q")
    at, parts = 8 * 12, []
    for code, count in zip("QQQqQQQQ", counts, strict=True):
        part = array(code)
        part.frombytes(view[at : at + 8 * count])
        at += 8 * count
        parts.append(part)
    starts, ends, odd, results, wrong, slots, numbers, places = parts
    return Report(
        starts=starts,
        ends=ends,
        places=places if placed else None,
        odd=dict(zip(odd, results, strict=True)),
        mismatches=wrong,
        beyond=dict(zip(slots, numbers, strict=True)),
        notes=set(bytes(view[at : at + text]).decode().split("\n")) - {""},
        cpu_ns=cpu,
        last_end=last,
    )


def _write_all(handle: int, pieces: bytes | Sequence[bytes | array[int]]) -> None:
    for piece in [pieces] if isinstance(pieces, bytes) else pieces:
        view = memoryview(piece).cast("B")
        while view:
            view = view[os.write(handle, view) :]


def _read_all(handle: int) -> bytes:
    size = os.fstat(handle).st_size
    data = bytearray()
    while len(data) < size:
        piece = os.pread(handle, size - len(data), len(data))
        if not piece:
            break
        data += piece
    return bytes(data)
