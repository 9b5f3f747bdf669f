"""Attributes read from sysfs: sizes and queues of block devices. The others are read only without udev."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from raidctl.discovery.udevdb import Entry, uevent
from raidctl.host import BlockKind
from raidctl.text import collapse, regex

BLOCK = "/sys/class/block"
BLOCKS = f"{BLOCK}/*"
SLAVES = f"{BLOCK}/*/slaves/*"
PARTITIONS = f"{BLOCK}/*/*/partition"
PCI = "/sys/bus/pci/devices"
FUNCTIONS = f"{PCI}/*"
_SCSI_BLOCK = "target*/*/block/*"
_EXPANDER = "expander-*/port-*/"
# block devices below PCI functions, to locate a drive without udev's DEVPATH (no request reads a link)
PLACES = tuple(
    f"{FUNCTIONS}/{pattern}"
    for pattern in (
        f"ata*/host*/{_SCSI_BLOCK}",
        f"host*/{_SCSI_BLOCK}",
        f"host*/port-*/end_device-*/{_SCSI_BLOCK}",
        f"host*/port-*/{_EXPANDER}end_device-*/{_SCSI_BLOCK}",
        f"host*/port-*/{_EXPANDER}{_EXPANDER}end_device-*/{_SCSI_BLOCK}",
        f"host*/rport-*/{_SCSI_BLOCK}",
        f"virtio*/host*/{_SCSI_BLOCK}",
        "virtio*/block/*",
        "nvme/nvme*/nvme*n*",
        f"usb*/*/*/host*/{_SCSI_BLOCK}",
        f"usb*/*/*/*/host*/{_SCSI_BLOCK}",
        "*/*/block/*",
    )
)
_QUEUE = ("queue/read_ahead_kb", "queue/minimum_io_size", "queue/optimal_io_size")
_FLUSHES = "queue/write_cache"
_DISK = ("size", "removable", "queue/rotational", _FLUSHES, "queue/scheduler", *_QUEUE)
_IDENTITY = (
    "device/vendor", "device/model", "device/rev", "device/firmware_rev", "device/serial", "device/wwid", "wwid",
    "serial", "device/vpd_pg80", "device/vpd_pg89",
)  # fmt: skip
_PARTITION = "ID_PART_ENTRY_OFFSET"
SECTOR = 512
# none [mq-deadline] kyber; without brackets there is only one
_CHOSEN = regex(r"\[([\w-]{1,40})\]", re.ASCII)
_LARGEST = 2**62
_IDENTIFY = slice(60, 572)
_ATA_MODEL_CUT = 16


def wanted(name: str, kind: BlockKind, entry: Entry | None, slaves: Sequence[str] = ()) -> Sequence[str]:
    """Return a block device's attributes to read: those that udev lacks. ``slaves`` are the devices below it."""
    known = entry.properties if entry else {}
    number = () if "MAJOR" in known else ("uevent",)
    if kind in ("ram", "cdrom"):
        return ()
    if kind == "dm":
        return ("size", _FLUSHES, *_QUEUE, *number, *(() if "DM_NAME" in known else ("dm/name", "dm/uuid")))
    if kind == "md":
        return ("size", _FLUSHES, *_QUEUE, *number, *map(offset_file, slaves))
    if kind == "partition":
        return ("size", *number, *(() if _PARTITION in known else ("start",)))
    if kind != "disk":
        return ("size", *number)
    timeout = ("device/timeout",) if name.startswith("sd") else ()  # of SCSI and ATA drives
    firmware = ("device/firmware_rev",) if name.startswith("nvme") and "ID_REVISION" not in known else ()
    if "ID_SERIAL" not in known and "ID_MODEL" not in known:
        return (*_DISK, *timeout, *number, *_IDENTITY)
    return (*_DISK, *timeout, *number, *firmware)


def offset_file(member: str) -> str:
    """Return the md attribute with the data offset on a member. The offset is in sectors of 512 bytes."""
    return f"md/dev-{member.replace('/', '!')}/offset"


def path_of(name: str, attribute: str) -> str:
    """Return the file of an attribute. In sysfs a slash in a kernel name is an exclamation mark."""
    return f"{BLOCK}/{name.replace('/', '!')}/{attribute}"


def names_of(paths: Iterable[str]) -> list[str]:
    """Return the kernel names at the ends of paths."""
    return [path.rsplit("/", 1)[-1].replace("!", "/") for path in paths]


