"""The evidence table: which cache acknowledges early, and the verdict. Pure.

===========================================  =========  ============  =============  ==============  ==================
case                                         E2         E3            E4 (WB to WT)  E4' (drive off)  verdict
===========================================  =========  ============  =============  ==============  ==================
no cache                                     slow       kept          -              -               pass
volatile cache that honours the flush        slow       emptied       -              slow            pass
drive that ignores the flush                 fast       kept          -              **slow**        fail
flush never sent                             fast       kept          -              slow            fail (raw: slow)
drive with a cache that survives             fast       -             -              **fast**        inconclusive
battery-backed controller, drives off        fast       kept          **slow**       -               pass
the same, drives' caches on                  fast       kept          **fast**       slow            fail
write-back without a battery                 fast       kept          slow           -               fail
write-back promised, write-through active    slow       kept          -              -               fail
array that destages on a flush               slow       emptied       -              -               pass
virtual disk                                 any        any           -              -               inconclusive
===========================================  =========  ============  =============  ==============  ==================

A drive whose cache survives a power failure (a media cache) commits equally fast with its volatile cache off; so does
one that falsely reports it off. Only the vendor's documents distinguish them, so only a power cut decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.verdict.decision import (
    BATTERY,
    COMMITS,
    CONTROLLER,
    DRIVE_OFF,
    DRIVES,
    FLIP,
    LATER,
    MEDIUM,
    POWER_CUT,
    RAW,
    REPEAT,
    SLOPE,
)
from raidctl.bench.verdict.evidence import CACHED, Evidence, Interval, emptied, pace

WRITE_BACK_NOT_OBSERVED = "write-back reported, not observed"
"""The case of write-back that the measurement refutes. The controller reports it as active."""
SLOWING = frozenset({"rebuild", "check", "learn_cycle", "patrol_read", "load", "drift", "engine_limited", "network"})
"""Confounders that slow commits down; an early-acknowledging device may then look honest."""


@dataclass(frozen=True)
class Finding:
    """A row of the table, with its verdict."""

    case: str
    verdict: Verdict
    reasons: tuple[str, ...]
    ruled_out: tuple[str, ...] = ()
    next_test: str | None = None


def weigh(evidence: Evidence) -> Finding:
    """Return the verdict on the promise. Never a pass without evidence that acknowledged data survives."""
    barred = [one.text for one in evidence.confounders if one.forbids]
    if barred:
        return _unclear("barred", *barred, test=POWER_CUT)
    if evidence.medium is None:
        return _unclear("medium unknown", "It is unknown whether the medium rotates.", test=MEDIUM)
    if evidence.commits is None:
        return _unclear("not measured", "Commits per second were not measured.", test=COMMITS)
    if evidence.medium == "solid_state":
        return _solid_state(evidence)
    limit = evidence.limit
    if limit is None:
        return _unclear("rpm unknown", "It rotates, but its rpm is unknown.", test=MEDIUM)
    speed = pace(evidence.commits, limit)
    seen = f"{_rate(evidence.commits)} commits per second, at {limit:.0f} revolutions per second"
    if speed == "between":
        return _unclear("between", f"{seen}: too many for an uncached drive, too few for a cache.", test=REPEAT)
    found = _slow(evidence, seen) if speed == "slow" else _fast(evidence, seen)
    # every pass needs a rate that was slow, or not very fast
    return _doubted(evidence, found) if speed == "slow" or found.verdict == "pass" else found


def _solid_state(e: Evidence) -> Finding:
    """Without rotation the rate shows nothing. Only the inventory can refute the promise."""
    if e.controller and e.policy == "write_back" and e.battery is False:
        return _without_battery(e, "The medium is solid state")
    if e.flush_sent is False and e.drive_cache == "enabled" and not e.controller:
        return _not_sent("The drives' caches are on, and no flush is sent to them")
    return _unclear(
        "solid state", "Solid state commits at any rate, with and without a safe cache: the rate proves nothing.",
        test=POWER_CUT,
    )  # fmt: skip


def _slow(e: Evidence, seen: str) -> Finding:
    """No faster than the medium: each commit waits for it."""
    flushed = emptied(e)
    # fast without a flush and slow with it: there is a cache, and the flush empties it
    destages = pace(e.commits_unflushed, e.limit) == "fast" and flushed is True
    if destages and e.controller and e.policy == "write_back":
        if e.promise == "protected_write_back" and not e.battery:
            return _unflushed(e, seen)
        return Finding(
            "destages on flush", "pass",
            (f"{seen}, and far more without a flush: the array empties its cache on a flush.",
             "No data acknowledged by a flush is left in a cache, at the cost of speed."),
            (_NOT_EARLY,),
        )  # fmt: skip
    if e.promise == "protected_write_back":
        return _no_write_back(e, seen)
    if flushed is True:
        return Finding(
            "honest volatile cache", "pass",
            (f"{seen}, and a flush takes longer when more was written: it empties the cache.",), (_NOT_EARLY,),
        )  # fmt: skip
    if e.drive_cache == "disabled" and (e.controller is False or e.policy == "write_through"):
        return Finding(
            "no cache", "pass", (f"{seen}: each commit waited for the medium, and no cache is on.",), (_NOT_EARLY,)
        )
    if e.drive_cache == "enabled" and flushed is False:
        return Finding(
            "cache not emptied", "suspect",
            (f"{seen}, but a flush takes no longer when more was written, although the drives' caches are on.",),
            next_test=POWER_CUT,
        )  # fmt: skip
    if flushed is None:
        why = f"{seen}; whether a flush empties a cache is unknown."
        return _unclear("slope unknown", why, test=SLOPE)
    why = f"{seen}, and no cache is visible, but whether one is on is not reported."
    return _unclear("cache unknown", why, test=DRIVES if e.controller is False or e.policy else CONTROLLER)


def _unflushed(e: Evidence, seen: str) -> Finding:
    """Judge unflushed data in a cache without a known good battery."""
    seen = f"{seen}; data that is not flushed yet is only in the cache"
    if e.battery is None:
        return _unclear("battery unknown", f"{seen}, and the state of the battery is unknown.", test=BATTERY)
    return _without_battery(e, seen)


def _no_write_back(e: Evidence, seen: str) -> Finding:
    """Write-back was promised, but commits wait for the medium."""
    if e.policy == "write_through" or e.controller is False:
        why = "its controller reports write-through" if e.controller else "there is no controller with a cache"
        return Finding(
            "write-back promised, not active", "fail",
            (f"{seen}: no cache takes them, and {why}.",), (_NOT_EARLY,),
        )  # fmt: skip
    if e.policy == "write_back":
        return Finding(
            WRITE_BACK_NOT_OBSERVED, "suspect",
            (f"{seen}: the controller reports write-back as active, but the measurement shows none.",),
            next_test=SLOPE,
        )  # fmt: skip
    return _unclear("policy unknown", f"{seen}, and the active policy is unknown.", test=CONTROLLER)


def _fast(e: Evidence, seen: str) -> Finding:
    """Find what acknowledges commits faster than the medium."""
    seen = f"{seen}: something acknowledges before the medium has it"
    if pace(e.commits_raw, e.limit) == "slow":
        return _not_sent(f"{seen}; on the raw device it is {_rate(e.commits_raw)}")
    if e.flush_sent is False and e.drive_cache == "enabled" and e.controller is False:
        return _not_sent(f"{seen}, the drives' caches are on, and no flush is sent to them")
    if e.controller is None:
        return _unclear("controller unknown", f"{seen}, and the controller of the drives is unknown.", test=CONTROLLER)
    if not e.controller:
        return _drives_only(e, seen)
    if e.policy is None:
        return _unclear("policy unknown", f"{seen}, and the controller's policy is unknown.", test=CONTROLLER)
    return _write_back(e, seen) if e.policy == "write_back" else _below(e, seen, "The controller reports write-through")


def _write_back(e: Evidence, seen: str) -> Finding:
    """Judge a controller in write-back: whether its cache acknowledges, and is protected."""
    if e.battery is False:
        return _without_battery(e, seen)
    if e.battery is None:
        return _unclear("battery unknown", f"{seen}; the state of the battery is unknown.", test=BATTERY)
    through = pace(e.commits_write_through, e.limit)
    if through is None:
        return _unclear(
            "not switched",
            f"{seen}. The controller with its battery explains it, and so would a drive that ignores the flush.",
            test=FLIP,
        )
    if through == "between":
        return _unclear("between", f"{seen}; in write-through it is neither slow nor fast.", test=REPEAT)
    if through == "fast":
        return _below(e, seen, f"In write-through it stays at {_rate(e.commits_write_through)}")
    if e.drive_cache == "disabled" and emptied(e) is not True:
        return _kept(e, seen)
    if e.drive_cache == "disabled":
        why = f"{seen}, yet a flush takes longer when more was written."
        return _unclear("contradiction", why, test=REPEAT)
    if e.drive_cache is None:
        why = f"{seen}, which ends in write-through; whether the drives' caches are on is unknown."
        return _unclear("drives unknown", why, test=DRIVES)
    return Finding(
        "drives' caches on behind a battery", "suspect",
        (f"{seen}, which ends in write-through; but the drives' caches are on, which no battery protects.",),
        next_test=POWER_CUT,
    )  # fmt: skip


def _kept(e: Evidence, seen: str) -> Finding:
    notes = []
    if e.commits is not None and e.commits.high < CACHED:
        notes.append(f"It is slow for such a cache: {CACHED:.0f} commits per second and more are usual.")
    if e.knee is not None and e.cache_mib is not None:
        notes.append(f"Writes become slow after {e.knee.low:.0f} to {e.knee.high:.0f} MiB of {e.cache_mib:.0f} MiB.")
    return Finding(
        "battery-backed cache", "pass",
        (f"{seen}.", f"It is the controller's cache: in write-through it falls to {_rate(e.commits_write_through)}.",
         "Its battery is healthy.", *notes),
        ("a drive that ignores the flush: it would stay fast in write-through",
         "a volatile cache of the drives: they are off"),
    )  # fmt: skip


def _without_battery(e: Evidence, seen: str) -> Finding:
    fell = pace(e.commits_write_through, e.limit) == "slow"
    more = " In write-through it is slow, so it is the controller's cache." if fell else ""
    return Finding(
        "write-back without a battery", "fail",
        (f"{seen}.", f"The controller is in write-back without a healthy battery: a power failure loses data.{more}"),
        ("a drive that ignores the flush: it would stay fast in write-through",) if fell else (),
    )  # fmt: skip


def _below(e: Evidence, seen: str, first: str) -> Finding:
    """Judge early acknowledgement by something below the controller."""
    off = pace(e.commits_drive_off, e.limit)
    ruled = ("the controller's cache: it is not used in write-through",)
    if off == "slow":
        return Finding(
            "drives acknowledge early behind the controller", "fail",
            (f"{seen}. {first}: it is not the controller's cache.",
             "With the drives' caches off it becomes slow: these acknowledge, and no battery protects them."),
            (*ruled, "a cache that survives: it would stay fast with the drives' caches off"),
        )  # fmt: skip
    if off == "fast":
        return _survivor(e, f"{seen}. {first}, and with the drives' caches off too", ruled)
    if e.drive_cache == "disabled":
        return _survivor(e, f"{seen}. {first}, and the drives' caches are off", ruled)
    return Finding(
        "something below the controller", "suspect", (f"{seen}. {first}: it is not the controller's cache.",), ruled,
        next_test=DRIVE_OFF,
    )  # fmt: skip


def _drives_only(e: Evidence, seen: str) -> Finding:
    """Judge drives without a controller, and the layers above them."""
    off = pace(e.commits_drive_off, e.limit)
    if off == "slow":
        raw = pace(e.commits_raw, e.limit)
        sure = raw == "fast" or e.flush_sent is True
        ruled: tuple[str, ...] = ("a cache that survives: it would stay fast with the cache off",)
        ruled += ("a flush that is never sent: the raw device is as fast",) if raw == "fast" else ()
        who = "the drive ignores the flush" if sure else "the drive ignores the flush, or none is sent to it"
        return Finding(
            "drive ignores the flush", "fail", (f"{seen}. With the drives' caches off it becomes slow: {who}.",), ruled,
            None if sure else RAW,
        )  # fmt: skip
    if off == "between":
        return _unclear("between", f"{seen}; with the drives' caches off it is neither slow nor fast.", test=REPEAT)
    if off == "fast" or e.drive_cache == "disabled":
        return _survivor(e, f"{seen}, with the drives' caches off too", ())
    return _unclear(
        "not switched", f"{seen}: a drive that ignores the flush, or a cache that survives.", test=DRIVE_OFF
    )


def _survivor(e: Evidence, seen: str, ruled: tuple[str, ...]) -> Finding:
    """Judge fast commits with every volatile cache off. They show a protected or an unreported cache."""
    modest = e.commits is not None and e.commits.high < CACHED
    why = (
        "drives with a cache that survives a power failure do that, but these are not known to be such drives"
        if modest
        else "it is too fast for a drive's cache that survives a power failure"
    )
    return Finding("unknown cache", "inconclusive", (f"{seen}; {why}.",), ruled, POWER_CUT)


def _not_sent(seen: str) -> Finding:
    return Finding(
        "flush never sent", "fail",
        (f"{seen}: the flush is dropped above the drive (mount option, kernel setting, device mapper, hypervisor).",),
        ("a drive that ignores the flush: it is not asked for one",),
    )  # fmt: skip


def _doubted(e: Evidence, found: Finding) -> Finding:
    """Withdraw a slow device's verdict while something else slows it down."""
    slowing = [one.text for one in e.confounders if one.name in SLOWING]
    if not slowing or found.verdict == "inconclusive":
        return found
    return _unclear("slowed down", *found.reasons, *slowing, test=LATER)


