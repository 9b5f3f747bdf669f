"""Trials over NBD against the timing model, whose truth is known; scaled down to seconds."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.bench.profiles import Profile
from raidctl.bench.result import Confounder, Session, TrialResult
from raidctl.bench.session import Runner
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.interference import Interference
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.seeks import Seeks
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.trial import KIB, MIB, Trial, whole
from raidctl.bench.trials.worst import Worst
from raidctl.bench.trials.zcav import Zcav
from raidctl.bench.verdict.early import weigh
from tests.bench.trying import bench, in_time, modelled

SHORT_COMMITS = Commits(seconds=0.35, rounds=6)
SHORT_MEDIUM = Medium(reads=120, commits=120)
FAST = ("--rpm", "15000")


def measured(trial: Trial, *words: str, **given: Any) -> TrialResult:
    """Run a trial on a model."""
    with modelled(*words) as (model, target):
        return in_time(model, lambda: whole(trial, bench(target, **given)))


def figure(result: TrialResult, name: str) -> float:
    """A figure that must be there."""
    found = result.figures[name].measured
    assert found is not None
    return found


@pytest.mark.parametrize("rpm", [7200, 15000])
def test_a_disk_is_told_to_turn_and_how_fast(rpm: int) -> None:
    """Random reads and commits of one block name the medium and its speed within 2 %."""
    result = measured(Medium(reads=120, commits=120, promised_rpm=rpm), "--kind", "write-through", "--rpm", str(rpm))
    assert (result.verdict, result.series["medium"]) == ("pass", "rotating")
    assert figure(result, "rpm") == pytest.approx(rpm, rel=0.02)


def test_another_speed_than_promised_fails() -> None:
    """A disk of 15000 rpm is not one of 7200 rpm."""
    result = measured(Medium(reads=60, commits=120, promised_rpm=7200), "--kind", "write-through", *FAST)
    assert result.verdict == "fail"


def test_solid_state_does_not_turn() -> None:
    """Without rotation, reads are too quick for a disk."""
    result = measured(SHORT_MEDIUM, "--kind", "write-through", "--rpm", "0")
    assert (result.verdict, result.series["medium"]) == ("info", "solid_state")


@pytest.mark.parametrize(
    ("kind", "reading"), [("write-through", "waits_for_the_disk"), ("lying", "acknowledged_early"),
                          ("battery", "acknowledged_early")],
)  # fmt: skip
def test_commits_are_held_against_the_rotation(kind: str, reading: str) -> None:
    """What waits for the disk commits rpm/60 times a second; what acknowledges early is told, and never passes."""
    with modelled("--kind", kind, *FAST) as (model, target):

        def measure() -> TrialResult:
            stage = bench(target, rpm=15000.0)
            stage.known["medium"] = whole(SHORT_MEDIUM, stage)
            return whole(SHORT_COMMITS, stage)

        result = in_time(model, measure)
    assert (result.series["reading"], result.verdict) == (reading, "info")
    if reading == "waits_for_the_disk":
        assert figure(result, "commits") == pytest.approx(250, rel=0.03)


def test_commits_without_a_known_medium_tell_nothing() -> None:
    """Without the medium no limit applies, and the verdict names the test that is missing."""
    result = measured(Commits(seconds=0.3), "--kind", "battery", *FAST)
    assert result.verdict == "inconclusive"
    assert result.next_test is not None
    assert "random reads" in result.next_test


@pytest.mark.parametrize("kind", ["lying", "volatile", "battery", "unprotected"])
def test_measuring_alone_passes_no_cache_that_may_lie(kind: str) -> None:
    """Without the inventory's facts, the evidence of a short session never makes a lying or volatile cache pass."""
    words = ("--kind", kind, "--cache", "8MiB", "--destage", "20MB/s", "--size", "4GiB", "--no-keep", *FAST)
    with modelled(*words) as (model, target):

        def measure() -> Session:
            stage = bench(target)
            knee = Knee(most=48 * MIB, block=16 * KIB, fills=1, rest=0.2)
            trials = (SHORT_MEDIUM, SHORT_COMMITS, knee, FlushSlope(amounts=(0, 1, 2, 4), rounds=3))
            return Runner(stage, again=False).run(Profile(name="t", title="", seconds=60, size=0, trials=trials))

        session = in_time(model, measure)
    found = evidence({one.trial: one for one in session.results})
    verdict = weigh(found)
    if kind == "volatile":
        assert (verdict.verdict, verdict.case) == ("pass", "honest volatile cache")
    else:
        assert verdict.verdict == "inconclusive"


