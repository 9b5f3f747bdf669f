"""Sessions: turns, the drift guard, Ctrl-C, errors in the middle, and nothing left behind."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest

from raidctl.bench import session as session_module
from raidctl.bench.engines.calibrate import Memory
from raidctl.bench.profiles import PROFILES, Profile
from raidctl.bench.result import Confounder, Drift, Session, Spread, TrialResult
from raidctl.bench.session import Runner, _unstable, drift, weighed
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.overwrite import Overwrite
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.seeks import Seeks
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.trial import MIB, Bench, Needs, Progress, Steps, Trial
from raidctl.bench.trials.zcav import Zcav
from raidctl.bench.work import Outcome, Samples, Target, Work
from raidctl.errors import BenchError
from tests.bench.computed import Computed, beside
from tests.bench.modelled import ROOT

QUICK = (Medium(reads=60, commits=60, rounds=6), Seeks(seconds=0.1, depths=(1,)), ReadBack(most=MIB))


@dataclass(kw_only=True)
class Counting(Computed):
    """An engine before whose n-th work something happens."""

    at: int = -1
    happen: Callable[[], None] = lambda: None
    works: int = 0
    fault: int | None = None

    def run(self, target: Target, work: Work) -> Outcome:
        """Carry it out."""
        self.works += 1
        if self.works == self.at:
            self.happen()
        outcome = super().run(target, work)
        if self.fault is None or self.works < self.at:
            return outcome
        return _faulty(outcome, self.fault)


def _faulty(outcome: Outcome, error: int) -> Outcome:
    one = outcome.samples[0]
    results = array("i", one.results)
    results[-1] = -error
    spoilt = Samples(
        ops=one.ops,
        offsets=one.offsets,
        starts=one.starts,
        latencies=one.latencies,
        results=results,
        size=one.size,
    )
    return Outcome(samples=[spoilt], wall_seconds=outcome.wall_seconds, cpu_seconds=0.0, engine=outcome.engine)


def profile(*trials: Trial) -> Profile:
    """A profile of these trials."""
    return Profile(name="test", title="", seconds=60, size=4 * MIB, trials=trials)


def run(
    folder: Path,
    *trials: Trial,
    engine: Computed | None = None,
    budget: float | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
) -> Session:
    """A session on a file of 4 MiB."""
    with FileTarget(str(folder), 4 * MIB) as target:
        bench = beside(target, engine, budget=budget, seed=3)
        return Runner(bench, progress).run(profile(*trials))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    place = tmp_path / "measured"
    place.mkdir()
    return place


def test_a_result_names_the_engines_that_carried_it_out_and_no_others(folder: Path) -> None:
    """What reads back what was written, and goes by another name, is named there alone; the session names both."""

    class Named(Computed):
        """Goes by another name where it compares."""

        def run(self, target: Target, work: Work) -> Outcome:
            outcome = super().run(target, work)
            return replace(outcome, engine="comparing") if work.verify else outcome

    session = run(folder, *QUICK, engine=Named())
    named = {one.trial: one.engine for one in session.results}
    assert named == {"medium": "computed", "seeks": "computed", "readback": "computed, comparing"}
    assert session.engine == "computed, comparing"


def test_every_trial_has_a_result_in_the_order_of_the_profile(folder: Path) -> None:
    """With engine and duration, and progress that never runs backwards; it survives JSON, and the file is gone."""
    steps: list[Progress] = []
    session = run(folder, *QUICK, progress=steps.append)
    assert steps
    assert [one.seconds for one in steps] == sorted(one.seconds for one in steps)
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session
    assert [one.trial for one in session.results] == ["medium", "seeks", "readback"]
    assert all(one.engine == "computed" and one.seconds for one in session.results)
    assert session.drift is not None
    assert session.drift.trial == "medium"
    assert not session.interrupted
    assert not list(folder.iterdir())


def test_rounds_of_trials_take_turns(folder: Path) -> None:
    """The first two trials alternate round by round; one that changes the state of others comes after them."""
    told: list[str] = []
    with FileTarget(str(folder), 4 * MIB) as target:
        runner = Runner(beside(target, seed=3), lambda step: told.append(step.trial))
        runner.run(profile(QUICK[2], *QUICK[:2]))
    assert told[:4] == ["medium", "seeks", "medium", "seeks"]
    assert told[told.index("readback") :][-2:] == ["readback", "medium"]  # the last one is the guard against drift


@pytest.mark.parametrize("at", [1, 2, 5, 9])
def test_an_interruption_leaves_nothing_behind_and_gives_what_there_was(folder: Path, at: int) -> None:
    """Ctrl-C in the middle: the session says so, trials that had begun give their figures, the file is gone."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    session = run(folder, *QUICK, engine=Counting(at=at, happen=interrupt))
    assert session.interrupted
    assert len(session.results) < len(QUICK)
    assert not list(folder.iterdir())


