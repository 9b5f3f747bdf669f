"""Build a stack's layers, from top to bottom, with their answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from raidctl.host import BlockDevice, HostView
from raidctl.layers import dm
from raidctl.layers.capabilities import Families, best
from raidctl.layers.flushing import Job, has_cache, jobs, journal_unread, unwritten
from raidctl.layers.kernel import Files, Kernel
from raidctl.layers.model import Answer, Layer, Share, Stack, Threshold
from raidctl.layers.scope import KERNEL, VM, Scope
from raidctl.layers.sysfs_values import human, members_of, number, state, word
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.model.raid_levels import PARITY
from raidctl.text import chosen, regex
from raidctl.vendor.plan import Setting
from raidctl.vendor.protocol import Vendor

LIMITS = (("dirty_background", "--dirty-background"), ("dirty", "--dirty"))
_KIB = regex(r"(\d{1,9}) ?(?:KiB|KB)?", re.ASCII | re.IGNORECASE)
_YES = Answer(result="supported")
_NOT_SPLIT = "The cache is not split between reads and writes."
_ESTIMATE = Answer(
    result="supported",
    how="estimate",
    why="It has no counters; its use is estimated from the statistics of its block devices.",
)
_NO_FLUSH = Answer(result="unsupported", why="It is flushed with or through its controller.")


def stack(scope: Scope, view: HostView, kernel: Kernel, inventory: Inventory, vendors: Sequence[Vendor]) -> Stack:
    """Return all layers below a target."""
    work = jobs(scope, view, kernel, inventory, vendors)
    flush = {job.layer: job for job in work if job.kind != "page_cache" or job.layer == VM}
    ask = Families({vendor.FAMILY: vendor for vendor in vendors}, inventory.tools)
    layers = [_page_cache(kernel, flush[VM])]
    for block in scope.blocks:
        layers += _of_block(block, kernel, scope, flush, ask)
    for controller in scope.controllers:
        if has_cache(controller) or controller.id in flush:
            layers.append(_of_controller(controller, flush.get(controller.id), ask))
        mine = [volume for c, volume in scope.volumes if c.id == controller.id]
        layers += [_of_volume(volume, controller, flush) for volume in mine if volume.cache is not None]
    layers += [_of_drive(drive, flush[drive.id]) for _, drive in scope.drives if drive.id in flush]
    # "show" reports the hardware's health
    read = (problem for problem in inventory.problems if problem.kind not in ("state", "note"))
    problems = (*read, *kernel.problems)
    return Stack(host=inventory.host, target=scope.target, layers=tuple(layers), problems=problems)


def _page_cache(kernel: Kernel, job: Job) -> Layer:
    why = "Reads and writes share the memory."
    alternative = "Limit the memory for writes: `raidctl cache threshold --dirty-bytes N`."
    return Layer(
        id=VM,
        kind="page_cache",
        policy="write-back",
        policy_in_force="write-back",
        size_bytes=kernel.memory.get("MemTotal"),
        unwritten_bytes=kernel.dirty,
        thresholds=tuple(page_thresholds(kernel)),
        flush=job.answer,
        threshold=_YES,
        stats=_YES,
        split=Answer("unsupported", why=why, alternative=alternative),
    )


def page_thresholds(kernel: Kernel) -> Iterator[Threshold]:
    """Yield the kernel's ``dirty_*`` limits. Of each pair of bytes and percent, the one that is not 0 counts."""
    for name, option in LIMITS:
        size, ratio = kernel.vm.value(f"{name}_bytes", number), kernel.vm.value(f"{name}_ratio", number)
        counted = "nr_dirty_threshold" if name == "dirty" else "nr_dirty_background_threshold"
        effective = kernel.page_bytes(counted)
        for suffix, value in (("ratio", ratio), ("bytes", size)):
            counts = None if size is None or ratio is None else (size > 0) == (suffix == "bytes")
            yield Threshold(
                name=f"{name}_{suffix}",
                value=value,
                unit="percent" if suffix == "ratio" else "bytes",
                in_force=counts,
                effective_bytes=effective if counts else None,
                option=f"{option}-{suffix}",
            )
    for name, option in (("dirty_expire", "--dirty-expire"), ("dirty_writeback", "--dirty-writeback")):
        value = kernel.vm.value(f"{name}_centisecs", number)
        yield Threshold(name=f"{name}_centisecs", value=value, unit="centiseconds", option=option)


