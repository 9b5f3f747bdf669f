"""What could explain a figure other than the claim, collected before measuring. Pure, except `ask`.

A confounder that ``forbids`` allows no verdict on durability: in a virtual machine, commits depend on the host (BENCH
0.7). An unknown confounder counts as present.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from raidctl.bench.result import Confounder
from raidctl.bench.targets.place import Place, place_in
from raidctl.discovery.ext4 import JOURNALED
from raidctl.discovery.mounts import MOUNTINFO
from raidctl.discovery.probe import CPUINFO
from raidctl.discovery.sysfs import path_of
from raidctl.discovery.virtual import UNNAMED
from raidctl.health.phrases import has_state
from raidctl.host import BlockDevice, HostView
from raidctl.layers.scope import Scope
from raidctl.model import Controller, Scrub, Volume
from raidctl.model.block_layer import NO_BARRIER
from raidctl.request import Dialogue, Failure, Read, ask_all
from raidctl.text import regex
from raidctl.units import format_percent

Kind = Literal["file", "device", "nbd"]
When = Literal["before", "after"]
QUEUE = ("write_cache", "fua", "scheduler", "read_ahead_kb", "rotational", "zoned", "nr_requests")
_OTHERS = ("dm/uuid", "dm/name")
_ONE_CPU = 4096
_FLAGS = regex(r"^flags\s*:", re.MULTILINE)
_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "lustre", "beegfs", "afs", "virtiofs", "gfs2", "ocfs2"}
)
_DECOUPLED = regex(r"fuse($|\.)|fuseblk|overlay|aufs|ecryptfs|unionfs")
_DM: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (regex(r"CRYPT-"), "encryption", "encrypts: it costs processor time for each block"),
    (regex(r"mpath-"), "multipath", "is reached over several paths"),
    (regex(r"LVM-.*-(tpool|tdata|tmeta)$"), "thin", "is thinly provisioned: first writes allocate"),
    (regex(r"LVM-.*-(cpool|cdata|cmeta|cvol|corig)(-[cm]data|-cmeta)?$"), "cache_layer", "is cached by LVM"),
    (regex(r"LVM-.*-(cow|real)$"), "snapshot", "has a snapshot: first writes are copied"),
    (regex(r"LVM-.*-(vdata|vpool|vdo)"), "compression", "compresses and shares equal blocks (VDO)"),
    (regex(r"LVM-"), "lvm", "is a logical volume of LVM"),
)
_LAYERS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (regex(r"md"), "md", "is an array of the kernel: its members are measured together"),
    (regex(r"drbd\d"), "network", "is DRBD: writes may wait for another machine, and flushes may end there"),
    (regex(r"bcache\d"), "cache_layer", "is cached by bcache"),
    (regex(r"loop\d"), "loop", "is a file on another file system"),
    (regex(r"z?ram\d"), "memory", "is memory: no drive is measured"),
    (regex(r"(nbd|rbd)\d"), "network", "is served through a network"),
    (regex(r"zd\d"), "copy_on_write", "is a volume of ZFS: each write goes to a new place"),
)
_ZVOL = regex(r"zd\d")
_FORBIDDING = frozenset({"memory", "network", "loop"})
_BACKGROUND = frozenset({"rebuilding", "initializing", "expanding", "migrating", "checking"})
_CHECKS = frozenset({"checking", "check", "repair"})
_RUNS = regex(r"(?<!not )(?<!in)\b(active|running|in progress|started)\b", re.IGNORECASE)
"""Words with which tools report a background operation."""
BUSY = 0.1
"""Load from others above which figures are affected. It is the share of time that a device was busy for them."""
_TICKS = 9
"""Index in a device's ``stat`` file of its busy time in milliseconds."""


@dataclass(frozen=True)
class TargetFacts:
    """What is known about the layers below a target."""

    kind: Kind
    view: HostView = field(default_factory=HostView)
    scope: Scope | None = None
    """The stack of devices, volumes and drives. None if unknown or absent (memory, network)."""
    place: Place = field(default_factory=Place)
    """For a file: the file system that holds it."""
    direct: bool = True
    """Whether the page cache is bypassed."""
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Text that `ask` has read, by kernel name of the block device."""
    cpuinfo: str | None = None
    """The beginning of /proc/cpuinfo; None: it could not be read."""
    noticed: tuple[Confounder, ...] = ()
    """What the target itself reports."""

    @property
    def options(self) -> frozenset[str]:
        """Mount options of a file's file system, with those that mountinfo leaves out."""
        mounts = [mount for block in (self.scope.blocks if self.scope else ()) for mount in block.mounts]
        hidden = [option for mount in mounts if mount.point == self.place.point for option in mount.options]
        return frozenset((*self.place.options, *hidden))

    @property
    def dataset(self) -> str | None:
        """The file system or volume of ZFS that holds the target; None if it is not on ZFS."""
        if self.place.filesystem == "zfs":
            return self.place.source or ""
        whole = [block for block in (self.scope.blocks if self.scope else ()) if block.kind != "partition"]
        return next((block.dataset or "" for block in whole if _ZVOL.match(block.name)), None)


