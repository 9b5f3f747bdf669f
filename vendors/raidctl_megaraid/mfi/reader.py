"""The JSON of ``raidctl-mfi``, read onto the drafts of the controllers. Never raises for its contents.

{"format": "raidctl-mfi 1", "version": "0.1.0", "controllers": [{"number": 0, "product_name": …}], "problems": […]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from raidctl.evidence import Output, mark_read
from raidctl.json_decode import decode_text
from raidctl.model import Problem, ProblemKind, Severity
from raidctl.text import regex
from raidctl.vendor.draft import ROW, Draft
from raidctl.vendor.protocol import Confidence, Document, Sniffed
from raidctl_megaraid import bbu_mask
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.mfi.tables import ARRAY, BATTERY, CONTROLLER, DRIVE, LEARN, PROPERTIES, VOLUME, Table
from raidctl_megaraid.mfi.volume import infer_state, read_cache, read_progress
from raidctl_megaraid.tools import MFI_JSON

NAME = "raidctl-mfi"
_FORMAT = "raidctl-mfi 1"
_SIGN = regex(r'\s*\{\s*"format"\s*:\s*"raidctl-mfi ')
# "where": "controller 0, volume 1"
_WHERE = regex(r"controller (\d{1,3})(?:, (volume|drive) (\d{1,6}))?", re.ASCII)
_NEWER = "Use the raidctl-mfi that comes with this raidctl."


def sniff(text: str) -> Sniffed | None:
    """The claim on a text. None if it is not the tool's output."""
    return Sniffed(MFI_JSON, Confidence.SURE, f"{NAME} show") if _SIGN.match(text[:200]) else None


def version(text: str) -> str | None:
    """The version that an output reports."""
    given = _loaded(text)
    found = given.get("version") if given else None
    return found if isinstance(found, str) else None


def read(controllers: Controllers, document: Document) -> tuple[Output, list[Problem], bool]:
    """Read one output.

    Returns:
        The output, the problems that are not of an object, and whether the output is a whole one.
    """
    given = _loaded(document.text)
    if given is None or given.get("format") != _FORMAT:
        message = (
            "The output is incomplete: it is not valid JSON."
            if given is None
            else f"Unknown output format: {_reported(given)}."
        )
        remedy = "Run the command again, as root, and keep its complete output." if given is None else _NEWER
        problem = Problem(severity="error", kind="unread", where=document.name, message=message, remedy=remedy)
        return Output.of_text(document.name, document.text), [problem], False
    output = Output.of_json(document.name, given)
    reading = _Reading(controllers, output)
    for path, one in _items(given, "controllers"):
        reading.controller(path, one)
    problems = list(reading.problems(given, document.name))
    for key in ("format", "version", "tried_on", "problems"):
        _note(output, key)
    if not given.get("controllers"):
        _note(output, "controllers")
    return output, problems, True


