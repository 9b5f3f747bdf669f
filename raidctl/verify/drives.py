"""What is known of the write caches of a volume's drives: the card's policy, the drives' word, the kernel's. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl.model import Drive
from raidctl.text import listing
from raidctl.verify.case import Case
from raidctl.verify.kernel import cache_type, queue

State = Literal["enabled", "disabled", "contradiction"]
_OFF = (
    "Switch them off (raidctl cache set --drive-cache off) and ask again, or ask the drives with the controller's tool."
)


@dataclass(frozen=True)
class DriveCaches:
    """Their common state; None: not known."""

    state: State | None
    why: str
    next_test: str | None = None


def drive_caches(case: Case) -> DriveCaches:
    """The state of the write caches of all drives below a subject, with the evidence added to the case."""
    policy = _policy(case)
    told = {drive.id: _told(case, drive) for _, drive in case.subject.drives}
    members = case.ground.below.members(case.subject.volume) if case.subject.volume else None
    on = [name for name, state in told.items() if state == "enabled"]
    off = [name for name, state in told.items() if state == "disabled"]
    all_off = bool(told) and len(off) == len(told) and (members is None or members.complete)
    if policy == "disabled" and on:
        why = f"The controller is set to keep them off, but {_names(on)} report{'s' * (len(on) == 1)} on."
        return DriveCaches("contradiction", why, _OFF)
    if policy == "enabled" and all_off:
        why = "The controller is set to keep them on, but all drives report that they are off."
        return DriveCaches("contradiction", why, _OFF)
    undescribed = members is not None and members.undescribed
    if policy == "disabled" and not undescribed:
        return DriveCaches("disabled", "The write caches of the drives are off.")
    if policy == "enabled" or on:
        whose = f" ({_names(on)})" if on and len(on) < len(told) else ""
        return DriveCaches("enabled", f"The write caches of the drives are on{whose}.")
    if all_off:
        return DriveCaches("disabled", "The write caches of the drives are off, as each of them reports.")
    return _unknown(case, policy, [name for name, state in told.items() if state is None], undescribed=undescribed)


def _unknown(case: Case, policy: str | None, silent: list[str], *, undescribed: bool) -> DriveCaches:
    if undescribed or (case.subject.drives and not silent):
        why = "Not every drive below it is described in what was read."
    elif policy == "default":
        why = "The controller leaves them as the drives come, and not every drive tells how that is."
    elif not case.subject.drives:
        why = "The drives below it are not known."
    else:
        why = f"Nothing tells whether the write {'cache' if len(silent) == 1 else 'caches'} of {_names(silent)} are on."
        why = why.replace("cache of", "cache of").replace(" are on.", " is on.") if len(silent) == 1 else why
    own = case.subject.software or case.subject.volume is None
    test = "Ask each drive itself, as root, with its own tool." if own else _OFF
    return DriveCaches(None, why, test)


def _policy(case: Case) -> str | None:
    volume = case.subject.volume
    if volume is None or volume.cache is None or volume.cache.drive_write_cache is None:
        return None
    told = volume.cache.drive_write_cache
    case.read(volume.id, "cache.drive_write_cache", f"write caches of the drives: {told}")
    return told


def _told(case: Case, drive: Drive) -> str | None:
    """What the drive says of its cache; what only the kernel thinks of it is evidence, but no word of the drive's."""
    block = case.ground.view.block(drive.device) if drive.device else None
    if drive.write_cache is not None:
        case.read(drive.id, "write_cache", f"write cache {drive.write_cache}", "drive")
    if block is not None:
        case.evidence += [one for one in (cache_type(case.ground.kernel, block), queue(block)) if one]
    if drive.write_cache == "disabled" and case.only_kernel(drive.id, "write_cache"):
        return None  # "write through" can be forced in sysfs, and is what the kernel takes when a drive does not answer
    return drive.write_cache


def _names(names: list[str]) -> str:
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return listing(shown)
