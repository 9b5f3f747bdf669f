"""Plan the undo of a change on the machine as it is now. Pure.

After a reboot a controller may have another number, a drive another device node, or the tool may have been replaced by
its successor. So the family plans the steps from the current to the previous settings; the journal's commands are used
for what it does not plan. A volume is found by its unique id, as its number may belong to another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from raidctl.change.journal import Begin, JournaledChange, Subject
from raidctl.change.lookup import owner
from raidctl.model import Controller, Drive, Inventory, Problem, Volume, failed_readings
from raidctl.model.objects import by_id
from raidctl.select import Item, family_in, family_of, items
from raidctl.vendor import setting_values
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Action, Desired, Plan, Step, ToolSetting
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of


@dataclass(frozen=True)
class UndoStep:
    """A step of a change, and how to undo it. The undo fits the machine as it is today."""

    number: int
    step: Step
    """With its object's current id."""
    subject: Subject
    controller: Controller
    action: Action | None
    """Restores the tool's setting. None if only the model's settings can be restored."""


def subject_of(begin: Begin, object_id: str) -> Subject:
    """Return the controller that an object was on."""
    for subject in begin.subjects:
        if object_id == subject.id or object_id in subject.objects or object_id.startswith(f"{subject.id}/"):
            return subject
    return begin.subjects[0] if begin.subjects else Subject(id=object_id.partition("/")[0])


def undo_steps(
    begin: Begin, numbers: Sequence[int], inventory: Inventory, vendors: Sequence[Vendor]
) -> list[UndoStep | str]:
    """Return how to undo the steps, in this order.

    A step is a sentence if its object or controller is missing or a different one.
    """
    found: list[UndoStep | str] = []
    ways: dict[str, Plan] = {}
    for number in numbers:
        step = begin.steps[number]
        subject = subject_of(begin, step.object_id)
        controller = _controller(inventory, subject, step)
        if isinstance(controller, str):
            found.append(controller)
            continue
        item = _object(step.object_id, subject, controller, inventory)
        if isinstance(item, str):
            found.append(item)
            continue
        if controller.id not in ways:
            requests = [one for _, one in _previous(begin, subject, controller, inventory) if not isinstance(one, str)]
            ways[controller.id] = _plan_undo(controller, requests, inventory, vendors)
        wanted = (item.id, step.setting, step.before)
        fresh = (one.action for one in ways[controller.id].steps if (one.object_id, one.setting, one.after) == wanted)
        action = next(fresh, step.undo if _same_address(step, subject, item) else None)
        moved = msgspec.structs.replace(step, object_id=item.id, undo=action or step.undo)
        found.append(UndoStep(number, moved, subject, controller, action))
    return found


def renumbered(begin: Begin, step: Step, inventory: Inventory) -> Step | str:
    """Return a deed with the ids of today. Its controller may have another number.

    It is a sentence if a controller with a known serial number is missing, or another one has its id.
    """
    subject = subject_of(begin, step.object_id)
    if not subject.serial or not step.object_id.startswith(subject.id):
        return step
    controller = _controller(inventory, subject, step)
    if isinstance(controller, str) or controller.id == subject.id:
        return controller if isinstance(controller, str) else step
    old, new = subject.id, controller.id
    return msgspec.structs.replace(
        step,
        object_id=_renamed(step.object_id, old, new),
        expects=tuple(
            msgspec.structs.replace(one, object_id=_renamed(one.object_id, old, new)) for one in step.expects
        ),
        subjects=tuple(
            msgspec.structs.replace(one, object_id=_renamed(one.object_id, old, new)) for one in step.subjects
        ),
    )


def _moved_volume(step: Step, subject: Subject, controller: Controller) -> str | None:
    """Report that a volume's number now belongs to another volume. None if it does not, or this is unknown."""
    known = subject.objects.get(step.object_id)
    name = _renamed(step.object_id, subject.id, controller.id)
    volume = by_id(controller.volumes, name)
    if volume is None or not known or not volume.unique_id or volume.unique_id == known:
        return None
    return f"{name} ({step.setting}) is another volume now: its unique id is {volume.unique_id} instead of {known}"


