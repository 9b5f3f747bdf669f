"""Safety claims. The configured policy is active, and acknowledged data survives a power failure.

With a volatile cache, only a measurement or a power cut shows whether a drive honours a flush. Without one these claims
are inconclusive, or fail if no flush is sent.
"""

from __future__ import annotations

import msgspec

from raidctl.bench.verdict.decision import POWER_CUT
from raidctl.change.guard import unprotected
from raidctl.health.missing_members import why_incomplete
from raidctl.health.nvme_warnings import BACKUP_FAILED
from raidctl.health.redundancy import INCOMPLETE
from raidctl.health.spares import users_of
from raidctl.health.write_hole import write_hole
from raidctl.health.write_journal import may_hold_only_copy
from raidctl.model import Controller, Drive, Volume, VolumeCache, write_policy
from raidctl.model.raid_levels import PARITY
from raidctl.text import capitalised, few, listing
from raidctl.verify.caches import UNPROTECTED, policies
from raidctl.verify.case import Case
from raidctl.verify.drive_caches import disable_or_measure, drive_caches
from raidctl.verify.kernel import without_barriers
from raidctl.verify.report import Answer
from raidctl.verify.status import lacks_members
from raidctl.verify.subjects import Subject, blocks_of

COMMITS = (
    "Measure commits per second on one block with the drives' caches on and off: a 7200 rpm drive that commits more "
    "than 120 times a second does not honour the flush."
)
SYNC_UNREAD = "Whether commits are acknowledged before they are written (sync=disabled of ZFS) could not be read."
SYNC_TEST = "Check it with `zfs get -t filesystem,volume sync`."


def policy_active(case: Case) -> Answer:
    """Whether the active write policy is the configured one."""
    volume = case.subject.volume
    cache = volume.cache if volume else None
    if volume is None or case.subject.software:
        return case.passed("It has no separate write policy.")
    if cache is None:
        return case.inconclusive("The write policy of this volume is not reported.")
    policies(case, cache)
    if cache.write_policy is None or cache.write_active is None:
        which = "configured" if cache.write_policy is None else "active"
        return case.inconclusive(f"The tool does not report the {which} write policy.")
    if write_policy.in_force(cache):
        return case.passed("The active write policy is the configured one.")
    why = (cache.why_not_in_force or "no reason reported").rstrip(".")
    return case.failed(f"The active write policy is not the configured one: {why}.")


def power_safe(case: Case) -> Answer:
    """Whether acknowledged data survives a power failure."""
    barriers = without_barriers(case.machine.kernel, case.subject.item.mountpoints)
    case.evidence += barriers
    volume = case.subject.volume
    if volume is not None and volume.sync_disabled:
        early = few(volume.sync_disabled)
        case.cite(volume.id, "sync_disabled", f"sync=disabled on {early}")
        return case.failed(f"Commits are acknowledged before they are written (sync=disabled) on {early}.")
    if volume is None or case.subject.software:
        found = _by_drives(case, barriers=[one.statement for one in barriers])
    else:
        found = _behind_controller(case, volume.cache or VolumeCache())
    if found.verdict != "fail" and (lost := _without_backup(case)):
        return case.failed(
            f"The backup of the volatile memory of {listing(lost)} has failed: a power failure can lose acknowledged "
            "data."
        )
    if volume is not None and volume.sync_disabled is None and found.verdict == "pass":
        return case.inconclusive(SYNC_UNREAD, next_test=SYNC_TEST)
    return found if volume is None else _with_write_hole(case, volume, found)


def _without_backup(case: Case) -> list[str]:
    """The drives whose capacitor has failed, by bit 4 of NVMe's critical warning."""
    found = []
    for _, drive in case.subject.drives:
        if drive.critical_warning is not None and drive.critical_warning & BACKUP_FAILED:
            case.cite(drive.id, "critical_warning", f"critical warning {drive.critical_warning:#04x}", "drive")
            found.append(drive.id)
    return found


