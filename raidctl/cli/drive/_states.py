"""Change the states of drives: from command line to guarded deeds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from raidctl.change.beginning import boot_id
from raidctl.change.expectations import serials_of
from raidctl.change.journal import Journal, JournaledChange
from raidctl.cli.shared.hardware_deeds import HardwareDeeds, confirm
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work
from raidctl.cli.shared.state_directories import state_directory
from raidctl.errors import RaidctlError, UsageError
from raidctl.operate.abilities import ability
from raidctl.operate.boot_loader import nodes_of, read_surroundings
from raidctl.operate.deed_subjects import drive_of, volumes_of
from raidctl.operate.drive_guards import Known, SetOffline, denials, erased_with, is_inactive
from raidctl.operate.removal_subject import Subject
from raidctl.request import converse
from raidctl.select import find_drive
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Denial, Verb

_WAS_INACTIVE = "stood still: "
"""Key in the journal: whether a drive's array was inactive. It is recorded when the drive is set offline."""
_WHAT = {
    "offline": "{drive} leaves its array, and only a rebuild brings it back",
    "online": "{drive} becomes a member with the data that it has, current or not",
    "jbod": "{drive} becomes visible to the operating system",
    "raid": "{drive} disappears from the operating system, and what is on it is lost",
    "erase": "Erasing {drive} destroys all data on it",
}
"""What has to be confirmed; verbs that lose nothing are missing."""


def carry_out(settings: Settings, consent: Consent, verb: Verb, words: Sequence[str], typed: Sequence[str] = ()) -> int:
    """Plan the deeds, ask, carry them out and verify. Return the exit code."""

    def make(seen: Survey) -> list[Deed]:
        ids = list(dict.fromkeys(find_drive(seen.inventory, seen.view, word) for word in words))
        deeds = [_deed(seen, verb, name) for name in ids]
        _one_of_each_array(seen, deeds)
        return deeds

    def guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
        return denials(deed, seen, _known(deed, seen, named, settings))

    def confirmed(work: Work) -> None:
        for deed in work.plan.deeds if verb in _WHAT else ():
            _confirm(work, deed, typed)

    facts = _was_inactive if verb == "offline" else None
    return HardwareDeeds(settings, consent, make, guards, confirmed, _hits, facts).perform()


def _deed(seen: Survey, verb: Verb, drive_id: str) -> Deed:
    found = drive_of(seen.inventory, drive_id)
    return Deed(object_id=drive_id, verb=verb, drive=drive_id, device=found[1].device if found else None)


def _one_of_each_array(seen: Survey, deeds: Sequence[Deed]) -> None:
    """Refuse two members of one array at once. The guards judge each against the present array.

    Raises:
        UsageError: Two are named.
    """
    arrays: dict[str, str] = {}
    for deed in deeds if deeds and deeds[0].verb in ("offline", "online") else ():
        found = drive_of(seen.inventory, deed.drive)
        array = found[1].array if found is not None else None
        if array is not None and array in arrays:
            raise UsageError(
                f"{arrays[array]} and {deed.drive} are members of {array}: change them one after the other."
            )
        if array is not None:
            arrays[array] = deed.drive or ""


def _known(deed: Deed, seen: Survey, named: Machine, settings: Settings) -> Known:
    drive_id = deed.drive or ""
    around = converse(read_surroundings(seen, nodes_of(seen, [drive_id]), named.vendors), named.runner)
    copy = ability("replace", drive_id, seen, named.vendors)
    return Known(
        now=datetime.now(timezone.utc), around=around, boot=boot_id(), can_copy=copy is not None and copy.can,
        offline=_set_offline(deed, seen, named, settings) if deed.verb == "online" else None,
    )  # fmt: skip


def _set_offline(deed: Deed, seen: Survey, named: Machine, settings: Settings) -> SetOffline | None:
    """Return how raidctl set the drive offline. None unless the journal shows that as its last deed on it."""
    found = drive_of(seen.inventory, deed.drive)
    serial = found[1].serial if found is not None else None
    try:
        changes = Journal(state_directory(settings)).changes() if serial and settings.replay is None else []
    except RaidctlError:
        return None
    return last_offline(changes, named.source, serial or "")


def last_offline(changes: Sequence[JournaledChange], source: str, serial: str) -> SetOffline | None:
    """Return a drive's last change if it set the drive offline. None if it did not, or is not complete."""
    mine = [one for one in changes if one.begin.source == source and serial in one.begin.touches]
    last = mine[-1] if mine else None
    if last is None or last.end is None or last.end.result != "done":
        return None
    if not any(step.setting == "offline" for step in last.begin.steps):
        return None
    still = last.begin.facts.get(f"{_WAS_INACTIVE}{serial}") == "yes"
    return SetOffline(change=last.begin.change, boot=last.begin.boot, was_inactive=still)


def _was_inactive(seen: Survey) -> dict[str, str]:
    """Return whether the array of each drive is inactive. Only drives with a serial number are included."""
    return {
        f"{_WAS_INACTIVE}{drive.serial}": "yes"
        for controller in seen.inventory.controllers
        for drive in controller.drives
        if drive.serial and drive.array and is_inactive(controller, drive)
    }


def _confirm(work: Work, deed: Deed, typed: Sequence[str]) -> None:
    found = drive_of(work.seen.inventory, deed.drive)
    if found is not None:
        drive = found[1]
        what = _WHAT[deed.verb].format(drive=drive.id)
        confirm(work, drive.serial or drive.wwn or "", serials_of(work.seen), typed, what)


def _hits(deed: Deed, seen: Survey) -> list[str]:
    """Return what the deed affects, one line per object."""
    found = drive_of(seen.inventory, deed.drive)
    if found is None:
        return []
    controller, drive = found
    place = f"bay {drive.enclosure}:{drive.bay}" if drive.enclosure and drive.bay else f"bay {drive.bay or '?'}"
    lines = [f"drive {drive.id}: {place}, serial number {drive.serial or 'unknown'}, {drive.model or 'model unknown'}"]
    for volume in volumes_of(controller, drive):
        on = f", on {listing(volume.mountpoints)}" if volume.mountpoints else ""
        lines.append(f"volume {volume.id}: {volume.raid_level or 'level unknown'}, {volume.status}{on}")
    if deed.verb == "erase":
        subject = Subject(seen.inventory, seen.view, drive.id, datetime.now(timezone.utc))
        lines += [f"device {node}" for node in erased_with(subject)]
    return lines
