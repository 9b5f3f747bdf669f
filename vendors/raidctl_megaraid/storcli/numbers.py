"""Figures of storcli: sizes with sectors, temperatures in two scales, link speeds."""

from __future__ import annotations

import re

from raidctl.text import collapse, figure, regex
from raidctl.units import parse_celsius, parse_gbps, parse_size
from raidctl_megaraid import vocabulary

_SECTORS = regex(r"(.+?)\s*\[\s*(0x[0-9a-f]{1,16})(?: sectors)?\s*\]", re.IGNORECASE)
_FAHRENHEIT = regex(r"\s*\(.*\)\s*$")
_LANES = regex(r"\s*x ?\d{1,2}$", re.IGNORECASE)
_INTEGER = regex(r"\d{1,18}", re.ASCII)
_HOURS = regex(r"(\d{1,9})\s*(?:h|hrs?|hours?)?", re.ASCII | re.IGNORECASE)
_LONGEST = 64
LARGEST = 2**62
_HOTTEST = 200
_SECTOR_SIZES = (512, 4096, 520, 528, 4160, 4224, 1, 1024, 2048)
_ROUNDING = 0.006
"""Largest relative rounding error of a printed size. Sizes are cut or rounded to two figures or more, ``931.0 GB``,
``1.8 TB``."""


def text(value: str) -> str | None:
    """The text with runs of blanks collapsed. None if it means "no value"."""
    return collapse(value) if vocabulary.has_value(value) else None


def integer(value: str) -> int | None:
    """A whole number; None if not reported."""
    if not vocabulary.has_value(value):
        return None
    return int(figure(_INTEGER, value.strip())[0])


def hours(value: str) -> int | None:
    """``12345`` or ``12345 hours``."""
    if not vocabulary.has_value(value):
        return None
    return int(figure(_HOURS, value.strip())[1])


def size(value: str) -> int | None:
    """``446.625 GB``, ``9.094 TiB``: binary units under either name; a plain ``0`` too."""
    bare = value.strip()
    if not vocabulary.has_value(bare):
        return None
    if len(bare) > _LONGEST:
        raise ValueError("not a size")
    found = 0 if bare == "0" else parse_size(bare, binary=True)
    if found > LARGEST:
        raise ValueError("larger than any drive")
    return found


def sector_size(value: str) -> int | None:
    """Bytes of ``512B`` and ``4 KB``, also of a bare ``4096``."""
    return int(value) if _INTEGER.fullmatch(value.strip()) else size(value)


def exact_size(value: str) -> int | None:
    """Bytes of ``446.625 GB [0x37d40000 Sectors]``.

    The sectors give the exact size. Their length is not printed here (``4 KB`` drives count in 4 KiB under firmware of
    version 7 and in 512 bytes under version 8): it is the one that results in the printed figure.
    """
    match = _SECTORS.fullmatch(value.strip())
    if match is None:
        return size(value)
    printed = size(match[1])
    return printed if printed is None else exactly(printed, int(match[2], 16))


def exactly(printed: int, blocks: int, length: int | None = None) -> int:
    """Return the exact size if the blocks confirm the printed one. Otherwise return the printed one."""
    for candidate in (length,) if length else _SECTOR_SIZES:
        if abs(blocks * candidate - printed) <= printed * _ROUNDING:
            return blocks * candidate
    return printed


def celsius(value: str) -> int | None:
    """`` 26C (78.80 F)``, ``41``."""
    if not vocabulary.has_value(value):
        return None
    found = parse_celsius(_FAHRENHEIT.sub("", value[:_LONGEST]).strip())
    if abs(found) > _HOTTEST:
        raise ValueError("not the temperature of a drive")
    return found


def link_speed(value: str) -> float | None:
    """Gbit/s of ``12.0Gb/s``; of PCIe (``16.0GT/s x4``) the speed of one lane."""
    if not vocabulary.has_value(value):
        return None
    if len(value) > _LONGEST:
        raise ValueError("not a link speed")
    return parse_gbps(_LANES.sub("", value.strip()))


def percent(value: str) -> float | None:
    """``37``, ``37%``, ``37.5 %``; None for ``-``."""
    if not vocabulary.has_value(value):
        return None
    bare = value.strip().removesuffix("%").strip()
    if not re.fullmatch(r"\d{1,3}(?:\.\d{1,6})?", bare, re.ASCII) or float(bare) > 100:
        raise ValueError(f"not a percentage: {value[:_LONGEST]!r}")
    return float(bare)


def device_node(value: str) -> str | None:
    """``/dev/sda``, the first of several. None for a name that is not a Linux device node."""
    names = value.replace(",", " ").split()
    return next((name for name in names if name.startswith("/dev/")), None)
