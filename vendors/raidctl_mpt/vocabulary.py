"""The tools' words and figures in neutral words.

Sources: SAS-2 and SAS-3 Integrated RAID Solution User Guides (states of volumes and drives in DISPLAY, operations in
STATUS). "Checking" and "expanding" as operations are unverified: they have their plain meaning.
"""

from __future__ import annotations

import re

from raidctl.model import Health, Interface, Media, Operation, RaidLevel, Role, VolumeStatus
from raidctl.text import collapse, figure, regex
from raidctl.vendor.fields import optional

VOLUMES: dict[str, VolumeStatus] = {
    # Okay (OKY) - active, drives functioning properly
    "okay": "ok",
    "optimal": "ok",
    "online": "ok",
    "degraded": "degraded",
    "failed": "failed",
    "missing": "offline",
    "initializing": "initializing",
    "inactive": "inactive",
}
_WORST: tuple[VolumeStatus, ...] = ("failed", "offline", "inactive", "degraded", "initializing", "ok")
DRIVES: dict[str, tuple[Health, Role | None]] = {
    "online": ("ok", "member"),
    "optimal": ("ok", "member"),
    "hot spare": ("ok", "spare"),
    # the operating system sees it
    "ready": ("ok", "passthrough"),
    # Available (AVL) - might not be ready, not suitable for a volume or as a spare
    "available": ("warning", "unassigned"),
    "failed": ("critical", "failed"),
    "missing": ("critical", "failed"),
    # Out of Sync (OSY) - part of a volume, and not in sync with its other drives
    "out of sync": ("warning", "member"),
    "degraded": ("warning", "member"),
    "rebuilding": ("warning", "member"),
    "standby": ("ok", None),
}
LEVELS: dict[str, RaidLevel] = {
    "raid0": "raid0", "raid1": "raid1", "raid1e": "raid1e", "raid10": "raid10", "raid10e": "raid10",
    # the firmware's own names: Integrated Striping, Mirroring, Mirroring Enhanced
    "is": "raid0", "im": "raid1", "ime": "raid1e",
}  # fmt: skip
OPERATIONS: tuple[tuple[str, Operation], ...] = (
    ("synchroni", "resync"),
    ("resync", "resync"),
    ("rebuild", "rebuild"),
    ("init", "initialize"),
    ("consistency", "check"),
    ("check", "check"),
    ("expan", "expand"),
)
"""Beginnings of words of ``Current operation``."""
KINDS: dict[str, tuple[Interface, Media | None]] = {
    "sas_hdd": ("sas", "hdd"), "sas_ssd": ("sas", "ssd"), "sata_hdd": ("sata", "hdd"), "sata_ssd": ("sata", "ssd"),
    "sas": ("sas", None), "sata": ("sata", None), "nvme": ("nvme", None),
}  # fmt: skip
"""``Drive Type`` and ``Protocol``."""
_NO_VALUE = frozenset({"", "n/a", "na", "none", "unknown", "undetermined", "-"})
_CODE = regex(r"\s*\([A-Z]{2,5}\)\s*$")
_COUNT = regex(r"\d{1,12}", re.ASCII)
_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,4})?) ?%", re.ASCII)
_SIZES = regex(r"(\d{1,12})/(\d{1,15})", re.ASCII)
_HEX = regex(r"[0-9a-f]{16}", re.ASCII | re.IGNORECASE)
_ZERO = regex(r"[0:-]+")
_MIB = 1024 * 1024
_SECTORS = (512, 520, 528, 4096, 4160, 4224)


def has_value(text: str) -> bool:
    """Whether a value has a meaning."""
    return text.strip().lower() not in _NO_VALUE


text = optional(has_value, collapse)


def bare(value: str) -> str:
    """``degraded`` of ``Degraded (DGD)``."""
    return _CODE.sub("", value).strip().lower()


def volume_state(value: str) -> VolumeStatus | None:
    """``Inactive, Okay (OKY)``, ``[Inactive] Optimal``; the worst word counts. None if one is unknown."""
    words = re.findall(r"[a-z][a-z ]*", bare(value))
    found = [VOLUMES.get(word.strip()) for word in words]
    return None if not found or None in found else min((one for one in found if one), key=_WORST.index)


def drive_state(value: str) -> tuple[Health, Role | None] | None:
    """``Optimal (OPT)``; None for an unknown word."""
    return DRIVES.get(bare(value))


def raid_level(value: str) -> RaidLevel | None:
    """``RAID1``, ``RAID 1E``; None for a level that has no neutral name."""
    return LEVELS.get(re.sub(r"[\s-]", "", value).lower())


def operation(value: str) -> Operation | None:
    """``Synchronize``, ``Background Init``; None without one."""
    words = value.lower().split()
    if not has_value(value):
        return None
    return next((name for start, name in OPERATIONS if any(word.startswith(start) for word in words)), "unknown")


def mebibytes(value: str) -> int | None:
    """Return the bytes of ``Size (in MB)``, which counts in 1024 * 1024.

    A drive of 312581808 sectors shows 152627 MB.
    """
    return int(figure(_COUNT, value.strip())[0]) * _MIB if has_value(value) else None


def drive_size(value: str) -> int | None:
    """Bytes of ``152627/312581807``: mebibytes, and the number of the last sector."""
    if not has_value(value):
        return None
    match = figure(_SIZES, value.strip())
    amount, last = int(match[1]), int(match[2])
    exact = (size * (last + 1) for size in _SECTORS)
    return next((size for size in exact if size // _MIB == amount), amount * _MIB)


def percent(value: str) -> float | None:
    """``2.93%``."""
    found = float(figure(_PERCENT, value.strip())[1])
    if found > 100:
        raise ValueError(value)
    return found


def wwn(value: str) -> str | None:
    """``5000c5006d1f661f``; None for ``N/A``."""
    return figure(_HEX, value.strip())[0] if has_value(value) and not _ZERO.fullmatch(value.strip()) else None


def naa_of_volume(wwid: str) -> str | None:
    """``600508e000000000846ef534faf0f904`` of ``04f9d0fa34f56e84``: the firmware reverses the bytes of the wwid."""
    if not _HEX.fullmatch(wwid):
        return None
    return "600508e000000000" + bytes.fromhex(wwid)[::-1].hex()
