"""Plan how to flush a stack of caches, from top to bottom. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidctl.host import BlockDevice, HostView
from raidctl.layers import dm
from raidctl.layers.kernel import Files, Kernel
from raidctl.layers.model import Answer, Kind, Result
from raidctl.layers.scope import KERNEL, VM, Scope
from raidctl.layers.sysfs_values import human, number, state, word
from raidctl.model import Controller, Drive, Inventory, Volume, VolumeCache
from raidctl.model.raid_levels import PARITY
from raidctl.model.settable import settable
from raidctl.text import attempt, chosen, counted
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Action, Flush
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

PATIENCE = 3600.0
"""Time limit of one flush command in seconds: gigabytes on slow drives."""
_POINTS = 32
"""More file systems are synced by one ``sync`` of everything."""
_LACKS: Mapping[str | None, Result] = {"cache": "nothing", "tool": "no_tool"}
"""Results by what is missing."""
_THROUGH = "It passes on each write before acknowledging it, so it has no unwritten data."
_CLEAN = "No block of it is dirty."
_UNASKED = "The kernel treats it as write-through and sends no flush, but the drive does not report its write cache."
_UNCOUNTED = "How many of its blocks are dirty is not reported."
_HIDDEN = Answer(
    result="unknown",
    why="No block device of it is known, so its data in the page cache cannot be found.",
    alternative="raidctl cache flush --all",
)


@dataclass(frozen=True)
class Job:
    """How to flush one layer."""

    layer: str
    kind: Kind
    answer: Answer
    name: str | None = None
    actions: tuple[Action, ...] = ()
    drain: bool = False
    """There is no command: the cache mode must be changed temporarily."""
    device: str | None = None
    """Kernel name, if the layer is a block device."""
    family: str | None = None
    """The family of the command, which judges the output. None: a system command."""


def jobs(scope: Scope, view: HostView, kernel: Kernel, inventory: Inventory, vendors: Sequence[Vendor]) -> list[Job]:
    """Return the jobs in order. Layers with nothing to flush and layers that cannot be flushed have one too."""
    flushes = vendor_flushes(scope, inventory, vendors)
    return [
        *_page_caches(scope),
        *(job for block in scope.blocks for job in _of_block(block, kernel, scope, flushes)),
        *_of_controllers(scope, flushes),
        *_of_drives(scope, view, flushes),
    ]


def vendor_flushes(scope: Scope, inventory: Inventory, vendors: Sequence[Vendor]) -> dict[str, Flush]:
    """Return the vendor packages' flushes by object id."""
    found: dict[str, Flush] = {}
    for controller in scope.controllers:
        vendor = vendor_of(controller.id, vendors)
        changes = changes_of(vendor) if vendor is not None else None
        if vendor is not None and changes is not None:
            names = {spec.name for spec in vendor.TOOLS}
            tools = [tool for tool in inventory.tools if tool.name in names]
            for flush in changes.flushes(controller, tools):
                found.setdefault(flush.object_id, flush)
    return found


def _nothing_flushed(why: str) -> Answer:
    return Answer(result="nothing", why=why)


def _run(*argv: str) -> Action:
    return Action(argv=argv, timeout=PATIENCE)


def _page_caches(scope: Scope) -> Iterator[Job]:
    """Plan a ``sync`` of the file systems, then of the devices. The latter is for data written without a file system.

    A sync of everything includes the devices. ``blockdev --flushbufs`` also drops data that was read. The data of a
    volume without a known block device cannot be found.
    """
    hidden: tuple[str, ...] = ()
    if scope.target in (None, VM) or len(scope.mountpoints) > _POINTS:
        actions = [_run("sync")]
    else:
        hidden = scope.hidden
        actions = [_run("sync", "--file-system", point) for point in scope.mountpoints]
    actions += [_run("blockdev", "--flushbufs", root.node) for root in scope.roots]
    how = "; ".join(map(str, actions)) or None
    if not actions:
        yield Job(VM, "page_cache", _HIDDEN)
        return
    yield Job(VM, "page_cache", Answer(result="supported", how=how), actions=tuple(actions))
    yield from (Job(name, "page_cache", _HIDDEN) for name in hidden)


