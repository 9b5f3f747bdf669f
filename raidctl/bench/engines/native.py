"""The compiled engine. It uses io_uring, or threads if the kernel forbids it or nothing would be gained.

The work is done in C (raidctl/bench/_engine.c); this module calls it.
"""

from __future__ import annotations

import errno
import importlib
import os
from array import array
from collections.abc import Sequence
from typing import Any, Literal

from raidctl.bench.blocks import pool
from raidctl.bench.engines.empty_work import refuse_without_success
from raidctl.bench.targets import Handled, refuse_outside
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work
from raidctl.errors import BenchError

Kind = Literal["threads", "uring"]

_KINDS: dict[Kind, int] = {"threads": 0, "uring": 1}
_THREADS_BY_AIO = 2
_URING = {
    errno.EPERM: "io_uring is forbidden here (kernel.io_uring_disabled, or the container's seccomp filter)",
    errno.EACCES: "io_uring is forbidden to this process",
    errno.ENOSYS: "this kernel has no io_uring, or a seccomp filter hides it",
    errno.ENOMEM: "the limit of locked memory is too low for io_uring",
    errno.ETIME: "the io_uring of this kernel is older than Linux 5.11",
    errno.ENOPKG: "the compiled engine was built without io_uring",
}
_AIO = {
    errno.EPERM: "kernel AIO is forbidden here",
    errno.ENOSYS: "this kernel has no kernel AIO, or a seccomp filter hides it",
    errno.EAGAIN: "other programs use all kernel AIO requests that this machine allows (fs.aio-max-nr)",
    errno.EOPNOTSUPP: "kernel AIO is known to run requests in parallel only on block devices, ext4 and XFS",
}


class Native:
    """Run work in C.

    Args:
        kind: ``threads`` or ``uring``; None: io_uring if operations are concurrent and bypass the page cache, else
            threads. (A single operation waits less in a plain call, and io_uring hands reads from the page cache to
            separate threads.)
        aio: Whether a thread may have several reads or writes under way, by kernel AIO, if the page cache is bypassed
            and nothing is flushed; else there is one thread for each of them.
    """

    def __init__(self, kind: Kind | None = None, *, aio: bool = True) -> None:
        self._kind = kind
        self._aio = aio

    @property
    def name(self) -> str:
        """The requested name; the outcome contains the one used."""
        return self._kind or "native"

    def usable(self, target: Target) -> str | None:
        """Why it cannot be used here, one sentence; None if it can."""
        if not isinstance(target, Handled):
            return f"{target.name} is not a file or device of this machine: the compiled engine measures nothing else."
        try:
            engine = compiled()
        except ImportError as error:
            return f"The compiled engine is not installed: {_why_missing(error)}."
        lacking = _lacking(engine) if self._kind == "uring" else None
        return f"The compiled engine cannot use io_uring: {lacking}." if lacking else None

    def run(self, target: Target, work: Work) -> Outcome:
        """Run the work; a failed operation is a sample.

        Raises:
            BenchError: It cannot be used here, it could not begin, or every operation failed.
        """
        reason = self.usable(target)
        if reason is not None or not isinstance(target, Handled):
            raise BenchError(reason or f"{target.name} cannot be used.")
        refuse_outside(target, work)
        engine = compiled()
        kind, notes = self._choice(engine, target, work)
        threads = kind == "threads" and target.direct
        by_aio, more = self._by_aio(engine, target.fileno(), work) if threads else (False, ())
        try:
            answers, wall, cpu = engine.run(
                target.fileno(),
                target.base,
                _THREADS_BY_AIO if by_aio else _KINDS[kind],
                [_handed(stream) for stream in work.streams],
                -1.0 if work.seconds is None else work.seconds,
                work.run_id,
                work.generation,
                work.verify,
                pool(),
                work.keep,
            )
        except OSError as error:
            raise BenchError(f"Nothing could be measured on {target.name}: {os.strerror(error.errno or 0)}.") from error
        samples = tuple(_samples(stream, answer) for stream, answer in zip(work.streams, answers, strict=True))
        refuse_without_success(target, samples)
        return Outcome(
            samples=samples,
            wall_seconds=wall / 1e9,
            cpu_seconds=cpu / 1e9,
            engine=kind,
            notes=(*notes, *more, *_given_up(samples, engine.MAX_CONSECUTIVE_FAILURES)),
        )

    def _choice(self, engine: Any, target: Target, work: Work) -> tuple[Kind, tuple[str, ...]]:
        """io_uring or threads, and the reason for an unexpected choice."""
        if self._kind is not None:
            return self._kind, ()
        if not target.direct or all(stream.depth == 1 for stream in work.streams):
            return "threads", ()
        lacking = _lacking(engine)
        return ("threads", (f"Threads were used: {lacking}.",)) if lacking else ("uring", ())

    def _by_aio(self, engine: Any, handle: int, work: Work) -> tuple[bool, tuple[str, ...]]:
        """Whether threads use kernel AIO, and why not. The reason is given if AIO would be faster."""
        depth = sum(stream.depth for stream in work.streams if stream.depth > 1)
        if not (self._aio and depth):
            return False, ()
        number: int = engine.aio(handle, depth)
        if number == 0:
            return True, ()
        return False, (f"Each outstanding operation had its own thread: {_AIO.get(number, os.strerror(number))}.",)


def compiled() -> Any:
    """The compiled module; ``_engine.pyi`` describes it.

    Raises:
        ImportError: It was not built, or not for this Python.
    """
    return importlib.import_module("raidctl.bench._engine")


def _why_missing(error: ImportError) -> str:
    if isinstance(error, ModuleNotFoundError):
        return "there was no C compiler, or no header files of Python, when raidctl was installed"
    return str(error)


def _lacking(engine: Any) -> str | None:
    """Why io_uring is not available."""
    number: int = engine.uring()
    return None if number == 0 else _URING.get(number, os.strerror(number))


def _handed(stream: Stream) -> tuple[bytes, bytes, int, int, int, bool, bytes | None]:
    intended = None if stream.intended is None else stream.intended.tobytes()
    return stream.ops, stream.offsets.tobytes(), stream.size, stream.depth, stream.batch, stream.cycle, intended


def _array(code: str, data: bytes) -> array[int]:
    made: array[int] = array(code)
    made.frombytes(data)
    return made


def _samples(stream: Stream, answer: tuple[Sequence[bytes], bytes, bytes | None]) -> Samples:
    (ops, offsets, starts, latencies, results), missed, counted = answer
    return Samples(
        ops=ops,
        offsets=_array("Q", offsets),
        starts=_array("Q", starts),
        latencies=_array("Q", latencies),
        results=_array("i", results),
        size=stream.size,
        mismatches=_array("Q", missed),
        beyond=_histograms(counted),
    )


def _histograms(counted: bytes | None) -> dict[Op, array[int]]:
    if counted is None:
        return {}
    width = len(counted) // len(Op)
    each = {op: _array("Q", counted[width * op : width * (op + 1)]) for op in Op}
    return {op: bins for op, bins in each.items() if any(bins)}


def _given_up(samples: Sequence[Samples], limit: int) -> tuple[str, ...]:
    """The sentence about streams that ended early because every operation failed."""
    for one in samples:
        last = one.results[-limit:]
        if len(last) == limit and max(last) < 0:
            return (f"It gave up after {limit} failures in a row: {os.strerror(-last[-1])}.",)
    return ()
