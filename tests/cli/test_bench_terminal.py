"""The terminal of ``raidctl bench run``: the user declines, a bar is drawn, the terminal is closed."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from raidctl.errors import BenchError
from raidctl.output.bench_progress import Bar
from tests.support.terminal import read_until

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--size", "8MiB", "--seconds", "30", "--engine", "portable", "--no-save")


def drawn() -> tuple[Bar, Progress]:
    """A bar that is being drawn."""
    screen = Progress(console=Console(file=io.StringIO(), force_terminal=True))
    screen.start()
    return Bar(screen), screen


def test_a_bar_is_drawn_again_when_the_question_is_answered() -> None:
    """Or when a step in the meantime failed, and the run continues."""
    bar, screen = drawn()
    with bar.hidden():
        assert not screen.live.is_started
    assert screen.live.is_started
    with pytest.raises(BenchError), bar.hidden():
        raise BenchError("It is not switched.")
    assert screen.live.is_started
    screen.stop()


@pytest.mark.parametrize("reason", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_nothing_is_drawn_by_a_run_that_is_being_ended(reason: type[BaseException]) -> None:
    """No bar is started while Python exits. It would wait forever for a thread that cannot start."""
    bar, screen = drawn()
    with pytest.raises(reason), bar.hidden():
        raise reason
    assert not screen.live.is_started


def run_on_a_terminal(place: Path, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    """A run whose terminal is the handle."""
    leader, follower = pty.openpty()
    command = [
        "setsid",
        "--ctty",
        "--wait",
        sys.executable,
        "-m",
        "raidctl",
        "bench",
        "run",
        str(place),
        *SMALL,
        *words,
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=follower, stdout=follower, stderr=follower, env={**os.environ, "TERM": "xterm"}
    )
    os.close(follower)
    return process, leader


def test_a_no_is_the_answer_no(tmp_path: Path) -> None:
    """After the plan, a no ends the run with exit code 1 and a message."""
    process, terminal = run_on_a_terminal(tmp_path)
    assert b"a file of 8 MiB is created" in b" ".join(read_until(terminal, b"Begin? [Y/n]").split())
    os.write(terminal, b"n\n")
    assert b"raidctl:" in read_until(terminal, b"Nothing was done.")
    assert process.wait(60) == 1
    os.close(terminal)
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_that_goes_ends_a_run_that_leaves_nothing_behind(tmp_path: Path) -> None:
    """A run without its terminal ends by the signal. It does not end by the error of drawing a bar on nothing."""
    process, terminal = run_on_a_terminal(tmp_path, "--yes")
    read_until(terminal, b" left")
    os.close(terminal)
    assert process.wait(60) == 128 + signal.SIGHUP
    assert list(tmp_path.iterdir()) == []
