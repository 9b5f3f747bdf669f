"""A test for compression or zero elimination below. With either, all figures depend on the data."""

from __future__ import annotations

import mmap
import time
from array import array
from dataclasses import dataclass

from raidctl.bench.blocks import Filler
from raidctl.bench.estimators import effect
from raidctl.bench.faulty import Faulty
from raidctl.bench.result import Confounder, TrialResult, Verdict
from raidctl.bench.targets import refuse_outside
from raidctl.bench.trials.phase import Phase, latencies, ratio, stream, unclear
from raidctl.bench.trials.plain import puts
from raidctl.bench.trials.trial import KIB, MIB, ROUNDS, Bench, Interrupted, Needs, Steps, fitting
from raidctl.bench.verdict.decision import REPEAT
from raidctl.bench.work import Op, Stream, Target, Work


@dataclass(frozen=True, kw_only=True)
class Compression:
    """Write zeros and random data to the same offsets, and read both.

    The engines can write only random data, so both are written by one plain loop, one after the other, each followed by
    a flush: only the ratio matters.
    """

    block: int = 64 * KIB
    blocks: int = 256
    """Blocks of each kind."""
    seconds: float = 0.5
    """Seconds of each phase in each round."""
    rounds: int = ROUNDS

    name = "compression"
    title = "whether zeros are treated differently"
    alone = False

    def needs(self, target: Target) -> Needs:
        """Writes as much as possible."""
        room = 2 * self.blocks * fitting(target, self.block)
        return Needs(seconds=5 * self.rounds * self.seconds, written=None, size=room)

    def run(self, bench: Bench) -> Steps:
        """Write zeros to one half and random data to the other. Read both, then swap them."""
        phases = {name: Phase() for name in ("write_random", "write_zeros", "read_random", "read_zeros")}
        size = bench.fitting(self.block)
        for number in bench.rounds(self.rounds):
            halves = {"random": number % 2, "zeros": 1 - number % 2}
            places: dict[str, array[int]] = {}
            for kind in bench.shuffled(list(halves)):
                places[kind] = self._write(bench, phases[f"write_{kind}"], halves[kind], zeros=kind == "zeros")
            for kind in bench.shuffled(list(halves)):
                reads = stream(Op.READ, places[kind], size, cycle=True)
                phases[f"read_{kind}"].add(bench.run(reads, seconds=self.seconds))
            # later reads must not find zeros
            bench.run(stream(Op.WRITE, places["zeros"], size))
            yield
        return self._result(bench, phases)

    def _write(self, bench: Bench, phase: Phase, half: int, *, zeros: bool) -> array[int]:
        """The offsets that were written."""
        size = bench.fitting(self.block)
        places = bench.places(size, self.blocks, begin=half * self.blocks * size, span=self.blocks * size)
        wanted = Stream(ops=bytes([Op.WRITE]) * len(places), offsets=places, size=size)
        # refused outside of the engine as within it
        refuse_outside(bench.target, Work(streams=[wanted]))
        if bench.over:
            raise Interrupted
        bench.flush()
        bench.generation += 1
        count, spent = self._put_all(bench, phase, places, size, zeros=zeros)
        begun = bench.clock()
        bench.flush()
        bench.written += size * count
        phase.add_rate(count, spent + bench.clock() - begun)
        return places[:count]

    def _put_all(self, bench: Bench, phase: Phase, places: array[int], size: int, *, zeros: bool) -> tuple[int, float]:
        """Write the offsets repeatedly until the time is up. Return the number of writes and the seconds."""
        spent, count = 0.0, 0
        with puts(bench.target) as put, mmap.mmap(-1, size) as memory, memoryview(memory) as view:
            filler = Filler(view, bench.run_id)
            try:
                while spent < self.seconds or not count:
                    turn, at = divmod(count, len(places))
                    if not zeros:
                        filler.fill(places[at], (bench.generation << 20) + turn, time.time_ns())
                    begun = bench.clock()
                    done = put(view, places[at])
                    wait = bench.clock() - begun
                    if done != size:
                        raise Faulty(f"A write to {bench.target.name} transferred less than requested.")
                    spent, count = spent + wait, count + 1
                    phase.histogram.add([int(wait * 1e9)])
            finally:
                filler.release()
        return count, spent

    def _result(self, bench: Bench, phases: dict[str, Phase]) -> TrialResult:
        writes, reads = (ratio(phases[f"{way}_random"], phases[f"{way}_zeros"]) for way in ("write", "read"))
        figures = {name: phase.spread("MiB/s", bench.fitting(self.block) / MIB) for name, phase in phases.items()}
        marks = {"Writing": effect.marked(writes), "Reading": effect.marked(reads)}
        faster = [name for name, marked in marks.items() if marked]
        verdict: Verdict = "info"
        reasons: tuple[str, ...] = ("Zeros are treated as any data.",)
        if faster:
            verdict = "suspect"
            reasons = tuple(f"{name} zeros is faster than random data: {_WHY}" for name in faster)
            bench.confounders += (Confounder(name="compression", text=reasons[0]),)
        elif None in marks.values():
            verdict, reasons = "inconclusive", (unclear(phases.values(), "The rounds differ too much for a verdict."),)
        return TrialResult(
            trial=self.name,
            figures={**figures, "write_ratio": writes, "read_ratio": reads},
            latency=latencies(phases),
            model=f"Up to {effect.MARKED_ABOVE} times as fast is chance.",
            expected="the same speed",
            verdict=verdict,
            reasons=reasons,
            next_test=REPEAT if verdict == "inconclusive" else None,
        )


_WHY = "something below compresses, or leaves them out, and all figures depend on the data."
