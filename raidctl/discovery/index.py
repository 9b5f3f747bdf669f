"""An index of the kernel's view by world wide name, serial number and SCSI address, up and down the layers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidctl.host import BlockDevice, HostView
from raidctl.order import by_kernel_name
from raidctl.text import regex

_PREFIX = regex(r"(wwn-)?(0x|naa[. -]?|eui[. -]?|scsi-3|3(?=[0-9a-f]{32}$))?", re.IGNORECASE)
_SEPARATORS = regex(r"[\s:.-]")
_NAME = regex(r"[0-9a-f]{16}(?:[0-9a-f]{16})?")
_SERIAL_SHORTEST = 4
_BY_WWN = "/dev/disk/by-id/wwn-"


def wwn(text: str | None) -> str | None:
    """Normalize a world wide name to 16 or 32 hex digits. This strips ``0x``, ``naa.``, blanks and colons.

    None if it is not valid: too short, masked, or a repeated digit.
    """
    if not text:
        return None
    bare = _SEPARATORS.sub("", _PREFIX.sub("", text.strip().lower(), count=1))
    return bare if _NAME.fullmatch(bare) and len(set(bare)) > 1 else None


def serial(text: str | None) -> str | None:
    """Normalize a serial number: upper case, no blanks. None if it is masked or too short."""
    bare = "".join((text or "").split()).upper()
    masked = "*" in bare or len(set(bare)) < 2 or "XXX" in bare
    return None if masked or len(bare) < _SERIAL_SHORTEST else bare


def registered(digits: str | None) -> bool:
    """Whether a name is a full NAA 6 one. RAID volumes have such names, and different ones mean different volumes."""
    return digits is not None and len(digits) == 32 and digits.startswith("6")


class Index:
    """Look-ups of drives in a view, in constant time. ``HostView`` looks up devices by their names."""

    def __init__(self, view: HostView) -> None:
        self.view = view
        self._by: dict[tuple[str, str], list[BlockDevice]] = {}
        self.functions = {function.address: function for function in view.pci}
        for device in view.blocks:
            if device.kind == "disk":
                self._file(device)

    def _file(self, device: BlockDevice) -> None:
        linked = next((link.removeprefix(_BY_WWN) for link in device.links if link.startswith(_BY_WWN)), None)
        keys = {
            "wwn": wwn(device.wwn) or wwn(linked),
            "serial": serial(device.serial),
            "scsi": device.scsi_address,
            "target": device.scsi_address and device.scsi_address.partition(":")[2],
        }
        for key, value in keys.items():
            if value:
                self._by.setdefault((key, value), []).append(device)

    def disks(self, key: str, value: str | None) -> list[BlockDevice]:
        """Return the drives with this ``wwn``, ``serial``, ``scsi`` address or ``target``.

        The first two are normalized.

        A target is the address without its host: ``C:T:L``.
        """
        found = self._by.get((key, value), []) if value else []
        return sorted(found, key=lambda device: by_kernel_name(device.name))

    def layers(self, device: BlockDevice) -> list[BlockDevice]:
        """Return the layers on a device, nearest first, each once. Layers above an md array on it are left out."""
        found: dict[str, BlockDevice] = {}
        waiting = [device]
        for current in waiting:
            for layer in self.view.directly_above(current.name):
                if layer.name not in found and layer is not device:
                    found[layer.name] = layer
                    if layer.kind != "md":
                        waiting.append(layer)
        return list(found.values())

    def mounted(self, device: BlockDevice) -> list[tuple[str, BlockDevice]]:
        """Return the mount points of a device, its partitions and layers above.

        Each comes with the device that is mounted there, sorted by mount point.
        """
        found: dict[str, BlockDevice] = {}
        for layer in (device, *self.view.above(device.name)):
            for point in layer.mountpoints:
                found.setdefault(point, layer)
        return sorted(found.items())

    def below(self, device: BlockDevice) -> list[BlockDevice]:
        """Return the drives below a partition or a layer. For a drive, return the drive itself."""
        found: list[BlockDevice] = []
        seen = {device.name}
        waiting = [device]
        while waiting:
            current = waiting.pop()
            names = [*current.slaves, *([current.parent] if current.parent else [])]
            if not names:
                found.append(current)
            for name in names:
                lower = self.view.block(name)
                if lower is not None and lower.name not in seen:
                    seen.add(lower.name)
                    waiting.append(lower)
        return found

    def joint(self, paths: Iterable[BlockDevice]) -> BlockDevice | None:
        """Return the multipath device on exactly these drives."""
        names = {device.name for device in paths}
        first = next(iter(names), "")
        return next((d for d in self.view.directly_above(first) if d.kind == "dm" and set(d.slaves) == names), None)
