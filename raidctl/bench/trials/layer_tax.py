"""The cost of a mapping against the device below. Such mappings are LVM and encryption."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from raidctl.bench.estimators import effect
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.trials.phase import MIB, Phase, latencies, ratio, stream, unclear, words
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Range, Steps
from raidctl.bench.trials.views import View, part
from raidctl.bench.verdict.decision import REPEAT
from raidctl.bench.work import Op, Target
from raidctl.errors import BenchError

PLACES = 1 << 14
APART = 0.37
"""Distance of a round's two sequential reads. It is a share of the range, and keeps one from benefiting from the other.
"""
MIN_BYTES = 2 * MIB
"""Minimum bytes of a range. In smaller ones, neither sequential nor random reads stay apart."""
WAYS = {"random": (4 * KIB, 1), "random_qd16": (4 * KIB, 16), "sequential": (MIB, 4)}
_UNCLEAR = "The difference is within the spread of the rounds."
_TITLES = {"random": "random reads", "random_qd16": "random reads, 16 at once,", "sequential": "sequential reads"}


@dataclass(frozen=True, kw_only=True)
class LayerTax:
    """Reads on both, in random order, round by round; writes to neither."""

    seconds: float = 1.0
    rounds: int = ROUNDS

    name = "layer_tax"
    title = "what the device mapper costs"
    alone = False

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        del target
        return Needs(seconds=self.rounds * self.seconds * 2 * len(WAYS))

    def run(self, bench: Bench) -> Steps:
        """Run on the largest range that the mapping has on one device."""
        ranges = bench.below.ranges
        if not ranges:
            why = bench.below.why_no_ranges or "There is no device-mapper mapping below: nothing to compare."
            return TrialResult(trial=self.name, figures={}, reasons=(why,))
        piece = max(ranges, key=lambda one: one.length)
        if piece.length < MIN_BYTES:
            size = words(piece.length)
            raise BenchError(
                f"The largest piece that {piece.mapping} has on one device is {size}, too small to compare."
            )
        phases = {(way, side): Phase() for way in WAYS for side in ("layer", "below")}
        with (
            part(piece.mapping, piece.start, piece.length) as layer,
            part(piece.path, piece.first, piece.length) as low,
        ):
            for _ in bench.rounds(self.rounds):
                for way in bench.shuffled(list(WAYS)):
                    self._pair(bench, way, {"layer": layer, "below": low}, phases)
                yield
        return self._result(piece, phases)

    def _pair(self, bench: Bench, way: str, sides: dict[str, View], phases: dict[tuple[str, str], Phase]) -> None:
        size, depth = WAYS[way]
        slots = sides["below"].size // size
        places = bench.random.sample(range(slots), min(2 * PLACES, slots // 2 * 2)) if way != "sequential" else []
        first = bench.random.randrange(slots)
        for turn, side in enumerate(bench.shuffled(list(sides))):
            if places:
                mine = places[turn::2]
            else:
                begin = first + int(turn * APART * slots)
                mine = [(begin + step) % slots for step in range(min(slots, PLACES))]
            row = stream(Op.READ, array("Q", (size * slot for slot in mine)), size, depth, cycle=True)
            phases[way, side].add(bench.run(row, seconds=self.seconds, target=sides[side]))

    def _result(self, piece: Range, phases: dict[tuple[str, str], Phase]) -> TrialResult:
        figures, weights, reasons = dict[str, Spread](), list[effect.Weight](), list[str]()
        for way, (size, _) in WAYS.items():
            unit, factor = ("MiB/s", size / MIB) if way == "sequential" else ("ops/s", 1.0)
            for side in ("layer", "below"):
                figures[f"{side}_{way}"] = phases[way, side].spread(unit, factor)
            found = ratio(phases[way, "below"], phases[way, "layer"])
            figures[f"{way}_ratio"] = found
            weight = effect.weigh(found, warn=effect.LAYER_WARN)
            weights.append(weight)
            if weight in ("warn", "note") and found.measured is not None:
                reasons.append(
                    f"{_TITLES[way].capitalize()} are {1 - found.measured:.0%} slower through {piece.mapping}."
                )
        verdict: Verdict = "info"
        if "warn" in weights:
            verdict = "suspect"
        elif "unclear" in weights and not reasons:
            verdict, reasons = "inconclusive", [unclear(phases.values(), _UNCLEAR)]
        elif not reasons:
            reasons = [f"Reads through {piece.mapping} are as fast as on {piece.path} below it."]
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({f"{side}_{way}": phase for (way, side), phase in phases.items()}),
            model=f"A mapping ({piece.kind}) passes reads on; up to {effect.LAYER_WARN:.0%} is its cost.",
            expected=f"at most {effect.LAYER_WARN:.0%} slower than {piece.path}",
            verdict=verdict,
            reasons=tuple(reasons),
            next_test=REPEAT if verdict == "inconclusive" else None,
            series={"below": [piece.path, piece.first, piece.length], "mapping": [piece.mapping, piece.start]},
        )
