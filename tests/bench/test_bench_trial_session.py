"""Sessions: alternating trials, the drift guard, Ctrl-C, errors, and cleanup."""

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
from tests.bench.served_model import ROOT
from tests.bench.virtual_clock import Computed, beside
from tests.support.processes import killed_on_error

QUICK = (Medium(reads=60, commits=60, rounds=6), Seeks(seconds=0.1, depths=(1,)), ReadBack(most=MIB))


@dataclass(kw_only=True)
class Counting(Computed):
    """An engine with an event before its n-th work."""

    at: int = -1
    happen: Callable[[], None] = lambda: None
    works: int = 0
    fault: int | None = None

    def run(self, target: Target, work: Work) -> Outcome:
        """Run the work."""
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


def test_a_result_names_exactly_the_engines_that_ran_it(folder: Path) -> None:
    """Each result names its engines, and the session all of them."""

    class Named(Computed):
        """An engine with another name for verification."""

        def run(self, target: Target, work: Work) -> Outcome:
            outcome = super().run(target, work)
            return replace(outcome, engine="comparing") if work.verify else outcome

    session = run(folder, *QUICK, engine=Named())
    named = {one.trial: one.engine for one in session.results}
    assert named == {"medium": "computed", "seeks": "computed", "readback": "computed, comparing"}
    assert session.engine == "computed, comparing"


def test_every_trial_has_a_result_in_the_order_of_the_profile(folder: Path) -> None:
    """Each result has engine and duration, and the file is removed. Progress never decreases."""
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


def test_rounds_of_trials_alternate(folder: Path) -> None:
    """The first two trials alternate. One that changes the state comes after them."""
    trials: list[str] = []
    with FileTarget(str(folder), 4 * MIB) as target:
        runner = Runner(beside(target, seed=3), lambda step: trials.append(step.trial))
        runner.run(profile(QUICK[2], *QUICK[:2]))
    assert trials[:4] == ["medium", "seeks", "medium", "seeks"]
    assert trials[trials.index("readback") :][-2:] == ["readback", "medium"]  # the last one is the guard against drift


