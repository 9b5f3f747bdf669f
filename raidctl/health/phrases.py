"""The cause of a condition in a few words. Pure."""

from __future__ import annotations

import re

from raidctl.model import Drive
from raidctl.text import counted, listing


def predicts(drive: Drive) -> str:
    """``predictive failure (SMART)``; a warning of another kind in the tool's words."""
    text = (drive.status_text or "").strip()
    # SMART overall-health self-assessment test result: FAILED!        smartctl; FAILING_NOW is an attribute's
    if drive.errors.predictive or re.search(r"s\.?m\.?a\.?r\.?t|impending|\bfailed!|failing_now", text, re.IGNORECASE):
        return "predictive failure (SMART)"
    return "predictive failure" if "predict" in text.lower() else said("warning", drive.status, text)


def errors(drive: Drive) -> str:
    """``, 41 media errors``: the counters of damaged sectors that are not zero."""
    told = drive.errors
    parts = (told.pending or 0) + (told.uncorrectable or 0) + (told.reallocated or 0)
    words = {
        "media error": told.media if (told.media or 0) > parts else 0, "pending sector": told.pending,
        "uncorrectable sector": told.uncorrectable, "reallocated sector": told.reallocated,
    }  # fmt: skip
    found = [counted(number, word) for word, number in words.items() if number]
    return f", {listing(found)}" if found else ""


def said(word: str, status: str, text: str | None) -> str:
    """``failed (Offline)``: our word, and the tool's where it adds something."""
    told = (text or "").strip().rstrip(".")
    if not told:
        return word if word in ("failed", "warning") else f"{word} {status}"
    return word if told.lower() == word else f"{word} ({told})"
