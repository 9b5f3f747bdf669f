"""Run work with fio, as a second opinion: one sample per operation.

raidctl itself does not measure with fio, which is absent on rescue systems, mixes sentences with JSON in its output,
and chooses random offsets itself. Work that fio cannot express is refused with the reason, never approximated.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from raidctl.bench.engines.empty_work import refuse_without_success
from raidctl.bench.engines.work_split import bins
from raidctl.bench.faulty import failed
from raidctl.bench.targets import Handled, refuse_outside
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work
from raidctl.errors import BenchError
from raidctl.json_decode import decode_at
from raidctl.runners.directory import private_directory
from raidctl.runners.local import tool_environment
from raidctl.runners.process import Bounds, run
from raidctl.runners.programs import first_program, search_path

PATIENCE = 60.0
"""Seconds that fio may take beyond the duration of its work."""
DAY = 86400.0
OWN_PLACES = "fio chose the places itself, in the same range."
_WORDS = {Op.READ: "read", Op.WRITE: "write", Op.WRITE_DURABLE: "write"}
_LATENCIES = "latencies"
_RESULT = "result.json"


class Fio:
    """Run work with fio."""

    name = "fio"

    def usable(self, target: Target) -> str | None:
        """Why it cannot be used here, one sentence; None if it can."""
        if not isinstance(target, Handled):
            return f"{target.name} is not a file or device of this machine: fio measures nothing else."
        return None if program() else "fio is not installed."

    def run(self, target: Target, work: Work) -> Outcome:
        """Run the work.

        Raises:
            BenchError: fio cannot express it, fio is missing, or an operation failed (fio stops there).
        """
        reason = self.usable(target) or untranslatable(work)
        if reason is not None or not isinstance(target, Handled):
            raise BenchError(reason or f"{target.name} cannot be used.")
        refuse_outside(target, work)
        if all(map(_flushes_only, work.streams)):
            return flushed(target.fileno(), work)
        seconds = DAY if work.seconds is None else work.seconds
        with private_directory() as place:
            argv = [program() or "fio", *arguments(target, target.fileno(), target.base, work)]
            answer = run(
                argv, environment=tool_environment(place), directory=place, bounds=Bounds(seconds=seconds + PATIENCE)
            )
            if answer.trouble is not None:
                raise BenchError(f"fio could not be run: {answer.detail or answer.trouble.value}.")
            result = Path(place, _RESULT)
            report = document(result.read_text(errors="replace") if result.exists() else "")
            refuse_failure(report, answer.code or 0, answer.error_text)
            logs = [Path(place, f"{_LATENCIES}_lat.{number}.log").read_text() for number in _numbers(work)]
        parts = zip(work.streams, logs, report["jobs"], strict=True)
        samples = tuple(
            commit_samples(stream, log, job) if _commits(stream) else log_samples(stream, log)
            for stream, log, job in parts
        )
        refuse_without_success(target, samples)
        return outcome(report, samples, work)


def program() -> str | None:
    """Path of fio; None if it is not installed."""
    return first_program(f"{place}/fio" for place in search_path())


@cache
def version() -> str:
    """The version, ``fio-3.33``; ``fio`` if unknown."""
    with private_directory() as place:
        answer = run([program() or "fio", "--version"], environment=tool_environment(place), directory=place)
    return answer.text.strip() or "fio"


def flushed(handle: int, work: Work) -> Outcome:
    """Run streams that consist of flushes only, without fio. fio has no such job.

    They empty caches between two phases and give no figures.
    """
    begun = time.perf_counter_ns()
    samples = []
    for stream in work.streams:
        starts, waits = array("Q"), array("Q")
        for _ in stream.ops:
            before = time.perf_counter_ns()
            try:
                os.fdatasync(handle)
            except OSError as error:
                raise BenchError(f"A flush failed: {error.strerror}.") from None
            starts.append(before - begun)
            waits.append(time.perf_counter_ns() - before)
        samples.append(
            Samples(
                ops=stream.ops,
                offsets=stream.offsets,
                starts=starts,
                latencies=waits,
                results=array("i", bytes(4 * len(stream.ops))),
                size=stream.size,
            )
        )
    spent = (time.perf_counter_ns() - begun) / 1e9
    return Outcome(samples=tuple(samples), wall_seconds=spent, cpu_seconds=0.0, engine=version())


def untranslatable(work: Work) -> str | None:
    """Why fio cannot express a work, one sentence; None if it can."""
    if work.verify:
        return "fio cannot verify raidctl's blocks."
    if len({stream.cycle for stream in work.streams}) > 1:
        return "fio cannot repeat some streams and not others."
    return next(filter(None, map(_odd_stream, work.streams)), None)


def _odd_stream(stream: Stream) -> str | None:
    kinds = set(stream.ops)
    if stream.intended is not None:
        return "fio cannot start each operation at a given time."
    if _flushes_only(stream) or _commits(stream):
        return None
    if Op.FLUSH in kinds:
        return "fio does not report the time of each flush."
    if len(kinds) > 1:
        return "fio chooses the order of mixed reads and writes itself."
    if sequential(stream) or len(set(stream.offsets)) == 1:
        return None
    first = min(stream.offsets)
    if math.gcd(*(offset - first for offset in stream.offsets)) != stream.size or _monotonous(stream.offsets):
        return "fio cannot run operations at given places, only sequential and random ones."
    return None


def _flushes_only(stream: Stream) -> bool:
    return set(stream.ops) == {Op.FLUSH} and not stream.cycle


def _commits(stream: Stream) -> bool:
    """Whether one block is written and flushed repeatedly."""
    alternating = bytes([Op.WRITE, Op.FLUSH])
    return stream.cycle and stream.depth == 1 and stream.ops == alternating and stream.offsets[0] == stream.offsets[1]


def _numbers(work: Work) -> range:
    """The numbers that fio gives the jobs in its logs."""
    return range(1, len(work.streams) + 1)


def sequential(stream: Stream) -> bool:
    """Whether each operation begins where the previous one ended."""
    return all(after == before + stream.size for before, after in itertools.pairwise(stream.offsets))


def _monotonous(offsets: Sequence[int]) -> bool:
    """Whether the offsets only rise or only fall. Random ones do not."""
    rises = [after >= before for before, after in itertools.pairwise(offsets)]
    return len(rises) > 2 and len(set(rises)) == 1


def arguments(target: Target, handle: int, base: int, work: Work) -> list[str]:
    """Return fio's arguments: global options, then one job per stream.

    Args:
        target: What is measured.
        handle: Its descriptor: fio opens the same file again, even if it no longer has a name.
        base: Where the target begins in it, bytes.
        work: Work that fio can express.
    """
    common = {
        "filename": f"/proc/{os.getpid()}/fd/{handle}",
        "direct": int(target.direct),
        "thread": 1,
        "invalidate": 0,
        "norandommap": 1,
        "randrepeat": 0,
        "allow_file_create": 0,
        "refill_buffers": 1,
        "log_offset": 1,
        "write_lat_log": _LATENCIES,
        "disable_slat": 1,
    }
    if not any(map(_commits, work.streams)):  # with it, fio does not count flushes
        common["disable_clat"] = 1
    if work.seconds is not None:
        common["runtime"] = f"{max(1, round(work.seconds * 1000))}ms"
    if work.streams[0].cycle:
        common["time_based"] = 1
    words = ["--output-format=json+", f"--output={_RESULT}", *_options(common)]
    for number, stream in zip(_numbers(work), work.streams, strict=True):
        words += [f"--name=stream{number}", *_options(_job(stream, base))]
    return words


def _options(values: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in values.items()]


def _job(stream: Stream, base: int) -> dict[str, object]:
    first, last = min(stream.offsets), max(stream.offsets)
    word = _WORDS[Op(stream.ops[0])]
    job: dict[str, object] = {
        "rw": word if sequential(stream) else f"rand{word}",
        "bs": stream.size,
        "offset": base + first,
        "size": last + stream.size - first,
        "ioengine": "psync" if stream.depth == 1 else "io_uring",
        "iodepth": stream.depth,
    }
    if not stream.cycle:
        job["io_size"] = stream.size * len(stream.offsets)
    if stream.batch > 1:
        job |= {"iodepth_batch_submit": stream.batch, "iodepth_batch_complete_max": stream.batch}
    if stream.ops[0] == Op.WRITE_DURABLE:
        job["sync"] = "dsync"
    if _commits(stream):
        job["fdatasync"] = 1  # after each write
    return job


def document(text: str) -> dict[str, Any]:
    """The JSON of fio without the sentences that it may print first. Empty if there is none."""
    # note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1
    # {
    try:
        report = decode_at(text, text.index("{"))[0]
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def refuse_failure(report: Mapping[str, Any], code: int, errors: str) -> None:
    """Raise BenchError if fio did not complete everything."""
    number = next((job["error"] for job in report.get("jobs", ()) if job.get("error")), 0)
    if number:
        raise failed("fio stopped", number)
    if code or not report.get("jobs"):
        lines = errors.strip().splitlines()
        raise BenchError(f"fio ended with {code}: {lines[0] if lines else 'no reason reported'}.")


def log_samples(stream: Stream, text: str) -> Samples:
    """The samples in a latency log.

    A line is: end (ms after the start), latency (ns), direction, bytes, offset, priority.
    """
    # 12, 81340, 0, 4096, 405504, 0
    lines = [line.split(",") for line in text.splitlines()]
    rows = [[int(field) for field in line[:5]] for line in lines if len(line) >= 5]
    latencies = array("Q", [row[1] for row in rows])
    return Samples(
        ops=stream.ops[:1] * len(rows),
        offsets=array("Q", [row[4] for row in rows]),
        starts=array("Q", [max(0, row[0] * 1_000_000 - row[1]) for row in rows]),
        latencies=latencies,
        results=array("i", [row[3] for row in rows]),
        size=stream.size,
    )


def commit_samples(stream: Stream, log: str, job: Mapping[str, Any]) -> Samples:
    """Samples of writes and flushes. The log has no line for a flush, and fio's JSON only a histogram.

    Raises:
        BenchError: There is no histogram either (fio before 3).
    """
    # "sync" : { "total_ios" : 0, "lat_ns" : { … "N" : 2356, … "bins" : { "27008" : 1, "28032" : 3,
    counts = job.get("sync", {}).get("lat_ns", {}).get("bins")
    if counts is None:
        raise BenchError("This fio does not report how long flushes take.")
    flushes = {int(latency): count for latency, count in counts.items()}
    writes = Counter(log_samples(stream, log).latencies)
    return Samples(
        ops=b"", offsets=array("Q"), starts=array("Q"), latencies=array("Q"), results=array("i"), size=stream.size,
        beyond={Op.WRITE: bins(writes.items()), Op.FLUSH: bins(flushes.items())},
    )  # fmt: skip


def outcome(report: Mapping[str, Any], samples: Sequence[Samples], work: Work) -> Outcome:
    """Convert fio's JSON to the outcome."""
    jobs: Sequence[Mapping[str, Any]] = report["jobs"]
    sides = [job[side] for job in jobs for side in ("read", "write")]
    busy = [(job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000 for job in jobs]
    own = any(not sequential(stream) and len(set(stream.offsets)) > 1 for stream in work.streams)
    starts = "fio reports end times in whole milliseconds."
    wall_seconds = max(side["runtime"] for side in sides) / 1000
    engine = str(report.get("fio version", "fio"))
    notes = (OWN_PLACES, starts) if own else (starts,)
    return Outcome(samples=tuple(samples), wall_seconds=wall_seconds, cpu_seconds=sum(busy), engine=engine, notes=notes)