def _of_block(
    block: BlockDevice, kernel: Kernel, scope: Scope, flush: Mapping[str, Job], ask: Families
) -> Iterator[Layer]:
    layer = f"{KERNEL}:{block.name}"
    if block.name in kernel.targets:
        yield _of_mapping(block, kernel, flush[layer])
    elif block.name in kernel.bcaches:
        yield _of_bcache(block, kernel, flush[layer])
    elif block.name in kernel.arrays:
        controller, own = next(((c, v.id) for c, v in scope.volumes if v.device == block.node), (None, layer))
        yield _of_array(
            block, kernel, flush[own], partial(ask.able, controller, own) if controller is not None else None
        )


def _of_mapping(block: BlockDevice, kernel: Kernel, job: Job) -> Layer:
    target = kernel.targets[block.name]
    try:
        state = dm.read(target)
    except ValueError:
        state = dm.CacheState("writecache" if target.target == "writecache" else "cache")
    policy = ", ".join(word for word in (state.mode, state.policy) if word) or None
    limits = _watermarks(state, job.name) if state.target == "writecache" else _migration(state, job.name)
    thresholds, threshold = limits
    writes_only = "It caches writes only; reads hit recently written data."
    return Layer(
        id=job.layer,
        kind=job.kind,
        name=job.name,
        device=block.node,
        policy=policy,
        policy_in_force=state.fault or policy,
        why_not_in_force=f"The kernel reports {state.fault}." if state.fault else None,
        size_bytes=state.size_bytes,
        used_bytes=state.used_bytes,
        unwritten_bytes=state.unwritten_bytes,
        share=Share(read_percent=0, write_percent=100, read_bytes=0, write_bytes=state.size_bytes)
        if state.target == "writecache"
        else None,
        thresholds=thresholds,
        flush=job.answer,
        threshold=threshold,
        stats=_YES if state.counters else Answer(result="unknown", why="This kernel has no counters for it."),
        split=Answer(result="unsupported", why=writes_only if state.target == "writecache" else _NOT_SPLIT),
    )


def _watermarks(state: dm.CacheState, name: str | None) -> tuple[tuple[Threshold, ...], Answer]:
    marks = (("high_watermark", dm.HIGH), ("low_watermark", dm.LOW))
    found = [_percent(mark, state.options.get(mark, usual), state.size_bytes) for mark, usual in marks]
    found += [
        Threshold(name=mark, value=state.options[mark], unit="milliseconds")
        for mark in ("max_age", "autocommit_time", "pause_writeback")
        if mark in state.options
    ]
    return tuple(found), reload_answer(name)


def reload_answer(name: str | None) -> Answer:
    """Explain why no watermark can be set: loading tables suspends all I/O."""
    return Answer(
        result="unsupported",
        why="Watermarks can only be set by loading a new table, which suspends the device.",
        alternative=f"lvchange --cachesettings 'high_watermark=60 low_watermark=40' {name or 'VG/LV'}"
        if name is None or "/" in name
        else "dmsetup suspend, dmsetup load with the changed table, dmsetup resume.",
    )


