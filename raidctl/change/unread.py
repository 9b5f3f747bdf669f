"""Whether the objects of a step could be read. An unread object is neither gone nor changed. Pure."""

from __future__ import annotations

from raidctl.change.expectations import find
from raidctl.model import Inventory, failed_readings, hides
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Step

READ_PAUSES = (1.0, 2.0, 4.0, 5.0)
"""Seconds before each further attempt to read. Most programs that keep a tool from reading end at once."""


def unread(seen: Survey, step: Step, before: Inventory | None = None) -> str | None:
    """Explain why a reading proves nothing about a step. None if its objects could be read.

    A problem that hides objects and that the reading before the command did not have counts as well: a drive that is
    not listed then may be there.
    """
    hiding = failed_readings(seen.inventory.problems)
    known = {one.where for one in (seen.inventory if before is None else before).problems if hides(one)}
    fresh = [one for one in seen.inventory.problems if hides(one) and one.where not in known]
    ids = {step.object_id, *(subject.object_id for subject in step.subjects)}
    controllers = {name.partition("/")[0] for name in ids}
    absent = sorted(name for name in ids if find(seen.inventory, name) is None)
    about = [one for one in hiding if one.where.partition("/")[0] in controllers]
    if not (fresh or about or (absent and hiding)):
        return None
    why = (fresh or about or hiding)[0]
    return f"{listing(absent or sorted(ids))} could not be read ({why.where}: {why.message.rstrip('.')})"