_NOT_EARLY = "an early acknowledgement: there was at most one commit per revolution"


def _unclear(case: str, *reasons: str, test: str) -> Finding:
    return Finding(case, "inconclusive", reasons, (), test)


def _rate(rate: Interval | None) -> str:
    if rate is None:
        return "?"
    low, high = f"{rate.low:.0f}", f"{rate.high:.0f}"
    return low if low == high else f"{low} to {high}"


_FIGURES: tuple[tuple[str, str, Callable[[Evidence], Interval | None]], ...] = (
    ("commits", "ops/s", lambda e: e.commits),
    ("commits_raw", "ops/s", lambda e: e.commits_raw),
    ("commits_unflushed", "ops/s", lambda e: e.commits_unflushed),
    ("commits_write_through", "ops/s", lambda e: e.commits_write_through),
    ("commits_drive_off", "ops/s", lambda e: e.commits_drive_off),
    ("flush_slope", "ms/MiB", lambda e: e.slope),
    ("knee", "MiB", lambda e: e.knee),
)


def result(evidence: Evidence) -> TrialResult:
    """Return the verdict as the result of a trial. Its figures are the intervals that it rests on."""
    found = weigh(evidence)
    figures = {
        name: Spread(measured=(interval.low + interval.high) / 2, unit=unit, n=0, low=interval.low, high=interval.high)
        for name, unit, get in _FIGURES
        if (interval := get(evidence)) is not None
    }
    limit = evidence.limit
    return TrialResult(
        trial="early_acknowledgement",
        figures=figures,
        model="An uncached drive commits at most once per revolution." if limit else None,
        expected=f"at most {limit:.0f} commits per second without a cache" if limit else None,
        verdict=found.verdict,
        reasons=found.reasons,
        ruled_out=found.ruled_out,
        next_test=found.next_test,
        confounders=evidence.confounders,
    )
