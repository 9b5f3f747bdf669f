"""Promises in plain words, and what to ask a provider for. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.verify.report import Answer, ClaimName

_PROMISED: Mapping[ClaimName, str] = {
    "raid_level": "RAID level {}",
    "battery": "a healthy battery or capacitor",
    "write_cache": "write cache: {}",
    "cache_size": "at least {} of controller cache",
    "cache_split": "cache split {} (read/write)",
    "drive_cache": "write caches of the drives: {}",
    "drives": "{} drives, all working",
    "spares": "at least {} good spares",
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
    "survives": "any {} more drives may fail without data loss",
    "checked_within": "a complete consistency check within {}",
    "drive_size": "drives of at least {} each",
    "drive_age": "drives with at most {} of power-on time",
}
_ASKED: Mapping[ClaimName, str] = {
    "raid_level": "Please set the volume up as {}, and agree on a time first: this erases its data.",
    "battery": "Please replace the battery or capacitor of the controller.",
    "write_cache": "Please make the write cache work as promised ({}), and repair what prevents it.",
    "cache_size": "Please install a controller or cache module with at least {} of cache.",
    "cache_split": "Please set the split of the controller's cache to {}.",
    "drive_cache": "Please set the write caches of the drives to {}.",
    "drives": "Please complete the volume to {} working drives.",
    "spares": "Please add spares until {} good ones are available.",
    "read_policy": "Please set the read policy to {}.",
    "strip_size": "Please set the volume up with a strip size of {}, and agree on a time first: this erases its data.",
    "min_size": "Please provide a volume of at least {}.",
    "media": "Please replace the drives by ones of type {}.",
    "drive_rpm": "Please replace the drives by ones with {} rpm.",
    "volume_status": "Please bring the volume into the state {}.",
    "firmware": "Please install firmware {}.",
    "policy_active": "Please repair what prevents the configured write policy from being active.",
    "power_safe": "Please make sure that acknowledged writes survive a power failure.",
    "no_write_hole": "Please close the write hole: by a protected cache, a journal, or a partial parity log.",
    "survives": "Please restore the redundancy, so that {} more drive failures cause no data loss.",
    "checked_within": "Please run a complete consistency check, and check regularly (within {}).",
    "drive_size": "Please replace the drives that are too small by ones of at least {}.",
    "drive_age": "Please replace the drives that were powered on for more than {}.",
}


def promised(answer: Answer) -> str:
    """The promise in words: ``RAID level raid6``."""
    return _PROMISED[answer.claim].format(answer.wanted)


def request(answer: Answer) -> str | None:
    """One sentence with the request; None if the claim passes."""
    if answer.verdict == "pass":
        return None
    if answer.verdict == "inconclusive":
        return f"Please show by the output of the controller's or the drives' tool: {promised(answer)}."
    asked = _ASKED[answer.claim].format(answer.wanted)
    return f"Please explain the contradiction. {asked}" if answer.verdict == "suspect" else asked
