"""GPT partition tables for a layout, one partition per volume. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from raidctl.host import BlockDevice, partition_node
from raidctl.layout.specification import Partition
from raidctl.model import Drive
from raidctl.units import format_binary

MIB = 1 << 20
_LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"
"""Type of a partition in GPT: https://uapi-group.org/specifications/specs/discoverable_partitions_specification"""


class Row(Struct, frozen=True):
    """A partition of a table; bytes, whole MiB."""

    number: int
    start: int
    size: int


def rows(partitions: Sequence[Partition], drive_bytes: int) -> list[Row] | str:
    """The partitions of a drive; a sentence if they do not fit. The last MiB holds the second copy of the table."""
    found: list[Row] = []
    end = drive_bytes // MIB * MIB - MIB
    free = MIB
    for one in sorted(partitions, key=lambda one: one.number):
        start = free if one.start_bytes is None else one.start_bytes
        size = end - start if one.size_bytes is None else one.size_bytes
        if start < free or size < MIB or start + size > end:
            return (
                f"partition {one.number} ({format_binary(size) if size > 0 else 'the rest'} from "
                f"{format_binary(start)} on) does not fit on a drive of {format_binary(drive_bytes)}."
            )
        found.append(Row(one.number, start, size))
        free = start + size
    return found


def script(node: str, table: Sequence[Row]) -> str:
    """The input of sfdisk(8). Offsets and sizes are in MiB, independent of the sector size."""
    lines = [
        f"{partition_node(node, str(row.number))} : "
        f"start={row.start // MIB}MiB, size={row.size // MIB}MiB, type={_LINUX_RAID}"
        for row in table
    ]
    return "\n".join(["label: gpt", *lines, ""])


def differs(made: BlockDevice, wanted: Partition, drive: Drive) -> str | None:
    """Explain why an existing partition is not the one of the layout. None if it is."""
    start = made.pieces[0].start_bytes if made.pieces else None
    if made.size_bytes is None or start is None:
        return f"where {made.node} begins and ends is unknown."
    least, end = wanted.size_bytes, (drive.size_bytes or 0) // MIB * MIB - MIB
    right = made.size_bytes == least if least is not None else start + made.size_bytes == end
    if (wanted.start_bytes is not None and wanted.start_bytes != start) or not right:
        return f"{made.node} exists, {format_binary(made.size_bytes)} from {format_binary(start)} on: not as listed."
    return None
