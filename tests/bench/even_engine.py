"""An engine whose throughput is constant, for trials on a separate clock."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from raidctl.bench.trials.trial import MIB
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work

SPEED = 1000
"""MiB/s."""


@dataclass
class Even:
    """An engine with a constant throughput, on a separate clock."""

    now: float = 0.0
    name: str = "even"

    def usable(self, target: Target) -> str | None:
        """Accept any target with a size."""
        return None if target.size else "There is nothing to move."

    def run(self, target: Target, work: Work) -> Outcome:
        """Compute the work."""
        del target
        samples = [_moved(stream, work.seconds) for stream in work.streams]
        spent = max(one.starts[-1] + one.latencies[-1] for one in samples) / 1e9
        self.now += spent
        return Outcome(samples=samples, wall_seconds=spent, cpu_seconds=0.0, engine=self.name)


def _moved(stream: Stream, seconds: float | None) -> Samples:
    each = stream.size * 10**9 // (SPEED * MIB)
    most = len(stream.ops) if seconds is None else max(1, int(seconds * 1e9) // each)
    count = most if stream.cycle else min(most, len(stream.ops))
    times = -(-count // len(stream.ops))
    ops = (stream.ops * times)[:count]
    return Samples(
        ops=ops, offsets=(stream.offsets * times)[:count], starts=array("Q", range(0, each * count, each)),
        latencies=array("Q", [each]) * count,
        results=array("i", (0 if op == Op.FLUSH else stream.size for op in ops)), size=stream.size,
    )  # fmt: skip
