"""RAID level and layout from measurements.

The evidence is the capacity, the cost of small writes, strides, and full stripes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.bench.estimators import geometry, scaling, steady
from raidctl.bench.estimators.figures import median, spread
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, latencies, pace, stream, words
from raidctl.bench.trials.raid_words import Layers, evidence, facts, judged
from raidctl.bench.trials.trial import CHUNK, KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.verdict.early_acknowledgement import SLOWING
from raidctl.bench.work import Op, Outcome, Target

PLACES = 1 << 14
MAX_DRIVES = 8
"""Number of drives assumed if unknown. Strides and stripes up to twice as many chunks are tried."""
_MODEL = "A small write costs one drive operation without redundancy, 2 with copies, 4 with one parity, 6 with two."
HIDING = SLOWING | {"degraded"}
"""Confounders with which only the sizes show a level."""
TYPICAL_S = 0.008
"""Usual maximum of a drive's random access."""


@dataclass
class _Seen:
    reads: Phase = field(default_factory=Phase)
    writes: Phase = field(default_factory=Phase)
    sustained: Spread | None = None
    """Writes per second in the steady state. None if it was not reached."""
    times: dict[int, list[float]] = field(default_factory=dict)
    """Seconds of the same number of reads, by stride."""
    speeds: dict[int, list[float]] = field(default_factory=dict)
    """Bytes per second, by size of aligned writes."""
    depths: dict[int, list[float]] = field(default_factory=dict)
    """Reads per second, by queue depth."""


