"""A batch in a process of its own: its load, its signals, its end."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.slow


class Batch:
    """``raidctl --demo p400 batch`` with a state directory of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.running: list[subprocess.Popen[str]] = []

    def raidctl(self, *words: str) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", "raidctl", "--state-dir", str(self.place / "state"), "--demo", "p400", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; in a process of its own if it has a load."""
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

    def guardian(self) -> int:
        """The process that puts back when the batch is killed."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_text(encoding="utf-8").split("\0")
                if "--when-gone" in words and str(self.place / "state") in words:
                    return int(path.parent.name)
        raise AssertionError("the batch has no guardian")

    def policy(self) -> str:
        """The write policy that the machine has now."""
        [card] = json.loads(self.run("show", "--json").stdout)["controllers"]
        policy: str = card["volumes"][0]["cache"]["write_policy"]
        return policy


@pytest.fixture
def batch(tmp_path: Path) -> Iterator[Batch]:
    """A machine for a batch."""
    made = Batch(tmp_path)
    yield made
    for process in made.running:
        process.kill()
        process.wait()


def test_the_policy_is_in_force_while_the_load_runs_and_is_put_back(batch: Batch) -> None:
    """The load sees the policy; afterwards the machine is as before."""
    before = batch.policy()
    load = batch.start("sleep 60")
    during = batch.policy()
    load.send_signal(signal.SIGTERM)
    load.wait(PATIENCE)
    assert (before, during, batch.policy()) == ("protected_write_back", "write_through", "protected_write_back")


@pytest.mark.parametrize(("load", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_the_exit_code_of_the_load_is_passed_on(batch: Batch, load: str, code: int) -> None:
    """Also that of a load that a signal has ended; the policy is put back in any case."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", "sh", "-c", load)
    assert done.returncode == code
    assert batch.policy() == "protected_write_back"


