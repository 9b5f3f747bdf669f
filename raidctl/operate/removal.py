"""May this drive be pulled? Every guard, one verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from raidctl.host import HostView
from raidctl.model import Inventory
from raidctl.operate import guards, guards_machine
from raidctl.operate.report import Reason, Removal, Verdict, VolumeLeft
from raidctl.operate.subject import Loss, Subject

GUARDS: Sequence[Callable[[Subject], Iterator[Reason]]] = (
    guards.redundancy, guards.last_copy, guards.right_moment, guards.running, guards_machine.cache, guards.same_copies,
    guards_machine.unused, guards.copy_first, guards_machine.boots, guards_machine.timeouts,
    guards_machine.no_journal, guards_machine.all_of_it, guards_machine.identity, guards_machine.fresh,
    guards_machine.visible,
)  # fmt: skip
"""Every guard, in the order of its number."""
_ORDER = {"no": 0, "unknown": 1, "note": 2, "yes": 3}


def check(inventory: Inventory, view: HostView, drive_id: str, now: datetime) -> Removal:
    """Whether a physical drive may be pulled.

    Args:
        inventory: The machine.
        view: What its kernel reports; empty for saved outputs of tools.
        drive_id: The drive, of :func:`raidctl.select.find_drive`.
        now: The present time, with its time zone.
    """
    subject = Subject(inventory, view, drive_id, now)
    reasons = [reason for guard in GUARDS for reason in guard(subject)]
    drive = subject.drive
    return Removal(
        host=inventory.host, drive=drive.id, verdict=_verdict(reasons), enclosure=drive.enclosure, bay=drive.bay,
        serial=drive.serial, wwn=drive.wwn, model=drive.model, size_bytes=drive.size_bytes, device=drive.device,
        role=drive.role, status=drive.status, status_text=drive.status_text,
        reasons=tuple(sorted(reasons, key=lambda one: _ORDER[one.verdict])),
        volumes=tuple(_left(loss) for loss in subject.losses),
        leaves_with_it=tuple(other.id for _, other in subject.entries[1:]),
        spares=tuple(_spares(subject)), activity=tuple(_activity(subject)),
        errors_elsewhere=tuple(
            dict.fromkeys(f"{drive.id}: {text}" for _, drive, text in guards.errors_elsewhere(subject))
        ),
        unwritten=tuple(_unwritten(subject)), boot=tuple(guards_machine.boot(subject)),
        age_seconds=guards_machine.age(subject), recorded=inventory.host.source.startswith("replay:"),
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
        mountpoints=volume.mountpoints, gone_already=loss.gone, failures_tolerated=loss.before,
        failures_tolerated_after=after if after is not None and after >= 0 else None,
        data_lost=None if after is None else after < 0, last_check_at=scrub.last_at if scrub else None,
    )  # fmt: skip


def _spares(subject: Subject) -> Iterator[str]:
    """The spares of the drive's arrays: dedicated ones, and those of the whole controller."""
    for loss in subject.losses:
        for drive in loss.controller.drives:
            dedicated = drive.id in loss.array.spares or loss.array.id in drive.spare_for
            general = not drive.spare_for and loss.controller.mode != "software"
            if drive.role == "spare" and drive.status != "critical" and (dedicated or general):
                yield drive.id


def _activity(subject: Subject) -> Iterator[str]:
    """What is being done to the drive's volumes, checks included."""
    for _, volume in subject.volumes:
        if volume.progress is not None:
            percent = volume.progress.percent
            yield f"{volume.id}: {volume.progress.operation}" + ("" if percent is None else f" {percent:g}%")
        elif volume.status in ("rebuilding", "initializing", "expanding", "migrating", "checking"):
            yield f"{volume.id}: {volume.status}"


def _unwritten(subject: Subject) -> Iterator[str]:
    """What the controller's cache holds, as far as it is reported."""
    cache = subject.controller.cache
    if cache is not None and cache.preserved_data:
        yield "preserved data of volumes that are offline or gone"
    if cache is not None and cache.unwritten_data:
        yield "unwritten data of working volumes, which is normal in write-back"
