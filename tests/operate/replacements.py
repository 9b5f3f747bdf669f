"""Replacements on simulated machines, from the first plan to the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from raidctl.change.beginning import begin
from raidctl.change.engine import Change
from raidctl.change.journal import Begin
from raidctl.operate.first_facts import facts_of
from raidctl.operate.replacement_facts import Facts, facts_from, facts_text, observed
from raidctl.operate.replacing import Replacing
from raidctl.operate.stages import next_stage
from raidctl.vendor.plan import Plan
from raidctl_md import simulator
from tests.change.md_machine import SOURCE, VENDORS, Bench

RESUME = "raidctl replace resume ID"


@dataclass
class Replacement:
    """A replacement of one drive of a machine."""

    bench: Bench
    replacing: Replacing

    def plan(self) -> Plan:
        """The next steps, with the reasons to refuse them."""
        seen = self.bench.look()
        return self.replacing.plan(next_stage(seen, self.replacing.facts), seen)

    def start(self, at_most: float | None = None) -> Change:
        """The change of a replacement that begins now."""
        plan = self.plan()
        assert not plan.denials, plan.denials
        entry = begin(
            "operation", plan, self.bench.look().inventory, about="raidctl replace", source=SOURCE, resume=RESUME,
            facts=facts_text(self.replacing.facts),
        )  # fmt: skip
        change = self.change(msgspec.structs.replace(entry, steps=()), at_most)
        change.apply()
        return change

    def resumed(self, at_most: float | None = None) -> Change:
        """The change of the replacement that the journal has open. Another process finds it this way."""
        [journaled] = self.bench.journal.pending()
        before = self.replacing
        self.replacing = replacing(
            self.bench, facts_from(journaled.begin.facts), unsafe=before.unsafe, wipe=before.wipe
        )
        self.replacing.begun = True
        return self.change(journaled.begin, at_most)

    def resume(self, at_most: float | None = None) -> None:
        """The rest of the replacement that the journal has open."""
        change = self.resumed(at_most)
        self.replacing.run(change)

    def change(self, entry: Begin, at_most: float | None) -> Change:
        """A change on the clock of the machine."""
        bench = self.bench
        return Change(
            entry, bench.journal, bench, bench.look, VENDORS, bench.printed.append, sleep=bench.sleep,
            clock=bench.clock, at_most=at_most,
        )  # fmt: skip


def replacing(bench: Bench, facts: Facts, *, unsafe: bool = False, wipe: str | None = None) -> Replacing:
    """What a process that carries out a replacement holds at its start."""
    return Replacing(bench, VENDORS, facts, bench.printed.append, unsafe=unsafe, wipe=wipe)


def begun(
    machine: Bench, number: int, *, way: Literal["copy", "out"] = "out", new: int | None = None, unsafe: bool = True,
    wipe: str | None = None,
) -> Replacement:  # fmt: skip
    """The replacement of the drive with this number.

    ``unsafe`` is set because the health of simulated drives is unknown.
    """
    seen = machine.look()
    facts: Facts = facts_of(seen, f"drives:LABD0000{number}", way=way, new=f"LABD0000{new}" if new else "")
    facts = observed(facts, seen)
    return Replacement(machine, replacing(machine, facts, unsafe=unsafe, wipe=wipe))


OLD, NEW = "LABD00002", "LABD00005"


def exchanged(machine: Bench, new: str = NEW) -> None:
    """Let a person pull the second drive after 50 s. Another one is put in after 100 s."""
    machine.events = [
        (machine.at + 50.0, lambda state: simulator.pull(state, "2")),
        (machine.at + 100.0, lambda state: simulator.push(state, "2", new)),
    ]


def argvs(machine: Bench) -> list[str]:
    """The commands that were run, as text."""
    return [" ".join(argv) for argv in machine.argvs]
