"""Hot spares: for the whole controller, or for one array. Pure."""

from __future__ import annotations

from raidctl.vendor.deed_steps import expect, used_at_once
from raidctl.vendor.plan import Action, Expectation, Step
from raidctl_megaraid.operate.commands import denied, group_of
from raidctl_megaraid.operate.drive_words import missing_places, state_of
from raidctl_megaraid.operate.steps import Case, Made

_NO_NUMBER = "MegaCli names an array by a number that none of its outputs shows together with the volume."


def add_spare(case: Case) -> Made:
    """Global for the controller's id, dedicated for that of a volume."""
    drive, array = case.drive, case.array if case.volume is not None else None
    if drive is None:
        return case.deny("No drive is named.")
    state = state_of(drive)
    if state == "spare" and (array is None) is (not drive.spare_for) and (array is None or array.id in drive.spare_for):
        return []
    if drive.foreign:
        return case.deny_foreign(drive, "F2", "it as a spare")
    if state != "good":
        text = drive.status_text or "in an unknown state"
        return case.deny(f"{drive.id} is {text}: only an unconfigured good drive becomes a spare.")
    label = "operations: global hot spares" if case.volume is None else "operations: dedicated hot spare"
    if denied(case.controller, label):
        return case.deny("The controller reports that it has no such spares.")
    if case.volume is not None and array is None:
        return case.deny(f"The array of {case.volume.id} is unknown.", unknown=True)
    if array is not None and case.route.kind == "megacli":
        return case.deny(_NO_NUMBER, f"For all arrays of the controller: `raidctl spare add {drive.id}`")
    action = _added(case, array.id if array is not None else None)
    lacking = any(missing_places(case.controller, one.id) for one in case.controller.arrays)
    return [
        Step(
            object_id=case.deed.object_id, setting="add_spare", before=drive.status_text or "", after="spare",
            kind="deed", way_back="other" if lacking else "same", action=action,
            undo=case.route.on_drive("remove_spare", drive),
            affects=("A rebuild on it may begin at once.",) if lacking else (),
            requires=(expect(case.deed.object_id, "array", array.id),) if array is not None else (),
            expects=_expected(case, lacking=lacking), undo_expects=(expect(drive.id, "role", "spare", "is_not"),),
            subjects=case.subjects(drive, case.volume or case.controller),
        )
    ]  # fmt: skip


def _expected(case: Case, *, lacking: bool) -> tuple[Expectation, ...]:
    """Expect a spare, or a member already if one is missing."""
    drive, array = case.drive, case.array if case.volume is not None else None
    name = drive.id if drive is not None else ""
    if lacking and drive is not None:
        return used_at_once(drive, None)
    spare = expect(name, "role", "spare")
    return (spare, expect(name, "spare_for", array.id, "contains")) if array is not None else (spare,)


def _added(case: Case, array: str | None) -> Action:
    if case.drive is None:
        return Action()
    if array is None:
        return case.route.on_drive("global_spare", case.drive)
    return case.route.on_drive("own_spare", case.drive, group_of(array) or "")


def remove_spare(case: Case) -> Made:
    """Remove a spare; the drive is then unassigned."""
    drive = case.drive
    if drive is None or state_of(drive) != "spare":
        return case.deny(f"{drive.id if drive is not None else 'The drive'} is not a spare.")
    if len(drive.spare_for) > 1:
        text = "It covers several arrays, and undoing this would need a command for all of them at once."
        return case.printed(text, case.route.on_drive("remove_spare", drive))
    own = drive.spare_for[0] if drive.spare_for else None
    undo = _added(case, own) if own is None or case.route.has("own_spare") else Action()
    return [
        Step(
            object_id=case.deed.object_id, setting="remove_spare", before=drive.status_text or "", after="unassigned",
            kind="deed", way_back="none" if undo.empty else "same",
            no_way_back=_NO_NUMBER if undo.empty else None,
            action=case.route.on_drive("remove_spare", drive), undo=undo,
            expects=(expect(drive.id, "role", "unassigned"),),
            undo_expects=() if undo.empty else (expect(drive.id, "role", "spare"),),
            subjects=case.subjects(drive, case.volume or case.controller),
        )
    ]  # fmt: skip
