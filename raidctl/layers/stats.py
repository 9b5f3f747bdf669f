"""Statistics of the caches: counters, or estimates if there are none. Pure.

No tool reports counters of a controller's cache: see :mod:`raidctl.layers.estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.discovery.sysfs import path_of
from raidctl.host import BlockDevice, HostView
from raidctl.layers import dm
from raidctl.layers.estimate import Rotation, Times, began_again, mean, method, parse, rotation, shares
from raidctl.layers.kernel import Files, Kernel
from raidctl.layers.model import Counter, Kind, LayerStats, Unit
from raidctl.layers.scope import KERNEL, VM, Scope
from raidctl.layers.sysfs_values import human, number, state
from raidctl.model import Controller, Problem, Volume
from raidctl.request import Dialogue, Failure, Read, ask_all
from raidctl.survey.failed_requests import problems_of
from raidctl.text import attempt

SWITCH = "queue/iostats"
"""Whether the kernel counts the requests of a device. A partition has that of its drive."""


@dataclass
class Sample:
    """All counters at one moment."""

    kernel: Kernel
    times: Mapping[str, Times] = field(default_factory=dict)
    """By kernel name."""
    bypassed: Mapping[str, int] = field(default_factory=dict)
    """Requests that a controller's driver sent past its cache, by kernel name."""
    problems: Sequence[Problem] = ()


def devices(scope: Scope, view: HostView) -> list[BlockDevice]:
    """Return the block devices of volumes and drives, whose requests are counted."""
    nodes = [volume.device for _, volume in scope.volumes] + [drive.device for _, drive in scope.drives]
    found = {block.name: block for node in nodes if node and (block := view.block(node)) is not None}
    return list(found.values())


def sample(view: HostView, scope: Scope, kernel: Kernel) -> Dialogue[Sample]:
    """Read the statistics of the block devices. ``kernel`` was read at the same time."""
    names = [block.name for block in devices(scope, view)]
    if not scope.volumes and not scope.drives:
        names = [block.name for block in scope.blocks if block.kind in ("disk", "md")]
    kinds = ("stat", "device/raid_bypass_cnt", SWITCH)
    requests = [Read(path_of(name, kind)) for name in names for kind in kinds]
    reported = yield from ask_all(requests)
    answers = iter(reported)
    times: dict[str, Times] = {}
    bypassed: dict[str, int] = {}
    problems = problems_of(zip(requests, reported, strict=True), kernel.problems)
    for name in names:
        stat, bypass, switch = next(answers), next(answers), next(answers)
        if stat.text is None:
            if stat.trouble in (Failure.DENIED, Failure.UNRECORDED):
                problems.append(_problem(path_of(name, "stat"), f"could not be read ({stat.detail or 'no answer'})"))
        else:
            try:
                times[name] = parse(stat.text)
            except ValueError as error:
                problems.append(_problem(path_of(name, "stat"), f"has an unknown format: {error}"))
        count = attempt(number, bypass.text)
        if count is not None:
            bypassed[name] = count
        if attempt(number, switch.text) == 0:
            problems.append(_switched_off(path_of(name, SWITCH)))
    return Sample(kernel, times, bypassed, (*kernel.problems, *problems))


def _switched_off(path: str) -> Problem:
    message = f"{path} is 0: the kernel does not count requests, so these figures are old."
    return Problem(severity="warning", where=path, message=message, remedy=f"echo 1 > {path}", kind="unread")


def _problem(path: str, what: str) -> Problem:
    return Problem(severity="warning", where=path, message=f"{path} {what}.", kind="unread")


def statistics(scope: Scope, view: HostView, now: Sample, before: Sample | None, seconds: float) -> list[LayerStats]:
    """Return the statistics of every layer, from top to bottom. They include rates if there is an earlier sample."""
    found = _Statistics(scope, view, now, before, seconds)
    return [*found.memory(), *found.blocks(), *found.controllers(), *found.drives()]


