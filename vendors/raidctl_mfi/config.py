"""The configuration of a controller as CFG_READ reports it: arrays, volumes, spares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl_mfi.frame import Answer
from raidctl_mfi.layout import elements
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import (
    ARRAY_DRIVE,
    ARRAY_HEADER,
    CONFIG_HEADER,
    LD_CONFIG,
    SPARE,
)

MISSING = 0xFFFF
"""The device id of a missing drive. Also the enclosure of a drive that has none."""
SECTOR = 512
"""Bytes of a block, unless a drive's firmware reports another size."""
_FULL = 0xFFFF


@dataclass
class Config:
    """The configuration as CFG_READ reports it. ``complete`` is False if it is missing or contradicts itself."""

    arrays: list[Json] = field(default_factory=list)
    volumes: dict[int, dict[str, Any]] = field(default_factory=dict)
    spares: list[Json] = field(default_factory=list)
    complete: bool = False


def config(answer: Answer | None, where: str, problems: Problems) -> Config:
    """Decode arrays, volumes and spares. Add a problem if the figures contradict each other."""
    found = Config()
    if answer is None or not answer.has_data:
        return found
    data = answer.data
    head = CONFIG_HEADER.decode(data)
    sizes = _sizes(head)
    if sizes is None or head["size"] > len(data):
        problems.unread(
            where,
            f"The configuration (CFG_READ) has {len(data)} bytes, which contradicts its header: "
            "arrays and spares are not shown.",
        )
        return found
    array_size, ld_size, spare_size = sizes
    found.complete = True
    place = CONFIG_HEADER.size
    for number in range(head["array_count"]):
        found.arrays.append(_array(data[place + number * array_size : place + (number + 1) * array_size]))
    found.arrays.sort(key=lambda array: int(array["ref"]))
    place += head["array_count"] * array_size
    for ld in elements(LD_CONFIG, data, place, head["ld_count"], ld_size):
        found.volumes[ld["properties"]["ld"]["target_id"]] = ld
    place += head["ld_count"] * ld_size
    for spare in elements(SPARE, data, place, head["spare_count"], spare_size):
        refs = spare["array_refs"][: spare["array_count"]] if spare["type"] & 1 else []
        found.spares.append({"device_id": spare["ref"]["device_id"], "dedicated_to": refs})
    return found


def _sizes(head: dict[str, Any]) -> tuple[int, int, int] | None:
    """Bytes of one array, volume and spare. None if header and total contradict each other.

    The header names the size of one element; QEMU's firmware names that of all of them. The total shows which.
    """
    if any(head[name] is None for name in head):
        return None
    counts = [head["array_count"], head["ld_count"], head["spare_count"]]
    sizes = [head["array_size"], head["ld_size"], head["spare_size"]]
    rest = head["size"] - CONFIG_HEADER.size
    if sum(count * size for count, size in zip(counts, sizes, strict=True)) == rest:
        one = sizes
    elif sum(size for count, size in zip(counts, sizes, strict=True) if count) == rest and not any(
        size % count for count, size in zip(counts, sizes, strict=True) if count
    ):
        one = [size // count if count else size for count, size in zip(counts, sizes, strict=True)]
    else:
        return None
    least = (ARRAY_HEADER.size, LD_CONFIG.size, SPARE.size)
    if any(count and size < small for count, size, small in zip(counts, one, least, strict=True)):
        return None
    return one[0], one[1], one[2]


def _array(data: bytes) -> Json:
    head = ARRAY_HEADER.decode(data)
    rows = list(elements(ARRAY_DRIVE, data, ARRAY_HEADER.size, head["drives"]))
    return {
        "ref": head["array_ref"],
        "drives": [
            {"device_id": row["ref"]["device_id"], "state_code": row["fw_state"]}
            for row in rows
            if row["ref"]["device_id"] != MISSING
        ],
        "missing": sum(1 for row in rows if row["ref"]["device_id"] == MISSING),
    }


def operations(progress: dict[str, Any], names: Sequence[tuple[int, str]]) -> list[Json]:
    """The operations under way, by the bits of ``active``. Their progress counts to 0xffff."""
    return [
        {"operation": name, "percent": round(progress[name]["progress"] * 100 / _FULL, 1)}
        for bit, name in names
        if (progress["active"] or 0) >> bit & 1
    ]
