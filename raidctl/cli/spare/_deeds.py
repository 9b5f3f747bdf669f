"""Add and remove spares: from command line to guarded deeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from raidctl.change.deed_plans import plan_deeds
from raidctl.change.lookup import owner
from raidctl.cli.shared.apply_deeds import perform_deeds
from raidctl.cli.shared.hardware_deeds import RENAMED, is_of
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import EXIT_FINE
from raidctl.model import Drive
from raidctl.model.objects import drives_by_id
from raidctl.operate.contents import Contents, read_contents
from raidctl.operate.joining_guards_behind import exposed
from raidctl.operate.new_drive import Candidate
from raidctl.operate.spare_guards import denials, refusals
from raidctl.operate.spare_guards_behind import objections_behind
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial, Plan, Step

DeedMaker = Callable[[Survey], Deed]


class Spares(Struct):
    """One deed with a spare on a machine. Its guards are checked for the plan and before the step."""

    make: DeedMaker
    consent: Consent
    machine: Machine | None = None
    empty: str = ""
    """The drive, if no change is needed."""

    def opened(self, machine: Machine) -> None:
        """Take the machine, as soon as it can be read."""
        self.machine = machine

    def plan(self, seen: Survey) -> Plan:
        """Return the plan with its refusals."""
        unsafe = self.consent.unsafe is not None
        vendors = self.machine.vendors if self.machine is not None else ()
        deed = self.make(seen)
        made = plan_deeds(seen, vendors, [deed], self.denials, unsafe=unsafe)
        self.empty = "" if made.steps or made.denials else (deed.drive or deed.object_id)
        return made

    def denials(self, deed: Deed, seen: Survey) -> Sequence[Denial]:
        """Return the reasons to refuse the deed now."""
        controller = owner(seen.inventory.controllers, deed.object_id)
        if controller is not None and controller.mode != "software":
            contents = self._read_if_visible(deed, seen) if deed.verb == "add_spare" else None
            return refusals(deed, objections_behind(deed, seen, controller, contents))
        return denials(deed, seen, self._candidate(deed, seen) if deed.verb == "add_spare" else None)

    def guard(self, step: Step, seen: Survey) -> Sequence[str]:
        """Check again, right before the step."""
        if step.kind != "deed":
            return ()
        deed = self.make(seen)
        if not is_of(step, deed):
            return [RENAMED]
        lifted = self.consent.unsafe is not None
        return [one.reason for one in self.denials(deed, seen) if not (lifted and one.overridable)]

    def _read_if_visible(self, deed: Deed, seen: Survey) -> Contents | None:
        """Read a drive behind a controller if the system sees it, too."""
        drive = physical_drive(seen, deed.drive)
        if drive is None or self.machine is None:
            return None
        return converse(exposed(drive, seen.view), self.machine.runner)

    def _candidate(self, deed: Deed, seen: Survey) -> Candidate | None:
        drive = physical_drive(seen, deed.drive)
        if drive is None or deed.device is None or self.machine is None:
            return None
        found = converse(read_contents([deed.device]), self.machine.runner)[deed.device]
        return Candidate(drive=drive, node=deed.device, contents=found)


def physical_drive(seen: Survey, drive_id: str | None) -> Drive | None:
    """Return the drive with an id."""
    return drives_by_id(seen.inventory).get(drive_id or "")


def carry_out(settings: Settings, consent: Consent, make: DeedMaker) -> int:
    """Plan the deed, ask, carry it out and verify. Return the exit code."""
    spares = Spares(make, consent)
    code = perform_deeds(settings, consent, spares.plan, spares.guard, opened=spares.opened)
    if code == EXIT_FINE and spares.empty and not settings.as_json:
        emit_message(f"No change needed: {spares.empty}.")
    return code
