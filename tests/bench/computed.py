"""An engine whose time is only computed: it asks the model of an array when each operation would be done.

Trials run on it in a moment, and the same each time; what they make of a real clock is tried over NBD.
"""

from __future__ import annotations

import heapq
from array import array
from dataclasses import dataclass, field
from typing import Any

from raidctl.bench.model.device import Device, Plan
from raidctl.bench.trials.trial import Below, Bench
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work


@dataclass
class Modelled:
    """The model as a target."""

    device: Device
    name: str = "the model"
    kind: str = "nbd"
    alignment: int = 4096
    direct: bool = True
    writable: bool = True

    @property
    def size(self) -> int:
        """Bytes."""
        return self.device.size


@dataclass
class Computed:
    """Carries out one stream after the other, in the model's time."""

    device: Device
    now: float = 100.0
    drops: bool = False
    """Whether a layer between answers each flush itself, and passes none on."""
    name: str = "computed"

    def usable(self, target: Target) -> str | None:
        """For the model only."""
        return None if isinstance(target, Modelled) else "only the model"

    def run(self, target: Target, work: Work) -> Outcome:
        """Compute it."""
        del target
        begin = self.now
        samples = [self._stream(stream, begin, work.seconds) for stream in work.streams]
        return Outcome(samples=samples, wall_seconds=self.now - begin, cpu_seconds=0.0, engine=self.name)

    def _stream(self, stream: Stream, begin: float, seconds: float | None) -> Samples:
        free = [begin] * stream.depth
        ops, rows = bytearray(), [array("Q"), array("Q"), array("Q")]
        number, count = 0, len(stream.ops)
        while number < count or stream.cycle:
            start = heapq.heappop(free)
            if seconds is not None and start - begin >= seconds and ops:
                break
            op, place = Op(stream.ops[number % count]), stream.offsets[number % count]
            end = self._one(start, op, place, stream.size)
            heapq.heappush(free, end)
            ops.append(op)
            for row, value in zip(rows, (place, (start - begin) * 1e9, (end - start) * 1e9), strict=True):
                row.append(int(value))
            number += 1
            self.now = max(self.now, end)
        results = array("i", (0 if op == Op.FLUSH else stream.size for op in ops))
        return Samples(
            ops=bytes(ops), offsets=rows[0], starts=rows[1], latencies=rows[2], results=results, size=stream.size
        )

    def _one(self, now: float, op: Op, place: int, size: int) -> float:
        if op == Op.FLUSH:
            return now + self.device.plan.latency if self.drops else self.device.flush(now)
        if op == Op.READ:
            return self.device.read(now, place, size)[0]
        return self.device.write(now, place, bytes(size), durable=op == Op.WRITE_DURABLE and not self.drops)

    def rest(self, seconds: float) -> None:
        """Let time go by."""
        self.now += seconds


@dataclass
class Stage:
    """A bench in the model's time."""

    plan: Plan
    below: Below = field(default_factory=Below)

    def bench(self, seed: int = 7, **given: Any) -> Bench:
        """A new model, and a bench on it; ``given``: fields of the bench."""
        device = Device(self.plan)
        engine = Computed(device)
        target = Modelled(device)
        return Bench(
            target=target, engine=engine, seed=seed, run_id=7, clock=lambda: engine.now, sleep=engine.rest,
            below=self.below, **given,
        )  # fmt: skip