def test_a_virtual_machine_leaves_commits_open() -> None:
    """A confounder that forbids verdicts on durability makes commits inconclusive, with its sentence."""
    virtual = Confounder(name="virtual_machine", text="This is a virtual machine.", forbids=True)
    result = measured(Commits(seconds=0.1, rounds=1), "--kind", "battery", *FAST, confounders=(virtual,))
    assert (result.verdict, result.reasons) == ("inconclusive", ("This is a virtual machine.",))


def test_too_few_commits_give_no_figure() -> None:
    """Under 300 operations in all rounds together: no figure (`++++`), and nothing follows."""
    result = measured(Commits(seconds=0.1, rounds=6), "--kind", "write-through", *FAST)
    assert result.figures["commits"].measured is None
    assert result.verdict == "inconclusive"


@pytest.mark.parametrize(("kind", "reading"), [("volatile", "flushed"), ("lying", "kept"), ("battery", "kept")])
def test_the_flush_slope_tells_who_empties_the_cache(kind: str, reading: str) -> None:
    """At 20 MB/s a flush takes 52.4 ms/MiB where it empties the cache, and nothing where it does not."""
    small = ("--cache", "8MiB", "--destage", "20MB/s", "--size", "4GiB", "--no-keep", *FAST)
    trial = FlushSlope(amounts=(0, 1, 2, 4), rounds=3)
    with modelled("--kind", kind, *small) as (model, target):

        def measure() -> TrialResult:
            stage = bench(target)
            if kind != "volatile":
                filler = Knee(most=64 * MIB, block=16 * KIB, fills=1, rest=0.2)
                stage.known["knee"] = whole(filler, stage)
                stage.rest(1.0)
            return whole(trial, stage)

        result = in_time(model, measure)
    assert result.series["reading"] == reading
    truth = 1000 / (20e6 / MIB) if reading == "flushed" else 0.0
    assert figure(result, "flush_slope") == pytest.approx(truth, rel=0.05, abs=0.7)


@pytest.mark.parametrize(("promised", "verdict"), [(8, "pass"), (32, "fail")])
def test_the_write_cache_is_sized(promised: float, verdict: str) -> None:
    """A cache of 8 MiB is sized within 10 % by its knee, and a promise of 32 MiB is refuted."""
    words = ("--kind", "battery", "--cache", "8MiB", "--destage", "10MB/s", "--size", "4GiB", "--no-keep")
    trial = Knee(most=48 * MIB, block=16 * KIB, fills=2, rest=0.2, promised_mib=promised)
    result = measured(trial, *words)
    assert result.verdict == verdict
    assert figure(result, "write_cache") == pytest.approx(8, rel=0.1)


def test_no_write_cache_is_no_knee() -> None:
    """Writes that go to the medium have no knee, and nothing is made up."""
    words = ("--kind", "write-through", "--size", "4GiB", "--no-keep", *FAST)
    result = measured(Knee(most=16 * MIB, fills=1, rest=0.0, promised_mib=64), *words)
    assert (result.verdict, result.figures["write_cache"].measured) == ("inconclusive", None)


