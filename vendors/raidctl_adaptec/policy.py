"""How a volume is cached: configured, active, and why the two differ.

aacraid controllers report both (setting and status, in old versions setting and mode). smartpqi controllers report
``Caching``; the active policy follows from the state of the cache and of its battery.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Battery, Cache, DriveCachePolicy, VolumeCache, WriteActive, WritePolicy
from raidctl.model.cache import battery_or_capacitor
from raidctl.model.write_protection import controller_cache
from raidctl.text import collapse
from raidctl_adaptec import vocabulary
from raidctl_adaptec.draft import GroupDraft
from raidctl_adaptec.vocabulary import normalized

_SILENT = "The tool reports no reason."


def setting(text: str) -> WritePolicy | None:
    """What ``Write-cache setting`` configures; None for an unknown word.

    * ``Enabled (write-back)``, ``Enabled``: always (``setcache … wb``), even without the battery
    * ``On when protected by battery/ZMM``, ``Enabled (write-back) when protected by battery``: only then (``wbb``)
    * ``Disabled (write-through)``, ``Disabled``
    """
    key = normalized(text)
    if key.startswith(("disabled", "off", "write-through", "write through", "always off")):
        return "write_through"
    if "when protected" in key or "with battery" in key or "when battery" in key:
        return "protected_write_back"
    if " when" in key:  # cut off, or an unknown condition
        return None
    if key.startswith(("enabled", "on", "write-back", "write back", "always on")):
        return "unprotected_write_back"
    return "off" if key == "not supported" else None


def active(text: str) -> WriteActive | None:
    """The active policy by ``Write-cache status : On`` or ``Write-cache mode : Enabled (write-back)``."""
    key = normalized(text)
    if key.startswith(("disabled", "off", "write-through", "write through", "temporarily disabled")):
        return "write_through"
    if key.startswith(("enabled", "on", "write-back", "write back")):
        return "write_back"
    return "off" if key in ("not supported", "not available") else None


def volume_cache(
    volume: GroupDraft,
    cache: Cache | None,
    batteries: Sequence[Battery],
    drive_policy: DriveCachePolicy | None,
) -> VolumeCache | None:
    """The cache of a volume; None if nothing was reported of it.

    ``drive_policy`` is what the controller does with the drives' caches.
    """
    policy, now, why = _reported(volume)
    if volume.get("cache.caching") is not None:
        policy, now, why = _from_caching(volume, cache, batteries)
    read = volume.get("cache.read_policy")
    if policy is None and now is None and read is None and drive_policy is None:
        return None
    if policy is not None and now is not None and not _differs(policy, now):
        why = None
    elif policy is not None and now is not None and why is None:
        why = _reason(policy, batteries)
    return VolumeCache(
        write_policy=policy,
        write_active=now,
        controller_cache=controller_cache(now, kept=_kept(policy, batteries)),
        why_not_in_force=why if policy is not None and now is not None else None,
        read_policy=read,
        drive_write_cache=drive_policy,
    )


def _reported(volume: GroupDraft) -> tuple[WritePolicy | None, WriteActive | None, str | None]:
    """aacraid: setting and status."""
    policy: WritePolicy | None = None
    now: WriteActive | None = None
    why: str | None = None
    configured, mode, status = (volume.get(f"cache.{name}") for name in ("setting", "mode", "status"))
    if configured is not None and vocabulary.has_value(configured):
        policy = setting(configured)
        if policy is None:
            volume.unread("write-cache setting", configured)
    for text in (status, mode):
        if text is not None and vocabulary.has_value(text) and now is None:
            now = active(text)
            if now is None:
                volume.unread("write-cache status", text)
            why = _remark(text)
    if policy is None and configured is None and normalized(mode or "") == "not supported":
        policy = "off"
    return policy, now, why


def _remark(text: str) -> str | None:
    """The reason in a status: ``Off (battery failed)``; ``On (write-back)`` gives none."""
    inside = text.partition("(")[2].rstrip(") ")
    if normalized(text).startswith("temporarily"):
        inside = text
    return None if not inside or normalized(inside).startswith("write") else f"The tool reports: {collapse(text)}."


def _differs(policy: WritePolicy, now: WriteActive) -> bool:
    wanted = "write_back" if policy.endswith("write_back") else policy
    return wanted != now and {policy, now} != {"off", "write_through"}


def _reason(policy: WritePolicy, batteries: Sequence[Battery]) -> str:
    """Why write-back is not active: the battery, if its fault is reported."""
    bad = next((battery for battery in batteries if battery.status not in ("ok", "unknown")), None)
    if policy != "protected_write_back" or bad is None:
        return _SILENT
    text = bad.status_text or ""
    printed = f" ({text})" if text and normalized(text) not in (bad.status, "not installed", "not ready") else ""
    what = f"The cache's {battery_or_capacitor(bad)} {words_of(bad)}{printed}"
    return f"{what}: write-back is off until it is replaced or charged."


def words_of(battery: Battery) -> str:
    """The state of a battery, in words for a sentence."""
    words_for = {
        "failed": "has failed",
        "learning": "is in its learn cycle",
        "degraded": "is not ready",
    }
    return words_for.get(battery.status, f"is {battery.status}")


def _from_caching(
    volume: GroupDraft, cache: Cache | None, batteries: Sequence[Battery]
) -> tuple[WritePolicy, WriteActive | None, str | None]:
    """smartpqi: ``Caching : Enabled`` for reads and writes together."""
    if not volume.get("cache.caching"):
        return "write_through", "write_through", None
    always = cache is not None and cache.no_battery_write_cache
    policy: WritePolicy = "unprotected_write_back" if always else "protected_write_back"
    if "bypass" in (volume.get("cache.acceleration") or ""):
        return policy, "write_through", "SSD I/O bypass: reads and writes bypass the controller's cache."
    if cache is None:
        return policy, None, None
    text = cache.status_text or ""
    if normalized(text).startswith("not configured"):
        return policy, "write_through", "The controller's cache is not configured."
    if cache.status in ("warning", "critical"):
        return policy, "write_through", f"The cache is not in use: {text}."
    if cache.write_percent == 0:
        return policy, "write_through", "The whole cache is allocated to reads (100% read / 0% write)."
    if cache.status != "ok":
        return policy, None, None
    if always:
        return policy, "write_back", None
    if not batteries or any(battery.status == "unknown" for battery in batteries):
        return policy, None, None
    bad = next((battery for battery in batteries if battery.status != "ok"), None)
    if bad is not None:
        return policy, "write_through", _reason(policy, batteries)
    return policy, "write_back", None


def doubted(policy: WritePolicy | None, batteries: Sequence[Battery]) -> bool:
    """Whether "when protected" write-back is active although the battery reports a problem.

    The controller may be protected by a sufficient charge or by another part; the battery's own words only report that
    it is not ready. Neither is certain.
    """
    return policy == "protected_write_back" and any(
        battery.status in ("charging", "learning", "degraded") for battery in batteries
    )


def _kept(policy: WritePolicy | None, batteries: Sequence[Battery]) -> bool | None:
    """Whether a battery or capacitor keeps unwritten data."""
    if not batteries or any(battery.status == "unknown" for battery in batteries):
        return None
    if any(battery.status == "ok" for battery in batteries):
        return True
    return None if doubted(policy, batteries) else False
