"""Outputs of nvme-cli as JSON: ``list``, ``list -v``, ``id-ctrl``, ``id-ns``, ``smart-log``, ``get-feature``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.evidence import Output, mark_read
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_drives import nvme_fields
from raidctl_drives.draft import DriveDraft
from raidctl_drives.vocabulary import any_integer, node_in

_LISTED = frozenset((
    "GenericPath", "NameSpace", "Index", "ProductName", "UsedBytes", "MaximumLBA", "SectorSize", "NSID", "Namespace",
    "UsedSize", "Transport", "Address", "Slot", "Cntlid", "Controller", "Generic", "Subsystem", "SubsystemNQN",
    "HostNQN", "HostID", "Path", "ANAState", "Name", "NQN", "Version", "State", "IOPolicy", "Type",
))  # fmt: skip
"""Details of a list's entry."""
_TEXTS = {"DevicePath": "device", "SerialNumber": "serial", "ModelNumber": "model", "Firmware": "firmware"}
_LIST: Fields[DriveDraft] = {
    **dict.fromkeys(_LISTED, DriveDraft.keep),
    # "SerialNumber" : "ABC123",
    **{label: Field(name, str) for label, name in _TEXTS.items()},
    # "PhysicalSize" : 960197124096,
    "PhysicalSize": Field("size_bytes", any_integer),
}
"""Fields of ``list``, also of its controllers, namespaces and paths."""
_BRANCHES = ("Subsystems", "Controllers", "Namespaces", "Paths")
_WRITE_CACHE = 6


def read_nvme_json(document: str, value: object) -> tuple[list[DriveDraft], Output]:
    """Read a decoded JSON output; one draft for each drive in it."""
    output = Output.of_json(document, value)
    reader = _Reader(output)
    if isinstance(value, Mapping) and isinstance(value.get("Devices"), list):
        reader.read_devices(value["Devices"])
        if not reader.drafts:
            mark_read(*output.lines)
            reader.new().complain(nvme_fields.nothing_found(document))
    elif isinstance(value, Mapping) and any(str(name).startswith("feature: ") for name in value):
        reader.read_features(value)
    elif isinstance(value, Mapping):
        reader.read_one(value)
    for draft in reader.drafts:
        nvme_fields.conclude(draft)
    return [draft for draft in reader.drafts if not draft.unknown], output


