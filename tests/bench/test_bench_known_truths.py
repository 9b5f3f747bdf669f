"""The evidence table on a model with a virtual clock. ``benchmarks/known_truths.py`` uses a served one."""

from __future__ import annotations

import pytest

from tests.bench.truth_cases import TRUTHS
from tests.bench.truth_runs import SHORT, compute

pytestmark = pytest.mark.slow  # arithmetic, the same on every Python


@pytest.mark.parametrize("name", TRUTHS)
def test_each_known_truth_has_its_verdict(name: str) -> None:
    """Each case of the table has its true case and verdict. The trials are real, and the engine is computed."""
    run = compute(TRUTHS[name], SHORT, seed=1)
    assert (run.verdict, run.case) == (TRUTHS[name].verdict, TRUTHS[name].case), run.evidence


def test_every_row_of_the_table_has_a_case() -> None:
    """Each finding that passes or fails has a model."""
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
