"""Whether a volume or drive, and what it is built on, is in the claimed state. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.health.array_states import lacks_a_drive
from raidctl.health.missing_members import not_whole, signs_of_missing_member
from raidctl.health.redundancy import WHOLE
from raidctl.model import Volume, state_problems
from raidctl.text import listing
from raidctl.verify.case import Case
from raidctl.verify.report import Answer
from raidctl.verify.subjects import Subject

_BUSY = frozenset({"initializing", "expanding", "migrating"})
"""Operations on a volume that is neither degraded nor final."""
_LATER = "Verify again when that is complete."


def volume_status(case: Case) -> Answer:
    """Whether the volume or drive is in the claimed state. It is ok only if all volumes below it are."""
    answer = _own_status(case)
    if answer.verdict != "pass" or case.claim.words != ("ok",):
        return answer
    return _below(case) or answer


def _own_status(case: Case) -> Answer:
    item = case.subject.item
    words = {"warning": "degraded", "critical": "failed"}
    status = item.status if isinstance(item, Volume) else words.get(item.status, item.status)
    detail = f" ({item.status_text})" if item.status_text and item.status_text.lower() != item.status else ""
    if status == "unknown":
        return case.inconclusive(f"Its state is unknown{detail}.")
    case.cite(item.id, "status", f"status {item.status}{detail}", "controller" if case.subject.volume else "drive")
    damage = _damage(case, case.subject)
    if damage and case.claim.words == ("ok",) and status in WHOLE:
        return case.suspect(f"It is {status}, but a tool reports damage: {listing(damage)}.")
    if case.claim.words == ("ok",) and (missing := lacks_members(case)):
        return case.suspect(f"It is {status}, but {listing(missing)}.")
    if status in case.claim.words:
        return case.passed(f"It is {status}.")
    if case.claim.words == ("ok",) and status == "checking":
        work = item.progress if isinstance(item, Volume) else None
        resync = work is not None and work.operation == "resync"
        return case.passed(f"It is ok; a {'resync is not complete' if resync else 'consistency check is running'}.")
    if case.claim.words == ("ok",) and status in _BUSY:
        return case.inconclusive(
            f"It is {status}{detail}; its state is known only afterwards.", next_test=_LATER, access=False
        )
    return case.failed(f"It is {item.status}{detail}, not {case.claim.wanted}.")


def lacks_members(case: Case) -> list[str]:
    """What shows that the volume lacks a member although it is reported as ok. The evidence is added to the case."""
    volume, array = case.subject.volume, case.subject.array
    found = signs_of_missing_member(case.subject.controller, volume) if volume is not None else []
    for one in case.subject.members if found else ():
        if not_whole(one):
            case.cite(one.id, "status", f"status {one.status_text or one.status}")
    if found and array is not None and lacks_a_drive(array):
        case.cite(array.id, "status", f"status {array.status_text or array.status}")
    return found


def _damage(case: Case, subject: Subject) -> list[str]:
    """What tools report of a volume or its array that its status does not show."""
    names = [one.id for one in (subject, subject.array) if one is not None]
    found = state_problems(case.machine.inventory.problems, *names)
    return [one.message.rstrip(".") for one in found if one.severity == "error"]


def _below(case: Case) -> Answer | None:
    """The answer for volumes below that are not ok. A software array notices only when it reads from them."""
    below = [one.volume for one in case.subject.built_on if one.volume is not None]
    volumes = [volume for volume in below if volume.status not in WHOLE]
    for volume in volumes:
        case.cite(volume.id, "status", f"status {volume.status}")
    words = listing(f"{volume.id} (state {volume.status})" for volume in volumes)
    if any(volume.status != "unknown" and volume.status not in _BUSY for volume in volumes):
        return case.failed(f"It is built on {words}, which must be ok, too.")
    if volumes:
        later = _LATER if any(volume.status in _BUSY for volume in volumes) else None
        return case.inconclusive(f"It is built on {words}, which must be ok, too.", next_test=later, access=False)
    faults = [text for one in case.subject.built_on for text in _faults(case, one)]
    return case.suspect(f"What it is built on is reported as ok, but {listing(faults)}.") if faults else None


def _faults(case: Case, below: Subject) -> Iterator[str]:
    """What contradicts the status of a volume below that is reported as ok."""
    for text in _damage(case, below):
        yield f"a tool reports damage of {below.id}: {text}"
    if below.volume is not None:
        yield from signs_of_missing_member(below.controller, below.volume)
