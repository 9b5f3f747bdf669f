"""Commits per second against the rotational limit."""

from __future__ import annotations

import mmap
import os
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from raidctl.bench.blocks import Filler
from raidctl.bench.estimators import commits
from raidctl.bench.estimators.rotation import NOMINAL
from raidctl.bench.faulty import failed
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.targets import Handled, refuse_outside
from raidctl.bench.trials.phase import Phase, amount, latencies, stream
from raidctl.bench.trials.plain import Connectable, flushes, puts
from raidctl.bench.trials.trial import KIB, MIB, ROUNDS, Bench, Interrupted, Needs, Steps
from raidctl.bench.verdict.decision import MEDIUM, POWER_CUT, REPEAT, SLOPE
from raidctl.bench.verdict.early_acknowledgement import SLOWING
from raidctl.bench.work import Op, Stream, Target, Work
from raidctl.errors import RaidctlError

Way = tuple[str, int, int]
"""`commit`, `dsync`, `fsync`, `raw` or `unflushed`; bytes; streams."""
Past = str | Connectable | None
_PLAIN = frozenset({"fsync", "raw"})
"""Kinds that bypass the engine, which supports only fdatasync on its target."""


@dataclass(frozen=True, kw_only=True)
class Commits:
    """One stream or several at once, rewriting one block and flushing. The same is measured without a flush."""

    seconds: float = 2.0
    """Seconds of each phase in each round."""
    sizes: tuple[int, ...] = (4 * KIB,)
    streams: tuple[int, ...] = (1,)
    dsync: bool = False
    """Whether durable writes (RWF_DSYNC) are measured too."""
    fsync: bool = False
    """Whether fsync is measured too. It may flush again for the file system's journal."""
    past: Past = None
    """A device or export (or its URI) that is flushed too. Layers in between may drop flushes.

    None: the single drive below, if a file system or layers are above it.
    """
    rounds: int = ROUNDS

    name = "commits"
    title = "commits a second"
    alone = False

    def ways(self) -> list[Way]:
        """All phases of a round."""
        found: list[Way] = [("unflushed", self.sizes[0], 1)]
        for size in self.sizes:
            found += [("commit", size, count) for count in self.streams]
            found += [("dsync", size, 1)] if self.dsync else []
            found += [("fsync", size, 1)] if self.fsync else []
        return found

    def needs(self, target: Target) -> Needs:
        """Rewrites a few blocks as often as possible."""
        most = 64 * KIB * (max(self.streams) + 1)
        # also bypassing file system and layers, if there are any and the drive below may be opened
        several = len(self.ways()) + (1 if target.kind != "nbd" or self.past else 0)
        return Needs(seconds=self.rounds * self.seconds * several, written=None, size=most)

    def run(self, bench: Bench) -> Steps:
        """Run all phases in random order, round by round."""
        # NBD has only one kind of flush
        ways = [way for way in self.ways() if way[0] != "fsync" or isinstance(bench.target, Handled)]
        past = self._past(bench)
        ways += [("raw", self.sizes[0], 1)] if past else []
        phases = {way: Phase() for way in ways}
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                if way[0] in _PLAIN:
                    self._plain(bench, way, past, phases[way])
                    continue
                outcome = bench.run(*_streams(bench, way), seconds=self.seconds)
                if way[0] == "commit":
                    phases[way].add_commits(outcome)
                else:
                    phases[way].add(outcome)
                if way[0] == "unflushed":
                    bench.flush()
            yield
        return self._result(bench, phases)

    def _past(self, bench: Bench) -> Past:
        """Where a flush bypasses file system and layers. None if there are none, or the drive cannot be opened."""
        layered = bench.target.direct and (bench.target.kind == "file" or not bench.below.bare)
        past = self.past or (bench.below.disk if layered else None)
        if past is not None:
            try:
                with flushes(past):
                    return past
            except RaidctlError:  # without permission, only this part is skipped
                pass
        return None

    def _plain(self, bench: Bench, way: Way, past: Past, phase: Phase) -> None:
        if way[0] == "fsync" and isinstance(bench.target, Handled):
            handle = bench.target.fileno()
            _flushed(bench, way[1], self.seconds, phase, lambda: os.fsync(handle))
        elif past is not None:
            with flushes(past) as flush:
                _flushed(bench, way[1], self.seconds, phase, flush)

    def _result(self, bench: Bench, phases: dict[Way, Phase]) -> TrialResult:
        named = {_name(way, self.sizes[0]): phase for way, phase in phases.items()}
        figures = {name: phase.spread() for name, phase in named.items()}
        rpm, rotating = _speed(bench), bench.rotating
        reading = commits.judge(figures["commits"], rpm, rotating=rotating)
        verdict, reasons, test = _judged(bench, reading, rotating=rotating, short=named["commits"].short)
        reasons += bench.limits([(self.sizes[0], 1, figures["unflushed"].measured)])
        limit = None if rpm.low == rpm.high or rpm.n else commits.limit(rpm)
        parity = " (about half of it where parity is read and rewritten without a cache)" * _parity(bench)
        most = limit.measured if limit else commits.limit(rpm).measured if rpm.n else None
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies(named),
            model="An uncached drive commits one block at most once per revolution.",
            expected=f"at most {most:.0f} commits per second without a cache{parity}" if most and rotating else None,
            verdict=verdict,
            reasons=reasons,
            next_test=test,
            series={"reading": reading, "raw": bench.target.kind == "device" and bench.below.bare},
        )


