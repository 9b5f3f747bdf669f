"""An engine on a virtual clock. It computes the end of each operation from the model of an array, without sleeping.

Trials run on it in a moment, with the same result each time, however slow or busy the machine is.
"""

from __future__ import annotations

import heapq
import time
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl.bench.blocks import Checker, State, block
from raidctl.bench.engines.process_group import Report
from raidctl.bench.model.device import Device, Plan
from raidctl.bench.targets.nbd_link import Link
from raidctl.bench.trials.trial import GIB, Below, Bench
from raidctl.bench.work import Op, Outcome, Samples, Stream, Target, Work

TIME = 99
"""The time of writing in the blocks. It does not depend on a clock."""


@dataclass
class Clock:
    """Seconds that only operations and rests advance."""

    now: float = 100.0

    def rest(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds


@dataclass
class Modelled:
    """The model as a target."""

    device: Device
    clock: Clock = field(default_factory=Clock)
    drops: bool = False
    """Whether a layer in between acknowledges each flush without passing it on."""
    name: str = "the model"
    kind: str = "nbd"
    alignment: int = 4096
    direct: bool = True
    writable: bool = True

    @property
    def size(self) -> int:
        """Bytes."""
        return self.device.size

    def connect(self) -> Link:
        """A connection that bypasses the engine, for one operation at a time."""
        return _Way(self)

    def past(self) -> Modelled:
        """The same array, without the layer that drops flushes."""
        return Modelled(self.device, self.clock)

    def ends(self, now: float, op: Op, place: int, data: bytes) -> float:
        """The time at which an operation that begins now is done."""
        if op == Op.FLUSH:
            return now + self.device.plan.latency if self.drops else self.device.flush(now)
        return self.device.write(now, place, data, durable=op == Op.WRITE_DURABLE and not self.drops)


class _Way(Link):
    """A connection to a model without a server."""

    def __init__(self, target: Modelled) -> None:
        self._target = target

    def read(self, offset: int, length: int) -> bytes:
        """Read."""
        self._target.clock.now, data = self._target.device.read(self._target.clock.now, offset, length)
        return data

    def write(self, offset: int, data: bytes, *, durable: bool = False) -> None:
        """Write."""
        self._do(Op.WRITE_DURABLE if durable else Op.WRITE, offset, data)

    def flush(self) -> None:
        """Flush."""
        self._do(Op.FLUSH, 0, b"")

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _do(self, op: Op, offset: int, data: bytes) -> None:
        self._target.clock.now = self._target.ends(self._target.clock.now, op, offset, data)


@dataclass
class _Lane:
    """One stream under way."""

    target: Modelled
    stream: Stream
    work: Work
    number: int = 0
    barrier: float = 0.0
    """The end of the last flush, before which nothing begins."""
    latest: float = 0.0
    done: list[tuple[float, int, int, float]] = field(default_factory=list)
    """End, kind, offset and start of each operation."""
    wrong: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._checker = Checker(self.stream.size, self.work.run_id, self.work.generation) if self.work.verify else None
        self._zeros = bytes(self.stream.size)

    def due(self, now: float, begin: float) -> float | None:
        """When its next operation may begin. A place of its depth has to be free. None at its end."""
        number, count = self.number, len(self.stream.ops)
        over = self.work.seconds is not None and now - begin >= self.work.seconds and self.done
        if over or (number >= count and not self.stream.cycle):
            return None
        intended = self.stream.intended
        due = max(now, self.barrier, begin + intended[number] / 1e9 if intended else 0.0)
        # of several operations under way, a flush waits for all those before it
        return max(due, self.latest) if self.stream.ops[number % count] == Op.FLUSH else due

    def carry_out(self, now: float, begin: float) -> float:
        """Run the next operation; returns its end."""
        turn, at = divmod(self.number, len(self.stream.ops))
        op, place, size = Op(self.stream.ops[at]), self.stream.offsets[at], self.stream.size
        if op == Op.READ:
            end, data = self.target.device.read(now, place, size)
            if self._checker is not None and self._checker.check(data, place) is not State.OK:
                self.wrong.append(place)
        else:
            kept = op != Op.FLUSH and self.target.device.plan.keep
            made = block(self.work.run_id, place, size, self.work.generation + turn, TIME) if kept else self._zeros
            end = self.target.ends(now, op, place, made)
        self.barrier = end if op == Op.FLUSH else self.barrier
        self.latest = max(self.latest, end)
        start = begin + self.stream.intended[at] / 1e9 if self.stream.intended else now
        self.done.append((end, op, place, start))
        self.number += 1
        return end

    def samples(self, begin: float) -> Samples:
        """The samples, in the order of their ends."""
        self.done.sort()
        ops = bytes(op for _, op, _, _ in self.done)
        rows = [array("Q"), array("Q"), array("Q")]
        for end, _, place, start in self.done:
            for row, value in zip(rows, (place, (start - begin) * 1e9, (end - start) * 1e9), strict=True):
                row.append(int(value))
        results = array("i", (0 if op == Op.FLUSH else self.stream.size for op in ops))
        return Samples(
            ops=ops, offsets=rows[0], starts=rows[1], latencies=rows[2], results=results, size=self.stream.size,
            mismatches=self.wrong,
        )  # fmt: skip


@dataclass
class Computed:
    """Runs all streams of a work in parallel, in the model's time."""

    clock: Clock = field(default_factory=Clock)
    name: str = "computed"
    instead: Modelled | None = None
    """A model that is used instead of any other target. The times of a file are computed, without access to it."""

    @property
    def now(self) -> float:
        """The seconds on the clock."""
        return self.clock.now

    def usable(self, target: Target) -> str | None:
        """The reason why it cannot run on this target. None: it can."""
        return None if isinstance(target, Modelled) or self.instead is not None else "only the model"

    def run(self, target: Target, work: Work) -> Outcome:
        """Compute the work."""
        begin = self.now
        samples = self._side_by_side([(target, work)])[0]
        return Outcome(samples=samples, wall_seconds=self.now - begin, cpu_seconds=0.0, engine=self.name)

    def together(self, works: Sequence[tuple[Target, Work]]) -> list[Report]:
        """Compute several works at once, each on its target."""
        begin, reports = self.now, []
        for (one,) in self._side_by_side(works):
            ends = array("Q", (s + w for s, w in zip(one.starts, one.latencies, strict=True)))
            reports.append(Report(starts=array("Q", [0]), ends=ends, notes={self.name}))
        assert self.now > begin
        return reports

    def _side_by_side(self, works: Sequence[tuple[Target, Work]]) -> list[list[Samples]]:
        begin = self.now
        lanes: dict[int, list[_Lane]] = defaultdict(list)
        for number, (target, work) in enumerate(works):
            asked = target if isinstance(target, Modelled) else self.instead
            assert asked is not None
            lanes[number] = [_Lane(asked, stream, work) for stream in work.streams]
        every = [lane for several in lanes.values() for lane in several]
        # a place under way for each operation of a stream's depth: when it is free, and whose it is
        free = [(begin, turn) for turn, lane in enumerate(every) for _ in range(lane.stream.depth)]
        while free:
            now, turn = heapq.heappop(free)
            due = every[turn].due(now, begin)
            if due is not None:
                heapq.heappush(free, (due if due > now else every[turn].carry_out(now, begin), turn))
        self.clock.now = max([self.now, *(lane.latest for lane in every)])
        return [[lane.samples(begin) for lane in several] for several in lanes.values()]


@dataclass
class Stage:
    """A bench in the model's time."""

    plan: Plan
    below: Below = field(default_factory=Below)

    def bench(self, seed: int = 7, engine: Computed | None = None, **given: Any) -> Bench:
        """A new model, and a bench on it. ``given`` are fields of the bench."""
        engine = engine or Computed()
        clock = engine.clock
        return Bench(
            target=Modelled(Device(self.plan), clock), engine=engine, seed=seed, run_id=7, clock=lambda: clock.now,
            sleep=clock.rest, below=self.below, **given,
        )  # fmt: skip


def beside(target: Target, engine: Computed | None = None, **given: Any) -> Bench:
    """A bench on a file with the times of flash. ``given`` are fields of the bench.

    Operations that bypass the engine go to the file, and take real time.
    """
    engine = engine or Computed()
    clock = engine.clock
    engine.instead = Modelled(Device(Plan(kind="write-through", rpm=0, size=max(target.size, 1 << 20))), clock)
    fields = {"seed": 7, "run_id": 7, **given}
    return Bench(target, engine, clock=lambda: clock.now + time.monotonic(), sleep=clock.rest, **fields)


def measured_model(bench: Bench) -> Modelled:
    """The model that a bench of a stage measures."""
    assert isinstance(bench.target, Modelled)
    return bench.target


def set_cache(bench: Bench, words: str) -> None:
    """Change a setting of the model with a control socket command."""
    what, how = words.split()
    device, now = measured_model(bench).device, measured_model(bench).clock.now
    if what == "policy":
        device.set_write_back(now, how == "write-back")
    else:
        device.set_drive_cache(now, how == "on")


def drives_of(**given: object) -> Plan:
    """Drives of 7200 rpm, without any cache by default."""
    return Plan(**{"kind": "write-through", "size": 8 * GIB, "keep": False, **given})  # type: ignore[arg-type]  # the fields are named
