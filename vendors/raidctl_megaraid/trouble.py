"""Troubles that the tools' status words tell, as problems with a remedy for a person at 3 a.m."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.draft import Draft
from raidctl.model import Battery, Controller, Drive, Problem, Volume
from raidctl.units import format_decimal
from raidctl_megaraid.draft import CardDraft
from raidctl_megaraid.policy import Power, masked

_DEGRADED = "Find the failed or missing drive below, replace it, and let the rebuild finish before the next one."
_GONE = "Do not create or clear anything: look at cables, power and the drives first; then import or restore."
_PRESERVED = (
    "Bring the offline volume's drives back so that the data can be written; discarding the preserved cache loses it."
)
_VOLUME = {
    "degraded": _DEGRADED,
    "failed": _GONE,
    "offline": _GONE,
    "rebuilding": "Let it finish; replace no drive meanwhile.",
}


def state_problems(found: Controller, card: CardDraft, power: Power) -> Iterator[Problem]:
    """What the hardware or its tool reports as trouble."""
    if found.status in ("warning", "critical"):
        yield _state(found.id, f"The controller's status is {found.status_text}.", "Look at its drives and its log.")
    cache = found.cache
    if cache is not None and cache.unwritten_data:
        yield _state(found.id, "The cache holds preserved data of a volume that is offline or missing.", _PRESERVED)
    if cache is not None and cache.status in ("warning", "critical"):
        yield _state(found.id, f"The cache memory's status is {cache.status_text}.", "Look at the controller's log.")
    needed = any(_needs_battery(volume) for volume in found.volumes)
    for battery in found.batteries:
        yield from _battery(battery, needed=needed)
    healthy = all(battery.status == "ok" for battery in found.batteries)
    if power.present is not False and healthy and power.mask and power.good is None:
        said = "; ".join(masked(power.mask))
        yield _state(found.id, f"The controller says of its battery: {said or power.mask}.", "Look at the battery.")
    for volume in found.volumes:
        yield from _volume(volume)
    yield from _drive_caches(found)
    alerts = {key for key, draft in card.drives.items() if _alerted(draft)}
    for drive in found.drives:
        yield from _drive(drive, told=drive.id.removeprefix(f"{found.id}/") in alerts)
    yield from _foreign(found, card)


def _needs_battery(volume: Volume) -> bool:
    cache = volume.cache
    return cache is not None and (
        cache.write_active == "write_back" or (cache.write_policy or "").endswith("write_back")
    )


def _battery(battery: Battery, *, needed: bool) -> Iterator[Problem]:
    """``needed``: a volume is configured for write-back, or does it."""
    name = "battery or capacitor" if battery.kind == "unknown" else battery.kind
    said = f": {battery.status_text}" if battery.status_text else ""
    if battery.replace:
        yield _state(battery.id, f"The cache's {name} asks for its replacement{said}.", "Replace it.")
    elif battery.status in ("failed", "degraded"):
        yield _state(battery.id, f"The cache's {name} is {battery.status}{said}.", "Replace it.")
    elif battery.status == "missing":
        yield _state(
            battery.id,
            "The cache has no battery and no capacitor: unwritten data would be lost with the power.",
            "Check its cable if there is one; without one, keep the volumes at write-through.",
            info=not needed,
        )
    elif battery.status in ("charging", "learning"):
        yield _state(
            battery.id,
            f"The cache's {name} is {battery.status}{said}; write-back may be off until it is done.",
            "Wait until it is charged; replace it when it stays so.",
            info=True,
        )


def _volume(volume: Volume) -> Iterator[Problem]:
    if volume.status in _VOLUME:
        yield _state(volume.id, f"The volume is {volume.status}: {volume.status_text}.", _VOLUME[volume.status])
    cache = volume.cache
    if cache is not None and cache.write_policy is None and cache.write_active is not None:
        yield Problem(
            severity="info", kind="note", where=volume.id,
            message=f"The output tells that {cache.write_active.replace('_', '-')} is in force, but not what is "
            "configured: the battery may have forced it.",
            remedy="The initial setting stands in the output of `/call/vall show all`.",
        )  # fmt: skip
    if cache is None or cache.why_not_in_force is None:
        return
    if cache.write_active is None:
        yield _state(volume.id, cache.why_not_in_force, "Read the setting again; look at the battery first.")
    elif cache.write_active == "write_through":
        yield _state(
            volume.id,
            f"Write-back is configured, write-through is in force: {cache.why_not_in_force}",
            "Writes are slow until the cause is gone; do not force write-back without a good battery.",
        )


def _drive_caches(found: Controller) -> Iterator[Problem]:
    on = [item.id for item in found.volumes if item.cache is not None and item.cache.drive_write_cache == "enabled"]
    if on:
        yield _state(
            found.id,
            "The drives' own write caches are switched on for "
            f"{', '.join(on[:8])}{' and more' if len(on) > 8 else ''}: what they hold is lost when the power fails, "
            "whatever backs the controller's cache.",
            "Turn them off (pdcache=Off), unless the server's power cannot fail.",
        )


def _drive(drive: Drive, *, told: bool) -> Iterator[Problem]:
    """``told``: the tool's own alert is a problem already."""
    count = drive.errors.predictive or 0
    if drive.status == "critical":
        yield _state(drive.id, f"The drive{_name(drive)} is {drive.status_text}.", "Replace the drive.")
    elif told:
        return
    elif count:
        yield _state(
            drive.id,
            f"The drive{_name(drive)} predicts its own failure ({count} events).",
            "Replace it soon; before that, see that the volume has its redundancy.",
        )
    elif any(word.startswith(("rbld", "rebuild")) for word in _words(drive.status_text)):
        # Rbld        Rebuild        Conf, Rebuild
        yield _state(drive.id, f"The drive{_name(drive)} is being rebuilt.", "Let it finish; pull no drive meanwhile.")
    elif drive.status == "warning":
        yield _state(drive.id, f"The drive{_name(drive)} needs a look: {drive.status_text}.", "Look at the drive.")


def _words(text: str | None) -> list[str]:
    return re.findall(r"[a-z]+", (text or "").lower())


def _alerted(draft: Draft) -> bool:
    return any("S.M.A.R.T." in complaint.message for complaint in draft.complaints)


def _name(drive: Drive) -> str:
    parts = [drive.model or "", f"serial {drive.serial}" if drive.serial else ""]
    if drive.size_bytes:
        parts.append(format_decimal(drive.size_bytes))
    said = ", ".join(part for part in parts if part)
    return f" ({said})" if said else ""


def _foreign(found: Controller, card: CardDraft) -> Iterator[Problem]:
    """Drives that carry the configuration of another controller: a sure sign of moved drives or of a lost one."""
    drives = [key for key, draft in card.drives.items() if draft.get("foreign")]
    if drives or card.get("foreign"):
        listed = f" on {', '.join(drives[:8])}{' and more' if len(drives) > 8 else ''}" if drives else ""
        yield _state(
            found.id,
            f"There is a foreign configuration{listed}: no volume uses these drives.",
            "Look at it before anything else (storcli /cN/fall show); importing keeps its data, clearing deletes it.",
        )


def _state(where: str, message: str, remedy: str, *, info: bool = False) -> Problem:
    return Problem(
        severity="info" if info else "warning", kind="state", where=where, message=message.replace("..", "."),
        remedy=remedy,
    )  # fmt: skip
