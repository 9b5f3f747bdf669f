"""Refuse desired settings that could lose data in a power failure. Pure.

The rules: a controller's write-back needs a healthy, charged battery or capacitor on the same controller; write-back
that continues without one is refused, and so is a volatile cache of a drive that is in use. ``--unsafe REASON``
overrides, and the reason goes into the journal.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.health.phrases import battery_noun
from raidctl.health.reliance import battery_defect
from raidctl.host import BlockDevice, HostView
from raidctl.model import Battery, Controller, Drive
from raidctl.model.objects import by_id
from raidctl.text import listing, uncapitalised
from raidctl.vendor.plan import Desired, Refusal
from raidctl.vendor.setting_values import neutral


def refusals(controller: Controller, requests: Sequence[Desired], view: HostView | None = None) -> list[Refusal]:
    """Return settings of a controller and its parts that ``--unsafe`` alone permits."""
    found = []
    for desired in requests:
        reason = unsafe(controller, desired, view)
        if reason is not None:
            found.append(Refusal(desired=desired, kind="unsafe", reason=reason, alternative=_alternative(desired)))
    return found


def unsafe(controller: Controller, desired: Desired, view: HostView | None = None) -> str | None:
    """Explain why a desired setting could lose data; None if it cannot. ``view`` shows what uses a drive."""
    if desired.setting == "write_policy":
        if desired.value == "unprotected_write_back":
            return "Unprotected write-back continues without a battery: a power failure loses the data in the cache."
        if desired.value == "protected_write_back":
            return unprotected(controller)
    if desired.setting == "no_battery_write_cache" and desired.value != "disabled":
        return "A power failure loses the data in a write cache without a battery."
    if desired.setting == "drive_write_cache" and desired.value != "disabled":
        return "The drives' write caches are volatile: the controller's battery does not protect them."
    if desired.setting == "write_cache" and desired.value != "disabled":
        return _drive(controller, desired.object_id, view)
    if desired.setting in ("journal_mode", "cache_mode") and neutral(desired.value) in ("write_back", "writeback"):
        return "Write-back on a single device: its failure loses the data that only it has."
    return _indirect_risk(controller, desired)


def _indirect_risk(controller: Controller, desired: Desired) -> str | None:
    """Explain how another setting directs writes into an unprotected cache."""
    if desired.setting == "io_policy" and desired.value == "cached":
        # MegaRAID's firmware may keep writes of cached I/O in its cache, even in write-through
        why = unprotected(controller)
        return f"Cached I/O may keep writes in the controller's cache, and {uncapitalised(why)}" if why else None
    if desired.setting == "cache_split" and not desired.value.endswith("/0"):
        cache = controller.cache
        none_yet = cache is None or not cache.write_percent
        if none_yet and not (cache is not None and cache.no_battery_write_cache is False):
            # with the no-battery cache on, only the ratio keeps writes out
            why = unprotected(controller)
            return f"It gives writes a share of the cache (none so far), and {uncapitalised(why)}" if why else None
    return None


def unprotected(controller: Controller) -> str | None:
    """Explain why write-back on this controller does not survive a power failure. None if it does."""
    if controller.mode == "software":
        return "Software RAID has no battery."
    if not controller.batteries:
        return f"{controller.id} reports no battery or capacitor."
    if controller.cache is not None and controller.cache.present is False:
        return f"{controller.id} has no cache."
    if controller.cache is not None and controller.cache.status == "critical":
        return f"The cache of {controller.id} is not in use: {controller.cache.status_text or 'reason unknown'}."
    bad = [text for battery in controller.batteries if (text := _fault(battery))]
    return f"{listing(bad)}." if bad else None


def _fault(battery: Battery) -> str | None:
    """Return the defect of a battery, or its status if it may not protect now."""
    passing = f"the {battery_noun(battery)} {battery.id} is {battery.status}" if battery.status != "ok" else None
    return battery_defect(battery) or passing


def _drive(controller: Controller, object_id: str, view: HostView | None) -> str | None:
    drive = by_id(controller.drives, object_id)
    if drive is None:
        return "The drive is unknown."
    used = _use(drive, view)
    return f"The drive's write cache is volatile, and {used}." if used else None


def _use(drive: Drive, view: HostView | None) -> str | None:
    """Return what uses a drive. None if it is known to be unused."""
    if drive.mountpoints:
        return f"{listing(drive.mountpoints)} is on the drive"
    if drive.role in ("member", "spare", "journal"):
        return "the drive belongs to an array"
    block = view.block(drive.device) if view is not None and drive.device else None
    if view is not None and block is not None:
        return _on(block, view)
    return None if drive.role == "unassigned" else "it is unknown what uses the drive"


def _on(block: BlockDevice, view: HostView) -> str | None:
    """Return what is on a drive: mounts, layers, or signatures. None if it is known to be empty.

    Signatures reveal data without links in the kernel (ZFS). Only udev reports them.
    """
    mounted = view.mountpoints(block.name)
    if mounted:
        return f"{listing(mounted)} is on the drive"
    above = list(view.above(block.name))
    layers = [device.node for device in above if device.kind != "partition"]
    if layers:
        return f"{listing(layers)} {'is' if len(layers) == 1 else 'are'} on the drive"
    signed = [device for device in (block, *above) if device.filesystem]
    if signed:
        return f"{signed[0].node} holds data ({signed[0].filesystem})"
    unread = [device.node for device in above or (block,) if not device.probed]
    return f"what {listing(unread)} contains is unknown without the udev database" if unread else None


def _alternative(desired: Desired) -> str:
    if desired.setting == "write_policy" and desired.value == "unprotected_write_back":
        return "Use protected-write-back: it is active while the battery is good, and falls back to write-through."
    if desired.setting == "write_policy":
        return "Use write-through, which needs no battery, or override with --unsafe REASON (kept in the journal)."
    return "Override with --unsafe REASON (kept in the journal)."
