"""A batch in a separate process: its load, its signals, its end."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from tests.support.processes import alive
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.slow


class Batch:
    """``raidctl --demo p400 batch`` with a separate state directory."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.running: list[subprocess.Popen[str]] = []
        self.released = f"until [ -e {place}/released ]; do sleep 0.1; done"
        """What a load runs to wait for `release`."""

    def release(self) -> None:
        """Let the load continue."""
        (self.place / "released").touch()

    def raidctl(self, *words: str) -> list[str]:
        """The command line of raidctl."""
        return [sys.executable, "-m", "raidctl", "--state-dir", str(self.place / "state"), "--demo", "p400", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, a batch in a separate process."""
        if words[0] == "batch":
            return subprocess.run(self.raidctl(*words), capture_output=True, text=True, check=False, timeout=PATIENCE)
        done = CliRunner().invoke(cli, self.raidctl(*words)[3:])
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    def start(self, *load: str) -> subprocess.Popen[str]:
        """Start a batch, and wait until its load runs."""
        marker = self.place / "running"
        words = (
            "batch",
            "--write",
            "write-through",
            "/",
            "--yes",
            "--",
            "sh",
            "-c",
            f"touch {marker}; {' '.join(load)}",
        )
        batch = subprocess.Popen(self.raidctl(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        self.running.append(batch)
        until(marker.exists)
        return batch

    def watchdog(self) -> int:
        """The process id of the watchdog. The watchdog restores if the batch is killed."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_text(encoding="utf-8").split("\0")
                if "--when-gone" in words and str(self.place / "state") in words:
                    return int(path.parent.name)
        raise AssertionError("the batch has no watchdog")

    def kill_watchdog(self) -> None:
        """Kill the watchdog, and wait until it has ended."""
        watchdog = self.watchdog()
        os.kill(watchdog, signal.SIGKILL)
        until(lambda: not alive(watchdog))

    def policy(self) -> str:
        """The current write policy of the machine."""
        [controller] = json.loads(self.run("show", "--json").stdout)["controllers"]
        policy: str = controller["volumes"][0]["cache"]["write_policy"]
        return policy


@pytest.fixture
def batch(tmp_path: Path) -> Iterator[Batch]:
    """A machine for a batch."""
    made = Batch(tmp_path)
    yield made
    for process in made.running:
        process.kill()
        process.wait()


def test_the_policy_is_active_while_the_load_runs_and_restored_afterwards(batch: Batch) -> None:
    """The policy is active only while the load runs."""
    before = batch.policy()
    load = batch.start("sleep 300")
    during = batch.policy()
    load.send_signal(signal.SIGTERM)
    load.wait(PATIENCE)
    assert (before, during, batch.policy()) == ("protected_write_back", "write_through", "protected_write_back")


@pytest.mark.parametrize(("load", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_the_exit_code_of_the_load_is_passed_on(batch: Batch, load: str, code: int) -> None:
    """The exit code of the load is returned, also for a signal. The policy is restored."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", "sh", "-c", load)
    assert done.returncode == code
    assert batch.policy() == "protected_write_back"


@pytest.mark.parametrize("load", ["/nowhere/load", "no-such-load", ""])
def test_a_missing_command_is_127(batch: Batch, load: str) -> None:
    """A missing command ends with 127, as in a shell. Nothing is changed."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", load)
    assert done.returncode == 127
    assert "nothing was changed" in done.stderr
    assert "The journal is empty" in batch.run("journal").stdout


def test_a_command_that_cannot_be_run_is_126(batch: Batch, tmp_path: Path) -> None:
    """A command without execute permission ends with 126, as in a shell. The policy is restored."""
    (tmp_path / "load").write_text("no program")
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", str(tmp_path / "load"))
    assert done.returncode == 126
    assert "cannot be run: Permission denied" in done.stderr
    assert batch.policy() == "protected_write_back"


def test_a_killed_batch_is_restored_by_its_watchdog(batch: Batch) -> None:
    """After signal 9, the watchdog restores the policy."""
    killed = batch.start("sleep 300")
    killed.kill()
    killed.wait()
    until(lambda: batch.policy() == "protected_write_back")
    until(lambda: "restored" in batch.run("journal").stdout)


def test_the_screen_reports_a_change_under_way_or_cut_off(batch: Batch) -> None:
    """``show`` names a running batch. After a kill with its watchdog, it names the command that restores."""
    load = batch.start("sleep 300")
    assert "for the duration of a batch" in batch.run("show", "-v").stdout
    batch.kill_watchdog()
    load.kill()
    load.wait()
    assert " restore`" in batch.run("show", "-v").stdout
    assert batch.run("restore").returncode == 0
    assert batch.policy() == "protected_write_back"
    assert " restore`" not in batch.run("show", "-v").stdout


def test_a_second_batch_on_the_controller_is_refused(batch: Batch) -> None:
    """The message names the first batch. Its temporary policy is not taken for the previous one."""
    batch.start("sleep 300")
    done = batch.run("batch", "--write", "protected-write-back", "/", "--yes", "--", "true")
    assert done.returncode == 3
    assert "sleep 300" in done.stderr
    assert batch.policy() == "write_through"


def test_a_batch_without_a_load_is_refused(batch: Batch) -> None:
    """A batch without a command is wrong usage."""
    assert batch.run("batch", "--write", "write-through", "/", "--yes").returncode == 2


def test_a_batch_restores_without_its_watchdog(batch: Batch) -> None:
    """A batch whose watchdog was killed restores the policy. It returns the exit code."""
    load = batch.start(f"{batch.released}; exit 7")
    batch.kill_watchdog()
    batch.release()
    assert load.wait(PATIENCE) == 7
    assert batch.policy() == "protected_write_back"


def test_the_watchdog_ignores_the_signals_of_a_logout(batch: Batch) -> None:
    """Signals to a whole session do not end the watchdog. It still restores the policy."""
    load = batch.start("sleep 300")
    watchdog = batch.watchdog()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(watchdog, number)
    load.kill()
    load.wait(PATIENCE)
    until(lambda: batch.policy() == "protected_write_back")
    until(lambda: "restored" in batch.run("journal").stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_to_raidctl_reaches_the_load(batch: Batch, number: signal.Signals) -> None:
    """The load gets the signal, and its exit code is returned."""
    name = number.name.removeprefix("SIG")
    ready = batch.place / "ready"
    load = batch.start(f"trap 'exit 9' {name}; touch {ready}; while :; do sleep 0.1; done")
    until(ready.exists)
    load.send_signal(number)
    assert load.wait(PATIENCE) == 9
    assert batch.policy() == "protected_write_back"


def test_standard_output_belongs_to_the_load(batch: Batch) -> None:
    """Only the load's output is on standard output. The plan and messages are on standard error."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", "echo", "--", "dump")
    assert done.stdout == "-- dump\n"
    assert "arrayaccelerator=disable" in done.stderr
    refused = batch.run("batch", "--json", "--write", "write-through", "/", "--yes", "--", "true")
    assert refused.returncode == 2


def test_a_dry_run_of_a_batch_changes_nothing(batch: Batch) -> None:
    """The plan is printed. Neither the plan nor the load is run."""
    done = batch.run("batch", "--write", "write-through", "/", "--dry-run", "--", "touch", str(batch.place / "ran"))
    assert done.returncode == 0
    assert "arrayaccelerator=disable" in done.stdout
    assert not (batch.place / "ran").exists()
    assert batch.policy() == "protected_write_back"


def test_an_active_policy_is_locked_for_the_load(batch: Batch) -> None:
    """Other changes to the controller are refused while the load runs. Nothing is changed."""
    ran = batch.place / "ran"
    words = batch.raidctl("batch", "--write", "protected-write-back", "/", "--yes", "--", "sh", "-c",
                          f"touch {ran}; sleep 300")  # fmt: skip
    load = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    batch.running.append(load)
    until(ran.exists)
    done = batch.run("cache", "split", "smartarray:1", "50/50", "--yes")
    assert done.returncode == 3
    assert "sleep 300" in done.stderr
    load.terminate()
    assert load.wait(PATIENCE) == 128 + signal.SIGTERM


def test_a_cut_off_batch_blocks_further_changes(batch: Batch) -> None:
    """A batch killed with its watchdog blocks other changes. Its controller has to be restored first."""
    load = batch.start("sleep 300")
    batch.kill_watchdog()
    load.kill()
    load.wait()
    refused = batch.run("batch", "--write", "protected-write-back", "/", "--yes", "--", "true")
    assert refused.returncode == 3
    assert re.search(r'"raidctl --demo p400 --state-dir \S+ restore"', refused.stderr)
    assert batch.policy() == "write_through"
    assert batch.run("restore").returncode == 0
    assert batch.run("batch", "--write", "write-through", "/", "--yes", "--", "true").returncode == 0
    assert batch.policy() == "protected_write_back"


def test_a_cut_off_batch_can_be_forgotten(batch: Batch) -> None:
    """``restore --forget`` ends a change by name, and changes nothing. It prints the undo commands."""
    load = batch.start("sleep 300")
    batch.kill_watchdog()
    load.kill()
    load.wait()
    [journaled] = json.loads(batch.run("journal", "--json").stdout)
    done = batch.run("restore", "--forget", journaled["begin"]["change"])
    assert done.returncode == 0
    assert "arrayaccelerator=enable" in done.stderr
    assert batch.policy() == "write_through"
    assert "Nothing" in batch.run("restore").stderr
    assert batch.run("restore", "--forget", "c0ffee").returncode == 2


def test_a_load_started_with_an_ignored_signal_ignores_it(batch: Batch) -> None:
    """A signal that a background job ignores at the start stays ignored."""
    ran = batch.place / "ran"
    load = f"touch {ran}; {batch.released}; exit 5"
    words = batch.raidctl("batch", "--write", "write-through", "/", "--yes", "--", "sh", "-c", load)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    batch.running.append(process)
    until(ran.exists)
    process.send_signal(signal.SIGINT)
    batch.release()
    assert process.wait(PATIENCE) == 5


def test_ctrl_c_at_the_terminal_reaches_the_load_once(batch: Batch) -> None:
    """The terminal signals both processes. raidctl does not repeat the signal, and restores at the load's end."""
    marker = batch.place / "running"
    load = f"trap 'echo heard; n=x$n; touch {marker}$n' INT; touch {marker}; "
    load += 'until [ "$n" = xx ]; do sleep 0.2; done; exit 4'
    words = batch.raidctl("batch", "--write", "write-through", "/", "--yes", "--", "sh", "-c", load)
    ours, its = pty.openpty()
    leader = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", leader, *words], stdin=its, stdout=its, stderr=its, start_new_session=True, text=True
    )
    batch.running.append(process)
    os.close(its)
    until(marker.exists)
    os.write(ours, b"\x03")
    until(marker.with_name("runningx").exists)
    assert process.poll() is None
    os.write(ours, b"\x03")
    output = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 4096):
            output += piece
    os.close(ours)
    assert process.wait(PATIENCE) == 4
    assert output.count(b"heard") == 2
    assert batch.policy() == "protected_write_back"
