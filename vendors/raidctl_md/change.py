"""Cache settings of an array: files in ``/sys/block/mdX/md``, and their values. Pure.

=====================  =============================================  ==========================================
knob                   words                                          arrays
=====================  =============================================  ==========================================
``stripe_cache_size``  17 to 32768: entries of 4 KiB for each member  RAID-4, RAID-5, RAID-6
``journal_mode``       ``write-through``, ``write-back``              those of them with a journal device
=====================  =============================================  ==========================================

The kernel keeps neither: an array is assembled with 256 entries and ``write-through``. Facts from the kernel's
drivers/md/raid5.c, drivers/md/raid5-cache.c and Documentation/driver-api/md/raid5-cache.rst.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Setting, Step, ToolSetting
from raidctl.vendor.setting_values import value

_KNOBS: tuple[Setting, ...] = ("stripe_cache_size", "journal_mode")
_MODES = ("write-through", "write-back")
_SIZES = range(17, 32769)
_PAGE = 4096
_PARITY = frozenset({"raid4", "raid5", "raid6"})
_NODE = re.compile(r"/dev/(md[\w.-]{1,60})")
_NOTHING_ELSE = "md's only cache settings are the stripe cache size and the journal mode."
_NO_JOURNAL = "The array has no journal device."
_DEGRADED = "The kernel refuses write-back while the array is degraded."
_RISK = "Data not yet written to the members is on the journal device only: it is lost if that device fails."


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The files that can be written, as far as they were read."""
    found: dict[ToolSetting, str] = {}
    for volume in controller.volumes:
        for knob in _KNOBS:
            current = value(controller, volume.id, knob)
            if current is not None and _place(volume, knob) is not None:
                found[volume.id, knob] = current
    return found


def plan(controller: Controller, wishes: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG001 - of all families
    """One file write for each desired setting that is not active yet."""
    volumes = {volume.id: volume for volume in controller.volumes}
    steps: list[Step] = []
    already: list[Desired] = []
    refusals: list[Refusal] = []
    for wish in wishes:
        volume = volumes.get(wish.object_id)
        before = value(controller, wish.object_id, wish.setting)
        refusal = _refusal(wish, volume, before)
        if before == wish.value:
            already.append(wish)
        elif refusal is not None:
            refusals.append(refusal)
        elif volume is not None and before is not None:
            steps.append(_step(volume, wish, before))
    return Plan(wishes=tuple(wishes), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG001 - the signature of all families
    """Arrays hold nothing unwritten, but for a journal in write-back: :mod:`raidctl.layers.flushing` answers for it."""
    return []


def judge(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - the signature of all families
    """Accept every output: what the kernel refuses fails when the file is written, and the engine reports it."""
    return None


def _refusal(wish: Desired, volume: Volume | None, before: str | None) -> Refusal | None:
    """Why a desired setting is impossible; None if it is possible."""
    if volume is None or wish.setting not in _KNOBS:
        return _unsupported(wish, _NOTHING_ELSE)
    if volume.raid_level is not None and volume.raid_level not in _PARITY:
        return _unsupported(
            wish, f"Only RAID-4, RAID-5 and RAID-6 have this setting; {volume.id} is {volume.raid_level}."
        )
    fault = _bad_size(wish) if wish.setting == "stripe_cache_size" else _bad_mode(wish, volume, before)
    if fault is not None:
        return fault
    if before is None or _place(volume, wish.setting) is None:
        reason = f"The kernel does not report the current {wish.setting}, so it could not be restored."
        return Refusal(wish=wish, kind="unknown", reason=reason)
    return None


def _unsupported(wish: Desired, reason: str, alternative: str | None = None) -> Refusal:
    return Refusal(wish=wish, kind="unsupported", reason=reason, alternative=alternative)


def _bad_size(wish: Desired) -> Refusal | None:
    if wish.value.isascii() and wish.value.isdecimal() and wish.value[0] != "0" and int(wish.value[:6]) in _SIZES:
        return None
    return _unsupported(wish, f"The size must be {_SIZES[0]} to {_SIZES[-1]} entries.")


def _bad_mode(wish: Desired, volume: Volume, before: str | None) -> Refusal | None:
    if wish.value not in _MODES:
        return _unsupported(wish, f"The mode must be {_MODES[0]} or {_MODES[1]}.")
    # the file is empty without a journal
    if before is None and volume.consistency_policy not in (None, "journal"):
        alternative = "Add a journal while the array is read-only: mdadm --manage DEVICE --add-journal JOURNAL."
        return _unsupported(wish, _NO_JOURNAL, alternative)
    if wish.value == "write-back" and _degraded(volume):
        return _unsupported(wish, _DEGRADED, "Set it when the array is no longer degraded.")
    return None


def _degraded(volume: Volume) -> bool:
    """Whether a member is missing or not filled yet: the kernel counts both."""
    want, have = volume.drives_expected, volume.drives_active
    short = want is not None and have is not None and have < want
    return short or volume.status in ("degraded", "failed", "rebuilding")


def _step(volume: Volume, wish: Desired, before: str) -> Step:
    return Step(
        object_id=volume.id,
        knob=wish.setting,
        before=before,
        after=wish.value,
        action=_action(volume, wish.setting, wish.value),
        undo=_action(volume, wish.setting, before),
        affects=_affects(volume, wish.setting, wish.value),
        persistent=False,
    )


def _affects(volume: Volume, setting: str, after: str) -> tuple[str, ...]:
    if setting == "journal_mode":
        return (_RISK,) if after == "write-back" else ()
    if volume.drives_expected is None:
        return ("Uses 4 KiB of memory per entry and member.",)
    mebibytes = int(after) * _PAGE * volume.drives_expected / 1024**2
    return (
        f"The stripe cache uses {mebibytes:.1f} MiB of memory: {after} x 4 KiB x {volume.drives_expected} members.",
    )


def _action(volume: Volume, setting: str, word: str) -> Action:
    return Action(path=_place(volume, setting), data=word)


def _place(volume: Volume, setting: str) -> str | None:
    """The file of a setting; None where the kernel's name of the array is not known."""
    match = _NODE.fullmatch(volume.device or "")
    return f"/sys/block/{match[1]}/md/{setting}" if match else None