@dataclass
class _Statistics:
    scope: Scope
    view: HostView
    now: Sample
    before: Sample | None
    seconds: float

    def rate(self, name: str, value: float | None, earlier: float | None, unit: Unit = "count") -> Counter:
        """Return a counter with its growth. There is none if it decreased, as the device was created again."""
        grown = None
        if value is not None and earlier is not None and self.seconds > 0 and value >= earlier:
            grown = round((value - earlier) / self.seconds, 3)
        return Counter(name=name, value=value, unit=unit, per_second=grown)

    def memory(self) -> Iterator[LayerStats]:
        """Yield dirty pages and the rates of dirtying and writing."""
        kernel, old = self.now.kernel, self.before.kernel if self.before else None
        counters = [
            Counter(name="dirty", value=kernel.memory.get("Dirty"), unit="bytes"),
            Counter(name="being written", value=kernel.memory.get("Writeback"), unit="bytes"),
            Counter(name="dirty limit", value=kernel.page_bytes("nr_dirty_threshold"), unit="bytes"),
        ]
        for label, name in (("dirtied", "nr_dirtied"), ("written", "nr_written")):
            counters.append(self.rate(label, kernel.page_bytes(name), old.page_bytes(name) if old else None, "bytes"))
        reported = tuple(counter for counter in counters if counter.value is not None)
        yield LayerStats(layer=VM, kind="page_cache", estimate=False, counters=reported)

    def blocks(self) -> Iterator[LayerStats]:
        """Yield the statistics of device mapper, bcache, md."""
        for block in self.scope.blocks:
            layer = f"{KERNEL}:{block.name}"
            if block.name in self.now.kernel.targets:
                yield self._mapping(layer, block)
            elif block.name in self.now.kernel.bcaches:
                yield self._bcache(layer, block)
            elif block.name in self.now.kernel.arrays:
                yield self._array(layer, block)

    def _mapping(self, layer: str, block: BlockDevice) -> LayerStats:
        reported, old = _read(self.now, block.name), _read(self.before, block.name).counters
        back = any(value < old.get(name, 0) for name, value in reported.counters.items())
        counters = [
            Counter(name="size", value=reported.size_bytes, unit="bytes"),
            Counter(name="used", value=reported.used_bytes, unit="bytes"),
            Counter(name="unwritten", value=reported.unwritten_bytes, unit="bytes"),
            *(self.rate(name, value, None if back else old.get(name)) for name, value in reported.counters.items()),
            *_ratio("read hit ratio", reported.counters, old),
        ]
        return LayerStats(
            layer=layer,
            kind="dm_writecache" if reported.target == "writecache" else "dm_cache",
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
            Counter(name="not dirty", value=files.value("cache/cache_available_percent", number), unit="percent"),
        ]
        names = ("cache_hits", "cache_misses", "cache_bypass_hits", "cache_bypass_misses")
        for name in (*names, "bypassed"):
            read: Callable[[str], int] = human if name == "bypassed" else number
            earlier = old.value(f"stats_total/{name}", read) if old else None
            value = files.value(f"stats_total/{name}", read)
            counters.append(self.rate(name.replace("_", " "), value, earlier, "bytes" if read is human else "count"))
        counters += _ratio("hit ratio", _hits(files), _hits(old) if old else {})
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
        how = None if size is not None else method(block.name) if counters else _why_unknown(block)
        return LayerStats(
            layer=own, kind="md", name=block.name, estimate=size is None, method=how, counters=tuple(counters)
        )

    def controllers(self) -> Iterator[LayerStats]:
        """Yield the statistics of controllers' volumes, from their block devices."""
        for controller, volume in self.scope.volumes:
            if controller.mode != "software":
                yield self._estimated(volume.id, "volume", volume.name, volume.device, _below(controller, volume))

    def drives(self) -> Iterator[LayerStats]:
        """Yield the statistics of drives that the system sees itself."""
        for _, drive in self.scope.drives:
            if drive.device:
                yield self._estimated(drive.id, "drive", drive.model, drive.device, rotation([drive]))

    def _estimated(self, layer: str, kind: Kind, name: str | None, node: str | None, below: Rotation) -> LayerStats:
        block = self.view.block(node)
        now = self.now.times.get(block.name) if block else None
        if block is None or now is None:
            why = f"unknown: {path_of(block.name, 'stat')} is empty" if block else "unknown: no block device is seen"
            return LayerStats(layer=layer, kind=kind, name=name, estimate=True, method=why)
        old = self.before.times.get(block.name) if self.before else None
        bypassed = self.now.bypassed.get(block.name)
        counters = self._requests(block)
        if bypassed is not None:
            earlier = self.before.bypassed.get(block.name) if self.before and self._comparable(block) else None
            counters.append(self.rate("past the cache (raid_bypass_cnt)", bypassed, earlier))
        counters += shares(now, old, below)
        how = method(block.name, below)
        return LayerStats(layer=layer, kind=kind, name=name, estimate=True, method=how, counters=tuple(counters))

    def _comparable(self, block: BlockDevice) -> Times | None:
        """Return the earlier counts of a device. None if it was created again since."""
        now, old = self.now.times.get(block.name), self.before.times.get(block.name) if self.before else None
        return None if now is None or old is None or began_again(now, old) else old

    def _requests(self, block: BlockDevice) -> list[Counter]:
        now, old = self.now.times.get(block.name), self.before.times.get(block.name) if self.before else None
        if now is None:
            return []
        same = self._comparable(block)
        counters = [
            self.rate("reads", now.reads, same.reads if same else None),
            self.rate("read", now.read_bytes, same.read_bytes if same else None, "bytes"),
            self.rate("writes", now.writes, same.writes if same else None),
            self.rate("written", now.write_bytes, same.write_bytes if same else None, "bytes"),
            Counter(name="in flight", value=now.in_flight),
        ]
        if now.flushes is not None:
            counters.append(self.rate("flushes", now.flushes, same.flushes if same else None))
        for name, count, spent in (("mean read", "reads", "read_ms"), ("mean write", "writes", "write_ms")):
            took = mean(now, old, count, spent)
            if took is not None:
                counters.append(Counter(name=name, value=round(took, 3), unit="milliseconds"))
        return counters


