"""Split the operations of a stream among workers, and merge their results. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd

from raidctl.bench.engines.process_group import Report
from raidctl.bench.work import Op, Samples, Stream

_SHORT = 4096
"""Length to which a repeated short stream is extended. All workers then have the same number of operations."""
_LANES = 128
"""Bins for each power of two of a latency in ns. A bin is less than 1% wide."""
_BINS = (64 - 7 + 1) * _LANES


@dataclass(frozen=True)
class Slice:
    """Every ``depth``-th operation from a number on: the work of one worker."""

    ops: bytes
    offsets: array[int]
    intended: array[int] | None
    passes: array[int]
    """``Q``: stream passes completed before each operation of the first round."""
    passes_a_round: int
    """Passes over the stream in one round over this slice."""
    worker: int
    depth: int
    flushes: array[int] = field(default_factory=lambda: array("q"))
    """For each operation of the first round, the last flush before it. It is the flush's number in the stream; -1:
    none."""
    last_flush: int = -1
    """The last flush of a round, numbered in the same way."""


def slices(stream: Stream) -> list[Slice]:
    """One slice per worker. There are fewer workers than the depth only if there are too few operations.

    A repeated short stream is unrolled as often as needed, so that each worker has the same number of operations and
    visits all offsets.
    """
    count, depth, rounds = len(stream.offsets), stream.depth, 1
    if stream.cycle and count < _SHORT:
        rounds = depth // gcd(count, depth)
    depth = min(depth, count * rounds)
    ops, offsets = stream.ops * rounds, stream.offsets * rounds
    passes = array("Q", (index // count for index in range(count * rounds)))
    flushes = _flushes(ops) if Op.FLUSH in ops and depth > 1 else array("q")
    return [
        Slice(
            ops[worker::depth],
            offsets[worker::depth],
            None if stream.intended is None else stream.intended[worker::depth],
            passes[worker::depth],
            rounds,
            worker,
            depth,
            flushes[worker::depth],
            ops.rfind(bytes([Op.FLUSH])),
        )
        for worker in range(depth)
    ]


def _flushes(ops: bytes) -> array[int]:
    last, found = -1, array("q")
    for number, op in enumerate(ops):
        found.append(last)
        if op == Op.FLUSH:
            last = number
    return found


def before(slice_: Slice, round_: int, number: int, worker: int, lengths: Sequence[int]) -> int:
    """Number of a worker's operations before operation ``number`` of round ``round_``."""
    return round_ * lengths[worker] + max(0, -(-(number - worker) // slice_.depth))


def awaited(slice_: Slice, round_: int, index: int, lengths: Sequence[int]) -> list[tuple[int, int]]:
    """What must be done before an operation of a worker begins. Each item is (worker, its completed operations).

    A flush waits for all operations before it, any other for the last flush before it.
    """
    if slice_.ops[index] == Op.FLUSH:
        own = slice_.worker + index * slice_.depth
        others = [worker for worker in range(slice_.depth) if worker != slice_.worker]
        return [(worker, before(slice_, round_, own, worker, lengths)) for worker in others]
    flush = slice_.flushes[index]
    if flush < 0:
        round_, flush = round_ - 1, slice_.last_flush
    if round_ < 0 or flush % slice_.depth == slice_.worker:
        return []
    return [(flush % slice_.depth, round_ * lengths[flush % slice_.depth] + flush // slice_.depth + 1)]


def samples(stream: Stream, parts: Sequence[Slice], reports: Sequence[Report], start: int) -> Samples:
    """The entries of all workers, in order of completion."""
    single = [_columns(stream, part, report, start) for part, report in zip(parts, reports, strict=True)]
    ends, ops, offsets, starts, latencies, results = (_joined([one[index] for one in single]) for index in range(6))
    wrong = sorted({place for report in reports for place in report.mismatches})
    if len(single) == 1 and reports[0].places is None:
        return Samples(
            ops=bytes(ops), offsets=offsets, starts=starts, latencies=latencies, results=results, size=stream.size,
            mismatches=wrong, beyond=_add_overflow_bins(reports),
        )  # fmt: skip
    order = sorted(range(len(ends)), key=ends.__getitem__)
    return Samples(
        ops=bytes([ops[index] for index in order]),
        offsets=array("Q", [offsets[index] for index in order]),
        starts=array("Q", [starts[index] for index in order]),
        latencies=array("Q", [latencies[index] for index in order]),
        results=array("i", [results[index] for index in order]),
        size=stream.size,
        mismatches=wrong,
        beyond=_add_overflow_bins(reports),
    )


def trim(report: Report, ops: bytes, keep: int) -> None:
    """Count complete entries beyond the first ``keep`` by latency, and drop them.

    The bins are those of `Samples.beyond`. Entries that failed are kept.
    """
    ends, starts, length = report.ends, report.starts, len(ops)
    if len(ends) <= keep:
        return
    report.last_end = max(ends)
    odd = sorted(index for index in report.odd if index >= keep)
    if odd and report.places is None:  # they no longer follow one another
        report.places = array("Q", range(len(ends)))
    dropped = set(range(keep, len(ends))).difference(odd) if odd else range(keep, len(ends))
    for index in dropped:
        op = ops[(report.places[index] if report.places is not None else index) % length]
        slot = op << 32 | bin_of(max(0, ends[index] - starts[index]))
        report.beyond[slot] = report.beyond.get(slot, 0) + 1
    for column in (ends, starts, report.places):
        if column is not None:
            column[keep:] = array(column.typecode, [column[index] for index in odd])
    moved = {index: keep + place for place, index in enumerate(odd)}
    report.odd = {moved.get(index, index): result for index, result in report.odd.items()}


def bin_of(latency: int) -> int:
    """The bin of `Samples.beyond` for a latency in ns."""
    if latency < _LANES:
        return latency
    shift = latency.bit_length() - _LANES.bit_length()
    return _LANES * shift + (latency >> shift)


def bins(counted: Iterable[tuple[int, int]]) -> array[int]:
    """The bins of `Samples.beyond` for pairs of latency and count. Latencies are in ns."""
    found = array("Q", bytes(8 * _BINS))
    for latency, count in counted:
        found[bin_of(latency)] += count
    return found


def _add_overflow_bins(reports: Sequence[Report]) -> dict[Op, array[int]]:
    found: dict[Op, array[int]] = {}
    for report in reports:
        for slot, count in report.beyond.items():
            bins = found.setdefault(Op(slot >> 32), array("Q", bytes(8 * _BINS)))
            bins[slot & 0xFFFFFFFF] += count
    return found


def _joined(columns: Sequence[array[int]]) -> array[int]:
    whole = columns[0][:]
    for column in columns[1:]:
        whole += column
    return whole


def _columns(stream: Stream, part: Slice, report: Report, start: int) -> tuple[array[int], ...]:
    """Ends, ops, offsets, starts, latencies, results of one worker."""
    count = len(report.ends)
    ops, offsets = _repeated(array("B", part.ops), count), _repeated(part.offsets, count)
    if report.places is not None:
        length = len(part.ops)
        ops = array("B", [part.ops[place % length] for place in report.places])
        offsets = array("Q", [part.offsets[place % length] for place in report.places])
    results = array("i", [stream.size]) * count
    if Op.FLUSH in part.ops:
        results = array("i", [0 if op == Op.FLUSH else stream.size for op in ops])
    for index, result in report.odd.items():
        results[index] = result
    starts = array("Q", [begun - start for begun in report.starts])
    latencies = array("Q", map(int.__sub__, report.ends, report.starts))
    return report.ends, ops, offsets, starts, latencies, results


def _repeated(column: array[int], count: int) -> array[int]:
    rounds, rest = divmod(count, len(column))
    return column * rounds + column[:rest]
