"""The answers of inventory and kernel, and what the clock says to each. Pure.

The clock may refute what is told; where nothing is told, it confirms only what figures alone can show (BENCH 2): that
a flush empties a cache, that it turns, and how fast. A battery, a level, whose cache it is: these it never confirms
by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from raidctl.bench.estimators import rotation
from raidctl.bench.estimators.geometry import PENALTY
from raidctl.bench.estimators.knee import judge
from raidctl.verify.clock import Clock
from raidctl.verify.report import Answer, ClaimName, Evidence, Verdict, Verification, overall
from raidctl.verify.wanted import Claim

_MIB = 1 << 20
_SPANS = 20
"""Times a controller's cache that random reads must span before they tell of the medium."""
_EARLY = (
    ("medium", "rpm"), ("commits", "commits"), ("commits", "commits_raw"), ("commits", "unflushed"),
    ("flush_slope", "flush_slope"),
    ("policy_switch", "commits_before"), ("policy_switch", "commits_write_through"),
    ("policy_switch", "commits_drive_off"),
)  # fmt: skip
_HIDDEN = frozenset({"unknown cache", "contradiction"})
"""Findings that do not decide, and yet do not go with "every volatile cache is off"."""


_SERVER = "Ask the machine that serves it: raidctl there sees its controllers and drives."
_OUTSIDE = "Ask raidctl on the machine itself, outside of any container, for a directory on one of its disks."


