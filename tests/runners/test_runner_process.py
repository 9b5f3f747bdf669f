"""Starting, bounding and ending processes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from raidctl.request import Failure, Run, RunAnswer
from raidctl.runners import process
from raidctl.runners.directory import open_own, private_directory
from raidctl.runners.interrupted import Interrupted
from raidctl.runners.local import LocalRunner
from raidctl.runners.process import Bounds, Companion
from tests.support.waiting import PATIENCE, until

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def run(*argv: str, **more: object) -> RunAnswer:
    """A program's answer within bounds."""
    return process.run(argv, environment=ENVIRONMENT, bounds=Bounds(**more))  # type: ignore[arg-type] # by name


class OnceThere(threading.Event):
    """An event as soon as a program has written its number. It is set, or sends this process a signal."""

    def __init__(self, path: Path, number: signal.Signals | None = None) -> None:
        super().__init__()
        self.path, self.number = path, number

    def is_set(self) -> bool:
        """Checked repeatedly while the program is followed."""
        there = self.path.exists() and self.path.read_text().endswith("\n")
        if there and self.number is not None:
            os.kill(os.getpid(), self.number)
        return there


def test_input_is_fed_and_stays_open() -> None:
    """What is fed arrives whole, however large. The input ends only with the program."""
    data = bytes(range(256)) * 4000
    text = f"head -c {len(data)}; timeout 0.5 head -c 1; echo $?"  # 124: nothing came in time, not even the end
    answer = run("sh", "-c", text, feed=data, seconds=PATIENCE)
    assert (answer.trouble, answer.out) == (None, data + b"124\n")


def test_a_program_that_closes_its_input_still_has_a_result() -> None:
    """A closed input is up to the program; its result counts."""
    answer = run("sh", "-c", "exec <&-; echo heard nothing; sleep 0.2", feed=b"x" * 1_000_000, seconds=60.0)
    assert (answer.code, answer.out) == (0, b"heard nothing\n")


def test_the_agreed_last_bytes_end_the_wait() -> None:
    """With both outputs at their agreed end, the answer is there. It does not matter what else the program does."""
    began = time.monotonic()
    answer = run("sh", "-c", "printf a.END; printf b.END >&2; sleep 300; echo x", until=b".END", seconds=60.0)
    assert (answer.out, answer.err) == (b"a.END", b"b.END")
    assert time.monotonic() - began < 50


def test_a_program_that_closes_its_outputs_is_waited_for() -> None:
    """Closed outputs are not the end: the exit code or the time limit still follows."""
    assert run("sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 5", seconds=60.0).code == 5
    assert run("sh", "-c", "exec >&- 2>&-; sleep 30", seconds=0.3).trouble is Failure.TIMEOUT


