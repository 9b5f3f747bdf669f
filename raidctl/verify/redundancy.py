"""Claims about a volume's spares, the failures it survives, and its last consistency check. Pure."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from raidctl.health.mismatches import is_harmless
from raidctl.health.redundancy import INCOMPLETE, WHOLE, below, parity_is_resynchronised
from raidctl.health.spares import unfit, users_of
from raidctl.health.unknown_states import members_in_doubt, states_unknown
from raidctl.health.write_journal import in_write_back, may_hold_only_copy
from raidctl.model import Drive, Scrub, Volume
from raidctl.model.automatic_rebuild import no_automatic_rebuild
from raidctl.select import family_of
from raidctl.text import counted, listing
from raidctl.units import parse_moment
from raidctl.verify.case import Case
from raidctl.verify.layout import SAME
from raidctl.verify.report import Answer


def spares(case: Case) -> Answer:
    """Whether at least the claimed number of spares is available. Dedicated and global ones that fit count."""
    volume, wanted = case.subject.volume, case.claim.number
    if volume is None:
        return case.failed("It is a single drive, which has no spares.") if wanted else case.passed("It has no spares.")
    controller, array = case.subject.controller, case.subject.array
    named = set(array.spares) if array else set()
    ready = [d for d in controller.drives if d.id in named or _global(d, volume, software=case.subject.software)]
    busy = [d for d in ready if users_of(controller, d)]
    least = min((d.size_bytes for d in case.subject.members if d.size_bytes), default=0)
    good = [d for d in ready if d not in busy and d.status == "ok" and (d.size_bytes or least) >= least * (1 - SAME)]
    good = [d for d in good if not unfit(controller, replace(d, size_bytes=None), case.subject.members)]
    for drive in ready:
        case.cite(drive.id, "role", f"a spare, {drive.status}")
    if no_automatic_rebuild(controller):
        case.notes.append("Automatic rebuild is off: a rebuild onto a spare has to be started by hand.")
    if len(good) >= wanted:
        return case.passed(f"{_spares(len(good))} {'is' if len(good) == 1 else 'are'} available.")
    if not controller.drives:
        return case.inconclusive(f"The drives of {controller.id} are unknown.")
    if busy:
        names = listing(d.id for d in busy)
        return case.inconclusive(f"{names} may have taken the place of a member that has failed or is missing.")
    if any(d.status == "unknown" for d in ready):
        return case.inconclusive(f"The condition of its {counted(len(ready), 'spare')} is not reported.")
    if any(p.kind == "unread" and p.where == controller.id for p in case.machine.inventory.problems):
        return case.inconclusive("Not all drives of this controller could be read.")
    rest = len(ready) - len(good)
    bad = f", and {rest} that {'is not ok or does' if rest == 1 else 'are not ok or do'} not fit" if rest else ""
    return case.failed(f"It has {_spares(len(good))}{bad}; claimed: {wanted}.")


def _global(drive: Drive, volume: Volume, *, software: bool) -> bool:
    """Whether a spare covers every array of its controller, or this one."""
    if drive.role != "spare":
        return False
    if drive.spare_for or drive.array:
        return volume.array in (*drive.spare_for, drive.array)
    return not software


def _not_reported(case: Case) -> str:
    """The unknown fields on which the number of survived failures depends; they end the reason."""
    volume = case.subject.volume
    if volume is None:
        return ""
    missing = [
        (volume.raid_level in (None, "unknown"), "its RAID level (raid_level)"),
        (volume.status == "unknown", "its state (status)"),
        (volume.drives_active is None and not below(case.subject.controller, volume), "its members (drives)"),
        (
            volume.drives_expected is None and volume.status in INCOMPLETE,
            "the number of its members when complete (drives_expected)",
        ),
    ]
    named = [words for lacks, words in missing if lacks]
    return f". Not reported: {listing(named)}" if named else ", as its geometry or the state of a member is"


def survives(case: Case) -> Answer:
    """Whether any claimed number of further drives may fail without data loss."""
    volume, wanted = case.subject.volume, case.claim.number
    left = 0 if volume is None else volume.failures_tolerated
    if left is None and volume is not None and parity_is_resynchronised(volume):
        return case.inconclusive(
            "A resync is not complete: until then, data that is computed from parity may be wrong, so how many more "
            "drive failures it survives is unknown.",
            next_test="Verify again when the resync is complete.", access=False,
        )  # fmt: skip
    if left is None:
        return case.inconclusive(f"How many more drive failures it survives is unknown{_not_reported(case)}.")
    if volume is not None:
        case.cite(volume.id, "raid_level", f"RAID level {volume.raid_level}")
        case.cite(volume.id, "status", f"status {volume.status}")
    if volume is not None and wanted and (held := _held_by_journal(case, volume)):
        return held
    many = counted(left, "more drive failure") if left else "no more drive failures"
    if left < wanted:
        return case.failed(f"It survives {many}; claimed: {wanted}.")
    whole = volume if volume is not None and volume.status in WHOLE else None  # else they count as gone
    doubtful = members_in_doubt(below(case.subject.controller, whole)) if whole is not None else ()
    if wanted and left - len(doubtful) < wanted:
        return case.inconclusive(f"It survives {many} if all members work, but {states_unknown(doubtful)}.")
    return case.passed(f"It survives {many}, whichever drive fails.")


def _held_by_journal(case: Case, volume: Volume) -> Answer | None:
    """The answer about an md array whose journal holds, or may hold, the only copy of some data."""
    controller = case.subject.controller
    own = may_hold_only_copy(controller, volume) if family_of(controller) == "md" else ()
    if not own:
        return None
    case.cite(own[0].id, "role", "the journal")
    if in_write_back(volume) is None:
        return case.inconclusive(f"Whether the journal {own[0].id} holds data that no other drive has is unknown.")
    return case.failed(f"The journal {own[0].id} is in write-back mode: if it fails, data that only it has is lost.")


def checked_within(case: Case) -> Answer:
    """Whether a complete consistency check ended within the claimed number of days."""
    volume, days = case.subject.volume, case.claim.number
    scrub = (volume.consistency_check if volume else None) or case.subject.controller.consistency_check or Scrub()
    last, now = parse_moment(scrub.last_at), parse_moment(case.machine.inventory.host.collected_at)
    start = "Start one, and verify again when it is complete."
    if scrub.last_result == "failed":
        return case.failed("The last consistency check found differences or errors.")
    if last is None:
        what = "was stopped before it was complete" if scrub.last_result == "unfinished" else "is not reported"
        return case.inconclusive(
            f"The last consistency check {what}; the time of the last complete one is unknown.", next_test=start
        )
    case.cite(case.subject.id, "consistency_check.last_at", f"last complete check {scrub.last_at}")
    if volume is not None and volume.mismatch_count:
        case.cite(volume.id, "mismatch_count", f"sectors that differ: {volume.mismatch_count}")
        differ = f"A check has found {counted(volume.mismatch_count, 'sector')} whose copies or parity differ"
        if not is_harmless(volume.mismatch_count, volume):
            return case.failed(f"{differ}.")
        case.notes.append(f"{differ}, which is often harmless on a mirror.")
    if now is None:
        return case.inconclusive("The time of the scan is unknown.")
    if last - now > timedelta(days=1):
        return case.inconclusive(f"The last check ended after this scan ({scrub.last_at}): a clock is wrong.")
    ago = (now - last).days
    if now - last > timedelta(days=days):
        return case.failed(f"The last complete consistency check ended {counted(ago, 'day')} ago.")
    ended = f"The last complete consistency check ended {counted(max(ago, 0), 'day')} ago"
    if volume is not None and volume.mismatch_count is None and family_of(case.subject.controller) == "md":
        return case.inconclusive(f"{ended}; whether it found differences is unknown.")
    return case.passed(f"{ended}.")


def _spares(count: int) -> str:
    return counted(count, "good spare") if count else "no good spares"