@dataclass(frozen=True)
class Readings:
    """What was read for the pre-flight check."""

    attributes: Mapping[str, Mapping[str, str]]
    cpuinfo: str | None
    mounts: str | None
    """Text of mountinfo; None: it could not be read."""

    def place(self, path: str) -> Place:
        """The file system below an absolute path without links."""
        return Place() if self.mounts is None else place_in(path, self.mounts)


def ask(blocks: Iterable[BlockDevice]) -> Dialogue[Readings]:
    """Read what the inventory lacks: queues, kinds of mappings, processor, and mounts."""
    wanted = [(block.name, name) for block in blocks for name in _attributes(block)]
    requests = [Read(path_of(block, name)) for block, name in wanted]
    cpu, mounts, *answers = yield from ask_all([Read(CPUINFO, limit=_ONE_CPU), Read(MOUNTINFO), *requests])
    found: dict[str, dict[str, str]] = {}
    for (block, name), answer in zip(wanted, answers, strict=True):
        if answer.text is not None and answer.trouble is None:
            found.setdefault(block, {})[name.rsplit("/", 1)[-1]] = answer.text.strip()
    # with many processors the file is long; its beginning is enough
    processor = cpu.text if cpu.trouble in (None, Failure.FLOOD) else None
    return Readings(found, processor, mounts.text if mounts.trouble is None else None)


def _attributes(block: BlockDevice) -> Sequence[str]:
    if block.kind == "partition":
        return ()
    queue = tuple(f"queue/{name}" for name in QUEUE)
    return (*queue, *_OTHERS) if block.kind == "dm" else queue


def ticks(blocks: Iterable[BlockDevice]) -> Dialogue[dict[str, int]]:
    """Busy milliseconds of each lowest block device since boot, by kernel name."""
    disks = [block.name for block in blocks if block.kind != "partition" and not block.slaves]
    answers = yield from ask_all([Read(path_of(name, "stat")) for name in disks])
    found = {}
    for name, answer in zip(disks, answers, strict=True):
        # 1234 0 98765 512 4321 0 87654 2048 0 1500 2560 0 0 0 0 0 0
        words = (answer.text or "").split()
        if answer.trouble is None and len(words) > _TICKS and words[_TICKS].isdigit():
            found[name] = int(words[_TICKS])
    return found


def load(
    before: Mapping[str, int], after: Mapping[str, int], seconds: float, when: When = "before"
) -> Iterator[Confounder]:
    """Devices busy for others between two readings of `ticks`. The readings are ``seconds`` apart."""
    for name, first in before.items():
        busy = (after.get(name, first) - first) / 1000 / seconds if seconds > 0 else 0.0
        if busy > BUSY:
            share = min(busy, 1.0)
            text = f"/dev/{name} was busy {share:.0%} of the time {when} the measurement: something else uses it."
            yield Confounder(name="load", text=text)


def confounders(facts: TargetFacts) -> list[Confounder]:
    """Everything that could explain a figure, once each. What forbids a verdict on durability comes first."""
    found: list[Confounder] = [*facts.noticed]
    if facts.kind == "nbd":
        text = "The target is an NBD server: its storage is measured, not this machine's drives."
        found.append(Confounder(name="served", text=text))
    else:
        found += _virtual(facts)
        found += _preloaded(os.environ.get("LD_PRELOAD", ""))
        found += _page_cache(facts)
        found += _file_system(facts.place, facts.options) if facts.kind == "file" else ()
        found += _early_commits(facts)
        found += _stack(facts)
        found += _inventory(facts.scope)
    unique = {(item.name, item.text): item for item in found}
    named = {item.name for item in unique.values() if item.forbids}
    kept = [item for item in unique.values() if item.forbids or item.name not in named]
    return sorted(kept, key=lambda item: not item.forbids)


