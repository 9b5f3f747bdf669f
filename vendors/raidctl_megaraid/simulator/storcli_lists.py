"""The JSON that both generations of storcli print, read by the simulator."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from raidctl.json_decode import decode_text
from raidctl.vendor.simulator import State
from raidctl_megaraid.simulator.machine import Disk, Machine
from raidctl_megaraid.simulator.state import name

Row = dict[str, Any]


def decoded(text: str) -> list[Row]:
    """The entries of ``Controllers`` in an output. Empty if it is not such JSON."""
    if '"Command Status"' not in text:
        return []
    try:
        whole = decode_text(text[text.find("{") :], strict=False)
    except ValueError:
        return []
    found = whole.get("Controllers") if isinstance(whole, dict) else None
    return [one for one in found or [] if isinstance(one, dict)]


def encoded(*controllers: Row) -> str:
    """The JSON output with these entries of ``Controllers``."""
    return msgspec.json.format(msgspec.json.encode({"Controllers": controllers})).decode() + "\n"


def initial(machine: Machine, data: Row, word_of: Callable[[Row], str], span: str) -> State:
    """The state of a controller as it was recorded.

    Args:
        machine: The controller; its drives, members and volumes are added.
        data: Its ``Response Data``.
        word_of: The state of a drive, in the word of version 7, from its row in ``PD LIST``.
        span: Title of the column in ``TOPOLOGY`` that has the span.
    """
    found: State = {}
    for row in data["PD LIST"]:
        bay, state = str(row["EID:Slt"]).strip(), word_of(row)
        machine.bays[bay] = bay
        machine.disks[bay] = Disk(state=state, down=row.get("Sp") == "D", model=f"{row['Size']} {row['Med']}")
        if state == "DHS":
            machine.disks[bay].groups = str(row["DG"])
        found[name(machine.number, f"line {bay}")] = json.dumps(row)
    for row in data["TOPOLOGY"]:
        position, bay = position_of(row, span), str(row.get("EID:Slot", "")).strip()
        if position is None:
            continue
        machine.position(position, bay if bay in machine.bays else "", str(row["Size"]))
        if bay in machine.bays:
            machine.disks[bay].position = position
    for row in data.get("VD LIST", []):
        group, _, volume = str(row["DG/VD"]).partition("/")
        machine.volume(volume, group, str(row["TYPE"]))
    return found | machine.state({})


def position_of(row: Row, span: str) -> str | None:
    """Return group, span and row of a member's line. Its drive may be there or not. None for other lines."""
    where = [str(row.get(title, "-")) for title in ("DG", span, "Row")]
    return ".".join(where) if row.get("Type") == "DRIVE" and "-" not in where else None
