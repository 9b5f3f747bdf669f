"""``restore`` of an operation. It undoes the temporary settings, runs no deed, and reports what is open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from raidctl.change import rollback
from raidctl.change.deed_steps import mark_safely
from raidctl.change.engine import READ_DELAYS, Change
from raidctl.change.expectations import exchanged, undecided, unmet
from raidctl.change.journal import JournaledChange, JournalFull, Result
from raidctl.change.lookup import current_settings
from raidctl.change.reading import Look
from raidctl.change.restored import Restored
from raidctl.change.rollback import UndoStep
from raidctl.change.unread import unread
from raidctl.select import object_of
from raidctl.survey.survey import Survey
from raidctl.text import counted, listing
from raidctl.vendor.plan import Step, ToolSetting
from raidctl.vendor.protocol import Vendor


def put_back(
    change: Change, journaled: JournaledChange, result: Restored, look: Look, vendors: Sequence[Vendor]
) -> None:
    """Undo the temporary settings of an operation. Close it if it cannot be resumed."""
    begin = journaled.begin
    undone = {event.step for event in journaled.events if event.mark == "undone"}
    numbers = [
        number for number in journaled.started()[::-1] if begin.steps[number].for_length and number not in undone
    ]
    seen = look()
    current = current_settings(seen.inventory, vendors)
    begun: list[UndoStep] = []
    for back in rollback.undo_steps(begin, numbers, seen.inventory, vendors):
        if isinstance(back, str):
            result.faults += [back] if back not in result.faults else []
            continue
        step = back.step
        value = current.get((step.object_id, step.setting))
        if value is None and step.readable:
            result.faults.append(rollback.unread(back, seen.inventory) or rollback.manual_remedy(back))
        elif back.action is None and value in (None, step.after):
            result.faults.append(rollback.manual_remedy(back))
        elif value is None or value == step.after != step.before:
            mark_safely(change, back.number, "undo")
            change.show(f"  {step.undo}")
            fault = change.undo(step)
            if fault is not None:
                mark_safely(change, back.number, "failed", fault)
                result.faults.append(f"{step.undo}: {fault}")
            else:
                begun.append(back)
        # otherwise it is as before, or somebody else has set it since
    _confirm(change, begun, result, look, vendors)
    result.open = open_text(journaled)
    if result.open is None and not result.faults:
        _close(change, journaled, seen, result)


def _confirm(
    change: Change, begun: Sequence[UndoStep], result: Restored, look: Look, vendors: Sequence[Vendor]
) -> None:
    """Read until the settings have their previous values. Note which have not."""
    left = list(begun)
    current: dict[ToolSetting, str] = {}
    for pause in READ_DELAYS:
        left = [back for back in left if back.step.readable and _value(back.step, current) != back.step.before]
        if not left:
            break
        change.sleep(pause)
        current = current_settings(look().inventory, vendors)
    left = [back for back in left if _value(back.step, current) != back.step.before]
    for back in begun:
        step = back.step
        name = f"{step.setting} of {step.object_id}"
        if back in left:
            text = f"{name} is {_value(step, current) or 'unknown'} instead of {step.before}"
            mark_safely(change, back.number, "failed", text)
            result.faults.append(text)
        else:
            mark_safely(change, back.number, "undone")
            result.put_back.append(f"{name} from {step.after} back to {step.before}")


def _value(step: Step, current: Mapping[ToolSetting, str]) -> str | None:
    return current.get((step.object_id, step.setting))


def _close(change: Change, journaled: JournaledChange, seen: Survey, result: Restored) -> None:
    """End an operation that cannot be resumed. Its results stay, and are reported."""
    hidden, found, end = effects(journaled, seen)
    if hidden:  # its effect is unknown: it stays open, and a later restore reports it
        result.faults += hidden
        return
    try:
        change.end(end, listing(found) or None)
    except JournalFull as failure:
        result.faults.append(str(failure).rstrip("."))
        return
    result.left += found


def effects(journaled: JournaledChange, seen: Survey) -> tuple[list[str], list[str], Result]:
    """What an operation that cannot be resumed has done.

    Return what could not be read, a sentence for each deed, and how the operation ends.
    """
    begun = [journaled.begin.steps[number] for number in journaled.started()]
    now = [rollback.renumbered(journaled.begin, step, seen.inventory) for step in begun if not step.for_length]
    deeds = [step for step in now if not isinstance(step, str)]
    lost = [step for step in now if isinstance(step, str)]
    shown = [_shown(seen, step, {subject.id for subject in journaled.begin.subjects}) for step in deeds]
    hidden = list(dict.fromkeys([*lost, *(text for met, text in shown if met is None)]))
    found = [text for met, text in shown if met is not None]
    rest = sum(step.kind == "deed" for step in journaled.begin.steps) - len(deeds) - len(lost)
    if deeds and rest > 0:
        found.append(f"{counted(rest, 'further step')} of it {'was' if rest == 1 else 'were'} not begun")
    return (
        hidden,
        found,
        ("stands" if all(met for met, _ in shown) and rest <= 0 else "stopped") if deeds else "restored",
    )


def _shown(seen: Survey, step: Step, controllers: Collection[str]) -> tuple[bool | None, str]:
    """Whether a reading shows that a deed has taken effect, and a sentence about it. None: a later one may show it."""
    name = f"{step.setting.replace('_', ' ')} of {step.object_id}"
    above = step.object_id.partition("/")[0]
    why = unread(seen, step)
    if why is None and above in controllers and object_of(seen.inventory, above) is None:
        why = f"{above} is not listed"
    if why is not None:
        return None, why
    missing = unmet(seen, step.expects)
    other = exchanged(seen, step.subjects)
    absent = [one.object_id for one in step.subjects if object_of(seen.inventory, one.object_id) is None]
    if other is not None or (missing and absent):
        return False, f"whether {name} has taken effect cannot be seen: {other or f'{absent[0]} no longer exists'}"
    if missing and missing == undecided(seen, step.expects):
        return None, f"whether {name} has taken effect is unknown: {missing[0]}"
    return not missing, f"{name} has {'not ' if missing else ''}taken effect"


def open_text(journaled: JournaledChange) -> str | None:
    """What an open operation waits for, with the command that continues it. None: it cannot be continued."""
    begin = journaled.begin
    if begin.resume is None or not journaled.events:
        return None
    return f'{journaled.waiting or begin.about} Continue with "{begin.resume}".'
