"""Promises in plain words, and what to ask a provider for. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.text import counted
from raidctl.verify.report import Answer, ClaimName

_PROMISED: Mapping[ClaimName, str] = {
    "raid_level": "RAID level {}",
    "battery": "a healthy battery or capacitor",
    "write_cache": "write cache: {}",
    "cache_size": "at least {} of controller cache",
    "cache_split": "cache split {} (read/write)",
    "drive_cache": "write caches of the drives: {}",
    "drives": "{}, all working",
    "spares": "at least {}",
    "read_policy": "read policy {}",
    "strip_size": "strip size {}",
    "min_size": "a volume of at least {}",
    "media": "drives of type {}",
    "drive_rpm": "drives with {} rpm",
    "volume_status": "volume status {}",
    "firmware": "firmware {}",
    "policy_active": "the configured write policy is active",
    "power_safe": "acknowledged writes survive a power failure",
    "no_write_hole": "a power failure damages no old data",
    "survives": "any {} may fail without data loss",
    "checked_within": "a complete consistency check within {}",
    "drive_size": "drives of at least {} each",
    "drive_age": "drives with at most {} of power-on time",
}
_ASKED: Mapping[ClaimName, str] = {
    "raid_level": "Please set up the volume as {}. This erases its data: agree on a time with us first.",
    "battery": "Please replace the battery or capacitor of the controller.",
    "write_cache": "Please make the write cache work as promised ({}), and fix what prevents it.",
    "cache_size": "Please install a controller or cache module with at least {} of cache.",
    "cache_split": "Please set the split of the controller's cache to {}.",
    "drive_cache": "Please set the write caches of the drives to {}.",
    "drives": "Please bring the volume up to {}, all working.",
    "spares": "Please provide at least {}.",
    "read_policy": "Please set the read policy to {}.",
    "strip_size": "Please set up the volume with strip size {}. This erases its data: agree on a time with us first.",
    "min_size": "Please provide a volume of at least {}.",
    "media": "Please replace the drives with ones of type {}.",
    "drive_rpm": "Please replace the drives with {} rpm ones.",
    "volume_status": "Please bring the volume to status {}.",
    "firmware": "Please install firmware {}.",
    "policy_active": "Please fix what prevents the configured write policy from being active.",
    "power_safe": "Please make sure that acknowledged writes survive a power failure.",
    "no_write_hole": "Please close the write hole with a protected cache, a journal, or a partial parity log.",
    "survives": "Please restore the redundancy, so that any {} may fail without data loss.",
    "checked_within": "Please run a complete consistency check, and check regularly (within {}).",
    "drive_size": "Please replace the drives that are too small with ones of at least {}.",
    "drive_age": "Please replace the drives that have been powered on for more than {}.",
}
_NOUNS: Mapping[ClaimName, str] = {"drives": "drive", "spares": "good spare", "survives": "more drive"}
"""What the number of a claim counts."""


def _wanted(answer: Answer) -> str | None:
    noun = _NOUNS.get(answer.claim)
    return counted(int(answer.wanted), noun) if noun and answer.wanted else answer.wanted


def promised(answer: Answer) -> str:
    """The promise in words: ``RAID level raid6``."""
    return _PROMISED[answer.claim].format(_wanted(answer))


def request(answer: Answer) -> str | None:
    """One sentence with the request; None if the claim passes."""
    if answer.verdict == "pass":
        return None
    if answer.verdict == "inconclusive":
        return f"Please show, with the output of the controller's or the drives' tool: {promised(answer)}."
    asked = _ASKED[answer.claim].format(_wanted(answer))
    return f"Please explain the contradiction. {asked}" if answer.verdict == "suspect" else asked