@dataclass(frozen=True)
class Word:
    """What the clock says to a claim."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    next_test: str | None = None
    lifts: bool = False
    """Whether a pass holds where nothing is told."""
    evidence: tuple[Evidence, ...] = field(default=())


def joined(report: Verification, claims: Sequence[Claim], clock: Clock, run: int | None = None) -> Verification:
    """All answers with what the clock says to them."""
    wanted = {claim.name: claim for claim in claims}
    answers = tuple(_answer(answer, wanted[answer.claim], clock) for answer in report.answers)
    return msgspec.structs.replace(report, answers=answers, verdict=overall(answers), session=clock.session, run=run)


def _answer(answer: Answer, claim: Claim, clock: Clock) -> Answer:
    asks = _ASKED.get(claim.name)
    if asks is None or (clock.subject is not None and answer.object != clock.subject.id):
        return answer
    word = asks(answer, claim, clock)
    return answer if word is None else combined(answer, _barred(word, clock, answer) or word)


def _barred(word: Word, clock: Clock, answer: Answer) -> Word | None:
    """What forbids any conclusion from the figures: a virtual machine, memory, the page cache."""
    if not clock.barred:
        return None
    # what the settings alone have said already is not said twice
    virtual = any("virtual machine" in reason for reason in answer.reasons)
    why = tuple(text for name, text in clock.barred.items() if not (virtual and name == "virtual_machine"))
    return Word("inconclusive", why, next_test=clock.finding().next_test, evidence=word.evidence)


def combined(answer: Answer, word: Word) -> Answer:
    """What is told, and what the clock says to it: the worse of both; the clock alone passes what it can know."""
    told = answer.verdict
    verdict, reasons, test = told, answer.reasons, answer.next_test
    if word.verdict in ("fail", "suspect") and told != "fail":
        verdict = word.verdict
        kept = (f"Its settings alone would make it {told}.",) if told == "pass" else answer.reasons
        reasons, test = (*word.reasons, *kept), word.next_test
    elif word.verdict == "pass" and told == "inconclusive" and word.lifts:
        verdict, reasons, test = "pass", (*word.reasons, *answer.reasons), None
    elif told == "inconclusive":
        # a tool or a right that is missing comes first, since it is what the reader can mend
        reasons, test = (
            (*answer.reasons, *word.reasons),
            (answer.next_test if answer.access else None) or (word.next_test or answer.next_test),
        )
    elif word.verdict == "pass" or (told == "pass" and word.verdict == "inconclusive"):
        reasons = (*answer.reasons, *_beside(word, told))
        test = word.next_test if told == "pass" and word.verdict == "inconclusive" else answer.next_test
    return msgspec.structs.replace(
        answer,
        verdict=verdict,
        reasons=tuple(dict.fromkeys(reasons)),
        ruled_out=tuple(dict.fromkeys((*answer.ruled_out, *word.ruled_out))),
        next_test=test,
        access=answer.access and verdict == "inconclusive",
        evidence=tuple(dict.fromkeys((*answer.evidence, *word.evidence))),
    )


def _beside(word: Word, told: Verdict) -> tuple[str, ...]:
    """How a measurement that changes nothing is said."""
    if word.verdict == "pass":
        return word.reasons if told == "pass" else (f"The clock alone would pass it: {' '.join(word.reasons)}",)
    return (f"The clock does not decide it: {' '.join(word.reasons)}",) if word.reasons else ()


# --- claim by claim


def _power_safe(answer: Answer, _claim: Claim, clock: Clock) -> Word:
    found, lines = clock.finding(), tuple(clock.lines(_EARLY))
    verdict: Verdict = "inconclusive" if found.verdict == "info" else found.verdict
    if answer.verdict == "pass" and found.case in _HIDDEN:
        verdict = "suspect"
    return Word(verdict, found.reasons, found.ruled_out, found.next_test, lifts=True, evidence=lines)


def _write_cache(answer: Answer, claim: Claim, clock: Clock) -> Word:
    lines = tuple(clock.lines((*_EARLY, ("knee", "write_cache"))))
    if claim.words[0] == "protected":
        found = clock.finding("protected_write_back")
        verdict: Verdict = "inconclusive" if found.verdict == "info" else found.verdict
        return Word(verdict, found.reasons, found.ruled_out, found.next_test, evidence=lines)
    if claim.words[0] == "unprotected":
        return _cached(clock, lines)
    return _uncached(answer, clock, lines)


def _cached(clock: Clock, lines: tuple[Evidence, ...]) -> Word:
    """Whether a write-back cache shows itself, kept by a battery or not."""
    if clock.pace == "fast":
        return Word("pass", ("Commits come faster than the medium turns: a cache takes them.",), evidence=lines)
    if clock.pace == "slow" and clock.facts.policy == "write_back":
        found = clock.finding("protected_write_back")
        return Word("suspect", found.reasons, next_test=found.next_test, evidence=lines)
    found = clock.finding()
    return Word("inconclusive", found.reasons, next_test=found.next_test, evidence=lines)


def _uncached(answer: Answer, clock: Clock, lines: tuple[Evidence, ...]) -> Word:
    """Whether commits wait for the medium, as they do where nothing caches them."""
    if clock.pace == "slow":
        return Word("pass", ("Commits wait for the medium: no cache takes them.",), evidence=lines)
    found = clock.finding()
    early = clock.pace == "fast" and answer.verdict == "pass"
    verdict: Verdict = "fail" if early and found.verdict == "fail" else "suspect" if early else "inconclusive"
    return Word(verdict, found.reasons, found.ruled_out, found.next_test, evidence=lines)


def _policy_active(_answer: Answer, _claim: Claim, clock: Clock) -> Word | None:
    """Write-back that is told to be in force, and of which nothing is to be seen."""
    if clock.facts.policy != "write_back" or not clock.facts.controller:
        return None
    found = clock.finding("protected_write_back")
    lines = tuple(clock.lines(_EARLY))
    if found.case == "write-back told, not seen":
        return Word("suspect", found.reasons, next_test=found.next_test, evidence=lines)
    seen = clock.pace == "fast"
    return Word("pass", ("Commits come faster than the medium turns.",), evidence=lines) if seen else None


def _cache_size(_answer: Answer, claim: Claim, clock: Clock) -> Word:
    lines = tuple(clock.lines((("knee", "write_cache"), ("knee", "destage"))))
    if clock.facts.policy == "write_through":
        return Word("inconclusive", ("In write-through no write waits in the cache: its size does not show.",))
    found = clock.figure("knee", "write_cache")
    if found is None or found.low is None or found.high is None:
        result = clock.results.get("knee")
        why = result.reasons if result is not None else ("After how many bytes writes become slow was not measured.",)
        return Word("inconclusive", why, next_test=clock.writing(), evidence=lines)
    share = 1.0 if clock.write_percent is None else clock.write_percent / 100
    promised = claim.number * share / _MIB
    whose = f"{promised:.0f} MiB" + (f", its {clock.write_percent} % for writes" if clock.write_percent else "")
    said = f"Writes become slow after {found.low:.0f} to {found.high:.0f} MiB; claimed are {whose}."
    verdict = judge(found, promised)
    if found.low > promised:
        verdict = "pass"  # at least so much is claimed
    if verdict == "pass":
        return _its_own(said, clock, lines)
    if clock.slowed:
        return Word("inconclusive", (said, *clock.slowed), evidence=lines)
    split = () if clock.write_percent is not None else ("How it is split between reads and writes is not told.",)
    word: Verdict = "fail" if verdict == "fail" else "suspect"
    return Word(word, (said, *split), ("writes that pass by the cache: they were small and random",), evidence=lines)


def _its_own(said: str, clock: Clock, lines: tuple[Evidence, ...]) -> Word:
    """A cache that is large enough: the controller's, or the drives' own?"""
    if clock.facts.drive_cache == "disabled" and clock.facts.controller:
        ruled = ("the drives' own caches: they are off",)
        return Word("pass", (said,), ruled, lifts=True, evidence=lines)
    note = "Whether that is the controller's cache or the drives' own the clock does not tell."
    return Word("pass", (said, note), evidence=lines)


def _drive_rpm(_answer: Answer, claim: Claim, clock: Clock) -> Word:
    lines = tuple(clock.lines((("medium", "rpm"), ("medium", "read_latency"))))
    found = clock.figure("medium", "rpm")
    if found is None or found.low is None or found.high is None:
        if _still(clock):
            return Word("suspect", ("Random reads are too quick for a disk that turns.",), evidence=lines)
        if _unread(clock):
            return Word("inconclusive", _unread(clock), evidence=lines)
        why = "Commits do not come at the pace of a disk, so how fast it turns does not show."
        return Word("inconclusive", (why,), evidence=lines)
    near, far = claim.number * (1 - rotation.NOMINAL_WITHIN), claim.number * (1 + rotation.NOMINAL_WITHIN)
    said = f"Commits come at the pace of {found.low:.0f} to {found.high:.0f} revolutions a minute."
    if found.low > far or found.high < near:
        return Word("fail", (said,), evidence=lines)
    return Word("pass", (said, *_one_of(clock)), lifts=_alone(clock), evidence=lines)


def _media(_answer: Answer, claim: Claim, clock: Clock) -> Word:
    lines = tuple(clock.lines((("medium", "read_latency"), ("medium", "rpm"))))
    kind = clock.results["medium"].series.get("medium") if "medium" in clock.results else None
    if kind == "rotating":
        said = "Random reads take as long, and differ as much, as those of a disk that turns."
        if claim.words[0] == "hdd":
            return Word("pass", (said, *_one_of(clock)), lifts=_alone(clock), evidence=lines)
        return Word("suspect" if clock.slowed else "fail", (said, *clock.slowed), evidence=lines)
    if kind == "solid_state" and claim.words[0] == "hdd" and _still(clock):
        why = "Random reads are too quick for a disk that turns: solid state, or a cache that holds what is read."
        return Word("suspect", (why,), evidence=lines)
    if kind == "solid_state":
        why = "Random reads are quick: solid state, or a cache that holds what is read."
        return Word("pass" if claim.words[0] == "ssd" else "inconclusive", (why,), evidence=lines)
    return Word("inconclusive", _unread(clock) or clock.results["medium"].reasons, evidence=lines)


def _unread(clock: Clock) -> tuple[str, ...]:
    """Why no reads tell of the medium, where they do not; empty: they were made, and had a figure."""
    medium = clock.results.get("medium")
    if medium is None:
        return ("Random reads were not measured.",)
    return () if medium.figures else medium.reasons


def _still(clock: Clock) -> bool:
    """Whether reads were too quick for a disk, over more than a controller's cache could hold."""
    medium = clock.results.get("medium")
    card = clock.subject.controller if clock.subject is not None else None
    cache = card.cache.size_bytes if card is not None and card.cache is not None else None
    wide = cache is None or clock.session.size >= _SPANS * cache
    return medium is not None and medium.series.get("medium") == "solid_state" and wide