def slaves_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the devices below each device, from paths ``/sys/class/block/md0/slaves/sda1``."""
    found: dict[str, list[str]] = {}
    for path in paths:
        above, _, below = path.removeprefix(f"{BLOCK}/").partition("/slaves/")
        if below:
            found.setdefault(above.replace("!", "/"), []).append(below.replace("!", "/"))
    return found


def parents_of(paths: Iterable[str]) -> dict[str, str]:
    """Return the drive of each partition, from paths ``/sys/class/block/sda/sda1/partition``."""
    parts = [path.removeprefix(f"{BLOCK}/").split("/") for path in paths]
    return {words[1].replace("!", "/"): words[0].replace("!", "/") for words in parts if len(words) == 3}


def start_of(known: Mapping[str, str], attributes: Attributes) -> int | None:
    """Return a partition's offset in bytes. The kernel and udev count sectors of 512 bytes."""
    start = figure(known.get(_PARTITION), SECTOR)
    return attributes.figure("start", SECTOR) if start is None else start


def figure(text: str | None, unit: int) -> int | None:
    """Convert a whole number of units to bytes. None if it is invalid or implausibly large."""
    if not text or not text.isascii() or not text.isdecimal() or len(text) > 20:
        return None
    found = int(text) * unit
    return found if found < _LARGEST else None


class Attributes(Struct, frozen=True):
    """The attributes of one block device, as read: bytes by name."""

    data: Mapping[str, bytes]

    def text(self, name: str) -> str | None:
        """Return an attribute as text, with blanks collapsed. None if it was not read or is empty."""
        raw = self.data.get(name)
        if raw is None:
            return None
        return collapse(raw.decode("utf-8", errors="replace").replace("\0", " ")) or None

    @property
    def size_bytes(self) -> int | None:
        """``size`` counts sectors of 512 bytes, whatever the drive's own sectors are."""
        return self.figure("size", SECTOR)

    def figure(self, name: str, unit: int = 1) -> int | None:
        """Return an attribute that counts units of this many bytes, in bytes."""
        return figure(self.text(name), unit)

    @property
    def scheduler(self) -> str | None:
        """The I/O scheduler in use."""
        text = self.text("queue/scheduler") or ""
        match = _CHOSEN.search(text)
        return match[1] if match else text if re.fullmatch(r"[\w-]{1,40}", text, re.ASCII) else None

    def flag(self, name: str) -> bool | None:
        """Return an attribute that is 0 or 1 as a boolean."""
        return {"0": False, "1": True}.get(self.text(name) or "")

    @property
    def uevent(self) -> Mapping[str, str]:
        """The kernel's own properties: ``MAJOR``, ``MINOR``, ``DEVNAME``, ``DEVTYPE``."""
        return uevent(self.data.get("uevent", b"").decode("utf-8", errors="replace"))


class Identity(Struct, frozen=True):
    """Vendor, model, firmware and numbers of a drive."""

    vendor: str | None = None
    model: str | None = None
    firmware: str | None = None
    serial: str | None = None
    wwn: str | None = None


def identity(attributes: Attributes) -> Identity:
    """Return a drive's identity without udev.

    SCSI truncates the model of ATA drives to 16 characters and the firmware to 4; page 89h of the vital product data,
    if the kernel provides it, has the full text.
    """
    vendor, model = attributes.text("device/vendor"), attributes.text("device/model")
    if vendor and vendor.startswith("0x"):  # virtio: a vendor number
        vendor = None
    firmware = attributes.text("device/firmware_rev")
    if vendor == "ATA":
        page = attributes.data.get("device/vpd_pg89", b"")[_IDENTIFY]
        model = _ata_words(page, 27, 46) or (model if model and len(model) < _ATA_MODEL_CUT else None)
        firmware = _ata_words(page, 23, 26)
    else:
        firmware = firmware or attributes.text("device/rev")
    serial = attributes.text("device/serial") or attributes.text("serial")
    page80 = attributes.data.get("device/vpd_pg80", b"")[4:]
    if serial is None and page80:
        serial = collapse(page80.decode("ascii", errors="replace").replace("\0", " ")) or None
    return Identity(vendor, model, firmware, serial, _wwn(attributes.text("wwid") or attributes.text("device/wwid")))


def _ata_words(page: bytes, first: int, last: int) -> str | None:
    """Decode text of IDENTIFY DEVICE. Each 16-bit word has two letters, the second one first."""
    raw = page[first * 2 : last * 2 + 2]
    if len(raw) < (last - first + 1) * 2:
        return None
    swapped = bytes(raw[index ^ 1] for index in range(len(raw)))
    text = collapse(swapped.decode("ascii", errors="replace").replace("\0", " "))
    return text if text and text.isprintable() else None


def _wwn(wwid: str | None) -> str | None:
    # naa.50014ee2b1a2c3d4, eui.0025385b71b00f2a; t10.… is built from names, and is not a world wide name
    if wwid is None or not re.match(r"(naa|eui|nvme|uuid)\.", wwid):
        return None
    return f"0x{wwid[4:].lower()}" if wwid.startswith("naa.") else wwid