@pytest.mark.slow
@pytest.mark.parametrize("mib", [32, 64, 128])
def test_write_caches_of_full_size_are_sized(mib: int) -> None:
    """32, 64 and 128 MiB within 10 %."""
    words = ("--kind", "battery", "--cache", f"{mib}MiB", "--destage", f"{mib / 1.6}MB/s", "--size", "16GiB")
    result = measured(Knee(most=6 * mib * MIB, fills=1, promised_mib=mib), *words, "--no-keep")
    assert figure(result, "write_cache") == pytest.approx(mib, rel=0.1)
    assert result.verdict == "pass"


def test_seeks_carry_their_span() -> None:
    """Random reads over a small part are quicker than over all of it, and each figure names its span."""
    words = ("--kind", "write-through", "--size", "64GiB", "--no-keep", *FAST)
    result = measured(Seeks(spans=(256 * MIB, None), depths=(1,), seconds=0.6), *words)
    assert figure(result, "read_qd1_256m") > figure(result, "read_qd1_all")
    assert result.series["spans"] == {"read_qd1_256m": 256 * MIB, "read_qd1_all": 64 << 30}


def test_sequential_reads_are_as_fast_as_the_model() -> None:
    """At the outer edge a disk of 15000 rpm reads what one of its tracks gives; an impossible promise fails."""
    words = ("--kind", "write-through", "--size", "4GiB", "--no-keep", *FAST)
    trial = Sequential(seconds=0.2, positions=(0.0, 0.2), sizes=(256 * KIB,), depths=(4,), model_mib=10000.0)
    result = measured(trial, *words)
    assert result.verdict == "fail"
    assert result.figures["read"].low is not None


def test_the_curve_of_a_disk_falls() -> None:
    """Over the whole of a disk the speed falls to about half."""
    words = ("--kind", "write-through", "--size", "100GiB", "--no-keep")
    result = measured(Zcav(positions=24, piece=12 * MIB, passes=3), *words)
    assert result.series["shape"] == "falling"
    assert figure(result, "ratio") == pytest.approx(1.9, rel=0.1)


def test_zeros_are_as_fast_as_random_data() -> None:
    """The model does not compress, so nothing is marked, and zeros do not stay behind."""
    words = ("--kind", "battery", "--cache", "256MiB", "--read-cache", "64MiB", "--rpm", "0")
    result = measured(Compression(blocks=48, block=16 * KIB, seconds=0.2), *words)
    assert result.verdict != "suspect"
    assert 0.7 < figure(result, "write_ratio") < 1.3


def test_everything_reads_back_as_it_was_written() -> None:
    """An honest model gives back each block of the second writing."""
    result = measured(ReadBack(most=8 * MIB), "--kind", "battery", "--rpm", "0", "--size", "64MiB")
    assert (result.verdict, figure(result, "wrong")) == ("pass", 0.0)


def test_lost_content_does_not_pass() -> None:
    """A model that keeps no content gives back zeros: each block is told to be wrong."""
    result = measured(ReadBack(most=4 * MIB), "--kind", "battery", "--rpm", "0", "--size", "64MiB", "--no-keep")
    assert (result.verdict, figure(result, "wrong")) == ("fail", 64.0)


def test_waits_are_counted_from_the_intended_start() -> None:
    """Each share of the saturated rate has its latencies and its longest standstill."""
    words = ("--kind", "battery", "--rpm", "15000", "--no-keep")
    with modelled(*words) as (_, target):
        result = whole(Worst(seconds=0.6, shares=(0.2, 0.5), saturation=0.5), bench(target))
    assert set(result.latency) == {"at_20", "at_50"}
    assert result.latency["at_20"].n < result.latency["at_50"].n


def test_a_writer_slows_readers() -> None:
    """On disks without a cache, a reader beside a writer gets clearly less than alone."""
    drives = ("--level", "raid0", "--drives", "8")
    result = measured(Interference(seconds=0.4, depth=8), "--kind", "write-through", "--no-keep", *FAST, *drives)
    assert result.figures["beside_ratio"].high is not None
    assert result.figures["beside_ratio"].high < 0.9