def _alone(clock: Clock) -> bool:
    """Whether what was measured stands for all that is claimed: one drive, or whatever a server has behind it."""
    return clock.served or (clock.subject is not None and len(clock.subject.drives) == 1)


def _one_of(clock: Clock) -> tuple[str, ...]:
    drives = 0 if clock.subject is None else len(clock.subject.drives)
    return (f"That is seen of some of its {drives} drives, not of each.",) if drives > 1 else ()


def _raid_level(_answer: Answer, claim: Claim, clock: Clock) -> Word | None:
    """What small writes cost and the layout tell of the level (BENCH 2.4): often a set of levels, not one."""
    result = clock.results.get("raid_level")
    if result is None:
        return None
    lines = tuple(clock.lines(("raid_level", name) for name in ("reads", "sustained_writes", "write_cost")))
    levels = tuple(str(one) for one in result.series.get("levels") or ())
    if not levels or clock.slowed or not set(claim.words) <= set(PENALTY):
        why = (*result.reasons, *clock.slowed)
        return Word("inconclusive", why, next_test=result.next_test, evidence=lines)
    if not set(levels) & set(claim.words):
        verdict: Verdict = "fail" if result.verdict == "fail" else "suspect"
        return Word(verdict, result.reasons, result.ruled_out, result.next_test, evidence=lines)
    if set(levels) <= set(claim.words):
        return Word("pass", result.reasons, result.ruled_out, lifts=clock.served, evidence=lines)
    return Word("inconclusive", result.reasons, next_test=result.next_test, evidence=lines)


_ASKED: Mapping[ClaimName, Callable[[Answer, Claim, Clock], Word | None]] = {
    "power_safe": _power_safe,
    "write_cache": _write_cache,
    "policy_active": _policy_active,
    "cache_size": _cache_size,
    "drive_rpm": _drive_rpm,
    "media": _media,
    "raid_level": _raid_level,
}
"""The claims that the clock has a word on."""


def untold(claims: Sequence[Claim], named: str, why: str, *, served: bool) -> list[Answer]:
    """The answers where no inventory knows what lies behind a target: only the clock may lift one."""
    where = _SERVER if served else _OUTSIDE
    return [
        Answer(
            claim=claim.name, wanted=claim.wanted, object=named, verdict="inconclusive", reasons=(why,),
            next_test=where,
        )
        for claim in claims
    ]  # fmt: skip
