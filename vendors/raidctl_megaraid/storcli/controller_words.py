"""storcli's words and figures for controllers and batteries, with neutral values.

Parsers return None for a word that means "no value", and raise ``ValueError`` for another form.
Words are compared in lower case with runs of blanks made one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeVar

from raidctl.model import BatteryKind, BatteryStatus, Health, Mode
from raidctl.text import collapse, figure, regex
from raidctl.units import parse_percent, parse_seconds, parse_size
from raidctl_megaraid.vocabulary import is_unknown

T = TypeVar("T")

NO_VALUE = frozenset({
    "", "-", "--", "n/a", "na", "none", "not available", "not applicable", "not set", "unknown", "unkwn", "invalid",
    "null",
})  # fmt: skip
"""Values that mean that there is no value."""

YES = frozenset({"yes", "y", "on", "true", "1", "enabled", "enable", "present"})
NO = frozenset({"no", "n", "off", "false", "0", "disabled", "disable", "absent", "missing", "not present"})

_LONGEST = 60
"""The most characters of a figure. A longer text is not a figure, and would overflow a float."""


@lru_cache(maxsize=8192)
def word(text: str) -> str:
    """The form in which words and labels are looked up."""
    return collapse(text).lower()


CONTROLLER_STATUS: dict[str, Health] = {
    **dict.fromkeys(("optimal", "opt", "ok", "good", "normal", "online", "ready"), "ok"),
    **dict.fromkeys(
        (
            "needs attention", "need attention", "ndatn", "degraded", "dgd", "partially degraded", "pdgd", "warning",
            "safe", "safe mode", "safe-mode", "safe-mode boot", "certprov", "certificate provision mode", "attention",
        ),
        "warning",
    ),
    **dict.fromkeys(
        (
            "failed", "fld", "fail", "failure", "fatal", "critical", "fault", "faulted", "offline", "offln", "crashed",
            "dead", "not responding", "missing", "msng", "error", "non operational", "hardware failure",
        ),
        "critical",
    ),
}  # fmt: skip
"""Words of ``Controller Status`` and of the column ``Hlth``. The legend has Opt, NdAtn, Fld, Dgd, Msng, Safe and
CertProv."""

BATTERY_STATUS: dict[str, BatteryStatus] = {
    **dict.fromkeys(("optimal", "opt", "ok", "operational", "ready", "good", "normal", "healthy"), "ok"),
    **dict.fromkeys(("charging", "chrg", "chg", "chrging", "recharging"), "charging"),
    **dict.fromkeys(
        ("learning", "learn", "lrn", "learn cycle", "learn cycle active", "learning cycle", "learn active", "relearn"),
        "learning",
    ),
    **dict.fromkeys(
        (
            "degraded", "dgd", "dgrd", "degraded (need attention)", "degraded (needs attention)", "need attention",
            "degraded(need attention)", "degraded(needs attention)", "needs attention", "ndatn", "attention", "weak",
            "low", "power low", "warning", "degraded needs attention", "degraded need attention",
        ),
        "degraded",
    ),
    **dict.fromkeys(
        (
            "failed", "fld", "fail", "failure", "faulted", "fault", "dead", "bad", "non operational", "critical",
            "non-operational", "not operational", "msngcbl", "cable failure", "missing cable", "cable missing", "error",
        ),
        "failed",
    ),
    **dict.fromkeys(
        ("missing", "msng", "absent", "not present", "not installed", "pack missing", "removed", "not found"),
        "missing",
    ),
}  # fmt: skip
"""``Battery State``, ``State``, ``Status`` and the columns ``BBU`` and ``EPack`` of ``show``.

