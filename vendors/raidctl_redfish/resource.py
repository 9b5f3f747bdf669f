"""Redfish resources: JSON objects with path, kind, and lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from raidctl import json_decode
from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Severity
from raidctl.text import printable, regex
from raidctl.vendor.draft import ControllerDraft, Draft, is_bad

KINDS = {
    "Storage": "Storage",
    "StorageController": "StorageController",
    "Volume": "Volume",
    "Drive": "Drive",
    "Battery": "Battery",
    "Chassis": "Chassis",
    "ComputerSystem": "ComputerSystem",
    "ServiceRoot": "ServiceRoot",
    "HpSmartStorageArrayController": "ArrayController",
    "HpeSmartStorageArrayController": "ArrayController",
    "HpSmartStorageLogicalDrive": "LogicalDrive",
    "HpeSmartStorageLogicalDrive": "LogicalDrive",
    "HpSmartStorageDiskDrive": "DiskDrive",
    "HpeSmartStorageDiskDrive": "DiskDrive",
}
"""Kinds of resources by the names of their types. HPE had its own types before Storage; iLO 4 spells them without the
E."""
# "@odata.type": "#Volume.v1_9_0.Volume"       "#HpSmartStorageDiskDrive.1.2.0.HpSmartStorageDiskDrive"
_TYPE = regex(r"#(\w+)\.")
_NOISE = regex(r"(^|[.\]])(Actions|@odata|@Redfish)|@|(^|[.\]])[Ll]inks[.\[]")
# "Status": {"Conditions": [{"Message": "…", "Severity": "Warning"}]}     "TemperatureStatus": {"Health": "Critical"}
_HEALTH = regex(r"(?:.*\.)?(?:Health|HealthRollup|Severity)")
_OF_CONTROLLER = regex(r"(?:Storage)?(?:Controllers\[\d+\]\.)?Status\.Health(?:Rollup)?")
"""Judged together with the health of the controller's parts."""
_BAD: Mapping[str, Severity] = {'"Warning"': "warning", '"Critical"': "error"}
_EMPTY = ("null", '""', "[]", "{}")


class Resource(Struct, frozen=True):
    """A resource, or an object within one."""

    path: str
    """Without the slash at the end: ``/redfish/v1/Systems/1/Storage/DE00B000``."""
    kind: str
    value: Mapping[str, Any]
    output: Output
    at: str = ""
    """Path of the object within the resource: ``StorageControllers[0]``."""

    def get(self, name: str) -> Any:
        """The value at dotted names. None if a part of the path is missing."""
        value: Any = self.value
        for word in name.split("."):
            value = value.get(word) if isinstance(value, Mapping) else None
        return value

    def text(self, name: str) -> str:
        """The text at dotted names; empty if there is none."""
        value = self.get(name)
        return value.strip() if isinstance(value, str) else ""

    def line(self, name: str) -> Line | None:
        """The line of a leaf."""
        return self.output.leaf(f"{self.at}.{name}" if self.at else name)

    def part(self, name: str) -> Resource | None:
        """The object at dotted names; None if there is none."""
        value = self.get(name)
        at = f"{self.at}.{name}" if self.at else name
        return Resource(self.path, self.kind, value, self.output, at) if isinstance(value, Mapping) else None

    def parts(self, name: str) -> list[Resource]:
        """The objects of a list."""
        found = self.get(name)
        at = f"{self.at}.{name}" if self.at else name
        return [
            Resource(self.path, self.kind, item, self.output, f"{at}[{place}]")
            for place, item in enumerate(found if isinstance(found, list) else ())
            if isinstance(item, Mapping)
        ]

    def words(self, name: str) -> list[str]:
        """The texts of a list; other items are empty ones."""
        found = self.get(name)
        return [item if isinstance(item, str) else "" for item in found] if isinstance(found, list) else []


def decode(path: str, name: str, text: str, kind: str = "") -> Resource:
    """Decode a resource. Its kind follows from its type, else from the kind of the request.

    Raises:
        ValueError: It is not a JSON object.
    """
    value = json_decode.decode(text)
    if not isinstance(value, Mapping):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - as the decoder
    own = link_of(value)
    return Resource(path or own, kind_of(value) or kind, value, Output.of_json(name, value))


def kind_of(value: Mapping[str, Any]) -> str:
    """The kind by ``@odata.type``. Empty if there is no type, and the type's name if there is no kind for it."""
    reported = value.get("@odata.type")
    match = _TYPE.match(reported) if isinstance(reported, str) else None
    return KINDS.get(match[1], match[1]) if match else ""


def link_of(value: object) -> str:
    """The path in ``{"@odata.id": PATH}``, or ``{"href": PATH}`` of iLO 4. Empty if it is not a link."""
    if not isinstance(value, Mapping):
        return ""
    reported = value.get("@odata.id", value.get("href"))
    return trimmed(reported) if isinstance(reported, str) and reported.startswith("/") else ""


def trimmed(path: str) -> str:
    """A path without its fragment and the slash at its end."""
    return path.partition("#")[0].rstrip("/")


def links_of(value: object) -> list[str]:
    """The paths of a list of links, each once."""
    found = [link_of(item) for item in value] if isinstance(value, list) else []
    return list(dict.fromkeys(path for path in found if path))


def keep_rest(draft: Draft, resource: Resource) -> None:
    """Keep what no reader used, as details, and report what is bad in it.

    Links, annotations and empty values only count as read.
    """
    used = {line for line, _, _ in draft.evidence}
    for line in _lines(resource):
        if line in used or line.used:
            continue
        label, _, value = line.text.partition(": ")
        if value in _EMPTY or _NOISE.search(label):
            mark_read(line)
        else:
            short = label[len(resource.at) + 1 :] if resource.at else label
            draft.detail(line, short, value.strip('"'))
            if value in _BAD and _HEALTH.fullmatch(label):
                _report(draft, resource, label, value)


def _report(draft: Draft, resource: Resource, label: str, value: str) -> None:
    """Report a health that is worse than the object's own, or a condition that needs attention."""
    if isinstance(draft, ControllerDraft) and _OF_CONTROLLER.fullmatch(label):
        return
    where = label.rpartition(".")[0]
    message = resource.output.leaf(f"{where}.Message")
    known = draft.get("status")
    if message is None and is_bad(known) and (value == '"Warning"' or known in ("critical", "failed", "offline")):
        return
    shown, word = label, value.strip('"')
    if message is not None:
        shown = printable(message.text.partition(": ")[2].strip('"'))[:200]
    draft.add_problem(_BAD[value], "state", f"The BMC reports {word.lower()}: {shown}", "Check the BMC's log.")


def mark_all(resource: Resource) -> None:
    """Mark all lines as read: links and the description of the machine."""
    mark_read(*_lines(resource))


def _lines(resource: Resource) -> Iterator[Line]:
    begin = (f"{resource.at}.", f"{resource.at}[", f"{resource.at}: ")
    return (line for line in resource.output.lines if not resource.at or line.text.startswith(begin))
