"""Reasons to refuse starting or ending a check: T1, T2, T3, T6. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Controller, Inventory, Volume
from raidctl.model.raid_levels import PARITY, WITHOUT_REDUNDANCY
from raidctl.model.task import CHECKS, needs_check
from raidctl.operate.check_history import newest
from raidctl.operate.checks import Evidence
from raidctl.operate.task_guards import loaded
from raidctl.vendor.plan import Deed, Denial, Verb

STARTING: tuple[Verb, ...] = ("start_check", "repair", "resume_check")


def must_be_confirmed(verb: Verb, volume: Volume) -> bool:
    """T1: whether the volume's unique id must be typed. A repair overwrites a copy by position.

    It must if the level is unknown.
    """
    return verb == "repair" and volume.raid_level not in PARITY


def denials(deed: Deed, inventory: Inventory, evidence: Evidence) -> list[Denial]:
    """Reasons to refuse a command on a check now. The command starts, stops, pauses or resumes it."""
    places = ((controller, one) for controller in inventory.controllers for one in controller.volumes)
    controller, volume = next((pair for pair in places if pair[1].id == deed.object_id), (None, None))
    if volume is None or controller is None:
        return []  # printed with the plan
    if controller.mode != "software" and deed.verb == "resume_check":
        return [*_resumable(deed, volume), *loaded(deed, controller)]
    found = list(_starting(deed, controller, volume) if deed.verb in STARTING else _ending(deed, volume))
    if controller.mode == "software":
        return found or list(_own(deed, volume, evidence))
    return [*found, *(loaded(deed, controller) if deed.verb in STARTING else _paused(deed, volume))]


def _resumable(deed: Deed, volume: Volume) -> Iterator[Denial]:
    """Refuse to continue a controller's check that is not paused.

    Without a reported state, the family decides.
    """
    progress = volume.progress
    if progress is None or progress.operation not in CHECKS:
        yield Denial(
            deed=deed, reason=f"No check of {volume.id} is paused.", alternative=f"raidctl check start {volume.id}"
        )
    elif progress.state in ("running", "queued"):
        yield Denial(deed=deed, reason=f"The check of {volume.id} is {progress.state}.")


def _paused(deed: Deed, volume: Volume) -> Iterator[Denial]:
    if deed.verb == "pause_check" and volume.progress is not None and volume.progress.state == "paused":
        yield Denial(deed=deed, reason=f"The check of {volume.id} is paused already.")


def _starting(deed: Deed, controller: Controller, volume: Volume) -> Iterator[Denial]:
    """T2: not on a volume that is degraded, rebuilding or busy. The same holds if its state is unknown."""
    operation = volume.progress.operation if volume.progress else None
    # a controller's "ok" means that no member is missing; the kernel's does not
    counted = controller.mode == "software" or volume.drives_active is not None
    if volume.raid_level in WITHOUT_REDUNDANCY:
        reason = f"{volume.id} is {volume.raid_level}: it has no copies or parity that could be compared."
        yield Denial(deed=deed, reason=reason)
    elif operation in CHECKS or volume.status == "checking":
        reason = f"{volume.id} is being checked already."
        yield Denial(deed=deed, guard="T2", reason=reason, alternative="Watch it: `raidctl check show`")
    elif volume.status == "unknown":
        yield Denial(deed=deed, guard="T2", reason=f"The state of {volume.id} is unknown.", unknown=True)
    elif volume.status != "ok" or (operation is not None and not needs_check(volume.progress)):
        what = f"{volume.status}{f' ({operation})' if operation else ''}"
        reason = f"{volume.id} is {what}: a check cannot compare what is missing, and would delay the rebuild."
        yield Denial(deed=deed, guard="T2", reason=reason, alternative="Check it when it is complete again.")
    elif counted and (volume.drives_active is None or volume.drives_active != volume.drives_expected):
        reason = (
            f"{volume.id} has {volume.drives_active or 'an unknown number of'} of {volume.drives_expected} members."
        )
        yield Denial(deed=deed, guard="T2", reason=reason, unknown=volume.drives_active is None)


def _ending(deed: Deed, volume: Volume) -> Iterator[Denial]:
    """T6: only a check is stopped, never a reshape, rebuild or resync."""
    operation = volume.progress.operation if volume.progress else None
    if operation in CHECKS or (operation is None and volume.status == "checking"):
        return
    if operation is None and volume.status in ("ok", "degraded"):
        yield Denial(deed=deed, reason=f"{volume.id} is not being checked.")
        return
    what = operation or volume.status
    reason = f"{volume.id} is not being checked. Running: {what}. raidctl never stops that."
    yield Denial(deed=deed, guard="T6", reason=reason)


def _own(deed: Deed, volume: Volume, evidence: Evidence) -> Iterator[Denial]:
    """Refuse a pause or its end if the range that the check has covered is unknown."""
    record = newest(evidence.history.of(volume.unique_id))
    if deed.verb == "pause_check":
        mine = record is not None and record.end is None and record.boot == evidence.boot and bool(evidence.boot)
        if not mine:
            reason = f"raidctl did not start the check of {volume.id}, so what it has covered is unknown."
            yield Denial(deed=deed, reason=reason, alternative=f"raidctl check stop {volume.id}")
        elif record is not None and record.kind == "repair":
            reason = f"{volume.id} is being repaired: a repair cannot be paused."
            yield Denial(deed=deed, reason=reason, alternative=f"raidctl check stop {volume.id}")
    if deed.verb == "resume_check":
        reading = evidence.readings.get(volume.id)
        again = f"raidctl check start {volume.id}"
        if record is None or record.end != "paused":
            yield Denial(deed=deed, reason=f"No check of {volume.id} is paused.", alternative=again)
        elif record.boot != evidence.boot or reading is None or (reading.stopped_at or 0) != (record.place or 0):
            reason = f"The place at which the check of {volume.id} was paused is lost."
            yield Denial(deed=deed, reason=reason, alternative=again)
