"""Change a drive's state: good, offline, online, exposed to the system (JBOD) or not, erased. Pure."""

from __future__ import annotations

from raidctl.vendor.deed_steps import expect
from raidctl.vendor.plan import Action, Step
from raidctl_megaraid.operate.commands import denied
from raidctl_megaraid.operate.drive_words import State, state_of
from raidctl_megaraid.operate.replacing import good_step, offline_step
from raidctl_megaraid.operate.steps import Case, Made

_ERASE = "No output that raidctl reads shows whether a drive is being erased, so it could not confirm the command."

_FORCE_OFFLINE, _FORCE_ONLINE = "support drive force offline", "support drive force online"
"""As version 8 names what version 7 calls ``Force Offline``."""


def _wrong(case: Case, state: State, wanted: str) -> Made:
    drive = case.drive
    text = f"{drive.id} is {drive.status_text or 'in an unknown state'}" if drive is not None else "No drive is named"
    return case.deny(f"{text}: {wanted}.", unknown=state == "unknown")


def good(case: Case) -> Made:
    """``UBad`` becomes ``UGood``; a foreign drive stays as it is (D1)."""
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if drive is not None and drive.foreign:
        return case.deny_foreign(drive, "D1")
    if state == "good":
        return []
    if drive is None or state != "bad":
        return _wrong(case, state, "only an unconfigured bad drive can be marked as good")
    if denied(case.controller, "pd operations: deny force good/bad", "yes"):
        return case.deny("The controller reports that it does not permit it (Deny Force Good/Bad = Yes).")
    return [good_step(case, drive)]


def offline(case: Case) -> Made:
    """Set a working member offline. The guards check whether its array survives that."""
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if state == "offline":
        return []
    if drive is None or state != "online" or drive.array is None:
        return _wrong(case, state, "only a working member can be set offline")
    if any(denied(case.controller, f"pd operations: {label}") for label in ("force offline", _FORCE_OFFLINE)):
        return case.deny("The controller reports that it cannot set a drive offline (Force Offline = No).")
    return [offline_step(case, drive)]


def online(case: Case) -> Made:
    """Set a member online that was set offline, without a rebuild.

    It stays as it is, which is right only if nothing was written since (D4).
    """
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if state == "online":
        return []
    if drive is None or state != "offline" or drive.array is None:
        return _wrong(case, state, "only a member that was set offline can be set online")
    if any(denied(case.controller, f"pd operations: {label}") for label in ("force online", _FORCE_ONLINE)):
        return case.deny("The controller reports that it cannot set a drive online (Force Online = No).")
    return [
        Step(
            object_id=case.deed.object_id, setting="online", before=drive.status_text or "", after="online",
            kind="deed", way_back="other", action=case.route.on_drive("online", drive),
            undo=case.route.on_drive("offline", drive),
            affects=("What was written to the array since it was set offline is wrong on this drive.",),
            expects=(expect(drive.id, "role", "member"),),
            undo_expects=(expect(drive.id, "role", "member", "is_not"),),
            subjects=case.subjects(drive, case.volume or case.controller), saves=case.saves(),
        )
    ]  # fmt: skip


def jbod(case: Case) -> Made:
    """Expose the drive to the system. The controller's JBOD mode is not switched on for that."""
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if state == "jbod":
        return []
    if drive is None or state != "good" or drive.foreign:
        return _wrong(case, state, "only an unconfigured good drive becomes a JBOD drive")
    for label in ("operations: support jbod", "capabilities: enable jbod"):
        if denied(case.controller, label):
            return case.deny(
                f"The controller's JBOD mode is off ({label.partition(': ')[2]}: No); raidctl does not switch it on, "
                "because it acts on all drives."
            )
    undo = case.route.has("raid")
    return [
        Step(
            object_id=case.deed.object_id, setting="jbod", before=drive.status_text or "", after="JBOD", kind="deed",
            way_back="same" if undo else "none", action=case.route.on_drive("jbod", drive),
            undo=case.route.on_drive("raid", drive) if undo else Action(), affects=_old_tool(case) if undo else (),
            no_way_back=None if undo else _ONLY_FORCED, expects=(expect(drive.id, "role", "passthrough"),),
            undo_expects=(expect(drive.id, "role", "unassigned"),) if undo else (),
            subjects=case.subjects(drive, case.controller),
        )
    ]  # fmt: skip


def _old_tool(case: Case) -> tuple[str, ...]:
    """A note that the tool may lack ``del jbod``.

    The help of 007.2707 (2023) lists it, and that of versions about 007.04 (2018) does not.
    """
    text = "Older versions of the tool have no command that takes a drive back from JBOD, and reject it."
    return (text,) if case.route.kind == "storcli" else ()


_ONLY_FORCED = "MegaCli makes a JBOD drive usable for RAID only with -Force, which raidctl never uses."


def raid(case: Case) -> Made:
    """Hide the drive from the system; it is then unconfigured."""
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if state == "good":
        return []
    if drive is None or state != "jbod":
        return _wrong(case, state, "only a JBOD drive can be taken back")
    if not case.route.has("raid"):
        return case.deny(_ONLY_FORCED, "Use storcli or perccli for this controller.")
    return [
        Step(
            object_id=case.deed.object_id, setting="raid", before=drive.status_text or "", after="unconfigured good",
            kind="deed", way_back="other", action=case.route.on_drive("raid", drive),
            undo=case.route.on_drive("jbod", drive), affects=("The system no longer sees the drive.", *_old_tool(case)),
            expects=(expect(drive.id, "role", "unassigned"),), undo_expects=(expect(drive.id, "role", "passthrough"),),
            subjects=case.subjects(drive, case.controller),
        )
    ]  # fmt: skip


def erase(case: Case) -> Made:
    """Only print the command that erases a drive. The drive has to be in no array, and no spare."""
    drive = case.drive
    state = state_of(drive) if drive is not None else "unknown"
    if drive is None or state != "good" or drive.foreign:
        return _wrong(case, state, "only an unconfigured good drive can be erased")
    if denied(case.controller, "pd operations: deny clear", "yes"):
        return case.deny("The controller reports that it does not permit it (Deny Clear = Yes).")
    return case.printed(_ERASE, case.route.on_drive("erase", drive))
