"""Whether a drive may join an array: size, kind, health, use, signatures. Pure.

mdadm accepts a drive with a file system without asking, and with exit code 0, so these guards come first. Names are
those of the manual: R7 (in use), R10 (the drive itself), R11 (signatures), S4 and S5 (spares).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from raidctl.health.redundancy import members
from raidctl.health.spares import MEDIA_WORDS
from raidctl.host import BlockDevice
from raidctl.model import Array, Controller, Drive
from raidctl.model.objects import drives_by_id
from raidctl.operate.contents import HELD, Contents
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.units import format_decimal


class Objection(Struct, frozen=True, kw_only=True):
    """A reason why a drive must not join, or not leave."""

    guard: str
    text: str
    remedy: str | None = None
    unknown: bool = False
    """Whether the reason is that something is unknown."""
    overridable: bool = False


class Candidate(Struct, frozen=True, kw_only=True):
    """A drive or partition that is to join an array."""

    drive: Drive
    """The physical drive."""
    node: str
    """The device that joins: the drive's, or that of the partition."""
    contents: Contents = Contents()
    """What was read of that device."""


def objections(seen: Survey, controller: Controller, array: Array, candidate: Candidate) -> list[Objection]:
    """Return every reason to refuse a drive for an array. The drive would be a new member or spare."""
    block = seen.view.block(candidate.node)
    if block is None or block.node != candidate.node:
        text = f"The kernel does not show {candidate.node}."
        return [Objection(guard="R10", text=text, unknown=True)]
    others = members(controller, array)
    uses = list(used(seen, candidate, block))
    return [
        *uses,
        *too_small(block.node, block.size_bytes, others, "S4"),
        *other_sectors(candidate.drive, _physical(seen, others)),
        *other_kind(candidate.drive, others, "members", guard="S5"),
        *health(candidate.drive),
        *overwritten(
            candidate.node,
            candidate.contents,
            block.filesystem,
            erase=None if uses else f"wipefs --all --backup {candidate.node}",
        ),
    ]


def _physical(seen: Survey, members: Sequence[Drive]) -> list[Drive]:
    """The drives that members of a software array are on. Only these report the size of their sectors."""
    known = drives_by_id(seen.inventory)
    return [known.get(name, one) for one in members for name in one.backing or (one.id,)]


def used(seen: Survey, candidate: Candidate, block: BlockDevice) -> Iterator[Objection]:
    """R10: no member or spare of an array. R7: not mounted, and empty."""
    drive, whole = candidate.drive, block.parent is None
    for controller in seen.inventory.controllers:
        for one in controller.drives:
            mine = one.device == candidate.node or (whole and drive.id in one.backing)
            if mine and one.role in ("member", "spare", "journal", "failed") and one.array:
                yield Objection(guard="R10", text=f"{candidate.node} is a {one.role} of {one.array}.")
    yield from foreign(drive)
    points = [*block.mountpoints, *(point for one in seen.view.above(block.name) for point in one.mountpoints)]
    if points:
        yield Objection(guard="R7", text=f"{candidate.node} is in use: {listing(list(dict.fromkeys(points)))}.")
    above = [one.node for one in seen.view.above(block.name)]
    if above:
        yield Objection(guard="R7", text=f"{listing(above)} {'is' if len(above) == 1 else 'are'} on {candidate.node}.")
    if seen.view.sys_read_only:
        yield Objection(guard="X8", text="/sys is read-only, as in a container: what uses it is unknown.", unknown=True)


def foreign(drive: Drive) -> Iterator[Objection]:
    """R10: the drive holds no foreign configuration."""
    if drive.foreign:
        yield Objection(guard="R10", text=f"{drive.id} holds a configuration that a controller has not imported.")


def too_small(name: str, size: int | None, others: Sequence[Drive], guard: str) -> Iterator[Objection]:
    """S4, R10: at least as large as the smallest member. There is then room for md's data offset as well."""
    sizes = [one.size_bytes for one in others]
    known = [other for other in sizes if other is not None]
    if size is None or not known or len(known) < len(sizes):
        what = name if size is None else "a member of the array"
        yield Objection(guard=guard, text=f"The size of {what} is unknown.", unknown=True)
    elif size < min(known):
        sizes_text = f"{format_decimal(size)}, the smallest member has {format_decimal(min(known))}"
        yield Objection(guard=guard, text=f"{name} is {min(known) - size} bytes too small: it has {sizes_text}.")


