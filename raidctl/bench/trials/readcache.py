"""Size and speed of a read cache below the kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.bench.estimators import readcache
from raidctl.bench.estimators.readcache import WorkingSet
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import MIB, Phase, latencies, milliseconds, stream, words
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Target

SLOWEST = 60.0
"""Usual MiB/s of the first read of a working set."""
TYPICAL_S = 0.01
MUCH = 25.0
"""Percent of a controller's cache for reads above which to warn."""

PIECE = 2 * MIB
"""Bytes that are read repeatedly."""
BLOCK = 256 * KIB


@dataclass
class _Seen:
    sets: dict[int, list[float]] = field(default_factory=dict)
    """Milliseconds of the reads of each working set, by its bytes."""
    phases: dict[str, Phase] = field(default_factory=lambda: {"reread": Phase(), "elsewhere": Phase()})


@dataclass(frozen=True, kw_only=True)
class ReadCache:
    """Working sets, from small to large, read once and then at random.

    Reads that hit a cache are fast. The same 2 MiB are then read repeatedly, as hdparm -T --direct does: the throughput
    between host and cache.
    """

    most: int = 4096 * MIB
    """Maximum bytes of a working set."""
    reads: int = 500
    """Reads of each working set."""
    size: int = 4 * KIB
    seconds: float = 2.0
    """Seconds of reading the same bytes, in all rounds together."""

    name = "read_cache"
    title = "what is read from a cache"
    alone = True

    def sets(self, size: int) -> list[int]:
        """Bytes of the working sets, as powers of two. The target has ``size`` bytes."""
        found = [MIB]
        while found[-1] * 2 <= min(self.most, size):
            found.append(found[-1] * 2)
        return found

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        several = self.sets(target.size)
        seconds = self.seconds * 2 + sum(several) / MIB / SLOWEST + len(several) * self.reads * TYPICAL_S
        return Needs(seconds=seconds, size=2 * PIECE)

    def run(self, bench: Bench) -> Steps:
        """Run the small sets first, and stop when hardly any read hits."""
        seen, size = _Seen(), bench.fitting(self.size)
        several = self.sets(bench.target.size)
        for number in bench.rounds(len(several)):
            seen.sets[several[number]] = self._set(bench, several[number], size)
            yield
            if self._enough(seen):
                break
        for _ in bench.rounds(ROUNDS):
            self._again(bench, seen.phases)
            yield
        return self._result(seen, bench.below.read_percent, bench.fitting(BLOCK))

    def _set(self, bench: Bench, span: int, size: int) -> list[float]:
        """Read all of it once, then parts at random. Return milliseconds of the latter."""
        begin = bench.random.randrange(bench.target.size // span) * span
        block = bench.fitting(min(64 * KIB, span))
        bench.run(stream(Op.READ, bench.row(block, begin, span // block, end=begin + span), block, 4))
        outcome = bench.run(stream(Op.READ, bench.places(size, self.reads, begin=begin, span=span), size))
        return milliseconds(outcome.samples[0].latencies)

    def _enough(self, seen: _Seen) -> bool:
        """Whether the last two sets were nearly all misses. Larger ones would then show nothing more."""
        counted = self._counted(seen)
        last = [one.hits / one.reads for one in counted[-2:]]
        return len(last) == 2 and max(last) < 0.1 and any(one.hits / one.reads > 0.5 for one in counted)

    def _counted(self, seen: _Seen) -> list[WorkingSet]:
        parting = readcache.valley([wait for waits in seen.sets.values() for wait in waits])
        if parting is None:
            return []
        return [readcache.count_hits(span / MIB, waits, parting) for span, waits in sorted(seen.sets.items())]

    def _again(self, bench: Bench, phases: dict[str, Phase]) -> None:
        """Read the same bytes repeatedly, and as many unread ones. Their order is random."""
        block = bench.fitting(BLOCK)
        seconds = self.seconds / ROUNDS
        for name in bench.shuffled(list(phases)):
            if name == "reread":
                places = bench.row(block, 0, PIECE // block, end=PIECE)
                bench.run(stream(Op.READ, places, block))
            else:
                begin = bench.random.randrange(max(1, bench.target.size // block))
                places = bench.row(block, begin * block, min(bench.target.size // block, 1 << 14))
            phases[name].add(bench.run(stream(Op.READ, places, block, cycle=True), seconds=seconds))

    def _result(self, seen: _Seen, read_percent: float | None, block: int) -> TrialResult:
        counted = self._counted(seen)
        size = readcache.cache_size(counted)
        reasons = _reasons(seen, counted, size)
        return TrialResult(
            trial=self.name,
            figures={
                "read_cache": size,
                **{name: phase.spread("MiB/s", block / MIB) for name, phase in seen.phases.items()},
            },
            latency=latencies(seen.phases),
            model="If the working set is larger than the cache, the hit ratio is the share that fits into the cache.",
            reasons=(*reasons, *_warned(read_percent)),
            series={"hits_by_mib": [[one.size, one.hits, one.reads] for one in counted]},
        )


def _reasons(seen: _Seen, counted: list[WorkingSet], size: Spread) -> list[str]:
    """The size, or why it is unknown."""
    largest = words(max(seen.sets, default=0))
    if not counted:
        return [f"Reads of all working sets up to {largest} take about as long: there is no cache, or it holds them."]
    if size.measured is None or size.low is None or size.high is None:
        return [f"Nearly all reads hit, or nearly none did, up to {largest}: its size is unknown."]
    return ["This includes the drives' own buffers and, in a virtual machine, a cache of the host."]


def _warned(read_percent: float | None) -> list[str]:
    """Warn if much of the cache is reserved for reads. Main memory is the larger read cache."""
    if read_percent is None or read_percent <= MUCH:
        return []
    text = f"Warning: the controller keeps {read_percent:.0f}% of its cache for reads. The machine's own memory caches "
    return [f"{text}reads as well; more than {MUCH:.0f}% is normally better given to writes."]