@dataclass(frozen=True, kw_only=True)
class RaidLevel:
    """Four methods, each as far as possible. The result is one or several levels on which they agree."""

    seconds: float = 1.0
    """Seconds of a round of random reads or writes."""
    size: int = 4 * KIB
    depth: int = 32
    most: int = 30
    """Maximum rounds of writes until five in a row are steady. They begin when the write cache is full."""
    strided: int = 128
    """Reads of each stride in each round."""
    striped: int = 64
    """Writes of each size in each round."""
    rounds: int = 3
    """Rounds of strides and of sizes."""
    promised: str | None = None
    """The promised level; None: what the controller reports."""

    name = "raid_level"
    title = "the RAID level, from outside"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Small writes if allowed, and full stripes on a device."""
        chunks = 2 * MAX_DRIVES + 1
        seconds = 2 * ROUNDS * self.seconds + self.rounds * chunks * self.strided * TYPICAL_S / 4
        if target.writable:
            seconds += self.most * self.seconds + 2 * self.rounds * chunks * self.striped * TYPICAL_S
        return Needs(seconds=seconds, written=None if target.writable else 0, size=4 * chunks * CHUNK)

    def run(self, bench: Bench) -> Steps:
        """Run reads first. No write is then still on its way to the drives."""
        seen = _Seen()
        bench.settle()
        for _ in bench.rounds(ROUNDS):
            self._reads(bench, seen)
            yield
        for _ in bench.rounds(self.rounds):
            self._strides(bench, seen)
            yield
        if bench.target.writable and bench.rotating is not False:
            for _ in bench.rounds(self.most):
                seen.writes.add(self._random(bench, Op.WRITE, self.depth))
                found = steady.find(seen.writes.rates, "ops/s")
                yield
                if found is not None and not seen.writes.short:
                    seen.sustained = found.figure
                    break
            if bench.target.kind != "file":
                for _ in bench.rounds(self.rounds):
                    self._stripes(bench, seen)
                    yield
        return self._result(bench, seen)

    def _random(self, bench: Bench, op: Op, depth: int, seconds: float | None = None) -> Outcome:
        size = bench.fitting(self.size)
        several = stream(op, bench.places(size, PLACES), size, depth, cycle=True)
        return bench.run(several, seconds=seconds or self.seconds)

    def _reads(self, bench: Bench, seen: _Seen) -> None:
        """Read at the depth of the writes, and at small depths. Small depths show the number of spindles."""
        seen.reads.add(self._random(bench, Op.READ, self.depth))
        for depth in bench.shuffled((1, 2, 4, 8)):
            outcome = self._random(bench, Op.READ, depth, self.seconds / 2)
            seen.depths.setdefault(depth, []).extend(pace(outcome))

    def _chunks(self, bench: Bench) -> list[int]:
        """Sizes in bytes, from one chunk upwards. The last is twice the number of drives plus one, in chunks."""
        chunk, drives = bench.below.chunk, bench.below.drives or MAX_DRIVES
        most = min(2 * drives + 1, max(2, bench.target.size // chunk // 4))
        return [chunk * count for count in range(1, most + 1)]

    def _strides(self, bench: Bench, seen: _Seen) -> None:
        """Time random reads at multiples of each stride. Reads that all address one drive are slowest."""
        size = bench.fitting(self.size)
        for stride in bench.shuffled(self._chunks(bench)):
            outcome = bench.run(stream(Op.READ, bench.places(stride, self.strided), size, 16))
            seen.times.setdefault(stride, []).append(outcome.wall_seconds)

    def _stripes(self, bench: Bench, seen: _Seen) -> None:
        """Run sequential writes, each at a multiple of its size. Full stripes need no reads before.

        One at a time: Linux and controllers merge several concurrent writes to full stripes.
        """
        for each in bench.shuffled(self._chunks(bench)):
            size = bench.fitting(each)
            count = min(self.striped, bench.target.size // size)
            begin = bench.random.randrange(max(1, bench.target.size // size - count)) * size
            outcome = bench.run(stream(Op.WRITE, bench.row(size, begin, count), size))
            seen.speeds.setdefault(size, []).extend(size * rate for rate in pace(outcome))

    def _result(self, bench: Bench, seen: _Seen) -> TrialResult:
        layers = self._layers(bench, seen)
        verdict, reasons = judged(layers, self.promised or bench.below.level, promised=self.promised is not None)
        level = self.promised or bench.below.level
        whose = "promised" if self.promised else "as its controller reports"
        drives = spread(layers.data_drives, "drives", len(seen.speeds) or len(seen.times))
        cost = layers.cost.ratio if layers.cost else None
        figures = {
            "reads": seen.reads.spread(),
            "sustained_writes": seen.sustained or Spread(measured=None, unit="ops/s", n=seen.writes.operations),
            "write_cost": spread(cost, "ratio", seen.reads.operations + seen.writes.operations),
            "data_drives": drives,
            "spindles": layers.spindles,
        }
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({"read": seen.reads, "write": seen.writes}),
            model=_MODEL,
            expected=None if level is None else f"{level}, {whose}",
            verdict=verdict,
            reasons=(*reasons, *self._confounded(bench)),
            next_test="Ask the controller for the level, or name its drives: the capacity shows it."
            if verdict == "inconclusive"
            else None,
            series={
                "levels": list(layers.named),
                "posterior": {name: round(value, 4) for name, value in layers.posterior.items()},
                "by_layer": evidence(layers),
                "seconds_by_stride": [[stride, *times] for stride, times in sorted(seen.times.items())],
                "bytes_per_second_by_write": [[size, *speeds] for size, speeds in sorted(seen.speeds.items())],
            },
        )

    def _layers(self, bench: Bench, seen: _Seen) -> Layers:
        below, cached = bench.below, bench.measured("knee", "write_cache") is not None
        cost = pattern = stripe = None
        if not _hiding(bench):
            pattern, stripe = geometry.pattern_size(_medians(seen.times)), geometry.full_stripe(_medians(seen.speeds))
            if seen.sustained is not None and not seen.reads.short:
                cost = geometry.levels(seen.reads.spread(), seen.sustained, below.drives)
        return Layers(
            capacity=facts(below),
            cost=cost,
            cached=cached,
            pattern=pattern,
            stripe=stripe,
            chunk=below.chunk,
            drives=below.drives,
            spindles=scaling.fit(seen.depths).spindles,
        )

    def _confounded(self, bench: Bench) -> list[str]:
        notes = [f"{text} Its speed then shows no level." for text in _hiding(bench)]
        if bench.rotating is False:
            notes.append("Solid state, or a cache for all of it: the cost of a small write shows no level there.")
        if bench.target.kind == "file":
            notes.append("A file's position on the drives is unknown: full stripes were not searched.")
        if bench.below.strip is None:
            notes.append(f"The strip size (chunk) is unknown: it was searched in steps of {words(CHUNK)}.")
        return notes


def _hiding(bench: Bench) -> tuple[str, ...]:
    """What makes one array behave like another. RAID-5 without a drive is RAID-0 of the rest."""
    return tuple(one.text for one in bench.confounders if one.name in HIDING)


def _medians(several: Mapping[int, Sequence[float]]) -> dict[int, float]:
    return {key: median(values) or 0.0 for key, values in several.items()}
