"""Kernel facts besides the inventory: mount options, cache types of SCSI drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raidctl.discovery.ext4 import path_of
from raidctl.discovery.mounts import MOUNTINFO, Mount, mountinfo
from raidctl.evidence import Line, Output
from raidctl.host import BlockDevice, HostView
from raidctl.model.block_layer import NO_BARRIER
from raidctl.request import Dialogue, Read, ask_all
from raidctl.verify.report import Evidence


@dataclass(frozen=True)
class Kernel:
    """Kernel tables that are not part of a survey."""

    mounts: tuple[tuple[Mount, Line], ...] = ()
    """Mounts in the kernel's order. A later mount on the same point hides the earlier one."""
    cache_types: Mapping[str, str] = field(default_factory=dict)
    """Of SCSI drives by ``H:C:T:L``: ``write back``, ``write through``."""
    defaults: Mapping[str, Evidence] = field(default_factory=dict)
    """Options of file systems that disable flushes and that mountinfo leaves out, by mount point."""

    def on(self, point: str) -> tuple[Mount, Line] | None:
        """The mount on a mount point."""
        return next((pair for pair in reversed(self.mounts) if pair[0].point == point), None)

    def above(self, path: str) -> tuple[Mount, Line] | None:
        """The mount of a path: the last with the longest mount point."""
        found = None
        for pair in self.mounts:
            point = pair[0].point
            inside = point in ("/", path) or path.startswith(f"{point}/")
            if inside and (found is None or len(point) >= len(found[0].point)):
                found = pair
        return found


def read_kernel(view: HostView) -> Dialogue[Kernel]:
    """Read both, in one round."""
    disks = [block for block in view.blocks if block.kind == "disk" and block.scsi_address]
    answers = yield from ask_all([Read(MOUNTINFO), *(Read(_cache_type(disk)) for disk in disks)])
    types = {
        disk.scsi_address or "": (answer.text or "").strip()
        for disk, answer in zip(disks, answers[1:], strict=True)
        if answer.fine and (answer.text or "").strip()
    }
    mounts = _mounts(answers[0].text or "")
    return Kernel(mounts, types, _defaults(view, mounts))


def _defaults(view: HostView, mounts: tuple[tuple[Mount, Line], ...]) -> dict[str, Evidence]:
    """The options of mounts that mountinfo leaves out: those of `raidctl.discovery.ext4`."""
    listed = {mount.point: mount.options for mount, _ in mounts}
    found = {}
    for block in view.blocks:
        for mount in block.mounts:
            options = sorted(NO_BARRIER.intersection(mount.options).difference(listed.get(mount.point, ())))
            if options:
                statement = f"{mount.point} is mounted with {', '.join(options)}, a default of its file system: "
                found[mount.point] = Evidence(
                    source="kernel", object=mount.point, statement=f"{statement}it sends no flush",
                    command=path_of(block.name), raw=options[0],
                )  # fmt: skip
    return found


def _mounts(text: str) -> tuple[tuple[Mount, Line], ...]:
    lines = Output.of_text(MOUNTINFO, text).lines
    return tuple((mount, line) for line in lines for mount in mountinfo(line.text).mounts)


def _cache_type(disk: BlockDevice) -> str:
    return f"/sys/class/scsi_disk/{disk.scsi_address}/cache_type"


def queue(block: BlockDevice) -> Evidence | None:
    """The kernel's view of a device's write cache. It decides whether the kernel sends flushes."""
    if block.write_cache is None:
        return None
    sends = {"write back": ", so it sends flushes", "write through": ", so it sends no flush"}
    return Evidence(
        source="kernel",
        object=block.node,
        statement=f"treats the write cache as {block.write_cache}{sends.get(block.write_cache, '')}",
        command=f"/sys/class/block/{block.name.replace('/', '!')}/queue/write_cache",
        line=1,
        raw=block.write_cache,
    )


def cache_type(kernel: Kernel, block: BlockDevice) -> Evidence | None:
    """The cache type that a SCSI drive reported to the kernel."""
    reported = kernel.cache_types.get(block.scsi_address or "")
    if reported is None:
        return None
    statement = f"the device reports its cache as {reported}"
    return Evidence(
        source="kernel", object=block.node, statement=statement, command=_cache_type(block), line=1, raw=reported
    )


def without_barriers(kernel: Kernel, points: tuple[str, ...]) -> list[Evidence]:
    """The file systems whose mount options disable flushes."""
    found = []
    for point in points:
        pair = kernel.on(point)
        options = NO_BARRIER.intersection(pair[0].options) if pair else ()
        if pair and options:
            statement = f"{point} is mounted with {', '.join(sorted(options))}: it sends no flush"
            found.append(_mounted(pair, statement))
        elif point in kernel.defaults:
            found.append(kernel.defaults[point])
    return found


def _mounted(pair: tuple[Mount, Line], statement: str) -> Evidence:
    mount, line = pair
    return Evidence(
        source="kernel", object=mount.point, statement=statement, command=MOUNTINFO, line=line.number, raw=line.text
    )