def _with_write_hole(case: Case, volume: Volume, found: Answer) -> Answer:
    """Extend the answer about caches by a parity volume's write hole."""
    hole = write_hole(case.subject.controller, volume)
    if found.verdict == "fail" or hole.state not in ("open", "unknown") or volume.raid_level not in PARITY:
        return found
    hits = "a power failure during a write can damage other data of the stripe (write hole)"
    lacks = _lacks(case, volume)
    if lacks and hole.state == "open" and not _may_use_spare(case.subject.controller, volume):
        return case.failed(f"{lacks}, and {hits}: {hole.why}.")
    if lacks:
        why = f"{lacks}; whether {hits} is unknown: {hole.why}."
        if hole.state == "open":
            why = f"{lacks}; unless a spare has taken its place, {hits}: {hole.why}."
        passed = found.verdict == "pass"
        return case.inconclusive(why) if passed else msgspec.structs.replace(found, reasons=(*found.reasons, why))
    if hole.state == "unknown":
        return found
    return msgspec.structs.replace(found, reasons=(*found.reasons, f"Once a drive is missing, {hits}: {hole.why}."))


def _lacks(case: Case, volume: Volume) -> str:
    """``It is degraded`` or ``acme:0/3 has failed``; empty if no member is known to be missing."""
    if volume.status in INCOMPLETE:
        case.cite(volume.id, "status", f"status {volume.status}")
        return f"It is {volume.status}"
    found = listing(lacks_members(case))
    return capitalised(found) if found.startswith("it ") else found


def _may_use_spare(controller: Controller, volume: Volume) -> bool:
    """Whether a spare may have taken the place of the missing member of a volume that is reported as ok."""
    spares = [drive for drive in controller.drives if drive.role == "spare"]
    return any(one.id == volume.id for spare in spares for one in users_of(controller, spare))


def may_damage_stripes(subject: Subject) -> bool:
    """Whether a power failure may damage data that is not being written.

    A volume with parity is at risk while it is degraded or rebuilding, or lacks a member although it is reported as ok.
    Tests of flushes or power cuts do not show this, as they read back only what they have written.
    """
    volume = subject.volume
    return (
        volume is not None
        and volume.raid_level in PARITY
        and bool(why_incomplete(subject.controller, volume))
        and write_hole(subject.controller, volume).state in ("open", "unknown")
    )


def no_write_hole(case: Case) -> Answer:
    """Whether a power failure during a write leaves other stripe data intact."""
    volume = case.subject.volume
    if volume is None:
        return case.passed("A single drive has no stripes.")
    hole = write_hole(case.subject.controller, volume)
    case.cite(volume.id, "raid_level", f"RAID level {volume.raid_level}")
    why = f"{capitalised(hole.why)}."
    if hole.state == "unknown":
        return case.inconclusive(why)
    controller = case.subject.controller
    if hole.state == "closed" and controller.batteries and (fault := unprotected(controller)):
        return case.suspect(f"The tool reports the cache as protected, but: {fault}")
    if hole.state == "closed" and volume.cache is not None and volume.cache.drive_caches == "on":
        case.cite(volume.id, "cache.drive_caches", "write caches of the drives: on")
        return case.suspect(f"{why[:-1]}, but the write caches of the drives are on, and may lose parts of a stripe.")
    return case.failed(why) if hole.state == "open" else case.passed_unless_virtual(why)


def _behind_controller(case: Case, cache: VolumeCache) -> Answer:
    policies(case, cache)
    if cache.controller_cache != "unknown":
        word = cache.controller_cache.replace("_", " ")
        case.cite(case.subject.id, "cache.controller_cache", f"unwritten data in the controller: {word}")
    if cache.controller_cache == "unprotected":
        return case.failed(UNPROTECTED)
    untold = "The tool does not report whether unwritten data in the controller is protected."
    unclear = cache.write_active is None or cache.controller_cache == "unknown"
    if unclear and cache.drive_caches != "on":
        return case.inconclusive(untold)
    controller = case.subject.controller
    writes_back = cache.write_active == "write_back" and not unclear
    if writes_back and controller.batteries and (fault := unprotected(controller)):
        return case.suspect(f"The tool reports the cache as protected, but: {fault}")
    behind = drive_caches(case)
    if behind.state == "contradiction":
        return case.suspect(behind.why, next_test=behind.next_test)
    if behind.state == "enabled":
        return case.suspect(
            f"{behind.why} A power failure loses what they hold, unless the controller flushes them.",
            *([untold] if unclear else []),
            next_test=behind.next_test or disable_or_measure(case),
        )
    if unclear:
        return case.inconclusive(untold)
    if behind.state is None:
        return case.inconclusive("The controller protects unwritten data.", behind.why, next_test=behind.next_test)
    if cache.write_policy == "unprotected_write_back":
        case.notes.append("Write-back continues when the battery fails; unwritten data is not protected then.")
    if cache.write_active == "write_back":
        if cache.write_policy is None:
            case.notes.append("Whether write-back ends when the battery fails is unknown.")
        case.ruled_out.append("a volatile cache of the drives: they are off")
        return case.passed_unless_virtual(
            "Unwritten data in the controller's cache is protected, and the write caches of the drives are off."
        )
    case.ruled_out.append("a volatile cache: neither the controller nor the drives hold unwritten data")
    return case.passed_unless_virtual(
        "The controller holds no unwritten data, and the write caches of the drives are off."
    )


