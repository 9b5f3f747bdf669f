"""Foreign configurations and preserved cache of a simulated MegaRAID (storcli, perccli). Pure.

=============================  ================================================================================
name                           value
=============================  ================================================================================
``megaraid 0/foreign 0``       the row of ``FOREIGN CONFIGURATION``, with the bays of its drives, as JSON
``megaraid 0/offered 0/6``     the row of a volume in the preview of an import, as JSON
``megaraid 0/pinned 6``        the state of a volume whose preserved data the cache holds: ``Missing``
``megaraid 0/imported 6``      the row of ``VD LIST`` of a volume that was imported, as JSON
=============================  ================================================================================

An import makes the drives members of a new group, and writes the preserved cache of its volumes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator import storcli_lists
from raidctl_megaraid.simulator.machine import Machine, load
from raidctl_megaraid.simulator.state import ControllerState, name

Row = dict[str, Any]
_FALL = regex(r"/c(\d+)/fall")
_VOLUME = regex(r"/c(\d+)/v(\d+)")
_PATH = regex(r"/c(\d+)/v(\d+)|PDs for VD (\d+)|VD(\d+) Properties")
_GONE = "No Virtual Drive has Preserved Cache Data."


def _controllers(text: str) -> list[Row]:
    return [one for one in storcli_lists.decoded(text) if isinstance(one.get("Response Data"), dict)]


def initial(text: str) -> State:
    """The configurations that an output of version 7 lists."""
    found: State = {}
    for controller in _controllers(text):
        number, data = str(controller["Command Status"].get("Controller", "")), controller["Response Data"]
        bays = [str(row["EID:Slt"]).strip() for row in data.get("PD LIST", []) if str(row.get("DG")).strip() == "F"]
        if bays:
            groups = data.get("FOREIGN CONFIGURATION", [])
            for row in groups[:1]:  # which drive is of which group is not printed: one group is enough
                found[name(number, f"foreign {row['DG']}")] = json.dumps(row | {"bays": bays})
        elif "foreign" in str(controller["Command Status"].get("Description", "")).lower():
            for row in data.get("VD LIST", []):
                found[name(number, f"offered {row['DG/VD']}")] = json.dumps(row)
        for row in data.get("Preserved Cache", []):
            found[name(number, f"pinned {row['VD']}")] = str(row["State"])
    return found


def _parts(number: str, kind: str, state: Mapping[str, str]) -> dict[str, str]:
    start = name(number, f"{kind} ")
    return {key.removeprefix(start): value for key, value in state.items() if key.startswith(start)}


# --- commands


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``/c0/fall import``, ``/c0/fall delete``, ``/c0/v6 delete preservedcache``; None for another command."""
    words = list(argv[2:])
    if words[-2:] != ["nolog", "J"]:
        return None
    fall, volume = _FALL.fullmatch(argv[1]), _VOLUME.fullmatch(argv[1])
    if fall is not None and words[:-2] in (["import"], ["delete"], ["del"]):
        return _import_or_delete(fall[1], state, importing=words[0] == "import")
    if volume is not None and words[:-2] == ["delete", "preservedcache"]:
        return _discard(volume[1], volume[2], state)
    return None


def _import_or_delete(number: str, state: Mapping[str, str], *, importing: bool) -> Reply:
    groups = _parts(number, "foreign", state)
    if not groups:
        # the tool reports a failure if there is none
        return Reply(59, _reply(number, state, "Failure", "Couldn't find any foreign Configuration"), state)
    after = {key: value for key, value in state.items() if not key.startswith(name(number, "foreign "))}
    if not importing:
        text = "Successfully deleted foreign configuration"
        return Reply(0, _reply(number, state, "Success", text, data={"Total Foreign PDs": 0}), after)
    machine = load(number, after)
    for kept in groups.values():
        after |= _imported(machine, json.loads(kept), after)
    after = machine.state(after)
    if not _parts(number, "pinned", after) and name(number, "preserved") in after:
        after[name(number, "preserved")] = "No"
    return Reply(0, _reply(number, state, "Success", "Successfully imported foreign configuration"), after)


def _imported(machine: Machine, group: Row, state: State) -> State:
    """Make a configuration's drives members of a new group, with its volumes. Their preserved cache is written."""
    number = machine.number
    fresh = str(max((int(position.partition(".")[0]) for position in machine.positions), default=-1) + 1)
    for row, bay in enumerate(group["bays"]):
        disk = machine.at(bay)
        if disk is not None:
            disk.state, disk.position = "Onln", f"{fresh}.0.{row}"
            line = json.loads(state.get(name(number, f"line {bay}"), "{}"))
            machine.position(disk.position, bay, str(line.get("Size", "")))
    found: State = {}
    for offered in _parts(number, "offered", state).values():
        own = json.loads(offered)
        volume = str(own["DG/VD"]).partition("/")[2]
        machine.volume(volume, fresh, str(own["TYPE"]))
        found[name(number, f"imported {volume}")] = json.dumps(own | {"DG/VD": f"{fresh}/{volume}"})
        state.pop(name(number, f"pinned {volume}"), None)
    return found


