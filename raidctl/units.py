"""Parse and format numbers with units; any other text is a ``ValueError``."""

from __future__ import annotations

import math
import re
from datetime import datetime, timezone
from functools import lru_cache

from raidctl.text import attempt, collapse, regex

_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([KMGTPE]?)(i?)(B?)\s*", re.IGNORECASE | re.ASCII)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_TOO_LARGE = 2**63
"""First number that a signed 64-bit integer cannot hold. No kernel or file system counts as many bytes."""
_TOO_FAST = 1e6
_ENORMOUS = 1e10
_PERCENT = regex(r"(\d+(?:\.\d+)?)\s*%", re.ASCII)
_CELSIUS = regex(r"(-?\d+)(?:\.\d+)?\s*(?:°\s*C?|C|Celsius)?", re.ASCII | re.IGNORECASE)
_GBPS = regex(r"(\d+(?:\.\d+)?)\s*(G|M)(?:b/s|bps|bit/s|T/s|T)", re.IGNORECASE | re.ASCII)
_PART = r"(\d{1,9})\s*(s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
_PARTS = regex(_PART, re.IGNORECASE | re.ASCII)
_DURATION = regex(rf"{_PART}(?:,?\s+{_PART})*", re.IGNORECASE | re.ASCII)
_PCIE = regex(r"PCIe (\d)\.\d x ?(1|2|4|8|12|16|32)(?: ?\(.*\))?", re.ASCII | re.IGNORECASE)
_GENERATIONS = {"1": 2.5, "2": 5.0, "3": 8.0, "4": 16.0, "5": 32.0, "6": 64.0}
_PRINTED = regex(r"(\d\d)/(\d\d)/(\d{4}), ?(\d\d:\d\d:\d\d)", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def whole_number(text: str) -> int | None:
    """Return the number of a text of ASCII digits. None for any other text, and from 2**63 on."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else _TOO_LARGE
    return number if number < _TOO_LARGE else None


@lru_cache(maxsize=256)  # a machine has few different sizes, and prints each of them often
def parse_size(text: str, *, binary: bool) -> int:
    """Parse ``512 MB``, ``4.0 GB``, ``256 KiB``, ``1.8T`` to bytes.

    ``binary``: whether the tool's KB, MB, GB are powers of 1024; KiB, MiB, GiB always are.
    A number without a unit is refused, as its meaning depends on the tool; so is one of 8 EiB or more.
    """
    match = _SIZE.fullmatch(text.strip())
    if not match or not (match[2] or match[4]):
        raise ValueError(f"not a size with a unit: {text!r}")
    base = 1024 if binary or match[3] else 1000
    factor: int = base ** _POWERS[match[2].upper()]
    size = float(match[1]) * factor
    if size >= _TOO_LARGE:
        raise ValueError(f"implausible size: {text[:40]!r}")
    return round(size)


def parse_percent(text: str) -> float:
    """Parse ``25%`` or ``95.4 %`` to 0 to 100."""
    match = _PERCENT.fullmatch(text.strip())
    if not match or float(match[1]) > 100:
        raise ValueError(f"not a percentage: {text!r}")
    return float(match[1])


def parse_moment(text: str | None) -> datetime | None:
    """Parse RFC 3339, ``06/10/2023, 03:00:00`` or ``2023/06/10 03:00:00``. UTC without a zone; None if invalid."""
    text = (text or "").strip()
    if match := _PRINTED.fullmatch(text):
        text = f"{match[3]}-{match[1]}-{match[2]}T{match[4]}"
    return parse_iso(text.replace("/", "-"))


def parse_iso(text: str | None) -> datetime | None:
    """Parse RFC 3339, or a date. UTC without a zone; None if invalid."""
    found = _iso(text)
    return found.replace(tzinfo=timezone.utc) if found is not None and found.tzinfo is None else found


def parse_timestamp(text: str | None) -> datetime | None:
    """Parse RFC 3339 with a time zone, as raidctl writes it. None for anything else.

    >>> parse_timestamp("2026-05-06T07:08:01Z") is None, parse_timestamp("2026-05-06T07:08:01")
    (False, None)
    """
    found = _iso(text)
    return found if found is not None and found.tzinfo is not None else None


def _iso(text: str | None) -> datetime | None:
    return attempt(datetime.fromisoformat, (text or "").replace("Z", "+00:00"))


def parse_local_time(text: str, *forms: str) -> str | None:
    """A time that a tool prints without its zone, as ISO 8601 without a zone. None if it has none of the forms.

    ``forms`` are those of ``strptime``, tried in this order.

    >>> parse_local_time("Sat Jan  4 18:22:56 2014", "%Y-%m-%d", "%a %b %d %H:%M:%S %Y")
    '2014-01-04T18:22:56'
    """
    for form in forms:
        try:
            return datetime.strptime(collapse(text), form).isoformat()  # noqa: DTZ007 - the zone is not printed
        except ValueError:
            continue
    return None


def format_moment(moment: datetime) -> str:
    """RFC 3339 in UTC, without fractions: ``2026-05-06T07:08:01Z``."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def timestamp() -> str:
    """The present time, as :func:`format_moment` writes it."""
    return format_moment(datetime.now(timezone.utc))


def parse_celsius(text: str) -> int:
    """Parse ``32``, ``32C``, ``32 °C`` to degrees Celsius."""
    match = _CELSIUS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a temperature in degrees Celsius: {text!r}")
    return int(match[1])


def parse_gbps(text: str) -> float:
    """Parse ``6.0Gbps``, ``6.0 Gb/s``, ``12.0 GT/s``, ``320 MT/s`` to Gbit/s."""
    match = _GBPS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a link speed: {text!r}")
    speed = float(match[1]) / (1000 if match[2].upper() == "M" else 1)
    if speed >= _TOO_FAST:
        raise ValueError(f"implausible link speed: {text[:40]!r}")
    return speed


def parse_pcie(text: str) -> tuple[int, float]:
    """Parse ``PCIe 3.0 x8 (7880 MB/s)`` to lanes and GT/s per lane."""
    match = _PCIE.fullmatch(text.strip())
    if not match or match[1] not in _GENERATIONS:
        raise ValueError(f"not a PCI Express link: {text[:40]!r}")
    return int(match[2]), _GENERATIONS[match[1]]


def parse_seconds(text: str) -> int:
    """Parse ``15 secs``, ``4s``, ``7d``, ``2 weeks``, ``1 h 20 min`` to seconds. The largest unit comes first."""
    parts = _PARTS.findall(text) if _DURATION.fullmatch(text.strip()) else []
    units = [_SECONDS[unit[0].lower()] for _, unit in parts]
    if not parts or units != sorted(set(units), reverse=True):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(number) * seconds for (number, _), seconds in zip(parts, units, strict=True))


