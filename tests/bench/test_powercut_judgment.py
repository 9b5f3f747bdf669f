"""The verdict on a power cut of a drive model. The drive has a volatile cache.

The model has the content of medium and cache, sector by sector. A cut saves an arbitrary part of the cache and loses
the rest. Honest drives empty the cache at a flush; lying ones do not, and differ in what they write out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.bench.powercut.confidence import bound, needed
from raidctl.bench.powercut.history import Disorder, History
from raidctl.bench.powercut.judgment import Odd, Tally, exposure, judge
from raidctl.bench.powercut.report import Cut, Plan, PowerCutRun, Target

SECTORS = 8


@dataclass
class Drive:
    """A drive with a volatile cache. ``kind``: honest, or what it does instead of a flush."""

    kind: str
    blocks: int
    random: random.Random
    medium: list[list[int]] = field(init=False)
    cache: list[tuple[int, int]] = field(default_factory=list)
    """Block and generation of each write missing on the medium, in order."""

    def __post_init__(self) -> None:
        self.medium = [[int(Odd.ZERO)] * SECTORS for _ in range(self.blocks)]

    def write(self, block: int, generation: int) -> None:
        """Accept a write. Some of the cache may be written out at any time."""
        self.cache.append((block, generation))
        if self.random.random() < 0.3:
            self._out(self.random.randrange(len(self.cache)) if self.kind in ("honest", "reordering") else 0)

    def _out(self, number: int) -> None:
        block, generation = self.cache[number]
        # an older write must not reach the medium later, as it would overwrite newer data
        self.cache = [one for place, one in enumerate(self.cache) if place != number
                      and not (one[0] == block and place < number)]  # fmt: skip
        self.medium[block] = [generation] * SECTORS

    def flush(self) -> None:
        """Empty the cache, or only acknowledge the flush."""
        if self.kind == "honest":
            while self.cache:
                self._out(0)
        if self.kind == "tearing":
            for block, generation in self.cache:
                half = self.random.randrange(SECTORS + 1)
                self.medium[block] = [generation] * half + self.medium[block][half:]
            self.cache = []

    def cut(self) -> list[list[int]]:
        """Lose the cache, except for an arbitrary part. Return the content of each block."""
        if self.kind in ("honest", "reordering"):
            for block, generation in self.cache:
                for sector in range(SECTORS):
                    if self.random.random() < 0.4:
                        self.medium[block][sector] = generation
        self.cache = []
        return [sorted(set(sectors)) for sectors in self.medium]


def session(drive: Drive, groups: Sequence[int], stop: int, *, unheard: bool) -> History:
    """Fill and write as the writer does. The power fails after ``stop`` steps of the last group.

    ``unheard``: the last flush returned, but its report did not reach the witness.
    """
    history = History(drive.blocks, base=1)
    for block in range(drive.blocks):
        drive.write(block, 1)
    drive.flush()
    history.flushed(1, 0.0)
    for number, size in enumerate(groups, 1):
        places = drive.random.sample(range(drive.blocks), min(size, drive.blocks))
        first = history.last + 1
        history.announce(places)
        last = number == len(groups)
        for generation, place in enumerate(places, first):
            if last and generation - first >= stop:
                return history
            drive.write(place, generation)
        drive.flush()
        if last and unheard:
            return history
        history.flushed(history.last, float(number))
    return history


def missing(history: History, found: Sequence[Sequence[int]]) -> bool:
    """Whether any acknowledged write is missing on the drive."""
    owed = [history.base] * history.blocks
    for generation, place in enumerate(history.writes(), history.base + 1):
        if generation <= history.durable:
            owed[place] = generation
    return any(min(values) < floor for values, floor in zip(found, owed, strict=True))


CASES = {
    "blocks": st.integers(2, 24),
    "groups": st.lists(st.integers(1, 9), min_size=1, max_size=12),
    "stop": st.integers(0, 12),
    "unheard": st.booleans(),
    "seed": st.integers(0, 2**32),
}


def cut(kind: str, blocks: int, groups: list[int], *, stop: int, seed: int, unheard: bool) -> tuple[Tally, bool]:
    """Run one session and a cut. Return the judgment, and whether a write is missing."""
    drive = Drive(kind, blocks, random.Random(seed))  # noqa: S311 - a model
    history = session(drive, groups, stop, unheard=unheard)
    found = drive.cut()
    return judge(history, found), missing(history, found)


@given(**CASES)
def test_an_honest_drive_is_never_accused(blocks: int, groups: list[int], stop: int, seed: int, unheard: bool) -> None:
    """Any part of the unflushed writes may survive, in any order."""
    tally, lost = cut("honest", blocks, groups, stop=stop, seed=seed, unheard=unheard)
    assert (tally.verdict, lost) == ("none", False)
    assert tally.ok + tally.ahead + tally.torn_in_flight == blocks


@given(kind=st.sampled_from(["forgetting", "reordering", "tearing"]), **CASES)
def test_a_lying_drive_is_accused_exactly_if_an_acknowledged_write_is_missing(
    *, kind: str, blocks: int, groups: list[int], stop: int, seed: int, unheard: bool
) -> None:
    """The first cut that loses an acknowledged write is a loss."""
    tally, lost = cut(kind, blocks, groups, stop=stop, seed=seed, unheard=unheard)
    assert (tally.verdict != "none") is lost, tally
    assert tally.ok + tally.ahead + tally.torn_in_flight + tally.lost + tally.torn == blocks
    assert (tally.first_lost is not None) is lost


@given(**CASES)
def test_losing_the_newest_writes_is_no_reordering(
    blocks: int, groups: list[int], stop: int, seed: int, unheard: bool
) -> None:
    """A drive that loses only the newest writes has the verdict ``lost``."""
    tally, lost = cut("forgetting", blocks, groups, stop=stop, seed=seed, unheard=unheard)
    assert tally.verdict == ("lost" if lost else "none")
    assert tally.torn == 0


@given(seed=st.integers(0, 2**32))
def test_lying_drives_are_found_within_three_cuts(seed: int) -> None:
    """Lying drives are found within three cuts.

    In a session of usual length, a model loses nothing with a probability below one in a million.
    """
    for kind in ("forgetting", "reordering", "tearing"):
        tries = [cut(kind, 64, [16] * 20, stop=7, seed=seed + number, unheard=False)[0].verdict for number in range(3)]
        assert any(verdict != "none" for verdict in tries), (kind, tries)


def history_of(*groups: list[int], blocks: int = 4) -> History:
    """A session whose last group was not flushed."""
    history = History(blocks, base=5)
    history.flushed(5, 0.0)
    for number, places in enumerate(groups, 1):
        history.announce(places)
        if number < len(groups):
            history.flushed(history.last, float(number))
    return history


ZERO, FOREIGN, AWAY, BROKEN, UNREAD = map(int, Odd)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ([[6], [7], [5], [5]], "none"),  # what was acknowledged
        ([[8], [7], [9], [5]], "none"),  # and what was not, but survived
        ([[6, 8], [7], [5], [5]], "none"),  # a part of it
        ([[BROKEN, 6], [7], [5], [5]], "none"),  # a sector that was being written at that moment
        ([[6], [5], [5], [5]], "lost"),
        ([[6], [ZERO], [5], [5]], "reordered"),  # even the filling, which was flushed before 6 was announced
        ([[ZERO], [ZERO], [ZERO], [ZERO]], "lost"),
        ([[6], [5, 7], [5], [5]], "torn"),
        ([[6], [BROKEN, 7], [5], [5]], "torn"),
        ([[8], [5], [5], [5]], "reordered"),  # 8 was announced after the flush of 7
        ([[8], [5, 7], [5], [5]], "reordered"),
        ([[6], [AWAY], [5], [5]], "misdirected"),
        ([[6], [7], [FOREIGN], [5]], "unknown"),
        ([[6], [ZERO], [FOREIGN], [5]], "unknown"),  # the program that wrote one block may have emptied the other
        ([[6], [5], [FOREIGN], [5]], "lost"),  # but nobody brings back an older write
        ([[6], [7], [UNREAD], [5]], "unknown"),
        ([[6], [7], [5], [6]], "unknown"),  # written for another block
        ([[6], [7], [5], [12]], "unknown"),  # the witness has no record of it
    ],
)
def test_each_kind_of_damage_has_its_verdict(found: list[list[int]], verdict: str) -> None:
    """Each kind of damage has its verdict.

    Blocks 0 and 1 were written and flushed as 6 and 7, then 0 and 2 announced as 8 and 9.
    """
    assert judge(history_of([0, 1], [0, 2]), found).verdict == verdict


def test_contradictory_records_are_refused() -> None:
    """An announcement before the flush, or outside of the range, is refused."""
    history = history_of([0, 1])
    with pytest.raises(Disorder, match="before the flush"):
        history.announce([2])
    with pytest.raises(Disorder, match="does not belong"):
        history.flushed(6, 1.0)
    history.flushed(7, 1.0)
    for places, why in (([4], "outside"), ([-1], "outside"), ([1, 1], "twice"), ([], "empty")):
        with pytest.raises(Disorder, match=why):
            history.announce(places)
    with pytest.raises(Disorder, match="2 blocks were read back"):
        judge(history, [[6], [7]])


@given(clean=st.integers(1, 500), share=st.floats(0.01, 0.99), confidence=st.floats(0.5, 0.999))
def test_the_number_of_cuts_and_the_bound_agree(clean: int, share: float, confidence: float) -> None:
    """The needed number of cuts is enough, one fewer is not. More cuts never raise the bound."""
    cuts = needed(share, confidence)
    assert bound(cuts, confidence) <= share
    assert cuts == 1 or bound(cuts - 1, confidence) > share
    assert bound(clean + 1, confidence) <= bound(clean, confidence)
    # a drive that loses data with that probability passes all of them with the rest of the confidence
    assert (1 - bound(clean, confidence)) ** clean == pytest.approx(1 - confidence)


def test_a_run_with_blocks_that_could_not_be_read_has_no_verdict() -> None:
    """However many cuts lost nothing before, the unreadable blocks may be lost."""
    clean = Cut(
        number=1, at="2026-03-04T05:06:07Z", verdict="none", counted=True, writes=9, acknowledged=9, flushes=1,
        ended="silent",
    )  # fmt: skip
    target = Target(kind="device", name="/dev/sdx")
    run = PowerCutRun(run="00000000000000a1", at=clean.at, raidctl="1", target=target, plan=Plan(blocks=64))
    unread = msgspec.structs.replace(clean, number=6, verdict="unknown", counted=False, unreadable=2)
    assert run.with_cuts([clean] * 5).verdict == "none"
    judged = run.with_cuts([*[clean] * 5, unread])
    assert (judged.verdict, judged.clean, judged.loss_probability, judged.unread) == ("unknown", 5, None, unread)


def test_the_figures_of_the_manual() -> None:
    """The manual has the bounds for 5, 12, 30 and 59 cuts."""
    assert [round(bound(cuts), 3) for cuts in (0, 5, 12, 30, 59)] == [1.0, 0.451, 0.221, 0.095, 0.05]
    assert [needed(share) for share in (0.5, 0.25, 0.1, 0.05)] == [5, 11, 29, 59]


@given(
    flush=st.floats(0, 1e6), since=st.floats(0, 60), offset=st.floats(-1e6, 1e6), pace=st.none() | st.floats(0.001, 5)
)
def test_a_cut_counts_if_it_came_soon_after_a_flush(
    flush: float, since: float, offset: float, pace: float | None
) -> None:
    """A constant offset between the machines' clocks does not matter."""
    seconds, why = exposure((flush, flush + offset), (flush + since, flush + since + offset), pace)
    limit = max(0.1, 3 * (pace or 0.0))
    assert seconds == pytest.approx(since, abs=1e-3)
    if abs(since - limit) > 1e-3:
        assert (why is None) is (since < limit)


@pytest.mark.parametrize("jump", [-3600.0, -1.5, 1.5, 86400.0])
def test_a_clock_jump_makes_the_time_of_the_cut_unknown(jump: float) -> None:
    """A clock jump on either machine makes the cut not count."""
    for flush, heard in (((10.0, 50.0), (10.05, 50.05 + jump)), ((10.0, 50.0), (10.05 + jump, 50.05))):
        seconds, why = exposure(flush, heard, 0.01)
        assert seconds is None
        assert why is not None
        assert "clock jumped" in why