def other_sectors(drive: Drive, others: Sequence[Drive]) -> Iterator[Objection]:
    """R10: the sectors of a drive and of the members have the same size, as far as is known."""
    sectors = {one.sector_bytes for one in others if one.sector_bytes}
    if drive.sector_bytes and sectors and drive.sector_bytes not in sectors:
        text = f"{drive.id} has {drive.sector_bytes}-byte sectors, the members have {min(sectors)}-byte sectors."
        yield Objection(guard="R10", text=text)


def other_kind(drive: Drive, others: Sequence[Drive], named: str, guard: str = "P7") -> Iterator[Objection]:
    """P7, S5: why a drive differs, or may differ, from other drives.

    Media and interface are compared. ``named``: the other drives. P7 does not apply if media are reported for none of
    the drives: the tools of some controllers cannot.
    """
    media = {one.media for one in others}
    if others and drive.media is None and (media != {None} or guard == "S5"):
        text = f"Whether {drive.id} is a hard drive or an SSD is unknown."
        yield Objection(guard=guard, text=text, unknown=True, overridable=True)
    elif drive.media and None in media:
        text = f"{drive.id} is {MEDIA_WORDS[drive.media]}; whether all the {named} are that is unknown."
        yield Objection(guard=guard, text=text, unknown=True, overridable=True)
    elif drive.media and media and drive.media not in media:
        text = f"{drive.id} is {MEDIA_WORDS[drive.media]}, the {named} are not."
        yield Objection(guard=guard, text=text, overridable=True)
    interfaces = {one.interface for one in others if one.interface}
    if drive.interface and interfaces and drive.interface not in interfaces:
        theirs = ", ".join(sorted(map(str.upper, interfaces)))
        text = f"{drive.id} is {drive.interface.upper()}, the {named} are {theirs}."
        yield Objection(guard=guard, text=text, overridable=True)


def health(drive: Drive) -> Iterator[Objection]:
    """R10: the drive neither has failed nor predicts a failure. A virtual drive has no health."""
    if drive.interface == "virtual" or (drive.status == "ok" and not drive.errors.predictive):
        return
    if drive.status == "unknown":
        text = f"The health of {drive.id} is unknown."
        yield Objection(
            guard="R10", text=text, unknown=True, overridable=True,
            remedy="Install the package smartmontools, or override with --unsafe REASON.",
        )  # fmt: skip
        return
    words = f": {drive.status_text}" if drive.status_text else ""
    yield Objection(
        guard="R10", text=f"{drive.id} is not healthy ({drive.status}{words}).", remedy="Use another drive."
    )


def overwritten(
    name: str, found: Contents, filesystem: str | None = None, *, wipe: str | None = None, erase: str | None = None
) -> Iterator[Objection]:
    """R7, R11: whether something would be overwritten, or a program holds the device.

    The udev database alone is not enough. These guards protect each device that is about to be written.

    Args:
        name: The device or drive, for a sentence.
        found: What was read of it.
        filesystem: What udev reports.
        wipe: The option that permits to erase it; None: there is none.
        erase: Without this option, the command that erases it; None: none is named.
    """
    if found.held:
        text = f"{name} {HELD}"
        yield Objection(guard="R7", text=text)
    if found.signatures is None or (not found.signatures and found.blank is None):
        what = "probed for signatures" if found.signatures is None else "read"
        remedy = found.remedy or "Run it as root; the package util-linux is needed."
        yield Objection(guard="R11", text=f"{name} could not be {what}.", unknown=True, remedy=remedy)
        return
    signatures = tuple(dict.fromkeys([*found.signatures, *([filesystem] if filesystem else [])]))
    if signatures:
        text = f"{name} contains {listing(signatures)}: it would be overwritten."
        how = f"{wipe} removes it." if wipe else f"If nothing on it is needed: {erase}" if erase else None
        yield Objection(guard="R11", text=text, remedy=how)
    elif not found.blank:
        text = f"{name} has no known signature, but data in its first sector: what is on it is unknown."
        way = f"{wipe}." if wipe else "override with --unsafe REASON. wipefs leaves data of a partition table there."
        remedy = f"If nothing on it is needed{':' if wipe else ','} {way}"
        yield Objection(guard="R11", text=text, remedy=remedy, unknown=True, overridable=True)
