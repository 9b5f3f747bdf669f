"""Whether a new drive may join an array of md: guards R10, R11. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Drive, Inventory
from raidctl.operate.contents import Contents, read_contents
from raidctl.operate.new_drive import Objection, foreign, health, other_kind, overwritten
from raidctl.operate.partition_table import Table, not_copied, parse
from raidctl.request import Dialogue, Read, Run, ask_all
from raidctl.units import format_decimal
from raidctl.vendor.plan import Step

_SECTOR = 512
"""Unit of md's ``offset``, and of a partition table if the drive's is unknown, bytes."""


class Probed(Struct, frozen=True):
    """What was read of a new drive and its future arrays."""

    contents: Contents = Contents()
    """Of the drive."""
    inside: Mapping[str, Contents] = {}
    """By node: its partitions that are not yet members."""
    needed_bytes: Mapping[str, int | None] = {}
    """By array: the size that a member needs, including the data offset. None: unknown."""
    sector_bytes: int | None = None
    member_sector_bytes: int | None = None
    table: Table | None = None
    """The partition table of the new drive."""
    source: Table | None = None
    """The partition table to copy. None: there is none, or it could not be read."""

    @property
    def signatures(self) -> tuple[str, ...] | None:
        """Of the drive and its partitions; None: they could not be read."""
        found = [one.signatures for one in (self.contents, *self.inside.values())]
        return None if None in found else tuple(name for names in found for name in names or ())


def probe(
    node: str, members: Mapping[str, str], sibling: str, *, table: bool, inside: Sequence[str] = ()
) -> Dialogue[Probed]:
    """Read a new drive.

    Args:
        node: The drive.
        members: Kernel names of the arrays, each with the kernel name of a working member.
        sibling: A drive with working members of these arrays.
        table: Whether its partition table is to be copied.
        inside: Its partitions that are not yet members.
    """
    files = [
        Read(f"/sys/class/block/{name.removeprefix('/dev/')}/queue/logical_block_size") for name in (node, sibling)
    ]
    for array, member in members.items():
        files += [Read(f"/sys/block/{array}/md/component_size"), Read(f"/sys/block/{array}/md/dev-{member}/offset")]
    texts = yield from ask_all(files)
    numbers = [_number(answer.text) for answer in texts]
    found = yield from read_contents([node, *inside])
    own, *sources = yield from ask_all(
        [Run(("sfdisk", "--dump", one)) for one in (node, *([sibling] if table else ()))]
    )
    needed = {
        array: None if (size := numbers[2 + 2 * index]) is None or (offset := numbers[3 + 2 * index]) is None
        else size * 1024 + offset * _SECTOR
        for index, array in enumerate(members)
    }  # fmt: skip
    return Probed(
        contents=found[node], inside={part: found[part] for part in inside},
        needed_bytes=needed, sector_bytes=numbers[0], member_sector_bytes=numbers[1],
        table=parse(own.text) if own.code == 0 else None,
        source=parse(sources[0].text) if sources and sources[0].code == 0 else None,
    )  # fmt: skip


def _number(text: str | None) -> int | None:
    word = (text or "").strip()
    return int(word) if word.isascii() and word.isdecimal() else None


def unfit(
    drive: Drive,
    seen: tuple[Inventory, HostView],
    found: Probed,
    others: Sequence[Drive],
    *,
    partitions: Sequence[str],
    erased: bool = False,
) -> Iterator[Objection]:
    """Yield why a drive may not join.

    Args:
        drive: The new drive.
        seen: The machine.
        found: What was read of the drive.
        others: The drives with working members of the same arrays.
        partitions: Numbers of its partitions that would be members; empty: the whole drive.
        erased: Whether raidctl has erased or partitioned it, or may do so. Then only signatures count.
    """
    inventory, view = seen
    yield from _identity(drive, inventory, view)
    yield from _size(drive, found, partitions)
    if found.sector_bytes is None:
        yield Objection(guard="R10", text=f"The sector size of {drive.id} is unknown.", unknown=True)
    elif found.member_sector_bytes is None:
        yield Objection(guard="R10", text="The sector size of the other drives is unknown.", unknown=True)
    elif found.sector_bytes > found.member_sector_bytes or (
        partitions and found.sector_bytes != found.member_sector_bytes  # a partition table counts in sectors
    ):
        text = f"{drive.id} has {found.sector_bytes}-byte sectors, the others {found.member_sector_bytes}-byte sectors."
        yield Objection(guard="R10", text=text)
    yield from other_kind(drive, others, "others")
    if drive.errors.pending or drive.errors.uncorrectable:
        yield Objection(guard="R10", text=f"{drive.id} has sectors that cannot be read.")
    yield from health(drive)
    yield from _contents(drive, found, partitions=partitions, erased=erased)


def _contents(drive: Drive, found: Probed, *, partitions: Sequence[str], erased: bool) -> Iterator[Objection]:
    devices = {} if partitions and _copied(found) else {drive.id: found.contents}
    for name, one in (devices | dict(found.inside)).items():
        for objection in overwritten(name, one.left_over if erased else one, wipe=f"--wipe {drive.serial}"):
            # a replacement that stops prints only the text
            yield replace(objection, text=" ".join(filter(None, (objection.text, objection.remedy))), remedy=None)


def _copied(found: Probed) -> bool:
    """Whether the drive contains only the partition table copied to it."""
    table = {"gpt", "PMBR", "dos"}
    own = found.contents.signatures
    only_table = bool(own) and set(own or ()) <= table
    return only_table and found.source is not None and not_copied(found.source, found.table) is None


def _identity(drive: Drive, inventory: Inventory, view: HostView) -> Iterator[Objection]:
    if not drive.serial:
        yield Objection(guard="X1", text=f"{drive.id} has no serial number.")
    if drive.role not in ("passthrough", "unassigned", None):
        yield Objection(guard="R10", text=f"{drive.id} is in use: {drive.role}.")
    yield from foreign(drive)
    block = view.block(drive.device)
    if block is None:
        yield Objection(guard="R10", text=f"{drive.id} has no device node, so its use is unknown.", unknown=True)
        return
    above = [device for device in view.above(block.name) if device.kind != "partition"]
    mounted = view.mountpoints(block.name)
    if above or mounted:
        names = ", ".join([*(device.node for device in above), *mounted])
        yield Objection(guard="R10", text=f"{drive.id} is in use: {names}.")
    for controller in inventory.controllers:
        for other in controller.drives:
            if drive.id in other.backing:
                yield Objection(guard="R10", text=f"{drive.id} is in an array already: {other.id}.")


def _size(drive: Drive, found: Probed, partitions: Sequence[str]) -> Iterator[Objection]:
    if drive.size_bytes is None:
        yield Objection(guard="R10", text=f"The size of {drive.id} is unknown.", unknown=True)
        return
    if partitions:
        end = found.source.end if found.source is not None else None
        if end is None:
            yield Objection(guard="R10", text="The partition table to be copied could not be read.", unknown=True)
            return
        # the second copy of a GPT takes 33 sectors at the end
        need = (end + (33 if found.source is not None and found.source.heads.get("label") == "gpt" else 0)) * (
            found.sector_bytes or _SECTOR
        )
        if drive.size_bytes < need:
            yield Objection(guard="R10", text=_too_small(drive, need))
        return
    for array, size in found.needed_bytes.items():
        if size is None:
            yield Objection(guard="R10", text=f"The size that a member of {array} needs is unknown.", unknown=True)
        elif drive.size_bytes < size:
            yield Objection(guard="R10", text=_too_small(drive, size))


def _too_small(drive: Drive, need: int) -> str:
    return (
        f"{drive.id} is too small: {format_decimal(drive.size_bytes or 0)} ({drive.size_bytes} bytes), "
        f"and {need} bytes are needed."
    )


def not_prepared(step: Step, new: Drive, found: Probed) -> list[str]:
    """What a drive still contains after it was to be erased, or lacks after its partitions were to be copied."""
    if step.setting == "wipe" and step.action.argv[-1] != new.device:
        return []  # of a partition; the drive itself is the last one
    if step.setting == "wipe":
        return [] if found.signatures == () else [f"{new.id} still contains {found.signatures or 'something'}"]
    why = not_copied(found.source, found.table) if found.source is not None else "no table could be read"
    return [why] if why is not None else []