def durable_verdicts(found: Iterable[Confounder]) -> bool:
    """Whether a verdict on durability is possible."""
    return not any(item.forbids for item in found)


def _virtual(facts: TargetFacts) -> Iterator[Confounder]:
    kind = facts.view.virtual
    if kind is not None:
        name = "" if kind == UNNAMED else f" ({kind})"
        text = f"This is a virtual machine{name}: whether data survives a power failure is decided by its host."
        yield Confounder(name="virtual_machine", text=text, forbids=True)
    elif facts.cpuinfo is None or not _FLAGS.search(facts.cpuinfo):
        text = "Whether this is a virtual machine is unknown: its processor does not report it."
        yield Confounder(name="virtual_machine", text=text, forbids=True)


def _preloaded(libraries: str) -> Iterator[Confounder]:
    if "eatmydata" in libraries or "nosync" in libraries:
        text = "A library that leaves out flushes is preloaded (LD_PRELOAD): nothing that is written is durable."
        yield Confounder(name="flushes_left_out", text=text, forbids=True)


def _page_cache(facts: TargetFacts) -> Iterator[Confounder]:
    why = None
    if not facts.direct and not facts.place.in_memory:
        why = "O_DIRECT is refused here"
    elif facts.kind == "file" and JOURNALED in facts.options:
        why = f"{facts.place.point} is mounted with {JOURNALED}, where O_DIRECT is accepted but ignored"
    if why is not None:
        text = f"{why}, so the page cache of the kernel is measured together with the drive."
        yield Confounder(name="page_cache", text=text, forbids=True)


def _file_system(place: Place, options: Collection[str]) -> Iterator[Confounder]:
    name = place.filesystem
    if name is None:
        text = "The file system is unknown, and so is what it does with writes and flushes."
        yield Confounder(name="file_system", text=text, forbids=True)
        return
    if place.in_memory:
        yield Confounder(name="memory", text=f"{name} keeps files in memory: no drive is measured.", forbids=True)
    if name in _NETWORK:
        yield Confounder(name="network", text=f"{name} is on another machine: its server is measured.", forbids=True)
    if _DECOUPLED.match(name):
        text = f"{name} is between the file and the drive, and may handle flushes differently."
        yield Confounder(name="file_system", text=text, forbids=True)
    if place.copies_on_write:
        text = f"{name} never overwrites: each write goes to a new place, and more is written than requested."
        yield Confounder(name="copy_on_write", text=text)
    off = sorted(NO_BARRIER & set(options))
    if off:
        text = f"{place.point} is mounted with {', '.join(off)}: the file system does not flush the drive's cache."
        yield Confounder(name="no_barriers", text=text, forbids=True)
    if "sync" in options:
        text = f"{place.point} is mounted with sync: each write waits for the drive."
        yield Confounder(name="mounted_sync", text=text)


def _early_commits(facts: TargetFacts) -> Iterator[Confounder]:
    """ZFS that acknowledges commits before they are written. What is below may have a value that is not listed."""
    name = facts.dataset
    if name is None:
        return
    pools = [volume for _, volume in (facts.scope.volumes if facts.scope else ()) if volume.name == name.split("/")[0]]
    disabled = pools[0].sync_disabled if pools else None
    above = [one for one in disabled or () if name == one or name.startswith(f"{one}/")]
    if disabled is None:
        why = f"Whether {name or 'the volume of ZFS'} acknowledges commits before they are written (sync=disabled)"
        why = f"{why} is unknown."
    elif name in above:
        why = f"{name} has sync=disabled: ZFS acknowledges commits before they are written."
    elif above:
        why = f"{name} is in {above[-1]}, which has sync=disabled: its commits may be acknowledged before they are "
        why = f"{why}written."
    else:
        return
    yield Confounder(name="sync_disabled", text=why, forbids=True)


def _stack(facts: TargetFacts) -> Iterator[Confounder]:
    if facts.scope is None or not facts.scope.blocks:
        if not facts.place.in_memory and facts.place.filesystem not in _NETWORK:
            text = "The drives below are unknown: layers above them may change what is measured."
            yield Confounder(name="layers", text=text)
        return
    for block in facts.scope.blocks:
        known = facts.attributes.get(block.name, {})
        if block.kind == "dm":
            yield from _mapping(block, known)
        for pattern, name, text in _LAYERS:
            if pattern.match(block.name):
                yield Confounder(name=name, text=f"{block.node} {text}.", forbids=name in _FORBIDDING)
        if block.kind != "partition":
            yield from _queue(block, known)