Legend: BBU=Battery backup unit/CV, Msng=Missing, Dgd=Degraded, NdAtn=Need Attention, Fld=Failed, Chrg=Charging,
MsngCbl=Cable Failure.
"""

_MODES: dict[str, Mode] = {
    "raid": "raid",
    "mega raid": "raid",
    "hba": "hba",
    "ehba": "hba",
    "it": "hba",
    # A controller in JBOD mode still makes volumes; new drives are shown to the system as they are.
    "jbod": "mixed",
    "mixed": "mixed",
    "raid/hba": "mixed",
    "raid+jbod": "mixed",
}


def health(text: str) -> Health | None:
    """``Optimal``, ``NdAtn``."""
    return _known(CONTROLLER_STATUS, text)


def battery_status(text: str) -> BatteryStatus | None:
    """``Optimal``, ``Dgd``, ``Degraded (need attention)``."""
    return _known(BATTERY_STATUS, text)


def has_status(text: str) -> bool:
    """Whether the value is a status."""
    return word(text).rstrip(".!") not in NO_VALUE


def _known(table: dict[str, T], text: str) -> T | None:
    plain = word(text).rstrip(".!")
    if plain in NO_VALUE:
        return None
    found = table.get(plain) or table.get(plain.partition("(")[0].strip())
    if found is None or (found == "ok" and plain not in table):  # a good word counts alone
        raise ValueError(f"not a status: {text!r}")
    return found


def mode(text: str) -> Mode | None:
    """``RAID-Mode``, ``HBA-Mode``, ``JBOD-Mode``; v8 ``RAID``."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    bare = re.sub(r"[ -]?(?:mode|personality)$", "", plain)
    if bare not in _MODES:
        raise ValueError(f"not a personality: {text!r}")
    return _MODES[bare]


def jbod(text: str) -> Mode | None:
    """What ``Enable JBOD`` makes of a RAID controller. ``Not Allowed`` is printed for HBAs too, and reports nothing."""
    enabled = None if word(text) in ("not allowed", "not supported") else flag(text)
    return None if enabled is None else "mixed" if enabled else "raid"


def flag(text: str) -> bool | None:
    """``Yes``, ``No``, ``On``, ``Off``. ValueError for another word, and for ``Unknown``."""
    plain = word(text)
    if is_unknown(plain):
        raise ValueError("the tool reports it as unknown")
    if plain in YES:
        return True
    if plain in NO:
        return False
    if plain in NO_VALUE:
        return None
    raise ValueError(f"neither yes nor no: {text!r}")


def presence(text: str) -> bool | None:
    """``Present``, ``Absent``, ``Yes``, ``N/A``, and the state word of a part that is present."""
    plain = word(text)
    if plain in BATTERY_STATUS:
        return BATTERY_STATUS[plain] != "missing"
    return flag(text)


def plain_text(text: str) -> str | None:
    """The text with runs of blanks made one."""
    return None if word(text) in NO_VALUE else collapse(text)


def printed(text: str) -> str | None:
    """The text as printed, for serial numbers."""
    return None if word(text) in NO_VALUE or not text.strip("0 ") else text.strip()


def module(text: str) -> str | None:
    """``megaraid_sas``."""
    plain = plain_text(text)
    if plain is None:
        return None
    if not re.fullmatch(r"[\w-]{1,40}", plain, re.ASCII):
        raise ValueError(f"not a driver: {text!r}")
    return plain


_PCI = regex(r"([0-9a-f]{1,8}):([0-9a-f]{1,2}):([0-9a-f]{1,2})[:.]0?([0-7])", re.IGNORECASE | re.ASCII)


def pci_address(text: str) -> str | None:
    """``0000:03:00.0`` of ``00:03:00:00`` (domain, bus, device, function, hexadecimal); v8 prints ``00:03:00:0``."""
    if word(text) in NO_VALUE:
        return None
    match = figure(_PCI, text.strip())
    return join_pci(*(int(part, 16) for part in match.groups()))


def join_pci(domain: int, bus: int, device: int, function: int) -> str:
    """``0000:03:00.0``."""
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"


