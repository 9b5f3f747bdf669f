"""The kernel's read-ahead is smaller than one stripe of the volume.

**What it checks.** Mounted volumes of hard drives whose block device reads ahead less than one full stripe: one strip
(chunk) from each data drive.

**Why it matters.** A sequential read keeps all drives busy only if the kernel requests a whole stripe at once. Linux
defaults to 128 KiB, half of a 256 KiB strip: one drive reads while the others wait, and a RAID-6 of ten drives reads
files at the speed of one. What counts is the read-ahead of the device that the file system is mounted from (the
logical volume, not the array below). The controller's read-ahead hides part of the effect, so volumes whose controller
reads ahead are not checked.

**Fails** (information) when the read-ahead is smaller than a stripe. Backups and scans benefit from a larger one;
random access is not affected, because the kernel reads ahead only on sequential access.

**Passes** when it is a stripe or more.

**Unknown:** never. Volumes of SSDs, unmounted volumes, and volumes whose strip size or read-ahead is not reported are
not checked.

**How to fix.** `raidctl cache set --read-ahead KIB TARGET`, then add a udev rule so that it survives a reboot.

**Example.** Fails: `read_ahead_bytes = 131072` above a stripe of 1 MiB. Passes: `read_ahead_bytes = 4194304`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import below, full_stripe, medium, volumes
from raidctl.model import Block, BlockLayer, Inventory, Mount, Volume
from raidctl.model.raid_levels import STRIPED
from raidctl.units import format_binary

FINDINGS = RuleFindings("block_read_ahead_small", "info", "The kernel reads ahead less than a stripe")


def check(inventory: Inventory) -> Findings:
    """One finding for each mounted volume of hard drives. Its stripe and read-ahead are known."""
    for controller, volume in volumes(inventory):
        if volume.raid_level not in STRIPED or not volume.mounts or _controller_reads(volume):
            continue
        stripe = full_stripe(controller, volume)
        if stripe is None or medium(below(controller, volume)) != "hdd":
            continue
        yield from _judge(volume, stripe)


def _controller_reads(volume: Volume) -> bool:
    return volume.cache is not None and volume.cache.read_policy in ("read_ahead", "adaptive")


def _judge(volume: Volume, stripe: int) -> Findings:
    """One finding: the mounted device with the smallest read-ahead decides."""
    found = [_read_ahead(volume, mount) for mount in volume.mounts]
    known = [one for one in found if one is not None]
    if not known:
        return
    size, device = min(known)
    if size >= stripe:
        yield FINDINGS.passed(volume, "The kernel reads ahead one stripe or more.")
        return
    message = (
        f"{device} reads ahead {format_binary(size)}, less than one stripe of {format_binary(stripe)}: sequential "
        "reads leave drives idle."
    )
    remedy = f"`raidctl cache set --read-ahead {2 * stripe // 1024} {volume.id}`; measure before and after."
    evidence = (f"{device} read_ahead_bytes = {size}", f"strip_bytes = {volume.strip_bytes}", f"stripe = {stripe}")
    yield FINDINGS.failed(volume, message, remedy, wants=(None, f"{format_binary(stripe)} or more"), more=evidence)


def _read_ahead(volume: Volume, mount: Mount) -> tuple[int, str] | None:
    """The read-ahead of the device that a file system is mounted from.

    For a partition, it is that of the whole device.
    """
    layer = next((layer for layer in volume.layers if layer.device == mount.device), None)
    block, device = _queue(volume, layer)
    return (block.read_ahead_bytes, device) if block and block.read_ahead_bytes is not None else None


def _queue(volume: Volume, layer: BlockLayer | None) -> tuple[Block | None, str]:
    if layer is not None and layer.block is not None:
        return layer.block, layer.device
    return volume.block, volume.device or volume.id