def other_volumes(begin: Begin, inventory: Inventory) -> list[str]:
    """Report the volumes of a change whose numbers belong to other volumes now."""
    owners = [(step, owner(inventory.controllers, step.object_id)) for step in begin.steps]
    found = [
        _moved_volume(step, subject_of(begin, step.object_id), controller)
        for step, controller in owners
        if controller is not None
    ]
    return list(dict.fromkeys(text for text in found if text is not None))


def undone_by(
    steps: Sequence[Step], changes: Sequence[JournaledChange], source: str, inventory: Inventory
) -> str | None:
    """Return the last change that these steps undo. None if one of them does anything else."""
    last: dict[ToolSetting, tuple[Step, Begin]] = {}
    for journaled in changes:
        if journaled.begin.source == source and journaled.end is not None and journaled.end.result == "done":
            last |= {(step.object_id, step.setting): (step, journaled.begin) for step in journaled.begin.steps}
    name = None
    for step in steps:
        then, begin = last.get((step.object_id, step.setting), (None, None))
        if then is None or begin is None or (then.before, then.after) != (step.after, step.before):
            return None
        subject = subject_of(begin, step.object_id)
        controller = _controller(inventory, subject, step)
        if isinstance(controller, str) or controller.id != subject.id or _moved_volume(step, subject, controller):
            return None
        name = begin.change
    return name


def safe_to_undo(plan: Plan) -> Plan:
    """Return the plan without the refusals for safety."""
    return msgspec.structs.replace(plan, refusals=tuple(one for one in plan.refusals if one.kind != "unsafe"))


def settings(
    begin: Begin, back: UndoStep, inventory: Inventory, vendors: Sequence[Vendor]
) -> tuple[Plan, list[str], list[str]]:
    """Plan to restore the settings of a step's controller.

    Return the plan, the settings that somebody else has changed and that are left, and what cannot be restored.
    """
    desired = {(one.object_id, one.setting): one.value for one in begin.desired}
    requests: list[Desired] = []
    left: list[str] = []
    faults: list[str] = []
    for was, one in _previous(begin, back.subject, back.controller, inventory):
        changed_to = desired.get((was.object_id, was.setting))
        if isinstance(one, str):
            faults += [one] if changed_to != was.value else []
            continue
        current = setting_values.value(back.controller, one.object_id, one.setting)
        if current is not None and current not in (was.value, changed_to):
            label = setting_values.LABELS[one.setting]
            left.append(f"the {label} of {one.object_id} is {current}: somebody else has changed it since")
        else:
            requests.append(one)
    return _plan_undo(back.controller, requests, inventory, vendors), left, list(dict.fromkeys(faults))


def differing(made: Plan, inventory: Inventory) -> list[str]:
    """Return the settings without their previous values."""
    found = []
    for desired in made.desired:
        controller = owner(inventory.controllers, desired.object_id)
        current = (
            setting_values.value(controller, desired.object_id, desired.setting) if controller is not None else None
        )
        if current != desired.value:
            label = setting_values.LABELS[desired.setting]
            found.append(f"the {label} of {desired.object_id} is {current or 'unknown'} instead of {desired.value}")
    return found


def manual_remedy(back: UndoStep) -> str:
    """Explain how to restore a setting that is no longer reported, or whose object has another number or node."""
    step = back.step
    name = f"{step.setting} of {step.object_id}"
    if back.action is None:
        why = "its number or device node has changed, so the command no longer fits"
        return f"{name} was {step.before}; {why}: {step.undo}"
    return f"{name} cannot be read; it was {step.before}. Restore it with: {step.undo}"


def unread(back: UndoStep, inventory: Inventory) -> str | None:
    """Explain that an unreported setting could not be read. None if its tool no longer reports it."""
    own = (back.controller.id, back.step.object_id)
    failed = [
        one for one in failed_readings(inventory.problems)
        if one.kind == "unread" or one.where.startswith(own)
    ]  # fmt: skip
    if not failed:
        return None
    step = back.step
    return f"{step.setting} of {step.object_id} could not be read ({_cause(failed[0])}); it was {step.before}"


