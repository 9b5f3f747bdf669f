"""Bays of SES enclosures that the kernel's ``ses`` driver links to drives. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ENCLOSURES = "/sys/class/enclosure"
INSIDE = f"{ENCLOSURES}/*/*/device/block/*"
"""Block devices in bays: ``/sys/class/enclosure/0:0:20:0/Slot 03/device/block/sdd``."""

Bay = tuple[str, str]
"""Identifier of the enclosure and name of the bay: ``0x5003048001a2b3bd``, ``Slot 03``."""


def folders(paths: Iterable[str]) -> list[str]:
    """Return the folders of the enclosures, each once."""
    return list(dict.fromkeys(_folder(path) for path in paths))


def _folder(path: str) -> str:
    return "/".join(path.split("/")[:5])


def id_file(folder: str) -> str:
    """Return the file with the logical identifier. The identifier stays when the SCSI address changes."""
    return f"{folder}/id"


def identifier(folder: str, text: str | None) -> str:
    """Return the logical identifier of an enclosure. If it has none, return its SCSI address."""
    name = (text or "").strip()
    return name if name.startswith("0x") and name.strip("0x") else folder.rpartition("/")[2]


def bays(paths: Iterable[str], ids: Mapping[str, str]) -> dict[str, Bay]:
    """Return the bay of each block device by its kernel name. Devices that are linked to several bays are left out.

    Args:
        paths: As :data:`INSIDE` matches them.
        ids: The identifier of each folder.
    """
    found: dict[str, set[Bay]] = {}
    for path in paths:
        folder = _folder(path)
        bay, name = path.split("/")[5].strip(), path.rpartition("/")[2].replace("!", "/")
        found.setdefault(name, set()).add((ids[folder], bay))
    return {name: next(iter(places)) for name, places in found.items() if len(places) == 1}
