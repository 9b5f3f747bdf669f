"""Figures that are limited by the engine rather than by the device."""

from __future__ import annotations

from pathlib import Path

import msgspec

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.trial import Bench
from raidctl.bench.work import Outcome, Target, Work
from raidctl.cli.shared.measuring import limited

FAST = Spread(measured=1e9, unit="ops/s", n=10**9)
SLOW = Spread(measured=100.0, unit="ops/s", n=1000)
EMPTY = Session(profile="quick", target="x", kind="file", size=1 << 20, results=())


def test_each_limited_figure_is_marked_once(tmp_path: Path) -> None:
    """A limit that a trial has reported is not reported again. Other figures are compared with the rate on memory."""
    with FileTarget(str(tmp_path), 1 << 20) as target:
        bench = Bench(target=target, engine=PortableEngine(), seed=7)
        (reason,) = bench.limits([(4096, 1, FAST.measured)])
        reported = TrialResult(trial="seeks", figures={"read_qd1_all": FAST}, reasons=(reason,))
        unreported = TrialResult(trial="medium", figures={"reads": FAST})
        assert limited(msgspec.structs.replace(EMPTY, results=(reported,)), bench).notes == ()
        assert limited(msgspec.structs.replace(EMPTY, results=(unreported,)), bench).notes == (
            f"medium, reads: {reason}",
        )


def test_commits_that_the_engine_limits_weigh_on_verdicts(tmp_path: Path) -> None:
    """Limited commits are a confounder, limited writes without a flush are not."""
    with FileTarget(str(tmp_path), 1 << 20) as target:
        bench = Bench(target=target, engine=PortableEngine(), seed=7)
        both = TrialResult(trial="commits", figures={"commits": SLOW, "unflushed": FAST})
        assert limited(msgspec.structs.replace(EMPTY, results=(both,)), bench).confounders == ()
        fast = TrialResult(trial="commits", figures={"commits": FAST, "unflushed": SLOW})
        (found,) = limited(msgspec.structs.replace(EMPTY, results=(fast,)), bench).confounders
        assert found.name == "engine_limited"
        assert found.text.startswith("commits: The engine limits this")


def test_ctrl_c_during_the_calibration_keeps_the_figures(tmp_path: Path) -> None:
    """An interrupted comparison with memory returns the session, marked as interrupted."""

    class Interrupted(PortableEngine):
        """An engine that is interrupted at once."""

        def run(self, target: Target, work: Work) -> Outcome:
            del target, work
            raise KeyboardInterrupt

    with FileTarget(str(tmp_path), 1 << 20) as target:
        whole = msgspec.structs.replace(EMPTY, results=(TrialResult(trial="medium", figures={"reads": FAST}),))
        found = limited(whole, Bench(target=target, engine=Interrupted(), seed=7))
    assert found.interrupted
    assert found.results == whole.results
