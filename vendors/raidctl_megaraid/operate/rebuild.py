"""Start and stop the rebuild of a member. Pure."""

from __future__ import annotations

from raidctl.model import Drive
from raidctl.vendor.deed_steps import expect
from raidctl.vendor.plan import Step
from raidctl_megaraid.operate.drive_words import state_of
from raidctl_megaraid.operate.steps import Case, Made

_UNSEEN = "The tool's output does not show whether a rebuild is paused, so raidctl could not confirm the command."


def started(case: Case, drive: Drive) -> Step:
    """Begin the rebuild of a member that is offline."""
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before=drive.status_text or "", after="rebuilding",
        kind="deed", way_back="other", action=case.route.on_drive("start_rebuild", drive),
        undo=case.route.on_drive("stop_rebuild", drive), expects=(expect(drive.id, "role", "member"),),
        undo_expects=(expect(drive.id, "role", "member", "is_not"),),
        subjects=case.subjects(drive, case.volume or case.controller),
    )  # fmt: skip


def start_rebuild(case: Case) -> Made:
    """Start a rebuild that does not begin automatically."""
    drive = case.drive
    if drive is None:
        return case.deny("No drive is named.")
    state = state_of(drive)
    if state == "rebuilding":
        return []
    if state not in ("offline", "failed") or drive.array is None:
        return case.deny(
            f"{drive.id} is {drive.status_text or 'in an unknown state'}: only a member that is offline can be rebuilt."
        )
    return [started(case, drive)]


def stop_rebuild(case: Case) -> Made:
    """Stop a rebuild; the member is then offline."""
    drive = case.drive
    if drive is None or state_of(drive) != "rebuilding":
        return case.deny(f"{drive.id if drive is not None else 'The drive'} is not being rebuilt.")
    forward = started(case, drive)
    return [
        Step(
            object_id=case.deed.object_id, setting=case.deed.verb, before=drive.status_text or "", after="offline",
            kind="deed", way_back="other", action=forward.undo, undo=forward.action,
            affects=(f"{drive.array} lacks {drive.id} until a rebuild is started again, which begins at 0%.",),
            expects=forward.undo_expects, undo_expects=forward.expects, subjects=forward.subjects,
        )
    ]  # fmt: skip


def pause_or_resume(case: Case) -> Made:
    """``show rebuild`` of storcli reports a pause. Without it, as with MegaCli, the command is printed."""
    drive = case.drive
    if drive is None or state_of(drive) != "rebuilding":
        return case.deny(f"{drive.id if drive is not None else 'The drive'} is not being rebuilt.")
    state = drive.progress.state if drive.progress is not None else None
    if state is None or case.route.prints(case.deed.verb):
        return case.printed(_UNSEEN, case.route.on_drive(case.deed.verb, drive))
    pause = case.deed.verb == "pause_rebuild"
    if (state == "paused") is pause:
        return []
    on, off = case.route.on_drive("pause_rebuild", drive), case.route.on_drive("resume_rebuild", drive)
    paused, runs = expect(drive.id, "progress.state", "paused"), expect(drive.id, "progress.state", "running")
    return [
        Step(
            object_id=case.deed.object_id, setting=case.deed.verb, before="running" if pause else "paused",
            after="paused" if pause else "running", kind="deed", action=on if pause else off,
            undo=off if pause else on, expects=(paused if pause else runs,), undo_expects=(runs if pause else paused,),
            affects=(f"{drive.array} lacks {drive.id} for longer.",) if pause else (),
            subjects=case.subjects(drive, case.volume or case.controller),
        )
    ]  # fmt: skip
