"""Start, stop, pause and resume checks. The command line becomes deeds, and the results are saved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.change.deed_plans import plan_deeds
from raidctl.cli.check._confirm import confirm_volume
from raidctl.cli.check._evidence import gather, state_place
from raidctl.cli.check._waiting import Look, wait
from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_deeds import perform_deeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.model import Volume
from raidctl.model.task import CHECKS
from raidctl.operate import check_history
from raidctl.operate.abilities import refused_deeds
from raidctl.operate.check_guards import denials, must_be_confirmed
from raidctl.operate.check_history import CheckRecord, newest
from raidctl.operate.checks import Evidence, checks, last_end, settled
from raidctl.request import converse
from raidctl.select import family_in
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.units import timestamp
from raidctl.vendor.checks import Glance, checks_of
from raidctl.vendor.plan import Deed, Denial, Plan, Step, Verb

_EVERY = 2.0
"""Seconds between two reads of kernel files while checks run."""
_EVERY_OF_TOOLS = 30.0
"""Seconds between two readings of a controller. Its tool may delay reads and writes."""


class Waiting(Struct, frozen=True):
    """Whether to wait for the result, and for how long."""

    waits: bool = False
    at_most: float | None = None


class CheckDeeds(Struct):
    """Deeds with checks of volumes, their guards, and their records."""

    settings: Settings
    consent: Consent
    verb: Verb
    words: Sequence[str]
    confirm: str | None = None
    waiting: Waiting = Waiting()
    machine: Machine | None = None
    before: Evidence = field(default_factory=Evidence)
    at_start: dict[str, Evidence] = field(default_factory=dict)
    """The evidence right before the command of each volume."""
    began: dict[str, float] = field(default_factory=dict)
    """When the command of each volume was run, on this machine's clock."""

    def perform(self) -> int:
        """Plan the deeds, ask, carry them out, and record them. Return the exit code."""
        return perform_deeds(
            self.settings, self.consent, self.plan, self.guard, opened=self.opened, confirmed=self.confirmed,
            ended=self.ended,
        )  # fmt: skip

    def opened(self, machine: Machine) -> None:
        """Take the machine, as soon as it can be read."""
        self.machine = machine

    def plan(self, seen: Survey) -> Plan:
        """Return the plan with its refusals."""
        found = change_targets.volumes(seen, self.words)
        vendors = self.machine.vendors if self.machine is not None else ()
        deeds = [Deed(object_id=volume.id, verb=self.verb) for volume in found]
        unable = refused_deeds(deeds, seen, vendors)
        if unable:
            return Plan(deeds=tuple(deeds), denials=tuple(unable))
        unsafe = self.consent.unsafe is not None
        return plan_deeds(seen, vendors, deeds, self.denials, unsafe=unsafe)

    def denials(self, deed: Deed, seen: Survey) -> Sequence[Denial]:
        """Return the reasons to refuse a deed now."""
        self.before = self.evidence(seen)
        return denials(deed, seen.inventory, self.before)

    def guard(self, step: Step, seen: Survey) -> Sequence[str]:
        """Check again, right before each step."""
        if step.kind != "deed":
            return ()
        self.began[step.object_id] = time.monotonic()
        found = self.denials(Deed(object_id=step.object_id, verb=self.verb), seen)
        self.at_start[step.object_id] = self.before
        return [one.reason for one in found if not (one.overridable and self.consent.unsafe is not None)]

    def confirmed(self, work: Work) -> None:
        """Ask for unique ids of volumes whose copies a repair would overwrite. Guard T1 requires them."""
        for volume in _volumes(work.seen, [deed.object_id for deed in work.plan.deeds]):
            if must_be_confirmed(self.verb, volume):
                confirm_volume(work, volume, self.confirm)

    def evidence(self, seen: Survey) -> Evidence:
        """Return the evidence of how checks ended."""
        if self.machine is None:
            return Evidence()
        return gather(self.machine, seen, state_place(self.settings))

    # --- after the deeds

    def ended(self, work: Work) -> int | None:
        """Record what was done, and wait for the result if requested."""
        ids = [deed.object_id for deed in work.plan.deeds]
        seen = work.named.survey()
        known = self.evidence(seen)
        records = [self._record(volume, known) for volume in _volumes(seen, ids)]
        check_history.append(work.state, [record for record in records if record is not None])
        if not (self.waiting.waits and self.verb in ("start_check", "repair", "resume_check")):
            return None
        volumes = _volumes(seen, ids)
        words = " ".join(volume.id for volume in volumes)
        every = _EVERY if all(volume.id in known.readings for volume in volumes) else _EVERY_OF_TOOLS
        wait(lambda: self._look(volumes), every, self.waiting.at_most, f"raidctl check show {words}")
        return self._result(work.named, ids, work.state)

    def _record(self, volume: Volume, known: Evidence) -> CheckRecord | None:
        """Return the record of a deed. None: raidctl did not start it, or the hardware keeps its own record."""
        if volume.id not in known.readings:
            return None
        since = time.monotonic() - self.began.get(volume.id, time.monotonic())
        start = None if known.uptime is None else max(0.0, known.uptime - since)
        last = newest(known.history.of(volume.unique_id))
        evidence = self.at_start.get(volume.id, self.before)
        before = evidence.readings.get(volume.id)
        log_seconds = last_end(volume, evidence)
        if self.verb in ("start_check", "repair"):
            return CheckRecord(
                array=volume.unique_id or "",
                volume=volume.id,
                kind="repair" if self.verb == "repair" else "check",
                began=timestamp(),
                boot=known.boot,
                seconds=start,
                log_seconds=log_seconds,
                read_errors=before.read_errors if before is not None else None,
            )
        if last is None or (last.end is not None and last.end != "paused"):
            return None
        if self.verb == "resume_check":
            differ = last.differ or 0 if last.place else 0
            again = replace(last, end=None, seconds=start, log_seconds=log_seconds)
            return replace(again, place=None, differ_before=differ, differ=None)
        return self._stopped(last, volume, known)

    def _stopped(self, last: CheckRecord, volume: Volume, known: Evidence) -> CheckRecord | None:
        reading = known.readings.get(volume.id)
        if reading is None or last.boot != known.boot:
            return None
        fresh = settled(last, volume, reading, known)
        if fresh.complete:
            return fresh  # it had ended before it was stopped
        differ = None if reading.differ is None else last.differ_before + reading.differ
        if self.verb == "pause_check":
            return replace(last, end="paused", place=reading.stopped_at or 0, differ=differ)
        return replace(last, end="interrupted", ended=timestamp(), differ=differ)

    def _look(self, volumes: Sequence[Volume]) -> Look:
        glances = self._glances(volumes)
        unseen = [volume for volume in volumes if volume.id not in glances]
        if unseen and self.machine is not None:
            glances |= _of_controllers(self.machine.survey(), [volume.id for volume in unseen])
        running = [name for name, glance in glances.items() if glance.running is not False]
        percents = [glances[name].percent for name in running]
        known = [percent for percent in percents if percent is not None]
        unread = listing(name for name in running if glances[name].running is None)
        return Look(not running, min(known, default=None), f"check of {', '.join(running)}", unread)

    def _glances(self, volumes: Sequence[Volume]) -> dict[str, Glance]:
        found: dict[str, Glance] = {}
        for vendor in self.machine.vendors if self.machine is not None else ():
            mine = [volume for volume in volumes if family_in(volume.id) == vendor.FAMILY]
            offered = checks_of(vendor) if mine else None
            if offered is not None and self.machine is not None:
                found |= converse(offered.glance(mine), self.machine.runner)
        return found

    def _result(self, named: Machine, ids: Sequence[str], place: Path) -> int:
        """Print how the checks ended and save the results. Return the exit code."""
        seen = named.survey()
        known = self.evidence(seen)
        fresh = []
        for volume in _volumes(seen, ids):
            record, reading = newest(known.history.of(volume.unique_id)), known.readings.get(volume.id)
            if record is not None and reading is not None:
                fresh.append(settled(record, volume, reading, known))
        check_history.append(place, fresh)
        history = replace(known.history, records=(*known.history.records, *fresh))
        found = checks(seen.inventory, replace(known, history=history), ids)
        if not self.settings.as_json:
            emit_found(found, self.settings, "checks.checks_screen")
        if any(one.differ or one.errors or one.state == "interrupted" for one in found):
            return EXIT_NO
        gone = [name for name in ids if name not in {one.volume for one in found}]
        for name in gone:
            emit_message(f"{name} was not found again: the result of its check is unknown.")
        fine = not gone and all(one.state == "complete" and one.differ == 0 for one in found)
        return EXIT_FINE if fine else EXIT_CANNOT_TELL


def _of_controllers(seen: Survey, ids: Sequence[str]) -> dict[str, Glance]:
    """Return the checks of volumes that only a controller's tool shows. A check that was not read may be running."""
    found = dict.fromkeys(ids, Glance())
    for volume in _volumes(seen, ids):
        progress = volume.progress
        checking = volume.status == "checking" or (progress is not None and progress.operation in CHECKS)
        known = None if volume.status == "unknown" and not checking else checking
        found[volume.id] = Glance(running=known, percent=progress.percent if progress is not None else None)
    return found


def _volumes(seen: Survey, ids: Sequence[str]) -> list[Volume]:
    return [volume for controller in seen.inventory.controllers for volume in controller.volumes if volume.id in ids]
