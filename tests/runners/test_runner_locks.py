"""One user at a time: between threads, between processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from raidctl.request import Failure, Run, RunAnswer
from raidctl.runners import locks
from raidctl.runners.local import LocalRunner
from tests.support.waiting import PATIENCE

HOLD = """
import sys, time
from raidctl.runners.locks import hold
with hold(sys.argv[1], 60, directories=[sys.argv[2]]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(name: str, directory: Path) -> subprocess.Popen[bytes]:
    """Another process that has the lock until its input ends."""
    argv = [sys.executable, "-c", HOLD, name, str(directory)]
    other = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], env=dict(os.environ)
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    return other


def release(other: subprocess.Popen[bytes]) -> None:
    """Let the other process end."""
    other.communicate(timeout=60)


def test_a_lock_of_another_process_is_respected(tmp_path: Path) -> None:
    """The wait for another process's lock ends with a sentence. It names the lock and that process."""
    other = holder("family", tmp_path)
    try:
        began = time.monotonic()
        with (
            pytest.raises(locks.Busy, match=f"'family'.* process {other.pid} "),
            locks.hold("family", 0.3, directories=[str(tmp_path)]),
        ):
            pytest.fail("had the lock twice")
        assert 0.2 < time.monotonic() - began < 60
        with locks.hold("another", 0.3, directories=[str(tmp_path)]):
            pass
    finally:
        release(other)
    with locks.hold("family", 1.0, directories=[str(tmp_path)]):
        assert (tmp_path / "family.lock").read_text() == f"{os.getpid()}\n"


def test_a_run_that_waits_too_long_is_a_timeout(tmp_path: Path) -> None:
    """The runner's answer is TIMEOUT with the lock and its holder. Nothing ran."""
    other = holder("family", tmp_path)
    try:
        request = Run(("touch", str(tmp_path / "ran")), lock="family", timeout=0.3)
        (answer,) = LocalRunner([str(tmp_path)]).carry_out([request])
    finally:
        release(other)
    assert answer.trouble is Failure.TIMEOUT
    assert "family" in answer.detail
    assert str(other.pid) in answer.detail
    assert not (tmp_path / "ran").exists()


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    """The lock of a killed process is free at once."""
    other = holder("family", tmp_path)
    other.kill()
    release(other)
    with locks.hold("family", 1.0, directories=[str(tmp_path)]):
        pass


def test_a_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    """What a command leaves running does not have its lock."""
    runner = LocalRunner([str(tmp_path)])
    (first,) = runner.carry_out([Run(("sh", "-c", "sleep 120 >&- 2>&- & echo $!"), lock="family", changes=True)])
    (second,) = runner.carry_out([Run(("echo", "second"), lock="family", timeout=60.0)])
    assert isinstance(first, RunAnswer)
    os.kill(int(first.out), 9)
    assert isinstance(second, RunAnswer)
    assert second.out == b"second\n"


def test_threads_keep_apart_without_any_directory() -> None:
    """Where no lock file can be made, threads still keep apart. The lock holds between those of this process."""
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        with locks.hold("family", 60.0, directories=["/proc/none"]):
            inside += 1
            most = max(most, inside)
            time.sleep(0.02)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_thread_that_waits_too_long_gets_the_name_of_this_process() -> None:
    """The holder of a lock may be another thread. Then it is this process that is named."""
    with locks.hold("family", 1.0, directories=[]):
        failure: list[str] = []

        def work() -> None:
            try:
                with locks.hold("family", 0.1, directories=[]):
                    pass
            except locks.Busy as busy:
                failure.append(str(busy))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert f"process {os.getpid()}" in failure[0]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """A lock file that is a link is not opened. Its target is not changed."""
    (tmp_path / "locks").mkdir(mode=0o700)
    (tmp_path / "target").write_text("precious")
    (tmp_path / "locks" / "family.lock").symlink_to(tmp_path / "target")
    with locks.hold("family", 1.0, directories=[str(tmp_path / "locks")]):
        assert (tmp_path / "target").read_text() == "precious"


def test_the_second_place_is_taken_when_the_first_cannot_be_trusted(tmp_path: Path) -> None:
    """A directory that others may enter is passed over."""
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    with locks.hold("family", 1.0, directories=[str(tmp_path / "open"), str(tmp_path / "own")]):
        assert list((tmp_path / "open").iterdir()) == []
        assert (tmp_path / "own" / "family.lock").exists()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", ".", "", "ü", "a b"])
def test_any_name_is_one_file_in_the_directory(name: str) -> None:
    """No name leads out of the directory. Two names are two files."""
    assert "/" not in locks.file_name(name)
    assert not locks.file_name(name).startswith("..")
    assert locks.file_name(name) != locks.file_name(name + "x")


def test_places_are_only_this_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root's locks are under /run. Another user's are in the session's directory or in one with the user's number."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert locks.places()[0] == "/run/raidctl"
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1234")
    assert locks.places() == ("/run/user/1234/raidctl", "/tmp/raidctl-1234", "/var/tmp/raidctl-1234")  # noqa: S108 - names only
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    assert all(path.endswith("/raidctl-1234") for path in locks.places())


def compete(directory: str, log: str) -> None:
    """Take the lock some times, and write down each coming and going."""
    for _ in range(5):
        with locks.hold("family", PATIENCE, directories=[directory]), Path(log).open("a") as lines:
            lines.write("in\n")
            lines.flush()
            time.sleep(0.01)
            lines.write("out\n")


def test_two_processes_never_meet(tmp_path: Path) -> None:
    """Under competition, comings and goings alternate."""
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=compete, args=(str(tmp_path / "d"), str(tmp_path / "log"))) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join(PATIENCE)
        assert other.exitcode == 0
        other.close()
    assert (tmp_path / "log").read_text() == "in\nout\n" * 10
