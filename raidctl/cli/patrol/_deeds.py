"""Patrol reads of a controller: from command line to guarded deed."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.cli.shared.change_targets import controllers
from raidctl.cli.shared.hardware_deeds import HardwareDeeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent
from raidctl.operate.task_guards import denials
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial, Verb


def carry_out(settings: Settings, consent: Consent, verb: Verb, word: str) -> int:
    """Plan the deed, ask, carry it out and verify. Return the exit code."""

    def make(seen: Survey) -> list[Deed]:
        return [Deed(object_id=one.id, verb=verb) for one in controllers(seen, [word])]

    def guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
        del named
        return denials(deed, seen)

    return HardwareDeeds(settings, consent, make, guards).perform()
