"""What ``restore`` would do: read from the journal and the machine, and nothing changed. Pure, but for the looking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidctl.change import rollback
from raidctl.change.failure_messages import silent
from raidctl.change.journal import Story
from raidctl.change.lookup import knobs
from raidctl.change.restore import other_hand, sorted_out
from raidctl.change.rollback import Back
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, ToolSetting
from raidctl.vendor.protocol import Vendor


@dataclass(frozen=True)
class Way:
    """A knob that would be turned back."""

    object_id: str
    knob: str
    before: str
    """How it stands."""
    after: str
    """How it would stand then."""
    action: Action


@dataclass
class Preview:
    """What would become of one change without an end."""

    story: Story
    ways: list[Way] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Knobs that somebody else has turned meanwhile."""
    faults: list[str] = field(default_factory=list)
    """What could not be put back, or not be read."""
    busy: str | None = None
    """The raidctl that made it lives."""


def preview(stories: Sequence[tuple[Story, str | None]], seen: Survey, vendors: Sequence[Vendor]) -> list[Preview]:
    """What would become of these changes, the newest first; each with what keeps it from being put back now.

    An older one finds what the newer ones have put back.
    """
    stand = knobs(seen.inventory, vendors)
    return [
        Preview(story, busy=busy) if busy is not None else _one(story, seen, vendors, stand) for story, busy in stories
    ]


def _one(story: Story, seen: Survey, vendors: Sequence[Vendor], stand: dict[ToolSetting, str]) -> Preview:
    found = Preview(story)
    inventory, lost = seen.inventory, list[Back]()
    for back in rollback.backs(story.begin, story.started()[::-1], inventory, vendors):
        if isinstance(back, str):
            found.faults += [back] if back not in found.faults else []
            continue
        step, name = back.step, (back.step.object_id, back.step.knob)
        quiet = silent(inventory.controllers, inventory.problems, {step.object_id})
        found.faults += quiet.values()
        if back.action is None or name not in stand:
            lost.append(back)
        elif sorted_out(back, stand[name]) == "left":
            found.left.append(other_hand(story.begin, back, stand[name]))
        elif sorted_out(back, stand[name]) == "turn":
            found.ways.append(Way(step.object_id, step.knob, stand[name], step.before, step.undo))
            stand[name] = step.before
    _lost(story, lost, seen, vendors, found)
    return found


def _lost(story: Story, lost: Sequence[Back], seen: Survey, vendors: Sequence[Vendor], found: Preview) -> None:
    """Where the knobs of a change are not told any more: the settings, by the program that is there now."""
    for back in {back.card.id: back for back in lost}.values():
        made, left = rollback.settings(story.begin, back, seen.inventory, vendors)
        found.left += left
        for step in () if left else made.steps:
            found.ways.append(Way(step.object_id, step.knob, step.before, step.after, step.action))
    found.faults += [rollback.by_hand(back) for back in lost if not rollback.covered(story.begin, back)]
