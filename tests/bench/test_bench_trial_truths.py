"""Trials on the timing model with known properties, on its virtual clock.

``benchmarks/known_truths.py`` runs them over NBD in real time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from raidctl.bench.model.device import Device, Kind, Plan
from raidctl.bench.model.drive import Mechanics
from raidctl.bench.profiles import PROFILES, Profile
from raidctl.bench.result import Confounder, TrialResult
from raidctl.bench.session import Runner
from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.interference import Interference
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.scaling import Scaling
from raidctl.bench.trials.seeks import Seeks
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.steady import Steady
from raidctl.bench.trials.trial import GIB, KIB, MIB, Below, Trial, whole
from raidctl.bench.trials.worst import Worst
from raidctl.bench.trials.zcav import Zcav
from raidctl.bench.verdict.early_acknowledgement import weigh
from tests.bench.virtual_clock import Modelled, Stage

SHORT_COMMITS = Commits(seconds=0.5, rounds=6)
SHORT_MEDIUM = Medium(reads=120, commits=120)
SMALL_CACHE: dict[str, Any] = {"cache": 8 * MIB, "destage": 20e6, "size": 4 * GIB}
FOUR: dict[str, Any] = {"level": "raid0", "drives": 4, "size": 16 * GIB}


def stage(kind: Kind = "write-through", *, below: Below | None = None, **plan: Any) -> Stage:
    """An array of 15000 rpm by default. Its caches make about 1,500 commits per second."""
    return Stage(Plan(kind=kind, **{"rpm": 15000.0, "keep": False, "latency": 0.0003, **plan}), below or Below())


def computed(trial: Trial, kind: Kind = "write-through", *, below: Below | None = None, **plan: Any) -> TrialResult:
    """Run a trial in the model's time."""
    return whole(trial, stage(kind, below=below, **plan).bench())


def figure(result: TrialResult, name: str) -> float:
    """A figure that must be present."""
    found = result.figures[name].measured
    assert found is not None
    return found


@pytest.mark.parametrize("rpm", [5400, 7200, 10000, 15000])
def test_a_rotating_drive_and_its_speed_are_found(rpm: int) -> None:
    """Random reads and commits of one block give the medium. Its speed is right within 2%."""
    result = computed(SHORT_MEDIUM, rpm=float(rpm))
    assert (result.verdict, result.series["medium"]) == ("info", "rotating")
    assert figure(result, "rpm") == pytest.approx(rpm, rel=0.02)


def test_solid_state_has_no_rotation() -> None:
    """Reads without rotation are faster than a hard drive's."""
    result = computed(SHORT_MEDIUM, rpm=0.0)
    assert (result.verdict, result.series["medium"]) == ("info", "solid_state")


@pytest.mark.parametrize(
    ("kind", "reading"), [("write-through", "waits_for_the_disk"), ("lying", "acknowledged_early"),
                          ("battery", "acknowledged_early")],
)  # fmt: skip
def test_commits_are_compared_with_the_rotation(kind: Kind, reading: str) -> None:
    """A drive that waits makes rpm/60 commits per second. An early acknowledgement is reported."""
    made = stage(kind).bench(rpm=15000.0)
    made.known["medium"] = whole(SHORT_MEDIUM, made)
    result = whole(SHORT_COMMITS, made)
    assert (result.series["reading"], result.verdict) == (reading, "info")
    if reading == "waits_for_the_disk":
        assert figure(result, "commits") == pytest.approx(250, rel=0.03)


def test_commits_without_a_known_medium_are_inconclusive() -> None:
    """Without the medium no limit applies, and the missing test is named."""
    result = computed(Commits(seconds=0.3), "battery")
    assert result.verdict == "inconclusive"
    assert result.next_test is not None
    assert "random reads" in result.next_test


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lying", "volatile", "battery", "unprotected"])
def test_a_measurement_alone_passes_no_lying_cache(kind: Kind) -> None:
    """Without the inventory's facts, only an honest volatile cache passes. Others are inconclusive."""
    knee = Knee(most=48 * MIB, block=16 * KIB, fills=1, rest=0.2)
    trials = (SHORT_MEDIUM, SHORT_COMMITS, knee, FlushSlope(amounts=(0, 1, 2, 4), rounds=3))
    made = stage(kind, **SMALL_CACHE).bench()
    session = Runner(made, again=False).run(Profile(name="t", title="", seconds=60, size=0, trials=trials))
    verdict = weigh(evidence({one.trial: one for one in session.results}))
    if kind == "volatile":
        assert (verdict.verdict, verdict.case) == ("pass", "honest volatile cache")
    else:
        assert verdict.verdict == "inconclusive"


def test_a_virtual_machine_leaves_commits_open() -> None:
    """A confounder that forbids verdicts makes commits inconclusive. Its text is the reason."""
    virtual = Confounder(name="virtual_machine", text="This is a virtual machine.", forbids=True)
    result = whole(Commits(seconds=0.1, rounds=1), stage("battery").bench(confounders=(virtual,)))
    assert (result.verdict, result.reasons) == ("inconclusive", ("This is a virtual machine.",))


