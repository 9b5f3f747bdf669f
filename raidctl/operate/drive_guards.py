"""Guards D1 to D6 against changing the state of a drive. Pure.

===========  =======================================  ===========================================================
verb         what it makes of a drive                 guards
===========  =======================================  ===========================================================
``good``     a failed one usable again                D1: in no array, not foreign
``jbod``     an unused one visible to the system      D2: unused, not foreign
``raid``     a visible one hidden by the controller   D2: nothing of the system uses it
``offline``  a member that its array does without     R: as if it were pulled
``online``   a member again, without a rebuild        D4: set offline by raidctl, and its array was inactive
``erase``    empty                                    D5: in no array, unused; D6: so is everything else on it
===========  =======================================  ===========================================================

D3: no command acts on all drives of a controller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from raidctl.health.redundancy import OUT_OF_REACH
from raidctl.model import Controller, Drive
from raidctl.operate import removal_guards_machine as machine_guards
from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.deed_subjects import drive_of, refusals, volumes_of
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Reason
from raidctl.operate.removal_subject import Subject
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Denial, Verb

STATES: tuple[Verb, ...] = ("good", "offline", "online", "jbod", "raid", "erase")
_NOT_OF_OFFLINE = frozenset({"R13", "R14", "S6"})
"""Guards of a pull that do not concern an offline drive, as it stays in its bay."""


class SetOffline(Struct, frozen=True, kw_only=True):
    """How raidctl set a drive offline, from its journal."""

    change: str
    """Name of the change."""
    boot: str
    """The kernel's id of the boot."""
    was_inactive: bool
    """Whether no volume of its array was running then."""


class Known(Struct, frozen=True, kw_only=True):
    """Facts for the guards besides the inventory."""

    now: datetime
    around: Surroundings = Surroundings()
    boot: str = ""
    """The kernel's id of this boot; empty: unknown."""
    offline: SetOffline | None = None
    can_copy: bool = False
    """Whether the controller can copy a member to another drive first."""


def denials(deed: Deed, seen: Survey, known: Known) -> list[Denial]:
    """Reasons why the state of a drive must not be changed now."""
    found = drive_of(seen.inventory, deed.drive)
    if found is None:
        reason = f"{deed.drive or deed.object_id} is not a drive: name drives, not a controller."
        return [Denial(deed=deed, guard="D3", reason=reason)]
    controller, drive = found
    if controller.mode in ("software", "none"):
        return [Denial(deed=deed, reason=f"{drive.id} is not behind a RAID controller that has such states.")]
    guard = _GUARDS[deed.verb]
    subject = Subject(seen.inventory, seen.view, drive.id, known.now, known.around)
    found_ones = list(guard(deed, subject, known))
    if deed.verb != "offline":  # it has all guards of a removal
        found_ones += refusals(deed, machine_guards.visible(subject))
    return found_ones


