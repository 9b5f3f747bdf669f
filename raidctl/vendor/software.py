"""Code shared by families of software RAID, whose tools print JSON."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl import json_decode
from raidctl.model import Problem
from raidctl.vendor.draft import ControllerDraft, Draft, G
from raidctl.vendor.protocol import Document


class SoftwareDraft(ControllerDraft[G]):
    """All volumes of a family by their names.

    An example is ``lvm:vg/data`` with its array ``lvm:vg/data/array`` and drives ``lvm:NAME``.
    """

    def owned(self, controller_id: str) -> Iterator[tuple[Draft, str]]:
        """Each draft with its id."""
        yield self, controller_id
        for volume in self.volumes.values():
            yield volume, f"{controller_id}:{volume.name}"
        for array in self.arrays.values():
            yield array, array_id(controller_id, array.name)
        for drive in self.drives.values():
            yield drive, f"{controller_id}:{drive.name}"


def array_id(controller_id: str, volume: str) -> str:
    """The id of the array of a volume."""
    return f"{controller_id}:{volume}/array"


def json_value(document: Document, text: str, found: list[Problem]) -> tuple[object, str]:
    """Decode the JSON at the beginning of a text. The second value is the rest.

    JSON that is damaged or cut off is None, with a problem. If only an opening bracket is missing, there is a problem.
    """
    try:
        value, end = json_decode.decode_at(text, 0)
    except ValueError as error:
        message = f"The JSON is damaged or cut off: {str(error)[:120]}."
        found.append(Problem("error", document.name, message, "Run the command again.", "unread"))
        return None, ""
    if json_decode.continues(text, end):
        message = "The JSON has more closing than opening brackets: lines are missing."
        found.append(Problem("error", document.name, message, "Run the command again.", "unread"))
    return value, text[end:]