class _Reader:
    """Reads the tree of one output into drafts."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.drafts: list[DriveDraft] = []

    def new(self) -> DriveDraft:
        """The draft of the next drive."""
        draft = DriveDraft(f"{self.output.command}#{len(self.drafts) + 1}")
        self.drafts.append(draft)
        return draft

    def read_devices(self, devices: list[Any]) -> None:
        """Read the entries of a list. Subsystems have controllers and namespaces below them."""
        for index, device in enumerate(devices):
            path = f"Devices[{index}]"
            if not isinstance(device, Mapping):
                continue
            if "Subsystems" in device:
                self._note_scalars(path, device)
                for place, subsystem in _items(device, path, "Subsystems"):
                    self._read_subsystem(place, subsystem)
            elif "Controllers" in device or "SubsystemNQN" in device:
                # nvme-cli 1.x: no hosts above the subsystems
                self._read_subsystem(path, device)
            else:
                self._read_entry(self.new(), path, device)

    def _read_subsystem(self, path: str, subsystem: Mapping[str, Any]) -> None:
        self._note_scalars(path, subsystem)
        for place, controller in _items(subsystem, path, "Controllers"):
            self._read_controller(place, controller)
        for place, namespace in _items(subsystem, path, "Namespaces"):
            self._read_shared(place, namespace)

    def _read_controller(self, path: str, controller: Mapping[str, Any]) -> None:
        namespaces = list(_items(controller, path, "Namespaces"))
        draft = self.new()
        self._read_entry(draft, path, controller)
        if controller.get("Controller"):
            draft.at_device(f"/dev/{controller['Controller']}")
        for place, namespace in namespaces:
            inner = self.new() if len(namespaces) > 1 else draft
            self._read_namespace(inner, place, namespace, draft)
        for place, connection in _items(controller, path, "Paths"):
            self._read_entry(draft, place, connection)

    def _read_shared(self, path: str, namespace: Mapping[str, Any]) -> None:
        """Read a namespace of a subsystem with several paths. It belongs to the first path's controller."""
        draft = self.new()
        for place, connection in _items(namespace, path, "Paths"):
            self._read_entry(draft, place, connection)
        self._read_namespace(draft, path, namespace, draft)

    def _read_namespace(
        self, draft: DriveDraft, path: str, namespace: Mapping[str, Any], controller: DriveDraft
    ) -> None:
        name = namespace.get("NameSpace")
        line = self.output.leaf(f"{path}.NameSpace")
        if isinstance(name, str) and line is not None:
            draft.put(line, "device", name if name.startswith("/dev/") else f"/dev/{name}")
        for field in ("serial", "model", "firmware"):
            if field in controller.values:
                draft.conclude(field, controller.get(field))
        self._read_entry(draft, path, namespace)

    def _note_scalars(self, path: str, entry: Mapping[str, Any]) -> None:
        for name, value in entry.items():
            line = self.output.leaf(f"{path}.{name}")
            known = name in _LISTED and not isinstance(value, (dict, list))
            if line is not None and (known or (not value and name in _BRANCHES)):
                mark_read(line)

    def _read_entry(self, draft: DriveDraft, path: str, entry: Mapping[str, Any]) -> None:
        read = {id(line) for line, _, _ in draft.evidence}
        for name, value in entry.items():
            line = self.output.leaf(f"{path}.{name}")
            if line is None or line.used or id(line) in read:
                continue
            if name in _BRANCHES and not value:
                mark_read(line)
            elif name == "State" and isinstance(value, str):
                nvme_fields.read_path_state(
                    draft, line, str(entry.get("Controller") or entry.get("Name") or "above"), value
                )
            elif name not in _TEXTS or isinstance(value, str):
                text = _plain(value) if name == "PhysicalSize" else str(value)
                read_pair(draft, Pair(name, text, [line]), name, _LIST)

    def read_one(self, value: Mapping[str, Any]) -> None:
        """Read ``id-ctrl``, ``id-ns`` or ``smart-log``, which differ in their fields."""
        draft = self.new()
        draft.at_device(node_in(self.output.command))
        tables: list[Fields[DriveDraft]] = []
        tables += [nvme_fields.CONTROLLER] if "sn" in value and "mn" in value else []
        tables += [nvme_fields.SMART_JSON] if "critical_warning" in value else []
        tables += [nvme_fields.NAMESPACE] if "nsze" in value else []
        for name, inner in value.items():
            if isinstance(inner, (dict, list)):
                self._read_nested(draft, name, inner)
            elif (line := self.output.leaf(name)) is not None:
                pair = Pair(name, _plain(inner), [line])
                if not any(read_pair(draft, pair, name, table) for table in tables) and (
                    nvme_fields.SMART_JSON in tables and nvme_fields.is_sensor(name)
                ):
                    draft.keep(pair)
        if "nsze" in value:
            self._read_size(draft, value)

    def _read_size(self, draft: DriveDraft, value: Mapping[str, Any]) -> None:
        formats = value.get("lbafs")
        blocks, used = (any_integer(_plain(value.get(name))) for name in ("nsze", "flbas"))
        line = self.output.leaf("nsze")
        if blocks is None or not isinstance(formats, list) or used is None or line is None:
            return
        # bits 0 to 3 of flbas, and 5 and 6 of newer drives, number the format in use
        number = (used & 0xF) | ((used >> 5 & 0x3) << 4)
        if number < len(formats) and isinstance(formats[number], Mapping):
            power = any_integer(_plain(formats[number].get("ds", formats[number].get("lbads"))))
            if size := nvme_fields.namespace_size(blocks, power):
                draft.put(line, "size_bytes", size)

    def _read_nested(self, draft: DriveDraft, name: str, value: object) -> None:
        """Power states, formats, critical warnings bit by bit: lists of known form."""
        prefixes = (f"{name}.", f"{name}[")
        read = None
        if name == "critical_warning" and isinstance(value, Mapping) and "value" in value:
            read = self.output.leaf("critical_warning.value")
            if read is not None and any_integer(str(value["value"])) is not None:
                read_pair(draft, Pair(name, str(value["value"]), [read]), name, nvme_fields.SMART_JSON)
            else:
                read = None
        if name not in ("psds", "lbafs", "critical_warning", "vs"):
            return
        for line in self.output.lines:
            if line.text.startswith(prefixes) and not line.used and line is not read:
                label, _, text = line.text.partition(": ")
                draft.detail(line, label, text)

    def read_features(self, value: Mapping[str, Any]) -> None:
        """``get-feature -o json``: ``{"feature: 0x06": {"name": "Volatile Write Cache", "Current": "0x00000001"}}``."""
        draft = self.new()
        for line in self.output.lines:
            title, _, rest = line.text.partition(".")
            name, _, _ = rest.partition(": ")
            feature = value.get(title)
            if not isinstance(feature, Mapping) or name not in feature:
                continue
            plain = _plain(feature[name])
            draft.detail(line, f"{title} {name}", plain)
            if any_integer(title.partition(": ")[2]) == _WRITE_CACHE and name == "Current":
                draft.put(line, "write_cache", nvme_fields.enabled(plain))


def _items(parent: Mapping[str, Any], path: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    children = parent.get(name)
    for index, child in enumerate(children if isinstance(children, list) else []):
        if isinstance(child, Mapping):
            yield f"{path}.{name}[{index}]", child


def _plain(value: object) -> str:
    """A figure as text. Some versions print counters as ``687.0``, others as texts."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