def interrupted_at(line: int, folder: Path) -> tuple[set[int], int, bool | None]:
    """Interrupt a session at a line of its module.

    Returns its lines that were run, the works of the engine, and whether it is marked; None: the interruption left it.
    """
    seen = set[int]()
    engine = Counting()

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != session_module.__file__:
            return None
        if event == "line" and frame.f_lineno not in seen:
            seen.add(frame.f_lineno)
            if frame.f_lineno == line:
                raise KeyboardInterrupt
        return trace

    with FileTarget(str(folder), 4 * MIB) as target:
        runner = Runner(beside(target, engine, seed=3))
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            marked = runner.run(profile(ReadBack(most=64 << 10), ReadBack(most=64 << 10))).interrupted
        except KeyboardInterrupt:
            marked = None
        finally:
            sys.settrace(before)
    return seen, engine.works, marked


@pytest.mark.slow
def test_no_moment_of_an_interruption_loses_what_was_measured(folder: Path) -> None:
    """At whichever line of the session it comes: once the engine has run, the session ends and is marked."""
    lines, _, whole = interrupted_at(0, folder)
    assert whole is False
    ends = {line: interrupted_at(line, folder)[1:] for line in lines}
    assert {marked for works, marked in ends.values() if works} == {True}
    assert len([line for line, (works, _) in ends.items() if works]) > 20
    assert not list(folder.iterdir())


_PROGRAM = """
import sys
from dataclasses import replace
from raidctl.bench.engines.choose import choose
from raidctl.bench.profiles import QUICK
from raidctl.bench.session import Runner
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.trial import Bench

# it does not come to its end before it is interrupted, however late that is
ENDLESS = replace(QUICK, trials=(Medium(reads=400), Commits(seconds=3600.0)))

def tell(step):
    print(step.trial, flush=True)

with FileTarget(sys.argv[1], 64 << 20, share=1.0) as target:
    session = Runner(Bench(target=target, engine=choose(target, sys.argv[2]).engine), tell).run(ENDLESS)
print("interrupted" if session.interrupted else "whole", flush=True)
"""


@pytest.mark.parametrize("engine", ["native", "portable"])
def test_a_real_interruption_ends_every_engine(folder: Path, engine: str) -> None:
    """SIGINT in the middle of the commits: the session ends and is marked, and the file is gone."""
    command = [sys.executable, "-c", _PROGRAM, str(folder), engine]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if line.strip() == "commits":
                break
        program.send_signal(signal.SIGINT)
        printed = program.stdout.read()
    assert (printed.split()[-1:], program.returncode) == (["interrupted"], 0)
    assert not list(folder.iterdir())


def test_an_error_in_the_middle_is_told(folder: Path) -> None:
    """Input/output errors: no figure, no verdict but inconclusive, the sentence, and the file is gone."""
    session = run(folder, *QUICK[:2], engine=Counting(at=1, fault=errno.EIO))
    assert {one.verdict for one in session.results} == {"inconclusive"}
    assert all("Input/output error" in one.reasons[0] for one in session.results)
    assert all(not one.figures for one in session.results)
    assert not list(folder.iterdir())


@dataclass(frozen=True)
class Refused:
    """A test whose work the engine refuses: it has a result, and no figure in it."""

    name: str
    title: str = "a test that fails"
    alone: bool = False

    def needs(self, target: Target) -> Needs:
        """Next to nothing."""
        del target
        return Needs(seconds=0.1, written=0)

    def run(self, bench: Bench) -> Steps:
        """Not even begun."""
        yield
        raise BenchError(f"The engine refuses {self.name} on {bench.target.name}.")


SHORT = (
    Commits(seconds=0.05),
    FlushSlope(amounts=(0, 1), block=4096, rounds=1),
    Overwrite(block=4096, seconds=0.02),
    ReadBack(most=MIB),
    RaidLevel(seconds=0.02, most=6, strided=1, striped=1, rounds=1),
)
"""Tests that use what medium and knee have measured."""


@pytest.mark.parametrize("trial", SHORT, ids=lambda trial: trial.name)
def test_a_test_that_failed_is_no_hindrance_to_those_that_use_its_figures(folder: Path, trial: Trial) -> None:
    """Medium and knee without a figure are as if they had not been made; what follows is measured all the same."""
    with FileTarget(str(folder), 8 * MIB) as target:
        session = Runner(beside(target, seed=3)).run(profile(Refused("medium"), Refused("knee"), trial))
    first, second, third = session.results
    assert not first.figures
    assert not second.figures
    assert third.figures
    assert third.seconds


def test_time_that_is_over_ends_after_the_round(folder: Path) -> None:
    """With no time each trial has one round, so no interval."""
    session = run(folder, Sequential(seconds=0.05, depths=(1,), positions=(0.0,)), budget=0.001)
    figures = session.results[0].figures
    assert all(one.low is None for one in figures.values())


