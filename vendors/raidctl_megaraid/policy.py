"""How a volume is cached: configured, active, and why they differ.

The tools print both: the initial or default setting and the current one. A protected write-back falls back to
write-through while the battery is not good. If the current setting is write-back although nothing could protect the
data, one of the two is wrong, and the active policy is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from raidctl.model import Battery, Cache, ControllerCacheSafety, IoPolicy, VolumeCache, WriteActive, WritePolicy
from raidctl.model.cache import battery_or_capacitor
from raidctl.model.write_protection import controller_cache
from raidctl.text import listing
from raidctl.vendor.draft import GroupDraft
from raidctl_megaraid import bbu_mask
from raidctl_megaraid.capability import denied
from raidctl_megaraid.draft import ControllerDraft

_WRITE_BACK: tuple[WritePolicy, ...] = ("protected_write_back", "unprotected_write_back")
_NOT_REPORTED = "The tool reports no reason."


class Power(Struct, frozen=True):
    """What protects the cache memory."""

    cache: Cache | None
    batteries: Sequence[Battery]
    present: bool | None
    """Whether there is a battery; None if not reported."""
    mask: int | None

    @property
    def good(self) -> bool | None:
        """Whether a battery keeps the cache. False without one or with a failed one, None while it is unknown."""
        if self.present is False:
            return False
        states = {battery.status for battery in self.batteries}
        if states == {"ok"}:
            # a good battery that is being charged protects the cache
            return True if self.mask is None or bbu_mask.status(self.mask) in ("ok", "charging") else None
        if states and states <= {"failed", "missing"}:
            return False
        if not states and self.present and self.mask is not None:
            return {"ok": True, "missing": False, "failed": False}.get(bbu_mask.status(self.mask))
        return None

    @property
    def cause(self) -> str | None:
        """What keeps write-back from being active, in one sentence. None if the tool reports nothing."""
        if self.cache is not None and self.cache.present is False:
            return "The controller has no cache memory."
        if self.present is False and not self.batteries:
            return "The controller has no battery or capacitor for its cache."
        for battery in self.batteries:
            if battery.status not in ("ok", "unknown"):
                return _battery(battery)
        if self.present is False:
            return "The controller reports no battery or capacitor, although one is listed."
        words = masked(self.mask)
        if words:
            return f"The controller reports for its battery: {listing(words)} (BBU Status {self.mask})."
        if self.cache is not None and self.cache.preserved_data:
            return "The preserved cache of an offline volume occupies the cache memory."
        return None


def masked(mask: int | None) -> list[str]:
    """The problems that the bits of ``BBU Status`` report; nothing if there are none."""
    return [] if mask is None or bbu_mask.status(mask) == "ok" else bbu_mask.words(mask)


def _battery(battery: Battery) -> str:
    name = battery_or_capacitor(battery)
    text = {
        "learning": f"The cache's {name} is in a learn cycle",
        "charging": f"The cache's {name} is charging",
        "missing": f"The cache's {name} is missing",
        "failed": f"The cache's {name} has failed",
    }.get(battery.status, f"The cache's {name} is {battery.status}")
    printed = battery.status_text
    # "is in a learn cycle: Learn Cycle Active: Yes" would repeat it
    twice = printed is None or printed.lower() in text.lower() or printed.lower().startswith(("learn", "charging"))
    return f"{text}." if twice else f"{text}: {printed}."


def volume_cache(volume: GroupDraft, controller: ControllerDraft, power: Power) -> VolumeCache | None:
    """The cache of a volume; None if nothing was reported of it."""
    names = ("read_policy", "io_policy", "drive_write_cache")
    read, io, drives = (volume.get(f"cache.{name}") for name in names)
    current: WritePolicy | None = volume.get("write_current")
    configured = _configured(volume, current, power, fixed="write_policy" in denied(controller))
    if current is configured is read is io is drives is None:
        return None
    active, why = _active(configured, current, power)
    if current is None and volume.get("write_current_unread"):
        active, why = None, None  # the tool reports it, and it may be write-back
    return VolumeCache(
        write_policy=configured,
        write_active=active,
        controller_cache=_safety(active, io, power),
        why_not_in_force=why,
        read_policy=read,
        io_policy=io,
        drive_write_cache=drives,
    )


def _safety(active: WriteActive | None, io: IoPolicy | None, power: Power) -> ControllerCacheSafety:
    """Whether the controller's cache may lose data. With cached I/O it may hold writes whatever the write policy."""
    without = power.cache is not None and power.cache.present is False
    if active == "write_through" and io == "cached" and power.good is False and not without:
        return "unknown"
    return controller_cache(active, kept=power.good)


def _configured(volume: GroupDraft, current: WritePolicy | None, power: Power, *, fixed: bool) -> WritePolicy | None:
    """The default or initial setting. Without one, the active setting, unless that may be a fallback.

    ``fixed``: the controller cannot change the policy, so the active one is also the configured one.
    """
    reported: WritePolicy | None = volume.get("write_configured")
    if reported is None and volume.get("write_configured_unread"):
        return None
    if reported is None:
        # without memory, nothing else can be configured
        fixed = fixed or (power.cache is not None and power.cache.present is False)
        if current is not None and current not in _WRITE_BACK and not fixed and power.cause is not None:
            return None
        reported = current
    if reported == "protected_write_back" and (volume.get("bad_bbu") is True or current == "unprotected_write_back"):
        # Write Cache(initial setting) = WriteBack beside RAWBD: the initial setting has one word for both
        return "unprotected_write_back"
    return reported


def _active(
    configured: WritePolicy | None, current: WritePolicy | None, power: Power
) -> tuple[WriteActive | None, str | None]:
    """The active policy, and the reason if not the configured one."""
    if current == "off":
        return "off", None
    if power.cache is not None and power.cache.present is False and _WRITE_BACK[0] in (configured, current):
        return "write_through", power.cause
    if current in _WRITE_BACK:
        if current == "protected_write_back" and power.good is False and configured != "unprotected_write_back":
            return None, f"{power.cause} Yet the tool shows write-back as active, which is a contradiction."
        return "write_back", None if configured in _WRITE_BACK else _NOT_REPORTED
    if current is not None:
        return "write_through", (power.cause or _NOT_REPORTED) if configured in _WRITE_BACK else None
    return _inferred(configured, power)


def _inferred(configured: WritePolicy | None, power: Power) -> tuple[WriteActive | None, str | None]:
    """Infer only what the configured policy makes certain, if the current setting is not reported."""
    if configured == "write_through":
        return "write_through", None
    if configured == "unprotected_write_back":
        return "write_back", None
    if configured == "protected_write_back" and power.good is False:
        return "write_through", power.cause
    return None, None
