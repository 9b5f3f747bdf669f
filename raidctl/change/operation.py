"""``restore`` of an operation: undo what was only for its length, carry out no deed, and name what is open."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.change import rollback
from raidctl.change.engine import Change, Look
from raidctl.change.expectations import unmet
from raidctl.change.journal import JournalFull, Story
from raidctl.change.lookup import current_settings
from raidctl.change.restored import Restored
from raidctl.change.unread import unread
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.protocol import Vendor


def put_back(change: Change, story: Story, result: Restored, look: Look, vendors: Sequence[Vendor]) -> None:
    """Undo the settings that were only for the length of an operation; close it if nothing can continue it."""
    begin = story.begin
    undone = {turn.step for turn in story.turns if turn.mark == "undone"}
    numbers = [number for number in story.started()[::-1] if begin.steps[number].for_length and number not in undone]
    seen = look()
    current = current_settings(seen.inventory, vendors)
    for back in rollback.undo_steps(begin, numbers, seen.inventory, vendors):
        if isinstance(back, str):
            result.faults += [back] if back not in result.faults else []
            continue
        step = back.step
        value = current.get((step.object_id, step.setting))
        if value == step.before or (value is not None and value != step.after):
            continue  # as before, or somebody else has set it since
        change.journal_undo(back.number, "undo")
        change.tell(f"  {step.undo}")
        fault = change.undo(step)
        change.journal_undo(back.number, "failed" if fault else "undone", fault)
        if fault is not None:
            result.faults.append(f"{step.undo}: {fault}")
        else:
            result.put_back.append(f"{step.setting} of {step.object_id} from {step.after} back to {step.before}")
    if begin.resume is not None and story.turns:
        result.open = f'{story.waiting or begin.about} Continue with "{begin.resume}".'
    elif not result.faults:
        _close(change, story, seen, result)


def _close(change: Change, story: Story, seen: Survey, result: Restored) -> None:
    """End an operation that nothing continues; what it has done stays, and is named."""
    begun = [story.begin.steps[number] for number in story.started()]
    deeds = [step for step in begun if not step.for_length]
    hidden = list(dict.fromkeys(why for step in deeds if (why := unread(seen, step)) is not None))
    if hidden:  # what it has done is unknown: it stays open, and a later restore names it
        result.faults += hidden
        return
    found = [f"{step.setting} of {step.object_id} has {_TAKEN[not unmet(seen, step.expects)]} effect" for step in deeds]
    try:
        change.end("stopped" if deeds else "restored", listing(found) or None)
    except JournalFull as failure:
        result.faults.append(str(failure).rstrip("."))
        return
    result.left += found


_TAKEN = {True: "taken", False: "not taken"}