def _good(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """D1: not a member of anything. A foreign drive first needs a decision on that."""
    del known
    drive = subject.drive
    if drive.array or drive.role in ("member", "spare", "journal"):
        reason = f"{drive.id} is a {drive.role or 'drive'} of {drive.array or 'its controller'}."
        yield Denial(deed=deed, guard="D1", reason=reason)
    elif drive.role == "passthrough":
        reason = f"{drive.id} is visible to the operating system, which may use it."
        yield Denial(deed=deed, guard="D1", reason=reason, alternative=f"raidctl drive raid {drive.id}")
    elif drive.role is None:
        yield Denial(deed=deed, guard="D1", reason=f"What {drive.id} is used for is not reported.", unknown=True)
    yield from _own(deed, subject, "D1")


def _own(deed: Deed, subject: Subject, guard: str) -> Iterator[Denial]:
    """Refuse a foreign drive until the user has decided on it. It may be the missing member of an array."""
    drive, controller = subject.drive, subject.controller
    way = f"raidctl foreign show {controller.id}"
    if drive.foreign:
        reason = f"{drive.id} holds a foreign configuration: import or clear that first."
        yield Denial(deed=deed, guard=guard, reason=reason, alternative=way)
    elif drive.foreign is None and (controller.foreign or any(one.foreign is not None for one in controller.drives)):
        reason = f"Whether {drive.id} holds a foreign configuration is not reported."
        yield Denial(deed=deed, guard=guard, reason=reason, alternative=way, unknown=True)


def _jbod(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """D2: only an unused drive becomes visible to the system."""
    del known
    yield from _unassigned(deed, subject, "D2")
    yield from _own(deed, subject, "D2")


def _unassigned(deed: Deed, subject: Subject, guard: str) -> Iterator[Denial]:
    drive = subject.drive
    if drive.role is None:
        yield Denial(deed=deed, guard=guard, reason=f"What {drive.id} is used for is not reported.", unknown=True)
    elif drive.array or drive.role not in ("unassigned", "passthrough"):
        reason = f"{drive.id} is a {drive.role} of {drive.array or 'its controller'}."
        other = f"raidctl drive good {drive.id}" if drive.role == "failed" and not drive.array else None
        yield Denial(deed=deed, guard=guard, reason=reason, alternative=other)


def _raid(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """D2: nothing in the system uses a drive hidden from it."""
    del known
    drive = subject.drive
    if drive.role is None:
        yield Denial(deed=deed, guard="D2", reason=f"What {drive.id} is used for is not reported.", unknown=True)
    elif drive.role not in ("passthrough", "unassigned"):
        yield Denial(deed=deed, guard="D2", reason=f"{drive.id} is a {drive.role}, and used by its controller.")
    else:
        yield from refusals(deed, _used(subject), "D2")


def _used(subject: Subject) -> Iterator[Reason]:
    """R7, for the drive and everything on it."""
    yield from machine_guards.unused(subject)
    yield from machine_guards.no_journal(subject)


def _erase(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """D5: in no array, and unused."""
    del known
    drive = subject.drive
    yield from _unassigned(deed, subject, "D5") if drive.role != "failed" or drive.array else ()
    yield from _own(deed, subject, "D5")
    if subject.former:
        names = listing(volume.id for volume in subject.former)
        reason = f"{drive.id} may be a former member of {names}, which is not complete: its data may be needed."
        yield Denial(deed=deed, guard="D5", reason=reason, unknown=True)
    if drive.progress is not None:
        reason = f"{drive.id} is busy: {drive.progress.operation}."
        yield Denial(deed=deed, guard="D5", reason=reason, alternative="raidctl tasks")
    guard = "D6" if len(erased_with(subject)) > 1 else "D5"
    yield from refusals(deed, _used(subject), guard)


def erased_with(subject: Subject) -> tuple[str, ...]:
    """D6: device nodes of everything that is erased with a drive.

    The nodes include every namespace of an NVMe controller, and every path.
    """
    return tuple(block.node for block in subject.blocks)


def _offline(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """R1 to R8: as if the drive were pulled."""
    drive = subject.drive
    if drive.role != "member":
        what = "not reported" if drive.role is None else f"a {drive.role}"
        reason = f"{drive.id} is {what}; only a working member of an array is set offline."
        yield Denial(deed=deed, guard="R1", reason=reason, unknown=drive.role is None)
        return
    report = check(subject.inventory, subject.view, drive.id, known.now, known.around)
    yield from refusals(deed, [one for one in report.reasons if one.guard not in _NOT_OF_OFFLINE])
    for one in report.reasons:
        if one.guard == "R8" and one.verdict == "note" and known.can_copy:
            reason = f"{one.text} The controller can copy it first."
            way = f"raidctl replace {drive.id}"
            yield Denial(deed=deed, guard="R8", reason=reason, alternative=way, overridable=True)


def _online(deed: Deed, subject: Subject, known: Known) -> Iterator[Denial]:
    """D4: what the array has written meanwhile is not on the drive."""
    controller, drive = subject.controller, subject.drive
    way = f"raidctl rebuild start {drive.id}"
    if drive.role == "member" and drive.status == "ok":
        yield Denial(deed=deed, guard="D4", reason=f"{drive.id} is a working member of {drive.array}.")
        return
    if known.offline is None:
        reason = f"raidctl has not set {drive.id} offline: its data may be older than that of its array."
        yield Denial(deed=deed, guard="D4", reason=reason, alternative=way)
        return
    running = _running(controller, drive)
    if running or not known.offline.was_inactive or not known.boot or known.boot != known.offline.boot:
        why = running or "its array was running, or the machine has been restarted, since it was set offline"
        reason = f"What was written meanwhile is not on {drive.id}: {why}."
        yield Denial(deed=deed, guard="D4", reason=reason, alternative=way)
        return
    reason = f"{drive.id} was set offline by change {known.offline.change}, and its array has been inactive since."
    yield Denial(deed=deed, guard="D4", reason=f"{reason} Nothing proves that its data is current.", overridable=True)


def _running(controller: Controller, drive: Drive) -> str | None:
    """Which volume on the drive's array may be running, as a clause. None: all are inactive."""
    volumes = volumes_of(controller, drive)
    if not volumes:
        return f"no volume on {drive.array or 'its array'} is listed"
    moving = [volume.id for volume in volumes if volume.status not in OUT_OF_REACH]
    return f"{listing(moving)} {'is' if len(moving) == 1 else 'are'} running" if moving else None


def is_inactive(controller: Controller, drive: Drive) -> bool:
    """Whether every volume on the drive's array is known to be inaccessible."""
    return _running(controller, drive) is None


_GUARDS: Mapping[str, Callable[[Deed, Subject, Known], Iterator[Denial]]] = {
    "good": _good, "jbod": _jbod, "raid": _raid, "erase": _erase, "offline": _offline, "online": _online,
}  # fmt: skip
