"""A volume's configured and active caching, and why the two differ.

``Caching`` and the controller's ``No-Battery Write Cache`` are configured; the active policy follows from the state of
the cache and of its battery.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Battery, Cache, DriveCachePolicy, VolumeCache, WriteActive, WritePolicy
from raidctl.model.cache import battery_or_capacitor
from raidctl.model.write_protection import controller_cache


def volume_cache(
    *,
    caching: bool | None,
    smart_path: bool,
    cache: Cache | None,
    batteries: Sequence[Battery],
    battery_count: int | None,
    drive_write_cache: DriveCachePolicy | None,
) -> VolumeCache | None:
    """The cache of a volume; None if nothing was reported.

    ``caching`` and ``battery_count`` are None if not reported.
    """
    if caching is None and drive_write_cache is None and not smart_path:
        return None
    policy = _policy(caching, cache)
    active, why = _active(caching, smart_path, cache, batteries, battery_count)
    return VolumeCache(
        write_policy=policy,
        write_active=active,
        controller_cache=controller_cache(active, kept=_kept(batteries, battery_count)),
        why_not_in_force=why if policy not in (None, active) or caching is None else None,
        drive_write_cache=drive_write_cache,
    )


def _policy(caching: bool | None, cache: Cache | None) -> WritePolicy | None:
    if caching is None:
        return None
    if not caching:
        return "write_through"
    return "unprotected_write_back" if cache is not None and cache.no_battery_write_cache else "protected_write_back"


def _active(
    caching: bool | None,
    smart_path: bool,
    cache: Cache | None,
    batteries: Sequence[Battery],
    battery_count: int | None,
) -> tuple[WriteActive | None, str | None]:
    """The active policy, and the reason if the cache is not used."""
    if smart_path:
        return "write_through", "SSD Smart Path: reads and writes bypass the controller's cache."
    if caching is None:
        return None, None
    if not caching:
        return "write_through", None
    if cache is None:
        return None, None
    if cache.present is False:
        return "write_through", "The controller has no cache board."
    if (cache.status_text or "").lower().startswith("not configured"):
        return "write_through", "The controller's cache is not configured."
    if cache.status in ("warning", "critical"):
        return "write_through", f"The cache is not in use: {cache.status_text}."
    if cache.write_percent == 0:
        return "write_through", "The whole cache is allocated to reads (100% read / 0% write)."
    if cache.status != "ok":
        return None, None
    return _backed(cache, batteries, battery_count)


def _backed(
    cache: Cache, batteries: Sequence[Battery], battery_count: int | None
) -> tuple[WriteActive | None, str | None]:
    if cache.no_battery_write_cache:
        return "write_back", None
    kept = _kept(batteries, battery_count)
    if kept is None or (not kept and cache.no_battery_write_cache is None):
        return None, None  # without the controller's page, a cache that is OK may be used without its battery
    if battery_count == 0:
        return "write_through", "The cache has no battery and no capacitor."
    bad = next((battery for battery in batteries if battery.status != "ok"), None)
    if bad is not None:
        what = battery_or_capacitor(bad)
        return "write_through", f"The cache's {what} is not ready: {bad.status_text or bad.status}."
    return "write_back", None


def _kept(batteries: Sequence[Battery], battery_count: int | None) -> bool | None:
    """Whether a battery or capacitor keeps unwritten data."""
    if battery_count == 0:
        return False
    if not batteries or any(battery.status == "unknown" for battery in batteries):
        return None
    return all(battery.status == "ok" for battery in batteries)
