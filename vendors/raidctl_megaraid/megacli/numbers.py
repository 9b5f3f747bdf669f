"""MegaCli's figures. Sizes in bytes, binary units under decimal names; another form raises ValueError.

Lines with the number of sectors show that the units are binary:
``Raw Size: 381.812 GB [0x2fba0000 Sectors]`` are 800718848 sectors of 512 bytes, 381.812 times 2^30.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from raidctl.text import collapse, figure, regex
from raidctl.units import parse_celsius, parse_gbps, parse_percent, parse_seconds, parse_size
from raidctl_megaraid.vocabulary import has_value, normalized

# 381.812 GB [0x2fba0000 Sectors]
# 390976MB [0x2fba0000 Sectors]
_SECTORS = regex(r"(.{1,40}?)\s*\[\s*(?:0x)?([0-9a-f]{1,16})\s*sectors?\s*\]", re.IGNORECASE | re.ASCII)
_SECTOR_BYTES = (512, 4096, 520, 528, 4160, 4224)
_ROUNDING = 0.002
"""Largest relative error of a figure of 1 or more: 0.2%. The figure has three digits after the point."""
_INTEGER = regex(r"\d{1,18}", re.ASCII)
_COUNT = regex(r"(\d{1,18})(?:\s+\w{1,20})?", re.ASCII)
# 32C (89.60 F)
_FAHRENHEIT = regex(r"(-?\d{1,4})\s*C(?:elsius)?\s*\(\s*-?[\d.]{1,10}\s*F\s*\)", re.IGNORECASE | re.ASCII)
_DEGREES = regex(r"(-?\d{1,4})\s*(?:degrees?\s*)?(?:C|Cel[sc]ius)?", re.IGNORECASE | re.ASCII)
_COLDEST, _HOTTEST = -40, 200
_MILLIVOLTS = regex(r"(-?\d{1,6})\s*mV", re.IGNORECASE | re.ASCII)
_PERCENT_OF = regex(r"(\d{1,4}(?:\.\d{1,3})?)\s*%", re.ASCII)
_LATER = regex(r"(\d{1,10})\s*(?:s|secs?|seconds?)?", re.IGNORECASE | re.ASCII)
# Sun Oct 12 12:20:37 2014
_CTIME = regex(r"[a-z]{3} ([a-z]{3}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})", re.IGNORECASE | re.ASCII)
# Next Learn time: None  Learn Delay Interval:0 Hours        on one line, of some versions
_DELAY = regex(r"learn delay interval.*", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = 365 * 86400
EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - the controller's clock; the tool does not print its zone


def size(text: str) -> int | None:
    """``381.0 GB``, ``390144MB``, ``64kB``; None if not reported."""
    return parse_size(text, binary=True) if has_value(text) else None


def nonzero_size(text: str) -> int | None:
    """A size. None also for ``0 MB``, which firmware prints for an unknown figure."""
    return size(text) or None


def drive_size(text: str) -> int | None:
    """``381.812 GB [0x2fba0000 Sectors]``: to the byte where the sectors fit the figure before them."""
    if not has_value(text):
        return None
    match = _SECTORS.fullmatch(text.strip())
    if match is None:
        return parse_size(text, binary=True) or None
    printed = parse_size(match[1], binary=True)
    for unit in _SECTOR_BYTES:
        exact = int(match[2], 16) * unit
        if abs(exact - printed) <= printed * _ROUNDING:
            return exact or None
    return printed or None


def integer(text: str) -> int | None:
    """A whole number; None if not reported."""
    if not has_value(text):
        return None
    return int(figure(_INTEGER, text.strip())[0])


def count(text: str) -> int | None:
    """A whole number that a word may follow: ``60 Minutes``."""
    if not has_value(text):
        return None
    return int(figure(_COUNT, text.strip())[1])


def celsius(text: str) -> int | None:
    """``32C (89.60 F)``, ``18 C``, ``62  degree Celsius``; None for ``N/A``."""
    if not has_value(text):
        return None
    bare = text.strip()
    match = _FAHRENHEIT.fullmatch(bare) or _DEGREES.fullmatch(bare)
    degrees = int(match[1]) if match else parse_celsius(bare)
    if not _COLDEST <= degrees <= _HOTTEST:
        raise ValueError(f"not a temperature of a device: {text!r}")
    return degrees


def volts(text: str) -> float | None:
    """``3985 mV``."""
    match = _MILLIVOLTS.fullmatch(text.strip())
    if match is None:
        if not has_value(text):
            return None
        raise ValueError(f"not a voltage: {text!r}")
    return int(match[1]) / 1000


def charge(text: str) -> int | None:
    """``98 %``, ``98%``, ``98``."""
    if not has_value(text):
        return None
    bare = text.strip()
    return round(parse_percent(bare if bare.endswith("%") else f"{bare}%"))


def percent_in(text: str) -> float | None:
    """The percentage in ``Completed 17%, Taken 55 min.``. None if there is none from 0 to 100."""
    match = _PERCENT_OF.search(text)
    return float(match[1]) if match and float(match[1]) <= 100 else None


def link(text: str) -> float | None:
    """``6.0Gb/s``, ``12.0Gb/s``. None for ``Unknown`` and for the ``0`` of a link that is not measured."""
    bare = text.strip()
    if not has_value(bare) or normalized(bare) in ("0", "link down", "disabled", "link is down"):
        return None
    return parse_gbps(bare) or None


def seconds(text: str) -> int | None:
    """``4s``, ``4 seconds``; None if not reported."""
    return parse_seconds(text) if has_value(text) else None


def next_learn(text: str) -> str | None:
    """When the next learn cycle is due. The clock is the controller's; its zone is not reported, so none is added.

    ``Sun Oct 12 12:20:37 2014`` becomes ``2014-10-12T12:20:37``. ``441826320 Sec`` are seconds since 2000 when they are
    more than a year: learn cycles are at most 90 days apart, so that a smaller figure could be a time to wait. That,
    and what has another form, stays as printed.
    """
    bare = collapse(_DELAY.sub("", text))
    if not has_value(bare):
        return None
    match = _LATER.fullmatch(bare)
    try:
        if match is not None and int(match[1]) > _YEAR:
            return (EPOCH + timedelta(seconds=int(match[1]))).isoformat()
        written = _CTIME.fullmatch(bare)
        if written is not None:
            month = _MONTHS.index(written[1].lower()) + 1
            day, hour, minute, second, year = (int(part) for part in written.groups()[1:])
            return datetime(year, month, day, hour, minute, second).isoformat()  # noqa: DTZ001 - as EPOCH
    except ValueError:  # no such day or hour: as printed
        return bare
    return bare
