"""Guards R1 to R4, R6, R8 against pulling a drive. Pure.

A guard yields its reasons against the pull; if there are none, one reason with the verdict ``yes``. Nothing passes on
an unknown value.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from raidctl.health import missing_members
from raidctl.health.array_states import being_changed, lacks_a_drive, not_known_to_run
from raidctl.health.phrases import errors, has_state, predicts
from raidctl.health.redundancy import (
    OUT_OF_REACH,
    WHOLE,
    array_of,
    being_rebuilt,
    below,
    expects_failure,
    in_words,
    mentions_rebuild,
    rebuilding,
)
from raidctl.model import Array, Controller, Drive, Volume, has_failed, state_problems
from raidctl.model.raid_levels import MIRRORED, PARITY, WITHOUT_REDUNDANCY
from raidctl.model.task import FILLING
from raidctl.operate.removal_report import Outcome, Reason
from raidctl.operate.removal_subject import Loss, Subject
from raidctl.select import family_of
from raidctl.text import counted, listing
from raidctl.units import format_percent
from raidctl.vendor.limits import WORN_OUT

Reasons = Iterator[Reason]
_COUNTERS = ("media", "predictive")
_REPLACING = {
    "rebuilding": "is being rebuilt", "expanding": "is being expanded", "migrating": "is being migrated",
    "initializing": "is being initialised",
}  # fmt: skip
_UNDER_WAY = {
    "rebuild": "is being rebuilt", "recovery": "is being rebuilt", "resync": "is being resynchronised",
    "reshape": "is being reshaped", "expand": "is being expanded", "migrate": "is being migrated",
    "initialize": "is being initialised", "parity": "has its parity initialised",
    "copyback": "has a member copied back",
}  # fmt: skip


def reason(guard: str, verdict: Outcome, text: str, *evidence: str, remedy: str | None = None) -> Reason:
    """A reason of a guard."""
    return Reason(guard=guard, verdict=verdict, text=text, remedy=remedy, evidence=evidence)


def fact(item: object, field: str) -> str:
    """A field of an object as evidence: ``megaraid:0/v0 failures_tolerated = 1``."""
    value = getattr(item, field)
    shown = "not reported" if value is None else ", ".join(value) if isinstance(value, tuple) else value
    return f"{getattr(item, 'id', '')} {field} = {shown}"


def named(loss: Loss) -> str:
    """``megaraid:0/v0 (raid5, on /srv)``."""
    volume = loss.volume
    if volume is None:
        return loss.id
    level = volume.raid_level if volume.raid_level != "unknown" else None
    parts = (level, volume.mountpoints and f"on {listing(volume.mountpoints)}")
    return f"{volume.id} ({', '.join(part for part in parts if part)})" if any(parts) else volume.id


def redundancy(subject: Subject) -> Reasons:
    """R1: every volume keeps its data without the drive."""
    for loss in subject.losses:
        yield _redundancy(loss)
    if subject.losses:
        return
    drive = subject.drive
    if drive.role == "member" or (drive.array and drive.role not in ("spare", "journal")):
        yield reason("R1", "unknown", f"Which volumes are on the array of {drive.id} is not reported.",
                     fact(drive, "role"), fact(drive, "array"))  # fmt: skip
    else:
        left = [f"{volume.id} ({volume.status})" for volume in subject.former]
        text = "No array has data on the drive" + (f"; it may have been a member of {listing(left)}." if left else ".")
        yield reason("R1", "yes", text, fact(drive, "role"), fact(drive, "array"))


def _redundancy(loss: Loss) -> Reason:
    volume, after = loss.volume, loss.after
    evidence = [fact(volume or loss.array, name) for name in ("failures_tolerated", "status")]
    evidence += [fact(drive, name) for drive in loss.leaving for name in ("role", "status", "status_text")]
    if loss.out_of_reach:
        text = f"Nothing can be read from {named(loss)}: none of its drives can be spared."
        return reason("R1", "no", text, *evidence)
    if loss.gone and not loss.doubtful and not loss.relied_on:
        text = f"{named(loss)} already works without the drive: pulling it loses nothing."
        return reason("R1", "yes", text, *evidence)
    if loss.gone and loss.doubtful:
        text = (
            f"{named(loss)} works, although more members are reported missing than it can lose: "
            "one of them must be in use."
        )
        return reason("R1", "unknown", text, *evidence)
    in_use = [drive.id for drive in loss.leaving if drive.role == "spare"]
    if in_use:
        text = f"{named(loss)} is whole although it lacks a member: {listing(in_use)} may have taken its place."
        return reason("R1", "unknown", text, *evidence, remedy="Replace the failed or missing member first.")
    if after is None:
        text = f"How many more drive failures {named(loss)} survives is unknown."
        return reason(
            "R1", "unknown", text, *evidence, remedy="Wait for operations to end, and fix what is unreadable."
        )
    if after >= 0:
        text = f"{named(loss)} survives the loss; then it {in_words(after)}."
        if loss.filling:
            text = f"{named(loss)} does not depend on the drive yet: it is still being filled."
        return reason("R1", "yes", text, *evidence)
    if volume is not None and volume.raid_level in WITHOUT_REDUNDANCY:
        text = f"{named(loss)} has no redundancy: its data is lost with the drive."
        return reason("R1", "no", text, *evidence, remedy="Copy the data to other drives first.")
    text = f"{named(loss)} survives no further failure: pulling the drive loses its data."
    return reason("R1", "no", text, *evidence, remedy="Make the array complete first: replace the drive that failed.")


def errors_elsewhere(subject: Subject) -> Iterator[tuple[Loss, Drive, str]]:
    """Yield the other members of each array that have errors.

    With each are the drives below it and the errors in words.
    """
    for loss in subject.losses:
        for member in loss.others:
            for controller, drive in subject.below(member) or ((loss.controller, member),):
                texts = [_errors(controller, drive)]
                if drive.id != member.id:
                    texts.append(_errors(loss.controller, member))
                # what no counter or status shows: a failed self-test
                reported = state_problems(subject.inventory.problems, drive.id, member.id)
                texts += [problem.message.rstrip(".") for problem in reported]
                if text := next(filter(None, texts), ""):
                    yield loss, drive, text


def _errors(controller: Controller, drive: Drive) -> str:
    found = errors(drive)[2:]
    if drive.errors.predictive or (controller.mode != "software" and expects_failure(controller, drive)):
        return predicts(drive) + errors(drive)
    if has_failed(drive):
        return f"failed{errors(drive)}"
    counters = (drive.errors.media, drive.errors.pending, drive.errors.uncorrectable)
    if any(counters):
        return found or counted(drive.errors.media or 0, "media error")
    used = drive.life_used_percent
    return f"used {format_percent(used)} of its rated write endurance" if used is not None and used >= WORN_OUT else ""


def last_copy(subject: Subject) -> Reasons:
    """R2: the other members are free of errors. This must be known if the last redundancy is removed."""
    found = list(errors_elsewhere(subject))
    fine = True
    for loss in subject.losses:
        if (loss.gone and not loss.relied_on) or loss.filling or loss.after != 0:
            continue
        if loss.short and loss.volume:
            fine = False
            text = f"{named(loss)} lacks another member already, and would have no redundancy left."
            remedy = "Replace the missing or failed drive first, and wait until it is rebuilt."
            yield reason("R2", "no", text, fact(loss.volume, "status"), remedy=remedy)
            continue
        bad = [(drive, text) for other, drive, text in found if other is loss]
        silent = [member.id for member in loss.others if not _healthy(subject, member)]
        silent += _undescribed(loss)
        if bad:
            fine = False
            words = listing(f"{drive.id}: {text}" for drive, text in bad)
            text = f"{named(loss)} would have no redundancy left, and other members have errors: {words}."
            yield reason("R2", "no", text, *(fact(drive, "status") for drive, _ in bad),
                         remedy="Check the backup, and replace the drive with the most errors first.")  # fmt: skip
        elif silent:
            fine = False
            names = listing([*silent[:4], *([f"{len(silent) - 4} more"] if len(silent) > 4 else [])])
            text = f"{named(loss)} would have no redundancy left, and the health of {names} is unknown."
            yield reason("R2", "unknown", text, *(f"{name} health = not reported" for name in silent),
                         remedy="Make their health readable: `raidctl doctor` lists the tools.")  # fmt: skip
    if fine:
        yield reason("R2", "yes", "No array loses its last redundancy while another of its drives has errors.")


def _healthy(subject: Subject, member: Drive) -> bool:
    """Whether the drives below a member report that they are healthy. The array's own status is not enough.

    A counter that other drives of the controller report must be known for these as well.
    """
    drives = subject.below(member)
    return bool(drives) and all(
        drive.status in ("ok", "warning")
        and all(
            getattr(drive.errors, name) is not None
            or all(getattr(one.errors, name) is None for one in controller.drives)
            for name in _COUNTERS
        )
        for controller, drive in drives
    )


def _undescribed(loss: Loss) -> list[str]:
    """The other members that no output describes."""
    known = {drive.id for drive in loss.controller.drives}
    lacking = [name for name in loss.array.drives if name not in known]
    expected = loss.volume.drives_expected if loss.volume and loss.volume.status in WHOLE else None
    listed = len(loss.others) + len(loss.leaving) + len(lacking)
    more = max((expected or 2) - listed, 0)
    return [*lacking, *([counted(more, "other member")] if more else [])]


def right_moment(subject: Subject) -> Reasons:
    """R3: no member of the drive's arrays is being rebuilt or copied. No array is being changed."""
    fine = True
    gone = bool(subject.former) or (bool(subject.losses) and all(loss.gone for loss in subject.losses))
    for controller, volume in {volume.id: (controller, volume) for controller, volume in subject.volumes}.values():
        what = under_way(controller, volume)
        evidence = [fact(volume, "status")]
        if volume.progress is not None:
            evidence.append(f"{volume.id} progress.operation = {volume.progress.operation}")
        if what is None:
            if subject.covered and (needed := _needed(controller, volume, *evidence)) is not None:
                fine = False
                yield needed
            continue
        fine = False
        if what == "unknown":
            yield reason("R3", "unknown", f"What is being done to {volume.id} is unknown.", *evidence)
            continue
        text = f"{volume.id} {what}: the wrong moment to pull one of its drives."
        if gone:
            text = (
                f"{volume.id} {what}: the wrong moment. Pulling this drive loses nothing, "
                "pulling its neighbour by mistake may lose the data."
            )
        yield reason("R3", "no", text, *evidence, remedy="Wait until it is complete, and check again.")
    for _, drive in subject.entries if fine else ():
        if drive.progress is not None and drive.progress.operation in FILLING:
            fine = False
            evidence = [f"{drive.id} progress.operation = {drive.progress.operation}"]
            text = f"{drive.id} is being filled: the wrong moment to pull it."
            yield reason("R3", "no", text, *evidence, remedy="Wait until it is complete, and check again.")
    if subject.unlisted:
        fine = False
        text = f"No volume is listed on {listing(subject.unlisted)}: whether one of them needs the drive is unknown."
        yield reason("R3", "unknown", text, fact(subject.drive, "role"), fact(subject.drive, "status"))
    if fine:
        yield reason("R3", "yes", "No rebuild, copy or change of the drive's arrays is running.")