def _reported(given: Mapping[str, Any]) -> str:
    return repr(given.get("format"))[:60]


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        given = decode_text(text)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _items(given: Mapping[str, Any], key: str, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list, each with its path. Nothing where there is no list."""
    listed = given.get(key)
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, dict):
            yield f"{path}{key}[{number}]", one


def _note(output: Output, start: str) -> None:
    """Mark everything below a path that nothing has used."""
    own = re.compile(re.escape(start) + r"(?:[.\[].*)?: ", re.DOTALL)
    mark_read(*(line for line in output.lines if not line.used and own.match(line.text)))


def _dict(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = given.get(key)
    return value if isinstance(value, dict) else {}


def _numbers(value: object) -> list[int]:
    return [one for one in value if isinstance(one, int)] if isinstance(value, list) else []


class _Reading:
    """One output while it is read into drafts."""

    def __init__(self, controllers: Controllers, output: Output) -> None:
        self.controllers, self.output = controllers, output
        self.keys: dict[tuple[str, int], str] = {}
        """Keys of drives, by the controller's number and the device id."""

    def controller(self, path: str, given: dict[str, Any]) -> None:
        number = given.get("number")
        if not isinstance(number, int):
            return  # its lines stay unparsed
        if not any(one.get("status") for _, one in _items(given, "answers")):
            _note(self.output, path)  # it never answered: its problem has the reason, and nothing about it is known
            return
        controller = self.controllers.controller(str(number))
        controller.put(self.output.leaf(f"{path}.number"), "number", number)
        controller.put(self.output.leaf(f"{path}.driver"), "driver", "megaraid_sas", ROW)
        self.fields(controller, path, given, CONTROLLER)
        for at, one in _items(given, "firmware", f"{path}."):
            self.firmware(controller, at, one)
        for name in ("memory_errors", "can_set"):
            self.details(controller, f"{path}.{name}", _dict(given, name), name)
        errors = _dict(given, "memory_errors").get("uncorrectable")
        if isinstance(errors, int):
            controller.conclude("count.memory uncorrectable errors", errors)  # reported as for the other tools
        self.fields(controller, f"{path}.properties", _dict(given, "properties"), PROPERTIES)
        self.battery(controller, f"{path}.battery", _dict(given, "battery"))
        for at, one in _items(given, "drives", f"{path}."):
            self.drive(controller, at, one)
        arrays = self.arrays(controller, path, given)
        for at, one in _items(given, "volumes", f"{path}."):
            self.volume(controller, at, one, arrays)
        for name in ("answers", "result", "volumes", "drives", "arrays", "battery", "properties", "firmware"):
            if name in ("answers", "result") or not given.get(name):
                _note(self.output, f"{path}.{name}")

    def fields(self, draft: Draft, path: str, given: Mapping[str, Any], table: Table) -> None:
        """Read the leaves that the table has. A leaf without a value is not a fact."""
        for key, (field, parse) in table.items():
            line = self.output.leaf(f"{path}.{key}")
            if line is None:
                continue
            value = given.get(key)
            if value is None or value in ([], {}):
                mark_read(line)
                continue
            try:
                found = parse(value)
            except (ValueError, TypeError):
                draft.unread(key, str(value)[:80])
                found = None
            if field is None or found is None:
                draft.detail(line, key, _shown(value))
            else:
                draft.put(line, field, found)

    def details(self, draft: Draft, path: str, given: Mapping[str, Any], prefix: str) -> None:
        """Leaves that the model has no field for."""
        for key, value in given.items():
            line = self.output.leaf(f"{path}.{key}")
            if line is not None and value is None:
                mark_read(line)
            elif line is not None:
                draft.detail(line, f"{prefix} {key}", _shown(value))

    def firmware(self, controller: ControllerDraft, path: str, given: dict[str, Any]) -> None:
        """``{"name": "APP", "version": "2.130.403-4660"}``: the other tools call APP the firmware."""
        name, reported = given.get("name"), given.get("version")
        line = self.output.leaf(f"{path}.version")
        if line is not None and isinstance(name, str) and isinstance(reported, str):
            if name == "APP":
                controller.put(line, "firmware", reported)
            else:
                controller.detail(line, f"firmware {name}", reported)
            _note(self.output, path)

    def battery(self, controller: ControllerDraft, path: str, given: dict[str, Any]) -> None:
        """Make a draft for a battery that is present. An absent one is a fact about the controller."""
        present = given.get("present")
        line = self.output.leaf(f"{path}.present")
        if isinstance(present, bool):
            controller.put(line, "bbu_present", present)
        if present is True:
            battery = controller.battery("bbu")
            self.fields(battery, path, given, BATTERY)
            bits = given.get("status_bits")
            if isinstance(bits, int):
                battery.put(self.output.leaf(f"{path}.status_bits"), "replace", bbu_mask.replace(bits))
            else:
                battery.put(line, "status_text", "Present", ROW)
            self.fields(battery, f"{path}.learn", _dict(given, "learn"), LEARN)
        _note(self.output, path)

    def drive(self, controller: ControllerDraft, path: str, given: dict[str, Any]) -> None:
        device, enclosure, slot = given.get("device_id"), given.get("enclosure"), given.get("slot")
        if not isinstance(device, int):
            controller.unread("device_id of a drive", str(device)[:80])
            return
        key = f"{enclosure if isinstance(enclosure, int) else ''}:{slot if isinstance(slot, int) else f'?{device}'}"
        if key in controller.drives:  # two drives in one slot: the firmware's number distinguishes them
            key = f"{key.rpartition(':')[0]}:?{device}"
        self.keys[controller.name, device] = key
        drive = controller.drive(key)
        self.fields(drive, path, given, DRIVE)
        drive.add_evidence(self.output.leaf(f"{path}.enclosure"), "id", key)
        drive.add_evidence(self.output.leaf(f"{path}.slot"), "id", key)
        read_progress(drive, self.output, path, given)
        infer_state(drive, self.output, path, given)
        for name in ("array", "dedicated_to", "progress"):
            _note(self.output, f"{path}.{name}")

    def arrays(self, controller: ControllerDraft, path: str, given: dict[str, Any]) -> dict[int, str]:
        """The array of each firmware array. Those that a volume spans are one, named after the first."""
        arrays: dict[int, str] = {}
        for _, volume in _items(given, "volumes"):
            refs = _numbers(volume.get("arrays"))
            name = next((arrays[ref] for ref in refs if ref in arrays), None)
            arrays |= {ref: str(refs[0]) if name is None else name for ref in refs}
        for at, one in _items(given, "arrays", f"{path}."):
            ref = one.get("ref")
            if not isinstance(ref, int):
                continue
            group = controller.array(arrays.setdefault(ref, str(ref)))
            self.fields(group, at, one, ARRAY)
            if isinstance(lacking := one.get("missing"), int):  # of all spans together
                group.override("lacking", (group.get("lacking") or 0) + lacking)
                group.replace_words("missing", str(group.get("lacking")))
            for place, member in _items(one, "drives", f"{at}."):
                key = self.key(controller, member)
                if key is not None:
                    group.members[key] = None
                    controller.drives[key].put(self.output.leaf(f"{place}.device_id"), "array", group.name)
                _note(self.output, place)
            _note(self.output, at)
        for _, drive in _items(given, "drives"):
            for ref in _numbers(drive.get("dedicated_to")):
                key = self.key(controller, drive)
                if key is not None and ref in arrays:
                    controller.array(arrays[ref]).spares[key] = True
        return arrays

    def key(self, controller: ControllerDraft, given: Mapping[str, Any]) -> str | None:
        """The key of the drive with this device id."""
        device = given.get("device_id")
        return self.keys.get((controller.name, device)) if isinstance(device, int) else None

    def volume(self, controller: ControllerDraft, path: str, given: dict[str, Any], arrays: Mapping[int, str]) -> None:
        target = given.get("target")
        if not isinstance(target, int):
            controller.unread("target of a volume", str(target)[:80])
            return
        volume = controller.volume(str(target))
        volume.put(self.output.leaf(f"{path}.target"), "target", target)
        self.fields(volume, path, given, VOLUME)
        refs = _numbers(given.get("arrays"))
        for number, ref in enumerate(refs):
            volume.put(self.output.leaf(f"{path}.arrays[{number}]"), "array", arrays[ref])
        read_cache(volume, self.output, f"{path}.cache", _dict(given, "cache"))
        read_progress(volume, self.output, path, given)
        infer_state(volume, self.output, path, given)
        for name in ("arrays", "cache", "progress"):
            _note(self.output, f"{path}.{name}")

    def problems(self, given: Mapping[str, Any], where: str) -> Iterator[Problem]:
        """The tool's own problems. Those of an object go to its draft, the others are returned."""
        for _, one in _items(given, "problems"):
            severity, kind = one.get("severity"), one.get("kind")
            message, remedy = str(one.get("message"))[:500], one.get("remedy")
            remedy = remedy if isinstance(remedy, str) else None
            severity = severity if severity in get_args(Severity) else "warning"
            kind = kind if kind in get_args(ProblemKind) else "unread"
            draft = self.object(str(one.get("where")))
            if draft is not None:
                draft.add_problem(cast("Severity", severity), cast("ProblemKind", kind), message, remedy)
            else:
                yield Problem(
                    severity=cast("Severity", severity), kind=cast("ProblemKind", kind), where=where, message=message,
                    remedy=remedy,
                )  # fmt: skip

    def object(self, where: str) -> Draft | None:
        """The draft of ``controller 0, volume 1``."""
        match = _WHERE.fullmatch(where)
        controller = self.controllers.by_number.get(str(int(match[1]))) if match else None
        if match is None or controller is None or match[2] is None:
            return controller
        if match[2] == "volume":
            return controller.volumes.get(str(int(match[3])), controller)
        return controller.drives.get(self.keys.get((controller.name, int(match[3])), ""), controller)


def _shown(value: object) -> str:
    """``Yes`` and ``No`` as the family's other tools print them."""
    return {True: "Yes", False: "No"}[value] if isinstance(value, bool) else str(value)
