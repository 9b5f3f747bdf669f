"""The choice of the engine, its reason, and its ceiling."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from raidctl.bench.engines.calibrate import Ceiling, ceiling
from raidctl.bench.engines.choose import ENGINES, choose
from raidctl.bench.engines.native import compiled
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.work import Outcome, Target, Work
from raidctl.errors import BenchError, UsageError
from tests.bench.engine_bench import NAME, built, on_disk

built()


def test_the_compiled_engine_comes_first(tmp_path: Path) -> None:
    """It is chosen for a file, without a reason."""
    target = on_disk(tmp_path / "file", 1)
    choice = choose(target)
    os.close(target.handle)
    assert choice.engine.name == "native"
    assert choice.reason is None


def test_without_it_the_portable_one_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason mentions the missing compiler."""
    monkeypatch.setitem(sys.modules, NAME, None)
    target = on_disk(tmp_path / "file", 1)
    choice = choose(target)
    os.close(target.handle)
    assert choice.engine.name == "portable"
    assert "compiler" in (choice.reason or "")


def test_an_nbd_export_is_for_the_portable_one() -> None:
    """The compiled engine only supports descriptors."""
    choice = choose(NbdTarget("nbd://127.0.0.1/x"))
    assert choice.engine.name == "portable"
    assert "not a file or device" in (choice.reason or "")


@pytest.mark.parametrize(
    "name", ["native", "uring", "threads", "portable", pytest.param("fio", marks=pytest.mark.slow)]
)
def test_a_named_engine_is_chosen(tmp_path: Path, name: str) -> None:
    """Each engine can be chosen by its name."""
    target = on_disk(tmp_path / "file", 1)
    assert choose(target, name).engine.name == name
    os.close(target.handle)


def test_the_names_are_those_of_the_documentation() -> None:
    """The names are those of the documentation."""
    assert list(ENGINES) == ["native", "uring", "threads", "portable", "fio"]


def test_an_unusable_named_engine_is_an_error() -> None:
    """A named engine is never replaced by another one."""
    with pytest.raises(BenchError, match="fio measures nothing else"):
        choose(NbdTarget("nbd://127.0.0.1/x"), "fio")


def test_an_unknown_name_is_wrong_usage() -> None:
    """The message lists the names."""
    with pytest.raises(UsageError, match="native, uring, threads, portable, fio"):
        choose(NbdTarget("nbd://127.0.0.1/x"), "spdk")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["native", "threads", "uring", "portable"])
@pytest.mark.parametrize("depth", [1, 8])
def test_every_engine_is_calibrated_on_memory(name: str, depth: int) -> None:
    """The calibration has a rate for the shape, and its engine."""
    found = ceiling(ENGINES[name](), depth=depth)
    assert found.rate > 0
    assert (found.depth, found.size) == (depth, 4096)
    assert found.engine in {"threads", "uring", "portable"}


@pytest.mark.parametrize(("idle", "rounds"), [(2, 3), (3, 4)])
def test_a_round_without_a_read_loses_no_ceiling(monkeypatch: pytest.MonkeyPatch, idle: int, rounds: int) -> None:
    """On a busy machine an engine may have no chance within a round."""
    engine, seconds = PortableEngine(), list[float | None]()

    def run(target: Target, work: Work) -> Outcome:
        seconds.append(work.seconds)
        if len(seconds) <= idle:
            raise BenchError("No operation started before the time was over: the machine is too busy.")
        return PortableEngine().run(
            target, replace(work, streams=[replace(work.streams[0], cycle=False)], seconds=None)
        )

    monkeypatch.setattr(engine, "run", run)
    assert ceiling(engine).rate > 0
    assert len(seconds) == rounds


@pytest.mark.skipif(compiled().uring() != 0, reason="io_uring is forbidden here, so nothing is to choose")
@pytest.mark.parametrize(("direct", "used"), [(True, "uring"), (False, "threads")])
def test_the_ceiling_is_of_the_engine_that_measures(direct: bool, used: str) -> None:
    """Threads measure a deep queue with the page cache, io_uring without it. The ceiling is of the same engine."""
    assert ceiling(ENGINES["native"](), depth=8, direct=direct).engine == used


def test_a_figure_above_half_of_the_ceiling_is_marked() -> None:
    """A figure above half the ceiling may be limited by the engine."""
    found = Ceiling(engine="portable", rate=100_000.0, size=4096, depth=1, batch=1)
    assert found.limits(50_000) is None
    assert "51%" in (found.limits(51_000) or "")