def _needed(controller: Controller, volume: Volume, *evidence: str) -> Reason | None:
    """The reason to leave a spare in place, if its volume or array is, or may be, incomplete."""
    array = array_of(controller, volume)
    if volume.status in WHOLE and array is not None and lacks_a_drive(array):
        text = f"The state of {array.id} is {array.status_text or array.status}: it may need the drive as its spare."
        return reason("R3", "unknown", text, fact(array, "status"), *evidence)
    if lacking := missing_members.shortage(controller, volume):
        text = f"{volume.id} is {lacking}: it may need the drive as its spare."
        return reason("R3", "unknown", text, fact(volume, "drives_active"), *evidence)
    if volume.status in WHOLE:
        return None
    if volume.status == "unknown":
        text = f"The state of {volume.id} is unknown: it may need the drive as its spare."
        return reason("R3", "unknown", text, *evidence)
    text = f"{volume.id} {has_state(volume.status)}, and needs the drive as its spare."
    return reason("R3", "no", text, *evidence, remedy="Leave the spare in place until the volume is complete.")


def under_way(controller: Controller, volume: Volume) -> str | None:
    """The operation on a volume, as a clause, or ``unknown``. None: nothing that a pull would disturb."""
    if volume.progress is not None and volume.progress.operation == "unknown":
        return "unknown"
    if rebuilding(controller, volume) or any(being_rebuilt(drive) for drive in below(controller, volume)):
        return "is being rebuilt"
    drives = [drive for drive in controller.drives if volume.array and drive.array == volume.array]
    for work in (drive.progress.operation for drive in drives if drive.progress):
        if work in FILLING or work == "unknown":
            return _UNDER_WAY.get(work, "unknown")
    if volume.progress is not None and volume.progress.operation in _UNDER_WAY:
        waits = f" ({volume.progress.state})" if volume.progress.state in ("queued", "paused") else ""
        return f"{_UNDER_WAY[volume.progress.operation]}{waits}"
    return _REPLACING.get(volume.status) or _of_array(array_of(controller, volume))


