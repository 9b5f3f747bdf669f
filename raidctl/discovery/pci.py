"""PCI functions of class 01 (mass storage), from udev or sysfs. In sysfs, the ``uevent`` files are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from raidctl.discovery.udevdb import Entry
from raidctl.host import Lanes, PciDevice
from raidctl.text import regex

ADDRESS = regex(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})\.([0-7])", re.IGNORECASE)
STORAGE = 0x01
LINK = ("current_link_width", "max_link_width", "current_link_speed", "max_link_speed")
"""The files of a function's PCI Express link. A function of the chipset has none."""
_WIDEST = 32
# "8.0 GT/s PCIe", "8 GT/s" before Linux 5.7, "Unknown" and "Unknown speed" where there is no link
_SPEED = regex(r"(\d{1,3}(?:\.\d)?) GT/s(?: PCIe)?", re.ASCII)


def normalised(address: str) -> str | None:
    """Normalize a PCI address to ``0000:03:00.0``, lower case. None if it is not a function's address."""
    match = ADDRESS.fullmatch(address.strip())
    if not match:
        return None
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function}"


def storage_functions(entries: Iterable[Entry]) -> tuple[PciDevice, ...]:
    """Return the class 01 functions among udev's ``pci`` entries, sorted by address."""
    found = (_function(entry.kernel_name, entry.properties) for entry in entries)
    return tuple(sorted((device for device in found if device), key=lambda device: device.address))


def _function(name: str, properties: Mapping[str, str]) -> PciDevice | None:
    address = normalised(properties.get("PCI_SLOT_NAME", name))
    # E: PCI_CLASS=10400
    pci_class = _hex(properties.get("PCI_CLASS"))
    # E: PCI_ID=103C:323A
    vendor_id, device_id = _pair(properties.get("PCI_ID"))
    if address is None or pci_class is None or pci_class >> 16 != STORAGE or vendor_id is None or device_id is None:
        return None
    subvendor_id, subdevice_id = _pair(properties.get("PCI_SUBSYS_ID"))
    return PciDevice(
        address=address,
        pci_class=pci_class,
        vendor_id=vendor_id,
        device_id=device_id,
        subvendor_id=subvendor_id,
        subdevice_id=subdevice_id,
        driver=properties.get("DRIVER") or None,
        vendor=properties.get("ID_VENDOR_FROM_DATABASE") or None,
        model=properties.get("ID_MODEL_FROM_DATABASE") or None,
    )


def _hex(text: str | None) -> int | None:
    try:
        return int(text, 16) if text else None
    except ValueError:
        return None


def _pair(text: str | None) -> tuple[int | None, int | None]:
    left, _, right = (text or "").partition(":")
    return _hex(left), _hex(right)


def linked(functions: Iterable[PciDevice], files: Mapping[tuple[str, str], str]) -> tuple[PciDevice, ...]:
    """Add the PCI links. ``files`` are the texts of :data:`LINK` by address and name."""

    def lanes(address: str) -> Lanes | None:
        width, widest, speed, fastest = (files.get((address, name), "") for name in LINK)
        found = Lanes(_width(width), _width(widest), _gtps(speed), _gtps(fastest))
        return None if found == Lanes() else found

    return tuple(replace(function, lanes=lanes(function.address)) for function in functions)


def _width(text: str) -> int | None:
    """Return the number of lanes; 0 and 255 mean "no link"."""
    plain = text.strip()
    found = int(plain) if plain.isascii() and plain.isdecimal() else 0
    return found if 0 < found <= _WIDEST else None


def _gtps(text: str) -> float | None:
    match = _SPEED.fullmatch(text.strip())
    return float(match[1]) if match and float(match[1]) else None
