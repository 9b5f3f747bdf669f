"""Exchange drives: take one out of its array, let a new one in, or copy a member to another drive. Pure."""

from __future__ import annotations

from raidctl.model import Drive
from raidctl.vendor.deed_steps import expect
from raidctl.vendor.plan import Action, Step
from raidctl_megaraid.operate.commands import denied, group_of, place_of
from raidctl_megaraid.operate.drive_words import missing_places, position_of, replacing_spare, spun_down, state_of
from raidctl_megaraid.operate.rebuild import started
from raidctl_megaraid.operate.steps import Case, Made

_POSITION_UNKNOWN = "The number of its place is shown only once it is missing: add a drive again."


def take_out(case: Case) -> Made:
    """Set a drive offline and missing, and spin it down; steps that are done already are left out."""
    drive = case.drive
    if drive is None:
        return case.deny("No drive is named.")
    state = state_of(drive)
    if state in ("bad", "failed") or (state == "offline" and drive.array is None):
        return []  # the firmware has given it up: it can be pulled
    if state == "good":
        return [] if spun_down(drive) else [_spun_down(case, drive)]
    if state == "spare":
        return case.deny(f"{drive.id} is a spare, not a member.", f"raidctl spare remove {drive.id}")
    if state in ("jbod", "unknown", "copying"):
        return case.deny(f"{drive.id} is {drive.status_text or 'in an unknown state'}, so it is not taken out.")
    if case.array is None or drive.array != case.array.id:
        return case.deny(f"{drive.id} is not a member of the array of {case.deed.object_id}.")
    steps = [] if state == "offline" else [offline_step(case, drive)]
    if steps and replacing_spare(case.controller, drive.array) is not None:
        return steps  # the spare takes its place at once: the next reading shows the drive's new state
    if denied(case.controller, "pd operations: deny missing replace", "yes"):
        return steps
    return [*steps, _missing(case, drive), _spun_down(case, drive)]


def offline_step(case: Case, drive: Drive) -> Step:
    """The step that sets a member offline. Its array lacks it until a drive is rebuilt in its place."""
    spare = replacing_spare(case.controller, drive.array)
    effect = f"the spare {spare.id} begins to take its place" if spare else "undoing it rebuilds the drive"
    undo = Action() if spare else case.route.on_drive("start_rebuild", drive)
    back = () if spare else (expect(drive.id, "role", "member"),)
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before=drive.status_text or "", after="offline",
        kind="deed", way_back="none" if spare else "other", action=case.route.on_drive("offline", drive), undo=undo,
        no_way_back=f"The spare {spare.id} is being rebuilt in its place." if spare else None,
        affects=(f"{drive.id} leaves {drive.array}; {effect}.",),
        expects=(expect(drive.id, "role", "member", "is_not"),), undo_expects=back,
        subjects=case.subjects(drive, case.volume or case.controller), saves=case.saves(),
    )  # fmt: skip


def _missing(case: Case, drive: Drive) -> Step:
    """Free the place in the array for another drive."""
    position = position_of(drive) if case.route.kind != "megacli" else None
    array = drive.array or ""
    undo = case.route.on_drive("insert", drive, *position) if position is not None else Action()
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before="offline", after="missing", kind="deed",
        way_back="other" if position else "none", action=case.route.on_drive("missing", drive), undo=undo,
        no_way_back=None if position else _POSITION_UNKNOWN,
        affects=(f"The place of {drive.id} in {array} is free: only a rebuild fills it again.",),
        expects=(expect(array, "drives", drive.id, "lacks"),),
        undo_expects=(expect(array, "drives", drive.id, "contains"),) if position else (),
        subjects=case.subjects(drive, case.volume or case.controller),
    )  # fmt: skip


def _spun_down(case: Case, drive: Drive) -> Step:
    """Stop the drive before a person pulls it."""
    megacli = case.route.kind == "megacli"
    field, down, up = (
        ("status_text", "Unconfigured(good), Spun down", "Unconfigured(good), Spun Up") if megacli
        else ("details.Sp", "D", "U")
    )  # fmt: skip
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before="spun up", after="spun down", kind="deed",
        action=case.route.on_drive("spin_down", drive), undo=case.route.on_drive("spin_up", drive),
        expects=(expect(drive.id, field, down),), undo_expects=(expect(drive.id, field, up),),
        subjects=case.subjects(drive, case.volume or case.controller),
    )  # fmt: skip