def _of_array(array: Array | None) -> str | None:
    """The operation that only the state of an array reports, as a clause."""
    if array is None:
        return None
    if array.status == "warning" and mentions_rebuild(array.status_text):
        return "is being rebuilt"
    return "is being migrated, expanded or initialised" if being_changed(array) else None


def running(subject: Subject) -> Reasons:
    """R4: every array of the drive is running. Its state is known."""
    fine = True
    for loss in subject.losses:
        status = loss.volume.status if loss.volume else None
        if status is None or status == "unknown":
            fine = False
            what = "The state of" if loss.volume else "What is on"
            yield reason("R4", "unknown", f"{what} {loss.id} is unknown.", fact(loss.array, "status"))
        elif loss.volume and status in OUT_OF_REACH:
            fine = False
            yield _out_of_reach(loss.volume, "its drives may hold the only copy of the data")
        elif loss.volume and not_known_to_run(loss.array):
            fine = False
            word = loss.array.status_text or loss.array.status
            text = f"{loss.volume.id} is {status}, but the state of {loss.array.id} is {word}."
            yield reason("R4", "unknown", text, fact(loss.array, "status"), fact(loss.volume, "status"))
    for volume in subject.former:
        if volume.status in OUT_OF_REACH:
            fine = False
            yield _out_of_reach(volume, "the drive may be a member of it, and hold the only copy of the data")
        elif volume.status == "unknown":
            fine = False
            yield reason("R4", "unknown", f"The state of {volume.id} is unknown.", fact(volume, "status"))
    if fine:
        yield reason("R4", "yes", "Every array of the drive is running." if subject.losses else "It is in no array.")


