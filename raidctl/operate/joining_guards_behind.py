"""Whether a new drive behind a controller may join an array.

Guard R10 decides, by what the controller's tool reports. Pure.

The controller hides the content of such a drive. The guard uses what it reports: size, kind, sector size, health, and
whether the drive belongs to an array already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.host import HostView
from raidctl.model import Drive
from raidctl.operate.contents import Contents, read_contents
from raidctl.operate.new_drive import Objection, foreign, health, other_kind, other_sectors, overwritten, too_small
from raidctl.request import Dialogue


def unfit_behind(
    drive: Drive, view: HostView, others: Sequence[Drive], contents: Contents | None = None
) -> Iterator[Objection]:
    """Yield why a drive may not join.

    Args:
        drive: The new drive.
        view: What the kernel shows: an exposed drive may be in use.
        others: The working members of the array.
        contents: What was read of an exposed drive. None: it is not exposed, or was not read yet.
    """
    if not drive.serial:
        yield Objection(guard="X1", text=f"{drive.id} has no serial number.")
    yield from foreign(drive)
    if drive.role not in ("unassigned", "passthrough"):
        use = "of unknown use: no role is reported" if drive.role is None else f"not free: it is a {drive.role} drive"
        yield Objection(guard="R10", text=f"{drive.id} is {use}.", unknown=drive.role is None)
    elif drive.array:
        yield Objection(guard="R10", text=f"{drive.id} may be a drive of {drive.array}, which lists it.", unknown=True)
    yield from _used(drive, view, contents)
    yield from too_small(drive.id, drive.size_bytes, others, "R10")
    yield from other_sectors(drive, others)
    yield from other_kind(drive, others, "members")
    counters = (drive.errors.media, drive.errors.pending, drive.errors.uncorrectable)
    if any(counters):
        yield Objection(guard="R10", text=f"{drive.id} has sectors that cannot be read, or media errors.")
    yield from health(drive)


def exposed(drive: Drive, view: HostView) -> Dialogue[Contents | None]:
    """Read a drive that the system sees, too. None: the controller hides it."""
    block = view.block(drive.device)
    if block is None:
        return None
    found = yield from read_contents([block.node])
    return found[block.node]


def _used(drive: Drive, view: HostView, contents: Contents | None) -> Iterator[Objection]:
    block = view.block(drive.device)
    if block is None:
        if drive.role == "passthrough":
            text = f"What the system uses {drive.id} for is unknown: it may be in use."
            yield Objection(guard="R7", text=text, unknown=True)
        return
    names = [*block.mountpoints, *(one.node for one in view.above(block.name)), *view.mountpoints(block.name)]
    if names:
        yield Objection(guard="R7", text=f"{drive.id} is in use: {', '.join(dict.fromkeys(names))}.")
    elif contents is not None:
        yield from overwritten(f"{drive.id} ({block.node})", contents, block.filesystem)
    elif block.filesystem:
        text = f"{drive.id} ({block.node}) contains {block.filesystem}: it would be overwritten."
        yield Objection(guard="R11", text=text)
    elif not block.probed:
        text = f"What {drive.id} ({block.node}) contains is unknown without the udev database."
        yield Objection(guard="R11", text=text, unknown=True)