def format_duration(seconds: int) -> str:
    """Format seconds by the two largest units: ``1 h 20 min``, ``3 d 4 h``. Less than a minute is ``45 s``.

    >>> format_duration(4800), format_duration(273600), format_duration(45), format_duration(3600)
    ('1 h 20 min', '3 d 4 h', '45 s', '1 h')
    """
    if seconds < _SECONDS["m"]:
        return f"{seconds} s"
    small, large = (("min", 60), ("h", 3600)) if seconds < _SECONDS["d"] else (("h", 3600), ("d", 86400))
    count = round(seconds / small[1])
    whole, rest = divmod(count * small[1], large[1])
    parts = ((whole, large[0]), (rest // small[1], small[0]))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def format_percent(percent: float, places: int | None = None) -> str:
    """Format a percentage: ``37.25%``, ``45%``. With ``places``, it always has these decimals.

    >>> format_percent(37.25), format_percent(45.0), format_percent(45.0, 1)
    ('37.25%', '45%', '45.0%')
    """
    return f"{percent:g}%" if places is None else f"{percent:.{places}f}%"


def format_decimal(size: int) -> str:
    """Format bytes in powers of 1000, as drives are sold: ``900.2 GB``."""
    return _format(size, 1000, ("B", "kB", "MB", "GB", "TB", "PB", "EB"))


def format_binary(size: int) -> str:
    """Format bytes in powers of 1024: ``512 MiB``."""
    return _format(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))


def format_figure(value: float, like: float | None = None) -> str:
    """Format a measured value: ``0.0123``, ``8.33``, ``432``, ``9,954``. It has the decimal places of ``like``."""
    if abs(value) >= _ENORMOUS:
        return f"{value:.3g}"
    figure = f"{value:,.{_places(value if like is None else like)}f}"
    return figure if figure.strip("-0.") else figure.removeprefix("-")


def _places(value: float) -> int:
    """Return the decimal places that show three significant digits."""
    size = abs(value)
    if size == 0 or not math.isfinite(size):
        return 0
    return min(max(2 - math.floor(math.log10(size)), 0), 6)


def _format(size: int, base: int, names: tuple[str, ...]) -> str:
    value = float(size)
    power = 0
    while round(value, 1) >= base and power < len(names) - 1:
        value /= base
        power += 1
    figure = f"{value:.1f}".removesuffix(".0")
    return f"{figure} {names[power]}"
