"""The evidence table, played by a model on a virtual clock; by a real one ``benchmarks/known_truths.py`` plays it."""

from __future__ import annotations

import pytest

from tests.bench.truth_cases import TRUTHS
from tests.bench.truth_runs import SHORT, compute

pytestmark = pytest.mark.slow  # arithmetic, the same on every Python


@pytest.mark.parametrize("name", TRUTHS)
def test_an_array_of_known_truth_is_computed_to_be_what_it_is(name: str) -> None:
    """Every case, with the trials that users have and the engine that only computes: the true case and its verdict."""
    run = compute(TRUTHS[name], SHORT, seed=1)
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
        ("fail", "write-back promised, not active"),
        ("pass", "destages on flush"),
        ("inconclusive", "barred"),
    }
