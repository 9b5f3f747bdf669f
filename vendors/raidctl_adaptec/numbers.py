"""The tool's figures; sizes are in bytes.

A reader raises ValueError for another form, and returns None for a word that means "no value".

The tool prints binary units under decimal names: a drive of 1,000,204,886,016 bytes is ``953869 MB``.
"""

from __future__ import annotations

import re
from typing import Literal

from raidctl.model import DriveCachePolicy, Interface, Media, Mode, ReadPolicy
from raidctl.text import collapse, figure, regex
from raidctl.units import parse_gbps, parse_size
from raidctl.vendor.fields import optional
from raidctl_adaptec.state_words import ROLES
from raidctl_adaptec.vocabulary import MODES, bare, has_value, normalized

_LONGEST = 40
"""Characters of a figure with its unit."""
_NUMBER = regex(r"(\d{1,15})(?:\.0+)?", re.ASCII)
_PERCENT = regex(r"(\d{1,3})(?:\.\d+)? ?(?:percent|%)?(?: ?\(.{1,60}\))?", re.ASCII | re.IGNORECASE)
# 47 C/ 116 F (Normal)
# 31 deg C
_CELSIUS = regex(r"(-?\d{1,3})(?:\.\d+)? ?(?:deg(?:rees)? ?)?C?(?: ?/.{1,40}| ?\(.{1,40}\))?", re.ASCII | re.IGNORECASE)
# 4955 mV/ 5302 mV
_MILLIVOLT = regex(r"(-?\d{1,6}) ?m(?:illi)?V(?:olts)?(?: ?/.{1,40})?", re.ASCII | re.IGNORECASE)
_PCI = regex(r"(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})[:.]([0-7])", re.ASCII | re.IGNORECASE)
_RPM = regex(r"(\d{3,6}) ?(?:rpm)?", re.ASCII | re.IGNORECASE)
_KEY = regex(r"(\d{1,5}) ?, ?(\d{1,5})(?:\(.{0,20}\))?", re.ASCII)
_KEYS = regex(r"\d{1,5},\d{1,5}", re.ASCII)
# Enclosure 1, Slot 0(Connector 0:CN0)
_PLACE = regex(
    r"(\w+) ([\w-]+(?: [\w-]+)?) ?, ?(Slot|Device|Bay|Lane|Phy) (\w+)(?: ?\(.*\))?", re.ASCII | re.IGNORECASE
)
_MOUNT = regex(r"(/\S{0,200}(?: \S{1,100}){0,4}?)\s{1,8}[\d.]{1,12} [KMGTP]?i?B\s+Partition Numb(?:er)? \d+", re.ASCII)
_PATH = regex(r"(?:^|[\s,])(/[^\s,]*)")
_NODE = regex(r"(/dev/[^\s,()]+)")
# Disk Name : \\.\PHYSICALDRIVE1 (Disk1) (Bus: 1, Target: 0, Lun: 1)
_SCSI = regex(r"Bus: ?(\d{1,3}), ?Target: ?(\d{1,5}), ?Lun: ?(\d{1,5})", re.ASCII | re.IGNORECASE)
_YES = frozenset({"yes", "true", "enabled", "enable", "on"})
_NO = frozenset({"no", "false", "disabled", "disable", "off"})
_PROTOCOLS: dict[str, Interface] = {
    "sata": "sata", "sas": "sas", "nvme": "nvme", "pcie": "nvme", "scsi": "scsi", "ata": "ata", "pata": "ata",
}  # fmt: skip


text = optional(has_value, collapse)


def size(value: str) -> int | None:
    """Bytes of ``953869 MB``: binary. ``0 MB`` of a drive that is gone reports nothing."""
    return space(value) or None


def space(value: str) -> int | None:
    """Bytes of an amount that may be zero: ``Unused Size : 0 MB``."""
    return parse_size(collapse(value), binary=True) if has_value(value) else None


def number(value: str) -> int | None:
    """A whole number."""
    if not has_value(value):
        return None
    return int(figure(_NUMBER, value.strip())[1])


def percent(value: str) -> int | None:
    """0 to 100 of ``98 percent``."""
    if not has_value(value):
        return None
    match = _PERCENT.fullmatch(collapse(value))
    if match is None or int(match[1]) > 100:
        raise ValueError(f"not a percentage: {value!r}")
    return int(match[1])


def celsius(value: str) -> int | None:
    """Degrees of ``47 C/ 116 F (Normal)``, ``31 deg C``; None for ``Normal``, ``Not Supported``."""
    if not has_value(value) or not any(sign.isdigit() for sign in value):
        return None
    return int(figure(_CELSIUS, collapse(value))[1])


def volts(value: str) -> float | None:
    """Current volts of ``4955 mV/ 5302 mV``, or of ``5208 milliVolts``."""
    if not has_value(value):
        return None
    return int(figure(_MILLIVOLT, collapse(value))[1]) / 1000


def rpm(value: str) -> int | None:
    """``7200 RPM``; None for an SSD."""
    if not has_value(value) or normalized(value) in ("0", "0 rpm", "not supported", "ssd", "non-rotational"):
        return None
    return int(figure(_RPM, collapse(value))[1])


def flag(value: str) -> bool | None:
    """Yes for ``Enabled``, ``On``, ``True``; no for their opposites."""
    if not has_value(value) or normalized(value) == "not supported":
        return None
    if normalized(value) not in _YES | _NO:
        raise ValueError(f"neither yes nor no: {value!r}")
    return normalized(value) in _YES


