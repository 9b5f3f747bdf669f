"""``arcconf getconfigJSON N``: one JSON object on the second line.

The keys that fill a field are those whose meaning the source of libstoragemgmt's plugin for arcconf publishes;
all others are details under their own names. States are numbers there; a number whose meaning is not published is
unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from raidctl.evidence import Line, Output
from raidctl.json_decode import continues, decode_at
from raidctl.model import Health, Interface, Mode, Role, VolumeStatus
from raidctl.text import attempt
from raidctl.vendor.draft import DETAIL, REPORT, ROW, Draft, Pair
from raidctl_adaptec import controller as controller_reader
from raidctl_adaptec import numbers, vocabulary
from raidctl_adaptec.draft import ControllerDraft

_CONTROLLER_STATUS: dict[int, tuple[Health, str]] = {
    0: ("ok", "Optimal"),
    1: ("critical", "Failed"),
    5: ("critical", "Inaccessible"),
    9: ("critical", "Locked up"),
    10: ("critical", "PQI driver conflict"),
}
_MODES: dict[int, tuple[Mode, str]] = {
    0: ("raid", "RAID (Expose RAW)"),
    2: ("hba", "HBA"),
    3: ("raid", "RAID (Hide RAW)"),
    5: ("mixed", "Mixed"),
}
_VOLUME_STATES: dict[int, tuple[VolumeStatus, str]] = {
    0: ("inactive", "free"),
    1: ("offline", "offline"),
    2: ("ok", "OK"),
    3: ("degraded", "critical"),
}
_DRIVE_STATES: dict[int, tuple[Health, Role, str]] = {
    0: ("ok", "unassigned", "Ready"),
    1: ("ok", "member", "Online"),
    10: ("ok", "passthrough", "Raw (Pass Through)"),
}
_INTERFACES: dict[int, Interface] = {1: "sata", 4: "sas"}
_LIMIT_DEPTH = 12


def document(text: str) -> tuple[Any, bool]:
    """The JSON value of an output and whether it is complete. ``(None, False)`` where there is none."""
    start = text.find("{")
    if start == -1:
        return None, False
    try:
        value, end = decode_at(text, start)
    except ValueError:
        return None, False
    return value, not continues(text, end)


class _Reader(Struct):
    """Reads leaves into a draft, and keeps track of those not read."""

    output: Output
    draft: Draft
    path: str
    values: Mapping[str, Any]

    def line(self, key: str) -> Line | None:
        """The line of a leaf."""
        return self.output.leaf(f"{self.path}.{key}")

    def text(self, key: str, name: str) -> None:
        """Read a text into a field."""
        value = self.values.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and vocabulary.has_value(str(value)):
            self.draft.put(self.line(key), name, str(value).strip())

    def whole(self, key: str) -> int | None:
        """A whole number; texts that hold one count too."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return None
        return attempt(numbers.number, str(value))

    def take(self, key: str, name: str, parse: Callable[[str], Any]) -> None:
        """Read a text that must be recognised."""
        value = self.values.get(key)
        line = self.line(key)
        if isinstance(value, (str, int, float)) and line is not None:
            self.draft.read_field(Pair(key, str(value), [line]), name, parse)

    def rest(self, skip: frozenset[str]) -> None:
        """All leaves that no field took, as details under their keys."""
        for path, value in _leaves(self.values, skip):
            line = self.output.leaf(f"{self.path}.{path}")
            if line is not None:
                self.draft.detail(line, path, value)


def _leaves(value: Any, skip: frozenset[str], path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value and depth < _LIMIT_DEPTH:
        for key, inner in value.items():
            if depth or key not in skip:
                yield from _leaves(inner, skip, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list) and value and depth < _LIMIT_DEPTH:
        for index, inner in enumerate(value):
            yield from _leaves(inner, skip, f"{path}[{index}]", depth + 1)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)


