"""The runner of this machine only: threads, root's caution, libudev."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from raidctl.request import Answer, Failure, Read, ReadAnswer, Request, Run, RunAnswer, UdevDatabase, Which, WhichAnswer
from raidctl.runners import process_group, programs, udev
from raidctl.runners.local import LocalRunner
from raidctl.runners.parallel import Task, WorkerPool
from raidctl.vendor.tools import call_problem
from tests.support.processes import killed_on_error
from tests.support.waiting import until

INTERRUPTED = """
import sys
from raidctl.request import Run
from raidctl.runners.local import LocalRunner
try:
    LocalRunner().carry_out([Run(("sh", "-c", f"echo $$ >>'{sys.argv[1]}'; sleep 3600 & wait")) for _ in range(3)])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_all_programs(tmp_path: Path) -> None:
    """An interruption reaches the programs of all threads and then the caller."""
    pids = tmp_path / "pids"
    argv = [sys.executable, "-c", INTERRUPTED, str(pids)]
    with killed_on_error(subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])) as other:
        until(lambda: pids.exists() and len(pids.read_text().split()) == 3)
        other.send_signal(signal.SIGINT)
        out, _ = other.communicate()
    assert (out, other.returncode) == (b"interrupted\n", 0)
    # killed is not gone yet: on a busy machine the kernel needs a moment for the last of a group
    left = [int(pid) for pid in pids.read_text().split()]
    until(lambda: not any(map(process_group.alive, left)))


def test_an_unknown_request_is_answered() -> None:
    """An unknown request fails; the runner does not crash."""

    class Strange(Request[Answer], frozen=True):
        pass

    (answer,) = LocalRunner().carry_out([Strange()])
    assert answer.trouble is Failure.FAILED


def test_root_does_not_trust_a_directory_that_others_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root does not search a PATH entry that others may write. Another user could put a program in it."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tmp_path.chmod(0o777)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/no/such/directory")
    assert str(tmp_path) not in programs.search_path()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert programs.search_path()[0] == str(tmp_path)
    tmp_path.chmod(stat.S_IRWXU)


def test_root_runs_nothing_that_others_can_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root runs nothing that others can exchange.

    No file, link or directory on its way may belong to another user or be writable by a group.
    """
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    folder = tmp_path / "above" / "bin"
    folder.mkdir(parents=True)
    tool = folder / "raidctl-tool"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setenv("PATH", f"{tmp_path}/link:/usr/bin")
    ways = [("raidctl-tool",), (str(tool),), (f"{tmp_path}/link/raidctl-tool",)]

    def troubles() -> set[Failure | None]:
        answers = LocalRunner().carry_out([Run(words) for words in ways])
        return {answer.trouble for answer in answers}

    if os.getuid() == 0:
        assert troubles() == {None}
    for part in (tool, folder, folder.parent, tmp_path):
        for mode in (0o775, 0o757):
            before = part.stat().st_mode
            part.chmod(mode)
            assert troubles() <= {Failure.DENIED, Failure.MISSING}, part
            [found, answer] = LocalRunner().carry_out([Which(str(tool)), Run((str(tool),))])
            assert isinstance(found, WhichAnswer)
            assert isinstance(answer, RunAnswer)
            assert found.path == str(tool), "it is there"
            problem = call_problem(Run((str(tool),)), answer)
            assert problem is not None
            assert "can be changed by others than root" in problem.message
            part.chmod(before)
        if os.getuid() == 0:
            os.chown(part, 1, 0)
            assert troubles() <= {Failure.DENIED, Failure.MISSING}, part
            os.chown(part, 0, 0)


def test_root_runs_raidctls_own_commands_from_where_raidctl_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``sudo .venv/bin/raidctl`` also runs ``.venv/bin/raidctl-mfi`` of that user, but no other program there."""
    for name in ("raidctl-mfi", "arcconf"):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o777)
    (tmp_path / "programs.py").touch(mode=0o666)
    (tmp_path / "programs.py").chmod(0o666)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/python")

    def troubles() -> list[Failure | None]:
        requests = [Run((f"{tmp_path}/{name}",)) for name in ("raidctl-mfi", "arcconf")]
        return [answer.trouble for answer in LocalRunner().carry_out(requests)]

    monkeypatch.setattr(programs, "__file__", f"{tmp_path}/programs.py")
    assert troubles() == [None, Failure.DENIED]
    if os.getuid() == 0:
        monkeypatch.setattr(programs, "__file__", "/usr/bin/env")
        assert troubles() == [Failure.DENIED, Failure.DENIED], "only root can change raidctl itself"


def test_a_directory_that_cannot_be_entered_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place on the PATH that cannot be looked into is skipped. It makes a program neither found nor forbidden."""

    def closed(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", closed)
    answers = LocalRunner().carry_out([Which("sh"), Run(("sh",))])
    assert [answer.trouble for answer in answers] == [Failure.MISSING] * 2


def test_a_file_that_may_not_be_read_is_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both words of the kernel for a missing right are DENIED."""
    (tmp_path / "file").touch()
    for error in (PermissionError(13, "Permission denied"), PermissionError(1, "Operation not permitted")):

        def refuse(*_: object, error: OSError = error) -> int:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", refuse)
            (answer,) = LocalRunner().carry_out([Read(str(tmp_path / "file"))])
        assert answer.trouble is Failure.DENIED


