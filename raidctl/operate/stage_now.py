"""The next stage of a replacement. It follows from a reading that is repeated if it failed."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.change.engine import Change
from raidctl.change.expectations import serials_of, unmet
from raidctl.change.unread import READ_PAUSES
from raidctl.change.waiting import put_back
from raidctl.model import hiding_problems, is_complete
from raidctl.operate.replacement_facts import Facts, Stage, drive_of, gone, missing, parts
from raidctl.operate.stages import next_stage
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Plan, Step

_NOT_OF_A_COPY = frozenset({"R1", "R2", "R6", "R8"})
"""Guards that do not apply while the old drive is copied. The array stays as complete as it is."""


def decided(change: Change, seen: Survey, facts: Facts) -> tuple[Survey, Stage]:
    """The next stage and the reading behind it. A possibly incomplete reading is repeated for a while."""
    stage = _stage(seen, facts)
    for pause in READ_PAUSES:
        if stage.problem is None or is_complete(seen.inventory):
            break
        change.sleep(pause)
        seen = change.look()
        stage = _stage(seen, facts)
    hidden = hiding_problems(seen.inventory.problems) if stage.problem is not None else ()
    if hidden:
        text = f"{stage.problem} Not read: {hidden[0].where}: {hidden[0].message.rstrip('.')}."
        stage = replace(stage, problem=text)
    return seen, stage


def _stage(seen: Survey, facts: Facts) -> Stage:
    """The next stage. A drive that could not be read does not count as gone."""
    stage = next_stage(seen, facts)
    asked = stage.name == "waiting_push" and stage.problem is None and facts.old and not facts.dropped
    if asked and facts.old not in serials_of(seen) and unmet(seen, (gone(facts.old),)):
        return replace(stage, problem=f"It is unknown whether the drive with serial number {facts.old} is gone.")
    return stage


def obstacle(step: Step, seen: Survey, facts: Facts) -> str | None:
    """Explain why a wait for the hardware or a person cannot end. None: it may."""
    stage = next_stage(seen, facts)
    if step.kind == "hand":  # the obstacles of a later stage are explained there
        return stage.problem if stage.name in ("rebuilding", "waiting_push") else None
    if step.kind != "wait":
        return None
    again = step.setting in ("rebuilding", "verifying", "settling") and stage.name in ("waiting_push", "checking")
    if not again or stage.problem is not None:
        return stage.problem
    if facts.new in serials_of(seen) and (others := missing(seen, facts)):
        return put_back(others, facts.places)
    return None if unmet(seen, (gone(facts.new),)) else f"The new drive {facts.new} is gone."


def refusal(made: Plan, facts: Facts) -> str:
    """Return why the steps of a stage are refused, and a way out if the old drive is in again. Empty: they are not."""
    why = " ".join(dict.fromkeys(denial.reason for denial in made.denials))
    if facts.dropped and any(denial.deed.verb == "take_out" for denial in made.denials):
        why += (
            f" {facts.old} was taken out before, and is in again. If it is rebuilt, wait until the array is complete; "
            f'to keep it, close the replacement with "raidctl replace abandon ID --confirm {facts.old}".'
        )
    return why


def not_of_a_copy(seen: Survey, facts: Facts) -> frozenset[str]:
    """Return the guards of the old drive that do not apply to its copy.

    R3 is one if only the new drive is being filled: the copy of another array on the same drives has begun.
    """
    if facts.way != "copy":
        return frozenset()
    arrays, new = parts(seen, facts), drive_of(seen, facts.new)
    busy = [part for part in arrays if part.busy] if not isinstance(arrays, str) else []
    filled = [part.member(new.device or "") for part in busy] if new is not None else []
    own = bool(filled) and all(member is not None and member.role == "member" for member in filled)
    return _NOT_OF_A_COPY | (frozenset({"R3"}) if own else frozenset())
