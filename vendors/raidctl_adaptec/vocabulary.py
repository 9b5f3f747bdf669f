"""How the tool's words are looked up: lower case, single blanks."""

from __future__ import annotations

import re
from functools import lru_cache

from raidctl.model import BatteryStatus, Health, Operation, RaidLevel
from raidctl.text import collapse, regex
from raidctl.vendor.statuses import VolumeWord
from raidctl_adaptec.states import BATTERY_STATUS, DRIVE_OPERATION, DRIVE_STATUS, DriveWord
from raidctl_adaptec.tables import OPERATIONS, RAID_LEVELS, VOLUME_STATUS

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
_TROUBLE = regex(
    r"fail|degrad|error|warn|smart|predict|wear|temperat|heat|missing|critical|offline|not optimal", re.IGNORECASE
)
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


def _remarked(text: str, separators: str) -> tuple[str, bool]:
    """A word without its remark, and whether the remark is trouble: ``Online (SMART alert)``."""
    parts = re.split(separators, text, maxsplit=1)
    return bare(parts[0]), len(parts) > 1 and _TROUBLE.search(parts[1]) is not None


def health(table: dict[str, Health], text: str) -> Health:
    """The health behind a status word. A word with a remark in brackets counts as the word itself."""
    head, trouble = _remarked(text, r"\(")
    found = table.get(bare(text)) or table.get(head) or "unknown"
    return "warning" if trouble and found == "ok" and bare(text) not in table else found


def drive_word(text: str) -> DriveWord | None:
    """What ``Online``, ``Raw (Pass Through)``, ``Global Hot-Spare`` means. None for an unknown word."""
    known = DRIVE_STATUS.get(bare(text))
    if known is not None:
        return known
    head, trouble = _remarked(text, r"[(,]")
    found = DRIVE_STATUS.get(head)
    if found is None and _FAILS.search(head):
        return DriveWord("critical")  # "JBOD failed"
    return found._replace(status="warning") if trouble and found is not None and found.status == "ok" else found


def drive_operation(text: str) -> Operation | None:
    """What is done to a drive by its state: ``Rebuilding``, ``Erase in progress``. None for every other state."""
    state = bare(text)
    return next((found for begins, found in DRIVE_OPERATION if state.startswith(begins)), None)


def operation(text: str) -> Operation | None:
    """What is going on by its words: ``Build/Verify with fix``. None if none of them is known."""
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
        elif known is not None and known.status == "ok" and _TROUBLE.search(rest):
            known = None  # "Optimal (Predictive failure)"
    if known is None and _FAILS.search(head):
        known = VolumeWord("failed")  # "Logically failed"
    return known, percent


def battery_word(text: str) -> BatteryStatus:
    """``ZMM Optimal``, ``Failed (Replace Batteries/Capacitors)``; ``unknown`` for an unknown word."""
    key = bare(_PERCENT.sub("", text.split("(", maxsplit=1)[0]))
    for prefix in _PARTS_NAMED:
        key = key.removeprefix(prefix)
    return BATTERY_STATUS.get(key.removeprefix("is "), "unknown")


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