def number(text: str) -> int | None:
    """``4096``, ``0x1000``."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    if re.fullmatch(r"\d{1,15}", plain, re.ASCII):
        return int(plain)
    if re.fullmatch(r"0x[0-9a-f]{1,12}", plain, re.ASCII):
        return int(plain, 16)
    raise ValueError(f"not a number: {text!r}")


def mask(text: str) -> int | None:
    """``BBU Status``: a bit mask.

    None for a state word, which such versions print elsewhere as well.

    Raises:
        ValueError: It is not a number, or a word for a bad state, which the other place may not have.
    """
    known = BATTERY_STATUS.get(word(text))
    return number(text) if known in (None, "failed", "degraded") else None


def memory(text: str) -> int | None:
    """Bytes of ``4096MB``, ``512 MB``. A bare number counts MiB: its unit is in the label, ``(MB)``, ``(MiB)``."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    if len(plain) > _LONGEST:
        raise ValueError("too long for a size")
    if re.fullmatch(r"\d{1,9}", plain, re.ASCII):
        return int(plain) << 20
    return parse_size(plain, binary=True)


def nonzero_memory(text: str) -> int | None:
    """As :func:`memory`; firmware that does not report its share prints 0."""
    return memory(text) or None


def seconds(text: str) -> int | None:
    """``4s``, ``4 sec``; ``set cacheflushint=`` counts seconds, so a bare number does."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    if len(plain) > _LONGEST:
        raise ValueError("too long for a duration")
    return int(plain) if re.fullmatch(r"\d{1,9}", plain, re.ASCII) else parse_seconds(plain)


def percent(text: str) -> int | None:
    """``97%``, ``97 %``, ``97``."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    if len(plain) > _LONGEST:
        raise ValueError("too long for a percentage")
    return round(parse_percent(plain if plain.endswith("%") else f"{plain}%"))


_CELSIUS = regex(r"(-?\d{1,3})(?:\.\d+)? ?(?:°|deg(?:ree)?s?)? ?(?:c(?:elsius)?)?", re.ASCII)


def celsius(text: str) -> int | None:
    """``37C``, ``20 C``, ``38``."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    return int(figure(_CELSIUS, plain)[1])


_VOLTS = regex(r"(\d{1,7}(?:\.\d{1,6})?) ?(mv|v)?", re.ASCII)


def volts(text: str) -> float | None:
    """Volts of ``4024 mV``, ``9.18 V``; a bare number counts millivolts (v8 ``Voltage(mV)``)."""
    plain = word(text)
    if plain in NO_VALUE:
        return None
    match = figure(_VOLTS, plain)
    return float(match[1]) if match[2] == "v" else float(match[1]) / 1000


_CAPACITOR = regex(r"^(?:cv|tmm|tfm|fbu|cachevault|flash)|super ?cap|capacitor|\bscap", re.ASCII)
_BATTERY = regex(r"^(?:i|it|s)?bbu|batter|li-?ion|lithium|ni-?mh", re.ASCII)


def battery_kind(text: str) -> BatteryKind | None:
    """``CVPM02``, ``TMM-C SuperCaP``, ``FBU345`` are capacitors; ``iBBU-09``, ``BBU``, ``Battery`` are not."""
    plain = word(text)
    if _CAPACITOR.search(plain):
        return "capacitor"
    return "battery" if _BATTERY.search(plain) else None


_YEAR_FIRST = regex(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})[ ,t]+(\d{1,2}):(\d{2}):(\d{2})\b.*", re.ASCII)
_MONTH_FIRST = regex(r"(\d{1,2})/(\d{1,2})/(\d{4})[ ,]+(\d{1,2}):(\d{2}):(\d{2})", re.ASCII)


def moment(text: str) -> str | None:
    """``2031-09-03T17:48:10`` of ``2031/09/03  17:48:10 (999999999 seconds)`` or ``09/03/2031, 17:48:10``.

    The controller's clock has no time zone that the tool reports, so none is added. Any other form is kept as
    printed; a controller whose clock was never set prints 2000/01/01.
    """
    plain = word(text)
    if plain in NO_VALUE or not any(char.isdigit() for char in plain):
        return None
    if match := _YEAR_FIRST.fullmatch(plain):
        year, month, day, *clock = (int(part) for part in match.groups())
    elif match := _MONTH_FIRST.fullmatch(plain):
        # Patrol reads are printed as 06/18/2015: the month stands first.
        month, day, year, *clock = (int(part) for part in match.groups())
    else:
        return collapse(text)[:_LONGEST]
    if year <= 2000 or not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    hour, minute, second = clock
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
