"""Whether a new drive behind a controller may join an array.

Guard R10 decides, by what the controller's tool reports. Pure.

The controller hides the content of such a drive. The guard uses what it reports: size, kind, sector size, health, and
whether the drive belongs to an array already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.host import HostView
from raidctl.model import Drive
from raidctl.operate.new_drive import health, other_kind
from raidctl.units import format_decimal

Objections = Iterator[tuple[str, str, bool]]
"""Name of the guard, sentence, and whether ``--unsafe`` lifts it."""


def unfit_behind(drive: Drive, view: HostView, others: Sequence[Drive]) -> Objections:
    """Yield why a drive may not join.

    Args:
        drive: The new drive.
        view: What the kernel shows: an exposed drive may be in use.
        others: The working members of the array.
    """
    if not drive.serial:
        yield "X1", f"{drive.id} has no serial number.", False
    if drive.foreign:
        yield "R10", f"{drive.id} holds a configuration that its controller has not imported.", False
    if drive.role not in ("unassigned", "passthrough"):
        use = "of unknown use: no role is reported" if drive.role is None else f"not free: it is a {drive.role} drive"
        yield "R10", f"{drive.id} is {use}.", False
    yield from _used(drive, view)
    yield from _size(drive, others)
    yield from _kind(drive, others)
    counters = (drive.errors.media, drive.errors.pending, drive.errors.uncorrectable)
    if any(counters):
        yield "R10", f"{drive.id} has sectors that cannot be read, or media errors.", False
    yield from ((one.guard, one.text, one.overridable) for one in health(drive))


def _used(drive: Drive, view: HostView) -> Objections:
    block = view.block(drive.device) if drive.device else None
    if block is None:
        if drive.role == "passthrough":
            yield "R7", f"What the system uses {drive.id} for is unknown: it may be in use.", False
        return
    names = [*block.mountpoints, *(one.node for one in view.above(block.name)), *view.mountpoints(block.name)]
    if names:
        yield "R7", f"{drive.id} is in use: {', '.join(dict.fromkeys(names))}.", False
    elif block.filesystem:
        yield "R11", f"{drive.id} ({block.node}) contains {block.filesystem}: it would be overwritten.", False


def _size(drive: Drive, others: Sequence[Drive]) -> Objections:
    sizes = [one.size_bytes for one in others]
    known = [size for size in sizes if size is not None]
    if drive.size_bytes is None or not known or len(known) < len(sizes):
        what = drive.id if drive.size_bytes is None else "a member of the array"
        yield "R10", f"The size of {what} is unknown.", False
    elif drive.size_bytes < min(known):
        sizes_text = f"{format_decimal(drive.size_bytes)}, the smallest member has {format_decimal(min(known))}"
        yield "R10", f"{drive.id} is too small: it has {sizes_text}.", False


def _kind(drive: Drive, others: Sequence[Drive]) -> Objections:
    sectors = {one.sector_bytes for one in others if one.sector_bytes}
    if drive.sector_bytes and sectors and drive.sector_bytes not in sectors:
        text = f"{drive.id} has {drive.sector_bytes}-byte sectors, the members have {min(sectors)}-byte sectors."
        yield "R10", text, False
    yield from (("P7", text, True) for text in other_kind(drive, others, "members"))
