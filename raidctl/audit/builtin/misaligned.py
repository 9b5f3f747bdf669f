"""A partition or a logical volume does not begin where a strip of the array begins.

**What it looks for.** Partitions and LVM volumes above a striped volume, and members of software RAID, that begin in
the middle of a strip, or of a drive's 4096-byte sector.

**Why.** Old installers began the first partition at sector 63 (32256 bytes). A block of 4 KiB then lies across two
sectors of the drive, and a block of 64 KiB across two strips: two disks move for one request, and on RAID-5 and RAID-6
two stripes are read, computed and written instead of one. Up to a half of the random writes are lost that way, for
good, as only moving the data mends it.

**Fails** (warning) when a beginning is not a multiple of 4096 bytes; as information when it is, but no multiple of
the strip: only requests as large as a strip feel that. (A multiple of the full stripe is not asked for: the file system
aligns its own blocks.)

**Passes** when each piece begins at a multiple of the strip.

**Cannot tell:** volumes whose strip, or where the pieces begin, is not told are passed over.

**Remedy.** New partitions begin at 1 MiB or at a multiple of the strip (all tools of the last ten years do); LVM:
`pvcreate --dataalignment`. For what exists: copy it away, make it anew, copy it back. Not worth a night for an archive;
worth it for a busy database.

**Example.** Fails: a partition that begins at byte 32256. Passes: one that begins at 1048576.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import PARITY, few, members, volumes
from raidctl.model import BlockLayer, Controller, Drive, Inventory, Volume
from raidctl.units import format_binary

FINDINGS = RuleFindings("misaligned", "warning", "What lies on a volume does not begin at a strip")
_SECTOR = 4096
_STRIPED = PARITY | {"raid0", "raid10", "raid10t"}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume that says where what lies on it begins; one for each such software array."""
    for _, volume in volumes(inventory):
        placed = [layer for layer in volume.layers if layer.offsets_bytes and _has_data(layer)]
        if placed:
            yield _judge(volume, placed)
    for card in inventory.controllers:
        if card.mode == "software":
            yield from _members(card)


def _has_data(layer: BlockLayer) -> bool:
    """Whether it is worth a word: partitions of a few MiB hold boot code, and are read once."""
    return layer.kind in ("partition", "lvm", "crypt") and (layer.size_bytes is None or layer.size_bytes >= 1 << 30)


def _judge(volume: Volume, placed: list[BlockLayer]) -> Finding:
    strip = volume.strip_bytes if volume.raid_level in _STRIPED else None
    wrong = [layer for layer in placed if any(offset % _SECTOR for offset in layer.offsets_bytes)]
    if wrong:
        return _failed(volume, wrong, _SECTOR, "a 4096-byte sector", None)
    off = [layer for layer in placed if strip and any(offset % strip for offset in layer.offsets_bytes)]
    if strip and off:
        return _failed(volume, off, strip, f"a strip ({format_binary(strip)})", "info")
    return FINDINGS.passed(volume, "What lies on the volume begins where a strip begins.")


def _failed(volume: Volume, layers: list[BlockLayer], unit: int, what: str, severity: Severity | None) -> Finding:
    first = layers[0]
    begins = next(offset for offset in first.offsets_bytes if offset % unit)
    names = few([layer.name or layer.device for layer in layers])
    cost = "every block lies across two." if severity is None else "requests as large as a strip keep two drives busy."
    message = f"{names} {'begins' if len(layers) == 1 else 'begin'} in the middle of {what}: {cost}"
    remedy = "Copy it away and make it anew at a multiple of the strip, when speed is worth that."
    evidence = (f"{first.device} offset = {begins}", f"strip_bytes = {volume.strip_bytes}")
    return FINDINGS.failed(
        volume, message, remedy, severity=severity, wants=(None, f"a multiple of {unit} bytes"), more=evidence
    )


def _members(card: Controller) -> Findings:
    """Members of software RAID: their data have to begin at a sector of the drive."""
    for array in card.arrays:
        told = [drive for drive in members(card, array) if drive.data_offset_bytes is not None]
        wrong: list[Drive] = [drive for drive in told if (drive.data_offset_bytes or 0) % _SECTOR]
        if wrong:
            message = (
                "The data of the array begin in the middle of a 4096-byte sector of "
                f"{few([drive.device or drive.id for drive in wrong])}: every block lies across two."
            )
            remedy = "Make the array anew with its data at a multiple of 1 MiB, when speed is worth that."
            evidence = tuple(f"{drive.id} data_offset_bytes = {drive.data_offset_bytes}" for drive in wrong[:4])
            yield FINDINGS.failed(array, message, remedy, wants=(None, f"a multiple of {_SECTOR} bytes"), more=evidence)
        elif told:
            yield FINDINGS.passed(array, "The data of the array begin at sectors of its drives.")
