"""A partition or logical volume does not start at a strip boundary.

**What it checks.** Partitions and LVM volumes on a striped volume, and members of software RAID, that start in the
middle of a strip (chunk) or of a 4096-byte sector.

**Why it matters.** Old installers started the first partition at sector 63 (32256 bytes). A 4 KiB block then spans two
physical sectors and a 64 KiB block two strips: two drives work for one request, and on RAID-5 and RAID-6 two stripes
are read, computed and written instead of one. This costs up to half of the random writes, and only moving the data
fixes it.

**Fails** (warning) when a start is not a multiple of 4096 bytes; (information) when it is, but not a multiple of the
strip size: only requests as large as a strip are affected. A multiple of the full stripe is not required, as the file
system aligns its own blocks.

**Passes** when everything starts at a multiple of the strip size; without strips, of 4096 bytes. Layers below 1 GiB are
not checked.

**Unknown:** never. Volumes whose partition offsets are not reported are not checked, and striped ones whose strip size
is not reported only for 4096 bytes, which is not a pass.

**How to fix.** Start new partitions at 1 MiB or a multiple of the strip size (the default of current tools); LVM:
`pvcreate --dataalignment`. For existing ones: copy the data away, recreate, copy it back. Worth it for a busy
database, not for an archive.

**Example.** Fails: a partition that starts at byte 32256. Passes: one that starts at 1048576.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import members, volumes
from raidctl.model import BlockLayer, Controller, Drive, Inventory, Volume
from raidctl.model.raid_levels import STRIPED
from raidctl.text import few
from raidctl.units import format_binary

FINDINGS = RuleFindings("misaligned", "warning", "A partition or logical volume is misaligned")
_SECTOR = 4096


def check(inventory: Inventory) -> Findings:
    """One finding for each volume with known partition offsets. Each software array with data offsets has one, too."""
    for _, volume in volumes(inventory):
        placed = [layer for layer in volume.layers if layer.offsets_bytes and _has_data(layer)]
        if placed and (found := _judge(volume, placed)) is not None:
            yield found
    for controller in inventory.controllers:
        if controller.mode == "software":
            yield from _members(controller)


def _has_data(layer: BlockLayer) -> bool:
    """Whether a layer holds data. Layers below 1 GiB hold boot code, which is read once."""
    return layer.kind in ("partition", "lvm", "crypt") and (layer.size_bytes is None or layer.size_bytes >= 1 << 30)


def _judge(volume: Volume, placed: list[BlockLayer]) -> Finding | None:
    striped = volume.raid_level in STRIPED
    strip = volume.strip_bytes if striped else None
    wrong = [layer for layer in placed if any(offset % _SECTOR for offset in layer.offsets_bytes)]
    if wrong:
        return _failed(volume, wrong, _SECTOR, "a 4096-byte sector", None)
    off = [layer for layer in placed if strip and any(offset % strip for offset in layer.offsets_bytes)]
    if strip and off:
        return _failed(volume, off, strip, f"a strip ({format_binary(strip)})", "info")
    if striped and not strip:
        return None
    boundary = "strip boundary" if strip else "4096-byte sector"
    return FINDINGS.passed(volume, f"Everything on the volume starts at a {boundary}.")


def _failed(volume: Volume, layers: list[BlockLayer], unit: int, what: str, severity: Severity | None) -> Finding:
    first = layers[0]
    start = next(offset for offset in first.offsets_bytes if offset % unit)
    names = few([layer.name or layer.device for layer in layers])
    cost = "every block spans two." if severity is None else "requests as large as a strip keep two drives busy."
    message = f"{names} {'starts' if len(layers) == 1 else 'start'} in the middle of {what}: {cost}"
    remedy = (
        f"If the speed matters: copy the data away, recreate it at a multiple of {format_binary(unit)}, copy it back."
    )
    evidence = (f"{first.device} offset = {start}", f"strip_bytes = {volume.strip_bytes}")
    return FINDINGS.failed(
        volume, message, remedy, severity=severity, wants=(None, f"a multiple of {unit} bytes"), more=evidence
    )


def _members(controller: Controller) -> Findings:
    """Members of software RAID whose data does not start at a sector. The sector is that of the drive."""
    for array in controller.arrays:
        known = [drive for drive in members(controller, array) if drive.data_offset_bytes is not None]
        wrong: list[Drive] = [drive for drive in known if (drive.data_offset_bytes or 0) % _SECTOR]
        if wrong:
            message = (
                "The data of the array starts in the middle of a 4096-byte sector of "
                f"{few([drive.device or drive.id for drive in wrong])}: every block spans two."
            )
            remedy = "If the speed matters, recreate the array with its data at a multiple of 1 MiB."
            evidence = tuple(f"{drive.id} data_offset_bytes = {drive.data_offset_bytes}" for drive in wrong[:4])
            yield FINDINGS.failed(array, message, remedy, wants=(None, f"a multiple of {_SECTOR} bytes"), more=evidence)
        elif known:
            yield FINDINGS.passed(array, "The data of the array starts at a sector of each drive.")
