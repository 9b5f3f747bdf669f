"""The tool's words, their neutral values, and how they are looked up.

Each set of words has one table; those of drives, arrays, caches and batteries are in
:mod:`raidctl_adaptec.state_words`. Keys are in the form of :func:`bare`: lower case, ``_`` and ``-`` replaced by
blanks. A word that is not here is unknown to raidctl: the reader keeps the raw word and reports a problem.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raidctl.model import BatteryStatus, Health, Mode, Operation, RaidLevel, VolumeStatus
from raidctl.text import collapse, regex
from raidctl.vendor.statuses import VolumeWord, remark_on_ok
from raidctl_adaptec.state_words import BATTERY_STATUS, DRIVE_OPERATION, DRIVE_STATUS, DriveWord

CONTROLLER_STATUS: dict[str, Health] = {
    "optimal": "ok",
    "okay": "ok",
    "ok": "ok",
    "good": "ok",
    "working": "ok",
    "ready": "ok",
    "not optimal": "warning",
    "non optimal": "warning",
    "suboptimal": "warning",
    "degraded": "warning",
    "warning": "warning",
    "over temperature": "warning",
    "reboot required": "warning",
    "failed": "critical",
    "failure": "critical",
    "error": "critical",
    "offline": "critical",
    "down/offline": "critical",
    "critical": "critical",
    "dead": "critical",
    "inaccessible": "critical",
    "not accessible": "critical",
    "locked up": "critical",
    "lockup": "critical",
    "controller lockup": "critical",
    "controller lockup error": "critical",
    "lockup error": "critical",
    "controller powered off": "critical",
    "powered off": "critical",
    # The tool reaches the controller by /dev/sg*, which the module sg makes.
    "missing sg module": "critical",
    "controller has incompatible driver": "critical",
    "has incompatible driver": "critical",
    "incompatible driver": "critical",
    "sys xlr driver conflict": "critical",
    "not responding": "critical",
    "hardware failure": "critical",
    "kernel panic": "critical",
    "sys pqi driver conflict": "critical",
}

MODES: dict[str, Mode] = {
    "default/raid": "raid",
    "default": "raid",
    "raid": "raid",
    "raid mode": "raid",
    "raid (expose raw)": "raid",
    "raid (hide raw)": "raid",
    "raid: expose raw": "raid",
    "raid: hide raw": "raid",
    "hw raid (expose raw)": "raid",
    "hw raid (hide raw)": "raid",
    "hide raw": "raid",
    "expose raw": "raid",
    # All drives that are not configured are made volumes of one drive: still volumes of the controller.
    "auto volume": "raid",
    "auto volume mode": "raid",
    "raid (auto volume)": "raid",
    "simple volume": "raid",
    "simple volume mode": "raid",
    "hba": "hba",
    "hba mode": "hba",
    "jbod": "hba",
    "mixed": "mixed",
    "mixed mode": "mixed",
    "raid/hba": "mixed",
}

RAID_LEVELS: dict[str, RaidLevel] = {
    "0": "raid0",
    "1": "raid1",
    "1e": "raid1e",
    "1ee": "raid1e",
    "1 enhanced": "raid1e",
    "4": "raid4",
    "5": "raid5",
    # RAID-5 with the spare's space spread over all drives: the data lies as on RAID-5.
    "5ee": "raid5",
    "6": "raid6",
    "6 reed solomon": "raid6",
    "6 adg": "raid6",
    "10": "raid10",
    "1+0": "raid10",
    "50": "raid50",
    "5+0": "raid50",
    "60": "raid60",
    "6+0": "raid60",
    "1adm": "raid1t",
    "1 adm": "raid1t",
    "1t": "raid1t",
    "1 triple": "raid1t",
    "1triple": "raid1t",
    "1 three way mirror": "raid1t",
    "10adm": "raid10t",
    "10 adm": "raid10t",
    "1+0adm": "raid10t",
    "1+0 adm": "raid10t",
    "10t": "raid10t",
    "10 triple": "raid10t",
    "10triple": "raid10t",
    # One drive, or a part of it, that the controller hands on as it is.
    "simple volume": "jbod",
    "jbod": "jbod",
    "volume": "jbod",
    "single disk": "jbod",
    # Drives one behind the other.
    "spanned volume": "linear",
    # Volumes of the same level one behind the other.
    "raid volume": "linear",
    "concatenated": "linear",
    "concatenation": "linear",
}

_BUILDING = VolumeWord("initializing", "initialize")
_REBUILDING = VolumeWord("rebuilding", "rebuild")
VOLUME_STATUS: dict[str, VolumeWord] = {
    "optimal": VolumeWord("ok"),
    "okay": VolumeWord("ok"),
    "ok": VolumeWord("ok"),
    "online": VolumeWord("ok"),
    "good": VolumeWord("ok"),
    "quick initialized": VolumeWord("ok"),
    "created": VolumeWord("ok"),
    # Adaptec's guide: "A verification is being performed on the array; I/O performance is affected."
    "impacted": VolumeWord("checking"),
    "verifying": VolumeWord("checking", "check"),
    "verifying with fix": VolumeWord("checking", "repair"),
    "degraded": VolumeWord("degraded"),
    "critical": VolumeWord("degraded"),
    "suboptimal": VolumeWord("degraded"),
    "sub optimal": VolumeWord("degraded"),
    "non optimal": VolumeWord("degraded"),
    "interim recovery": VolumeWord("degraded"),
    "interim recovery mode": VolumeWord("degraded"),
    "ready for rebuild": VolumeWord("degraded"),
    "ready for recovery": VolumeWord("degraded"),
    "ready for recovery operation": VolumeWord("degraded"),
    "waiting for rebuild": VolumeWord("degraded"),
    "queued for rebuild": VolumeWord("degraded"),
    "overheating": VolumeWord("degraded"),
    "hardware is overheating": VolumeWord("degraded"),
    "multi path access degraded": VolumeWord("degraded"),
    "partially optimal": VolumeWord("degraded"),
    "rebuilding": _REBUILDING,
    "recovering": _REBUILDING,
    "degraded rebuilding": _REBUILDING,
    "initializing": _BUILDING,
    "building": _BUILDING,
    "build": _BUILDING,
    "build/verify": _BUILDING,
    "clearing": _BUILDING,
    "zeroing": _BUILDING,
    "pending": VolumeWord("initializing"),
    "uninitialized": VolumeWord("initializing"),
    "rapid parity initialization": VolumeWord("initializing", "parity"),
    "rapid parity initialization in progress": VolumeWord("initializing", "parity"),
    "rapid parity initialization pending": VolumeWord("initializing", queued="parity"),
    "parity initialization in progress": VolumeWord("initializing", "parity"),
    "expanding": VolumeWord("expanding", "expand"),
    "undergoing expansion": VolumeWord("expanding", "expand"),
    "expansion in progress": VolumeWord("expanding", "expand"),
    "queued for expansion": VolumeWord("expanding", queued="expand"),
    "migrating": VolumeWord("migrating", "migrate"),
    "transforming": VolumeWord("migrating", "migrate"),
    "reconfiguring": VolumeWord("migrating", "migrate"),
    "reconfigure": VolumeWord("migrating", "migrate"),
    "morphing": VolumeWord("migrating", "migrate"),
    "compacting": VolumeWord("migrating", "reshape"),
    "queued for transformation": VolumeWord("migrating", queued="migrate"),
    "failed": VolumeWord("failed"),
    "dead": VolumeWord("failed"),
    "broken": VolumeWord("failed"),
    "wrong drive replaced": VolumeWord("failed"),
    "wrong physical drive replaced": VolumeWord("failed"),
    "physical drive not properly connected": VolumeWord("failed"),
    "physical drive is not properly connected": VolumeWord("failed"),
    "a physical drive is not properly connected": VolumeWord("failed"),
    "drive improperly connected": VolumeWord("failed"),
    "bad connect": VolumeWord("failed"),
    "offline": VolumeWord("offline"),
    "blocked": VolumeWord("offline"),
    "inaccessible": VolumeWord("offline"),
    "erased": VolumeWord("offline"),
    "not yet available": VolumeWord("offline"),
    "not available": VolumeWord("offline"),
    "overheated": VolumeWord("offline"),
    "hardware has overheated": VolumeWord("offline"),
    "shutdown": VolumeWord("offline"),
    "ejected": VolumeWord("offline"),
    "disabled from scsi conflict": VolumeWord("offline"),
    "erasing": VolumeWord("offline"),
    "erase in progress": VolumeWord("offline"),
    "encrypted volume is offline": VolumeWord("offline"),
    "locked": VolumeWord("offline"),
    "disabled": VolumeWord("offline"),
    "foreign": VolumeWord("inactive"),
    "free": VolumeWord("inactive"),
    "unused": VolumeWord("inactive"),
    "unconfigured": VolumeWord("inactive"),
    "not configured": VolumeWord("inactive"),
}

BUSY: dict[Operation, VolumeStatus] = {
    "rebuild": "rebuilding", "recovery": "rebuilding",
    "copyback": "rebuilding", "check": "checking", "repair": "checking", "resync": "checking",
    "initialize": "initializing", "expand": "expanding", "migrate": "migrating", "reshape": "migrating",
}  # fmt: skip
"""Status of a healthy volume, by the running operation."""

OPERATIONS: tuple[tuple[str, Operation], ...] = (
    # Current operation : Build/Verify with fix
    ("verify with fix", "repair"),
    ("verify_fix", "repair"),
    ("fix", "repair"),
    ("rebuild", "rebuild"),
    ("recover", "rebuild"),
    ("copyback", "copyback"),
    ("copy back", "copyback"),
    ("erase", "erase"),
    ("erasing", "erase"),
    ("sanitiz", "erase"),
    ("build", "initialize"),
    ("initial", "initialize"),
    ("clear", "initialize"),
    ("zero", "initialize"),
    ("parity", "parity"),
    ("verify", "check"),
    ("consistency", "check"),
    ("scrub", "check"),
    ("patrol", "check"),
    ("expan", "expand"),
    ("capacity", "expand"),
    ("migrat", "migrate"),
    ("reconfigur", "migrate"),
    ("transform", "migrate"),
    ("morph", "migrate"),
    ("compact", "reshape"),
    ("synchron", "resync"),
)
"""Operations, by words in their texts. The first that occurs counts."""

NO_VALUE = frozenset(
    {"", "none", "unknown", "n/a", "na", "not available", "not applicable", "not set", "unavailable", "?", "*missing*"}
)  # fmt: skip
"""Values that mean that there is no value."""
_PARTS_NAMED = (
    "battery/capacitor ", "capacitor/battery ", "zmm ", "battery ", "capacitor ", "supercap ", "backup unit ",
)  # fmt: skip
"""What a status of a backup unit may begin with: ``ZMM Optimal``."""
_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,3})?) ?%", re.ASCII)
_SEPARATORS = regex(r"[()\[\],:;%]|\s-\s")
_KINDS = frozenset({"global", "dedicated", "pool", "auto replace", "encrypted"})
"""Remarks on the kind of a drive or spare: ``Hot Spare (Global)``."""
# Currently Recovering
_FILLING = regex(r"^(?:(?:currently|being|is|has|volume|logical (?:device|drive)) )+", re.IGNORECASE)


_FAILS = regex(r"\bfail(?:ed|ure)\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def normalized(text: str) -> str:
    """The form in which labels and words are looked up."""
    return collapse(text).lower()


def bare(text: str) -> str:
    """As :func:`normalized`, with ``-`` and ``_`` as blanks: ``Global Hot-Spare`` and ``Global Hot Spare``."""
    return collapse(text.replace("_", " ").replace("-", " ")).lower().strip(" .")


def has_value(text: str) -> bool:
    """Whether a value reports something."""
    return normalized(text).strip("-") not in NO_VALUE


def has_state(text: str) -> bool:
    """Whether a state is printed. This includes ``Unknown``, the word for one that the tool cannot read."""
    return has_value(text) or normalized(text) == "unknown"


def health(table: dict[str, Health], text: str) -> Health:
    """The health behind a status word. A remark in brackets can make a good word worse."""
    head, _, remark = text.partition("(")
    found = table.get(bare(text)) or table.get(bare(head)) or "unknown"
    if found == "ok" and remark and bare(text) not in table:
        return remark_on_ok(remark, lambda more: table.get(bare(more)))
    return found


def drive_word(text: str) -> DriveWord | None:
    """What ``Online``, ``Raw (Pass Through)``, ``Global Hot-Spare`` means. None for an unknown word."""
    known = DRIVE_STATUS.get(bare(text))
    if known is not None:
        return known
    head, *remark = re.split(r"[(,]", text, maxsplit=1)
    found = DRIVE_STATUS.get(bare(head))
    if found is None and _FAILS.search(head):
        return DriveWord("critical")  # "JBOD failed"
    if found is None or found.status != "ok" or not remark:
        return found
    now = remark_on_ok(remark[0], _state_of_drive)
    return None if now == "unknown" else found._replace(status=now)


def _state_of_drive(text: str) -> Health | None:
    found = DRIVE_STATUS.get(bare(text))
    return found.status if found is not None else "ok" if bare(text) in _KINDS else None


def drive_operation(text: str) -> Operation | None:
    """What is done to a drive by its state: ``Rebuilding``, ``Erase in progress``. None for every other state."""
    state = bare(text)
    return next((found for begins, found in DRIVE_OPERATION if state.startswith(begins)), None)


def operation(text: str) -> Operation | None:
    """The operation by its words: ``Build/Verify with fix``. None if none of them is known."""
    key = normalized(text)
    return next((found for part, found in OPERATIONS if part in key), None)


def volume_word(text: str) -> tuple[VolumeWord | None, float | None]:
    """What ``Impacted ( Build/Verify with fix : 90 % )`` means, and the percentage in it."""
    found = _PERCENT.search(text)
    percent = float(found[1]) if found and float(found[1]) <= 100 else None
    plain = text if found is None else text[: found.start()] + text[found.end() :]
    plain = _FILLING.sub("", plain.replace("complete", " ").replace("[", "(").replace("]", ")").strip())
    known = VOLUME_STATUS.get(bare(_SEPARATORS.sub(" ", plain)))
    head, _, rest = plain.partition("(") if "(" in plain else plain.partition(",")
    if known is None:
        known = VOLUME_STATUS.get(bare(head.strip(" :-,")))
        inner = VOLUME_STATUS.get(bare(_SEPARATORS.sub(" ", rest)))
        going = operation(rest) if rest.strip(" )") else None
        if known is not None and inner is not None and known.status == "degraded" and inner.status == "rebuilding":
            known = inner
        elif known is not None and going is not None:
            known = VolumeWord(known.status, going)
        elif known is not None and known.status in ("ok", "checking") and remark_on_ok(rest, _good_volume) != "ok":
            known = None  # "Optimal (Predictive failure)", "Optimal (bad stripes)"
    if known is None and _FAILS.search(head):
        known = VolumeWord("failed")  # "Logically failed"
    return known, percent


def _good_volume(text: str) -> str | None:
    found = VOLUME_STATUS.get(bare(_SEPARATORS.sub(" ", text)))
    return None if found is None else found.status


def battery_word(text: str) -> BatteryStatus:
    """``ZMM Optimal``, ``Failed (Replace Batteries/Capacitors)``; ``unknown`` for an unknown word.

    A remark in brackets can make a good word worse: ``Ok (Over temperature)``.
    """
    head, _, remark = _PERCENT.sub("", text).partition("(")
    key = bare(head)
    for prefix in _PARTS_NAMED:
        key = key.removeprefix(prefix)
    found = BATTERY_STATUS.get(key.removeprefix("is "), "unknown")
    if found != "ok" or not remark:
        return found
    inner = BATTERY_STATUS.get(bare(remark.rstrip(" )")))
    if inner is not None:
        return inner
    now = remark_on_ok(remark, BATTERY_STATUS.get)
    return "ok" if now == "ok" else "degraded" if now == "warning" else "unknown"


def raid_level(text: str) -> RaidLevel | None:
    """The level of ``6 Reed-Solomon``, ``Simple_volume``, ``1(ADM)``.

    None if none is reported, ValueError if it is unknown.
    """
    if not has_value(text):
        return None
    key = bare(text.replace("(", " ").replace(")", " ")).removeprefix("hybrid ")
    if key not in RAID_LEVELS:
        key = key.removeprefix("raid").strip()
    if key not in RAID_LEVELS:
        raise ValueError(f"not a RAID level of this tool: {text!r}")
    return RAID_LEVELS[key]