def pci_address(value: str) -> str | None:
    """``0000:d9:00.0`` of ``0:d9:0:0``: domain, bus, device and function in hexadecimal."""
    if not has_value(value):
        return None
    match = figure(_PCI, value.strip())
    domain, bus, device = (int(part or "0", 16) for part in match.groups()[:3])
    return f"{domain:04x}:{bus:02x}:{device:02x}.{match[4]}"


def mode(value: str) -> Mode | None:
    """The mode of ``RAID (Expose RAW)``, ``HBA``, ``Mixed``."""
    if not has_value(value):
        return None
    known = MODES.get(normalized(value)) or MODES.get(bare(value))
    if known is None:
        raise ValueError(f"not a mode: {value!r}")
    return known


def driver(value: str) -> str | None:
    """The bare name of a kernel driver."""
    return (
        value.split(maxsplit=1)[0].removesuffix(".ko").removesuffix(".sys")
        if has_value(value) and value.split()
        else None
    )


def address(value: str) -> str | None:
    """``0,4`` of ``0,4(4:0)``: channel and device."""
    if not has_value(value):
        return None
    match = figure(_KEY, collapse(value))
    return f"{int(match[1])},{int(match[2])}"


def addresses(value: str) -> list[str]:
    """All of ``0,0 0,1 0,2``."""
    return [f"{int(a)},{int(b)}" for a, b in (found.split(",") for found in _KEYS.findall(value))]


def location(value: str) -> tuple[str, str, str] | None:
    """``("enclosure", "1", "0")`` of ``Enclosure 1, Slot 0(Connector 0:CN0)``."""
    if not has_value(value):
        return None
    match = figure(_PLACE, collapse(value))
    return match[1].lower(), match[2], match[4]


def transfer(value: str) -> tuple[Interface | None, float | None]:
    """Interface and Gbit/s of ``SATA 6.0 Gb/s``; of ``Ultra320`` only the interface."""
    words = value[:_LONGEST].split()
    if not words or not has_value(value) or normalized(value) in ("failed", "defunct", "not supported", "unknown"):
        return None, None
    kind = words[0].lower()
    if kind.startswith("ultra") or kind in ("scsi", "fast", "async"):
        return "scsi", None
    if kind not in _PROTOCOLS:
        raise ValueError(f"not a transfer speed: {value!r}")
    rest = " ".join(words[1:]).split(" x", maxsplit=1)[0].split("(", maxsplit=1)[0].strip()
    speed = parse_gbps(rest) if rest and rest[0].isdigit() and not rest[-1].isdigit() else None
    return _PROTOCOLS[kind], speed


def link_rate(value: str) -> float | None:
    """Gbit/s of ``12 Gbps``, ``PHY enabled - 6 Gbps``; None for ``unknown``."""
    last = value.rsplit(" - ", maxsplit=1)[-1].strip()[:_LONGEST]
    return parse_gbps(last) if last[:1].isdigit() else None


def write_cache(value: str) -> Literal["enabled", "disabled"] | None:
    """A drive's own cache: ``Enabled (write-back)``, ``Disabled (write-through)``, ``Not Supported``."""
    key = bare(value.split("(", maxsplit=1)[0])
    if not has_value(value) or key in ("not supported", "unsupported", "not changeable"):
        return None
    if key in ("enabled", "on", "write back"):
        return "enabled"
    if key in ("disabled", "off", "write through"):
        return "disabled"
    raise ValueError(f"not the state of a write cache: {value!r}")


def drive_cache_policy(value: str) -> DriveCachePolicy | None:
    """The controller's policy for the drives' caches: ``Drive Specific``, ``Default``, ``Enabled``, ``Disabled``."""
    policies: dict[str, DriveCachePolicy] = {
        "enabled": "enabled", "enable all": "enabled", "enabled all": "enabled", "on": "enabled",
        "disabled": "disabled", "disable all": "disabled", "disabled all": "disabled", "off": "disabled",
        "default": "default", "drive specific": "default", "unchanged": "default",
    }  # fmt: skip
    if not has_value(value):
        return None
    if bare(value) not in policies:
        raise ValueError(f"not a policy: {value!r}")
    return policies[bare(value)]


def role(value: str) -> str | None:
    """What a drive is for: ``Drive Configuration Type : Data``."""
    if not has_value(value):
        return None
    key = bare(value).removesuffix(" drive").removesuffix(" device")
    if key not in ROLES:
        raise ValueError(f"not a use of a drive: {value!r}")
    return ROLES[key]


def node(value: str) -> str | None:
    """``/dev/sda`` out of a disk name; None for another system's name."""
    match = _NODE.search(value)
    return match[1] if match else None


def scsi_target(value: str) -> str | None:
    """``1:0:1`` where a disk name reports bus, target and LUN."""
    match = _SCSI.search(value)
    return ":".join(match.groups()) if match else None


def mountpoints(value: str) -> tuple[str, ...] | None:
    """Those of ``/boot 488 MB  Partition Number 2 / 10 GB  Partition Number 3``; None if there are none."""
    if not has_value(value) or normalized(value) == "not mounted":
        return None
    found = _MOUNT.findall(value) or _PATH.findall(value)
    return tuple(dict.fromkeys(found)) or None


def plain_number(text: str) -> str | None:
    """``0`` of ``0``, ``00``."""
    found = number(text)
    return None if found is None else str(found)


def solid_state(text: str) -> Media | None:
    """The medium of ``SSD : Yes``."""
    solid = flag(text)
    return None if solid is None else "ssd" if solid else "hdd"


def read_ahead(text: str) -> ReadPolicy | None:
    """The policy of ``Read-cache setting : Enabled``. The controller reads ahead where it sees a pattern."""
    on = flag(text.split("(", maxsplit=1)[0])
    return None if on is None else "read_ahead" if on else "off"