def _why_unknown(block: BlockDevice | None) -> str:
    """Explain why a layer has no statistics."""
    what = "the system sees no block device of it" if block is None else f"{path_of(block.name, 'stat')} is empty"
    return f"unknown: {what}"


def _read(reported: Sample | None, name: str) -> dm.CacheState:
    """Return the state of a mapping. Empty if there is none or its format is unknown."""
    target = reported.kernel.targets.get(name) if reported else None
    try:
        return dm.read(target) if target is not None else dm.CacheState("cache")
    except ValueError:
        return dm.CacheState("writecache" if target is not None and target.target == "writecache" else "cache")


def _hits(files: Files) -> dict[str, int]:
    """Return a bcache's read hits and misses. Bypassed reads are counted elsewhere."""
    names = {"read hits": "cache_hits", "read misses": "cache_misses"}
    reported = {name: files.value(f"stats_total/{file}", number) for name, file in names.items()}
    return {name: figure for name, figure in reported.items() if figure is not None}


def _ratio(name: str, now: Mapping[str, int], old: Mapping[str, int]) -> list[Counter]:
    """Return the share of hits among reads.

    With an earlier sample, only the interval's reads count. Otherwise, all reads since the start do.
    """
    hits, total = _reads(now)
    if old:
        earlier_hits, earlier = _reads(old)
        hits, total = hits - earlier_hits, total - earlier
    return [Counter(name=name, value=round(100 * hits / total, 1), unit="percent")] if 0 <= hits <= total != 0 else []


def _reads(reported: Mapping[str, int]) -> tuple[int, int]:
    """Return hits and all reads; dm-writecache reports these, the others report misses."""
    hits = reported.get("read hits", 0)
    return hits, reported.get("reads", hits + reported.get("read misses", 0))


def _below(controller: Controller, volume: Volume) -> Rotation:
    """Return the rotation of a volume's drives."""
    return rotation(drive for drive in controller.drives if volume.array is not None and drive.array == volume.array)