def _mapping(block: BlockDevice, known: Mapping[str, str]) -> Iterator[Confounder]:
    title = block.dm_name or known.get("name") or block.name
    uuid = known.get("uuid")
    if uuid is None:
        text = f"{title} is a device-mapper mapping of unknown kind."
        yield Confounder(name="layers", text=text)
        return
    for pattern, name, text in _DM:
        if pattern.match(uuid):
            yield Confounder(name=name, text=f"{title} {text}.")
            return
    yield Confounder(name="layers", text=f"{title} is a mapping of the device mapper.")


def _queue(block: BlockDevice, known: Mapping[str, str]) -> Iterator[Confounder]:
    cache = known.get("write_cache") or block.write_cache
    if cache == "write through" and not block.slaves:
        text = f"The kernel takes {block.node} for a device without a volatile cache, and sends it no flushes."
        yield Confounder(name="no_flushes_sent", text=text)
    zoned = known.get("zoned", "none")
    if zoned != "none":
        yield Confounder(name="zoned", text=f"{block.node} has zones ({zoned}): random writes are rearranged.")


def _inventory(scope: Scope | None) -> Iterator[Confounder]:
    if scope is None:
        return
    for _, volume in scope.volumes:
        yield from _volume(volume)
    for _, drive in scope.drives:
        if drive.status in ("warning", "critical"):
            status = f" ({drive.status_text})" if drive.status_text else ""
            yield Confounder(name="drive", text=f"{drive.id} reports trouble{status}: a failing drive is slow.")
    for controller in scope.controllers:
        for battery in controller.batteries:
            if battery.status in ("learning", "charging"):
                text = f"{battery.id} is {battery.status}: the write cache may be switched off until it is done."
                yield Confounder(name="learn_cycle", text=text)
            elif battery.status in ("degraded", "failed", "missing"):
                text = f"{battery.id} {has_state(battery.status)}: the write cache may be switched off."
                yield Confounder(name="battery", text=text)
        yield from _searches(controller)


def _volume(volume: Volume) -> Iterator[Confounder]:
    progress = volume.progress
    if progress is not None or volume.status in _BACKGROUND:
        what = volume.status if progress is None or progress.operation == "unknown" else progress.operation
        percent = (
            f" ({format_percent(progress.percent)})" if progress is not None and progress.percent is not None else ""
        )
        text = f"{volume.id} is busy with a background operation: {what}{percent}."
        yield Confounder(name="check" if what in _CHECKS else "rebuild", text=text)
    if volume.status in ("degraded", "failed", "offline"):
        yield Confounder(
            name="degraded", text=f"{volume.id} {has_state(volume.status)}: it is slower than it could be."
        )
    if volume.cache is not None and volume.cache.why_not_in_force:
        text = f"The cache of {volume.id} is not used as configured: {volume.cache.why_not_in_force}"
        yield Confounder(name="cache_not_in_force", text=text if text.endswith(".") else f"{text}.")


def _searches(controller: Controller) -> Iterator[Confounder]:
    """Background scans of all drives: running, or possible at any time."""
    patrol = [controller.patrol_read] if controller.patrol_read else []
    checks = [
        one
        for one in (controller.consistency_check, *(volume.consistency_check for volume in controller.volumes))
        if one
    ]
    modes = [value for label, value in controller.details.items() if re.search(r"patrol.?read", label, re.IGNORECASE)]
    what = f"{controller.id} reads its drives for errors (patrol read)"
    if any(map(_RUNS.search, [*modes, *_words(patrol)])):
        yield Confounder(name="patrol_read", text=f"{what}.")
    elif any(one.mode == "automatic" for one in patrol):
        yield Confounder(name="searches", text=f"{what} automatically{_next(patrol)}, possibly during the measurement.")
    what = f"{controller.id} compares copies and parity (consistency check)"
    if any(map(_RUNS.search, _words(checks))):
        yield Confounder(name="check", text=f"{what}.")
    elif any(one.mode == "automatic" for one in checks):
        yield Confounder(name="searches", text=f"{what} automatically{_next(checks)}, possibly during the measurement.")


def _words(scrubs: Iterable[Scrub]) -> list[str]:
    return [one.status_text for one in scrubs if one.status_text]


def _next(scrubs: Iterable[Scrub]) -> str:
    moments = [one.next_at for one in scrubs if one.next_at]
    return f", next at {moments[0]}" if moments else ""
