"""The tool's figures. Sizes in bytes; another form raises ValueError.

Physical drives are printed in decimal units, logical drives, caches and strips in binary ones.
"""

from __future__ import annotations

import re

from raidctl.text import collapse, figure, regex
from raidctl.units import parse_gbps, parse_size
from raidctl.vendor.fields import optional
from raidctl_smartarray.vocabulary import has_value, normalized

_BARE = regex(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_WITHOUT_UNIT_MIB = 64
"""Smallest bare figure that cannot be the cache size in GiB. From here on it is MiB."""
_SHARE = regex(r"\s*\(\s*[\d.]+\s*%\s*\)\s*$")
_RATIO = regex(r"(\d{1,3})\s*% ?Read\s*/\s*(\d{1,3})\s*% ?Write", re.IGNORECASE | re.ASCII)
_OLD_MOUNT = regex(r"(/.*?)\s+[\d.]+ [KMGTP]?i?B Part(?:ition)? Numb(?:er)? \d+", re.ASCII)
_PATH = regex(r"(?:^|[\s,\d])(/[^\s,]*)")
_INTEGER = regex(r"(\d{1,9})(?:\.0+)?", re.ASCII)
_DRIVE_LETTER = regex(r"(?:^|[\s,])([A-Z]:\\[^\s,]*)")
_LANES = regex(r"\s*x ?\d{1,2}$", re.IGNORECASE)
_PCI = regex(r"([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.ASCII | re.IGNORECASE)
_YES = {"true": True, "yes": True, "enabled": True, "enable": True, "on": True}
_NO = {"false": False, "no": False, "disabled": False, "disable": False, "off": False}
_FLAGS = _YES | _NO


def drive_size(text: str) -> int:
    """``900.1 GB`` of a physical drive: decimal."""
    return parse_size(text, binary=False)


def volume_size(text: str) -> int:
    """``838.3 GB`` of a logical drive, ``256 KB`` of a strip: binary."""
    return parse_size(text, binary=True)


def free_space(text: str) -> int:
    """``1563284  MB (91.1%)``: binary, the share ignored."""
    return parse_size(collapse(_SHARE.sub("", text)), binary=True)


def cache_size(text: str) -> int:
    """``512 MB``, ``4.0 GB``: binary. Newer tools omit the unit, which is GiB: ``4.0``."""
    bare = text.strip()
    if not _BARE.fullmatch(bare):
        return parse_size(bare, binary=True)
    figure = float(bare)
    return round(figure * (1024**3 if figure < _WITHOUT_UNIT_MIB else 1024**2))


def ratio(text: str) -> tuple[int, int]:
    """Percent for reads and for writes of ``25% Read / 75% Write``."""
    match = _RATIO.fullmatch(text.strip())
    if match is None or int(match[1]) + int(match[2]) > 100:
        raise ValueError(f"not a cache ratio: {text!r}")
    return int(match[1]), int(match[2])


def flag(text: str) -> bool:
    """Yes for ``True``, ``Enabled`` …, no for ``Disable`` …."""
    key = normalized(text)
    if key not in _FLAGS:
        raise ValueError(f"neither yes nor no: {text!r}")
    return _FLAGS[key]


def integer(text: str) -> int:
    """A whole number, ``31`` or ``10000``."""
    return int(figure(_INTEGER, text.strip())[1])


text = optional(has_value, str.strip)
count = optional(has_value, integer)


def link_speed(text: str) -> float | None:
    """Gbit/s of the fastest link of ``6.0Gbps, Unknown``; None if all are unknown. Of PCIe lanes, that of one."""
    known = [_LANES.sub("", part.strip()) for part in text.split(",") if has_value(part)]
    return max((parse_gbps(part) for part in known), default=None)


def pci_address(text: str) -> str:
    """``0000:0B:00.0`` in lower case."""
    match = figure(_PCI, text.strip())
    return match[0].lower()


def module_name(text: str) -> str | None:
    """Return the bare name of a kernel driver, ``hpsa``. ``hpsa.ko`` and ``HpCISSs2.sys`` lose their suffix."""
    name = text.split(maxsplit=1)[0] if text.split() else ""
    return name.removesuffix(".ko").removesuffix(".sys") or None


def device_node(text: str) -> str | None:
    """``/dev/sda``; of several names (paths to the same volume) the first."""
    name = text.replace(",", " ").split()
    return name[0] if has_value(text) and name else None


def mountpoints(text: str) -> tuple[str, ...] | None:
    """Mount points in the forms that the tools print.

    * ``/boot 953 MB Partition Number 2, /srv 1.8 TB Part Numb 3``
    * ``1024 MiB Partition   2, 600 MiB Partition   1 /boot, /boot/efi``

    Either also with the blanks around commas lost.
    """
    if not has_value(text):
        return None
    found = [point.strip(" ,") for point in _OLD_MOUNT.findall(text)] + _PATH.findall(_OLD_MOUNT.sub(" ", text))
    found = found or _DRIVE_LETTER.findall(text)
    return tuple(dict.fromkeys(found)) or None
