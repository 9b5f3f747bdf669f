"""Which figures are the engine's own rather than the device's."""

from __future__ import annotations

from pathlib import Path

import msgspec

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.trial import Bench
from raidctl.bench.work import Outcome, Target, Work
from raidctl.cli.bench._measure import limited

FAST = Spread(measured=1e9, unit="ops/s", n=10**9)
SLOW = Spread(measured=100.0, unit="ops/s", n=1000)
EMPTY = Session(profile="quick", target="x", kind="file", size=1 << 20, results=())


def test_each_figure_is_marked_once_and_by_one_measure(tmp_path: Path) -> None:
    """What a test has said of itself is not said again; what it has not is held against the same rate on memory."""
    with FileTarget(str(tmp_path), 1 << 20) as target:
        bench = Bench(target=target, engine=PortableEngine(), seed=7)
        (said,) = bench.limits([(4096, 1, FAST.measured)])
        told = TrialResult(trial="seeks", figures={"read_qd1_all": FAST}, reasons=(said,))
        untold = TrialResult(trial="medium", figures={"reads": FAST})
        assert limited(msgspec.structs.replace(EMPTY, results=(told,)), bench).notes == ()
        assert limited(msgspec.structs.replace(EMPTY, results=(untold,)), bench).notes == (f"medium, reads: {said}",)


def test_commits_that_the_engine_limits_weigh_on_verdicts(tmp_path: Path) -> None:
    """Only those: a control without a flush may be as fast as it likes."""
    with FileTarget(str(tmp_path), 1 << 20) as target:
        bench = Bench(target=target, engine=PortableEngine(), seed=7)
        both = TrialResult(trial="commits", figures={"commits": SLOW, "unflushed": FAST})
        assert limited(msgspec.structs.replace(EMPTY, results=(both,)), bench).confounders == ()
        fast = TrialResult(trial="commits", figures={"commits": FAST, "unflushed": SLOW})
        (found,) = limited(msgspec.structs.replace(EMPTY, results=(fast,)), bench).confounders
        assert found.name == "engine_limited"


def test_ctrl_c_at_the_very_end_takes_no_figure(tmp_path: Path) -> None:
    """Interrupted while only the engine is held against memory, the session is handed back, and says so."""

    class Interrupted(PortableEngine):
        """As if somebody pressed Ctrl-C."""

        def run(self, target: Target, work: Work) -> Outcome:
            del target, work
            raise KeyboardInterrupt

    with FileTarget(str(tmp_path), 1 << 20) as target:
        whole = msgspec.structs.replace(EMPTY, results=(TrialResult(trial="medium", figures={"reads": FAST}),))
        found = limited(whole, Bench(target=target, engine=Interrupted(), seed=7))
    assert found.interrupted
    assert found.results == whole.results