def add_member(case: Case) -> Made:
    """Make the drive good, insert it as the missing member, and rebuild.

    Only the steps that are not automatic are planned.
    """
    drive, array = case.drive, case.array
    if drive is None or case.volume is None or array is None:
        return case.deny("The array that the drive is for is unknown.", unknown=True)
    state = state_of(drive)
    if drive.array == array.id:
        return [started(case, drive)] if state in ("offline", "failed") else []
    if drive.foreign:
        return case.deny_foreign(drive, "F2")
    places = missing_places(case.controller, array.id)
    members = [state_of(one) for one in case.controller.drives if one.array == array.id]
    if not places and (case.volume.status in ("ok", "checking") or {"rebuilding", "copying"} & set(members)):
        return []  # nothing is free: a spare has stepped in
    if state == "bad":
        return [good_step(case, drive)]
    if state != "good":
        text = drive.status_text or "in an unknown state"
        return case.deny(f"{drive.id} is {text}, and only an unconfigured good drive takes the place of a missing one.",
                         f"raidctl drive raid {drive.id}" if state == "jbod" else None)  # fmt: skip
    if not places:
        return case.deny(
            f"The tool does not report which place of {array.id} is free, so the drive cannot be assigned to it.",
            "Wait to see whether the controller takes the drive, or check the tool's list of missing drives.",
            unknown=True,
        )  # fmt: skip
    if spun_down(drive):
        return [_spun_up(case, drive)]
    return [_inserted(case, drive, places[0]), started(case, drive)]


def _inserted(case: Case, drive: Drive, place: tuple[str, str]) -> Step:
    array = case.array
    name = array.id if array is not None else ""
    words = place if case.route.kind == "megacli" else (group_of(name) or "", *place)
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before=drive.status_text or "", after="member",
        kind="deed", way_back="other", action=case.route.on_drive("insert", drive, *words),
        undo=case.route.on_drive("missing", drive), affects=(f"All data on {drive.id} is lost.",),
        expects=(expect(drive.id, "array", name),), undo_expects=(expect(name, "drives", drive.id, "lacks"),),
        requires=(expect(case.deed.object_id, "array", name),),  # the command names the group by its number
        subjects=case.subjects(drive, case.volume), saves=case.saves(),
    )  # fmt: skip


def good_step(case: Case, drive: Drive) -> Step:
    """``UBad`` becomes ``UGood``. No command marks a drive as bad again."""
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before=drive.status_text or "", after="good",
        kind="deed", way_back="none", no_way_back="No command marks the drive as bad again.",
        action=case.route.on_drive("good", drive), expects=(expect(drive.id, "role", "unassigned"),),
        subjects=case.subjects(drive, case.volume or case.controller),
    )  # fmt: skip


def _spun_up(case: Case, drive: Drive) -> Step:
    down = _spun_down(case, drive)
    return Step(
        object_id=case.deed.object_id, setting=case.deed.verb, before="spun down", after="spun up", kind="deed",
        action=down.undo, undo=down.action, expects=down.undo_expects, undo_expects=down.expects,
        subjects=down.subjects,
    )  # fmt: skip


def replace(case: Case) -> Made:
    """Copy a member to another drive, which then takes its place. The array stays complete."""
    drive, target = case.drive, case.other(case.deed.successor)
    if drive is None or target is None or case.array is None:
        return case.deny("The drive that takes over is unknown, or not on the same controller.", unknown=True)
    if state_of(drive) != "online" or drive.array != case.array.id:
        return case.deny(f"{drive.id} is not a working member of {case.array.id}: it cannot be copied.")
    if target.foreign or state_of(target) not in ("good", "spare"):
        return case.deny(
            f"{target.id} is {target.status_text}: only an unconfigured good drive or a spare can take over."
        )
    if not all((place_of(one) or ("",))[0] for one in (drive, target)):
        return case.deny("Copies are started between drives in enclosures only: no source shows the command without.")
    subjects = case.subjects(drive, target, case.volume or case.controller)
    return [
        Step(
            object_id=case.deed.object_id, setting="replace", before=drive.id, after=target.id, kind="deed",
            way_back="none", action=case.route.on_drive("copyback", drive, other=target),
            no_way_back="The copy can be stopped with the tool; the array stays complete meanwhile.",
            affects=(f"All data on {target.id} is lost; {drive.id} is unassigned when the copy is complete.",),
            expects=(expect(target.id, "role", "member"),), subjects=subjects, saves=case.saves(),
        )
    ]  # fmt: skip
