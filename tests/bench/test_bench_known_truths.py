"""The evidence table, played by a model: all cases in the model's own time, and each row by a real clock."""

from __future__ import annotations

import pytest

from tests.bench.truth_cases import TRUTHS
from tests.bench.truth_runs import SHORT, Run, compute, play

TRIES = 3
PAST = frozenset(name for name, truth in TRUTHS.items() if truth.raw)
"""What is measured past a layer as well, which takes two ways to a model that is served."""
CLOCKED = sorted(PAST | {next(n for n, t in TRUTHS.items() if t.case == case) for case in {
    truth.case for truth in TRUTHS.values() if truth.verdict in ("pass", "fail")}})  # fmt: skip
"""One of each row that passes or fails."""


def in_time(name: str) -> Run:
    """A run in which the host was in time; without one, the host is what would be judged.

    A host that was a little late leaves a verdict open: then it is measured again, and in the end has to be decided.
    """
    for number in range(TRIES):
        run = play(TRUTHS[name], SHORT, seed=7 + number)
        decided = run.verdict != "inconclusive" or number == TRIES - 1
        if decided and not run.disturbed:
            return run
        assert run.verdict == TRUTHS[name].verdict or run.verdict != "pass", run
    return pytest.skip(f"the host is too slow: {run.lateness}")


@pytest.mark.parametrize("name", sorted(TRUTHS.keys() - PAST))
@pytest.mark.parametrize("seed", range(2))
def test_an_array_of_known_truth_is_computed_to_be_what_it_is(name: str, seed: int) -> None:
    """Every case, with the trials that users have and the engine that only computes: the true case and its verdict."""
    run = compute(TRUTHS[name], SHORT, seed)
    assert (run.verdict, run.case) == (TRUTHS[name].verdict, TRUTHS[name].case), run.evidence


@pytest.mark.slow
@pytest.mark.parametrize("name", CLOCKED)
def test_an_array_of_known_truth_has_the_verdict_that_is_right(name: str) -> None:
    """Measured in real time by the trials that users have, the evidence gives the true case and its verdict."""
    run = in_time(name)
    assert (run.verdict, run.case) == (TRUTHS[name].verdict, TRUTHS[name].case), run.evidence


def test_every_row_of_the_table_is_played() -> None:
    """No finding that passes or fails is left without a model of it."""
    played = {(truth.verdict, truth.case) for truth in TRUTHS.values()}
    assert played >= {
        ("pass", "no cache"),
        ("pass", "honest volatile cache"),
        ("fail", "drive ignores the flush"),
        ("fail", "flush never sent"),
        ("inconclusive", "unknown cache"),
        ("pass", "battery-backed cache"),
        ("fail", "drives acknowledge early behind the controller"),
        ("fail", "write-back without a battery"),
        ("fail", "write-back promised, not in force"),
        ("pass", "destages on flush"),
        ("inconclusive", "barred"),
    }
