"""Simulated machines, also as executables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from raidctl.errors import UsageError
from raidctl.simulation.demo import names, simulators
from raidctl.simulation.executables import Fault, FaultKind, Tools, install
from raidctl.vendor.registry import vendors
from tests.support.printed import rendered, settings_of, texts
from tests.support.waiting import PATIENCE

VENDORS = vendors()[0]
LOOK = ("ctrl", "all", "show", "config", "detail")
SPLIT = ("ctrl", "slot=1", "modify", "cacheratio=50/50", "forced")
RATIO = "slot=1/cacheratio"


@pytest.fixture
def p400(tmp_path: Path) -> Tools:
    """The tool of a simulated P400."""
    return install("p400", tmp_path / "p400")


def call(tools: Tools, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run the tool as a shell would."""
    return subprocess.run(
        [tools.programs / "hpacucli", *words], capture_output=True, check=False, timeout=PATIENCE, env={}
    )


@pytest.mark.parametrize("demo", names(VENDORS))
def test_an_unchanged_machine_prints_what_was_recorded(demo: str) -> None:
    """The simulator of every family renders the recorded outputs byte for byte."""
    for simulator in simulators(VENDORS):
        assert rendered(simulator, demo, settings_of(simulator, texts(demo))) == texts(demo)


def test_a_change_is_seen_by_the_next_call(p400: Tools) -> None:
    """The state is in a file, not in a process."""
    assert b"25% Read / 75% Write" in call(p400, *LOOK).stdout
    assert call(p400, *SPLIT).returncode == 0
    assert b"50% Read / 50% Write" in call(p400, *LOOK).stdout


def test_an_executable_needs_nothing_of_the_environment_and_logs_its_calls(p400: Tools) -> None:
    """Each call is logged with its beginning and its end.

    The log also has whether it changes something, and its exit code.
    """
    call(p400, *LOOK)
    call(p400, *SPLIT)
    calls = p400.calls()
    assert [(item.event, item.changes) for item in calls] == [
        ("begin", False), ("end", False), ("begin", True), ("end", False),
    ]  # fmt: skip
    assert calls[2].argv == ("hpacucli", *SPLIT)
    assert calls[3].code == 0


def test_a_call_that_was_not_recorded_fails_as_a_tool_does(p400: Tools) -> None:
    """It prints an error and ends with 1."""
    done = call(p400, "ctrl", "slot=7", "dance")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr


@pytest.mark.slow
def test_calls_at_the_same_time_lose_no_change(p400: Tools) -> None:
    """Calls at the same time lose no change.

    Each of two settings is changed by one of ten processes that run side by side.
    """
    words = [SPLIT, ("ctrl", "slot=1", "modify", "dwc=enable", "forced"), *[LOOK] * 8]
    tool = p400.programs / "hpacucli"
    running = [subprocess.Popen([tool, *line], stdout=subprocess.DEVNULL) for line in words]
    assert [process.wait(PATIENCE) for process in running] == [0] * len(words)
    assert (p400.state[RATIO], p400.state["slot=1/drivewritecache"]) == ("50/50", "enable")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "code", "ratio"),
    [
        ("refuses", 1, "25/75"), ("lies", 0, "25/75"), ("prints garbage", 0, "25/75"), ("dies", -9, "25/75"),
        ("hangs", 1, "25/75"), ("dies after the change", -9, "50/50"), ("hangs after the change", 0, "50/50"),
        ("is slow", 0, "50/50"), ("takes effect late", 0, "25/75"),
    ],
)  # fmt: skip
def test_a_faulty_call_has_the_exit_code_and_effect_of_its_fault(
    p400: Tools, fault: FaultKind, code: int, ratio: str
) -> None:
    """The fault decides the exit code and the setting. Only the first changing call is faulty."""
    p400.fail(Fault(fault=fault, seconds=0.1))
    assert (call(p400, *SPLIT).returncode, p400.state[RATIO]) == (code, ratio)
    assert call(p400, *SPLIT).returncode == 0
    assert p400.state[RATIO] == "50/50"


def test_a_late_change_comes_after_some_readings(p400: Tools) -> None:
    """The first look still shows what was before."""
    p400.fail(Fault(fault="takes effect late", looks=1))
    call(p400, *SPLIT)
    assert b"25% Read" in call(p400, *LOOK).stdout
    assert b"50% Read" in call(p400, *LOOK).stdout


def test_a_call_takes_the_time_that_it_is_to_take(p400: Tools) -> None:
    """The log has each call's duration, from the start of its process."""
    p400.fail(seconds=0.7)
    call(p400, *LOOK)
    assert (p400.calls()[-1].seconds or 0) >= 0.7


def test_the_settings_outlive_a_second_installation(p400: Tools) -> None:
    """The executables are written again. Changes stay until they are reset."""
    call(p400, *SPLIT)
    assert install("p400", p400.place).state[RATIO] == "50/50"
    p400.reset()
    assert p400.state[RATIO] == "25/75"


def test_an_unknown_machine_is_refused_with_the_names_of_the_known(tmp_path: Path) -> None:
    """An unknown name is refused with the known ones, as by --demo."""
    with pytest.raises(UsageError, match="p400"):
        install("p500", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "raidctl.simulation", "p500", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "p400" in done.stderr
