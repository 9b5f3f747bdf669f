"""The way back as it is today. Pure.

Between a change and its restoring lies a reboot, perhaps: a card may have another number, a drive another device node,
the tool may have been exchanged for its successor. So the family is asked to plan the way back from what is there now
to what the settings were; the commands in the journal are for what it does not plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from raidctl.change.journal import Begin, Story, Subject
from raidctl.change.lookup import owner
from raidctl.model import Controller, Inventory
from raidctl.select import family_of, items
from raidctl.vendor import setting_values
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Action, Desired, Plan, Step, ToolSetting
from raidctl.vendor.protocol import Vendor


@dataclass(frozen=True)
class Back:
    """A step of a change, and where it leads on the machine as it is today."""

    number: int
    step: Step
    """With the id that its object has today."""
    subject: Subject
    card: Controller
    action: Action | None
    """What turns the knob back; None where only the settings themselves can be put back."""


def subject_of(begin: Begin, object_id: str) -> Subject:
    """The controller that an object was on."""
    for subject in begin.subjects:
        if object_id == subject.id or object_id in subject.objects or object_id.startswith(f"{subject.id}/"):
            return subject
    return begin.subjects[0] if begin.subjects else Subject(id=object_id.partition("/")[0])


def backs(begin: Begin, numbers: Sequence[int], inventory: Inventory, vendors: Sequence[Vendor]) -> list[Back | str]:
    """The steps, in this order; of one whose controller is not there, or is another now, the sentence that says so."""
    found: list[Back | str] = []
    ways: dict[str, Plan] = {}
    for number in numbers:
        step = begin.steps[number]
        subject = subject_of(begin, step.object_id)
        card = _card(inventory, subject, step)
        if isinstance(card, str):
            found.append(card)
            continue
        if card.id not in ways:
            ways[card.id] = _way(begin, subject, card, inventory, vendors)
        name = _renamed(step.object_id, subject.id, card.id)
        wanted = (name, step.knob, step.before)
        fresh = (one.action for one in ways[card.id].steps if (one.object_id, one.knob, one.after) == wanted)
        action = next(fresh, step.undo if _same_address(step, subject, card) else None)
        moved = msgspec.structs.replace(step, object_id=name, undo=action or step.undo)
        found.append(Back(number, moved, subject, card, action))
    return found


def foreign(back: Back) -> str | None:
    """That a volume is not the one that was changed, though it has its number; None when it is, or nothing tells."""
    known = back.subject.objects.get(_renamed(back.step.object_id, back.card.id, back.subject.id))
    volume = next((volume for volume in back.card.volumes if volume.id == back.step.object_id), None)
    if volume is None or not known or not volume.unique_id or volume.unique_id == known:
        return None
    return (
        f"{back.step.knob} of {back.step.object_id} is another volume's now: its unique id is {volume.unique_id} "
        f"instead of {known}"
    )


def undone_by(steps: Sequence[Step], stories: Sequence[Story], source: str, inventory: Inventory) -> str | None:
    """The last change that these steps undo; None if one of them does anything else."""
    last: dict[ToolSetting, tuple[Step, Begin]] = {}
    for story in stories:
        if story.begin.source == source and story.end is not None and story.end.result == "done":
            last |= {(step.object_id, step.knob): (step, story.begin) for step in story.begin.steps}
    name = None
    for step in steps:
        then, begin = last.get((step.object_id, step.knob), (None, None))
        if then is None or begin is None or (then.before, then.after) != (step.after, step.before):
            return None
        subject = subject_of(begin, step.object_id)
        card = _card(inventory, subject, step)
        if isinstance(card, str) or card.id != subject.id or foreign(Back(0, step, subject, card, None)):
            return None
        name = begin.change
    return name


def safe_to_undo(plan: Plan) -> Plan:
    """The plan without what is refused as unsafe."""
    return msgspec.structs.replace(plan, refusals=tuple(one for one in plan.refusals if one.kind != "unsafe"))


def settings(begin: Begin, back: Back, inventory: Inventory, vendors: Sequence[Vendor]) -> tuple[Plan, list[str]]:
    """The plan that puts back the settings of a step's controller, and those that somebody else has changed."""
    wished = {(wish.object_id, wish.setting): wish.value for wish in begin.wishes}
    left = []
    for was in _was(begin, back.subject):
        name = _renamed(was.object_id, back.subject.id, back.card.id)
        told = setting_values.value(back.card, name, was.setting)
        if told is not None and told not in (was.value, wished.get((was.object_id, was.setting))):
            left.append(
                f"the {setting_values.LABELS[was.setting]} of {name} is {told}: somebody else has changed it meanwhile"
            )
    return _way(begin, back.subject, back.card, inventory, vendors), left