def _streams(bench: Bench, way: Way) -> list[Stream]:
    kind, asked, count = way
    size = bench.fitting(asked)
    apart = max(MIB if bench.target.size >= 2 * MIB * (count + 1) else size, size)
    middle = bench.target.size // 2 // apart * apart if count == 1 else 0
    ops = {"commit": [Op.WRITE, Op.FLUSH], "dsync": [Op.WRITE_DURABLE], "unflushed": [Op.WRITE]}[kind]
    return [
        Stream(ops=bytes(ops), offsets=array("Q", [middle + apart * n]) * len(ops), size=size, cycle=True)
        for n in range(count)
    ]


def _flushed(bench: Bench, asked: int, seconds: float, phase: Phase, flush: Callable[[], object]) -> None:
    """Rewrite the block in the middle and flush, bypassing the engine."""
    size = bench.fitting(asked)
    place = bench.target.size // 2 // size * size
    refuse_outside(bench.target, Work(streams=[stream(Op.WRITE, array("Q", [place]), size)]))
    if bench.over:
        raise Interrupted
    bench.generation += 1
    ends = [bench.clock()]
    with puts(bench.target) as put, mmap.mmap(-1, size) as memory, memoryview(memory) as view:
        filler = Filler(view, bench.run_id)
        try:
            while ends[-1] - ends[0] < seconds:
                filler.fill(place, (bench.generation << 20) + len(ends), time.time_ns())
                before = bench.clock()
                put(view, place)
                flush()
                ends.append(bench.clock())
                phase.histogram.add([int((ends[-1] - before) * 1e9)])
        except OSError as error:
            raise failed(f"A flush of {bench.target.name} failed", error.errno or 0) from None
        finally:
            filler.release()
    bench.written += (len(ends) - 1) * size
    # from the end of the first, which began anywhere in a revolution
    counted = ends[1:] if len(ends) > 2 else ends
    phase.add_rate(len(counted) - 1, counted[-1] - counted[0])


def _name(way: Way, first: int) -> str:
    """``commits`` is the figure used for verdicts: one stream, the first size."""
    kind, size, count = way
    name = {"commit": "commits"}.get(kind, kind if kind == "unflushed" else f"commits_{kind}")
    name += "" if size == first else f"_{amount(size)}"
    return name if count == 1 else f"{name}_x{count}"


def _parity(bench: Bench) -> bool:
    """Whether a small write reads old data and parity first. It rewrites them one revolution later."""
    return bench.below.level in ("raid5", "raid6", "raid50", "raid60")


def _speed(bench: Bench) -> Spread:
    """Measured or reported rpm, or the range of drives on the market."""
    turning = bench.figure("medium", "rpm")
    if turning is not None and turning.measured is not None:
        return turning
    if bench.rpm:
        return Spread(measured=bench.rpm, unit="rpm", n=1)
    slowest, fastest = NOMINAL[0], NOMINAL[-1]
    return Spread(measured=float(fastest), unit="rpm", n=0, low=slowest, high=fastest)


def _judged(
    bench: Bench, reading: commits.Reading, *, rotating: bool | None, short: bool
) -> tuple[Verdict, tuple[str, ...], str | None]:
    """The conclusion from commits alone, at most a hint. The cache that acknowledges may be protected."""
    barred = tuple(one.text for one in bench.confounders if one.forbids)
    if barred:
        return "inconclusive", barred, POWER_CUT
    if short:
        return "inconclusive", ("There were too few commits to decide.",), REPEAT
    if rotating is None:
        return "inconclusive", ("It is unknown whether the medium rotates.",), MEDIUM
    if not rotating:
        why = "Solid state, or a cache, commits at any rate: the rate proves nothing."
        return "inconclusive", (why,), POWER_CUT
    if reading == "unclear":
        return (
            "inconclusive",
            ("Too many for an uncached drive, too few for a cache; or too uneven.",),
            REPEAT,
        )
    if reading == "acknowledged_early":
        return "info", ("Commits are acknowledged before the drive has them: by a protected cache, or falsely.",), SLOPE
    slowed = tuple(one.text for one in bench.confounders if one.name in SLOWING)
    if slowed:
        return "inconclusive", slowed, REPEAT
    return "info", ("Commits wait for the drive: nothing acknowledges them early.",), None