@pytest.mark.parametrize("at", [1, 2, 5, 9])
def test_an_interruption_returns_the_figures_and_removes_the_file(folder: Path, at: int) -> None:
    """After Ctrl-C the session is marked, and started trials have their figures."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    session = run(folder, *QUICK, engine=Counting(at=at, happen=interrupt))
    assert session.interrupted
    assert len(session.results) < len(QUICK)
    assert not list(folder.iterdir())


def interrupted_at(line: int, folder: Path) -> tuple[set[int], int, bool | None]:
    """Interrupt a session at a line of its module.

    Returns the lines that were run, the works of the engine, and whether it is marked; None: the interruption was
    raised.
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
def test_an_interruption_at_any_line_keeps_the_figures(folder: Path) -> None:
    """An interruption at any line ends the session and marks it.

    Before the engine has run, the interruption may be raised instead.
    """
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
    """SIGINT during the commits marks the session and removes the file."""
    command = [sys.executable, "-c", _PROGRAM, str(folder), engine]
    with killed_on_error(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if line.strip() == "commits":
                break
        program.send_signal(signal.SIGINT)
        printed = program.stdout.read()
    assert (printed.split()[-1:], program.returncode) == (["interrupted"], 0)
    assert not list(folder.iterdir())


def test_an_error_of_the_engine_is_a_reason(folder: Path) -> None:
    """After I/O errors, the verdict is fail. There is no figure, and the file is removed."""
    session = run(folder, *QUICK[:2], engine=Counting(at=1, fault=errno.EIO))
    assert {one.verdict for one in session.results} == {"fail"}
    assert all("Input/output error" in one.reasons[0] for one in session.results)
    assert all(not one.figures for one in session.results)
    assert not list(folder.iterdir())


@dataclass(frozen=True)
class Refused:
    """A trial whose work the engine refuses. Its result has no figure."""

    name: str
    title: str = "a test that fails"
    alone: bool = False

    def needs(self, target: Target) -> Needs:
        """Return small needs."""
        del target
        return Needs(seconds=0.1, written=0)

    def run(self, bench: Bench) -> Steps:
        """Fail before the first round."""
        yield
        raise BenchError(f"The engine refuses {self.name} on {bench.target.name}.")


SHORT = (
    Commits(seconds=0.05),
    FlushSlope(amounts=(0, 1), block=4096, rounds=1),
    Overwrite(block=4096, seconds=0.02),
    ReadBack(most=MIB),
    RaidLevel(seconds=0.02, most=6, strided=1, striped=1, rounds=1),
)
"""Trials that use the results of medium and knee."""


@pytest.mark.parametrize("trial", SHORT, ids=lambda trial: trial.name)
def test_a_failed_trial_does_not_block_those_that_use_its_figures(folder: Path, trial: Trial) -> None:
    """If medium and knee have no figure, later trials are still measured."""
    with FileTarget(str(folder), 8 * MIB) as target:
        session = Runner(beside(target, seed=3)).run(profile(Refused("medium"), Refused("knee"), trial))
    first, second, third = session.results
    assert not first.figures
    assert not second.figures
    assert third.figures
    assert third.seconds


def test_the_time_limit_ends_after_the_round(folder: Path) -> None:
    """Without time, each trial has one of its six rounds."""
    works = []
    for budget in (None, 0.001):
        engine = Counting()
        run(folder, Sequential(seconds=0.05, depths=(1,), positions=(0.0,)), engine=engine, budget=budget)
        works.append(engine.works)
    assert works == [24, 4]


def test_trials_that_write_are_skipped_on_a_read_only_target(folder: Path) -> None:
    """A skipped trial has a result with the reason. Trials that read are run."""

    class ReadOnly(FileTarget):
        writable = False

    with ReadOnly(str(folder), 4 * MIB) as target:
        bench = beside(target, seed=3)
        reads = Seeks(seconds=0.5, depths=(1,), rounds=1)
        session = Runner(bench, again=False).run(profile(Commits(), reads))
    assert [(one.trial, bool(one.figures)) for one in session.results] == [("commits", False), ("seeks", True)]
    assert "may only be read" in session.results[0].reasons[0]
    assert bench.written == 0


@pytest.mark.parametrize(("reads", "known"), [(240, False), (360, True)])
def test_fewer_than_300_reads_give_no_typical_time(folder: Path, reads: int, known: bool) -> None:
    """Fewer than 300 reads have no typical time, only their number."""
    (result,) = run(folder, Medium(reads=reads, commits=12)).results
    found = result.figures["read_latency"]
    assert (found.measured is not None, found.n) == (known, reads)


def test_a_curve_of_too_few_reads_has_no_figure(folder: Path) -> None:
    """Without figures of its ends, the ratio has none either."""
    (result,) = run(folder, Zcav(positions=32, piece=MIB // 16, block=MIB // 64, passes=1)).results
    assert {name for name, found in result.figures.items() if found.measured is not None} == set()
    assert "ratio" in result.figures


def test_a_target_that_is_too_small_is_a_reason(folder: Path) -> None:
    """A trial that needs more space reports how much."""
    session = run(folder, Sequential(sizes=(64 * MIB,)))
    assert session.results[0].verdict == "inconclusive"
    assert "64 MiB" in session.results[0].reasons[0]


@pytest.mark.parametrize(("last", "unstable"), [(119.0, False), (121.0, True), (80.0, True), (None, None)])
def test_drift_is_a_difference_of_a_fifth(last: float | None, unstable: bool | None) -> None:
    """A difference of over 20% between first and last test is unstable."""
    first, again = (
        TrialResult(trial="seeks", figures={"read_qd1_all": Spread(measured=value, unit="ops/s", n=6)})
        for value in (100.0, last)
    )
    found = drift(first, again)
    assert found is not None
    assert (found.unstable, found.unit) == (unstable, "ops/s")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (7969.0, 10890.0, "7,969 ops/s at the beginning and 10,890 ops/s at the end"),
        (12.1, 8.333, "12.1 ops/s at the beginning and 8.3 ops/s at the end"),
    ],
)
def test_drift_is_printed_in_comparable_figures(first: float, last: float, expected: str) -> None:
    """Both figures have the same format and the unit."""
    found = Drift(trial="seeks", figure="read_qd1_all", unit="ops/s", first=first, last=last, unstable=True)
    assert f"The first test gave {expected}:" in _unstable(found)


@pytest.mark.parametrize("verdict", ["pass", "fail", "info", "suspect"])
def test_a_virtual_machine_has_no_verdict_on_durability(verdict: str) -> None:
    """A verdict on durability becomes inconclusive, any other is kept."""
    virtual = Confounder(name="virtual_machine", text="A guest.", forbids=True)
    of_commits, of_seeks = (TrialResult(trial=name, figures={}, verdict=verdict) for name in ("commits", "seeks"))  # type: ignore[arg-type]  # the parametrised words are verdicts
    assert weighed(of_commits, [virtual]).verdict == "inconclusive"
    assert weighed(of_seeks, [virtual]).verdict == verdict


def test_evidence_uses_intervals() -> None:
    """A rate without an interval is no evidence. One above any hard drive's has the fastest drive's as its limit."""
    medium = TrialResult(trial="medium", figures={}, series={"medium": "rotating"})
    rates = {name: Spread(measured=900.0, unit="ops/s", n=6, low=low) for name, low in (("commits", None),)}
    assert evidence({"medium": medium, "commits": TrialResult(trial="commits", figures=rates)}).commits is None
    sure = {"commits": Spread(measured=900.0, unit="ops/s", n=6, low=850.0, high=950.0)}
    found = evidence({"medium": medium, "commits": TrialResult(trial="commits", figures=sure)})
    assert (found.limit, found.medium) == (250.0, "rotating")


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_fit_into_their_time(name: str) -> None:
    """A profile's trials, the first one twice, fit into its seconds."""
    wanted = PROFILES[name]
    target = Memory(handle=-1, size=wanted.size, writable=True)
    needs = [trial.needs(target).seconds for trial in (*wanted.trials, wanted.trials[0])]
    assert sum(needs) <= wanted.seconds


@pytest.mark.parametrize("name", PROFILES)
def test_each_trial_of_a_profile_has_a_unique_name(name: str) -> None:
    """Results are stored by the name of their trial."""
    names = [trial.name for trial in PROFILES[name].trials]
    assert len(names) == len(set(names))
