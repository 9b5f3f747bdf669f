"""JSON that storcli prints of drives in bays, arrays and background work. Pure.

Each recorded drive has its row of ``PD LIST`` in the state (``megaraid 0/line 32:5``), so that every table can be
printed with any drive in it. An output that shows the machine as it is stays as it was recorded, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.text import regex
from raidctl.vendor.simulated_bays import CHECK_SECONDS
from raidctl.vendor.simulator import State
from raidctl_megaraid.simulator import storcli2_drives, storcli_lists
from raidctl_megaraid.simulator.machine import SPARES, Disk, Machine, group_state, load, shown_bay
from raidctl_megaraid.simulator.sizes import half
from raidctl_megaraid.simulator.state import name

_DRIVE = regex(r"Drive /c\d+(?:/e(\d+))?/s(\d+)( - Detailed Information)?")
_VOLUME = regex(r"/c\d+/v(\d+)|PDs for VD (\d+)|VD(\d+) Properties")
_MEMBERS = ("Onln", "Rbld", "Offln", "Failed", "Cpybck")
_SPAN = "Arr"
"""Title of the column with the span of a member."""
Row = dict[str, Any]


def initial(text: str) -> State:
    """The drives of all controllers that an output lists."""
    found: State = {}
    for number, data in _controllers(text, "008"):
        found |= storcli2_drives.initial(number, data)
    for number, data in _controllers(text, "007"):
        if "TOPOLOGY" in data and "PD LIST" in data:
            found |= _of_lists(number, data)
        for bay, serial in _serials(data):
            found |= {name(number, f"serial {bay}"): serial, shown_bay(number, bay): serial}
    return found


def _controllers(text: str, version: str) -> Iterator[tuple[str, Row]]:
    """Yield the controllers of an output, each with its data. The output is of version 7 or 8."""
    for controller in storcli_lists.decoded(text):
        status, data = controller.get("Command Status", {}), controller.get("Response Data")
        if _version(status) == version and isinstance(data, dict) and "Controller" in status:
            yield str(status["Controller"]), data


def _version(status: Row) -> str:
    return str(status.get("CLI Version", ""))[:3]


def _of_lists(number: str, data: Row) -> State:
    machine = Machine(number, auto=data.get("Policies", {}).get("Auto Rebuild", "On") == "On")
    return storcli_lists.initial(machine, data, lambda row: str(row["State"]), _SPAN)


def _serials(data: Row) -> Iterator[tuple[str, str]]:
    for title, page in data.items():
        match = _DRIVE.fullmatch(title)
        if match is None or not match[3]:
            continue
        for part, table in page.items():
            if part.endswith("Device attributes"):
                yield f"{match[1] or ''}:{match[2]}", str(table["SN"]).strip()


def render(text: str, state: Mapping[str, str]) -> str:
    """The output with the drives as they are now."""
    if '"Command Status"' not in text or "/bay " not in "".join(state):
        return text
    before, after = storcli_lists.decoded(text), storcli_lists.decoded(text)
    for controller in after:
        status, data = controller.get("Command Status", {}), controller.get("Response Data")
        machine = load(str(status.get("Controller", "")), state)
        if machine.disks and isinstance(data, dict):
            second = _version(status) == "008"
            controller["Response Data"] = (
                storcli2_drives.data(machine, state, data) if second else _Page(machine, state).data(data)
            )
    if before == after:
        return text
    return storcli_lists.encoded(*after)


class _Page:
    """The tables of one controller."""

    def __init__(self, machine: Machine, state: Mapping[str, str]) -> None:
        self.machine, self.state = machine, state
        self.bays = sorted(machine.bays, key=lambda bay: [int(part or 0) for part in bay.split(":")])

    def data(self, data: Row) -> Row:
        """``Response Data``."""
        found: Row = {}
        pages = {title: page for title, page in data.items() if _DRIVE.fullmatch(title)}
        for title, part in data.items():
            volume = _VOLUME.fullmatch(title)
            if title in pages:
                if title == next(iter(pages)):
                    found |= self.pages(pages)
            elif volume is not None:
                found[title] = self.of_volume(part, volume)
            else:
                found[title] = self.part(title, part, data)
        return found

    def part(self, title: str, part: Any, data: Row) -> Any:
        """A table of ``show all``."""
        if title == "TOPOLOGY":
            return list(self.topology(part))
        if title == "PD LIST":
            return [self.row(bay) for bay in self.bays]
        if title == "Physical Drives" and "PD LIST" in data:
            return len(self.bays)
        if title == "Policies" and "Auto Rebuild" in part:
            return part | {"Auto Rebuild": "On" if self.machine.auto else "Off"}
        if title == "VD LIST":
            return [self.volume_row(row) for row in part]
        if title == "Enclosure LIST":
            delta = len(self.bays) - len(data.get("PD LIST", self.bays))
            return [row | {"PD": row["PD"] + delta} if at == 0 and delta else row for at, row in enumerate(part)]
        return part

    def row(self, bay: str) -> Row:
        """``32:5 5 Onln 1 1.091 TB SAS HDD …``: the current state of the drive in a bay."""
        key = self.machine.bays[bay]
        disk = self.machine.disks[key]
        row: Row = json.loads(self.state[name(self.machine.number, f"line {disk.home or key}")])
        same = bay == key
        row |= {"EID:Slt": row["EID:Slt"] if same else bay, "State": disk.state, "DG": self.group(disk, row["DG"])}
        row["Sp"] = "D" if disk.down else "U" if row.get("Sp") == "D" else row.get("Sp", "U")
        if disk.serial:
            row["DID"] = 40 + sorted(one for one in self.machine.disks if self.machine.disks[one].serial).index(key)
        if disk.kind == "small":
            row["Size"] = half(row["Size"])
        if disk.kind == "other_media":
            row["Med"] = "HDD" if row["Med"] == "SSD" else "SSD"
        return row

    def group(self, disk: Disk, printed: object) -> object:
        """Return a member's group, a dedicated spare's groups, or else a dash."""
        if disk.state == "DHS":
            return disk.groups if not disk.groups.isdecimal() else int(disk.groups)
        if disk.state in _MEMBERS:
            group = self.machine.group_of(disk)
            return int(group) if group else printed
        return printed if str(printed).strip() in ("-", "F") else "-"

    def topology(self, rows: list[Row]) -> Iterator[Row]:
        """The groups, spans and members. The spares follow below them if the recorded table lists such drives."""
        for row in rows:
            position = storcli_lists.position_of(row, _SPAN)
            dg, arr = str(row.get("DG")), str(row.get("Arr"))
            if position is not None:
                yield self.position_row(row, position)
            elif row.get("Type") != "DRIVE" and dg != "-":
                known = any(one.startswith(f"{dg}.") for one in self.machine.positions)
                yield row | {"State": group_state(self.machine, dg, None if arr == "-" else arr)} if known else row
            elif row.get("Type") != "DRIVE":
                yield row
        like = next((row for row in rows if storcli_lists.position_of(row, _SPAN) is not None), None)
        for bay in self.bays if like is not None else []:
            disk = self.machine.at(bay)
            if disk is not None and disk.state in SPARES:
                own = next(
                    (row for row in rows if str(row.get("EID:Slot")).strip() == bay and row["State"] in SPARES), None
                )
                shown = self.row(bay)
                base = own or (like or {}) | {"Arr": "-", "Row": "-", "PDC": "-"}
                yield base | {"DG": shown["DG"], "EID:Slot": bay, "DID": shown["DID"], "State": disk.state}

    def position_row(self, row: Row, position: str) -> Row:
        """A member's line; ``Msng`` if there is no drive."""
        disk = self.machine.occupant(position)
        bay = self.machine.bay_of(disk) if disk is not None else None
        if disk is None or bay is None:
            return row if row["State"] == "Msng" else row | {"EID:Slot": "-", "DID": "-", "State": "Msng"}
        return row | {"EID:Slot": bay, "DID": self.row(bay)["DID"], "State": disk.state}

    def volume_row(self, row: Row) -> Row:
        """``DG/VD``, ``TYPE``, ``State``."""
        group = str(row.get("DG/VD", "")).partition("/")[0]
        known = any(position.startswith(f"{group}.") for position in self.machine.positions)
        return row | {"State": group_state(self.machine, group)} if known else row

    def of_volume(self, part: Any, match: re.Match[str]) -> Any:
        """``/c0/v1``, ``PDs for VD 1`` and ``VD1 Properties``."""
        if match[1]:
            return [self.volume_row(row) for row in part]
        if match[3]:
            return part | {"Active Operations": self.operations(match[3], part.get("Active Operations"))}
        volume = self.machine.volumes.get(match[2])
        if volume is None:
            return part
        positions = [position for position in self.machine.positions if position.startswith(f"{volume.group}.")]
        there = [self.machine.occupant(position) for position in positions]
        bays = [self.machine.bay_of(disk) for disk in there if disk is not None]
        return [self.row(bay) for bay in bays if bay is not None]

    def operations(self, volume: str, printed: object) -> object:
        """``Consistency Check (36%)``."""
        task = self.machine.tasks.get(volume)
        if task is None:
            return "None" if str(printed).startswith("Consistency Check") else printed
        return f"Consistency Check ({int(self.machine.elapsed(task) * 100 / CHECK_SECONDS)}%)"

    def pages(self, pages: Row) -> Row:
        """``Drive /c0/e32/s5`` and its details, of each drive that is there."""
        found: Row = {}
        start = f"Drive /c{self.machine.number}"
        for bay in self.bays:
            key = self.machine.bays[bay]
            disk = self.machine.disks[key]
            old, new = _path(start, disk.home or key), _path(start, bay)
            found[new] = [self.row(bay)]
            whole = f"{old} - Detailed Information"
            if whole in pages:
                renamed = json.loads(json.dumps(pages[whole]).replace(f'"{old} ', f'"{new} '))
                found[f"{new} - Detailed Information"] = {
                    title: self.details(title, table, disk) for title, table in renamed.items()
                }
        return found

    def details(self, title: str, table: Any, disk: Disk) -> Any:
        """Return the details of a drive.

        The place in the array is the current one. A new drive has another serial number and no errors.
        """
        if title.endswith("Policies/Settings") and "Drive position" in table:
            group, span, row = disk.position.split(".") if disk.position else ("", "", "")
            where = f"DriveGroup:{group}, Span:{span}, Row:{row}" if disk.position else "-"
            return table | {"Drive position": where}
        if not disk.serial:
            return table
        if title.endswith("Device attributes"):
            unique = f"5000C5A0{disk.serial[-4:]}{'0' * 4}"
            more = {"Coerced size": half(table["Coerced size"])} if disk.kind == "small" else {}
            return table | {"SN": disk.serial, "WWN": unique} | more
        if title.endswith(" State"):
            failing = disk.kind == "failing"
            counts = {"Media Error Count": 0, "Other Error Count": 0, "Predictive Failure Count": int(failing)}
            return table | counts | {"S.M.A.R.T alert flagged by drive": "Yes" if failing else "No"}
        return table


def _path(start: str, bay: str) -> str:
    enclosure, _, slot = bay.partition(":")
    return f"{start}/e{enclosure}/s{slot}" if enclosure else f"{start}/s{slot}"
