"""Trials that size caches, in the model's time."""

from __future__ import annotations

import pytest

from raidctl.bench.trials.knee import Knee as KneeTrial
from raidctl.bench.trials.overwrite import Overwrite, cache_of
from raidctl.bench.trials.readcache import ReadCache
from raidctl.bench.trials.trial import MIB, whole
from tests.bench.virtual_clock import Stage, drives_of

pytestmark = pytest.mark.slow  # arithmetic, the same on every Python


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("cache", [8, 32])
def test_the_read_cache_is_sized(cache: int, seed: int) -> None:
    """The size is within a fifth."""
    trial = ReadCache(most=128 * MIB, reads=250, seconds=0.6)
    result = whole(trial, Stage(drives_of(read_cache=cache * MIB)).bench(seed))
    assert result.verdict == "info"
    assert result.figures["read_cache"].measured == pytest.approx(cache, rel=0.2)


def test_without_a_read_cache_no_size_is_found() -> None:
    """Without a cache, the size is unknown."""
    result = whole(ReadCache(most=64 * MIB, reads=250), Stage(drives_of()).bench())
    assert (result.verdict, result.figures["read_cache"].measured) == ("info", None)


def test_repeated_reads_come_from_the_cache() -> None:
    """2 MiB that are read again are faster than a sequential read."""
    result = whole(ReadCache(most=4 * MIB, reads=40), Stage(drives_of(read_cache=16 * MIB)).bench())
    again, elsewhere = result.figures["reread"].measured, result.figures["elsewhere"].measured
    assert again is not None
    assert elsewhere is not None
    assert again > 1.3 * elsewhere


@pytest.mark.parametrize("seed", range(2))
def test_the_write_cache_is_sized_by_rewriting(seed: int) -> None:
    """Parts that fit into the cache of 32 MiB are fast. The knee agrees."""
    stage = Stage(drives_of(kind="battery", cache=32 * MIB)).bench(seed)
    stage.known["knee"] = whole(KneeTrial(most=256 * MIB, fills=1, rest=0.0), stage)
    result = whole(Overwrite(seconds=0.5), stage)
    found = result.figures["overwrite_cache"]
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 32 <= found.high <= 2 * found.low
    assert "The knee gives the same" in result.reasons[1]


def test_without_a_write_cache_rewriting_finds_none() -> None:
    """Without a cache, all parts are equally slow."""
    result = whole(Overwrite(most=64 * MIB), Stage(drives_of()).bench())
    assert result.figures["overwrite_cache"].measured is None


@pytest.mark.parametrize(
    "speeds",
    [
        {MIB: 100.0, 2 * MIB: 99.0, 4 * MIB: 98.0, 8 * MIB: 97.0},
        {MIB: 100.0, 2 * MIB: 20.0, 4 * MIB: 98.0, 8 * MIB: 19.0},
        {MIB: 100.0, 2 * MIB: 20.0},
    ],
)
def test_unclear_speeds_show_no_cache(speeds: dict[int, float]) -> None:
    """Speeds that are equal, unordered or too few have no size."""
    assert cache_of(speeds).measured is None
