"""Further trials over NBD against the timing model: scaling, alignment, read-ahead, steady state, settling."""

from __future__ import annotations

import pytest

from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.scaling import Scaling
from raidctl.bench.trials.steady import Steady
from raidctl.bench.trials.trial import KIB, Trial, whole
from tests.bench.trying import bench, modelled

DISK = ("--kind", "write-through", "--size", "16GiB", "--no-keep", "--rpm", "15000")


def test_the_drives_of_raid0_are_counted() -> None:
    """Random reads at growing depths tell four drives apart from one, within a third."""
    trial = Scaling(depths=(1, 2, 4, 8, 16), streams=(1,), seconds=0.4)
    with modelled(*DISK, "--level", "raid0", "--drives", "4") as (_, target):
        target._write = False  # only reads are of interest here
        result = whole(trial, bench(target))
    assert result.figures["spindles"].measured == pytest.approx(4, rel=1 / 3)


def test_operations_over_the_border_of_a_chunk_cost() -> None:
    """On RAID-0 a read of a whole chunk that begins in its middle keeps two drives busy: a warning."""
    trial = Alignment(sizes=(64 * KIB,), shifts=(32 * KIB,), depth=16, seconds=0.4)
    with modelled(*DISK, "--level", "raid0", "--drives", "4") as (_, target):
        target._write = False  # only reads are of interest here
        result = whole(trial, bench(target))
    ratio = result.figures["read_64k_plus_32768_ratio"]
    assert ratio.high is not None
    assert ratio.high < 0.85
    assert "slower" in result.reasons[0]


@pytest.mark.parametrize("trial", [ReadAhead(seconds=0.3), Steady(seconds=0.2, most=12)])
def test_flash_is_steady_and_reads_nothing_in_advance(trial: Trial) -> None:
    """Without rotation random places are as quick as a row, and writes are steady at once."""
    with modelled("--kind", "write-through", "--rpm", "0", "--no-keep") as (_, target):
        result = whole(trial, bench(target))
    if result.trial == "steady":
        assert result.verdict == "info"
        assert result.figures["steady"].measured is not None
    else:
        assert result.figures["gain"].measured == pytest.approx(1, rel=0.5)


def test_settling_takes_a_tenth_of_the_session_at_most() -> None:
    """Waiting for reads to become calm is bounded, however busy the drives stay."""
    with modelled("--kind", "battery", "--cache", "256MiB", "--destage", "1MB/s", "--no-keep") as (_, target):
        stage = bench(target)
        stage._quickest = 1.0  # nothing will ever be as quick again
        for _ in range(3):
            stage.settle()
    assert stage._waited < 1.0
