"""The wait for a possible copyback from spare to new drive.

Some controllers start the copyback a moment after the rebuild; a reading in between shows a complete array and a free
drive. Only after this wait does the new drive become the next spare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.operate.replacement_facts import Facts, Stage, parts
from raidctl.operate.stages_behind import drive_behind, inside, wait
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor

SETTLING_SECONDS = 60.0
"""Length of the wait. By its end, the firmware has begun, or never will."""


@dataclass
class Copyback:
    """The copyback as seen in a replacement."""

    vendors: Sequence[Vendor]
    since: float | None = None
    over: bool = False

    def before(self, stage: Stage, seen: Survey, facts: Facts) -> Stage:
        """Return the stage, or the wait before it."""
        arrays = parts(seen, facts)
        next_spare = facts.volumes and any(deed.verb == "add_spare" for deed in stage.deeds)
        if not next_spare or self.over or isinstance(arrays, str):
            return stage
        controller = arrays[0].controller
        families = {vendor.FAMILY: getattr(operations_of(vendor), "moves_back", None) for vendor in self.vendors}
        reports = families.get(family_of(controller))
        new = drive_behind(arrays, facts.new)
        if new is None or (reports is not None and reports(controller) is False):
            return stage
        return Stage("rebuilding", step=wait("settling", arrays, new, facts))

    def missing(self, seen: Survey, facts: Facts, now: float) -> list[str]:
        """Return what is missing for a decision.

        Nothing is missing once data is being copied back, or the wait is over.
        """
        self.since = now if self.since is None else self.since
        arrays = parts(seen, facts)
        new = None if isinstance(arrays, str) else drive_behind(arrays, facts.new)
        begun = not isinstance(arrays, str) and new is not None and inside(arrays, new)
        self.over = begun or now - self.since >= SETTLING_SECONDS
        return [] if self.over else ["whether data is copied back to the new drive is not known yet"]
