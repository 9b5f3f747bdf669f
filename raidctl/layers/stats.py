"""How the caches are used: counters where there are any, and what can be concluded where there are none. Pure.

A controller's cache has no counters that its tool tells. What the kernel knows of its volumes is how long their
requests took (``/sys/block/X/stat``), and a disk that turns needs milliseconds for what a cache answers in a fraction
of one. The share of requests that the cache took is what explains the mean:

    mean = share * cache + (1 - share) * disk

Streams also need few movements of the heads, so the share is an upper bound; the method says so beside each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.discovery.sysfs import path_of
from raidctl.host import BlockDevice, HostView
from raidctl.layers import dm
from raidctl.layers.kernel import Files, Kernel
from raidctl.layers.model import Counter, LayerStats, Unit
from raidctl.layers.scope import KERNEL, VM, Scope
from raidctl.layers.words import human, number, state
from raidctl.model import Controller, Problem, Volume
from raidctl.request import Dialogue, Read, Trouble, ask_all

OF_CACHE, OF_DISK = 0.2, 6.0
"""Milliseconds that a request takes: out of a cache, and from a disk that has to move its heads."""
ENOUGH = 100
"""Requests below which a mean says nothing."""
_SECTOR = 512
_FIELDS = 11
"""Figures of a line of ``stat`` before 4.18; later ones have 15 or 17."""
METHOD = (
    "estimate: /sys/block/{0}/stat, mean time of a request against {1:g} ms from a cache and {2:g} ms from a disk; "
    "an upper bound, sequential requests look like hits"
)
PLAIN_METHOD = "/sys/block/{0}/stat; which of the requests a cache has answered cannot be told apart"


@dataclass(frozen=True)
class Times:
    """A line of ``/sys/block/X/stat``."""

    reads: int
    read_bytes: int
    read_ms: int
    writes: int
    write_bytes: int
    write_ms: int
    in_flight: int
    flushes: int | None = None
    flush_ms: int | None = None


@dataclass
class Sample:
    """All counters at one moment."""

    kernel: Kernel
    times: Mapping[str, Times] = field(default_factory=dict)
    """By kernel name."""
    bypassed: Mapping[str, int] = field(default_factory=dict)
    """Requests that the driver of a card has sent past its cache, by kernel name."""
    problems: Sequence[Problem] = ()


def devices(scope: Scope, view: HostView) -> list[BlockDevice]:
    """The block devices whose requests are counted: of volumes and drives."""
    nodes = [volume.device for _, volume in scope.volumes] + [drive.device for _, drive in scope.drives]
    found = {block.name: block for node in nodes if node and (block := view.block(node)) is not None}
    return list(found.values())


def sample(view: HostView, scope: Scope, kernel: Kernel) -> Dialogue[Sample]:
    """Read the statistics of the block devices; ``kernel`` was read at the same moment."""
    names = [block.name for block in devices(scope, view)]
    if not scope.volumes and not scope.drives:
        names = [block.name for block in scope.blocks if block.kind in ("disk", "md")]
    kinds = ("stat", "device/raid_bypass_cnt")
    answers = iter((yield from ask_all([Read(path_of(name, kind)) for name in names for kind in kinds])))
    times: dict[str, Times] = {}
    bypassed: dict[str, int] = {}
    problems: list[Problem] = []
    for name in names:
        stat, bypass = next(answers), next(answers)
        if stat.text is None:
            if stat.trouble is not Trouble.MISSING:
                problems.append(_problem(path_of(name, "stat"), f"could not be read ({stat.detail or 'no answer'})"))
        else:
            try:
                times[name] = parse(stat.text)
            except ValueError as error:
                problems.append(_problem(path_of(name, "stat"), f"cannot be understood: {error}"))
        count = Files("", {"count": bypass}, []).value("count", number)
        if count is not None:
            bypassed[name] = count
    return Sample(kernel, times, bypassed, (*kernel.problems, *problems))


def _problem(path: str, what: str) -> Problem:
    return Problem(severity="warning", where=path, message=f"{path} {what}.", kind="unread")


def parse(text: str) -> Times:
    """A line of ``stat``: requests, merged, sectors, milliseconds for reads, the same for writes, and more.

    Raises:
        ValueError: It is no such line.
    """
    figures = [number(word) for word in text.split()]
    if len(figures) < _FIELDS:
        raise ValueError(f"{len(figures)} figures instead of {_FIELDS} or more")
    flushes = figures[15:17] if len(figures) >= 17 else [None, None]
    return Times(
        figures[0], figures[2] * _SECTOR, figures[3], figures[4], figures[6] * _SECTOR, figures[7], figures[8], *flushes
    )


def statistics(scope: Scope, view: HostView, now: Sample, before: Sample | None, seconds: float) -> list[LayerStats]:
    """The figures of every layer, from the top to the bottom; rates where there was a look before."""
    work = _Work(scope, view, now, before, seconds)
    return [*work.memory(), *work.blocks(), *work.controllers(), *work.drives()]


@dataclass
class _Work:
    scope: Scope
    view: HostView
    now: Sample
    before: Sample | None
    seconds: float

    def rate(self, name: str, value: float | None, earlier: float | None, unit: Unit = "count") -> Counter:
        """A figure that grows, with its growth; none where it went back: the device was made anew."""
        grown = None
        if value is not None and earlier is not None and self.seconds > 0 and value >= earlier:
            grown = round((value - earlier) / self.seconds, 3)
        return Counter(name=name, value=value, unit=unit, per_second=grown)

    def memory(self) -> Iterator[LayerStats]:
        """Dirty pages, and how many become so and are written."""
        kernel, old = self.now.kernel, self.before.kernel if self.before else None
        counters = [
            Counter(name="dirty", value=kernel.memory.get("Dirty"), unit="bytes"),
            Counter(name="being written", value=kernel.memory.get("Writeback"), unit="bytes"),
            Counter(name="dirty limit", value=kernel.page_bytes("nr_dirty_threshold"), unit="bytes"),
        ]
        for label, name in (("dirtied", "nr_dirtied"), ("written", "nr_written")):
            counters.append(self.rate(label, kernel.page_bytes(name), old.page_bytes(name) if old else None, "bytes"))
        told = tuple(counter for counter in counters if counter.value is not None)
        yield LayerStats(layer=VM, kind="page_cache", estimate=False, counters=told)

    def blocks(self) -> Iterator[LayerStats]:
        """Device mapper, bcache, md."""
        for block in self.scope.blocks:
            layer = f"{KERNEL}:{block.name}"
            if block.name in self.now.kernel.targets:
                yield self._mapping(layer, block)
            elif block.name in self.now.kernel.bcaches:
                yield self._bcache(layer, block)
            elif block.name in self.now.kernel.arrays:
                yield self._array(layer, block)

    def _mapping(self, layer: str, block: BlockDevice) -> LayerStats:
        told, old = _read(self.now, block.name), _read(self.before, block.name)
        counters = [
            Counter(name="size", value=told.size_bytes, unit="bytes"),
            Counter(name="used", value=told.used_bytes, unit="bytes"),
            Counter(name="unwritten", value=told.unwritten_bytes, unit="bytes"),
            *(self.rate(name, value, old.counters.get(name)) for name, value in told.counters.items()),
            *_ratio("read hit ratio", told.counters, old.counters if self.before else {}),
        ]
        return LayerStats(
            layer=layer,
            kind="dm_writecache" if told.target == "writecache" else "dm_cache",
            name=block.dm_name,
            estimate=False,
            counters=tuple(counter for counter in counters if counter.value is not None),
        )

    def _bcache(self, layer: str, block: BlockDevice) -> LayerStats:
        files = self.now.kernel.bcaches[block.name]
        old = self.before.kernel.bcaches.get(block.name) if self.before else None
        clean = files.value("state", state) in ("clean", "no cache")
        counters = [
            Counter(name="unwritten", value=0 if clean else files.value("dirty_data", human), unit="bytes"),
            Counter(name="available", value=files.value("cache/cache_available_percent", number), unit="percent"),
        ]
        names = ("cache_hits", "cache_misses", "cache_bypass_hits", "cache_bypass_misses")
        for name in (*names, "bypassed"):
            read: Callable[[str], int] = human if name == "bypassed" else number
            earlier = old.value(f"stats_total/{name}", read) if old else None
            value = files.value(f"stats_total/{name}", read)
            counters.append(self.rate(name.replace("_", " "), value, earlier, "bytes" if read is human else "count"))
        told = {counter.name: int(counter.value) for counter in counters if counter.value is not None}
        counters += _ratio("hit ratio", {"read hits": told.get("cache hits"), "read misses": told.get("cache misses")})
        known = tuple(counter for counter in counters if counter.value is not None)
        return LayerStats(layer=layer, kind="bcache", name=block.name, estimate=False, counters=known)

    def _array(self, layer: str, block: BlockDevice) -> LayerStats:
        files = self.now.kernel.arrays[block.name]
        size, active = files.value("stripe_cache_size", number), files.value("stripe_cache_active", number)
        own = next((volume.id for _, volume in self.scope.volumes if volume.device == block.node), layer)
        counters: list[Counter] = []
        if size is not None and active is not None:
            counters.append(Counter(name="stripe cache active", value=active, unit="entries"))
            counters.append(Counter(name="stripe cache size", value=size, unit="entries"))
        counters += self._requests(block)
        method = None if size is not None else PLAIN_METHOD.format(block.name)
        return LayerStats(
            layer=own, kind="md", name=block.name, estimate=size is None, method=method, counters=tuple(counters)
        )

    def controllers(self) -> Iterator[LayerStats]:
        """The volumes of cards: what their block devices tell."""
        for card, volume in self.scope.volumes:
            block = self.view.block(volume.device) if volume.device else None
            if card.mode != "software" and block is not None and block.name in self.now.times:
                yield self._estimated(volume.id, volume.name, block, turning=_turns(card, volume))

    def drives(self) -> Iterator[LayerStats]:
        """Drives that the system sees itself."""
        for _, drive in self.scope.drives:
            block = self.view.block(drive.device) if drive.device else None
            if block is not None and block.name in self.now.times:
                yield self._estimated(drive.id, drive.model, block, turning=drive.media == "hdd")

    def _estimated(self, layer: str, name: str | None, block: BlockDevice, *, turning: bool) -> LayerStats:
        counters = self._requests(block)
        now, old = self.now.times[block.name], self.before.times.get(block.name) if self.before else None
        shares = _shares(now, old) if turning else []
        method = METHOD.format(block.name, OF_CACHE, OF_DISK) if shares else PLAIN_METHOD.format(block.name)
        bypassed = self.now.bypassed.get(block.name)
        if bypassed is not None:
            earlier = self.before.bypassed.get(block.name) if self.before else None
            counters.append(self.rate("past the cache (raid_bypass_cnt)", bypassed, earlier))
        volume = any(volume.id == layer for _, volume in self.scope.volumes)
        return LayerStats(
            layer=layer,
            kind="volume" if volume else "drive",
            name=name,
            estimate=True,
            method=method,
            counters=(*counters, *shares),
        )

    def _requests(self, block: BlockDevice) -> list[Counter]:
        now, old = self.now.times.get(block.name), self.before.times.get(block.name) if self.before else None
        if now is None:
            return []
        counters = [
            self.rate("reads", now.reads, old.reads if old else None),
            self.rate("read", now.read_bytes, old.read_bytes if old else None, "bytes"),
            self.rate("writes", now.writes, old.writes if old else None),
            self.rate("written", now.write_bytes, old.write_bytes if old else None, "bytes"),
            Counter(name="in flight", value=now.in_flight),
        ]
        if now.flushes is not None:
            counters.append(self.rate("flushes", now.flushes, old.flushes if old else None))
        for name, count, spent in (("mean read", "reads", "read_ms"), ("mean write", "writes", "write_ms")):
            mean = _mean(now, old, count, spent, least=1)
            if mean is not None:
                counters.append(Counter(name=name, value=round(mean, 3), unit="milliseconds"))
        return counters


def _read(told: Sample | None, name: str) -> dm.CacheState:
    """The state of a mapping; empty where there is none or it is in no known form."""
    target = told.kernel.targets.get(name) if told else None
    try:
        return dm.read(target) if target is not None else dm.CacheState("cache")
    except ValueError:
        return dm.CacheState("writecache" if target is not None and target.target == "writecache" else "cache")


def _ratio(name: str, now: Mapping[str, int | None], old: Mapping[str, int] | None = None) -> list[Counter]:
    """Hits among all reads: of the interval where there is one, else since the beginning."""
    hits, total = now.get("read hits"), now.get("reads")
    if total is None and now.get("read misses") is not None and hits is not None:
        total = hits + (now["read misses"] or 0)
    if hits is None or total is None:
        return []
    if old and "read hits" in old:
        earlier = old.get("reads", old["read hits"] + old.get("read misses", 0))
        if total > earlier:
            hits, total = hits - old["read hits"], total - earlier
    return [Counter(name=name, value=round(100 * hits / total, 1), unit="percent")] if 0 <= hits <= total != 0 else []


def _turns(card: Controller, volume: Volume) -> bool:
    """Whether all drives below a volume are known to turn."""
    media = [drive.media for drive in card.drives if volume.array is not None and drive.array == volume.array]
    return bool(media) and all(medium == "hdd" for medium in media)


def _shares(now: Times, old: Times | None) -> list[Counter]:
    found = []
    for name, count, spent in (
        ("reads from the cache", "reads", "read_ms"),
        ("writes to the cache", "writes", "write_ms"),
    ):
        mean = _mean(now, old, count, spent, least=ENOUGH)
        if mean is not None:
            share = min(max((OF_DISK - mean) / (OF_DISK - OF_CACHE), 0.0), 1.0)
            found.append(Counter(name=f"{name} (at most)", value=round(100 * share), unit="percent"))
    return found


def _mean(now: Times, old: Times | None, count: str, spent: str, *, least: int) -> float | None:
    """Milliseconds of a request in the interval, else since boot; None where there were too few."""
    requests, took = getattr(now, count), getattr(now, spent)
    if old is not None:
        requests, took = requests - getattr(old, count), took - getattr(old, spent)
    return took / requests if requests >= least and took >= 0 else None
