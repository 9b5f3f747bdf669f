"""Sequential speed across the drive."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from raidctl.bench.estimators import zcav
from raidctl.bench.estimators.figures import deviation, median, spread
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, ends, latencies, stream
from raidctl.bench.trials.trial import GIB, MIB, Bench, Needs, Steps
from raidctl.bench.work import Op, Samples, Target

SHORTEST = 0.3
"""Minimum seconds of reading a position that spans several pieces."""
_REASONS = {
    "flat": "The speed is the same everywhere: solid state, a cache, or a virtual disk.",
    "falling": "The speed falls from outside to inside.",
    "step_up": "The speed steps up inside: several spans follow each other.",
    "plateau": "The speed is level and then falls: an interface limits the outside.",
    "unmapped": "Parts are read faster than any drive: they were never written, or are cached.",
    "unclear": "The curve has no known shape.",
}


@dataclass(frozen=True, kw_only=True)
class Zcav:
    """Several passes over positions in random order. Only the middle third of each piece counts."""

    positions: int = 64
    piece: int = 64 * MIB
    passes: int = 3
    block: int = MIB
    depth: int = 2

    name = "zcav"
    title = "the speed across the drive"
    alone = False

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        piece = self._piece(target)
        seconds = self.passes * self.positions * max(SHORTEST, piece / (100 * MIB))
        return Needs(seconds=seconds, size=self.positions * 3 * self.block)

    def _piece(self, target: Target) -> int:
        return max(3 * self.block, min(self.piece, target.size // self.positions // self.block * self.block))

    def run(self, bench: Bench) -> Steps:
        """Run one pass over all positions per round."""
        speeds: dict[float, list[float]] = defaultdict(list)
        phase, size = Phase(), bench.fitting(self.block)
        count = self._count(bench, size)
        room = bench.target.size - count * size
        for _ in bench.rounds(self.passes):
            for number in bench.shuffled(range(self.positions)):
                share = number / max(1, self.positions - 1)
                places = bench.row(size, int(share * room), count)
                outcome = bench.run(stream(Op.READ, places, size, self.depth))
                phase.add(outcome)
                speed = _middle(outcome.samples[0])
                if speed is not None:
                    speeds[share].append(speed)
            yield
        return self._result(bench, speeds, phase)

    def _count(self, bench: Bench, size: int) -> int:
        """Return the blocks of a piece.

        It gets more if it is read in less than 0.3 s, as long as pieces do not overlap.
        """
        count, most = self._piece(bench.target) // size, bench.target.size // self.positions // size
        begin = bench.random.randrange(max(1, bench.target.size // size - count)) * size
        seconds = bench.run(stream(Op.READ, bench.row(size, begin, count), size, self.depth)).wall_seconds
        return min(max(count, most), max(count, math.ceil(count * SHORTEST / max(seconds, 1e-6))))

    def _result(self, bench: Bench, speeds: dict[float, list[float]], phase: Phase) -> TrialResult:
        curve = zcav.classify(list(speeds.items()))
        reasons = [_REASONS[curve.shape]]
        if curve.shape == "falling" and curve.ratio is not None:
            many = "as one set of drives is" if curve.spindles else "which one set of drives is not"
            reasons = [f"It is {curve.ratio:.2f} times as fast outside as inside, {many}."]
        reasons += [f"Slow in most passes at {place:.0%} of the span." for place in curve.dips]
        if bench.target.kind == "file":
            reasons.append("Only a file was read: its position on the drive is unknown.")
        verdict: Verdict = "inconclusive" if curve.shape == "unclear" else "info"
        size = bench.target.size
        rows = [
            [round(share * size / GIB, 4), round(median(values) or 0.0, 2), round(deviation(values), 3)]
            for share, values in sorted(speeds.items())
        ]
        return TrialResult(
            trial=self.name,
            figures={
                **_figures(speeds, phase),
                "ratio": spread(None if phase.short else curve.ratio, "ratio", len(speeds)),
            },
            latency=latencies({"read": phase}),
            model="Outer tracks are longer: a drive is 1.5 to 2.5 times as fast outside as inside.",
            verdict=verdict,
            reasons=tuple(reasons),
            next_test="Measure the whole device, idle, with more positions." if verdict == "inconclusive" else None,
            series={
                "gib_mib_s_deviation": rows,
                "shape": curve.shape,
                "steps": list(curve.steps),
                "dips": list(curve.dips),
                "plateau_ends": curve.plateau_ends,
                "unmapped": [list(stretch) for stretch in curve.unmapped],
            },
        )


def _figures(speeds: dict[float, list[float]], phase: Phase) -> dict[str, Spread]:
    """Speed of the outer and inner tenth, and the median of all. Without enough data, there are none."""
    ordered = sorted(speeds.items())
    tenth = max(3, len(ordered) // 10)
    parts = {"outer": ordered[:tenth], "inner": ordered[-tenth:], "middle": ordered}
    if phase.short:
        return {name: spread(None, "MiB/s", phase.operations) for name in parts}
    return {name: of_rounds([speed for _, values in part for speed in values], "MiB/s") for name, part in parts.items()}


def _middle(samples: Samples) -> float | None:
    """MiB/s of the middle third of a piece."""
    moments = ends(samples)
    low, high = len(moments) // 3, 2 * len(moments) // 3
    if high <= low or moments[high] <= moments[low]:
        return None
    return (high - low) * samples.size / MIB * 1e9 / (moments[high] - moments[low])
