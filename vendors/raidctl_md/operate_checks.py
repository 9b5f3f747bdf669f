"""Deeds with scrubs of an array, through the kernel's files. A scrub is started, stopped, paused or resumed. Pure.

==================  ==========================================  ===========================
deed                written                                     next reading
==================  ==========================================  ===========================
``start_check``     0 to sync_min, max to sync_max, "check"     the array is being checked
``repair``          the same, "repair"                          the array is being checked
``stop_check``      "idle"                                      it is not
``pause_check``     "idle": the kernel keeps the place          it is not
``resume_check``    "check": it continues at that place         the array is being checked
==================  ==========================================  ===========================

The next check begins at ``sync_min``, so it is 0 first. ``sync_max`` cannot be lowered while a check runs: the kernel
answers "Device or resource busy" (drivers/md/md.c, max_sync_store), so a pause is a stop that keeps the place.
"frozen" would drop the check.
"""

from __future__ import annotations

import re

from raidctl.model import Volume
from raidctl.text import regex
from raidctl.vendor.checks import COMPUTES_PARITY
from raidctl.vendor.plan import Action, Deed, Denial, Expectation, Identity, Step
from raidctl.vendor.shapes import Shape

_PLACE = "/sys/block/{}/md/"
SHAPES: tuple[Shape, ...] = (
    (">", f"{_PLACE}sync_min", r"~\d{1,20}"),
    (">", f"{_PLACE}sync_max", "max"),
    (">", f"{_PLACE}sync_max", r"~\d{1,20}"),
    *((">", f"{_PLACE}sync_action", word) for word in ("check", "repair", "idle")),
)
_ACTIONS = {
    "start_check": "check", "resume_check": "check", "repair": "repair", "stop_check": "idle", "pause_check": "idle",
}  # fmt: skip
VERBS = frozenset(_ACTIONS)
NODE = regex(r"/dev/(md[\w.-]{1,60})", re.ASCII)
_SECONDS = 30.0
_SMALL = 1024**3
"""Size of a small array, in bytes. The check of a smaller one may end before it is seen to run."""


def steps_of(deed: Deed, volume: Volume | None) -> list[Step] | Denial:
    """The writes of a deed, or why there are none."""
    match = NODE.fullmatch(volume.device or "") if volume is not None else None
    if volume is None or match is None:
        return Denial(deed=deed, reason=f"The device node of {deed.object_id} is unknown.", unknown=True)
    if not volume.unique_id:
        return Denial(deed=deed, guard="X1", reason=f"The UUID of {volume.id} is unknown.", unknown=True)
    details = volume.details
    if any(name not in details for name in ("sync_action", "sync_min", "sync_max")):
        return Denial(deed=deed, reason=f"The kernel does not show where a check of {volume.id} begins.", unknown=True)
    word = _ACTIONS[deed.verb]
    steps = []
    if deed.verb in ("start_check", "repair") and details["sync_min"] != "0":
        steps.append(_bound(volume, "sync_min", "0"))
    if word != "idle" and details["sync_max"] != "max":
        steps.append(_bound(volume, "sync_max", "max"))
    return [*steps, _action(deed, volume, word)]


def _write(volume: Volume, name: str, word: str) -> Action:
    return Action(path=_PLACE.format((volume.device or "").removeprefix("/dev/")) + name, data=word)


def _subjects(volume: Volume) -> tuple[Identity, ...]:
    return (Identity(object_id=volume.id, unique=volume.unique_id or "", device=volume.device),)


def _bound(volume: Volume, name: str, word: str) -> Step:
    """The whole of the array is to be checked."""
    before = volume.details[name]
    return Step(
        object_id=volume.id, setting=name, before=before, after=word, kind="deed",
        action=_write(volume, name, word), undo=_write(volume, name, before), subjects=_subjects(volume),
        expects=(_limit(volume, name, word),), undo_expects=(_limit(volume, name, before),),
    )  # fmt: skip


def _limit(volume: Volume, name: str, word: str) -> Expectation:
    return Expectation(object_id=volume.id, field=f"details.{name}", value=word, within_seconds=_SECONDS)


def _action(deed: Deed, volume: Volume, word: str) -> Step:
    running = word != "idle"
    before = volume.details["sync_action"]
    if running and (volume.size_bytes or 0) < _SMALL:
        seen = Expectation(
            object_id=volume.id, field="details.last_sync_action", value=word, within_seconds=_SECONDS
        )  # fmt: skip
    else:
        seen = _status(volume, "is" if running else "is_not")
    return Step(
        object_id=volume.id,
        setting=deed.verb,
        before=before,
        after=word,
        kind="deed",
        way_back="other",
        action=_write(volume, "sync_action", word),
        undo=_write(volume, "sync_action", "idle" if running else "repair" if before == "repair" else "check"),
        affects=_affects(volume, word),
        expects=(seen,),
        undo_expects=(_status(volume, "is_not" if running else "is"),),
        subjects=_subjects(volume),
    )


def _status(volume: Volume, op: str) -> Expectation:
    return Expectation(
        object_id=volume.id, field="status", op="is" if op == "is" else "is_not", value="checking",
        within_seconds=_SECONDS,
    )  # fmt: skip


def _affects(volume: Volume, word: str) -> tuple[str, ...]:
    if word == "repair" and volume.raid_level in ("raid1", "raid10"):
        text = "Where copies differ, one overwrites the others by its position; which one is right is unknown."
        return (f"{text} Only a checksum of the files shows it.",)
    if word == "repair":
        return (COMPUTES_PARITY,)
    return ("The array is slower until the check ends.",) if word == "check" else ()
