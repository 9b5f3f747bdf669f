"""The verdict whether a drive may be pulled, from all guards. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from raidctl.health.spares import ready
from raidctl.host import HostView
from raidctl.model import Inventory
from raidctl.operate import removal_guards as guards
from raidctl.operate import removal_guards_machine as machine_guards
from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.removal_report import Reason, Removal, Verdict, VolumeLeft
from raidctl.operate.removal_subject import Loss, Subject
from raidctl.units import format_percent

NOTHING = Surroundings()
"""For saved outputs and recordings: nothing else is read."""
GUARDS: Sequence[Callable[[Subject], Iterator[Reason]]] = (
    guards.redundancy, guards.last_copy, guards.right_moment, guards.running, machine_guards.cache, guards.same_copies,
    machine_guards.unused_and_empty, guards.copy_first, machine_guards.boots, machine_guards.timeouts,
    machine_guards.no_journal, machine_guards.all_of_it, machine_guards.identity, machine_guards.fresh,
    machine_guards.visible, machine_guards.taken_automatically,
)  # fmt: skip
"""Every guard, in the order of its number."""
_ORDER = {"no": 0, "unknown": 1, "note": 2, "yes": 3}


def check(
    inventory: Inventory, view: HostView, drive_id: str, now: datetime, around: Surroundings = NOTHING
) -> Removal:  # fmt: skip
    """Judge whether a physical drive may be pulled.

    Args:
        inventory: The machine.
        view: What its kernel reports; empty for saved outputs of tools.
        drive_id: The drive, of :func:`raidctl.select.find_drive`.
        now: The present time, with its time zone.
        around: What else was read of the machine: first sectors, bays.
    """
    subject = Subject(inventory, view, drive_id, now, around)
    reasons = [reason for guard in GUARDS for reason in guard(subject)]
    drive = subject.drive
    led = around.bays.get(drive.serial or "")
    place = (drive.enclosure, drive.bay) if drive.bay or led is None else (led.bay.enclosure, led.bay.bay)
    return Removal(
        host=inventory.host, drive=drive.id, verdict=_verdict(reasons), enclosure=place[0], bay=place[1],
        serial=drive.serial, wwn=drive.wwn, model=drive.model, size_bytes=drive.size_bytes, device=drive.device,
        role=drive.role, status=drive.status, status_text=drive.status_text,
        reasons=tuple(sorted(reasons, key=lambda one: _ORDER[one.verdict])),
        volumes=tuple(_left(loss) for loss in subject.losses),
        leaves_with_it=tuple(other.id for _, other in subject.entries[1:]),
        spares=tuple(_spares(subject)), activity=tuple(_activity(subject)),
        errors_elsewhere=tuple(
            dict.fromkeys(f"{drive.id}: {text}" for _, drive, text in guards.errors_elsewhere(subject))
        ),
        unwritten=tuple(_unwritten(subject)), boot=tuple(machine_guards.boot(subject)),
        age_seconds=machine_guards.age(subject), recorded=inventory.host.source.startswith("replay:"),
    )  # fmt: skip


def _verdict(reasons: Sequence[Reason]) -> Verdict:
    found = {reason.verdict for reason in reasons}
    return "no" if "no" in found else "unknown" if "unknown" in found else "yes"


def _left(loss: Loss) -> VolumeLeft:
    volume, after = loss.volume, loss.after
    if volume is None:
        return VolumeLeft(id=loss.id, array=loss.array.id, gone_already=loss.gone, failures_tolerated=loss.before)
    scrub = volume.consistency_check or loss.controller.consistency_check
    return VolumeLeft(
        id=volume.id, array=loss.array.id, raid_level=volume.raid_level, status=volume.status, device=volume.device,
        mountpoints=volume.mountpoints, gone_already=loss.gone and not loss.relied_on, failures_tolerated=loss.before,
        failures_tolerated_after=after if after is not None and after >= 0 else None,
        data_lost=None if after is None else after < 0, last_check_at=scrub.last_at if scrub else None,
    )  # fmt: skip


def _spares(subject: Subject) -> Iterator[str]:
    """The fitting spares that cover the drive's arrays."""
    found = (spare.id for loss in subject.losses if loss.volume for spare in ready(loss.controller, loss.volume))
    yield from dict.fromkeys(found)


def _activity(subject: Subject) -> Iterator[str]:
    """Operations on the drive's volumes, checks included."""
    for _, volume in subject.volumes:
        if volume.progress is not None:
            percent = volume.progress.percent
            yield f"{volume.id}: {volume.progress.operation}" + (
                "" if percent is None else f" {format_percent(percent)}"
            )
        elif volume.status in ("rebuilding", "initializing", "expanding", "migrating", "checking"):
            yield f"{volume.id}: {volume.status}"


def _unwritten(subject: Subject) -> Iterator[str]:
    """Unwritten data in the controller's cache, if reported."""
    cache = subject.controller.cache
    if cache is not None and cache.preserved_data:
        yield "preserved data of volumes that are offline or gone"
    if cache is not None and cache.unwritten_data:
        yield "unwritten data of working volumes, which is normal in write-back"
