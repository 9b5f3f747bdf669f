"""Verify written data by reading back self-describing blocks."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.bench.blocks import State, classify
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, latencies, stream, words
from raidctl.bench.trials.plain import gets
from raidctl.bench.trials.trial import GIB, KIB, MIB, Bench, Needs, Steps, fitting
from raidctl.bench.verdict.decision import POWER_CUT
from raidctl.bench.work import Op, Target

SHOWN = 8
KEPT = 1000
SLOWEST = 20.0
"""MiB/s."""


@dataclass(frozen=True, kw_only=True)
class ReadBack:
    """The same offsets, written twice in random order, flushed, and read back."""

    block: int = 64 * KIB
    most: int = GIB
    """Maximum bytes written, twice; preferably more than the caches hold."""
    depth: int = 4

    name = "readback"
    title = "whether all data is read back as written"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Writes twice what it reads."""
        amount = min(self.most, target.size)
        return Needs(seconds=3 * amount / MIB / SLOWEST, written=2 * amount, size=4 * fitting(target, self.block))

    def run(self, bench: Bench) -> Steps:
        """Write an older generation first, so that a lost write is found."""
        size = bench.fitting(self.block)
        count = min(self.most, bench.target.size) // size
        writes, reads = Phase(), Phase()
        places = bench.places(size, count)
        writes.add(bench.run(stream(Op.WRITE, places, size, self.depth)))
        yield
        bench.generation += 1
        latest = bench.generation << 20
        writes.add(bench.run(stream(Op.WRITE, array("Q", bench.shuffled(places)), size, self.depth), generation=latest))
        bench.flush()
        yield
        outcome = bench.run(stream(Op.READ, places, size, self.depth), verify=True, generation=latest)
        reads.add(outcome)
        wrong = sorted(set(outcome.samples[0].mismatches))
        where = ", ".join(str(place) for place in wrong[:SHOWN]) + (" …" if len(wrong) > SHOWN else "")
        reasons = [f"All {count} blocks ({words(count * size)}) read back as they were written."]
        states = _states(bench, wrong[:KEPT], size, latest) if wrong else {}
        if wrong:
            reasons = [f"{len(wrong)} of {count} blocks do not read back as they were written: at byte {where}."]
            reasons += [f"{number} of them: {state}." for state, number in states.items()]
        doubt = _too_little(bench, count * size)
        reasons += doubt
        figures = {
            "write": writes.spread("MiB/s", size / MIB),
            "read": reads.spread("MiB/s", size / MIB),
            "wrong": Spread(measured=float(len(wrong)), unit="blocks", n=count),
        }
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({"write": writes, "read": reads}),
            model="Each sector carries the run, its place, its generation and a checksum.",
            expected="no block that differs",
            verdict="fail" if wrong else "inconclusive" if doubt else "pass",
            reasons=tuple(reasons),
            next_test=POWER_CUT if doubt and not wrong else None,
            series={"wrong_at": wrong[:KEPT], "states": states},
        )


def _states(bench: Bench, wrong: Sequence[int], size: int, generation: int) -> dict[str, int]:
    """States of the mismatches, most frequent first. Each block is read again, bypassing the engine."""
    counts: Counter[str] = Counter()
    with gets(bench.target, size) as get:
        for place in wrong:
            state = classify(get(place), place, bench.run_id, generation)
            counts["correct when read again" if state is State.OK else state.value] += 1
    return dict(counts.most_common())


def _too_little(bench: Bench, amount: int) -> list[str]:
    """The doubt that a cache held all of it and answered the reads, so that the drives were not tested."""
    barred = [one.text for one in bench.confounders if one.forbids]
    if barred:
        return [*barred, "Memory above the drives may have answered the reads, so the drives are not tested."]
    reported = None if bench.below.cache is None else bench.below.cache / MIB
    known = [one for one in (bench.measured("knee", "write_cache"), reported) if one is not None]
    if not known:
        return ["The size of the caches is unknown: they may have answered from memory, so the drives are not tested."]
    if amount >= 2 * max(known) * MIB:
        return []
    return [f"A cache of {max(known):.0f} MiB may have answered from memory: the drives are not tested."]
