"""Combine the answers from inventory and kernel with measurements. Pure.

A measurement may refute reported values. Without reported values it confirms only what figures alone can show: that a
flush empties a cache, that a drive is a hard drive, and its rpm; never a battery, a RAID level, or which cache
responded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from raidctl.bench.estimators import rotation
from raidctl.bench.estimators.geometry import PENALTY
from raidctl.bench.estimators.knee import SHARE_LOW, judge
from raidctl.bench.verdict.decision import LATER, REPEAT
from raidctl.bench.verdict.early_acknowledgement import WRITE_BACK_NOT_OBSERVED
from raidctl.units import format_percent
from raidctl.verify.measurements import Measurements
from raidctl.verify.report import Answer, ClaimName, Evidence, Verdict, Verification, overall
from raidctl.verify.safety import may_damage_stripes
from raidctl.verify.subjects import Subject
from raidctl.verify.wanted import Claim

_MIB = 1 << 20
_SPANS = 20
"""Multiple of the controller's cache that random reads must span. Only then do they show the medium."""
_EARLY = (
    ("medium", "rpm"), ("commits", "commits"), ("commits", "commits_raw"), ("commits", "unflushed"),
    ("flush_slope", "flush_slope"),
    ("policy_switch", "commits_before"), ("policy_switch", "commits_write_through"),
    ("policy_switch", "commits_drive_off"),
)  # fmt: skip
_HIDDEN = frozenset({"unknown cache", "contradiction"})
"""Findings that do not decide, but contradict "every volatile cache is off"."""
_TOO_FAST = "Random reads are too fast for a hard drive: solid state, or a cache that holds the data."
_SERVER = "Run raidctl on the machine that serves it."
_LOOK = "Look for its errors in the kernel log and in the counters of the drives: `raidctl events`, `raidctl diagnose`."
_OUTSIDE = "Run raidctl on the machine itself, outside of any container, with a directory on one of its drives."


