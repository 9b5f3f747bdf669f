"""The tool's status words and figures in neutral words.

Sources: check_raid (areca.pm: Normal, Rebuild…, Checking, Initializing, HotSpare, Pass Through), einarc (areca.rb: the
progress in parentheses, Free), Areca's manuals ("Online Capacity Expansion": migrating, migrating+degraded, degraded,
rebuilding, failed), Documentation/scsi/arcmsr_spec.rst (an ``incomplete raid set`` can be activated). Expanding,
offline, creating, need, fore and back are unverified: they have their plain meaning.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raidctl.model import Health, Operation, RaidLevel, ReadPolicy, VolumeStatus, WriteActive
from raidctl.text import collapse, figure, regex
from raidctl.units import parse_celsius, parse_percent, parse_size
from raidctl.vendor.fields import look_up, optional
from raidctl.vendor.statuses import remark_on_ok

NO_VALUE = frozenset({"", "-", "--", "n.a.", "n.a", "n/a", "na", "none", "unknown", "not available", "n.a.(n.a.)"})
"""Values that mean: not reported."""

_STATES: tuple[tuple[str, VolumeStatus, Operation | None], ...] = (
    # the worst first: `Migrating+Degraded` is degraded
    ("fail", "failed", None),
    ("incomplete", "failed", None),
    ("offline", "offline", None),
    ("rebuilding", "rebuilding", "rebuild"),
    ("rebuild", "rebuilding", "rebuild"),
    ("degrade", "degraded", None),
    ("migrat", "migrating", "migrate"),
    ("expan", "expanding", "expand"),
    ("check", "checking", "check"),
    ("init", "initializing", "initialize"),
    ("creat", "initializing", "initialize"),
    ("normal", "ok", None),
)
_FILLERS = frozenset({"fore", "back", "foreground", "background", "ground", "and", "set", "raid", "volume", "power"})
_BAD = ("failed", "offline", "rebuilding", "degraded", "inactive")
_LEVELS: dict[str, RaidLevel] = {
    "0": "raid0",
    "1": "raid1",
    "1e": "raid1e",
    "5": "raid5",
    "6": "raid6",
    "10": "raid10",
    "1+0": "raid10",
    "0+1": "raid10",
    "50": "raid50",
    "5+0": "raid50",
    "60": "raid60",
    "6+0": "raid60",
    "passthr": "jbod",
    "pass through": "jbod",
    "passthrough": "jbod",
    "jbod": "jbod",
}
_MODES: dict[str, WriteActive] = {
    "write back": "write_back",
    "writeback": "write_back",
    "enabled": "write_back",
    "write through": "write_through",
    "writethrough": "write_through",
    "disabled": "write_through",
}
_DRIVES: dict[str, Health] = {
    "normal": "ok",
    "ok": "ok",
    "free": "ok",
    "hotspare": "ok",
    "hot spare": "ok",
    "rebuilding": "warning",
    "rebuild": "warning",
    "migrating": "ok",
    "initializing": "ok",
    "checking": "ok",
    "failed": "critical",
    "fail": "critical",
    "offline": "critical",
    "offlined": "critical",
    "missing": "critical",
    "removed": "critical",
    "not installed": "critical",
}
# "normal by default … the disabled value implies no read ahead … Aggressive … is optimal for sequential access"
# (manual of an OEM of these controllers, Volume Data Read Ahead); Conservative, Enabled and Auto are unverified
_AHEAD: dict[str, ReadPolicy] = {
    "normal": "read_ahead",
    "enabled": "read_ahead",
    "aggressive": "read_ahead",
    "conservative": "read_ahead",
    "auto": "adaptive",
    "disabled": "none",
}


_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,4})?) ?%", re.ASCII)
# HotSpare(Global), HotSpare(Enclosure#2), Hot Spare(Dedicated For RaidSet # 00)
_SPARE_OF = regex(r"hot ?spare ?\((?:global|dedicated|enclosure|for|raid ?set)\b.*", re.IGNORECASE)
_REMARK = regex(r"\([^()]*\)")
_LETTERS = regex(r"[a-z]+")
_COUNT = regex(r"\d{1,12}", re.ASCII)
_IMPOSSIBLE = regex(r"\d{13}", re.ASCII)


@lru_cache(maxsize=4096)
def has_value(text: str) -> bool:
    """Whether a value has a meaning."""
    return text.strip().lower() not in NO_VALUE


def state(text: str) -> tuple[VolumeStatus, Operation | None, float | None] | None:
    """``Rebuilding(23.4%)``, ``Back. Initializing(5%)``, ``Migrating+Degraded``; None for unknown words.

    Words in brackets count: ``Normal(Degraded)`` is degraded. Unknown ones leave a bad state as it is.
    """
    percent = _PERCENT.search(text)
    done = parse_percent(f"{percent[1]}%") if percent and float(percent[1]) <= 100 else None
    plain, found = _words(_REMARK.sub(" ", text)), _words(text)
    if found is None and plain is not None and plain[0] in _BAD:
        found = plain
    return None if found is None else (*found, done)


def _words(text: str) -> tuple[VolumeStatus, Operation | None] | None:
    words = [word for word in _LETTERS.findall(text.lower()) if word not in _FILLERS]
    if not words:
        return None
    if words[0] in {"need", "needs"}:
        # Need Rebuild: redundancy is gone and nothing is under way
        after = words[1] if words[1:] else ""
        return (
            ("degraded", None) if after.startswith("reb") else ("inactive", None) if after.startswith("init") else None
        )
    found = [entry for entry in _STATES if any(word.startswith(entry[0]) for word in words)]
    if not found or any(not any(word.startswith(entry[0]) for entry in _STATES) for word in words):
        return None
    return found[0][1], next((entry[2] for entry in found if entry[2] is not None), None)


def drive_state(text: str) -> Health | None:
    """Health of ``Device State``; None for an unknown word, also in brackets behind a good one."""
    word, _, remark = text.strip().partition("(")
    found = _DRIVES.get(word.strip().lower())
    if found == "ok" and remark and not _SPARE_OF.fullmatch(text.strip()):
        found = remark_on_ok(remark, lambda more: _DRIVES.get(more.lower()))
    return None if found == "unknown" else found


def raid_level(text: str, members: int | None = None) -> RaidLevel | None:
    """The level of ``Raid5``, ``Raid1+0``, ``PassThr``.

    ``Raid0+1`` is a mirror with two drives, RAID 1E with an odd number (einarc).
    """
    bare = re.sub(r"^raid[ -]?", "", text.strip().lower())
    level = _LEVELS.get(bare)
    if bare in {"0+1", "1+0"} and members is not None:
        return "raid1" if members == 2 else "raid1e" if members % 2 else "raid10"
    return level


# Cache Mode : Write-Through
cache_mode = optional(has_value, look_up(_MODES, lambda text: collapse(text.lower().replace("-", " "))))
# Volume Data Read Ahead : Normal
read_ahead = optional(has_value, look_up(_AHEAD, lambda text: text.strip().lower()))


def plausible(text: str) -> str:
    """The text, unless it holds a figure that no hardware has."""
    if _IMPOSSIBLE.search(text):
        raise ValueError(text)
    return text


@lru_cache(maxsize=256)
def capacity(text: str) -> int | None:
    """Bytes of ``1000.2GB``, which is decimal. A drive sold as 1 TB (1000204886016 bytes) is printed as 1000.2GB."""
    return parse_size(plausible(text), binary=False) if has_value(text) else None


def memory(text: str) -> int | None:
    """Bytes of the cache in ``256MB/533MHz/ECC``: binary, as all memory."""
    return parse_size(plausible(text).split("/", maxsplit=1)[0], binary=True) if has_value(text) else None


def strip(text: str) -> int | None:
    """Bytes of ``64K``, ``128KBytes``."""
    return parse_size(re.sub(r"(?i)bytes?$", "B", plausible(text).strip()), binary=True) if has_value(text) else None


def celsius(text: str) -> int | None:
    """``27 C``; 0 is what a missing sensor reads."""
    if not has_value(text):
        return None
    return parse_celsius(re.sub(r"(?i)\s*(?:deg\.?|º)\s*", " ", plausible(text))) or None


def count(text: str) -> int | None:
    """A plain number."""
    if not has_value(text):
        return None
    return int(figure(_COUNT, text.strip())[0])


@lru_cache(maxsize=256)
def drive_model(text: str, *, sas: bool) -> str:
    """The model; SAS drives have the vendor's column before it, eight wide.

    Only such drives begin with ``SEAGATE`` and ``HITACHI`` in capitals, or fill the vendor up with blanks
    (``HGST    HUS724020ALS640``); SATA drives print ``Hitachi HUA72…``, ``HGST HUS72…A…``.
    """
    words = text.split()
    padded = text[6:8] == "  " and text[8:9].strip() != "" and " " not in text[:8].rstrip()
    named = len(words) > 1 and words[0].replace("-", "").isalpha()
    vendor = named and (sas or padded or words[0] in {"SEAGATE", "HITACHI"})
    return " ".join(words[1:] if vendor else words)