def _cause(problem: Problem) -> str:
    return f"{problem.where}: {problem.message.rstrip('.')}"


def _absent(name: str, inventory: Inventory) -> str:
    """A sentence on an object that is not listed. It does not exist, or could not be read."""
    failed = failed_readings(inventory.problems)
    return f"{name} could not be read ({_cause(failed[0])})" if failed else f"{name} does not exist"


def covered(begin: Begin, back: UndoStep) -> bool:
    """Whether the previous values of all the step's desired settings are known."""
    name = begin.steps[back.number].object_id
    desired = {one.setting for one in begin.desired if one.object_id == name}
    return bool(desired) and desired <= {was.setting for was in begin.was if was.object_id == name}


def _controller(inventory: Inventory, subject: Subject, step: Step) -> Controller | str:
    """Return the controller, by its serial number if it has one. A drive may be on another controller."""
    family = [controller for controller in inventory.controllers if family_of(controller) == family_in(subject.id)]
    if subject.serial:
        same = [controller for controller in family if controller.serial == subject.serial]
        if len(same) == 1:
            return same[0]
    controller = by_id(family, subject.id)
    if controller is not None and subject.serial and controller.serial:
        return f"{subject.id} is another controller now: serial number {controller.serial} instead of {subject.serial}"
    if not step.object_id.startswith(subject.id):
        # drives are identified by their serial numbers, on any controller
        return owner(inventory.controllers, step.object_id) or _absent(step.object_id, inventory)
    return controller if controller is not None else _absent(subject.id, inventory)


def _renamed(object_id: str, old: str, new: str) -> str:
    """Replace the controller's id in an object's id."""
    if object_id == old:
        return new
    return f"{new}{object_id[len(old) :]}" if object_id.startswith(f"{old}/") else object_id


def _object(object_id: str, subject: Subject, controller: Controller, inventory: Inventory) -> Item | str:
    """Return the object that had this id. A volume is found by its unique id, under any number.

    It is a sentence if it is not listed, or another volume has its number.
    """
    known, name = subject.objects.get(object_id), _renamed(object_id, subject.id, controller.id)
    same = [volume for volume in controller.volumes if known and volume.unique_id == known]
    if len(same) == 1:
        return same[0]
    item = by_id(items(controller), name)
    if item is None:
        return _absent(name, inventory)
    other = item.unique_id if isinstance(item, Volume) else None
    if known and other and other != known:
        lost = _absent(f"the volume with the unique id {known}", inventory)
        return f"{name} is another volume now, with the unique id {other}; {lost}"
    return item


def _same_address(step: Step, subject: Subject, item: Item) -> bool:
    """Whether the journal's command still addresses the same object. Device nodes change at a reboot."""
    if isinstance(item, Drive):
        known = subject.objects.get(step.object_id)
        return known is None or known == (item.device or "")
    return item.id == step.object_id


def _previous(
    begin: Begin, subject: Subject, controller: Controller, inventory: Inventory
) -> Iterator[tuple[Desired, Desired | str]]:
    """Yield each previous value of a controller's settings: with its former id, and with that of today.

    The latter is a sentence if its object is not listed.
    """
    for was in begin.was:
        if subject_of(begin, was.object_id) == subject:
            item = _object(was.object_id, subject, controller, inventory)
            yield was, item if isinstance(item, str) else msgspec.structs.replace(was, object_id=item.id)


def _plan_undo(
    controller: Controller, requests: Sequence[Desired], inventory: Inventory, vendors: Sequence[Vendor]
) -> Plan:
    """Return the family's plan for the previous settings."""
    vendor = vendor_of(controller.id, vendors)
    offered = changes_of(vendor) if vendor is not None else None
    if vendor is None or offered is None or not requests:
        return Plan()
    names = {spec.name for spec in vendor.TOOLS}
    return offered.plan(controller, requests, [tool for tool in inventory.tools if tool.name in names])