def _out_of_reach(volume: Volume, why: str) -> Reason:
    word = "not started" if volume.status == "inactive" else volume.status
    remedy = "Leave all its drives in place until the data is recovered, or is known to be in a backup."
    return reason("R4", "no", f"{volume.id} is {word}: {why}.", fact(volume, "status"), remedy=remedy)


def same_copies(subject: Subject) -> Reasons:
    """R6: the copies, or parity and data, are known not to differ. No data is known to be damaged."""
    fine = True
    for loss in subject.losses:
        volume = loss.volume
        if volume is None or (loss.gone and not loss.relied_on):
            continue
        found = list(_differences(subject, loss, volume))
        fine = fine and not found
        yield from found
    if fine:
        yield reason("R6", "yes", "No array with known differences loses one of its copies.")


def _differences(subject: Subject, loss: Loss, volume: Volume) -> Reasons:
    for problem in state_problems(subject.inventory.problems, volume.id, loss.array.id):
        if problem.severity == "error":
            text = f"{problem.message.rstrip('.')}: the drive may hold the only good copy of {named(loss)}."
            yield reason("R6", "unknown", text, f"problem.severity = {problem.severity}", remedy=problem.remedy)
    level, evidence = volume.raid_level or "", [fact(volume, "mismatch_count")]
    if level not in MIRRORED | PARITY:
        return
    check = volume.consistency_check or loss.controller.consistency_check
    if volume.mismatch_count or (check is not None and check.last_result == "failed"):
        if check is not None:
            evidence.append(f"{volume.id} consistency_check.last_result = {check.last_result or 'not reported'}")
        text = f"The copies of {named(loss)} differ, and which one is right is unknown."
        if level in PARITY:
            text = f"Parity and data of {named(loss)} differ: what is rebuilt without the drive may be wrong."
        remedy = "Check the data above it, then let a check with repair end without differences."
        yield reason("R6", "no", text, *evidence, remedy=remedy)
    elif volume.mismatch_count is None and level in MIRRORED:
        silent = subject.unreported(loss.controller, "differences")
        if silent is not None:
            text = f"Whether the copies of {named(loss)} differ is unknown: {silent.why}."
            yield reason("R6", "yes", text, *evidence)
            return
        text = f"Whether the copies of {named(loss)} differ is not reported."
        yield reason("R6", "unknown", text, *evidence)


def copy_first(subject: Subject) -> Reasons:
    """R8: a working drive is first copied to its successor, if possible."""
    works = [loss for loss in subject.losses if not loss.gone]
    drive = subject.drive
    if not works or drive.status != "ok" or _errors(subject.controller, drive):
        yield reason("R8", "yes", "There is no good member to copy first.", fact(drive, "status"))
        return
    for loss in works:
        if family_of(loss.controller) == "md":
            name = shlex.quote(drive.serial or drive.id)
            remedy = f"`raidctl replace {name} --with DRIVE` copies it to another one first."
        else:
            remedy = "Copy it to the new drive first if the controller can (copyback)."
        text = f"The drive works: without it, {named(loss)} has less redundancy until a rebuild is complete."
        yield reason("R8", "note", text, fact(drive, "status"), remedy=remedy)