def test_too_few_commits_give_no_figure() -> None:
    """Below 300 operations in all rounds there is no figure."""
    result = computed(Commits(seconds=0.1, rounds=6))
    assert result.figures["commits"].measured is None
    assert result.verdict == "inconclusive"


@pytest.mark.parametrize(("kind", "reading"), [("volatile", "flushed"), ("lying", "kept"), ("battery", "kept")])
def test_the_flush_slope_shows_whether_the_cache_is_emptied(kind: Kind, reading: str) -> None:
    """A flush takes time only if it empties the cache. At 20 MB/s this is 52.4 ms/MiB."""
    made = stage(kind, **SMALL_CACHE).bench()
    if kind != "volatile":
        made.known["knee"] = whole(Knee(most=64 * MIB, block=16 * KIB, fills=1, rest=0.2), made)
        made.rest(1.0)
    result = whole(FlushSlope(amounts=(0, 1, 2, 4), rounds=3), made)
    assert result.series["reading"] == reading
    truth = 1000 / (20e6 / MIB) if reading == "flushed" else 0.0
    assert figure(result, "flush_slope") == pytest.approx(truth, rel=0.05, abs=0.7)


def test_the_write_cache_is_sized() -> None:
    """A cache of 8 MiB is sized within 10% by its knee."""
    trial = Knee(most=48 * MIB, block=16 * KIB, fills=2, rest=0.2)
    result = computed(trial, "battery", cache=8 * MIB, destage=10e6, size=4 * GIB)
    assert result.verdict == "info"
    assert figure(result, "write_cache") == pytest.approx(8, rel=0.1)


def test_without_a_write_cache_there_is_no_knee() -> None:
    """Writes that go to the medium have no knee and no size."""
    result = computed(Knee(most=16 * MIB, fills=1, rest=0.0), size=4 * GIB)
    assert (result.verdict, result.figures["write_cache"].measured) == ("info", None)


@pytest.mark.slow
@pytest.mark.parametrize("mib", [32, 64, 128])
def test_write_caches_of_full_size_are_sized(mib: int) -> None:
    """Caches of 32, 64 and 128 MiB are sized within 10%."""
    result = computed(
        Knee(most=4 * mib * MIB, fills=1, rest=0.2), "battery", cache=mib * MIB, destage=mib * 1e6 / 1.6, size=16 * GIB
    )
    assert figure(result, "write_cache") == pytest.approx(mib, rel=0.1)


@pytest.mark.slow
def test_figures_of_seeks_have_their_span() -> None:
    """Random reads over a small part are faster. Each figure has its span."""
    result = computed(Seeks(spans=(256 * MIB, None), depths=(1,), seconds=0.6), size=64 * GIB)
    assert figure(result, "read_qd1_256m") > figure(result, "read_qd1_all")
    spans = {"256m": 256 * MIB, "all": 64 << 30}
    ways = ("read", "write")
    assert result.series["spans"] == {f"{way}_qd1_{name}": spans[name] for way in ways for name in spans}


@pytest.mark.slow
@pytest.mark.parametrize(("writable", "ways"), [(True, {"read", "write"}), (False, {"read"})])
def test_random_writes_are_measured_if_allowed(*, writable: bool, ways: set[str]) -> None:
    """The quick profile has random writes, unless the target is read-only."""
    [seeks] = [one for one in PROFILES["quick"].trials if isinstance(one, Seeks)]
    made = stage(size=64 * GIB, rpm=0.0).bench()
    made.target.writable = writable  # type: ignore[misc]  # a model's field
    assert (seeks.needs(made.target).written is None) is writable
    result = whole(replace(seeks, seconds=0.1), made)
    assert {name.partition("_")[0] for name in result.figures} == ways


def test_sequential_reads_are_as_fast_as_the_model() -> None:
    """At the outer edge, reads have the speed of the outermost tracks."""
    trial = Sequential(seconds=0.2, positions=(0.0,), sizes=(256 * KIB,), depths=(4,))
    result = computed(trial, size=4 * GIB)
    assert figure(result, "read") == pytest.approx(Mechanics(size=GIB).outer / MIB, rel=0.1)
    assert result.figures["read"].low is not None


def test_the_curve_of_a_hard_drive_falls() -> None:
    """The speed falls to about half."""
    result = computed(Zcav(positions=32, piece=24 * MIB, passes=3), size=100 * GIB, rpm=7200.0)
    assert result.series["shape"] == "falling"
    assert figure(result, "ratio") == pytest.approx(1.9, rel=0.05)