@pytest.mark.parametrize("load", ["/nowhere/load", "no-such-load", ""])
def test_a_command_that_is_not_there_is_127(batch: Batch, load: str) -> None:
    """As a shell says it; nothing is changed for it."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", load)
    assert done.returncode == 127
    assert "nothing was changed" in done.stderr
    assert "The journal is empty" in batch.run("journal").stdout


def test_a_command_that_cannot_be_run_is_126(batch: Batch, tmp_path: Path) -> None:
    """As a shell says it, with the reason, and the policy put back."""
    (tmp_path / "load").write_text("no program")
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", str(tmp_path / "load"))
    assert done.returncode == 126
    assert "cannot be run: Permission denied" in done.stderr
    assert batch.policy() == "protected_write_back"


def test_a_killed_batch_is_put_back_by_its_guardian(batch: Batch) -> None:
    """Killed with signal 9, it can do nothing itself: the second process does."""
    killed = batch.start("sleep 60")
    killed.kill()
    killed.wait()
    until(lambda: batch.policy() == "protected_write_back")
    until(lambda: "put back" in batch.run("journal").stdout)


def test_the_screen_says_that_a_change_is_under_way_or_cut_off(batch: Batch) -> None:
    """While a batch runs, and after it was killed with its guardian, "show" names it and what to do."""
    load = batch.start("sleep 60")
    assert "for the duration of a batch" in batch.run("show", "-v").stdout
    os.kill(batch.guardian(), signal.SIGKILL)
    load.kill()
    load.wait()
    assert "raidctl restore" in batch.run("show", "-v").stdout
    assert batch.run("restore").returncode == 0
    assert batch.policy() == "protected_write_back"
    assert "raidctl restore" not in batch.run("show", "-v").stdout


def test_a_second_batch_on_the_controller_is_refused_with_the_name_of_the_first(batch: Batch) -> None:
    """Nested or concurrent: the policy of the first must not be taken for what was there before."""
    batch.start("sleep 60")
    done = batch.run("batch", "--write", "protected-write-back", "/", "--yes", "--", "true")
    assert done.returncode == 3
    assert "sleep 60" in done.stderr
    assert batch.policy() == "write_through"


def test_a_batch_without_a_load_is_refused(batch: Batch) -> None:
    """Nothing is changed for nothing."""
    assert batch.run("batch", "--write", "write-through", "/", "--yes").returncode == 2


def test_what_is_put_back_does_not_hang_on_the_second_process(batch: Batch) -> None:
    """When the guardian was killed, the batch ends as it would have: policy put back, exit code passed on."""
    load = batch.start("sleep 1; exit 7")
    os.kill(batch.guardian(), signal.SIGKILL)
    assert load.wait(PATIENCE) == 7
    assert batch.policy() == "protected_write_back"


def test_the_guardian_outlives_the_signals_of_a_logout(batch: Batch) -> None:
    """The end of a session or a service reaches both; who puts back must still be there when the batch is killed."""
    load = batch.start("sleep 60")
    guardian = batch.guardian()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(guardian, number)
    load.kill()
    load.wait(PATIENCE)
    until(lambda: batch.policy() == "protected_write_back")
    until(lambda: "put back" in batch.run("journal").stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_to_raidctl_reaches_the_load(batch: Batch, number: signal.Signals) -> None:
    """Without a terminal that sends it to both; the load has the word, and what it ends with is passed on."""
    name = number.name.removeprefix("SIG")
    ready = batch.place / "ready"
    load = batch.start(f"trap 'exit 9' {name}; touch {ready}; while :; do sleep 0.1; done")
    until(ready.exists)
    load.send_signal(number)
    assert load.wait(PATIENCE) == 9
    assert batch.policy() == "protected_write_back"


def test_standard_output_belongs_to_the_load(batch: Batch) -> None:
    """Plan and remarks are on standard error: a dump that is piped through a batch is the dump."""
    done = batch.run("batch", "--write", "write-through", "/", "--yes", "--", "echo", "--", "dump")
    assert done.stdout == "-- dump\n"
    assert "arrayaccelerator=disable" in done.stderr
    refused = batch.run("batch", "--json", "--write", "write-through", "/", "--yes", "--", "true")
    assert refused.returncode == 2


def test_a_batch_can_be_tried_dry(batch: Batch) -> None:
    """The plan is printed, and neither it nor the load is carried out."""
    done = batch.run("batch", "--write", "write-through", "/", "--dry-run", "--", "touch", str(batch.place / "ran"))
    assert done.returncode == 0
    assert "arrayaccelerator=disable" in done.stdout
    assert not (batch.place / "ran").exists()
    assert batch.policy() == "protected_write_back"


def test_a_policy_that_is_there_already_is_kept_for_the_load(batch: Batch) -> None:
    """Nothing is changed, and nobody else changes the controller while the load relies on it."""
    ran = batch.place / "ran"
    words = batch.raidctl("batch", "--write", "protected-write-back", "/", "--yes", "--", "sh", "-c",
                          f"touch {ran}; sleep 60")  # fmt: skip
    load = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    batch.running.append(load)
    until(ran.exists)
    done = batch.run("cache", "split", "smartarray:1", "50/50", "--yes")
    assert done.returncode == 3
    assert "sleep 60" in done.stderr
    load.terminate()
    assert load.wait(PATIENCE) == 128 + signal.SIGTERM


def test_what_was_cut_off_is_not_taken_for_what_was_there(batch: Batch) -> None:
    """After a batch was killed with its guardian, nothing is changed on the controller before it is restored."""
    load = batch.start("sleep 60")
    os.kill(batch.guardian(), signal.SIGKILL)
    load.kill()
    load.wait()
    refused = batch.run("batch", "--write", "protected-write-back", "/", "--yes", "--", "true")
    assert refused.returncode == 3
    assert "raidctl restore --demo p400" in refused.stderr
    assert batch.policy() == "write_through"
    assert batch.run("restore").returncode == 0
    assert batch.run("batch", "--write", "write-through", "/", "--yes", "--", "true").returncode == 0
    assert batch.policy() == "protected_write_back"


def test_what_was_cut_off_can_be_given_up(batch: Batch) -> None:
    """A change that is never to be put back is ended by name, with the commands that would; nothing is touched."""
    load = batch.start("sleep 60")
    os.kill(batch.guardian(), signal.SIGKILL)
    load.kill()
    load.wait()
    [story] = json.loads(batch.run("journal", "--json").stdout)
    done = batch.run("restore", "--forget", story["begin"]["change"])
    assert done.returncode == 0
    assert "arrayaccelerator=enable" in done.stderr
    assert batch.policy() == "write_through"
    assert "Nothing" in batch.run("restore").stderr
    assert batch.run("restore", "--forget", "c0ffee").returncode == 2


def test_a_load_that_was_started_not_to_hear_a_signal_does_not(batch: Batch) -> None:
    """As in the background of a script, where an interrupt is ignored."""
    ran = batch.place / "ran"
    load = f"touch {ran}; sleep 1; exit 5"
    words = batch.raidctl("batch", "--write", "write-through", "/", "--yes", "--", "sh", "-c", load)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    batch.running.append(process)
    until(ran.exists)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 5


def test_a_ctrl_c_at_the_terminal_reaches_the_load_once(batch: Batch) -> None:
    """The terminal sends it to both; raidctl does not send it again, and puts back when the load has ended."""
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
    said = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 4096):
            said += piece
    os.close(ours)
    assert process.wait(PATIENCE) == 4
    assert said.count(b"heard") == 2
    assert batch.policy() == "protected_write_back"
