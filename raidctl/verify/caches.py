"""Claims about the cache of the controller and what backs it: battery, write policy, size, split, read-ahead. Pure."""

from __future__ import annotations

from raidctl.change.guard import FULL_ENOUGH, unprotected
from raidctl.model import Battery, VolumeCache
from raidctl.text import listing
from raidctl.units import format_binary
from raidctl.verify.case import Case
from raidctl.verify.drives import DriveCaches, drive_caches
from raidctl.verify.kernel import cache_type, queue
from raidctl.verify.report import Answer
from raidctl.verify.subjects import blocks_of

_WORDS = {
    "write_through": "write-through",
    "protected_write_back": "write-back while it is protected",
    "unprotected_write_back": "write-back always, with or without a battery",
    "off": "off",
    "write_back": "write-back",
}
SAME = 0.02
KNEE = "Measure after how many written bytes writes become slow: that is the size of the write cache."
UNPROTECTED = (
    "Write-back is active and the controller's cache is not protected: unwritten data is lost in a power failure."
)
LEARN = "Ask again when the learn cycle, or the charging, is over."


def battery(case: Case) -> Answer:
    """Whether the volume's own controller has a healthy battery or capacitor."""
    card = case.subject.controller
    if case.subject.software:
        return case.failed("Software RAID has no battery.")
    if card.mode in ("none", "hba") and not card.batteries:
        return case.failed(f"{card.id} works without RAID: there is no cache that a battery could keep.")
    if card.cache is not None and card.cache.present is False:
        case.read(card.id, "cache.present", "no cache module")
        return case.failed(f"{card.id} has no cache, so there is nothing that a battery could keep.")
    for one in card.batteries:
        told = f" ({one.status_text})" if one.status_text and one.status_text.lower() != one.status else ""
        charge = f", charged to {one.charge_percent} %" if one.charge_percent is not None else ""
        case.read(one.id, "status", f"{_kind(one)} {one.status}{told}{charge}")
    if not card.batteries:
        return case.untold(f"{card.id} reports no battery or capacitor.", next_test="Look at the controller itself.")
    bad = [why for one in card.batteries if (why := _bad(one))]
    if bad:
        return case.failed(f"{listing(bad)}.")
    waiting = [one for one in card.batteries if one.status != "ok"]
    if waiting:
        names = listing(f"{_kind(one)} {one.id} is {one.status}" for one in waiting)
        unknown = all(one.status == "unknown" for one in waiting)
        why = "its tool does not say how it is" if unknown else "whether it is good shows only afterwards"
        return case.untold(f"The {names}: {why}.", next_test=None if unknown else LEARN, access=unknown)
    if card.cache is not None and card.cache.status == "critical":
        case.read(card.id, "cache.status", "the cache is critical")
        return case.suspect(
            f"The battery is ok, but the cache is not in use: {card.cache.status_text or 'it does not say why'}."
        )
    if case.subject.volume is None:
        return case.suspect("The battery is ok, but the drive is passed through: no cache stands before it.")
    if len(card.batteries) == 1:
        return case.held(f"The {_kind(card.batteries[0])} of {card.id} is ok.")
    return case.held(f"All {len(card.batteries)} batteries of {card.id} are ok.")


def _kind(one: Battery) -> str:
    return "battery" if one.kind == "unknown" else one.kind


def _bad(one: Battery) -> str | None:
    """What is certainly wrong with it."""
    name = f"The {_kind(one)} {one.id}"
    if one.status in ("failed", "degraded", "missing"):
        return f"{name} is {one.status}"
    if one.replace:
        return f"{name} must be replaced"
    if one.status == "ok" and one.charge_percent is not None and one.charge_percent < FULL_ENOUGH:
        return f"{name} is charged to only {one.charge_percent} %"
    return None


def write_cache(case: Case) -> Answer:
    """Whether written data is cached in this way: what is configured, and what is in force."""
    volume, wanted = case.subject.volume, case.claim.words[0]
    if volume is None or case.subject.software:
        return _without_controller(case, wanted)
    cache = volume.cache or VolumeCache()
    policies(case, cache)
    if cache.write_policy is None and cache.write_active is None:
        return case.untold("Nothing tells how writes to this volume are cached.")
    if wanted == "protected":
        return _protected(case, cache)
    if wanted == "unprotected":
        return _unprotected(case, cache)
    return _not_cached(case, cache, wanted)


