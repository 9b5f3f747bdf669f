"""Claims about caches: battery, write policy, size, split, drive caches, read-ahead. Pure."""

from __future__ import annotations

from raidctl.change.guard import unprotected
from raidctl.health.phrases import battery_noun
from raidctl.health.reliance import battery_defect
from raidctl.model import VolumeCache
from raidctl.text import all_of, capitalised, listing
from raidctl.units import format_binary, format_percent
from raidctl.verify.case import Case
from raidctl.verify.drive_caches import DriveCaches, disable_or_measure, drive_caches
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
KNEE = "Measure how many bytes can be written before writes become slow: that is the size of the write cache."
UNPROTECTED = (
    "Write-back is active and the controller's cache is not protected: unwritten data is lost in a power failure."
)
LEARN = "Verify again when the learn cycle is complete and the battery is charged."


def battery(case: Case) -> Answer:
    """Whether the volume's own controller has a healthy battery or capacitor."""
    controller = case.subject.controller
    if case.subject.software:
        return case.failed("Software RAID has no battery.")
    if controller.mode in ("none", "hba") and not controller.batteries:
        return case.failed(f"{controller.id} works without RAID and has no cache that a battery could protect.")
    if controller.cache is not None and controller.cache.present is False:
        case.cite(controller.id, "cache.present", "no cache module")
        return case.failed(f"{controller.id} has no cache that a battery could protect.")
    for one in controller.batteries:
        detail = f" ({one.status_text})" if one.status_text and one.status_text.lower() != one.status else ""
        charge = f", charged to {format_percent(one.charge_percent)}" if one.charge_percent is not None else ""
        case.cite(one.id, "status", f"{battery_noun(one)} {one.status}{detail}{charge}")
    if not controller.batteries:
        return case.inconclusive(
            f"{controller.id} reports no battery or capacitor.", next_test="Check the controller itself."
        )
    bad = [why for one in controller.batteries if (why := battery_defect(one))]
    if bad:
        return case.failed(capitalised(f"{listing(bad)}."))
    waiting = [one for one in controller.batteries if one.status != "ok"]
    if waiting:
        names = listing(f"{battery_noun(one)} {one.id} is {one.status}" for one in waiting)
        unknown = all(one.status == "unknown" for one in waiting)
        why = "its condition is not reported" if unknown else "its condition is known only afterwards"
        return case.inconclusive(f"The {names}: {why}.", next_test=None if unknown else LEARN, access=unknown)
    if fault := _fault(case, "The battery is ok"):
        return fault
    if case.subject.volume is None:
        return case.suspect("The battery is ok, but the drive is passed through without a cache.")
    if len(controller.batteries) == 1:
        return case.passed_unless_virtual(f"The {battery_noun(controller.batteries[0])} of {controller.id} is ok.")
    return case.passed_unless_virtual(
        f"{capitalised(all_of(len(controller.batteries), 'battery'))} of {controller.id} are ok."
    )


def _fault(case: Case, fact: str) -> Answer | None:
    """The answer about a cache that is not in use, or whose state is bad or unknown; None if nothing shows that."""
    cache = case.subject.controller.cache
    if cache is None:
        return None
    words = cache.status_text or "no reason reported"
    unused = cache.status == "critical" or words.lower().startswith("not configured")
    if not unused and (cache.status in (None, "ok") or (cache.status == "unknown" and not cache.status_text)):
        return None
    case.cite(case.subject.controller.id, "cache.status", f"the cache is {cache.status} ({words})")
    if unused:
        return case.suspect(f"{fact}, but the cache is not in use: {words}.")
    if cache.status == "unknown":
        return case.inconclusive(f"{fact}, but whether the cache is in use is unknown: {words}.")
    return case.suspect(f"{fact}, but the status of the cache is {cache.status} ({words}).")


def write_cache(case: Case) -> Answer:
    """Whether the configured and the active write policy are the claimed ones."""
    volume, wanted = case.subject.volume, case.claim.words[0]
    if volume is None or case.subject.software:
        return _without_controller(case, wanted)
    cache = volume.cache or VolumeCache()
    policies(case, cache)
    if cache.write_policy is None and cache.write_active is None:
        return case.inconclusive("The write policy of this volume is not reported.")
    if wanted == "protected":
        return _protected(case, cache)
    if wanted == "unprotected":
        return _unprotected(case, cache)
    return _not_cached(case, cache, wanted)


