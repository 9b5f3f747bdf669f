"""Replacements on simulated machines, from the first plan to the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from raidctl.change.beginning import begin
from raidctl.change.engine import Change
from raidctl.change.journal import Begin
from raidctl.operate.begin_story import facts_of
from raidctl.operate.replacing import Replacing
from raidctl.operate.story import next_stage
from raidctl.operate.story_facts import Facts, facts_from, facts_text, observed
from raidctl.vendor.plan import Plan
from tests.change.md_machine import SOURCE, VENDORS, Bench

RESUME = "raidctl replace resume ID"


@dataclass
class Story:
    """A replacement of one drive of a machine."""

    machine: Bench
    replacing: Replacing

    def plan(self) -> Plan:
        """The next steps, with the reasons to refuse them."""
        seen = self.machine.look()
        return self.replacing.plan(next_stage(seen, self.replacing.facts), seen)

    def start(self, at_most: float | None = None) -> Change:
        """The change of a story that begins now."""
        plan = self.plan()
        assert not plan.denials, plan.denials
        story = begin(
            "operation", plan, self.machine.look().inventory, about="raidctl replace", source=SOURCE, resume=RESUME,
            facts=facts_text(self.replacing.facts),
        )  # fmt: skip
        change = self.change(msgspec.structs.replace(story, steps=()), at_most)
        change.apply()
        return change

    def resumed(self, at_most: float | None = None) -> Change:
        """The change of the story that the journal has open. Another process finds it this way."""
        [story] = self.machine.journal.pending()
        self.replacing.facts = facts_from(story.begin.facts)
        self.replacing.complete_since = None
        return self.change(story.begin, at_most)

    def change(self, story: Begin, at_most: float | None) -> Change:
        """A change on the clock of the machine."""
        machine = self.machine
        return Change(
            story, machine.journal, machine, machine.look, VENDORS, machine.printed.append, sleep=machine.sleep,
            clock=machine.clock, at_most=at_most,
        )  # fmt: skip


def begun(
    machine: Bench, number: int, *, way: Literal["copy", "out"] = "out", new: int | None = None, unsafe: bool = True,
    wipe: str | None = None,
) -> Story:  # fmt: skip
    """The replacement of the drive with this number.

    ``unsafe`` is set because the health of simulated drives is unknown.
    """
    seen = machine.look()
    facts: Facts = facts_of(seen, f"drives:LABD0000{number}", way=way, new=f"LABD0000{new}" if new else "")
    facts = observed(facts, seen)
    return Story(machine, Replacing(machine, VENDORS, facts, machine.printed.append, unsafe=unsafe, wipe=wipe))