@dataclass(frozen=True)
class Measured:
    """The result of a measurement for a claim."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    next_test: str | None = None
    lifts: bool = False
    """Whether a pass is enough if nothing is reported."""
    evidence: tuple[Evidence, ...] = field(default=())


def joined(
    report: Verification, claims: Sequence[Claim], measurements: Measurements, run: int | None = None
) -> Verification:
    """All answers, combined with the measurements."""
    wanted = {claim.name: claim for claim in claims}
    answers = tuple(_answer(answer, wanted[answer.claim], measurements) for answer in report.answers)
    return msgspec.structs.replace(
        report, answers=answers, verdict=overall(answers), session=measurements.session, run=run
    )


def _answer(answer: Answer, claim: Claim, measurements: Measurements) -> Answer:
    if measurements.subject is not None and answer.object != measurements.subject.id:
        return answer
    if claim.name == "volume_status" and measurements.failures:
        return combined(answer, Measured("suspect", measurements.failures, next_test=_LOOK), measurements.subject)
    judge = _MEASURABLE.get(claim.name)
    if judge is None:
        return answer
    measured = judge(answer, claim, measurements)
    return (
        answer
        if measured is None
        else combined(answer, _without_conclusion(measured, measurements, answer) or measured, measurements.subject)
    )


def _without_conclusion(measured: Measured, measurements: Measurements, answer: Answer) -> Measured | None:
    """The result if the figures allow no conclusion. The cause is a virtual machine, memory, or the page cache."""
    if not measurements.barred:
        return None
    # do not repeat what the settings already show
    virtual = any("virtual machine" in reason for reason in answer.reasons)
    why = tuple(text for name, text in measurements.barred.items() if not (virtual and name == "virtual_machine"))
    return Measured("inconclusive", why, next_test=measurements.finding().next_test, evidence=measured.evidence)


def combined(answer: Answer, measured: Measured, subject: Subject | None) -> Answer:
    """The worse of reported and measured. A measurement alone passes only what it can show."""
    lifts = measured.lifts and not (
        answer.claim == "power_safe" and subject is not None and may_damage_stripes(subject)
    )
    reported = answer.verdict
    verdict, reasons, test = reported, answer.reasons, answer.next_test
    if measured.verdict in ("fail", "suspect") and reported != "fail":
        verdict = measured.verdict
        kept = (f"By its settings alone the verdict would be {reported}.",) if reported == "pass" else answer.reasons
        reasons, test = (*measured.reasons, *kept), measured.next_test
    elif measured.verdict == "pass" and reported == "inconclusive" and lifts:
        verdict, reasons, test = "pass", (*measured.reasons, *answer.reasons), None
    elif reported == "inconclusive":
        # a missing tool or permission comes first, because the user can fix it
        reasons, test = (
            (*answer.reasons, *measured.reasons),
            (answer.next_test if answer.access else None) or (measured.next_test or answer.next_test),
        )
    elif measured.verdict == "pass" or (reported == "pass" and measured.verdict == "inconclusive"):
        reasons = (*answer.reasons, *_unused_measurement(measured, reported))
        test = measured.next_test if reported == "pass" and measured.verdict == "inconclusive" else answer.next_test
    return msgspec.structs.replace(
        answer,
        verdict=verdict,
        reasons=tuple(dict.fromkeys(reasons)),
        ruled_out=tuple(dict.fromkeys((*answer.ruled_out, *measured.ruled_out))),
        next_test=test,
        access=answer.access and verdict == "inconclusive",
        evidence=tuple(dict.fromkeys((*answer.evidence, *measured.evidence))),
    )


def _unused_measurement(measured: Measured, reported: Verdict) -> tuple[str, ...]:
    """The reasons of a measurement that does not change the verdict."""
    if measured.verdict == "pass":
        return (
            measured.reasons
            if reported == "pass"
            else (f"The measurement alone would be a pass: {' '.join(measured.reasons)}",)
        )
    return (f"The measurement is inconclusive: {' '.join(measured.reasons)}",) if measured.reasons else ()


# --- claims


def _power_safe(answer: Answer, _claim: Claim, measurements: Measurements) -> Measured:
    found, lines = measurements.finding(), tuple(measurements.lines(_EARLY))
    verdict: Verdict = "inconclusive" if found.verdict == "info" else found.verdict
    if answer.verdict == "pass" and found.case in _HIDDEN:
        verdict = "suspect"
    reasons = (*found.reasons, *_of_some_drives(measurements)) if verdict == "pass" else found.reasons
    return Measured(
        verdict, reasons, found.ruled_out, found.next_test, lifts=_covers_the_claim(measurements), evidence=lines
    )


def _write_cache(answer: Answer, claim: Claim, measurements: Measurements) -> Measured:
    lines = tuple(measurements.lines((*_EARLY, ("knee", "write_cache"))))
    if claim.words[0] == "protected":
        found = measurements.finding("protected_write_back")
        verdict: Verdict = "inconclusive" if found.verdict == "info" else found.verdict
        return Measured(verdict, found.reasons, found.ruled_out, found.next_test, evidence=lines)
    if claim.words[0] == "unprotected":
        return _cached(measurements, lines)
    return _uncached(answer, measurements, lines)


def _cached(measurements: Measurements, lines: tuple[Evidence, ...]) -> Measured:
    """Whether a write-back cache is measurable, with or without a battery."""
    if measurements.pace == "fast":
        return Measured(
            "pass",
            ("Commits are faster than the rotation of the drives allows: a cache accepts them.",),
            evidence=lines,
        )
    if measurements.pace == "slow" and measurements.facts.policy == "write_back":
        found = measurements.finding("protected_write_back")
        return Measured("suspect", found.reasons, next_test=found.next_test, evidence=lines)
    found = measurements.finding()
    return Measured("inconclusive", found.reasons, next_test=found.next_test, evidence=lines)


def _uncached(answer: Answer, measurements: Measurements, lines: tuple[Evidence, ...]) -> Measured:
    """Whether commits wait for the medium, so that nothing caches them."""
    if measurements.pace == "slow":
        return Measured("pass", ("Commits wait for the medium: no cache accepts them.",), evidence=lines)
    found = measurements.finding()
    early = measurements.pace == "fast" and answer.verdict == "pass"
    verdict: Verdict = "fail" if early and found.verdict == "fail" else "suspect" if early else "inconclusive"
    return Measured(verdict, found.reasons, found.ruled_out, found.next_test, evidence=lines)


def _policy_active(_answer: Answer, _claim: Claim, measurements: Measurements) -> Measured | None:
    """Write-back that is reported active, but not measurable."""
    if measurements.facts.policy != "write_back" or not measurements.facts.controller:
        return None
    found = measurements.finding("protected_write_back")
    lines = tuple(measurements.lines(_EARLY))
    if found.case == WRITE_BACK_NOT_OBSERVED:
        return Measured("suspect", found.reasons, next_test=found.next_test, evidence=lines)
    seen = measurements.pace == "fast"
    return (
        Measured("pass", ("Commits are faster than the rotation of the drives allows.",), evidence=lines)
        if seen
        else None
    )


def _cache_size(_answer: Answer, claim: Claim, measurements: Measurements) -> Measured:
    lines = tuple(measurements.lines((("knee", "write_cache"), ("knee", "destage"))))
    if measurements.facts.policy == "write_through":
        return Measured(
            "inconclusive", ("In write-through the cache holds no writes, so its size cannot be measured.",)
        )
    found = measurements.figure("knee", "write_cache")
    if found is None or found.low is None or found.high is None:
        result = measurements.results.get("knee")
        why = (
            result.reasons
            if result is not None
            else ("The amount of data after which writes become slow was not measured.",)
        )
        return Measured("inconclusive", why, next_test=measurements.writing(), evidence=lines)
    share = 1.0 if measurements.write_percent is None else measurements.write_percent / 100
    promised = claim.number * share / _MIB
    whose = f"{promised:.0f} MiB" + (
        f" ({format_percent(measurements.write_percent)} for writes)" if measurements.write_percent else ""
    )
    text = f"Writes become slow after {found.low:.0f} to {found.high:.0f} MiB; claimed: {whose}."
    verdict = judge(found, promised)
    if found.low >= SHARE_LOW * promised:
        verdict = "pass"  # the claim is a minimum
    if verdict == "pass":
        return _large_enough(text, measurements, lines)
    if measurements.slowed:
        return Measured("inconclusive", (text, *measurements.slowed), evidence=lines)
    split = () if measurements.write_percent is not None else ("Its split between reads and writes is not reported.",)
    if verdict == "inconclusive":
        return Measured("inconclusive", (text, *split), next_test=REPEAT, evidence=lines)
    weaker: Verdict = "fail" if verdict == "fail" else "suspect"
    return Measured(
        weaker, (text, *split), ("writes that bypass the cache: they were small and random",), evidence=lines
    )


def _large_enough(text: str, measurements: Measurements, lines: tuple[Evidence, ...]) -> Measured:
    """The result for a large enough cache, which may be the drives'."""
    if measurements.facts.drive_cache == "disabled" and measurements.facts.controller:
        ruled = ("the write caches of the drives: they are off",)
        return Measured("pass", (text,), ruled, lifts=True, evidence=lines)
    note = "The measurement does not show whether that is the cache of the controller or of the drives."
    return Measured("pass", (text, note), evidence=lines)


