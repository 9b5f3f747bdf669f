"""Figures as smartctl prints them.

Some are grouped by the locale's mark, some followed by words, others packed into raw values.
"""

from __future__ import annotations

import re

from raidctl.text import regex

# 1,000,204,886,016 | 1.000.204.886.016 | 1 000 204 886 016 | 1'000'204'886'016 | 1000204886016
# The blank may be a no-break one; read in another encoding it arrives as up to three characters of any kind.
_MARK = r"(?:[,.' ]|[^\x00-\x7f])"
# Indian locales group the digits above the thousands in pairs
_GROUPED = regex(
    rf"(\d{{1,3}}(?:{_MARK}{{1,3}}\d{{2,3}})*{_MARK}{{1,3}}\d{{3}}|\d+)(?!\d|[,.']{{1,3}}\d|[^\x00-\x7f]{{1,3}}\d)",
    re.ASCII,
)
# "120-034-123-776 bytes [120 GB]": some builds for Windows group with a hyphen
_CAPACITY = regex(
    rf"(?P<bytes>\d{{1,3}}(?:(?:{_MARK}|-){{1,3}}\d{{2,3}})*(?:{_MARK}|-){{1,3}}\d{{3}}|\d+)(?:\s*bytes)?"
    r"(?:\s*\[(?P<rounded>\d+(?:[.,]\d+)?) (?P<unit>[KMGTPE]?B)\].*)?",
    re.ASCII,
)
_UNITS = ("B", "KB", "MB", "GB", "TB", "PB", "EB")
LARGEST = 10**17
"""Size in bytes that no drive has. An empty optical drive reports a thousand times more."""
_FIRST = regex(r"-?\d+", re.ASCII)
_HOURS = regex(r"(\d+)\s*(?:h\b|h[+:]|hours?\b)", re.ASCII)
_CLOCK = regex(r"(\d+):(\d\d)\b", re.ASCII)
_GBPS = regex(r"(\d+(?:\.\d+)?)\s*(?:Gb/s|Gbps)", re.ASCII)
_RPM = regex(r"(\d+)\s*rpm", re.ASCII)


def grouped(text: str) -> int:
    """The whole number that a text begins with. Its digits are grouped or not.

    ``1.000.204.886.016 bytes [1,00 TB]`` is 1000204886016. ValueError where it begins with none, and where more
    digits follow that belong to it in no known way.
    """
    match = _GROUPED.match(text.strip())
    if not match:
        raise ValueError(f"not a number: {text!r}")
    return int(re.sub(r"\D", "", match[1], flags=re.ASCII))


def capacity(text: str) -> int:
    """Bytes of ``500,107,862,016 bytes [500 GB]`` or, of NVMe, ``512,110,190,592 [512 GB]``; 0 is refused.

    The first figure counts bytes in both; the one in brackets is rounded, and has to agree with it.
    """
    match = _CAPACITY.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a capacity: {text!r}")
    size = int(re.sub(r"\D", "", match["bytes"], flags=re.ASCII))
    if match["rounded"]:
        rounded = float(match["rounded"].replace(",", ".")) * 1000 ** _UNITS.index(match["unit"])
        if abs(size - rounded) > 0.1 * size:
            raise ValueError(f"two sizes that differ: {text!r}")
    if not 0 < size < LARGEST:
        raise ValueError(f"not the size of a drive: {text!r}")
    return size


def first_number(text: str) -> int:
    """The first whole number in a raw value: 34 of ``34 (Min/Max 20/45)``."""
    match = _FIRST.search(text)
    if not match:
        raise ValueError(f"no number in {text!r}")
    return int(match[0])


def ata_celsius(raw: str) -> int:
    """Degrees of a temperature attribute, 1 to 127, smartctl's own range."""
    degrees = first_number(raw)
    if not 0 < degrees < 128:
        raise ValueError(f"not a temperature: {raw!r}")
    return degrees


def celsius(text: str) -> int:
    """Degrees of ``34 C``, ``34 Celsius``, ``34``."""
    match = re.match(r"(-?\d{1,4})(?:\.\d+)?(?:\s*(?:C|Celsius)\b|\s*$)", text.strip(), re.ASCII)
    if not match or not -273 < int(match[1]) < 1000:
        raise ValueError(f"not a temperature: {text!r}")
    return int(match[1])


def hours(raw: str) -> int:
    """Whole hours of ``12345``, ``12345h+06m+07.890s``, ``1234 (15 8 0)``, ``123:45`` (hours:minutes)."""
    match = _HOURS.match(raw.strip()) or _CLOCK.match(raw.strip())
    if match:
        return int(match[1])
    found = grouped(raw)
    if found > 10_000_000:  # more than a thousand years: the drive counts something else
        raise ValueError(f"not hours: {raw!r}")
    return found


def gbps(text: str) -> float:
    """Gbit/s of ``6.0 Gb/s``, ``phy enabled; 12 Gbps``, ``phy enabled, 3 Gbps``."""
    match = _GBPS.search(text)
    if not match:
        raise ValueError(f"no link speed in {text!r}")
    return float(match[1])


def rpm(text: str) -> int:
    """Rotations per minute of ``7200 rpm``."""
    match = _RPM.match(text.strip())
    if not match or int(match[1]) < 2:
        raise ValueError(f"not a rotation rate: {text!r}")
    return int(match[1])