def test_what_writes_is_left_out_where_only_reading_is_allowed(folder: Path) -> None:
    """A trial that writes has a result that says why there is none; those that read are carried out."""

    class ReadOnly(FileTarget):
        writable = False

    with ReadOnly(str(folder), 4 * MIB) as target:
        bench = beside(target, seed=3)
        reads = Seeks(seconds=0.5, depths=(1,), rounds=1)
        session = Runner(bench, again=False).run(profile(Commits(), reads))
    assert [(one.trial, bool(one.figures)) for one in session.results] == [("commits", False), ("seeks", True)]
    assert "may only be read" in session.results[0].reasons[0]
    assert bench.written == 0


@pytest.mark.parametrize(("reads", "told"), [(240, False), (360, True)])
def test_fewer_than_300_reads_give_no_typical_time(folder: Path, reads: int, told: bool) -> None:
    """As few as that print no figure, here as everywhere; how many they were is told all the same."""
    (result,) = run(folder, Medium(reads=reads, commits=12)).results
    found = result.figures["read_latency"]
    assert (found.measured is not None, found.n) == (told, reads)


def test_a_curve_of_too_little_has_no_figure_at_all(folder: Path) -> None:
    """Nor the ratio of its two ends, where neither of them is told."""
    (result,) = run(folder, Zcav(positions=32, piece=MIB // 16, block=MIB // 64, passes=1)).results
    assert {name for name, found in result.figures.items() if found.measured is not None} == set()
    assert "ratio" in result.figures


def test_too_small_a_target_is_told(folder: Path) -> None:
    """A trial that needs more room than there is says so."""
    session = run(folder, Sequential(sizes=(64 * MIB,)))
    assert session.results[0].verdict == "inconclusive"
    assert "64 MiB" in session.results[0].reasons[0]


@pytest.mark.parametrize(("last", "unstable"), [(119.0, False), (121.0, True), (80.0, True), (None, None)])
def test_drift_is_a_difference_of_a_fifth(last: float | None, unstable: bool | None) -> None:
    """More than 20 % between the first test and the same at the end is an unstable environment."""
    first, again = (
        TrialResult(trial="seeks", figures={"read_qd1_all": Spread(measured=value, unit="ops/s", n=6)})
        for value in (100.0, last)
    )
    found = drift(first, again)
    assert found is not None
    assert (found.unstable, found.unit) == (unstable, "ops/s")


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (7969.0, 10890.0, "7,969 ops/s at the beginning and 10,890 ops/s at the end"),
        (12.1, 8.333, "12.1 ops/s at the beginning and 8.3 ops/s at the end"),
    ],
)
def test_drift_is_said_in_figures_that_can_be_compared(first: float, last: float, said: str) -> None:
    """Both figures are written alike, with their unit."""
    found = Drift(trial="seeks", figure="read_qd1_all", unit="ops/s", first=first, last=last, unstable=True)
    assert f"The first test gave {said}:" in _unstable(found)


@pytest.mark.parametrize("verdict", ["pass", "fail", "info", "suspect"])
def test_no_verdict_on_durability_stands_in_a_virtual_machine(verdict: str) -> None:
    """Whatever a trial says of durability, there it is inconclusive; what is not about it stays."""
    virtual = Confounder(name="virtual_machine", text="A guest.", forbids=True)
    of_commits, of_seeks = (TrialResult(trial=name, figures={}, verdict=verdict) for name in ("commits", "seeks"))  # type: ignore[arg-type]  # the parametrised words are verdicts
    assert weighed(of_commits, [virtual]).verdict == "inconclusive"
    assert weighed(of_seeks, [virtual]).verdict == verdict


def test_evidence_is_made_of_intervals() -> None:
    """A rate without an interval is no evidence; one above any disk's gives the fastest disk as the limit."""
    medium = TrialResult(trial="medium", figures={}, series={"medium": "rotating"})
    rates = {name: Spread(measured=900.0, unit="ops/s", n=6, low=low) for name, low in (("commits", None),)}
    assert evidence({"medium": medium, "commits": TrialResult(trial="commits", figures=rates)}).commits is None
    sure = {"commits": Spread(measured=900.0, unit="ops/s", n=6, low=850.0, high=950.0)}
    found = evidence({"medium": medium, "commits": TrialResult(trial="commits", figures=sure)})
    assert (found.limit, found.medium) == (250.0, "rotating")


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_keep_to_their_time(name: str) -> None:
    """What the trials of a profile ask for together, the first of them twice, is within its seconds."""
    wanted = PROFILES[name]
    target = Memory(handle=-1, size=wanted.size, writable=True)
    needs = [trial.needs(target).seconds for trial in (*wanted.trials, wanted.trials[0])]
    assert sum(needs) <= wanted.seconds


@pytest.mark.parametrize("name", PROFILES)
def test_each_trial_of_a_profile_has_a_name_of_its_own(name: str) -> None:
    """Results are kept by the name of their trial, so no two of a profile share one."""
    names = [trial.name for trial in PROFILES[name].trials]
    assert len(names) == len(set(names))
