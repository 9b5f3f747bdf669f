"""Carry out a replacement. Each stage is planned for the engine from a fresh reading, with its guards."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from msgspec.structs import replace

from raidctl.change import deed_steps
from raidctl.change.deed_plans import plan_deeds
from raidctl.change.engine import Change
from raidctl.change.waiting import TOOL_PAUSES
from raidctl.errors import UnderWay
from raidctl.host import partition_node
from raidctl.model import Drive
from raidctl.operate import disk_steps
from raidctl.operate.blinking import Led, NoLed, blinking
from raidctl.operate.boot_loader import Surroundings, code_of
from raidctl.operate.contents import EMPTY, first_sector
from raidctl.operate.copyback import Copyback
from raidctl.operate.joining_guards import Probed, not_prepared, probe, unfit
from raidctl.operate.joining_guards_behind import exposed, unfit_behind
from raidctl.operate.new_drive import Objection
from raidctl.operate.rebuild_news import news
from raidctl.operate.removal import check
from raidctl.operate.replacement_facts import Facts, Stage, drive_of, drops, facts_text, new_drives, parts
from raidctl.operate.spare_guards import refusals
from raidctl.operate.stage_now import decided, not_of_a_copy, obstacle, refusal
from raidctl.operate.stages import next_stage
from raidctl.operate.stages_behind import drive_behind, inside, left_out, works
from raidctl.request import RunAnswer, Runner, converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial, Plan, Step, Verb
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.unreported import unreported

LIFTED = frozenset({"R2", "R6"})
"""Guards of the old drive that ``--unsafe REASON`` lifts."""
_LEAVING = ("fail", "remove", "replace", "take_out")
_TAKEN_WITHIN = 600.0
"""Seconds within which a controller begins to fill a new drive. After that it will not do so."""
_APART = 10.0
"""Seconds between two readings that show a complete array (R15)."""
_SHORT = "the array is not complete"
_VERBS: dict[str, Verb] = {
    "pull": "pull", "push": "push", "copying": "copying", "rebuilding": "rebuilding", "verifying": "verifying",
    "settling": "copying",
}  # fmt: skip


@dataclass
class Replacing:
    """A replacement in progress."""

    runner: Runner
    vendors: Sequence[Vendor]
    facts: Facts
    show: Callable[[str], None]
    unsafe: bool = False
    wipe: str | None = None
    """Serial number of the new drive whose content may be erased."""
    led: Led = field(default_factory=NoLed)
    hint: Callable[[Stage], None] = lambda _: None
    """Shows how to simulate a manual step, on a simulated machine."""
    clock: Callable[[], float] = time.monotonic
    complete_since: float | None = None
    begun: bool = False
    """Whether the replacement has started. The old drive may then be out already."""
    back: Copyback = field(init=False)
    _idle_since: float | None = None
    seen: Survey | None = None
    """The last reading of the machine in the current stage."""
    _reported: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.back = Copyback(self.vendors)

    # --- guards

    def leaving(self, seen: Survey) -> list[Objection]:
        """Reasons to leave the old drive in."""
        old = self._old(seen)
        if old is None:
            return [Objection(guard="X2", text=f"The drive {self.facts.old} was not found.", unknown=True)]
        around = Surroundings(unreported=unreported(self.vendors))
        report = check(seen.inventory, seen.view, old.id, datetime.now(timezone.utc), around)
        ignored = not_of_a_copy(seen, self.facts) | (LIFTED if self.unsafe else frozenset())
        against = [one for one in report.reasons if one.verdict in ("no", "unknown") and one.guard not in ignored]
        return [
            Objection(guard=one.guard, text=one.text, remedy="All reasons: `raidctl replace DRIVE --check`",
                      unknown=one.verdict == "unknown", overridable=one.guard in LIFTED)
            for one in against
        ]  # fmt: skip

    def _old(self, seen: Survey) -> Drive | None:
        arrays = parts(seen, self.facts)
        if self.facts.volumes:
            return None if isinstance(arrays, str) else drive_behind(arrays, self.facts.old)
        return drive_of(seen, self.facts.old)

    def _still_leaving(self, step: Step, seen: Survey) -> list[str]:
        """Reasons to refuse a step with the old drive now. Later, only those of the step's array count."""
        arrays = parts(seen, self.facts)
        if isinstance(arrays, str):
            return [arrays]
        if self.facts.volumes:
            old = drive_behind(arrays, self.facts.old)
            if old is None or not works(old) or left_out(arrays, old, self.facts):
                return []  # it is out already: nothing else is removed with it
            return [f"Guard {one.guard}: {one.text}" for one in self.leaving(seen)]
        mine = [part for part in arrays if part.volume.id == step.object_id]
        started = any(
            (member := part.member(self._old_node(seen))) is None or member.role == "failed" for part in arrays
        )
        if not started:
            return [f"Guard {one.guard}: {one.text}" for one in self.leaving(seen)]
        if step.setting != "fail":
            return []  # it has failed already: removing it has no further effect
        left = [part.volume.failures_tolerated for part in mine]
        if any(number is None or number < 1 for number in left):
            return [f"Guard R1: {step.object_id} survives no further failure."]
        return []

    def _old_node(self, seen: Survey) -> str:
        old = drive_of(seen, self.facts.old)
        return (old.device if old is not None else None) or ""

    def probed(self, seen: Survey, new: Drive) -> Probed:
        """Read the new drive, and the requirements of its arrays."""
        arrays = parts(seen, self.facts)
        found = [] if isinstance(arrays, str) else arrays
        members = {}
        sibling = new.device or ""
        for part in found:
            whole = [
                one
                for one in part.whole
                if one.device and one.device != partition_node(new.device or "", part.partition)
            ]
            if whole and part.volume.device:
                members[part.volume.device.removeprefix("/dev/")] = (whole[0].device or "").removeprefix("/dev/")
                block = seen.view.block(whole[0].device or "")
                above = seen.view.block(block.parent) if block is not None and block.parent else block
                sibling = above.node if above is not None else sibling
        inside = [
            node
            for part in found
            if part.partition and part.member(new.device or "") is None
            and seen.view.block(node := partition_node(new.device or "", part.partition)) is not None
        ]  # fmt: skip
        table = bool(self.facts.partitions)
        return converse(probe(new.device or "", members, sibling, table=table, inside=inside), self.runner)

    def objections(self, seen: Survey, *, before_table: bool = False) -> list[Objection]:
        """Reasons to refuse the new drive."""
        if self.facts.volumes:
            return self._objections_behind(seen)
        new = drive_of(seen, self.facts.new)
        if new is None:
            return [self._absent()]
        found = self.probed(seen, new)
        if before_table and self.wipe == new.serial:
            found = replace(found, contents=EMPTY, inside={})
        arrays = parts(seen, self.facts)
        others = [one for part in ([] if isinstance(arrays, str) else arrays) for one in part.whole]
        reasons = unfit(new, (seen.inventory, seen.view), found, others, partitions=self.facts.partitions,
                        erased=new.serial in (self.wipe, self.facts.prepared))  # fmt: skip
        joined = any(drive.device == new.device or new.id in drive.backing for drive in self._members(seen))
        # with several partitions, the first member has joined when the second one does
        own = ("R10", "R11") if joined and self.facts.partitions else ()
        return self._remaining(one for one in reasons if one.guard not in own)

    def _absent(self) -> Objection:
        return Objection(guard="X2", text=f"The new drive {self.facts.new} was not found.")

    def _objections_behind(self, seen: Survey) -> list[Objection]:
        arrays = parts(seen, self.facts)
        new = None if isinstance(arrays, str) else drive_behind(arrays, self.facts.new)
        if new is None or isinstance(arrays, str):
            return [self._absent()]
        if inside(arrays, new):
            return []  # its controller has accepted it already, after its own checks
        others = [one for one in arrays[0].whole if one.id != new.id]
        return self._remaining(unfit_behind(new, seen.view, others, converse(exposed(new, seen.view), self.runner)))

    def _remaining(self, reasons: Iterable[Objection]) -> list[Objection]:
        """Return the reasons that ``--unsafe`` does not lift."""
        return [one for one in reasons if not (self.unsafe and one.overridable)]

    def _members(self, seen: Survey) -> Iterator[Drive]:
        arrays = parts(seen, self.facts)
        for part in [] if isinstance(arrays, str) else arrays:
            yield from part.members

    def guard(self, step: Step, seen: Survey) -> list[str]:
        """Return reasons to stop. The engine calls this before each step, and at each reading of a wait."""
        self.seen = seen
        if step.setting in _LEAVING or (step.setting == "pull" and self.facts.volumes):
            return self._still_leaving(step, seen)
        if step.setting in ("add_spare", "add_member", "copy_table", "wipe"):
            reasons = self.objections(seen, before_table=step.setting in ("copy_table", "wipe"))
            return [f"Guard {one.guard}: {one.text}" for one in reasons]
        if step.setting == "boot_loader":
            return [] if self._filled(seen) else [f"{self.facts.new} is not a complete member of its arrays."]
        problem = obstacle(step, seen, self.facts)
        if step.kind == "wait":
            self.report(seen)
            problem = problem or self._not_taken(seen)
        return [problem] if problem is not None else []

    def _not_taken(self, seen: Survey) -> str | None:
        """Explain that the controller has not begun to fill the new drive. None if it has begun, or still may."""
        arrays = parts(seen, self.facts)
        if not self.facts.volumes or isinstance(arrays, str):
            return None
        new = drive_behind(arrays, self.facts.new)
        short = new is not None and not all(part.complete for part in arrays)
        if not short or any(part.busy for part in arrays):
            self._idle_since = None
            return None
        self._idle_since = self.clock() if self._idle_since is None else self._idle_since
        if self.clock() - self._idle_since < _TAKEN_WITHIN:
            return None
        names = ", ".join(part.volume.id for part in arrays)
        if new is not None and inside(arrays, new):
            return f"Another member of {names} is missing, and nothing is being rebuilt. Replace or add that one, too."
        return (
            f"The controller has not started to use the drive {self.facts.new} for {names} within "
            f"{_TAKEN_WITHIN / 60:.0f} minutes, and nothing is being rebuilt."
        )

    def report(self, seen: Survey) -> None:
        """Print news once: each ten percent of a rebuild, new errors, obstacles."""
        for what, text in news(seen, self.facts, self.vendors):
            if what not in self._reported:
                self._reported.add(what)
                self.show(text)

    def confirm(self, step: Step, seen: Survey, clock: Callable[[], float]) -> list[str]:
        """Return what a reading does not confirm yet. This goes beyond the expectations on the model."""
        if step.setting == "push":
            back = self._old(seen) is not None and self.facts.old  # put in again: the next stage asks for it
            return [] if back or new_drives(seen, self.facts) else ["no new drive was found"]
        if step.setting == "rebuilding":
            arrays = parts(seen, self.facts)
            return [] if not isinstance(arrays, str) and all(one.complete for one in arrays) else [_SHORT]
        if step.setting == "copying" and next_stage(seen, self.facts).name == "copying":
            return ["it is being copied"]
        if step.setting == "settling":
            return self.back.missing(seen, self.facts, clock())
        if step.setting == "verifying":
            return self._twice(seen, clock())
        if step.setting in ("boot_loader", "copy_table", "wipe"):
            return self._written(step, seen)
        return []

    def _written(self, step: Step, seen: Survey) -> list[str]:
        """Return what the new drive does not contain yet, or still contains. It is read for that."""
        if (new := drive_of(seen, self.facts.new)) is None:
            return [f"{self.facts.new} is not listed"]
        if step.setting == "boot_loader":
            [answer] = self.runner.carry_out([first_sector(new.device or "")])
            written = isinstance(answer, RunAnswer) and code_of(answer) == "grub"
            return [] if written else [f"the first sector of {new.id} has no GRUB, or cannot be read"]
        return not_prepared(step, new, self.probed(seen, new))

    def _twice(self, seen: Survey, now: float) -> list[str]:
        """R15: complete, and complete again 10 seconds later."""
        arrays = parts(seen, self.facts)
        if isinstance(arrays, str) or not all(part.complete for part in arrays):
            self.complete_since = None
            return [_SHORT]
        self.complete_since = now if self.complete_since is None else self.complete_since
        return [] if now - self.complete_since >= _APART else ["it has been complete for less than 10 seconds"]

    # --- stages

    def plan(self, stage: Stage, seen: Survey) -> Plan:
        """Return the steps of a stage, with the refusals of its guards."""
        return self.settled(stage, seen)[1]

    def settled(self, stage: Stage, seen: Survey) -> tuple[Stage, Plan]:
        """Return the stage and its steps. If the family has no steps for it, the following stage is returned."""
        if stage.step is not None:
            return stage, Plan(steps=(stage.step,), deeds=tuple(self._touched(stage.step, seen)))
        if stage.name == "adding" and not self.facts.volumes and (made := self._prepared(stage, seen)) is not None:
            return stage, made
        made = plan_deeds(seen, self.vendors, stage.deeds, self._denials, unsafe=self.unsafe)
        if stage.then is not None and not made.steps and not made.denials:
            return self.settled(stage.then, seen)
        return stage, made

    def _touched(self, step: Step, seen: Survey) -> Iterator[Deed]:
        """Yield the arrays of a wait, which nothing else may touch meanwhile."""
        arrays = parts(seen, self.facts)
        for part in [] if isinstance(arrays, str) else arrays:
            yield Deed(object_id=part.volume.id, verb=_VERBS[step.setting], drive=self.facts.old_id)

    def _prepared(self, stage: Stage, seen: Survey) -> Plan | None:
        """Plan to erase and partition the new drive before it joins. None: nothing."""
        new = drive_of(seen, self.facts.new)
        if new is None or new.device is None:
            return None
        found = self.probed(seen, new)
        deed = Deed(object_id=stage.deeds[0].object_id, verb="copy_table", drive=new.id, device=new.device)
        missing = any(seen.view.block(partition_node(new.device, part)) is None for part in self.facts.partitions)
        wipe = self.wipe == new.serial and any(one.guard == "R11" for one in self.objections(seen))
        if not wipe and not missing:
            return None
        denials = refusals(deed, self.objections(seen, before_table=True))
        steps = disk_steps.wiping(new, seen.view) if wipe else []
        if missing and found.source is not None:
            steps += disk_steps.copying(new, found.source, self.facts.partitions)
        return Plan(deeds=(deed,), steps=tuple(steps), denials=tuple(denials))

    def _denials(self, deed: Deed, seen: Survey) -> list[Denial]:
        if deed.verb in ("fail", "replace") or (deed.verb == "take_out" and self._counts(seen)):
            return refusals(deed, self.leaving(seen))
        if deed.verb in ("add_spare", "add_member"):
            return refusals(deed, self.objections(seen))
        return []

    def _counts(self, seen: Survey) -> bool:
        """Whether the guards of the old drive apply. At the start they always do, later only while it works."""
        old = self._old(seen)
        return not self.begun or (old is not None and works(old))

    def run(self, change: Change) -> None:
        """Carry out stage after stage until the replacement is done.

        Raises:
            UnderWay: It waits for a person or the hardware; the message has the command that continues it.
            ChangeUndone, ChangeNotUndone: A step failed.
        """
        change.guard = self.guard
        change.confirm = lambda step, seen: self.confirm(step, seen, change.clock)
        self.clock, self.begun = change.clock, True
        if self.facts.volumes:
            change.pauses = TOOL_PAUSES
        seen = change.fresh()
        while True:
            seen, stage = decided(change, seen, self.facts)
            self.seen = seen
            if stage.problem is None and stage.name == "checking":
                self.facts = replace(self.facts, new=new_drives(seen, self.facts)[0].serial or "")
                self.show(f"New drive: {self.facts.new}.")
                continue
            stage = self.back.before(stage, seen, self.facts)
            stage, made = self.settled(stage, seen) if stage.problem is None else (stage, Plan())
            why = stage.problem or refusal(made, self.facts)
            if why or not made.steps:
                raise self._stopped(change, why or "Nothing more can be planned.", stage.choices)
            if stage.name == "removing" and any(map(drops, made.steps)):
                self.facts = replace(self.facts, dropped="yes")
            if any(step.setting in ("wipe", "copy_table") for step in made.steps):
                self.facts = replace(self.facts, prepared=self.facts.new)
            self._blink(stage, seen)
            self.hint(stage)
            try:
                seen = change.go_on(made.steps, facts_text(self.facts))
            except UnderWay:
                self._blink(stage, self.seen or seen)  # another drive may be gone: its bay blinks
                raise
            if stage.name == "verifying":
                self._install_boot_loader(change, seen)
                change.finish()
                return

    def _install_boot_loader(self, change: Change, seen: Survey) -> None:
        """Install the boot loader, if requested and certain."""
        new = drive_of(seen, self.facts.new)
        if self.facts.boot_run and self.facts.boot_tool:
            if new is None:
                raise self._stopped(change, f"{self.facts.new} is not listed now: its boot loader is not installed.")
            change.go_on([disk_steps.booting(new, self.facts.boot_tool)], facts_text(self.facts))

    def _filled(self, seen: Survey) -> bool:
        """Whether the new drive works in every array of the replacement."""
        arrays, new = parts(seen, self.facts), drive_of(seen, self.facts.new)
        if isinstance(arrays, str) or new is None:
            return False
        return all((one := part.member(new.device or "")) is not None and one.status == "ok" for part in arrays)

    def _blink(self, stage: Stage, seen: Survey) -> None:
        names = blinking(stage, seen, self.facts)
        if names:
            self.led.on(names, seen)
        elif names is not None:
            self.led.off()

    def _stopped(self, change: Change, why: str, choices: Sequence[str] = ()) -> UnderWay:
        deed_steps.mark_safely(change, max(0, len(change.begin.steps) - 1), "stopped", why)
        if choices:
            ways = (f'"{change.begin.resume} --with {shlex.quote(serial)}"' for serial in choices)
            return UnderWay(f"{why} Continue with {' or '.join(ways)}.")
        return UnderWay(f'{why} Then continue with "{change.begin.resume}".')