def _drive_rpm(_answer: Answer, claim: Claim, measurements: Measurements) -> Measured:
    lines = tuple(measurements.lines((("medium", "rpm"), ("medium", "read_latency"))))
    found = measurements.figure("medium", "rpm")
    if found is None or found.low is None or found.high is None:
        if _too_fast_to_rotate(measurements):
            return Measured("suspect", (_TOO_FAST,), evidence=lines)
        if _why_medium_unknown(measurements):
            return Measured("inconclusive", _why_medium_unknown(measurements), evidence=lines)
        why = "The commit rate does not follow the rotation of a drive, so the rpm cannot be measured."
        return Measured("inconclusive", (why,), evidence=lines)
    near, far = claim.number * (1 - rotation.NOMINAL_WITHIN), claim.number * (1 + rotation.NOMINAL_WITHIN)
    text = f"The commit rate corresponds to {found.low:.0f} to {found.high:.0f} rpm."
    if found.low > far or found.high < near:
        return Measured("fail", (text,), evidence=lines)
    if _too_fast_to_rotate(measurements):  # solid state may flush at such a pace, too
        return Measured("inconclusive", (text, _TOO_FAST), evidence=lines)
    return Measured(
        "pass", (text, *_of_some_drives(measurements)), lifts=_covers_the_claim(measurements), evidence=lines
    )


