"""Details that give a neutral field as well. The tools' own words stay among the details."""

from __future__ import annotations

import re

from raidctl.model import ScrubMode
from raidctl.text import collapse, regex
from raidctl.units import parse_size, whole_number
from raidctl.vendor.draft import Derived
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.controller_words import moment
from raidctl_megaraid.vocabulary import has_value, normalized, patrol_state

_HOURS = regex(r"(\d{1,6})(?: ?hrs?| hours?)?", re.ASCII | re.IGNORECASE)
_LANES = regex(r"x ?(\d{1,2})(?: lane\(s\))?", re.ASCII | re.IGNORECASE)
_GTPS = regex(r"(\d{1,3}(?:\.\d)?) ?GT/s", re.ASCII | re.IGNORECASE)
_DATED = regex(r"\d{1,4}/\d{1,2}/\d{1,4}\b.*", re.ASCII)
_MODES: dict[str, ScrubMode] = {"auto": "automatic", "manual": "manual", "disabled": "disabled", "disable": "disabled"}
_NOT_SCHEDULED = frozenset({"na", "n/a"})


_RATE = regex(r"(\d{1,3}) ?%?(?: |$|\()", re.ASCII)


def _interval(text: str) -> int | None:
    """Seconds of ``168 hrs``; None of ``Continuous`` and of 0."""
    match = _HOURS.fullmatch(text.strip())
    return int(match[1]) * 3600 or None if match else None


def _scheduled(text: str) -> ScrubMode | None:
    """Automatic if the tool names the next start. Manual if it reports none."""
    if _DATED.fullmatch(text.strip()):
        return "automatic"
    return "manual" if normalized(text) in _NOT_SCHEDULED else None


def _moment(text: str) -> str | None:
    return moment(text) if _DATED.fullmatch(text.strip()) else None


def _lanes(text: str) -> int | None:
    match = _LANES.fullmatch(text.strip())
    return int(match[1]) or None if match else None


def _gtps(text: str) -> float | None:
    match = _GTPS.fullmatch(text.strip())
    return float(match[1]) or None if match else None


def _speed(text: str) -> float | None:
    """``12.0Gb/s``; None for ``Unknown`` and for 0."""
    return (numbers.link_speed(text) or None) if has_value(text) else None


def _sector(text: str) -> int | None:
    """4096 of ``4 KB`` and of ``4 KiB``; None of 0."""
    number = whole_number(text)
    return (parse_size(text, binary=True) if number is None else number) or None


def _made(text: str) -> str | None:
    """``2014-09-22`` of ``2014/09/22``, ``09/22, 2014``; None without a year (0/00/00)."""
    found = [int(part) for part in re.findall(r"\d{1,4}", text)[:3]]
    year, month, day = (found[2:] + found[:2] if found and found[0] < 100 else found) if len(found) == 3 else (0, 0, 0)
    return f"{year:04d}-{month:02d}-{day:02d}" if year > 1999 and 0 < month < 13 and 0 < day < 32 else None


def _pending(text: str) -> str | None:
    """Firmware that is in the flash until the controller is started again. None for ``No pending images``."""
    if not has_value(text) or normalized(text).startswith("no pending"):
        return None
    return f"Pending image in flash: {collapse(text)}"


def _rate(text: str) -> str | None:
    """``30%`` from ``30 % (default 30%)``. None for ``Yes``, which means that the rate can be set."""
    match = _RATE.match(text.strip())
    return f"{int(match[1])}%" if match and int(match[1]) <= 100 else None


def _there(text: str) -> bool | None:
    """Whether there is an alarm. None for ``Enabled``, a setting that controllers without one have as well."""
    return {"absent": False, "missing": False, "present": True, "on": True, "off": True, "disable": True}.get(
        normalized(text)
    )


def _on(text: str) -> bool | None:
    """Whether the alarm is switched on; None of ``Present``."""
    return {"on": True, "enabled": True, "off": False, "disable": False, "disabled": False}.get(normalized(text))


