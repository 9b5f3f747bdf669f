"""Consistency checks of volumes, and the patrol read of a controller. Pure."""

from __future__ import annotations

from raidctl.vendor.deed_steps import expect
from raidctl.vendor.plan import Step
from raidctl_megaraid.operate.commands import denied
from raidctl_megaraid.operate.steps import Case, Made

_UNSEEN = "No output that raidctl reads shows {}, so it could not confirm the command."


def start_or_stop(case: Case) -> Made:
    """``start cc`` and ``stop cc``. A volume that is being checked already needs no start."""
    volume = case.volume
    if volume is None:
        return case.deny(f"{case.deed.object_id} is not a volume: checks are started volume by volume.")
    running = volume.progress is not None and volume.progress.operation == "check"
    start = case.deed.verb == "start_check"
    if running is start:
        return []
    if start and denied(case.controller, "vd operations: deny cc", "yes"):
        return case.deny("The controller reports that it permits no consistency check (Deny CC = Yes).")
    if start and volume.raid_level in ("raid0", "jbod"):
        return case.deny(f"{volume.id} has no copies or parity that could be compared.")
    on, off = case.route.on_volume("start_check", volume), case.route.on_volume("stop_check", volume)
    seen, idle = expect(volume.id, "status", "checking"), expect(volume.id, "status", "checking", "is_not")
    return [
        Step(
            object_id=volume.id, setting=case.deed.verb, before=volume.status_text or "",
            after="checking" if start else "not checking", kind="deed", way_back="other",
            action=on if start else off, undo=off if start else on,
            affects=("The volume is slower until the check ends.",) if start else (),
            expects=(seen if start else idle,), undo_expects=(idle if start else seen,),
            subjects=case.subjects(volume, case.controller),
        )
    ]  # fmt: skip


def pause_or_resume(case: Case) -> Made:
    """``show cc`` of storcli reports a pause. Without it, as with MegaCli, the command is printed."""
    volume = case.volume
    if volume is None:
        return case.deny(f"{case.deed.object_id} is not a volume: checks are paused volume by volume.")
    unseen = case.printed(_UNSEEN.format("whether a check is paused"), case.route.on_volume(case.deed.verb, volume))
    if case.route.prints(case.deed.verb):
        return unseen
    if volume.progress is None or volume.progress.operation != "check":
        return case.deny(f"{volume.id} is not being checked.")
    if volume.progress.state is None:
        return unseen
    pause = case.deed.verb == "pause_check"
    if (volume.progress.state == "paused") is pause:
        return []
    on, off = case.route.on_volume("pause_check", volume), case.route.on_volume("resume_check", volume)
    paused, runs = expect(volume.id, "progress.state", "paused"), expect(volume.id, "progress.state", "running")
    return [
        Step(
            object_id=volume.id, setting=case.deed.verb, before="running" if pause else "paused",
            after="paused" if pause else "running", kind="deed", action=on if pause else off,
            undo=off if pause else on, expects=(paused if pause else runs,), undo_expects=(runs if pause else paused,),
            subjects=case.subjects(volume, case.controller),
        )
    ]  # fmt: skip


def patrol(case: Case) -> Made:
    """Change the patrol read (``PR Current State = Active 0``).

    No output is known that shows a pause, so its commands are printed.
    """
    command = case.route.on_controller(case.deed.verb)
    if case.route.prints(case.deed.verb):
        return case.printed(_UNSEEN.format("whether the patrol read is paused"), command)
    state = case.controller.patrol_read.state if case.controller.patrol_read is not None else None
    if state is None:
        return case.printed(_UNSEEN.format("whether the patrol read runs"), command)
    start = case.deed.verb == "start_patrol"
    if (state != "stopped") is start:
        return []
    runs, ends = (expect(case.controller.id, "patrol_read.state", word) for word in ("running", "stopped"))
    on, off = case.route.on_controller("start_patrol"), case.route.on_controller("stop_patrol")
    return [
        Step(
            object_id=case.controller.id, setting=case.deed.verb, before=state, after="running" if start else "stopped",
            kind="deed", way_back="other", action=on if start else off, undo=off if start else on,
            affects=("The controller reads all its drives, which are slower until it ends.",) if start else (),
            expects=(runs if start else ends,), undo_expects=(ends if start else runs,),
            subjects=case.subjects(case.controller),
        )
    ]  # fmt: skip