def test_what_came_while_raidctl_was_paused_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last lines of a child are not lost if their time is over when raidctl continues."""
    transfer, go, calls = process._Child._transfer, tmp_path / "go", []

    def paused(child: process._Child, patience: float) -> None:
        transfer(child, patience)
        calls.extend([1] if child._ended() else [])
        if len(calls) == 2:  # the time of the last lines is running, and is over after this pause
            go.touch()
            until(lambda: bool(select.select([next(iter(child.kept))], [], [], 0)[0]))
            monkeypatch.setattr(process, "LINGER", 0.0)

    monkeypatch.setattr(process, "LINGER", PATIENCE)
    monkeypatch.setattr(process._Child, "_transfer", paused)
    text = f"(until [ -e {go} ]; do sleep 0.01; done; echo late; exec sleep 300) & echo early"
    assert run("sh", "-c", text).out == b"early\nlate\n"


def test_signals_and_files_are_as_a_tool_expects_them() -> None:
    """A broken pipe ends a tool quietly. No file of ours is open in it."""
    with Path("/etc/hostname").open() as ours:
        os.set_inheritable(ours.fileno(), True)
        answer = run("sh", "-c", "grep SigIgn /proc/self/status; readlink /proc/self/fd/* | grep hostname")
    _, ignored = answer.text.split()
    assert not int(ignored, 16) & (1 << (signal.SIGPIPE - 1))


def test_an_interruption_ends_the_program(tmp_path: Path) -> None:
    """Setting ``stop`` in another thread ends the program with its children."""
    stop = OnceThere(tmp_path / "pid")
    began = time.monotonic()
    with pytest.raises(Interrupted):
        run("sh", "-c", f"echo $$ >'{tmp_path}/pid'; sleep 300 & wait", seconds=300.0, stop=stop)
    assert time.monotonic() - began < 250
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_ctrl_c_ends_the_program_and_goes_on(tmp_path: Path) -> None:
    """KeyboardInterrupt in the very thread: the program is ended, the exception raised."""
    stop = OnceThere(tmp_path / "pid", signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run("sh", "-c", f"echo $$ >'{tmp_path}/pid'; exec sleep 300", seconds=300.0, stop=stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_failed_start_is_reported() -> None:
    """A failed start is FAILED, with the reason. There is no program, too long an argument, or no working directory."""
    assert process.run((), environment={}).trouble is Failure.FAILED
    too_long = process.run(("true", "x" * 4_000_000), environment=ENVIRONMENT)
    assert (too_long.trouble, "too long" in too_long.detail) == (Failure.FAILED, True)
    lost = process.run(("true",), environment=ENVIRONMENT, directory="/no/such/directory")
    assert lost.trouble is Failure.FAILED
    assert process.run(("true",), environment=ENVIRONMENT | {"A=B": "x"}).trouble is Failure.FAILED


def test_a_lost_exit_code_is_not_taken_for_success() -> None:
    """A lost exit code is FAILED and not 0. The kernel throws it away, as SIGCHLD is ignored."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        answer = run("sh", "-c", "echo x; exit 7")
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (answer.trouble, answer.code, answer.out) == (Failure.FAILED, None, b"x\n")


def test_a_companion_ends_with_its_input() -> None:
    """A companion process runs until its input ends, and reports its error."""
    companion = Companion(("sh", "-c", "echo trouble >&2; exec cat"), ENVIRONMENT)
    until(lambda: bool(companion.errors()))
    assert companion.running
    assert companion.errors() == "trouble"
    companion.end()
    with pytest.raises(OSError, match="none"):
        Companion(("/none",), ENVIRONMENT)


def test_a_private_directory_is_private_and_goes() -> None:
    """A private directory has mode 0700 and is removed with its contents. Its path is as short as asked for."""
    with private_directory(60) as path:
        assert len(path) <= 60
        assert Path(path).stat().st_mode & 0o777 == 0o700
        (Path(path) / "a").mkdir()
        (Path(path) / "a" / "b").touch()
    assert not Path(path).exists()


def test_a_full_temporary_directory_is_not_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the usual place cannot be written, another one is taken."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with private_directory() as path:
        assert not path.startswith(str(tmp_path))


def test_a_machine_without_a_temporary_directory_runs_its_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the root file system is read-only or full, and /tmp with it, Python finds none, and memory is used."""
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "gone")])
    [answer] = LocalRunner().carry_out([Run(("/bin/sh", "-c", "echo it works"))])
    assert isinstance(answer, RunAnswer)
    assert answer.text == "it works\n"


def test_a_directory_of_others_is_not_trusted(tmp_path: Path) -> None:
    """A file, a link or a directory open to others is refused. The user's own is created closed."""
    os.close(open_own(str(tmp_path / "own")))
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to("own")
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "file").touch()
    for name in ("link", "open", "file", "none/none"):
        with pytest.raises(OSError, match=name):
            open_own(str(tmp_path / name))


def test_an_interruption_while_a_program_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption while a program starts ends it.

    Between the program's start and its registration in raidctl, it would be left behind.
    """
    begun: list[subprocess.Popen[bytes]] = []

    class InterruptedPopen(subprocess.Popen[bytes]):
        """Ctrl-C comes as soon as the program is there."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            begun.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", InterruptedPopen)
    with pytest.raises(KeyboardInterrupt):
        run("sleep", "600")
    assert begun[0].returncode is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