def policies(case: Case, cache: VolumeCache) -> None:
    """Add policies and the kernel's view of the cache as evidence.

    The policies are the configured and the active one.
    """
    name = case.subject.id
    if cache.write_policy is not None:
        case.cite(name, "cache.write_policy", f"configured: {_WORDS[cache.write_policy]}")
    if cache.write_active is not None:
        case.cite(name, "cache.write_active", f"active: {_WORDS[cache.write_active]}")
    for block in blocks_of(case.machine, case.subject)[:1]:
        case.evidence += [one for one in (cache_type(case.machine.kernel, block), queue(block)) if one]


def _protected(case: Case, cache: VolumeCache) -> Answer:
    """Judge write-back that a healthy battery protects, and that ends without one."""
    controller = case.subject.controller
    if cache.write_policy in ("write_through", "off"):
        return case.failed(f"{_WORDS[cache.write_policy].capitalize()} is configured.")
    if cache.write_active in ("write_through", "off"):
        why = (cache.why_not_in_force or "no reason reported").rstrip(".")
        return case.failed(f"{_WORDS[cache.write_active].capitalize()} is active: {why}.")
    if cache.controller_cache == "unprotected":
        return case.failed(UNPROTECTED)
    fault = unprotected(controller) if controller.batteries else None
    if cache.write_active is None or cache.controller_cache == "unknown":
        if fault:
            return case.failed(fault)
        return case.inconclusive("The tool does not report whether write-back is active and protected.")
    if fault:
        return case.suspect(f"The tool reports the cache as protected, but: {fault}")
    if cache.write_policy == "unprotected_write_back":
        return case.suspect("It is protected now, but write-back continues when the battery fails.")
    if cache.write_policy is None:
        return case.inconclusive("It is protected now; whether write-back ends when the battery fails is unknown.")
    behind = drive_caches(case)
    if behind.state == "enabled":
        return case.suspect(
            "The controller's cache is protected, but the write caches of the drives are on: a power failure loses "
            "what they hold, unless the controller flushes them.",
            next_test=disable_or_measure(case),
        )
    if behind.state != "disabled":
        case.notes.append("The state of the drives' write caches is unknown (--drive-cache disabled).")
    return case.passed_unless_virtual("Write-back is active, and unwritten data survives a power failure.")


def _unprotected(case: Case, cache: VolumeCache) -> Answer:
    if cache.write_policy is None:
        return case.inconclusive("The configured policy is not reported.")
    if cache.write_policy != "unprotected_write_back":
        return case.failed(f"{_WORDS[cache.write_policy].capitalize()} is configured.")
    if cache.write_active is None:
        return case.inconclusive("The active policy is not reported.")
    if cache.write_active != "write_back":
        return case.failed(f"It is configured, but {_WORDS[cache.write_active]} is active.")
    return case.passed("Write-back is active whatever the state of the battery.")


def _not_cached(case: Case, cache: VolumeCache, wanted: str) -> Answer:
    """Judge write-through or off: the controller holds no unwritten data."""
    active, policy = cache.write_active, cache.write_policy
    if active == "write_back":
        return case.failed("Write-back is active.")
    mine = wanted.replace("-", "_")
    if policy is None:
        return case.inconclusive("The configured policy is not reported.")
    if policy in ("protected_write_back", "unprotected_write_back"):
        if active is None:
            return case.failed(f"{_WORDS[policy].capitalize()} is configured.")
        why = (cache.why_not_in_force or "no reason reported").rstrip(".")
        return case.suspect(
            f"{_WORDS[active].capitalize()} is active, but only because write-back is suspended: {why}."
        )
    if mine not in (policy, active):
        return case.failed(f"{_WORDS[policy].capitalize()} is configured.")
    if case.subject.controller.cache is not None and case.subject.controller.cache.unwritten_data:
        case.notes.append("The controller reports unwritten data.")
    return case.passed_unless_virtual(
        f"{_WORDS[active or policy].capitalize()} is {'active' if active else 'configured'}."
    )


def _without_controller(case: Case, wanted: str) -> Answer:
    """Judge software arrays and single drives, where only the drives have caches."""
    behind = drive_caches(case)
    what = "Software RAID" if case.subject.software else "A plain drive"
    if case.machine.view.virtual:
        return case.passed_unless_virtual("The drives are virtual.")
    if wanted == "protected":
        return case.failed(f"{what} has no cache with a battery.")
    if wanted == "unprotected":
        return _by_drives(case, behind, "enabled")
    return _by_drives(case, behind, "disabled")