CONTROLLER: Derived = {
    # storcli: Alarm = On; MegaCli: Alarm : Present, and among the settings Alarm : Enabled
    "alarm": (("alarm.present", _there), ("alarm.on", _on)),
    # Rebuild Rate                    30 %    30%
    **{
        label: ((f"rates.{name}", _rate),)
        for name, labels in (
            ("rebuild", ("rebuild rate", "rebuild rate(%)", "rebuild_rate", "rebuildrate")),
            (
                "check",
                (
                    "check consistency rate", "cc rate", "cc rate(%)", "cc_rate", "ccrate",
                    "consistency check rate", "consistency check rate(%)",
                ),
            ),
            ("patrol_read", ("patrol read rate", "pr rate", "patrol read rate(%)", "patrol_read_rate", "prrate")),
            ("initialize", ("bgi rate", "bgi rate(%)", "bgi_rate", "bgirate")),
            # OCE: online capacity expansion
            (
                "expand",
                (
                    "reconstruction rate", "recon rate", "reconstruction rate(%)", "recon_rate", "reconrate",
                    "oce rate", "oce rate(%)", "migrate rate", "migraterate",
                ),
            ),
        )
        for label in labels
    },
    # Image name = No pending images
    "image name": (("firmware_update", _pending),),
    "pending images in flash": (("firmware_update", _pending),),
    # Next Patrol Read launch = 05/09/2026, 03:00:00
    "next patrol read launch": (("patrol_read.mode", _scheduled), ("patrol_read.next_at", _moment)),
    "patrol read reoccurrence": (("patrol_read.interval_seconds", _interval),),
    # Next Patrol Read Start time(LocalTime yyyy/mm/dd hh:mm:sec) = 2026/05/09 03:00:00
    "next patrol read start time(localtime yyyy/mm/dd hh:mm:sec)": (
        ("patrol_read.mode", _scheduled), ("patrol_read.next_at", _moment),
    ),
    "patrol read execution frequency(hours)": (("patrol_read.interval_seconds", _interval),),
    # PR Mode                 Auto
    "pr mode": (("patrol_read.mode", lambda text: _MODES.get(normalized(text))),),
    # PR Execution Delay      168 hours
    "pr execution delay": (("patrol_read.interval_seconds", _interval),),
    # PR Next Start time      09/17/2022, 03:00:00
    "pr next start time": (("patrol_read.next_at", _moment),),
    # PR Current State        Active 0
    "pr current state": (("patrol_read.state", patrol_state), ("patrol_read.status_text", collapse)),
    # Patrol Read Mode: Auto
    "patrol read mode": (
        ("patrol_read.mode", lambda text: _MODES.get(normalized(text))), ("patrol_read.status_text", collapse),
    ),
    "patrol read execution delay": (("patrol_read.interval_seconds", _interval),),
    # Next Consistency check launch = NA
    "next consistency check launch": (("consistency_check.mode", _scheduled), ("consistency_check.next_at", _moment)),
    "consistency check reoccurrence": (("consistency_check.interval_seconds", _interval),),
    # PCIe Link Width = X8 Lane(s)
    "pcie link width": (("pci_link.width", _lanes),),
    "pcie link speed": (("pci_link.speed_gtps", _gtps),),
}  # fmt: skip
VOLUME: Derived = {
    # Span Depth = 2
    "span depth": (("spans", numbers.integer),),
    "number of spans": (("spans", numbers.integer),),
    "spans": (("spans", numbers.integer),),
}
DRIVE: Derived = {
    # Device Speed = 12.0Gb/s        what the drive can; Link Speed is what was negotiated
    "device speed": (("max_link_gbps", _speed),),
    "capable speed": (("max_link_gbps", _speed),),
    # Logical Sector Size = 512B        SeSz: of the row, not kept when the drive's own section reports it
    "sector size": (("sector_bytes", _sector),),
    "logical sector size": (("sector_bytes", _sector),),
    "lu/ns logical sector size": (("sector_bytes", _sector),),
    "physical sector size": (("physical_sector_bytes", _sector),),
    "lu/ns physical sector size": (("physical_sector_bytes", _sector),),
}
BATTERY: Derived = {
    # MfgDate = 2014/09/22        Date of Manufacture: 05/14, 2010
    "mfgdate": (("made_at", _made),),
    "date of manufacture": (("made_at", _made),),
}
