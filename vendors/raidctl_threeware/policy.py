"""A unit's cache, from its setting, its StorSave policy and the battery.

Sources: tw_cli(8), "/cx/ux set storsave" and "/cx/bbu show status"; LSI 3ware CLI guide 10.2, p. 85: "protect": the
write cache goes off when the unit degrades; "balance": it does not; "perform": "if a BBU is present … essentially
disables the BBU for this unit". While a BBU that is there is testing, charging or broken, "the write cache is
disabled"; without a BBU a write cache that is on stays on.
"""

from __future__ import annotations

import re

from raidctl.model import Battery, ReadPolicy, VolumeCache, WriteActive, WritePolicy
from raidctl.model.write_protection import controller_cache
from raidctl.text import regex
from raidctl_threeware import vocabulary
from raidctl_threeware.draft import ControllerDraft, UnitDraft

_GUARDED = frozenset({"protect", "balance"})
# protect|balance|perform of the manual; "protection", "performance" of the web interface mean the same
_STORSAVE = regex(r"(protect|balance|perform)(?:ion|d|ance)?", re.ASCII)


def volume_cache(unit: UnitDraft, controller: ControllerDraft, battery: Battery | None) -> VolumeCache | None:
    """The cache of a unit; None if nothing was reported."""
    on, read = unit.get("write_cache"), _read_policy(unit, controller)
    if on is None and read is None:
        return None
    absent = _absent(controller, battery)
    storsave = _storsave(unit, controller)
    active, why = _active(unit, on=on, storsave=storsave, absent=absent, battery=battery)
    return VolumeCache(
        write_policy=_policy(on=on, storsave=storsave, absent=absent),
        write_active=active,
        controller_cache=controller_cache(active, kept=_kept(storsave, absent=absent, battery=battery)),
        why_not_in_force=why,
        read_policy=read,
    )


def _read_policy(unit: UnitDraft, controller: ControllerDraft) -> ReadPolicy | None:
    reported: str | None = unit.get("read_cache")
    if reported is not None:
        try:
            return vocabulary.read_policy(reported)
        except ValueError:
            unit.unread("read cache", reported)
            return None
    column = (unit.get("column") or "").upper()
    if column == "OFF":
        # the column of older releases has the write cache only
        return "off" if controller.newer else None
    found: dict[str, ReadPolicy] = {"W": "off", "RB": "none", "RBW": "none", "RI": "adaptive", "RIW": "adaptive"}
    return found.get(column)


def _storsave(unit: UnitDraft, controller: ControllerDraft) -> str | None:
    """The policy, which "9550SX and higher" have.

    The 9500S switches its cache off while its battery is not ready (9500S CLI guide, p. 83), like ``balance``.
    """
    reported: str | None = unit.get("storsave")
    if reported is None or not vocabulary.has_value(reported):
        return "balance" if (controller.get("model") or "").upper().startswith("9500S") else None
    found = _STORSAVE.fullmatch(reported)
    if found is None:
        unit.unread("StorSave policy", reported)
        return None
    return found[1]


def _absent(controller: ControllerDraft, battery: Battery | None) -> bool | None:
    """Whether no usable battery is present. None if the output has nothing on batteries."""
    if battery is not None:
        if battery.status == "missing":
            return True
        # "the controller ignores the existence of the BBU when BBU detection is disabled" (/cx/bbu disable)
        return any(draft.get("onlinestate") in {"Off", "OFF", "off"} for draft in controller.batteries.values())
    return True if controller.get("no_battery") else None


def _policy(*, on: bool | None, storsave: str | None, absent: bool | None) -> WritePolicy | None:
    if on is None:
        return None
    if not on:
        return "write_through"
    if absent or storsave == "perform":
        return "unprotected_write_back"
    return "protected_write_back" if storsave in _GUARDED and absent is not None else None


def _active(
    unit: UnitDraft, *, on: bool | None, storsave: str | None, absent: bool | None, battery: Battery | None
) -> tuple[WriteActive | None, str | None]:
    """The active policy, and why it differs from the configured one."""
    if on is None:
        return None, None
    if not on:
        return "write_through", None
    if storsave == "protect" and unit.get("status") in {"degraded", "rebuilding"}:
        return (
            "write_through",
            f"The unit is {unit.get('status_text')}; StorSave `protect` disables its cache in that state.",
        )
    if absent or battery is None:
        # "this column shows the state of the write cache" (/cx show): nothing else is reported
        return "write_back", None
    if battery.status == "unknown":
        return None, None
    if _good(battery):
        return "write_back", None
    if storsave in _GUARDED:
        return "write_through", f"The battery is not ready: {battery.status_text or battery.status}."
    return None, None


def _kept(storsave: str | None, *, absent: bool | None, battery: Battery | None) -> bool | None:
    """Whether the battery keeps unwritten data."""
    if absent or storsave == "perform":
        return False
    if battery is None or battery.status == "unknown" or storsave is None:
        return None
    return _good(battery)


def _good(battery: Battery) -> bool:
    return battery.status in {"ok", "degraded"} and vocabulary.ready(battery)