@pytest.mark.parametrize("compresses", [False, True])
def test_a_device_that_compresses_is_marked(*, compresses: bool) -> None:
    """A device with faster zeros than random data is suspect. All other figures are marked."""
    made = stage("battery", cache=256 * MIB, rpm=0.0, link=100e6, compresses=compresses, keep=True).bench()
    result = whole(Compression(blocks=48, block=64 * KIB, seconds=0.1), made)
    assert (result.verdict == "suspect") is compresses, result.figures
    assert ("compression" in {one.name for one in made.confounders}) is compresses
    assert (figure(result, "write_ratio") > 1.3) is compresses


def test_everything_reads_back_as_it_was_written() -> None:
    """An honest model reads back all blocks of the second write."""
    result = computed(ReadBack(most=2 * MIB), "battery", below=Below(cache=0), rpm=0.0, size=64 * MIB, keep=True)
    assert (result.verdict, figure(result, "wrong")) == ("pass", 0.0)


def test_waits_are_counted_from_the_intended_start() -> None:
    """Each share of the saturated rate has latencies and a longest stall."""
    result = computed(Worst(seconds=0.6, shares=(0.2, 0.5), saturation=0.5), "battery")
    assert set(result.latency) == {"at_20", "at_50"}
    assert result.latency["at_20"].n < result.latency["at_50"].n


def test_a_writer_slows_readers() -> None:
    """A reader beside a writer is clearly slower than alone."""
    result = computed(Interference(seconds=0.25, depth=8), level="raid0", drives=8)
    assert result.figures["beside_ratio"].high is not None
    assert result.figures["beside_ratio"].high < 0.9


def test_the_drives_of_raid0_are_counted() -> None:
    """Random reads at growing depths give four drives, within a third."""
    made = stage(**FOUR).bench()
    made.target.writable = False  # type: ignore[misc]  # a model's field; only reads are of interest here
    result = whole(Scaling(depths=(1, 2, 4, 8, 16), streams=(1,), seconds=0.4), made)
    assert result.figures["spindles"].measured == pytest.approx(4, rel=1 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("strip", [None, 64 * KIB, 256 * KIB])
def test_operations_across_chunks_are_slower(strip: int | None) -> None:
    """On RAID-0, a strip read from its middle keeps two drives busy. The size of the strip makes no difference."""
    chunk = strip or 64 * KIB
    made = stage(**FOUR, chunk=chunk, below=Below(strip=strip)).bench()
    made.target.writable = False  # type: ignore[misc]  # as above
    result = whole(Alignment(depth=16, seconds=0.4), made)
    ratio = result.figures[f"read_{chunk // KIB}k_plus_{chunk // 2}_ratio"]
    assert ratio.high is not None
    assert ratio.high < 0.85
    assert "slower" in result.reasons[0]
    assert any("volume's is unknown" in reason for reason in result.reasons) is (strip is None)


@pytest.mark.parametrize("trial", [ReadAhead(seconds=0.3), Steady(seconds=0.2, most=12)])
def test_flash_is_steady_and_reads_nothing_in_advance(trial: Trial) -> None:
    """Random reads of flash are as fast as sequential ones. Its writes are steady at once."""
    result = computed(trial, rpm=0.0, size=64 * MIB)
    if result.trial == "steady":
        assert result.verdict == "info"
        assert result.figures["steady"].measured is not None
    else:
        assert result.figures["gain"].measured == pytest.approx(1, rel=0.05)


class Ahead:
    """The switch of the model's read-ahead."""

    name = "the model"

    def __init__(self, device: Device, *, on: bool) -> None:
        self.on = on
        self.values: list[bool] = []
        self._device = device
        device.set_read_ahead(on)

    @contextmanager
    def other(self) -> Iterator[None]:
        """Switch it for a while."""
        self._set(not self.on)
        try:
            yield
        finally:
            self._set(self.on)

    def _set(self, on: bool) -> None:
        self._device.set_read_ahead(on)
        self.values.append(on)


@pytest.mark.slow
@pytest.mark.parametrize("on", [True, False])
def test_the_controllers_read_ahead_is_switched_and_measured(*, on: bool) -> None:
    """Read-ahead makes four flash drives about four times as fast. The setting is restored."""
    made = stage(**{**FOUR, "rpm": 0.0, "size": GIB}, read_ahead=MIB, latency=50e-6).bench()
    assert isinstance(made.target, Modelled)
    switch = Ahead(made.target.device, on=on)
    result = whole(ReadAhead(seconds=0.3, switch=switch), made)
    assert switch.values == [not on, on]
    truth = (100e-6 + 64 * KIB / 150e6) / ((100e-6 + 64 * KIB / 150e6) / 4 + 50e-6)
    assert figure(result, "controller_gain") == pytest.approx(truth, rel=0.3)
    assert any(re.search(r"The read-ahead of the model makes .* times as fast", reason) for reason in result.reasons)


def test_settling_takes_at_most_a_tenth_of_the_session() -> None:
    """The wait for calm reads is limited, however busy the drives are."""
    made = stage("battery", cache=256 * MIB, destage=1e6).bench()
    made._quickest = 1.0  # nothing will ever be as quick again
    for _ in range(3):
        made.settle()
    assert made._waited < 1.0
