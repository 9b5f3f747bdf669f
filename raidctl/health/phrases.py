"""Objects and the causes of their conditions in a few words. Pure."""

from __future__ import annotations

import re

from raidctl.model import Battery, Drive
from raidctl.text import counted, listing


def battery_noun(battery: Battery) -> str:
    """``battery`` or ``capacitor``."""
    return "battery" if battery.kind == "unknown" else battery.kind


def predicts(drive: Drive) -> str:
    """``predictive failure (SMART)``; a warning of another kind in the tool's words."""
    text = (drive.status_text or "").strip()
    # SMART overall-health self-assessment test result: FAILED!        smartctl; FAILING_NOW is an attribute's
    if drive.errors.predictive or re.search(r"s\.?m\.?a\.?r\.?t|impending|\bfailed!|failing_now", text, re.IGNORECASE):
        return "predictive failure (SMART)"
    return "predictive failure" if "predict" in text.lower() else state_words("warning", drive.status, text)


def errors(drive: Drive) -> str:
    """``, 41 media errors``: the counters of damaged sectors that are not zero."""
    counts = drive.errors
    parts = (counts.pending or 0) + (counts.uncorrectable or 0) + (counts.reallocated or 0)
    words = {
        "media error": counts.media if (counts.media or 0) > parts else 0, "pending sector": counts.pending,
        "uncorrectable sector": counts.uncorrectable, "reallocated sector": counts.reallocated,
    }  # fmt: skip
    found = [counted(number, word) for word, number in words.items() if number]
    return f", {listing(found)}" if found else ""


def has_state(status: str) -> str:
    """``is degraded``, ``is missing``, ``has failed``."""
    return "has failed" if status == "failed" else f"is {status}"


def state_words(word: str, status: str, text: str | None) -> str:
    """``failed (Offline)``: the model's word, with the tool's if it adds something."""
    own = (text or "").strip().rstrip(".")
    if not own:
        return word if word in ("failed", "warning") else f"{word} {status}"
    return word if own.lower() == word else f"{word} ({own})"