def test_without_a_temporary_directory_the_reason_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a place for a private directory, the answer is FAILED. The program does not run elsewhere."""

    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    (answer,) = LocalRunner().carry_out([Run(("true",))])
    assert answer.trouble is Failure.FAILED
    assert "No space left" in answer.detail


# Side by side


def test_work_that_hangs_in_the_kernel_is_given_up() -> None:
    """A read that never returns is answered in time, and does not delay the others."""
    forever = threading.Event()

    def hang() -> Answer:
        forever.wait(3600)
        return ReadAnswer(data=b"too late")

    late = ReadAnswer(trouble=Failure.TIMEOUT)
    tasks = [Task(hang, 0.1, late) for _ in range(3)] + [Task(lambda: ReadAnswer(data=b"x"), 60.0, late)]
    WorkerPool([[task] for task in tasks], threading.Event(), width=2).work()
    assert [task.answer for task in tasks] == [late, late, late, ReadAnswer(data=b"x")]
    forever.set()


def test_a_fault_of_ours_is_raised() -> None:
    """An exception in a thread is raised in the caller."""

    def fail() -> Answer:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        WorkerPool([[Task(fail)], [Task(Answer)]], threading.Event()).work()


def test_a_chain_is_done_in_order_by_one_worker() -> None:
    """Tasks of a chain run one after the other, in parallel with other chains."""
    seen: list[str] = []
    other = threading.Event()

    def task(name: str) -> Task:
        def work() -> Answer:
            if name == "a1":
                other.wait(60)
            seen.append(name)
            if name == "b2":
                other.set()
            return Answer()

        return Task(work)

    WorkerPool([[task("a1"), task("a2")], [task("b1"), task("b2")]], threading.Event()).work()
    assert seen == ["b1", "b2", "a1", "a2"]


def test_thousands_of_files_are_read_at_once(tmp_path: Path) -> None:
    """A batch has no size that is too large. It needs no thread for each request."""
    (tmp_path / "file").write_text("x")
    before = threading.active_count()
    answers = LocalRunner().carry_out([Read(str(tmp_path / "file"))] * 5000)
    assert all(isinstance(answer, ReadAnswer) and answer.data == b"x" for answer in answers)
    assert threading.active_count() <= before + 16


# The udev database


def test_the_database_has_the_form_of_udevadm() -> None:
    """P, N, S and E lines come in a fixed order. A blank line is between the devices."""
    text = udev.render(
        [
            ("/devices/pci0000:00/0000:00:02.0", None, (), {"SUBSYSTEM": "pci", "DRIVER": "ahci"}),
            (
                "/devices/pci0000:00/0000:00:01.0/block/sda",
                "/dev/sda",
                ("/dev/disk/by-path/b", "/dev/disk/by-id/a"),
                {"DEVNAME": "/dev/sda", "ID_MODEL": "A=B"},
            ),
        ]
    )
    assert text == (
        "P: /devices/pci0000:00/0000:00:01.0/block/sda\nN: sda\nS: disk/by-id/a\nS: disk/by-path/b\n"
        "E: DEVNAME=/dev/sda\nE: ID_MODEL=A=B\n\n"
        "P: /devices/pci0000:00/0000:00:02.0\nE: DRIVER=ahci\nE: SUBSYSTEM=pci\n\n"
    )
    assert udev.render([]) == ""


def test_a_name_with_a_line_break_starts_no_line() -> None:
    """What a drive calls itself cannot forge a property or a device."""
    text = udev.render([("/devices/x", None, (), {"ID_MODEL": "A\nE: ID_SERIAL=forged\r\n\nP: /devices/y"})])
    assert text.count("\n") == 3
    assert not any(line.startswith("E: ID_SERIAL") for line in text.splitlines())


def test_the_database_of_this_machine_is_read() -> None:
    """Every drive that the kernel shows is in the database. No udevd needs to run."""
    (answer,) = LocalRunner().carry_out([UdevDatabase()])
    assert isinstance(answer, ReadAnswer)
    assert answer.fine, answer.detail
    names = {line[3:] for line in (answer.text or "").splitlines() if line.startswith("N: ")}
    assert {path.name.replace("!", "/") for path in Path("/sys/block").iterdir()} <= names


def test_a_broken_library_is_a_trouble_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyudev or libudev the reply reports it, and discovery uses sysfs."""
    monkeypatch.setitem(sys.modules, "pyudev", None)
    (answer,) = LocalRunner().carry_out([UdevDatabase()])
    assert answer.trouble is Failure.MISSING
    assert "libudev" in answer.detail


def test_a_device_that_goes_meanwhile_is_left_out() -> None:
    """One device that cannot be read does not lose the others."""

    class Gone:
        device_path = "/devices/gone"
        device_node = None
        device_links = ()

        @property
        def properties(self) -> dict[str, str]:
            raise KeyError("DEVNAME")

    class Context:
        def list_devices(self, **_: str) -> list[object]:
            return [Gone()]

    assert list(udev._list(Context(), "block")) == []


def test_the_runner_starts_quickly() -> None:
    """Nothing heavy is imported with the runner. A program that only prints its version pays nothing."""
    code = "import sys, raidctl.runners.local, raidctl.runners.ssh; print({'pyudev', 'rich'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout == "set()\n"


def test_a_run_keeps_its_answer_class() -> None:
    """Each answer has the class of its request, locked or not."""
    answers = LocalRunner().carry_out([Run(("true",)), Run(("true",), lock="raidctl-test")])
    assert all(isinstance(answer, RunAnswer) and answer.code == 0 for answer in answers)
