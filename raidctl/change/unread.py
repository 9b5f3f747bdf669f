"""Whether the objects of a step could be read. An unread object is neither gone nor changed. Pure."""

from __future__ import annotations

from raidctl.model import Inventory, failed_readings, hiding_problems
from raidctl.select import items, object_of
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Step

READ_PAUSES = (1.0, 2.0, 4.0, 5.0)
"""Seconds before each further attempt to read. Most programs that keep a tool from reading end at once."""


def unread(seen: Survey, step: Step, before: Inventory | None = None) -> str | None:
    """Explain why a reading proves nothing about a step. None if its objects could be read.

    A problem that hides objects counts as well if the reading before the command did not have it: an unlisted drive may
    then be present.
    """
    hiding = failed_readings(seen.inventory.problems)
    known = {one.where for one in hiding_problems((seen.inventory if before is None else before).problems)}
    fresh = [one for one in hiding_problems(seen.inventory.problems) if one.where not in known]
    ids = {step.object_id, *(subject.object_id for subject in step.subjects)}
    controllers = {name.partition("/")[0] for name in ids}
    absent = sorted(name for name in ids if object_of(seen.inventory, name) is None)
    about = [one for one in hiding if one.where.partition("/")[0] in controllers]
    if not (fresh or about or (absent and hiding)):
        return None
    why = (fresh or about or hiding)[0]
    return f"{listing(absent or sorted(ids))} could not be read ({why.where}: {why.message.rstrip('.')})"


def vanished(seen: Survey, step: Step, before: Inventory) -> str | None:
    """Explain that a step's controller, or all other drives of it, are no longer listed. None if they are.

    A controller that failed, or whose tool printed less, does not show that a drive was removed.
    """
    mine = {step.object_id, *(subject.object_id for subject in step.subjects)}
    for controller in before.controllers:
        if controller.mode == "software" or mine.isdisjoint(item.id for item in items(controller)):
            continue
        if object_of(seen.inventory, controller.id) is None:
            return f"{controller.id} is no longer listed"
        others = [drive.id for drive in controller.drives if drive.id not in mine]
        if others and all(object_of(seen.inventory, name) is None for name in others):
            return f"no other drive of {controller.id} is listed any longer"
    return None