def _of_block(block: BlockDevice, kernel: Kernel, scope: Scope, flushes: Mapping[str, Flush]) -> Iterator[Job]:
    layer = f"{KERNEL}:{block.name}"
    if block.name in kernel.targets:
        target = kernel.targets[block.name]
        yield _of_mapping(layer, block, target, lvm=kernel.uuids.get(block.name, "").startswith("LVM-"))
    elif block.name in kernel.bcaches:
        yield _of_bcache(layer, block, kernel.bcaches[block.name])
    elif block.name in kernel.arrays:
        known = next(((c, volume) for c, volume in scope.volumes if volume.device == block.node), None)
        own = known[1].id if known else layer
        if own in flushes and flushes[own].action is not None:
            yield _job(own, "md", flushes[own], block.name)
        else:
            answer = _of_array(kernel.arrays[block.name], block, _write_behind(*known) if known else None)
            yield Job(own, "md", answer, block.name, device=block.name)


def _of_mapping(layer: str, block: BlockDevice, target: dm.Target, *, lvm: bool) -> Job:
    name = block.dm_name or block.name
    kind: Kind = "dm_writecache" if target.target == "writecache" else "dm_cache"
    title = dm.lvm_name(name) if lvm else name
    try:
        state = dm.read(target)
    except ValueError as error:
        if kind == "dm_cache":
            return Job(layer, kind, Answer(result="unknown", why=f"Its state cannot be read: {error}."), title)
        state = dm.CacheState("writecache")
    if state.fault:
        why = f"The kernel reports {state.fault}."
        return Job(layer, kind, Answer(result="unknown", why=why), title, device=block.name)
    if kind == "dm_writecache":
        action = _run("dmsetup", "message", name, "0", "flush")
        return Job(layer, kind, Answer(result="supported", how=str(action)), title, (action,), device=block.name)
    # blocks that were dirty when the mode was changed to writethrough are still dirty
    if state.unwritten_bytes == 0:
        through = state.mode in ("writethrough", "passthrough")
        return Job(layer, kind, _nothing_flushed(_THROUGH if through else _CLEAN), title, device=block.name)
    if state.unwritten_bytes is None:
        return Job(layer, kind, Answer(result="unknown", why=_UNCOUNTED), title, device=block.name)
    nearest = (
        f"lvchange --cachepolicy cleaner {title}; wait until it has no dirty blocks; then the former policy again."
        if lvm
        else "Load its table with the policy cleaner; wait until it has no dirty blocks; then the former table again."
    )
    why = "dm-cache has no flush message."
    return Job(layer, kind, Answer(result="unsupported", why=why, alternative=nearest), title, device=block.name)


def _of_bcache(layer: str, block: BlockDevice, files: Files) -> Job:
    now, mode = files.value("state", state), files.value("cache_mode", chosen)
    how = (
        "set cache_mode writethrough and writeback_percent 0 until its state is clean, then restore both "
        "(journaled before)"
    )
    if now is None or mode is None:
        answer = Answer(result="unknown", why="Its state and cache mode cannot be read.")
    elif now in ("clean", "no cache") and mode != "writeback":
        answer = _nothing_flushed(f"Its state is {now}, its mode {mode}.")
    elif now == "no cache":
        answer = _nothing_flushed("No cache is attached.")
    elif now == "inconsistent":
        why = "Its state is inconsistent: it was started without the cache that has its data."
        answer = Answer(result="unsupported", why=why)
    elif now == "dirty" and files.value("writeback_running", number) == 0:
        why = "writeback_running is 0: writing back is stopped."
        nearest = f"echo 1 > /sys/block/{block.name}/bcache/writeback_running"
        answer = Answer(result="unsupported", why=why, alternative=nearest)
    else:
        answer = Answer(result="supported", how=how)
    return Job(layer, "bcache", answer, block.name, drain=answer.result == "supported", device=block.name)


