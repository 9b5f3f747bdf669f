"""Outputs of nvme-cli as JSON: ``list``, ``list -v``, ``id-ctrl``, ``id-ns``, ``smart-log``, ``get-feature``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.evidence import Output, mark_read
from raidctl_drives import nvme_labels, nvme_words
from raidctl_drives.draft import Draft
from raidctl_drives.parts import DrivePart
from raidctl_drives.vocabulary import any_integer, node_in

_LIST = {
    "DevicePath": "device", "SerialNumber": "serial", "ModelNumber": "model", "Firmware": "firmware",
    "PhysicalSize": "size_bytes",
}  # fmt: skip
_LIST_DETAILS = frozenset((
    "GenericPath", "NameSpace", "Index", "ProductName", "UsedBytes", "MaximumLBA", "SectorSize", "NSID", "Namespace",
    "UsedSize", "Transport", "Address", "Slot", "Cntlid", "Controller", "Generic", "Subsystem", "SubsystemNQN",
    "HostNQN", "HostID", "Path", "ANAState", "Name", "NQN", "Version", "State", "IOPolicy", "Type",
))  # fmt: skip

_WRITE_CACHE = 6


def read_nvme_json(document: str, value: object) -> tuple[list[DrivePart], Output]:
    """Read a decoded JSON output; one part for each drive in it."""
    output = Output.of_json(document, value)
    drafts: list[Draft] = []
    if isinstance(value, Mapping) and isinstance(value.get("Devices"), list):
        _read_devices(output, document, value["Devices"], drafts)
        if not drafts:
            mark_read(*output.lines)
            nvme_words.nothing_found(_new(output, document, drafts), document)
    elif isinstance(value, Mapping) and any(str(name).startswith("feature: ") for name in value):
        _read_features(_new(output, document, drafts), value)
    elif isinstance(value, Mapping):
        draft = _new(output, document, drafts)
        if device := node_in(document):
            draft.values["device"] = device
        _read_one(draft, value)
    return [part for draft in drafts if (part := nvme_words.finished(draft))], output


def _new(output: Output, document: str, drafts: list[Draft]) -> Draft:
    draft = Draft(output, f"{document}#{len(drafts) + 1}")
    drafts.append(draft)
    return draft


def _read_devices(output: Output, document: str, devices: list[Any], drafts: list[Draft]) -> None:
    for index, device in enumerate(devices):
        path = f"Devices[{index}]"
        if not isinstance(device, Mapping):
            continue
        if "Subsystems" in device:
            _note_scalars(output, path, device)
            for place, subsystem in _items(device, path, "Subsystems"):
                _read_subsystem(output, document, place, subsystem, drafts)
        elif "Controllers" in device or "SubsystemNQN" in device:
            # nvme-cli 1.x: no hosts above the subsystems
            _read_subsystem(output, document, path, device, drafts)
        else:
            _read_entry(_new(output, document, drafts), path, device)


def _read_subsystem(
    output: Output, document: str, path: str, subsystem: Mapping[str, Any], drafts: list[Draft]
) -> None:
    _note_scalars(output, path, subsystem)
    for inner, controller in _items(subsystem, path, "Controllers"):
        _read_controller(output, document, inner, controller, drafts)
    for inner, namespace in _items(subsystem, path, "Namespaces"):
        _read_shared(output, document, inner, namespace, drafts)


def _items(parent: Mapping[str, Any], path: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    children = parent.get(name)
    for index, child in enumerate(children if isinstance(children, list) else []):
        if isinstance(child, Mapping):
            yield f"{path}.{name}[{index}]", child


def _read_controller(
    output: Output, document: str, path: str, controller: Mapping[str, Any], drafts: list[Draft]
) -> None:
    namespaces = list(_items(controller, path, "Namespaces"))
    draft = _new(output, document, drafts)
    _read_entry(draft, path, controller)
    if controller.get("Controller"):
        draft.values.setdefault("device", f"/dev/{controller['Controller']}")
    for place, namespace in namespaces:
        inner = _new(output, document, drafts) if len(namespaces) > 1 else draft
        _read_namespace(inner, place, namespace, draft)
    for place, way in _items(controller, path, "Paths"):
        _read_entry(draft, place, way)


def _read_shared(output: Output, document: str, path: str, namespace: Mapping[str, Any], drafts: list[Draft]) -> None:
    """A namespace of a subsystem with several paths: it is of the first path's controller."""
    draft = _new(output, document, drafts)
    for place, way in _items(namespace, path, "Paths"):
        _read_entry(draft, place, way)
    _read_namespace(draft, path, namespace, draft)


