"""Rebuilds of named drives: from command line to guarded deeds."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.cli.shared.hardware_deeds import HardwareDeeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent
from raidctl.operate.deed_subjects import drive_of, volumes_of
from raidctl.operate.task_guards import denials
from raidctl.select import find_drive
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial, Verb


def carry_out(settings: Settings, consent: Consent, verb: Verb, words: Sequence[str]) -> int:
    """Plan the deeds, ask, carry them out and verify. Return the exit code."""

    def make(seen: Survey) -> list[Deed]:
        ids = list(dict.fromkeys(find_drive(seen.inventory, seen.view, word) for word in words))
        return [_deed(seen, verb, name) for name in ids]

    def guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
        del named
        return denials(deed, seen)

    return HardwareDeeds(settings, consent, make, guards).perform()


def _deed(seen: Survey, verb: Verb, drive_id: str) -> Deed:
    """Return a deed on the first volume of the drive's array. If no volume is listed, it is on the drive itself."""
    found = drive_of(seen.inventory, drive_id)
    volumes = volumes_of(*found) if found is not None else ()
    return Deed(object_id=volumes[0].id if volumes else drive_id, verb=verb, drive=drive_id)
