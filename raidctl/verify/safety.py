"""Claims that hold on every server: what is configured is in force, and what is acknowledged survives a power failure.

Safety cannot be proved without a measurement or a power cut where a volatile cache is on, as only these tell whether a
drive honours a flush. So these are inconclusive then, and failed where it is known that no flush is sent.
"""

from __future__ import annotations

import msgspec

from raidctl.change.guard import unprotected
from raidctl.health.write_hole import INCOMPLETE, PARITY, write_hole
from raidctl.model import Volume, VolumeCache, write_policy
from raidctl.text import listing
from raidctl.verify.caches import UNPROTECTED, policies
from raidctl.verify.case import POWER_CUT, Case
from raidctl.verify.drives import drive_caches
from raidctl.verify.kernel import without_barriers
from raidctl.verify.report import Answer
from raidctl.verify.subjects import blocks_of

COMMITS = (
    "Count commits a second on one block with the drives' caches on and off: a disk that turns 7200 times a minute and "
    "commits more than 120 times a second does not honour the flush."
)


def policy_active(case: Case) -> Answer:
    """Whether the write policy in force is the one that is configured."""
    volume = case.subject.volume
    cache = volume.cache if volume else None
    if volume is None or case.subject.software:
        return case.passed("It has no write policy of its own that could be out of force.")
    if cache is None:
        return case.untold("Nothing tells how writes to this volume are cached.")
    policies(case, cache)
    if cache.write_policy is None or cache.write_active is None:
        which = "configured" if cache.write_policy is None else "in force"
        return case.untold(f"The tool does not tell which write policy is {which}.")
    if write_policy.in_force(cache):
        return case.passed("The write policy in force is the one that is configured.")
    why = (cache.why_not_in_force or "the tool does not say why").rstrip(".")
    return case.failed(f"Another write policy is in force than is configured: {why}.")


def power_safe(case: Case) -> Answer:
    """Whether data that was acknowledged survives a power failure."""
    barriers = without_barriers(case.ground.kernel, case.subject.item.mountpoints)
    case.evidence += barriers
    volume = case.subject.volume
    if volume is None or case.subject.software:
        found = _by_drives(case, barriers=[one.says for one in barriers])
    else:
        found = _behind_controller(case, volume.cache or VolumeCache())
    return found if volume is None else _with_write_hole(case, volume, found)


def _with_write_hole(case: Case, volume: Volume, found: Answer) -> Answer:
    """The answer about caches, and what a stripe that was half written does to a parity volume without all drives."""
    hole = write_hole(case.subject.controller, volume)
    if found.verdict == "fail" or hole.state not in ("open", "unknown") or volume.raid_level not in PARITY:
        return found
    hits = "a power failure during a write can damage other data of the stripe (write hole)"
    if volume.status in INCOMPLETE and hole.state == "open":
        case.read(volume.id, "status", f"status {volume.status}")
        return case.failed(f"It is {volume.status}, and {hits}: {hole.why}.")
    if volume.status in INCOMPLETE:
        why = f"It is {volume.status}; whether {hits} is unknown: {hole.why}."
        passed = found.verdict == "pass"
        return case.untold(why) if passed else msgspec.structs.replace(found, reasons=(*found.reasons, why))
    if hole.state == "unknown":
        return found
    return msgspec.structs.replace(found, reasons=(*found.reasons, f"Once a drive is missing, {hits}: {hole.why}."))


def no_write_hole(case: Case) -> Answer:
    """Whether a power failure during a write leaves the other data of the stripe alone."""
    volume = case.subject.volume
    if volume is None:
        return case.passed("A single drive has no stripes.")
    hole = write_hole(case.subject.controller, volume)
    case.read(volume.id, "raid_level", f"RAID level {volume.raid_level}")
    why = f"{hole.why[:1].upper()}{hole.why[1:]}."
    if hole.state == "unknown":
        return case.untold(why)
    return case.failed(why) if hole.state == "open" else case.held(why)


def _behind_controller(case: Case, cache: VolumeCache) -> Answer:
    policies(case, cache)
    if cache.controller_cache != "unknown":
        word = cache.controller_cache.replace("_", " ")
        case.read(case.subject.id, "cache.controller_cache", f"unwritten data in the controller: {word}")
    if cache.controller_cache == "unprotected":
        return case.failed(UNPROTECTED)
    if cache.write_active is None or cache.controller_cache == "unknown":
        return case.untold("The tool does not report whether written data is safe in the controller.")
    card = case.subject.controller
    if cache.write_active == "write_back" and card.batteries and (fault := unprotected(card)):
        return case.suspect(f"The tool calls the cache protected, and yet: {fault}")
    behind = drive_caches(case)
    if behind.state == "contradiction":
        return case.suspect(behind.why, next_test=behind.next_test)
    if behind.state == "enabled":
        return case.suspect(
            f"{behind.why} What they hold is lost without power, unless the controller has them flushed.",
            next_test=behind.next_test
            or "Switch them off (raidctl cache set --drive-cache off), or measure in write-through: "
            f"{case.measuring('--switch-policy')}",
        )
    if behind.state is None:
        return case.untold("The controller keeps what it holds.", behind.why, next_test=behind.next_test)
    if cache.write_policy == "unprotected_write_back":
        case.notes.append("It is set to go on in write-back when the battery fails, and will not be safe then.")
    if cache.write_active == "write_back":
        case.ruled_out.append("a volatile cache of the drives: they are off")
        return case.held("What waits in the controller's cache is protected, and the drives' own caches are off.")
    case.ruled_out.append("a volatile cache: neither the controller nor the drives keep writes back")
    return case.held("No write waits in the controller, and the drives' own caches are off.")


def _by_drives(case: Case, barriers: list[str]) -> Answer:
    """Without a RAID card: the drives' caches, and whether flushes reach them."""
    told = drive_caches(case)
    if case.ground.view.virtual:
        return case.held("The drives are those of a hypervisor.")
    if told.state == "disabled":
        case.ruled_out.append("a volatile cache of the drives: they are off")
        return case.passed("The drives' own caches are off: what they acknowledge is on the medium, as they say.")
    if told.state is None:
        return case.untold(told.why, next_test=told.next_test)
    if barriers:
        return case.failed(f"The drives' own caches are on, and {listing(barriers)}.")
    silent = _without_flush(case)
    if silent:
        return case.failed(
            f"The drives' own caches are on, and the kernel takes {listing(silent)} for write-through: "
            "no flush is sent, so acknowledged data is lost without power."
        )
    if any(one.source == "kernel" and one.raw == "write back" for one in case.evidence):
        case.ruled_out.append("flushes that are never sent: the kernel takes the caches for write-back, and no mount "
                              "option keeps it from flushing")  # fmt: skip
    return case.untold(
        "The drives' own caches are on; whether the drives honour a flush their settings do not tell.",
        next_test=f"{COMMITS} That is: {case.measuring('--switch-drive-caches')}" if _turns(case) else POWER_CUT,
        access=False,
    )


def _without_flush(case: Case) -> list[str]:
    """The drives with their cache on that the kernel sends no flush, and layers above that drop flushes."""
    found = []
    for _, drive in case.subject.drives:
        block = case.ground.view.block(drive.device) if drive.device else None
        if drive.write_cache == "enabled" and block is not None and block.write_cache == "write through":
            found.append(block.node)
    above = blocks_of(case.ground, case.subject)
    if case.subject.software and above and above[0].write_cache == "write through" and not found:
        case.notes.append(f"The kernel takes {above[0].node} for write-through.")
    return found


def _turns(case: Case) -> bool:
    return all(drive.media == "hdd" for _, drive in case.subject.drives)