def _by_drives(case: Case, behind: DriveCaches, wanted: str) -> Answer:
    if behind.state in (None, "contradiction"):
        return case.inconclusive(behind.why, next_test=behind.next_test)
    word = {"enabled": "on", "disabled": "off"}
    if behind.state == wanted:
        return case.passed_unless_virtual(
            f"There is no controller cache, and the write caches of the drives are {word[wanted]}."
        )
    return case.failed(
        f"There is no controller cache, and the write caches of the drives are {word[behind.state or '']}."
    )


def cache_size(case: Case) -> Answer:
    """Whether the controller has at least the claimed cache size."""
    controller, cache = case.subject.controller, case.subject.controller.cache
    if case.subject.software:
        return case.failed("Software RAID has no cache memory.")
    if cache is None:
        if controller.mode in ("none", "hba"):
            return case.failed(f"{controller.id} works without RAID and has no cache.")
        return case.inconclusive(f"{controller.id} does not report a cache.")
    if cache.present is False:
        case.cite(controller.id, "cache.present", "no cache module")
        return case.failed(f"{controller.id} has no cache.")
    if cache.size_bytes is None:
        return case.inconclusive(f"{controller.id} does not report the size of its cache.")
    size = format_binary(cache.size_bytes)
    case.cite(controller.id, "cache.size_bytes", f"cache {size}")
    if cache.available_bytes is not None:
        case.cite(controller.id, "cache.available_bytes", f"for data {format_binary(cache.available_bytes)}")
    if cache.size_bytes < case.claim.number * (1 - SAME):
        spare = cache.available_bytes
        if spare is not None and abs(cache.size_bytes + spare - case.claim.number) <= SAME * case.claim.number:
            return case.suspect(
                f"{controller.id} reports {size} in total; only with the available part added is it the claimed size."
            )
        return case.failed(f"{controller.id} has {size}, less than {case.claim.wanted}.")
    return _fault(case, f"{controller.id} has {size}") or case.passed(f"{controller.id} has {size}.")


def cache_split(case: Case) -> Answer:
    """Whether the cache is split between reads and writes as claimed."""
    controller, cache = case.subject.controller, case.subject.controller.cache
    if case.subject.software or controller.mode in ("none", "hba"):
        return case.failed(f"{controller.id} has no cache to split.")
    if cache is None or cache.read_percent is None or cache.write_percent is None:
        why = controller.capabilities["cache_split"].why if "cache_split" in controller.capabilities else None
        return case.inconclusive(
            f"{controller.id} does not report its cache split.", *([why] if why else []), next_test=KNEE
        )
    split = f"{cache.read_percent}/{cache.write_percent}"
    case.cite(controller.id, "cache.read_percent", f"split {split} between reads and writes")
    if cache.read_bytes is not None and cache.write_bytes is not None:
        shares = f"{format_binary(cache.read_bytes)} for reads, {format_binary(cache.write_bytes)} for writes"
        case.cite(controller.id, "cache.write_percent", shares)
    if cache.read_percent != case.claim.number:
        return case.failed(f"The cache of {controller.id} is split {split}, not {case.claim.wanted}.")
    return _fault(case, f"It is split {split}") or case.passed(
        f"The cache of {controller.id} is split {split} between reads and writes."
    )


def drive_cache(case: Case) -> Answer:
    """Whether the write caches of the drives are off or on. The controller's policy and the drives decide."""
    wanted = case.claim.words[0]
    found = drive_caches(case)
    if case.machine.view.virtual:
        return case.of_host(found.why)
    if found.state == "contradiction":
        return case.suspect(found.why, next_test=found.next_test)
    if found.state is None:
        return case.inconclusive(found.why, next_test=found.next_test)
    if found.state != wanted:
        return case.failed(found.why)
    return case.passed(found.why)


def read_policy(case: Case) -> Answer:
    """Whether the read policy of the controller is the claimed one."""
    volume, wanted = case.subject.volume, case.claim.words[0]
    policy = volume.cache.read_policy if volume and volume.cache else None
    if policy is None:
        return case.inconclusive("The read policy of this volume is not reported.")
    case.cite(case.subject.id, "cache.read_policy", f"read policy {policy.replace('_', '-')}")
    if policy.replace("_", "-") == wanted:
        return case.passed(f"The read policy is {wanted}.")
    return case.failed(f"The read policy is {policy.replace('_', '-')}, not {wanted}.")
