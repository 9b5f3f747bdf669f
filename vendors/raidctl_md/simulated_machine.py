"""Look up the parts of a simulated machine's state; :mod:`raidctl_md.simulator` describes it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor.simulator import fields

Fields = dict[str, str]
_PARTITION = regex(r"(.*?[a-z])(\d{1,3})", re.ASCII)


def drives(state: Mapping[str, str]) -> dict[str, Fields]:
    """Return the drives that are in a bay, by their serial numbers."""
    found = {name[9:]: fields(value) for name, value in state.items() if name.startswith("md/drive ")}
    return {serial: drive for serial, drive in found.items() if "node" in drive}


def arrays(state: Mapping[str, str]) -> dict[str, Fields]:
    """Return the arrays by their names."""
    return {name[6:]: fields(value) for name, value in state.items() if name.startswith("md/md ")}


def members(state: Mapping[str, str], array: str) -> dict[str, Fields]:
    """Return the members of an array. A key is ``LAB1``, or ``LAB1-2`` for its second partition."""
    head = f"md/member {array} "
    return {name[len(head) :]: fields(value) for name, value in state.items() if name.startswith(head)}


def node_of(state: Mapping[str, str], key: str) -> str:
    """Return the device node of a drive, or of its partition."""
    serial, _, part = key.partition("-")
    return f"/dev/{fields(state[f'md/drive {serial}']).get('node', '?')}{part}"


def key_of(state: Mapping[str, str], node: str) -> str | None:
    """Return the serial number of the drive behind a node. It ends in ``-2`` for the drive's second partition."""
    name = node.removeprefix("/dev/")
    match = _PARTITION.fullmatch(name)
    whole, part = (match[1], f"-{match[2]}") if match else (name, "")
    serial = next((serial for serial, drive in drives(state).items() if drive["node"] == whole), None)
    return f"{serial}{part}" if serial is not None else None


def partitions(drive: Fields) -> list[str]:
    """Return the numbers of a drive's partitions."""
    return drive.get("parts", "").split(",") if drive.get("parts") else []


def failed(state: Mapping[str, str], array: str) -> bool:
    """Whether too many members are missing."""
    about = arrays(state)[array]
    return int(about["slots"]) - len(whole(state, array)) > spare(about)


def spare(about: Fields) -> int:
    """Return how many members an array can lose."""
    return {"raid1": int(about["slots"]) - 1, "raid5": 1, "raid6": 2}.get(about["level"], 0)


def whole(state: Mapping[str, str], array: str) -> list[str]:
    """Return the members that hold all of their data."""
    return [key for key, member in members(state, array).items() if member["state"] == "in_sync"]
