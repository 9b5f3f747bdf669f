"""What storcli2 prints of drives in bays and their arrays, in JSON. Pure.

Version 8 prints two words where version 7 prints one (``Conf`` ``Online`` for ``Onln``), and lists drives and volumes
as tables in a list. The rows of recorded drives are kept in the state, as :mod:`.storcli_drives` keeps its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.vendor.simulator import State
from raidctl_megaraid.simulator import storcli_lists
from raidctl_megaraid.simulator.machine import SPARES, Machine, group_state, shown_bay
from raidctl_megaraid.simulator.sizes import half
from raidctl_megaraid.simulator.state import name

_SPAN = "Span"
"""Title of the column with the span of a member."""
Row = dict[str, Any]
WORDS = {
    "Onln": ("Conf", "Online"), "Rbld": ("Conf", "Rebuild"), "Offln": ("Conf", "Offline"), "Failed": ("Conf", "Failed"),
    "UGood": ("UConf", "Good"), "UBad": ("UConf", "Bad"), "GHS": ("GHS", "Good"), "DHS": ("DHS", "Good"),
    "JBOD": ("JBOD", "Online"), "Cpybck": ("Conf", "Copyback"),
}  # fmt: skip
"""State and status of version 8 by the word of version 7."""
_SHORT = {words: word for word, words in WORDS.items()}


def initial(number: str, data: Row) -> State:
    """The drives of a controller, and their serial numbers."""
    found: State = {}
    if "TOPOLOGY" in data and "PD LIST" in data:
        found |= _of_lists(number, data)
    for drive in data.get("Drives List", []):
        bay = _bay(drive["Drive Information"])
        serial = str(drive["Drive Detailed Information"]["Serial Number"]).strip()
        found |= {name(number, f"serial {bay}"): serial, shown_bay(number, bay): serial}
    return found


def _of_lists(number: str, data: Row) -> State:
    machine = Machine(number, auto=data.get("Properties", {}).get("Auto Rebuild", "Yes") == "Yes")
    return storcli_lists.initial(machine, data, lambda row: _SHORT.get((row["State"], row["Status"]), "UBad"), _SPAN)


def _bay(row: Row) -> str:
    return str(row["EID:Slt"]).strip()


def data(machine: Machine, state: Mapping[str, str], printed: Row) -> Row:
    """``Response Data`` with the drives as they are now."""
    page = _Page(machine, state)
    return {title: page.part(title, part) for title, part in printed.items()}


class _Page:
    """The tables of one controller."""

    def __init__(self, machine: Machine, state: Mapping[str, str]) -> None:
        self.machine, self.state = machine, state
        start = name(machine.number, "line ")
        recorded = [key.removeprefix(start) for key in state if key.startswith(start)]
        there = [bay for bay in recorded if bay in machine.bays]
        self.bays = [*there, *sorted(set(machine.bays) - set(there))]

    def part(self, title: str, part: Any) -> Any:
        """A part of the output, with the drives as they are now."""
        if title == "TOPOLOGY":
            return list(self.topology(part))
        if title == "PD LIST":
            return [self.row(bay) for bay in self.bays]
        if title == "Physical Drives":
            return len(self.bays)
        if title == "VD LIST":
            return [self.volume_row(row) for row in part]
        if title == "Virtual Drives" and isinstance(part, list):
            return [self.volume(one) for one in part]
        if title == "Drives List":
            known = {_bay(one["Drive Information"]): one for one in part}
            return [self.page(bay, known) for bay in self.bays]
        if title == "LU/NS LIST":
            return [row | {"Status": self._status(row["PID"]) or row["Status"]} for row in part]
        return part

    def row(self, bay: str) -> Row:
        """``326:0 360 Conf Online 0 1.745 TiB``: the current state of the drive in a bay."""
        key = self.machine.bays[bay]
        disk = self.machine.disks[key]
        row: Row = json.loads(self.state[name(self.machine.number, f"line {disk.home or key}")])
        state, status = WORDS[disk.state]
        group: object = row["DG"] if disk.state not in ("UGood", "UBad", "JBOD", *SPARES) else "-"
        if disk.state == "DHS":
            group = disk.groups if not disk.groups.isdecimal() else int(disk.groups)
        elif self.machine.group_of(disk):
            group = int(self.machine.group_of(disk))
        row |= {"EID:Slt": bay, "State": state, "Status": status, "DG": group, "Sp": "D" if disk.down else "U"}
        if disk.serial:
            row["PID"] = 400 + sorted(one for one in self.machine.disks if self.machine.disks[one].serial).index(key)
        if disk.kind == "small":
            row["Size"] = half(row["Size"])
        if disk.kind == "other_media":
            row["Med"] = "HDD" if row["Med"] == "SSD" else "SSD"
        return row

    def _status(self, pid: object) -> str | None:
        return next((row["Status"] for row in map(self.row, self.bays) if row["PID"] == pid), None)

    def topology(self, rows: list[Row]) -> Iterator[Row]:
        """The groups, spans and members; below them the spares."""
        like = next((row for row in rows if storcli_lists.position_of(row, _SPAN) is not None), {})
        for row in rows:
            position = storcli_lists.position_of(row, _SPAN)
            if position is not None:
                yield self.position_row(row, position)
            elif row.get("Type") != "DRIVE":
                yield row
        for bay in self.bays:
            disk = self.machine.at(bay)
            if disk is not None and disk.state in SPARES:
                shown = self.row(bay)
                kept = {title: shown[title] for title in ("DG", "PID", "State", "Status", "Size")}
                yield like | kept | {"Span": "-", "Row": "-", "EID:Slot": bay, "PDC": "-"}

    def position_row(self, row: Row, position: str) -> Row:
        """A member's line; ``Msng`` if there is no drive."""
        disk = self.machine.occupant(position)
        bay = self.machine.bay_of(disk) if disk is not None else None
        if bay is None:
            return row | {"EID:Slot": "-", "PID": "-", "State": "-", "Status": "Missing"}
        shown = self.row(bay)
        return row | {"EID:Slot": bay, "PID": shown["PID"], "State": shown["State"], "Status": shown["Status"]}

    def volume_row(self, row: Row) -> Row:
        """``DG/VD``, ``TYPE``, ``State``."""
        group = str(row["DG/VD"]).partition("/")[0]
        known = any(position.startswith(f"{group}.") for position in self.machine.positions)
        return row | {"State": group_state(self.machine, group)} if known else row

    def volume(self, part: Row) -> Row:
        """A volume with its drives."""
        group = str(part["VD Info"]["DG/VD"]).partition("/")[0]
        positions = [position for position in self.machine.positions if position.startswith(f"{group}.")]
        there = [self.machine.occupant(position) for position in positions]
        bays = [self.machine.bay_of(disk) for disk in there if disk is not None]
        drives = [self.row(bay) for bay in bays if bay is not None]
        return part | {"VD Info": self.volume_row(part["VD Info"]), "PDs": drives}

    def page(self, bay: str, known: Mapping[str, Row]) -> Row:
        """The whole page of the drive in a bay. That of a new drive is a recorded one with another serial number."""
        key = self.machine.bays[bay]
        disk = self.machine.disks[key]
        page = known[disk.home or key]
        where = "DriveGroup:{}, Span:{}, Row:{}".format(*disk.position.split(".")) if disk.position else "-"
        details = page["Drive Detailed Information"]
        if "Drive position" in details or disk.position:
            details = details | {"Drive position": where}
        properties = page["LU/NS Properties"]
        if disk.serial:
            details = details | {"Serial Number": disk.serial, "WWN": f"5000C5A0{disk.serial[-4:]}0000"}
            failing = int(disk.kind == "failing")
            counts = {"Media Error Count": 0, "Other Error Count": 0, "Predictive Failure Count": failing}
            properties = properties | counts
        if disk.kind == "small":
            details = details | {"Coerced size": half(details["Coerced size"])}
        row = self.row(bay)
        units = [one | {"PID": row["PID"], "Status": row["Status"]} for one in page["LU/NS Information"]]
        tables = {"Drive Information": row, "LU/NS Information": units, "Drive Detailed Information": details}
        return page | tables | {"LU/NS Properties": properties}