def _write_behind(controller: Controller, volume: Volume) -> int | None:
    """Return the most writes that an array acknowledges before its write-mostly members have them. None if unknown."""
    members = [drive for drive in controller.drives if drive.array is not None and drive.array == volume.array]
    mostly = any("write_mostly" in drive.flags for drive in members)
    # without a bitmap there is no write-behind
    if not mostly or volume.details.get("bitmap/location") == "none":
        return 0
    return attempt(int, volume.details.get("bitmap/backlog"))


def journal_unread(files: Files) -> bool:
    """Whether an array may have a journal whose mode was not read.

    Without a journal there is no such file; that it is missing counts only if the kernel shows the array.
    """
    shown = files.value("journal_mode", chosen) is not None or files.value("array_state", word) is not None
    return files.unread("journal_mode") or not shown


def _of_array(files: Files, block: BlockDevice, behind: int | None) -> Answer:
    mode = files.value("journal_mode", chosen)
    if journal_unread(files):
        return Answer(result="unknown", why="Whether its journal is in write-back could not be read.")
    if mode != "write-back" and behind is None:
        why = "How many writes its write-mostly members may be behind (write-behind) could not be read."
        return Answer(result="unknown", why=why)
    if mode != "write-back" and behind:
        why = (
            f"It acknowledges up to {counted(behind, 'write')} before its write-mostly members have them "
            "(write-behind); how many are left is not reported. Its other members have them."
        )
        return Answer(result="unknown", why=why)
    if mode != "write-back":
        why = "It acknowledges a write when its members have it"
        cached = files.value("level", word) in PARITY
        return _nothing_flushed(f"{why}; its stripe cache has no unwritten data." if cached else f"{why}.")
    place = f"/sys/block/{block.name}/md/journal_mode"
    why = "Its journal is in write-back, and the kernel does not report when the journal is empty."
    alternative = f"echo write-through > {place}; sync; afterwards: echo write-back > {place}"
    return Answer("unsupported", why=why, alternative=alternative)


def _of_controllers(scope: Scope, flushes: Mapping[str, Flush]) -> Iterator[Job]:
    for controller in scope.controllers:
        mine = [
            flushes[name]
            for name in (controller.id, *(v.id for c, v in scope.volumes if c.id == controller.id))
            if name in flushes
        ]
        if controller.mode == "software":
            continue
        if mine:
            yield from (_of_cache(controller, flush, scope) for flush in mine)
        elif has_cache(controller):
            why = f"raidctl cannot flush controllers of the family {controller.id.partition(':')[0]}."
            yield Job(
                controller.id, "controller", _written_through(controller, scope, Answer(result="unsupported", why=why))
            )


def has_cache(controller: Controller) -> bool:
    """Whether a controller is a layer with a cache. A RAID controller whose cache is unknown counts."""
    if controller.mode in ("none", "software") or (controller.cache is not None and controller.cache.present is False):
        return False
    return controller.cache is not None or controller.mode in ("raid", "mixed")


def _of_cache(controller: Controller, flush: Flush, scope: Scope) -> Job:
    kind: Kind = "controller" if flush.object_id == controller.id else "volume"
    job = _job(flush.object_id, kind, flush, controller.model if kind == "controller" else None)
    if flush.action is not None or kind == "volume":
        return job
    return Job(job.layer, job.kind, _written_through(controller, scope, job.answer), job.name)


def _written_through(controller: Controller, scope: Scope, answer: Answer) -> Answer:
    """Return "nothing" if all volumes of the controller are in write-through. Otherwise the answer."""
    mine = [volume.cache for c, volume in scope.volumes if c.id == controller.id]
    left = controller.cache is not None and (controller.cache.unwritten_data or controller.cache.preserved_data)
    through = all(cache is not None and cache.write_active in ("write_through", "off") for cache in mine)
    if mine and through and not left and len(mine) == len(controller.volumes):
        return _nothing_flushed("All of its volumes are in write-through.")
    return answer


