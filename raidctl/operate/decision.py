"""The next stage of a replacement. It follows from a reading that is repeated if it failed."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.change.engine import Change
from raidctl.change.expectations import serials_of, unmet
from raidctl.change.unread import READ_PAUSES
from raidctl.model import hiding_problems, is_complete
from raidctl.operate.replacement_facts import Facts, Stage, gone
from raidctl.operate.stages import next_stage
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Step


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
    if asked and facts.old not in serials_of(seen) and unmet(seen, (gone(facts),)):
        return replace(stage, problem=f"It is unknown whether the drive with serial number {facts.old} is gone.")
    return stage


def hindrance(step: Step, stage: Stage, facts: Facts) -> str | None:
    """Explain why the hardware cannot end a wait: the problem of its stage, or the new drive is gone. None: it may."""
    if step.setting in ("rebuilding", "verifying", "settling") and stage.name in ("waiting_push", "vetting"):
        return stage.problem or f"The new drive {facts.new} is gone."
    return stage.problem