def missed(made: Plan, inventory: Inventory) -> list[str]:
    """The settings that are not as they were."""
    found = []
    for wish in made.wishes:
        card = owner(inventory.controllers, wish.object_id)
        told = setting_values.value(card, wish.object_id, wish.setting) if card is not None else None
        if told != wish.value:
            label = setting_values.LABELS[wish.setting]
            found.append(f"the {label} of {wish.object_id} is {told or 'not told'} instead of {wish.value}")
    return found


def by_hand(back: Back) -> str:
    """What a person can still do about a knob that nothing tells of any more."""
    step = back.step
    return f"{step.knob} of {step.object_id} cannot be read; it was {step.before}, which was set with: {step.undo}"


def covered(begin: Begin, back: Back) -> bool:
    """Whether all that was wished of the step's object is known as it was."""
    name = _renamed(back.step.object_id, back.card.id, back.subject.id)
    wished = {wish.setting for wish in begin.wishes if wish.object_id == name}
    return bool(wished) and wished <= {was.setting for was in begin.was if was.object_id == name}


def _card(inventory: Inventory, subject: Subject, step: Step) -> Controller | str:
    """The controller, by its serial number where it has one; a drive may hang on another one."""
    family = [card for card in inventory.controllers if family_of(card) == subject.id.partition(":")[0]]
    if subject.serial:
        same = [card for card in family if card.serial == subject.serial]
        if len(same) == 1:
            return same[0]
    card = next((card for card in family if card.id == subject.id), None)
    if card is not None and subject.serial and card.serial:
        return f"{subject.id} is another card now: serial number {card.serial} instead of {subject.serial}"
    if not step.object_id.startswith(subject.id):
        # drives go by their serial numbers, wherever they hang
        return owner(inventory.controllers, step.object_id) or f"{step.object_id} is not there"
    return card if card is not None else f"{subject.id} is not there"


def _renamed(object_id: str, old: str, new: str) -> str:
    """The id of an object of a controller that has another id: today, or then."""
    if object_id == old:
        return new
    return f"{new}{object_id[len(old) :]}" if object_id.startswith(f"{old}/") else object_id


def _same_address(step: Step, subject: Subject, card: Controller) -> bool:
    """Whether the journal's command still means the same object: device nodes go to other drives at a reboot."""
    drive = next((drive for drive in card.drives if drive.id == step.object_id), None)
    if drive is not None:
        known = subject.objects.get(step.object_id)
        return known is None or known == (drive.device or "")
    return card.id == subject.id


def _was(begin: Begin, subject: Subject) -> list[Desired]:
    return [wish for wish in begin.was if subject_of(begin, wish.object_id) == subject]


def _way(begin: Begin, subject: Subject, card: Controller, inventory: Inventory, vendors: Sequence[Vendor]) -> Plan:
    """What the family plans for the settings as they were."""
    vendor = next((vendor for vendor in vendors if family_of(card) == vendor.FAMILY), None)
    offered = changes_of(vendor) if vendor is not None else None
    ids = {part.id for part in items(card)}
    named = [
        msgspec.structs.replace(was, object_id=_renamed(was.object_id, subject.id, card.id))
        for was in _was(begin, subject)
    ]
    wishes = [wish for wish in named if wish.object_id in ids]
    if vendor is None or offered is None or not wishes:
        return Plan()
    names = {spec.name for spec in vendor.TOOLS}
    return offered.plan(card, wishes, [tool for tool in inventory.tools if tool.name in names])
