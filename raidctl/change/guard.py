"""The gate: which wishes could lose data when the power fails. Pure.

The rule of this house: a controller's write-back only with a healthy, charged battery or capacitor on that very
controller; write-back that goes on without one never; a volatile cache of a drive never under anything that is in use.
``--unsafe REASON`` overrides, and the reason goes into the journal.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import BlockDevice, HostView
from raidctl.model import Battery, Controller, Drive
from raidctl.text import listing
from raidctl.vendor.plan import Desired, Refusal
from raidctl.vendor.setting_values import neutral

FULL_ENOUGH = 50
"""Percent of charge below which a battery is not counted on, whatever its status word says."""


def refusals(controller: Controller, wishes: Sequence[Desired], view: HostView | None = None) -> list[Refusal]:
    """The wishes about this controller and what is on it that are refused without ``--unsafe``."""
    found = []
    for wish in wishes:
        reason = unsafe(controller, wish, view)
        if reason is not None:
            found.append(Refusal(wish=wish, kind="unsafe", reason=reason, alternative=_alternative(wish)))
    return found


def unsafe(controller: Controller, wish: Desired, view: HostView | None = None) -> str | None:
    """Why a wish could lose data; None when it cannot. ``view`` tells what uses a drive."""
    if wish.setting == "write_policy":
        if wish.value == "unprotected_write_back":
            return "Unprotected write-back goes on without a battery: a power failure loses what the cache holds."
        if wish.value == "protected_write_back":
            return unprotected(controller)
    if wish.setting == "no_battery_write_cache" and wish.value != "disabled":
        return "A write cache without a battery loses what it holds when the power fails."
    if wish.setting == "drive_write_cache" and wish.value != "disabled":
        return "The drives' own write caches are volatile: no battery of the controller keeps what they hold."
    if wish.setting == "write_cache" and wish.value != "disabled":
        return _drive(controller, wish.object_id, view)
    if wish.setting in ("journal_mode", "cache_mode") and neutral(wish.value) in ("write_back", "writeback"):
        return "Write-back on one device loses what only that device holds when it fails."
    return _by_the_back_door(controller, wish)


def _by_the_back_door(controller: Controller, wish: Desired) -> str | None:
    """Settings with another name that let writes into a cache which nothing keeps."""
    if wish.setting == "io_policy" and wish.value == "cached":
        # MegaRAID's firmware may keep writes of cached I/O in its cache, even in write-through
        why = unprotected(controller)
        return f"Cached I/O may keep writes in the controller's cache, and {_lower(why)}" if why else None
    if wish.setting == "cache_split" and not wish.value.endswith("/0"):
        cache = controller.cache
        none_yet = cache is None or not cache.write_percent
        if none_yet and not (cache is not None and cache.no_battery_write_cache is False):
            # with the no-battery cache on, nothing but the split keeps writes out
            why = unprotected(controller)
            return f"It gives writes a share of the cache, which has had none, and {_lower(why)}" if why else None
    return None


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"


def unprotected(controller: Controller) -> str | None:
    """Why write-back on this controller is not kept through a power loss; None when it is."""
    if controller.mode == "software":
        return "Software RAID has no battery."
    if not controller.batteries:
        return f"{controller.id} tells of no battery or capacitor."
    if controller.cache is not None and controller.cache.present is False:
        return f"{controller.id} has no cache."
    if controller.cache is not None and controller.cache.status == "critical":
        return f"The cache of {controller.id} is not in use: {controller.cache.status_text or 'it does not say why'}."
    bad = [text for battery in controller.batteries if (text := _fault(battery))]
    return f"{listing(bad)}." if bad else None


def _fault(battery: Battery) -> str | None:
    name = "the battery" if battery.kind == "unknown" else f"the {battery.kind}"
    name = f"{name} {battery.id}"
    if battery.status != "ok":
        return f"{name} is {battery.status}"
    if battery.replace:
        return f"{name} is to be replaced"
    if battery.charge_percent is not None and battery.charge_percent < FULL_ENOUGH:
        return f"{name} is charged to {battery.charge_percent} % only"
    return None


def _drive(controller: Controller, object_id: str, view: HostView | None) -> str | None:
    drive = next((drive for drive in controller.drives if drive.id == object_id), None)
    if drive is None:
        return "Nothing is known of the drive."
    used = _use(drive, view)
    return f"The drive's write cache is volatile, and {used}." if used else None


def _use(drive: Drive, view: HostView | None) -> str | None:
    """What uses a drive; None when it is known that nothing does."""
    if drive.mountpoints:
        return f"the drive carries {listing(drive.mountpoints)}"
    if drive.role in ("member", "spare", "journal"):
        return "the drive belongs to an array"
    block = view.block(drive.device) if view is not None and drive.device else None
    if view is not None and block is not None:
        return _on(block, view)
    return None if drive.role == "unassigned" else "it is not known what uses the drive"


def _on(block: BlockDevice, view: HostView) -> str | None:
    """What lies on a disk: mounts, layers, and signatures of what the kernel's links do not show (ZFS, databases)."""
    mounted = view.mountpoints(block.name)
    if mounted:
        return f"the drive carries {listing(mounted)}"
    above = list(view.above(block.name))
    layers = [device.node for device in above if device.kind != "partition"]
    if layers:
        return f"{listing(layers)} {'lies' if len(layers) == 1 else 'lie'} on the drive"
    signed = [device for device in (block, *above) if device.filesystem]
    return f"{signed[0].node} holds data ({signed[0].filesystem})" if signed else None


def _alternative(wish: Desired) -> str:
    if wish.setting == "write_policy" and wish.value == "unprotected_write_back":
        return "protected-write-back is in force while the battery is good, and falls back by itself."
    if wish.setting == "write_policy":
        return "write-through needs no battery. --unsafe REASON does it all the same, and the journal keeps the reason."
    return "--unsafe REASON does it all the same, and the journal keeps the reason."