def _discard(number: str, volume: str, state: Mapping[str, str]) -> Reply:
    key = name(number, f"pinned {volume}")
    if key not in state:
        row = {"VD": int(volume), "Status": "Failed", "ErrCd": 255, "ErrMsg": "No preserved cache"}
        return Reply(255, _reply(number, state, "Failure", "Delete Preserved Cache Failed", rows=[row]), state)
    after = {one: value for one, value in state.items() if one != key}
    if not _parts(number, "pinned", after) and name(number, "preserved") in after:
        after[name(number, "preserved")] = "No"
    row = {"VD": int(volume), "Status": "Success", "ErrCd": 0, "ErrMsg": "-"}
    return Reply(0, _reply(number, state, "Success", "Delete Preserved Cache Succeeded", rows=[row]), after)


def _reply(
    number: str, state: Mapping[str, str], status: str, description: str, *, data: Row | None = None,
    rows: Sequence[Row] = (),
) -> str:  # fmt: skip
    controller = ControllerState(number, state)
    head: Row = {"CLI Version": controller.get("cli"), "Operating system": controller.get("os") or "Linux"}
    head |= {"Controller": int(number), "Status": status, "Description": description}
    if rows:
        head["Detailed Status"] = list(rows)
    whole: Row = {"Command Status": head} | ({"Response Data": data} if data is not None else {})
    return storcli_lists.encoded(whole)


# --- outputs


def render(text: str, state: Mapping[str, str]) -> str:
    """An output with the configurations as they are now. Unchanged where nothing of it was recorded."""
    if not any("/offered " in key for key in state):
        return text
    before, after = _controllers(text), _controllers(text)
    for controller in after:
        number = str(controller["Command Status"].get("Controller", ""))
        if _parts(number, "offered", state):
            _show(number, controller, state)
    if before == after or not after:
        return text
    return storcli_lists.encoded(*after)


def _show(number: str, controller: Row, state: Mapping[str, str]) -> None:
    data: Row = controller["Response Data"]
    groups = _parts(number, "foreign", state)
    foreign = {bay for kept in groups.values() for bay in json.loads(kept)["bays"]}
    for row in _rows(data):
        if "EID:Slt" in row and str(row.get("DG")).strip() == "F" and str(row["EID:Slt"]).strip() not in foreign:
            row["DG"] = "-"
    if "FOREIGN CONFIGURATION" in data and not groups:
        del data["FOREIGN CONFIGURATION"]
        data["Total foreign Drive Groups"] = 0
    if "Preserved Cache" in data:
        pinned = _parts(number, "pinned", state)
        data["Preserved Cache"] = [row for row in data["Preserved Cache"] if str(row["VD"]) in pinned]
        if not pinned:
            del controller["Response Data"]
            controller["Command Status"]["Description"] = _GONE
            return
    _add_volumes(number, data, state)


def _rows(part: Any) -> Iterator[Row]:
    """All rows of all tables."""
    if isinstance(part, dict):
        for one in part.values():
            yield from _rows(one)
    elif isinstance(part, list):
        yield from (row for row in part if isinstance(row, dict))


def _add_volumes(number: str, data: Row, state: Mapping[str, str]) -> None:
    """The imported volumes, in ``show all`` and in ``/vall show all``."""
    machine = load(number, state)
    for volume, kept in _parts(number, "imported", state).items():
        row = json.loads(kept)
        group = str(row["DG/VD"]).partition("/")[0]
        if "VD LIST" in data and "TOPOLOGY" in data:
            data["VD LIST"].append(row)
            data["Virtual Drives"] = len(data["VD LIST"])
            data["TOPOLOGY"] += _topology(machine, group, row, data["TOPOLOGY"])
            data["Drive Groups"] = data.get("Drive Groups", 0) + 1
        elif any(_PATH.fullmatch(title) for title in data):
            data[f"/c{number}/v{volume}"] = [row]
            data[f"VD{volume} Properties"] = _properties(data, volume)


def _topology(machine: Machine, group: str, volume: Row, like: Sequence[Row]) -> list[Row]:
    base = dict.fromkeys(like[0], "-") | {"DG": int(group), "Type": volume["TYPE"], "State": "Optl"}
    base |= {"BT": "N", "Size": volume["Size"], "FSpace": "N", "TR": "N", "PDC": "dflt"}
    rows = [base, base | {"Arr": 0}]
    for position in sorted(machine.positions):
        disk = machine.occupant(position)
        bay = machine.bay_of(disk) if disk is not None else None
        if position.startswith(f"{group}.") and disk is not None:
            where = {"Arr": 0, "Row": int(position.rpartition(".")[2]), "EID:Slot": bay or "-"}
            rows.append(base | where | {"Type": "DRIVE", "State": disk.state, "DID": 60 + len(rows)})
    return rows


def _properties(data: Row, volume: str) -> Row:
    """The properties of the last volume in the list, with another identity."""
    title = next((one for one in reversed(data) if one.endswith(" Properties")), "")
    base = dict(data.get(title, {})) | {"OS Drive Name": "N/A", "Number of Drives Per Span": 2}
    if "SCSI NAA Id" in base:
        base["SCSI NAA Id"] = f"{base['SCSI NAA Id'][:-4]}{int(volume):04x}"
    return base