def policies(case: Case, cache: VolumeCache) -> None:
    """What is configured and in force, as evidence; beside it, what the volume has told the kernel of its cache."""
    name = case.subject.id
    if cache.write_policy is not None:
        case.read(name, "cache.write_policy", f"configured: {_WORDS[cache.write_policy]}")
    if cache.write_active is not None:
        case.read(name, "cache.write_active", f"in force: {_WORDS[cache.write_active]}")
    for block in blocks_of(case.ground, case.subject)[:1]:
        case.evidence += [one for one in (cache_type(case.ground.kernel, block), queue(block)) if one]


def _protected(case: Case, cache: VolumeCache) -> Answer:
    """Write-back that a good battery backs, and that ends without one."""
    card = case.subject.controller
    if cache.write_policy in ("write_through", "off"):
        return case.failed(f"It is set to {_WORDS[cache.write_policy]}.")
    if cache.write_active in ("write_through", "off"):
        why = (cache.why_not_in_force or "the tool does not say why").rstrip(".")
        return case.failed(f"{_WORDS[cache.write_active].capitalize()} is in force: {why}.")
    if cache.controller_cache == "unprotected":
        return case.failed(UNPROTECTED)
    fault = unprotected(card) if card.batteries else None
    if cache.write_active is None or cache.controller_cache == "unknown":
        if fault:
            return case.failed(fault)
        return case.untold("The tool does not tell whether write-back is in force and protected.")
    if fault:
        return case.suspect(f"The tool calls the cache protected, and yet: {fault}")
    if cache.write_policy == "unprotected_write_back":
        return case.suspect("It is protected now, but it is set to go on in write-back when the battery fails.")
    behind = drive_caches(case)
    if behind.state == "enabled":
        return case.suspect(
            "The controller's cache is protected, but the drives' own caches behind it are on: what they hold is lost "
            "without power, unless the controller has them flushed.",
            next_test="Measure commits a second with the controller in write-through: a disk with its cache off cannot "
            f"commit more often than it turns. That is: {case.measuring('--switch-policy')}",
        )
    if behind.state != "disabled":
        case.notes.append("What the drives' own caches do is not known; --drive-cache disabled asks for it.")
    return case.held("Write-back is in force, and what it holds survives a power failure.")


def _unprotected(case: Case, cache: VolumeCache) -> Answer:
    if cache.write_policy is None:
        return case.untold("What is configured is not told.")
    if cache.write_policy != "unprotected_write_back":
        return case.failed(f"It is set to {_WORDS[cache.write_policy]}.")
    if cache.write_active is None:
        return case.untold("Whether it is in force is not told.")
    if cache.write_active != "write_back":
        return case.failed(f"It is configured, but {_WORDS[cache.write_active]} is in force.")
    return case.passed("Write-back is in force whatever the battery does.")


def _not_cached(case: Case, cache: VolumeCache, wanted: str) -> Answer:
    """Write-through or off: no write waits in the controller."""
    active, policy = cache.write_active, cache.write_policy
    if active == "write_back":
        return case.failed("Write-back is in force.")
    mine = wanted.replace("-", "_")
    if policy is None:
        return case.untold("What is configured is not told.")
    if policy in ("protected_write_back", "unprotected_write_back"):
        if active is None:
            return case.failed(f"It is set to {_WORDS[policy]}.")
        why = (cache.why_not_in_force or "the tool does not say why").rstrip(".")
        return case.suspect(
            f"{_WORDS[active].capitalize()} is in force, but only because write-back is held up: {why}."
        )
    if mine not in (policy, active):
        return case.failed(f"It is set to {_WORDS[policy]}.")
    if case.subject.controller.cache is not None and case.subject.controller.cache.unwritten_data:
        case.notes.append("The controller reports unwritten data.")
    return case.held(f"{_WORDS[active or policy].capitalize()} is {'in force' if active else 'configured'}.")


def _without_controller(case: Case, wanted: str) -> Answer:
    """Software arrays and single drives: only the drives' own caches are there."""
    behind = drive_caches(case)
    what = "Software RAID" if case.subject.software else "A drive that the system sees itself"
    if case.ground.view.virtual:
        return case.held("The drives are those of a hypervisor.")
    if wanted == "protected":
        return case.failed(f"{what} has no cache that a battery keeps.")
    if wanted == "unprotected":
        return _by_drives(case, behind, "enabled")
    return _by_drives(case, behind, "disabled")