def _percent(name: str, value: int, size: int | None) -> Threshold:
    return Threshold(name, value, "percent", effective_bytes=None if size is None else size * value // 100)


def _migration(state: dm.CacheState, name: str | None) -> tuple[tuple[Threshold, ...], Answer]:
    value = state.options.get("migration_threshold")
    found = (
        ()
        if value is None
        else (Threshold(name="migration_threshold", value=value, unit="sectors", effective_bytes=value * dm.SECTOR),)
    )
    why = "dm-cache has no limit of dirty data; migration_threshold only bounds the traffic between its devices."
    alternative = f"lvchange --cachemode writethrough {name or 'VG/LV'} keeps it free of dirty data."
    return found, Answer("unsupported", why=why, alternative=alternative)


def _of_bcache(block: BlockDevice, kernel: Kernel, job: Job) -> Layer:
    files = kernel.bcaches[block.name]
    mode, now = files.value("cache_mode", chosen), files.value("state", state)
    buckets, size = files.value("cache/cache0/nbuckets", number), files.value("cache/cache0/bucket_size", human)
    percent = files.value("writeback_percent", number)
    total = None if buckets is None or size is None else buckets * size
    idle = now == "no cache"
    return Layer(
        id=job.layer,
        kind="bcache",
        name=block.name,
        device=block.node,
        policy=mode,
        policy_in_force="none" if idle else mode,
        why_not_in_force="No cache is attached." if idle and mode != "none" else None,
        size_bytes=total,
        # cache_available_percent counts everything that is not dirty, with or without cached data. Only priority_stats
        # has the unused share, and the kernel sorts all buckets to print it.
        unwritten_bytes=unwritten(block.name, kernel),
        unwritten={"dirty": True, "clean": False, "no cache": False}.get(now or ""),
        thresholds=(
            Threshold(
                name="writeback_percent",
                value=percent,
                unit="percent",
                effective_bytes=None if total is None or percent is None else total * percent // 100,
                option="--writeback-percent",
            ),
            Threshold(name="writeback_delay", value=files.value("writeback_delay", number), unit="seconds"),
            _size("sequential_cutoff", files),
        ),
        flush=job.answer,
        threshold=_YES,
        stats=_YES,
        split=Answer(result="unsupported", why=_NOT_SPLIT, alternative="Cache mode writearound caches reads only."),
    )


def _size(name: str, files: Files) -> Threshold:
    return Threshold(name=name, value=files.value(name, human), unit="bytes")


def _without_stripe_cache(level: str | None) -> Answer:
    """Why the size of the stripe cache cannot be set if the kernel reports none."""
    if level is None:
        return Answer(result="unknown", why="Its level could not be read, so whether it has a stripe cache is unknown.")
    if level in PARITY:
        return Answer(result="unknown", why="The kernel does not report the size of its stripe cache.")
    return Answer(result="unsupported", why="It has no stripe cache, as this level has no parity.")


def _of_array(
    block: BlockDevice, kernel: Kernel, job: Job, ask: Callable[[Setting, str | None], Answer] | None
) -> Layer:
    files = kernel.arrays[block.name]
    mode, entries = files.value("journal_mode", chosen), files.value("stripe_cache_size", number)
    members = files.value("raid_disks", members_of)
    # one page for each member in each entry
    page = kernel.page_size
    size = None if entries is None or members is None or page is None else entries * members * page
    limit = _without_stripe_cache(files.value("level", word))
    if entries is not None:
        limit = Answer(result="unsupported", why="The array is not in the inventory.")
        limit = ask("stripe_cache_size", str(entries)) if ask is not None else limit
    command = f"raidctl cache set {job.layer} --stripe-cache N" if limit.result == "supported" else None
    return Layer(
        id=job.layer,
        kind="md",
        name=block.name,
        device=block.node,
        policy=mode,
        policy_in_force=mode or (None if journal_unread(files) else "write-through"),
        size_bytes=size,
        unwritten=None if job.answer.result == "unknown" or mode == "write-back" else False,
        thresholds=()
        if entries is None
        else (Threshold("stripe_cache_size", entries, "entries", effective_bytes=size, option=command),),
        flush=job.answer,
        threshold=limit,
        stats=_YES if entries is not None else _ESTIMATE,
        split=Answer(result="unsupported", why=_NOT_SPLIT),
    )


def _of_controller(controller: Controller, job: Job | None, ask: Families) -> Layer:
    cache = controller.cache
    share = _split_of(controller)
    split = f"{share.read_percent}/{share.write_percent}" if share and share.write_percent is not None else None
    limits = [
        (limit, ask.able(controller, controller.id, setting, _text(limit)))
        for setting, limit in _limits(controller).items()
    ]
    return Layer(
        id=controller.id,
        kind="controller",
        name=controller.model,
        size_bytes=cache.size_bytes if cache else None,
        unwritten=cache.unwritten_data if cache else None,
        preserved=cache.preserved_data if cache else None,
        policy_in_force=cache.status_text if cache and cache.status not in ("ok", None) else None,
        share=share,
        thresholds=tuple(
            replace(limit, option=limit.option if answer.result == "supported" else None)
            for limit, answer in limits
            if limit.value is not None
        ),
        flush=job.answer if job else _NO_FLUSH,
        threshold=best([answer for _, answer in limits]),
        stats=_ESTIMATE,
        split=ask.able(controller, controller.id, "cache_split", split),
    )


def _text(limit: Threshold) -> str | None:
    return None if limit.value is None else str(limit.value)


def _split_of(controller: Controller) -> Share | None:
    cache = controller.cache
    if cache is None or (cache.read_percent, cache.write_percent) == (None, None):
        return None
    return Share(**{name: getattr(cache, name) for name in Share.__struct_fields__})


def _limits(controller: Controller) -> dict[Setting, Threshold]:
    """Return the limits of a controller's cache. Those it does not report have no value."""
    cache = controller.cache
    interval = cache.flush_interval_seconds if cache is not None else None
    details = {**controller.details, **(cache.details if cache is not None else {})}
    # Write Cache Bypass Threshold Size: 1040 KiB
    matches = (_KIB.fullmatch(text.strip()) for label, text in details.items() if "bypass threshold" in label.lower())
    size = next((int(match[1]) for match in matches if match), None)
    return {
        "flush_interval": Threshold(name="flush_interval", value=interval, unit="seconds", option="--flush-interval"),
        "bypass_threshold": Threshold(
            name="bypass_threshold",
            value=size,
            unit="KiB",
            effective_bytes=None if size is None else size * 1024,
            option="--bypass-threshold",
        ),
    }


def _of_volume(volume: Volume, controller: Controller, flush: Mapping[str, Job]) -> Layer:
    cache = volume.cache
    mine = flush.get(volume.id) or flush.get(controller.id)
    of_controller = Answer(result="unsupported", why=f"It is set for the whole controller: {controller.id}.")
    return Layer(
        id=volume.id,
        kind="volume",
        name=volume.name,
        device=volume.device,
        policy=cache.write_policy if cache else None,
        policy_in_force=cache.write_active if cache else None,
        why_not_in_force=cache.why_not_in_force if cache else None,
        flush=mine.answer if mine else _NO_FLUSH,
        threshold=of_controller,
        stats=_ESTIMATE if volume.device else Answer(result="unknown", why="Its block device is unknown."),
        split=of_controller,
    )


def _of_drive(drive: Drive, job: Job) -> Layer:
    policy = {"enabled": "write-back", "disabled": "write-through"}.get(drive.write_cache or "")
    no = Answer(result="unsupported", why="Drives have no such setting.")
    return Layer(
        id=drive.id,
        kind="drive",
        name=drive.model,
        device=drive.device,
        policy=policy,
        policy_in_force=policy,
        flush=job.answer,
        threshold=no,
        stats=_ESTIMATE if drive.device else Answer(result="unknown", why="It has no block device."),
        split=Answer(result="unsupported", why="Its write cache and read cache are switched separately."),
    )