def _by_drives(case: Case, barriers: list[str]) -> Answer:
    """Judge volumes without a RAID controller. The drives' caches count, and whether flushes reach them."""
    caches = drive_caches(case)
    if case.machine.view.virtual:
        return case.passed_unless_virtual("The drives are virtual.")
    if caches.state == "disabled" and (why := _journals(case)):
        return case.inconclusive(f"The write caches of the members are off, but {why}.", next_test=POWER_CUT)
    if caches.state == "disabled":
        case.ruled_out.append("a volatile cache of the drives: they are off")
        return case.passed("The write caches of the drives are reported off: acknowledged data is on the medium.")
    if caches.state is None:
        return case.inconclusive(caches.why, next_test=caches.next_test)
    if barriers:
        return case.failed(f"The write caches of the drives are on, and {listing(barriers)}.")
    silent = _without_flush(case)
    if silent:
        return case.failed(
            f"The write caches of the drives are on, but the kernel treats {listing(silent)} as write-through: "
            "no flush is sent, so a power failure loses acknowledged data."
        )
    sends = any(one.source == "kernel" and one.raw == "write back" for one in case.evidence)
    if case.machine.kernel.mounts and sends and not _dropping(case):
        case.ruled_out.append("missing flushes: the kernel treats the caches as write-back, and no mount option "
                              "disables flushes")  # fmt: skip
    return case.inconclusive(
        "The write caches of the drives are on; whether the drives honour a flush is unknown.",
        next_test=f"{COMMITS} Run: {case.measuring('--switch-drive-caches')}" if _spinning(case) else POWER_CUT,
        access=False,
    )


def _journals(case: Case) -> str:
    """Why acknowledged data on a journal may be in a volatile cache. Empty if it cannot."""
    volume = case.subject.volume
    own = may_hold_only_copy(case.subject.controller, volume) if volume is not None and case.subject.software else ()
    for journal in own:
        items = case.machine.below.items
        below = [item for name in journal.backing if name in items and isinstance(item := items[name][1], Drive)]
        for drive in below or (journal,):
            if drive.write_cache is not None:
                case.cite(drive.id, "write_cache", f"write cache {drive.write_cache}", "drive")
            if drive.write_cache != "disabled":
                state = "on" if drive.write_cache == "enabled" else "not reported"
                return f"the write cache of {drive.id}, which holds the journal, is {state}"
    return ""


def _without_flush(case: Case) -> list[str]:
    """The array, and the drives with their cache on, to which the kernel sends no flush.

    The function also notes devices above that drop flushes: only some of the files may be on these.
    """
    found = []
    for _, drive in case.subject.drives:
        block = case.machine.view.block(drive.device)
        if drive.write_cache == "enabled" and block is not None and block.write_cache == "write through":
            found.append(block.node)
    dropping, own = _dropping(case), blocks_of(case.machine, case.subject)[:1]
    if case.subject.software and any(block.node in dropping for block in own):
        return [*found, own[0].node]
    if dropping and not found:
        case.notes.append(f"The kernel treats {listing(dropping)} as write-through: no flush is sent from there.")
    return found


def _dropping(case: Case) -> list[str]:
    """The array's own device, and those above the volume or drive, to which the kernel sends no flush."""
    blocks = [block for block in blocks_of(case.machine, case.subject) if block.kind in ("md", "dm")]
    return [block.node for block in blocks if block.write_cache == "write through"]


def _spinning(case: Case) -> bool:
    return all(drive.media == "hdd" for _, drive in case.subject.drives)
