"""Volumes that rely on a controller's batteries, and what is wrong with these. Pure."""

from __future__ import annotations

from raidctl.health.phrases import battery_noun, has_state
from raidctl.health.redundancy import OUT_OF_REACH
from raidctl.model import Battery, Controller, Volume
from raidctl.units import format_percent

FULL_ENOUGH = 50
"""Charge percentage below which a battery does not protect, whatever its status."""
_BACK = ("protected_write_back", "unprotected_write_back")


def pack_gone(controller: Controller, battery: Battery) -> bool:
    """Whether a battery's pack is missing and no cache is described.

    A missing pack is ``Battery Pack Missing: Yes`` or ``Battery/Capacitor Status: Missing``, which ssacli does not
    print for a controller without a battery.
    """
    text = (battery.status_text or "").lower()
    gone = "pack missing" in text or text in ("missing", "disconnected")
    return gone and not any(one.cache for one in controller.volumes)


def battery_defect(battery: Battery) -> str | None:
    """The certain defect of a battery: ``the battery megaraid:0/bbu has failed``. None: none is known."""
    name = f"the {battery_noun(battery)} {battery.id}"
    if battery.status in ("failed", "degraded", "missing"):
        return f"{name} {has_state(battery.status)}"
    if battery.replace:
        return f"{name} needs replacement"
    if battery.status == "ok" and battery.charge_percent is not None and battery.charge_percent < FULL_ENOUGH:
        return f"{name} is charged to only {format_percent(battery.charge_percent)}"
    return None


def relied_on(controller: Controller) -> bool:
    """Whether a volume relies on the battery: write-back is configured or active."""
    caches = [volume.cache for volume in controller.volumes if volume.cache is not None]
    return any(cache.write_policy in _BACK or cache.write_active == "write_back" for cache in caches)


def exposed(volume: Volume) -> bool:
    """Whether write-back continues without a battery.

    It also counts if it is so configured and no active policy is reported.
    """
    cache = volume.cache
    if cache is None or volume.status in OUT_OF_REACH:
        return False
    contradicted = cache.why_not_in_force and cache.write_policy in _BACK  # the tool shows write-back nevertheless
    unknown = cache.write_active is None and (contradicted or cache.write_policy == "unprotected_write_back")
    return cache.write_active == "write_back" or bool(unknown)


def recovering(controller: Controller) -> bool:
    """Whether the batteries only learn or charge, and need no replacement."""
    passing = [battery.status in ("learning", "charging") and not battery.replace for battery in controller.batteries]
    return bool(passing) and all(passing)