def _of_drives(scope: Scope, view: HostView, flushes: Mapping[str, Flush]) -> Iterator[Job]:
    for controller, drive in scope.drives:
        block = view.block(drive.device)
        if drive.id in flushes or block is not None:
            yield _of_drive(drive, flushes.get(drive.id), block, controller)
        elif drive.write_cache == "enabled":
            why = f"It is only reachable through {controller.id}, which has no command for its cache."
            answer = Answer(result="unsupported", why=why, alternative=_switch_off(controller, drive))
            yield Job(drive.id, "drive", answer, drive.model)
        elif drive.write_cache is None and _may_cache(controller, drive):
            why = "Whether its write cache is on is not reported."
            yield Job(drive.id, "drive", Answer(result="unknown", why=why), drive.model)


def _switch_off(controller: Controller, drive: Drive) -> str:
    """What to do about the write cache of a drive that cannot be flushed."""
    if any(cache is not None and cache.drive_write_cache == "disabled" for cache in _caches_on(controller, drive)):
        return "The controller's setting for it is off already: switch it off with the drive vendor's tool."
    command = f"Switch its cache off: `raidctl cache set {controller.id} --drive-cache off`."
    return settable(controller, "drive_write_cache", command, "Switch its cache off with the controller's own tool")


def _may_cache(controller: Controller, drive: Drive) -> bool:
    """Whether a volume on the drive does not report that the write caches of its drives are off."""
    return any(cache is None or cache.drive_caches != "off" for cache in _caches_on(controller, drive))


def _caches_on(controller: Controller, drive: Drive) -> list[VolumeCache | None]:
    """The caches of the volumes on a drive."""
    return [volume.cache for volume in controller.volumes if drive.array and volume.array == drive.array]


def _of_drive(drive: Drive, flush: Flush | None, block: BlockDevice | None, controller: Controller) -> Job:
    if drive.write_cache == "disabled":
        return Job(drive.id, "drive", _nothing_flushed("Its write cache is off."), drive.model)
    if flush is not None and flush.action is not None:
        return _job(drive.id, "drive", flush, drive.model)
    if block is not None and block.write_cache == "write back":
        # the kernel only passes a flush on to a device with a volatile cache
        action = _run("sync", "--data", block.node)
        why = flush.why if flush is not None else None
        return Job(drive.id, "drive", Answer(result="supported", how=str(action), why=why), drive.model, (action,))
    if block is not None and block.write_cache == "write through" and drive.write_cache is None:
        return Job(drive.id, "drive", Answer(result="unknown", why=_UNASKED), drive.model)
    if flush is not None:
        return _job(drive.id, "drive", flush, drive.model)
    why = f"The family {controller.id.partition(':')[0]} has no command for it."
    return Job(drive.id, "drive", Answer(result="unsupported", why=why), drive.model)


def _job(layer: str, kind: Kind, flush: Flush, name: str | None) -> Job:
    if flush.action is not None:
        answer = Answer(result="supported", how=str(flush.action), why=flush.why, alternative=flush.alternative)
        return Job(layer, kind, answer, name, (flush.action,), family=layer.partition(":")[0])
    result = _LACKS.get(flush.lack, "unsupported")
    return Job(layer, kind, Answer(result=result, why=flush.why, alternative=flush.alternative), name)


def left(job: Job, kernel: Kernel, controllers: Mapping[str, Controller]) -> tuple[int | None, bool | None]:
    """Return a layer's unwritten data in bytes, and whether there is any. None if unknown."""
    if job.layer == VM:
        return kernel.dirty, None if kernel.dirty is None else kernel.dirty > 0
    figure = unwritten(job.device, kernel) if job.device else None
    if figure is not None:
        return figure, figure > 0
    controller = controllers.get(job.layer)
    return None, controller.cache.unwritten_data if controller is not None and controller.cache is not None else None


def unwritten(name: str, kernel: Kernel) -> int | None:
    """Return the bytes of unwritten data in a cache of the kernel."""
    if name in kernel.targets:
        try:
            return dm.read(kernel.targets[name]).unwritten_bytes
        except ValueError:
            return None
    if name in kernel.bcaches:
        files = kernel.bcaches[name]
        now = files.value("state", state)
        return 0 if now in ("clean", "no cache") else files.value("dirty_data", human)
    return None
