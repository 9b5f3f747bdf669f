"""Write caches of a volume's drives. The controller's policy, the drives and the kernel show them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl.model import Drive
from raidctl.model.settable import can_set, settable
from raidctl.text import listing
from raidctl.verify.case import Case
from raidctl.verify.kernel import cache_type, queue

State = Literal["enabled", "disabled", "contradiction"]
_CHECK = "Check the drives with the vendor's tool: either the controller's setting or the drives' report is wrong."
_OFF_BY_HAND = "Disable them and verify again, or check them with the controller's tool"


@dataclass(frozen=True)
class DriveCaches:
    """State of the write caches of all drives; None: unknown."""

    state: State | None
    why: str
    next_test: str | None = None


def drive_caches(case: Case) -> DriveCaches:
    """The state of the write caches of all drives below a subject. The evidence is added to the case."""
    policy = _policy(case)
    states = {drive.id: _state(case, drive) for _, drive in case.subject.drives}
    members = case.machine.below.members(case.subject.volume) if case.subject.volume else None
    on = [name for name, state in states.items() if state == "enabled"]
    off = [name for name, state in states.items() if state == "disabled"]
    listed = (members is None or members.complete) and not case.subject.unlinked
    all_off = bool(states) and len(off) == len(states) and listed
    if policy == "disabled" and on:
        report = "reports" if len(on) == 1 else "report"
        why = f"The controller is configured to keep the drives' write caches off, but {_names(on)} {report} on."
        return DriveCaches("contradiction", why, _CHECK)
    if policy == "enabled" and all_off:
        why = "The controller is configured to keep the drives' write caches on, but all drives report them off."
        return DriveCaches("contradiction", why, _off(case))
    undescribed = members is not None and members.undescribed
    if policy == "disabled" and not undescribed:
        return DriveCaches("disabled", "The write caches of the drives are off.")
    if policy == "enabled" or on:
        whose = f" ({_names(on)})" if on and len(on) < len(states) else ""
        return DriveCaches("enabled", f"The write caches of the drives are on{whose}.")
    if all_off:
        return DriveCaches("disabled", "All drives report their write caches off.")
    return _unknown(case, policy, [name for name, state in states.items() if state is None], undescribed=undescribed)


def _unknown(case: Case, policy: str | None, silent: list[str], *, undescribed: bool) -> DriveCaches:
    if undescribed or (case.subject.drives and not silent):
        why = "Not every drive below it is described in the output."
    elif policy == "default":
        why = "The controller leaves them at the drives' default, which not every drive reports."
    elif not case.subject.drives:
        why = "The drives below it are unknown."
    else:
        noun, verb = ("cache", "is") if len(silent) == 1 else ("caches", "are")
        why = f"Whether the write {noun} of {_names(silent)} {verb} on is not reported."
    own = case.subject.software or case.subject.volume is None
    test = "Query each drive as root, with its own tool." if own else _off(case)
    return DriveCaches(None, why, test)


def _off(case: Case) -> str:
    command = f"{_disable(case)} and verify again, or check them with the controller's tool."
    return settable(case.subject.controller, "drive_write_cache", command, _OFF_BY_HAND)


def _disable(case: Case) -> str:
    item = case.subject.item.id
    words = f"set {item} --drive-cache off" if case.subject.volume else f"drive {item} off"
    return f"Disable them (`raidctl cache {words}`)"


def disable_or_measure(case: Case) -> str:
    """The next test if the drives' caches are on. It names commands only for what raidctl can set here."""
    controller = case.subject.controller
    measure = f"measure in write-through: {case.measuring('--switch-policy')}"
    command = _disable(case)
    off = settable(controller, "drive_write_cache", f"{command}.", "Disable them")
    if not can_set(controller, "write_policy"):
        return off
    return f"{command}, or {measure}" if can_set(controller, "drive_write_cache") else f"{off} Or {measure}"


def _policy(case: Case) -> str | None:
    volume = case.subject.volume
    if volume is None or volume.cache is None or volume.cache.drive_write_cache is None:
        return None
    policy = volume.cache.drive_write_cache
    case.cite(volume.id, "cache.drive_write_cache", f"write caches of the drives: {policy}")
    return policy


def _state(case: Case, drive: Drive) -> str | None:
    """State reported by the drive. The kernel's view is only added as evidence."""
    block = case.machine.view.block(drive.device)
    if drive.write_cache is not None:
        case.cite(drive.id, "write_cache", f"write cache {drive.write_cache}", "drive")
    if block is not None:
        case.evidence += [one for one in (cache_type(case.machine.kernel, block), queue(block)) if one]
    if drive.write_cache == "disabled" and case.only_kernel(drive.id, "write_cache"):
        return None  # "write through" can be forced in sysfs, and is the kernel's default when a drive does not respond
    return drive.write_cache


def _names(names: list[str]) -> str:
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return listing(shown)