def _media(_answer: Answer, claim: Claim, measurements: Measurements) -> Measured:
    lines = tuple(measurements.lines((("medium", "read_latency"), ("medium", "rpm"))))
    kind = measurements.results["medium"].series.get("medium") if "medium" in measurements.results else None
    if kind == "rotating":
        text = "Random reads take as long, and vary as much, as those of a hard drive."
        if claim.words[0] == "hdd" and measurements.slowed and measurements.figure("medium", "rpm") is None:
            return Measured("inconclusive", (text, *measurements.slowed), next_test=LATER, evidence=lines)
        if claim.words[0] == "hdd":
            return Measured(
                "pass", (text, *_of_some_drives(measurements)), lifts=_covers_the_claim(measurements), evidence=lines
            )
        return Measured("suspect" if measurements.slowed else "fail", (text, *measurements.slowed), evidence=lines)
    if kind == "solid_state" and claim.words[0] == "hdd" and _too_fast_to_rotate(measurements):
        return Measured("suspect", (_TOO_FAST,), evidence=lines)
    if kind == "solid_state":
        why = "Random reads are fast: solid state, or a cache that holds the data."
        return Measured("pass" if claim.words[0] == "ssd" else "inconclusive", (why,), evidence=lines)
    return Measured(
        "inconclusive", _why_medium_unknown(measurements) or measurements.results["medium"].reasons, evidence=lines
    )


def _why_medium_unknown(measurements: Measurements) -> tuple[str, ...]:
    """Why random reads show nothing about the medium; empty if they do."""
    medium = measurements.results.get("medium")
    if medium is None:
        return ("Random reads were not measured.",)
    return () if medium.figures else medium.reasons


def _too_fast_to_rotate(measurements: Measurements) -> bool:
    """Whether reads were too fast for a hard drive. The data read must exceed what a controller's cache holds."""
    medium = measurements.results.get("medium")
    controller = measurements.subject.controller if measurements.subject is not None else None
    cache = controller.cache.size_bytes if controller is not None and controller.cache is not None else None
    wide = cache is None or measurements.session.size >= _SPANS * cache
    return medium is not None and medium.series.get("medium") == "solid_state" and wide


def _covers_the_claim(measurements: Measurements) -> bool:
    """Whether the measurement covers the whole claim. It does for a single drive, or a server."""
    subject = measurements.subject
    return measurements.served or (subject is not None and len(subject.drives) == 1 and not subject.unlinked)


def _of_some_drives(measurements: Measurements) -> tuple[str, ...]:
    drives = 0 if measurements.subject is None else len(measurements.subject.drives)
    return (f"This shows some of its {drives} drives, not each one.",) if drives > 1 else ()


def _raid_level(_answer: Answer, claim: Claim, measurements: Measurements) -> Measured | None:
    """RAID level by the cost of small writes. Often it is a set of levels, not one."""
    result = measurements.results.get("raid_level")
    if result is None:
        return None
    lines = tuple(measurements.lines(("raid_level", name) for name in ("reads", "sustained_writes", "write_cost")))
    levels = tuple(str(one) for one in result.series.get("levels") or ())
    if not levels or measurements.slowed or not set(claim.words) <= set(PENALTY):
        why = (*result.reasons, *measurements.slowed)
        return Measured("inconclusive", why, next_test=result.next_test, evidence=lines)
    if not set(levels) & set(claim.words):
        verdict: Verdict = "fail" if result.verdict == "fail" else "suspect"
        return Measured(verdict, result.reasons, result.ruled_out, result.next_test, evidence=lines)
    if set(levels) <= set(claim.words):
        return Measured("pass", result.reasons, result.ruled_out, lifts=measurements.served, evidence=lines)
    return Measured("inconclusive", result.reasons, next_test=result.next_test, evidence=lines)


_MEASURABLE: Mapping[ClaimName, Callable[[Answer, Claim, Measurements], Measured | None]] = {
    "power_safe": _power_safe,
    "write_cache": _write_cache,
    "policy_active": _policy_active,
    "cache_size": _cache_size,
    "drive_rpm": _drive_rpm,
    "media": _media,
    "raid_level": _raid_level,
}
"""The claims that can be measured."""


def unknown_target(claims: Sequence[Claim], named: str, why: str, *, served: bool) -> list[Answer]:
    """Inconclusive results for a target that no inventory describes. Only measurements can pass them."""
    where = _SERVER if served else _OUTSIDE
    return [
        Answer(
            claim=claim.name, wanted=claim.wanted, object=named, verdict="inconclusive", reasons=(why,),
            next_test=where,
        )
        for claim in claims
    ]  # fmt: skip