def _read_namespace(draft: Draft, path: str, namespace: Mapping[str, Any], controller: Draft) -> None:
    name = namespace.get("NameSpace")
    line = draft.output.leaf(f"{path}.NameSpace")
    if isinstance(name, str) and line is not None:
        draft.fact(line, "device", name if name.startswith("/dev/") else f"/dev/{name}")
    for field in ("serial", "model", "firmware"):
        if field in controller.values:
            draft.values.setdefault(field, controller.values[field])
    _read_entry(draft, path, namespace)


def _note_scalars(output: Output, path: str, entry: Mapping[str, Any]) -> None:
    for name, value in entry.items():
        line = output.leaf(f"{path}.{name}")
        if (line is not None and name in _LIST_DETAILS and not isinstance(value, (dict, list))) or (
            line is not None and not value and name in ("Subsystems", "Controllers", "Namespaces", "Paths")
        ):
            mark_read(line)


def _read_entry(draft: Draft, path: str, entry: Mapping[str, Any]) -> None:
    for name, value in entry.items():
        line = draft.output.leaf(f"{path}.{name}")
        if line is None or line.used:
            continue
        if name in ("Namespaces", "Paths", "Controllers") and not value:
            mark_read(line)
        elif name == "PhysicalSize":
            draft.fact(line, "size_bytes", any_integer(_plain(value)))
        elif (field := _LIST.get(name)) and isinstance(value, str):
            draft.fact(line, field, value)
        elif name in _LIST_DETAILS:
            draft.detail(line, name, str(value))


def _read_one(draft: Draft, value: Mapping[str, Any]) -> None:
    """Read ``id-ctrl``, ``id-ns`` or ``smart-log``, which differ in their fields."""
    controller = "sn" in value and "mn" in value
    namespace = "nsze" in value
    smart = "critical_warning" in value
    for name, inner in value.items():
        if isinstance(inner, (dict, list)):
            _read_nested(draft, name, inner)
            continue
        line = draft.output.leaf(name)
        if line is None:
            continue
        text = _plain(inner)
        if controller and name in nvme_labels.CONTROLLER:
            nvme_words.read_controller(draft, line, name, text)
        elif smart and (name in nvme_labels.SMART or nvme_words.is_sensor(name)):
            nvme_words.read_smart(draft, line, name, text, kelvin=True)
        elif namespace and name in nvme_labels.NAMESPACE:
            draft.detail(line, name, text)
            if name in ("nguid", "eui64") and text.strip("0") and "wwn" not in draft.values:
                draft.fact(line, "wwn", text)
    if namespace:
        _namespace_size(draft, value)


def _namespace_size(draft: Draft, value: Mapping[str, Any]) -> None:
    formats = value.get("lbafs")
    blocks, used = (any_integer(_plain(value.get(name))) for name in ("nsze", "flbas"))
    line = draft.output.leaf("nsze")
    if blocks is None or not isinstance(formats, list) or used is None or line is None:
        return
    # bits 0 to 3 of flbas, and 5 and 6 of newer drives, number the format in use
    number = (used & 0xF) | ((used >> 5 & 0x3) << 4)
    if number < len(formats) and isinstance(formats[number], Mapping):
        shift = any_integer(_plain(formats[number].get("ds", formats[number].get("lbads"))))
        if shift is not None and (size := nvme_words.namespace_size({"nsze": blocks, "lbads": shift})):
            draft.fact(line, "size_bytes", size)


def _read_nested(draft: Draft, name: str, value: object) -> None:
    """Power states, formats, critical warnings bit by bit: lists of known form."""
    prefixes = (f"{name}.", f"{name}[")
    if name == "critical_warning" and isinstance(value, Mapping) and "value" in value:
        line = draft.output.leaf("critical_warning.value")
        if line is not None and any_integer(str(value["value"])) is not None:
            nvme_words.read_smart(draft, line, "critical_warning", str(value["value"]), kelvin=True)
    if name not in ("psds", "lbafs", "critical_warning", "vs"):
        return
    for line in draft.output.lines:
        if line.text.startswith(prefixes) and not line.used:
            label, _, text = line.text.partition(": ")
            draft.detail(line, label, text)


def _plain(value: object) -> str:
    """A figure as text; some versions print counters as ``687.0``, others as texts."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read_features(draft: Draft, value: Mapping[str, Any]) -> None:
    """``get-feature -o json``: ``{"feature: 0x06": {"name": "Volatile Write Cache", "Current": "0x00000001"}}``."""
    for line in draft.output.lines:
        title, _, rest = line.text.partition(".")
        name, _, _ = rest.partition(": ")
        feature = value.get(title)
        if not isinstance(feature, Mapping) or name not in feature:
            continue
        plain = _plain(feature[name])
        draft.detail(line, f"{title} {name}", plain)
        if any_integer(title.partition(": ")[2]) == _WRITE_CACHE and name == "Current":
            draft.fact(line, "write_cache", nvme_words.enabled(plain))