def read(controller: ControllerDraft, output: Output, value: Any) -> None:
    """The whole object, or the part that ``getconfigJSON N ARRAY 0`` prints."""
    if not isinstance(value, Mapping):
        return
    path, root = "", value
    inner = value.get("Controller")
    if isinstance(inner, Mapping):
        path, root = "Controller", inner
        _controller(controller, output, path, inner)
        for key in value:
            if key != "Controller":
                _Reader(output, controller, key, {"": value[key]}).rest(frozenset())
    for number, (where, item) in enumerate(_items(root, path, "Array")):
        _array(controller, output, where, item, number)
    for number, (where, item) in enumerate(_items(root, path, "LogicalDrive")):
        _volume(controller, output, where, item, number)
    for where, channel in _items(root, path, "Channel"):
        for place, item in _items(channel, where, "HardDrive"):
            _drive(controller, output, place, item)
        _Reader(output, controller, where, channel).rest(frozenset({"HardDrive"}))
    for where, item in _items(root, path, "HardDrive"):
        _drive(controller, output, where, item)


_OBJECTS = frozenset({"Array", "LogicalDrive", "Channel", "HardDrive"})


def _items(root: Mapping[str, Any], path: str, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, or a single one, with their paths."""
    value = root.get(key)
    base = f"{path}.{key}" if path else key
    if isinstance(value, Mapping):
        yield base, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield f"{base}[{index}]", item


def _controller(controller: ControllerDraft, output: Output, path: str, values: Mapping[str, Any]) -> None:
    reader = _Reader(output, controller, path, values)
    reader.text("serialNumber", "serial")
    reader.text("firmwareVersion", "firmware")
    reader.text("physicalSlot", "slot")
    reader.text("deviceVendor", "vendor")
    line = reader.line("deviceName")
    if isinstance(values.get("deviceName"), str) and line is not None:
        controller_reader.read_model(controller, Pair("deviceName", values["deviceName"], [line]), ROW)
    tables: tuple[tuple[str, Mapping[int, tuple[str, str]], str], ...] = (
        ("controllerStatus", _CONTROLLER_STATUS, "status"),
        ("functionalMode", _MODES, "mode"),
    )
    for key, table, name in tables:
        number, line = reader.whole(key), reader.line(key)
        if number is None or line is None:
            continue
        known = table.get(number)
        if name == "status":
            _put_state(controller, line, known, number)
        elif known is not None:
            controller.put(line, name, known[0])
        if known is None:
            controller.unread(key, str(number))
    reader.take("readCachePercentage", "cache.read_percent", numbers.percent)
    reader.take("writeCachePercentage", "cache.write_percent", numbers.percent)
    used = {"serialNumber", "firmwareVersion", "physicalSlot", "deviceVendor", "deviceName", "controllerStatus"}
    reader.rest(_OBJECTS | used - {"controllerStatus"})


def _array(controller: ControllerDraft, output: Output, path: str, values: Mapping[str, Any], order: int) -> None:
    reader = _Reader(output, Draft(), path, values)
    number = reader.whole("arrayID")
    array = controller.array(str(order if number is None else number))
    reader.draft = array
    block = reader.whole("blockSize")
    array.add_evidence(reader.line("arrayID"), "id", array.name)
    for key, name in (("totalSize", "size_bytes"), ("unUsedSpace", "free_bytes")):
        blocks = reader.whole(key)
        if blocks is not None and block:
            array.put(reader.line(key), name, blocks * block)
    reader.rest(frozenset({"arrayID", "totalSize", "unUsedSpace"} if block else {"arrayID"}))


def _volume(controller: ControllerDraft, output: Output, path: str, values: Mapping[str, Any], order: int) -> None:
    reader = _Reader(output, Draft(), path, values)
    number = reader.whole("logicalDriveID")
    volume = controller.volume(str(order if number is None else number))
    reader.draft = volume
    volume.add_evidence(reader.line("logicalDriveID"), "id", volume.name)
    reader.text("name", "name")
    reader.text("volumeUniqueID", "unique_id")
    reader.take("raidLevel", "raid_level", vocabulary.raid_level)
    block, blocks = reader.whole("BlockSize"), reader.whole("dataSpace")
    used = {"logicalDriveID", "name", "volumeUniqueID", "raidLevel"}
    if block and blocks is not None:
        volume.put(reader.line("dataSpace"), "size_bytes", blocks * block)
        used.add("dataSpace")
    strip = reader.whole("StripeSize")
    if strip:
        # KiB
        volume.put(reader.line("StripeSize"), "strip_bytes", strip * 1024)
        used.add("StripeSize")
    _state(reader, volume, {key: (status, text) for key, (status, text) in _VOLUME_STATES.items()})
    array = _consumer(reader, volume, path, values)
    if array is not None:
        controller.array(array)
    reader.rest(frozenset(used | {"state"}))


def _state(reader: _Reader, draft: Draft, table: Mapping[int, tuple[str, str]]) -> None:
    state, line = reader.whole("state"), reader.line("state")
    if state is None or line is None:
        if line is not None:
            draft.detail(line, "state", str(reader.values.get("state")))
        return
    known = table.get(state)
    _put_state(draft, line, known, state)
    if known is None:
        draft.add_problem("warning", "unread", f"The state {state} of the JSON output is not recognised.", REPORT)


def _put_state(draft: Draft, line: Line, known: tuple[str, str] | None, number: int) -> None:
    """Put a state and its words. If the text of another output disagrees, the bad state counts."""
    status, text = known or ("unknown", str(number))
    weight = draft.status_weight("status", status, DETAIL)
    draft.put(line, "status", status, weight)
    draft.put(line, "status_text", text, weight)


def _consumer(reader: _Reader, draft: Draft, path: str, values: Mapping[str, Any]) -> str | None:
    """The array of ``Chunk[].consumerArrayID``: the same in all of an object's chunks."""
    found = set()
    for where, chunk in _items(values, path, "Chunk"):
        number = _Reader(reader.output, draft, where, chunk).whole("consumerArrayID")
        if number is not None:
            found.add(number)
            draft.add_evidence(reader.output.leaf(f"{where}.consumerArrayID"), "array", number)
    if len(found) != 1:
        return None
    array = str(found.pop())
    draft.conclude("array", array)
    return array


def _drive(controller: ControllerDraft, output: Output, path: str, values: Mapping[str, Any]) -> None:
    reader = _Reader(output, Draft(), path, values)
    channel, device = reader.whole("channelID"), reader.whole("deviceID")
    key = f"{channel},{device}" if channel is not None and device is not None else f"device{len(controller.drives)}"
    drive = controller.drive(key)
    reader.draft = drive
    for name in ("channelID", "deviceID"):
        drive.add_evidence(reader.line(name), "id", values.get(name))
    reader.text("serialNumber", "serial")
    reader.text("model", "maker.model")
    reader.text("vendor", "maker.vendor")
    reader.take("physicalDriveName", "device", numbers.node)
    reader.take("rotationalSpeed", "rpm", numbers.rpm)
    used = {"channelID", "deviceID", "serialNumber", "model", "vendor", "physicalDriveName", "rotationalSpeed"}
    number, line = reader.whole("interfaceType"), reader.line("interfaceType")
    if number in _INTERFACES and line is not None:
        drive.put(line, "interface", _INTERFACES[number])
    line = reader.line("nonSpinning")
    if isinstance(values.get("nonSpinning"), bool) and line is not None:
        drive.put(line, "media", "ssd" if values["nonSpinning"] else "hdd")
        used.add("nonSpinning")
    _size(reader, drive)
    _state(reader, drive, {number: (reported[0], reported[2]) for number, reported in _DRIVE_STATES.items()})
    state = reader.whole("state")
    if state in _DRIVE_STATES:
        drive.conclude("role", _DRIVE_STATES[state][1])
    array = _consumer(reader, drive, path, values)
    if array is not None:
        controller.array(array).members[key] = None
    reader.rest(frozenset(used | {"state"}))


def _size(reader: _Reader, drive: Draft) -> None:
    """Blocks times their size. The result is unknown if a drive reports two sizes (4 KiB shown as 512)."""
    blocks = reader.whole("numOfUsableBlocks")
    sizes = {size for key in ("blockSize", "physicalBlockSize") if (size := reader.whole(key))}
    if blocks and len(sizes) == 1:
        drive.put(reader.line("numOfUsableBlocks"), "size_bytes", blocks * sizes.pop())