def _by_drives(case: Case, behind: DriveCaches, wanted: str) -> Answer:
    if behind.state in (None, "contradiction"):
        return case.untold(behind.why, next_test=behind.next_test)
    word = {"enabled": "on", "disabled": "off"}
    if behind.state == wanted:
        return case.held(f"There is no cache of a controller, and the drives' own caches are {word[wanted]}.")
    return case.failed(f"There is no cache of a controller, and the drives' own caches are {word[behind.state or '']}.")


def cache_size(case: Case) -> Answer:
    """Whether the controller has at least so much cache."""
    card, cache = case.subject.controller, case.subject.controller.cache
    if case.subject.software:
        return case.failed("Software RAID has no cache memory of its own.")
    if cache is None:
        if card.mode in ("none", "hba"):
            return case.failed(f"{card.id} works without RAID: it has no cache.")
        return case.untold(f"Nothing is told of a cache of {card.id}.")
    if cache.present is False:
        case.read(card.id, "cache.present", "no cache module")
        return case.failed(f"{card.id} has no cache.")
    if cache.size_bytes is None:
        return case.untold(f"{card.id} does not tell the size of its cache.")
    told = format_binary(cache.size_bytes)
    case.read(card.id, "cache.size_bytes", f"cache {told}")
    if cache.available_bytes is not None:
        case.read(card.id, "cache.available_bytes", f"for data {format_binary(cache.available_bytes)}")
    if cache.size_bytes < case.claim.number * (1 - SAME):
        spare = cache.available_bytes
        if spare is not None and abs(cache.size_bytes + spare - case.claim.number) <= SAME * case.claim.number:
            return case.suspect(f"{card.id} tells {told} in all; with what it calls available it would be so.")
        return case.failed(f"{card.id} has {told}, less than {case.claim.wanted}.")
    if cache.status == "critical":
        return case.suspect(f"{card.id} has {told}, but does not use it: {cache.status_text or 'it does not say why'}.")
    return case.passed(f"{card.id} has {told}.")


def cache_split(case: Case) -> Answer:
    """Whether the cache is split in this way between reads and writes."""
    card, cache = case.subject.controller, case.subject.controller.cache
    if case.subject.software or card.mode in ("none", "hba"):
        return case.failed(f"{card.id} has no cache that could be split.")
    if cache is None or cache.read_percent is None or cache.write_percent is None:
        why = card.capabilities["cache_split"].why if "cache_split" in card.capabilities else None
        return case.untold(f"{card.id} does not tell how its cache is split.", *([why] if why else []), next_test=KNEE)
    told = f"{cache.read_percent}/{cache.write_percent}"
    case.read(card.id, "cache.read_percent", f"split {told} between reads and writes")
    if cache.read_bytes is not None and cache.write_bytes is not None:
        shares = f"{format_binary(cache.read_bytes)} for reads, {format_binary(cache.write_bytes)} for writes"
        case.read(card.id, "cache.write_percent", shares)
    if cache.read_percent != case.claim.number:
        return case.failed(f"The cache of {card.id} is split {told}, not {case.claim.wanted}.")
    if cache.status == "critical":
        return case.suspect(f"It is split {told}, but not in use: {cache.status_text or 'it does not say why'}.")
    return case.passed(f"The cache of {card.id} is split {told} between reads and writes.")


def drive_cache(case: Case) -> Answer:
    """Whether the drives' own write caches are off, or on: by the controller's policy and by the drives."""
    wanted = case.claim.words[0]
    told = drive_caches(case)
    if case.ground.view.virtual:
        return case.of_host(told.why)
    if told.state == "contradiction":
        return case.suspect(told.why, next_test=told.next_test)
    if told.state is None:
        return case.untold(told.why, next_test=told.next_test)
    if told.state != wanted:
        return case.failed(told.why)
    return case.passed(told.why)


def read_policy(case: Case) -> Answer:
    """Whether the controller reads ahead in this way."""
    volume, wanted = case.subject.volume, case.claim.words[0]
    told = volume.cache.read_policy if volume and volume.cache else None
    if told is None:
        return case.untold("The tool does not tell the read policy of this volume.")
    case.read(case.subject.id, "cache.read_policy", f"read policy {told.replace('_', '-')}")
    if told.replace("_", "-") == wanted:
        return case.passed(f"The read policy is {wanted}.")
    return case.failed(f"The read policy is {told.replace('_', '-')}, not {wanted}.")
