"""The udev database of this machine, in the format of ``udevadm info --export-db``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from raidctl.request import Failure, ReadAnswer

SUBSYSTEMS = ("block", "pci", "nvme", "scsi", "scsi_host", "dmi")
"""The subsystems that discovery reads; a machine has thousands of other devices."""

Device = tuple[str, str | None, Iterable[str], Mapping[str, str]]
"""Device path, node, links to the node, properties."""


def render(devices: Iterable[Device]) -> str:
    """Format devices as the database's text, sorted by path. Names and links are printed without ``/dev/``.

    ``L:`` (the priority of the links) is left out: the library does not provide it.
    """
    return "".join("\n".join(_lines(*device)) + "\n\n" for device in sorted(devices, key=lambda device: device[0]))


def _lines(path: str, node: str | None, links: Iterable[str], properties: Mapping[str, str]) -> Iterator[str]:
    # P: /devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda
    yield f"P: {_line(path)}"
    # N: sda
    if node:
        yield f"N: {_line(node).removeprefix('/dev/')}"
    # S: disk/by-id/ata-EXAMPLE_0001
    for link in sorted(links):
        yield f"S: {_line(link).removeprefix('/dev/')}"
    # E: ID_SERIAL=EXAMPLE_0001
    for key in sorted(properties):
        yield f"E: {_line(key)}={_line(properties[key])}"


def _line(text: str) -> str:
    """Put a value on one line. A drive's name may contain a line break."""
    return text.replace("\r", " ").replace("\n", " ")


def database() -> ReadAnswer:
    """Ask libudev for the devices. Without a running udevd, they have only the kernel's own properties."""
    try:
        import pyudev  # noqa: PLC0415 - slow to import, and needs a library of Linux

        context = pyudev.Context()
        devices = [device for name in SUBSYSTEMS for device in _list(context, name)]
    except ImportError as error:
        return ReadAnswer(trouble=Failure.MISSING, detail=f"libudev: {error}")
    except Exception as error:  # noqa: BLE001 - sysfs is used if the library fails
        return ReadAnswer(trouble=Failure.FAILED, detail=f"libudev: {error}")
    return ReadAnswer(data=render(devices).encode("utf-8", errors="surrogateescape"))


def _list(context: Any, subsystem: str) -> Iterator[Device]:
    for found in context.list_devices(subsystem=subsystem):
        try:
            yield found.device_path, found.device_node, tuple(found.device_links), dict(found.properties)
        except (OSError, LookupError, UnicodeError):  # removed since it was listed, or an undecodable name
            continue
