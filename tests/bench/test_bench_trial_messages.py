"""Messages of trials that measured little: they report only what was measured."""

from __future__ import annotations

import os
from array import array

import pytest

from raidctl.bench.model.device import Plan
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Session, TrialResult
from raidctl.bench.session import Runner
from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.overwrite import Overwrite
from raidctl.bench.trials.steady import Steady
from raidctl.bench.trials.trial import MIB, Bench, Trial, whole
from raidctl.bench.trials.worst import sentence
from raidctl.bench.verdict.evidence import Evidence
from raidctl.bench.work import Samples
from raidctl.model import Host
from raidctl.verify.measured import joined, unknown_target
from raidctl.verify.measurements import Measurements
from raidctl.verify.report import Verification
from raidctl.verify.wanted import Claim
from tests.bench.engine_bench import Handle
from tests.bench.even_engine import Even
from tests.bench.virtual_clock import Stage

STAGE = Stage(Plan(kind="write-through", size=64 * MIB))
NO_TIME = 0.0
LITTLE = "The rounds were too few or too short for a verdict."


def without_time(trial: Trial, budget: float | None = NO_TIME) -> TrialResult:
    """The result of a trial whose time ends with its first round."""
    session = Runner(STAGE.bench(budget=budget), again=False).run(
        Profile(name="test", title="", seconds=1, size=64 * MIB, trials=(trial,))
    )
    return session.results[0]


def test_few_reads_are_reported_as_too_few() -> None:
    """Of 15 reads, the reason is their number, not their time."""
    result = without_time(Medium(reads=90, commits=12))
    assert result.series["medium"] == "unclear"
    assert result.reasons == ("Only 15 places were read: too few to decide whether it rotates.",)


def test_one_round_is_reported_as_too_few() -> None:
    """A single or too short round is not reported as equal. Equal means within its spread."""
    assert without_time(Alignment(seconds=0.02)).reasons[0] == LITTLE
    handle = os.memfd_create("one-round")
    os.ftruncate(handle, 8 * MIB)
    with os.fdopen(handle):
        target = Handle(handle=handle, size=8 * MIB, alignment=512)
        result = whole(Compression(blocks=8, seconds=0.001, rounds=1), Bench(target, Even(), seed=7))
    assert (result.verdict, result.reasons) == ("inconclusive", (LITTLE,))


@pytest.mark.parametrize(("most", "expected"), [(1, "1 round of 0.1 s"), (2, "2 rounds of 0.1 s")])
def test_rounds_are_counted_in_singular_and_plural(most: int, expected: str) -> None:
    """One round is singular."""
    assert expected in without_time(Steady(seconds=0.1, most=most), budget=None).reasons[0]


def test_one_range_shows_no_cache() -> None:
    """Rewriting shows a cache only with several ranges."""
    (reason,) = without_time(Overwrite(seconds=0.02)).reasons
    assert reason == "Only 1 of at least 4 ranges was rewritten: too few to find a cache."


@pytest.mark.parametrize(
    ("rate", "start"),
    [(800.0, "At 80% (800 a second)"), (100.0, "At 10% (100 a second; 80% would be more than can be kept)")],
)
def test_a_lowered_rate_is_reported_with_its_share(rate: float, start: str) -> None:
    """If the rate was lowered, the actual share is reported."""
    row = array("Q", [10**6])
    samples = Samples(ops=b"\0", offsets=row, starts=row, latencies=row, results=array("i", [512]), size=512)
    assert sentence(0.8, rate, 1000.0, samples).startswith(f"{start} the longest of 1 waits")


@pytest.mark.parametrize("claim", [Claim("media", words=("hdd",)), Claim("drive_rpm", number=7200)])
def test_a_failed_trial_reports_only_its_failure(claim: Claim) -> None:
    """If the reads failed, no reads are reported."""
    failed = TrialResult(trial="medium", figures={}, verdict="inconclusive", reasons=("The reads failed.",))
    session = Session(profile="verify", target="x", kind="nbd", size=MIB, results=(failed,))
    answers = tuple(unknown_target((claim,), "x", "Nobody knows.", served=True))
    report = Verification(host=Host(), targets=("x",), verdict="inconclusive", answers=answers, problems=())
    (answer,) = joined(
        report, (claim,), Measurements(session=session, facts=Evidence(), named="x", served=True)
    ).answers
    assert (answer.verdict, answer.reasons) == ("inconclusive", ("Nobody knows.", "The reads failed."))
