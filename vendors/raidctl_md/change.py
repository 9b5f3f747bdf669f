"""Cache settings of an array: files in ``/sys/block/mdX/md``, and their values. Pure.

=====================  =============================================  ==========================================
setting                   words                                          arrays
=====================  =============================================  ==========================================
``stripe_cache_size``  17 to 32768: entries of 4 KiB for each member  RAID-4, RAID-5, RAID-6
``journal_mode``       ``write-through``, ``write-back``              those of them with a journal device
``sync_speed_min``     KiB/s for each member, or ``system``           those that can be rebuilt or checked
``sync_speed_max``     as above                                       as above
=====================  =============================================  ==========================================

The kernel keeps neither: an array is assembled with 256 entries and ``write-through``. Facts from the kernel's
drivers/md/raid5.c, drivers/md/raid5-cache.c and Documentation/driver-api/md/raid5-cache.rst.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer
from raidctl.text import regex
from raidctl.units import format_binary
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Setting, Step, ToolSetting
from raidctl.vendor.setting_values import ENDLESS, SPEEDS, endless, value

_SETTINGS: tuple[Setting, ...] = ("stripe_cache_size", "journal_mode", *SPEEDS)
_MODES = ("write-through", "write-back")
_SIZES = range(17, 32769)
_PAGE = 4096
_PARITY = frozenset({"raid4", "raid5", "raid6"})
_NEVER_SYNCED = frozenset({"raid0", "linear", "jbod"})
_NODE = regex(r"/dev/(md[\w.-]{1,60})")
_NOTHING_ELSE = "md's only cache settings are the stripe cache size and the journal mode."
_DRIVES = "Set the write cache of its drives: `raidctl cache drive {} off` (or `on`)."
_NO_JOURNAL = "The array has no journal device."
_DEGRADED = "The kernel refuses write-back while the array is degraded."
_RISK = "Data not yet written to the members is on the journal device only: it is lost if that device fails."


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The files that can be written, as far as they were read."""
    found: dict[ToolSetting, str] = {}
    for volume in controller.volumes:
        for setting in _SETTINGS:
            current = value(controller, volume.id, setting)
            if current is not None and _place(volume, setting) is not None:
                found[volume.id, setting] = current
    return found


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG001 - of all families
    """One file write for each desired setting that is not active yet."""
    volumes = {volume.id: volume for volume in controller.volumes}
    steps: list[Step] = []
    already: list[Desired] = []
    refusals: list[Refusal] = []
    for desired in requests:
        volume = volumes.get(desired.object_id)
        before = value(controller, desired.object_id, desired.setting)
        refusal = _refusal(desired, volume, before)
        if before == desired.value:
            already.append(desired)
        elif refusal is not None:
            refusals.append(refusal)
        elif volume is not None and before is not None:
            steps.append(_step(volume, desired, before))
    return Plan(desired=tuple(requests), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG001 - the signature of all families
    """Return no flushes.

    Only a journal in write-back holds unwritten data, and :mod:`raidctl.layers.flushing` flushes it.
    """
    return []


def judge(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - the signature of all families
    """Accept every output. What the kernel refuses fails when the file is written, and the engine reports it."""
    return None


def _refusal(desired: Desired, volume: Volume | None, before: str | None) -> Refusal | None:
    """Why a desired setting is impossible; None if it is possible."""
    if volume is None or desired.setting not in _SETTINGS:
        drives = _DRIVES.format(desired.object_id) if desired.setting == "drive_write_cache" else None
        return _unsupported(desired, _NOTHING_ELSE, drives)
    if desired.setting in SPEEDS:
        return _bad_speed(desired, volume, before)
    if volume.raid_level is not None and volume.raid_level not in _PARITY:
        return _unsupported(
            desired, f"Only RAID-4, RAID-5 and RAID-6 have this setting; {volume.id} is {volume.raid_level}."
        )
    fault = _bad_size(desired) if desired.setting == "stripe_cache_size" else _bad_mode(desired, volume, before)
    if fault is not None:
        return fault
    if before is None or _place(volume, desired.setting) is None:
        reason = f"The kernel does not report the current {desired.setting}, so it could not be restored."
        return Refusal(desired=desired, kind="unknown", reason=reason)
    return None


def _bad_speed(desired: Desired, volume: Volume, before: str | None) -> Refusal | None:
    """Refuse what the kernel rejects, 0 among it."""
    if endless(desired.setting, desired.value):
        return _unsupported(desired, ENDLESS)
    if volume.raid_level in _NEVER_SYNCED:
        return _unsupported(
            desired, f"An array without redundancy is never rebuilt or checked; it is {volume.raid_level}."
        )
    if desired.value != "system" and not (
        desired.value.isascii() and desired.value.isdecimal() and len(desired.value) < 10
    ):
        return _unsupported(desired, "The speed must be KiB per second, or system.")
    if before is None or _place(volume, desired.setting) is None:
        reason = f"The kernel does not report the current {desired.setting}, so it could not be restored."
        return Refusal(desired=desired, kind="unknown", reason=reason)
    return None


def _unsupported(desired: Desired, reason: str, alternative: str | None = None) -> Refusal:
    return Refusal(desired=desired, kind="unsupported", reason=reason, alternative=alternative)


def _bad_size(desired: Desired) -> Refusal | None:
    if (
        desired.value.isascii()
        and desired.value.isdecimal()
        and desired.value[0] != "0"
        and int(desired.value[:6]) in _SIZES
    ):
        return None
    return _unsupported(desired, f"The size must be {_SIZES[0]} to {_SIZES[-1]} entries.")


def _bad_mode(desired: Desired, volume: Volume, before: str | None) -> Refusal | None:
    if desired.value not in _MODES:
        return _unsupported(desired, f"The mode must be {_MODES[0]} or {_MODES[1]}.")
    # the file is empty without a journal
    if before is None and volume.consistency_policy not in (None, "journal"):
        alternative = "Add a journal while the array is read-only: mdadm --manage DEVICE --add-journal JOURNAL."
        return _unsupported(desired, _NO_JOURNAL, alternative)
    if desired.value == "write-back" and _degraded(volume):
        return _unsupported(desired, _DEGRADED, "Set it when the array is no longer degraded.")
    return None


def _degraded(volume: Volume) -> bool:
    """Whether a member is missing or not filled yet. The kernel counts both."""
    want, have = volume.drives_expected, volume.drives_active
    short = want is not None and have is not None and have < want
    return short or volume.status in ("degraded", "failed", "rebuilding")


def _step(volume: Volume, desired: Desired, before: str) -> Step:
    return Step(
        object_id=volume.id,
        setting=desired.setting,
        before=before,
        after=desired.value,
        action=_action(volume, desired.setting, desired.value),
        undo=_action(volume, desired.setting, before),
        affects=_affects(volume, desired.setting, desired.value),
        persistent=False,
    )


def _affects(volume: Volume, setting: str, after: str) -> tuple[str, ...]:
    if setting in SPEEDS:
        return ("Applies to rebuilds, checks and reshapes of the array.",)
    if setting == "journal_mode":
        return (_RISK,) if after == "write-back" else ()
    if volume.drives_expected is None:
        return ("Uses 4 KiB of memory per entry and member.",)
    size = format_binary(int(after) * _PAGE * volume.drives_expected)
    return (f"The stripe cache uses {size} of memory: {after} x 4 KiB x {volume.drives_expected} members.",)


def _action(volume: Volume, setting: str, word: str) -> Action:
    return Action(path=_place(volume, setting), data=word)


def _place(volume: Volume, setting: str) -> str | None:
    """The file of a setting. None if the kernel's name of the array is unknown."""
    match = _NODE.fullmatch(volume.device or "")
    return f"/sys/block/{match[1]}/md/{setting}" if match else None
