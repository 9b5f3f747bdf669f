"""``raidctl watch`` on a real terminal. However it ends, the terminal is restored."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.terminal import read_until, rest

ROOT = Path(__file__).resolve().parents[2]
SECOND_SCREEN, FIRST_SCREEN, CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


@contextmanager
def watched(
    state: Path, *command: str, term: str = "xterm", size: tuple[int, int] = (24, 80)
) -> Iterator[tuple[int, int]]:
    """Yield the terminal and the process of a command.

    The process leads the terminal's session as a shell's job does.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    words = ["--state-dir", str(state), "--demo", "p440", *(command or ("watch",))]
    environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    argv = [shutil.which("setsid") or "", "--ctty", sys.executable, "-m", "raidctl", *words]
    process = subprocess.Popen(
        argv, cwd=ROOT, stdin=follower, stdout=follower,
        stderr=follower, env={**environment, "TERM": term, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    os.close(follower)
    try:
        yield leader, process.pid
    finally:
        with suppress(OSError):
            os.close(leader)
        if process.poll() is None:
            process.kill()
            process.wait(60)


def ended(pid: int) -> int:
    """The exit code, as a shell has it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize(("how", "code"), [("ctrl-c", 0), (signal.SIGTERM, 143), (signal.SIGQUIT, -signal.SIGQUIT)])
def test_the_terminal_is_given_back(tmp_path: Path, how: str | signal.Signals, code: int) -> None:
    """The first screen, the cursor and all settings are restored. Until then, 20 columns are used."""
    with watched(tmp_path, size=(24, 20)) as (terminal, pid):
        before = termios.tcgetattr(terminal)
        shown = read_until(terminal, b"Events")
        assert SECOND_SCREEN in shown
        text = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", shown.decode())
        assert "CRITICAL" in text
        assert max(len(line.strip()) for line in text.splitlines()) <= 20
        if isinstance(how, str):
            os.write(terminal, b"\x03")
        else:
            os.kill(pid, how)
        end = read_until(terminal, FIRST_SCREEN)
        after = termios.tcgetattr(terminal)
        end += rest(terminal)
        assert CURSOR in end
        assert SECOND_SCREEN not in end.partition(FIRST_SCREEN)[2]
        assert b"Traceback" not in end
        assert after == before
        assert ended(pid) == code


def test_ctrl_z_gives_the_terminal_to_the_shell(tmp_path: Path) -> None:
    """While raidctl is stopped, the shell has the first screen. Afterwards raidctl continues."""
    with watched(tmp_path) as (terminal, pid):
        read_until(terminal, b"Events")
        os.kill(pid, signal.SIGTSTP)
        _, status = os.waitpid(pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert CURSOR in read_until(terminal, FIRST_SCREEN)
        os.kill(pid, signal.SIGCONT)
        read_until(terminal, SECOND_SCREEN)
        read_until(terminal, b"Events")
        os.write(terminal, b"\x03")
        assert FIRST_SCREEN in rest(terminal)
        assert ended(pid) == 0


def test_a_terminal_that_is_gone_ends_it(tmp_path: Path) -> None:
    """A terminal that is gone ends it by the signal.

    On a closed window or a lost ssh there is no error of drawing on nothing.
    """
    with watched(tmp_path) as (terminal, pid):
        read_until(terminal, b"Events")
        os.close(terminal)
        assert ended(pid) == 128 + signal.SIGHUP


def test_lines_that_are_drawn_give_the_terminal_back(tmp_path: Path) -> None:
    """Bars of tasks show the cursor again after the key that quits. A closed window is the signal's end."""
    with watched(tmp_path, "tasks", "--watch") as (terminal, pid):
        shown = read_until(terminal, b"37.2%")
        assert b"\x1b[?25l" in shown
        os.kill(pid, signal.SIGQUIT)
        assert CURSOR in rest(terminal)
        assert ended(pid) == -signal.SIGQUIT
    with watched(tmp_path, "tasks", "--watch") as (terminal, pid):
        read_until(terminal, b"37.2%")
        os.close(terminal)
        assert ended(pid) == 128 + signal.SIGHUP


INTERRUPTED_PICTURE = """
import os, signal, sys
from rich.console import Console
from raidctl.output.live_lines import live_lines

class Picture:
    drawn = 0

    def __rich_console__(self, *_):
        self.drawn += 1
        yield "37.2%"
        if self.drawn == 1:
            os.kill(os.getpid(), int(sys.argv[1]))

with live_lines(Console(force_terminal=True)) as live:
    live.update(Picture(), refresh=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
def test_a_signal_while_lines_are_drawn_gives_the_terminal_back(number: signal.Signals) -> None:
    """The cursor is shown again, although rich writes a picture only when it is complete."""
    argv = [sys.executable, "-c", INTERRUPTED_PICTURE, str(int(number))]
    run = subprocess.run(argv, cwd=ROOT, capture_output=True, check=False)
    assert run.stdout.startswith(b"\x1b[?25l")
    assert CURSOR in run.stdout
    assert run.returncode == -number


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    """Nothing but text, one line for each value, as in a pipe."""
    with watched(tmp_path, term="dumb") as (terminal, pid):
        shown = read_until(terminal, b"v2: active policy")
        os.write(terminal, b"\x03")
        shown += rest(terminal)
        assert b"\x1b" not in shown
        assert re.match(rb"\S+Z  health: CRITICAL", shown)
        assert ended(pid) == 0


def test_tasks_on_a_dumb_terminal_are_lines(tmp_path: Path) -> None:
    """It cannot redraw a bar, so each reading is a line, as in a pipe."""
    with watched(tmp_path, "tasks", "--watch", term="dumb") as (terminal, pid):
        shown = read_until(terminal, b"37.2")
        os.write(terminal, b"\x03")
        shown += rest(terminal)
        assert b"\x1b" not in shown
        assert b"rebuild of" in shown
        assert ended(pid) == 7
