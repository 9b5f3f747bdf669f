"""What only ssh has: the connection, how it fails, the far shell."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.errors import UsageError
from raidctl.request import Failure, Glob, Read, ReadAnswer, Request, Run, RunAnswer, UdevDatabase, Which
from raidctl.runners import locks, process_group
from raidctl.runners.connection import Connection
from raidctl.runners.interrupted import Interrupted
from raidctl.runners.local import LocalRunner
from raidctl.runners.ssh import SshRunner
from tests.runners.conftest import MakeServer, Server, program
from tests.support.processes import killed_on_error
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.slow

EVERY_KIND: list[Request[Any]] = [
    Run(("true",)),
    Read("/etc/hostname"),
    Glob("/etc/host*"),
    Which("sh"),
    UdevDatabase(),
]


def wait_for(path: Path) -> list[int]:
    """The process numbers that a script writes to a file."""
    until(lambda: path.exists() and path.read_text().endswith("\n"))
    return [int(word) for word in path.read_text().split()]


def ended(*pids: int) -> bool:
    """Whether these process groups have ended, some time after they were killed."""
    until(lambda: not any(process_group.alive(pid) for pid in pids))
    return True


def begin_within(runner: SshRunner, *seconds: float) -> None:
    """Give each shell of the far machine this long to begin, in order, and all later ones as long as the last."""
    connection, limits = runner._connection, itertools.chain(seconds, itertools.repeat(seconds[-1]))
    assert isinstance(connection, Connection)
    connection._patience = PATIENCE
    run = connection.run
    vars(connection)["run"] = lambda bounds: run(msgspec.structs.replace(bounds, patience=next(limits)))


# The connection


def test_one_connection_carries_everything(make_server: MakeServer) -> None:
    """The server sees one login for many batches, programs and files.

    Programs run side by side. No login is left at the end.
    """
    server = make_server()
    with server.runner() as runner:
        for _ in range(3):
            answers = runner.carry_out([Run(("echo", "x")) for _ in range(12)] + [Read("/etc/hostname")] * 50)
            assert all(answer.fine for answer in answers)
    assert server.connections() == 1
    with server.runner() as runner:
        assert runner.carry_out([Run(("true",))])[0].fine
    assert server.connections() == 2


def test_the_connection_ends_with_the_runner(make_server: MakeServer) -> None:
    """After close(), no ssh process and no socket directory is left. Nothing more is carried out."""
    server = make_server()
    runner = server.runner()
    assert runner.carry_out([Run(("true",))])[0].fine
    assert isinstance(runner._connection, Connection)
    place = Path(runner._connection.socket).parent
    runner.close()
    assert not place.exists()
    with pytest.raises(Interrupted):
        runner.carry_out([Run(("true",))])
    runner.close()


def test_a_server_that_permits_one_session_is_served(make_server: MakeServer) -> None:
    """Where sessions cannot share a connection, each gets its own. The answers are the same."""
    server = make_server("MaxSessions 1")
    with server.runner() as runner:
        first, second = runner.carry_out([Run(("sh", "-c", "echo out; echo err >&2; exit 3")), Read("/etc/hostname")])
    assert first == RunAnswer(code=3, out=b"out\n", err=b"err\n")
    assert second.fine


def test_a_refused_connection_fails_everything_at_once(tmp_path: Path) -> None:
    """Where no server listens, each answer is FAILED with ssh's own words. Only the first one tries."""
    server = Server(tmp_path)
    with server.runner() as runner:
        answers = runner.carry_out(EVERY_KIND)
        server.start()
        again = runner.carry_out(EVERY_KIND * 20)
        server.stop()
    assert server.connections() == 0
    assert {answer.trouble for answer in (*answers, *again)} == {Failure.FAILED}
    assert all("Connection refused" in answer.detail and "127.0.0.1" in answer.detail for answer in answers)
    assert isinstance(answers[0], RunAnswer)
    assert isinstance(answers[4], ReadAnswer)


def test_an_unknown_host_key_is_not_accepted(make_server: MakeServer) -> None:
    """An unknown host is refused with ssh's own words, without a question."""
    server = make_server()
    (server.place / "known").write_text("")
    with server.runner() as runner:
        (answer,) = runner.carry_out([Run(("true",))])
    assert answer.trouble is Failure.FAILED
    assert "Host key verification failed" in answer.detail


def test_a_refused_login_is_reported(make_server: MakeServer) -> None:
    """A key that the server does not accept is FAILED. No password is requested."""
    server = make_server()
    (server.place / "authorized").write_text("")
    with server.runner() as runner:
        (answer,) = runner.carry_out([Read("/etc/hostname")])
    assert answer.trouble is Failure.FAILED
    assert "Permission denied" in answer.detail


def test_a_missing_client_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the ssh client, the message names what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (answer,) = SshRunner("host.example").carry_out([Run(("true",))])
    assert answer.trouble is Failure.FAILED
    assert "install" in answer.detail


@pytest.mark.parametrize(
    "name",
    [
        "-oProxyCommand=id",
        "user@-oProxyCommand=id",
        "",
        "user@",
        "a b",
        "a;id",
        "$(id)",
        "`id`",
        "a\nb",
        "a'b",
        "ssh://-x",
        "\0",
    ],
)
def test_a_name_that_is_no_host_is_refused(name: str) -> None:
    """A destination that ssh could take for an option, or a shell for a command, is a usage error."""
    with pytest.raises(UsageError):
        SshRunner(name)


@pytest.mark.parametrize(
    "name", ["host", "root@host.example", "ssh://me@host:2222", "::1", "fe80::1%eth0", "DOMAIN\\me@host"]
)
def test_usual_names_are_hosts(name: str) -> None:
    """Names, addresses, users and ports as ssh takes them."""
    assert SshRunner(name).destination == name


def test_a_lost_connection_fails_what_runs_and_what_follows(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program whose connection breaks is FAILED and has no result. It ends on the far side."""
    monkeypatch.setattr("raidctl.runners.connection.SETTLED", PATIENCE)  # a killed client may end late
    server = make_server()
    with server.runner() as runner:
        assert runner.carry_out([Run(("true",))])[0].fine
        assert isinstance(runner._connection, Connection)
        client = runner._connection._client
        assert client is not None
        popen = client._popen
        threading.Thread(target=lambda: popen.kill() if wait_for(tmp_path / "pid") else None).start()
        text = f"echo $$ >'{tmp_path}/pid'; echo begun; sleep 60"
        answers = runner.carry_out([Run(("sh", "-c", text)), Run(("sh", "-c", "sleep 50"))])
        again = runner.carry_out(EVERY_KIND)
    assert [answer.trouble for answer in answers] == [Failure.FAILED] * 2
    assert {answer.trouble for answer in again} == {Failure.FAILED}
    assert "127.0.0.1" in again[0].detail
    assert ended(*wait_for(tmp_path / "pid"))


KILLED = """
import sys
from raidctl.request import Run
from raidctl.runners.ssh import SshRunner
with SshRunner("127.0.0.1", ("-F", sys.argv[1])) as runner:
    runner.carry_out([Run(("true",))])
    open(f"{sys.argv[2]}/socket", "w").write(runner._connection.socket)
    runner.carry_out([Run(("sh", "-c", f"pwd >'{sys.argv[2]}/pwd'; echo $$ >'{sys.argv[2]}/pid'; sleep 60 & wait"))])
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_far_program_ends_with_this_process(server: Server, tmp_path: Path, number: signal.Signals) -> None:
    """However this process ends, the program on the other machine ends.

    Its children end as well, and no directory is left.
    """
    argv = [sys.executable, "-c", KILLED, str(server.place / "config"), str(tmp_path)]
    with killed_on_error(subprocess.Popen(argv, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)) as other:
        pids = wait_for(tmp_path / "pid")
        other.send_signal(number)
        other.wait()
    assert ended(*pids)
    place = Path((tmp_path / "pwd").read_text().strip()).parent
    until(lambda: not place.exists())
    assert not place.exists()
    # the only remains of a killed process: the empty directory of its socket, on its own machine
    shutil.rmtree(Path((tmp_path / "socket").read_text()).parent, ignore_errors=True)


@pytest.mark.usefixtures("uncollected")
def test_ctrl_c_goes_on(server: Server, tmp_path: Path) -> None:
    """An interruption of the caller ends the wait at once."""
    with server.runner() as runner:
        runner.carry_out([Run(("true",))])
        started = tmp_path / "started"
        sleeping = Run(("sh", "-c", f"touch {started}; sleep 3600"))

        def interrupt() -> None:
            until(started.exists)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            runner.carry_out([sleeping, sleeping])


# The far side


def through(words: str) -> str:
    """A line for sshd that does something around every command."""
    return f'ForceCommand {words}; eval "$SSH_ORIGINAL_COMMAND"'


def test_what_a_login_shell_prints_is_not_the_answer(make_server: MakeServer) -> None:
    """A greeting on both outputs comes before the reply and is dropped."""
    server = make_server(through("echo Welcome; echo warning >&2; cd /usr; LC_ALL=xx; export LC_ALL"))
    with server.runner() as runner:
        run, read = runner.carry_out([Run(("sh", "-c", "echo out; echo err >&2")), Read("/proc/sys/kernel/ostype")])
    assert run == RunAnswer(code=0, out=b"out\n", err=b"err\n")
    assert read == ReadAnswer(data=b"Linux\n")


@pytest.mark.parametrize("name", ["tcsh", "fish"])
def test_any_login_shell_starts_the_shell_that_is_needed(make_server: MakeServer, tmp_path: Path, name: str) -> None:
    """An account with another shell starts the one that is needed.

    The other one's start prints something and leaves a short PATH.
    """
    shell = program(name, name)
    (tmp_path / ".cshrc").write_text("echo from csh\nset path=(/usr/bin)\n")
    (tmp_path / "fish").mkdir()
    (tmp_path / "fish" / "config.fish").write_text("echo from fish\nset -x PATH /usr/bin\n")
    server = make_server(
        f'ForceCommand HOME={tmp_path} XDG_CONFIG_HOME={tmp_path} exec {shell} -c "$SSH_ORIGINAL_COMMAND"'
    )
    with server.runner() as runner:
        run, read, which = runner.carry_out([Run(("sh", "-c", "exit 3")), Read("/proc/version"), Which("mkfs")])
    assert run == RunAnswer(code=3)
    assert read == ReadAnswer(data=Path("/proc/version").read_bytes())
    assert which.fine


def test_a_login_that_never_ends_to_print_is_given_up(make_server: MakeServer) -> None:
    """Its output does not fill the local file system. The answer has the reason."""
    server = make_server("ForceCommand exec yes rubbish")
    with server.runner() as runner:
        (answer,) = runner.carry_out([Read("/etc/hostname")])
    assert answer.trouble is Failure.FLOOD
    assert "prints more than" in answer.detail


def test_an_account_without_a_shell_is_reported(make_server: MakeServer) -> None:
    """A login that only prints goodbye is FAILED for everything. The answers have what is known."""
    server = make_server("ForceCommand echo This account is closed; exit 1")
    with server.runner() as runner:
        answers = runner.carry_out(EVERY_KIND)
    assert {answer.trouble for answer in answers} == {Failure.FAILED}
    assert all("127.0.0.1" in answer.detail for answer in answers)


def test_the_time_of_a_request_begins_when_the_far_shell_answers(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A login may take longer than the reading of files may. Nothing is lost."""
    monkeypatch.setattr("raidctl.runners.ssh.FILES_PATIENCE", 5.0)
    monkeypatch.setattr("raidctl.runners.ssh.EXTRA_SECONDS", 1.0)
    server = make_server(through("sleep 6"))
    with server.runner() as runner:
        answers = runner.carry_out([Read("/proc/sys/kernel/ostype"), Run(("echo", "x"), timeout=4.0)])
    assert all(answer.fine for answer in answers), answers


@pytest.mark.parametrize("fault", ["exit 1", "sleep 100; exit 1"])
def test_a_shell_that_never_began_is_tried_once_more(make_server: MakeServer, tmp_path: Path, fault: str) -> None:
    """A shell that ended or hangs is retried. A hanging change is not, since it may still begin."""
    again, begun = tmp_path / "again", tmp_path / "begun"
    words = f"if [ -e {again} ]; then echo . >>{begun}; else touch {again}; {fault}; fi"
    server = make_server(through(words))
    ways: list[Request[Any]] = [Read("/etc/hostname"), Run(("true",)), Run(("true",), changes=True)]
    fine = []
    for request in ways:
        again.touch()
        begun.write_text("")
        with server.runner() as runner:
            # of three shells, the second is the one with the fault; only a hanging one is given up early
            begin_within(runner, PATIENCE, PATIENCE if fault == "exit 1" else 4.0, PATIENCE)
            assert runner.carry_out([Glob("/nothing")])[0].fine
            # the connection has a shell, too, which may begin late
            until(lambda: len(begun.read_text().split()) >= 2)
            again.unlink()
            fine.append(runner.carry_out([request])[0].fine)
    assert fine == [True, True, fault == "exit 1"]


def test_a_time_limit_that_was_asked_for_counts_for_all_that_reads(server: Server) -> None:
    """A change keeps its own: it belongs to its plan."""
    requests = [Run(("sleep", "2.5"), timeout=60), Run(("sleep", "2.5"), timeout=60, changes=True)]
    with SshRunner("127.0.0.1", ("-F", str(server.place / "config")), timeout=2) as far:
        begin_within(far, PATIENCE)
        for runner in (far, LocalRunner(timeout=2)):
            assert [answer.trouble for answer in runner.carry_out(requests)] == [Failure.TIMEOUT, None]


def test_sudo_is_used_when_asked_for(make_server: MakeServer, tmp_path: Path) -> None:
    """Everything goes through ``sudo -n``, programs and files."""
    (tmp_path / "sudo").write_text('#!/bin/sh\n[ "$1 $2" = "-n --" ] || exit 9\nshift 2\nBY_SUDO=yes exec "$@"\n')
    (tmp_path / "sudo").chmod(0o755)
    server = make_server(through(f"PATH={tmp_path}:$PATH"))
    with server.runner(sudo=True) as runner:
        run, read = runner.carry_out([Run(("echo", "x")), Read("/proc/self/environ")])
    assert run == RunAnswer(code=0, out=b"x\n")
    assert isinstance(read, ReadAnswer)
    assert b"BY_SUDO=yes" in (read.data or b"")


def test_a_refused_sudo_is_a_missing_right(make_server: MakeServer, tmp_path: Path) -> None:
    """If sudo requires a password, the answer is DENIED in sudo's words. The connection stays usable."""
    (tmp_path / "sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    (tmp_path / "sudo").chmod(0o755)
    server = make_server(through(f"PATH={tmp_path}:$PATH"))
    with server.runner(sudo=True) as runner:
        answers = runner.carry_out(EVERY_KIND)
    assert {answer.trouble for answer in answers} == {Failure.DENIED}
    assert all("a password is required" in answer.detail for answer in answers)


UDEVADM = "#!/bin/sh\n[ \"$*\" = 'info --export-db' ] || exit 9\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UDEVADM + "printf 'P: /devices/a\\nE: A=B\\n\\n'\n", ReadAnswer(data=b"P: /devices/a\nE: A=B\n\n")),
        (UDEVADM + "echo broken >&2; exit 2\n", Failure.FAILED),
    ],
)
def test_the_udev_database_comes_from_its_tool(
    make_server: MakeServer, tmp_path: Path, text: str, expected: ReadAnswer | Failure
) -> None:
    """``udevadm info --export-db`` replies; its message on a failure is the detail."""
    (tmp_path / "udevadm").write_text(text)
    (tmp_path / "udevadm").chmod(0o755)
    server = make_server(through(f"PATH={tmp_path}:$PATH"))
    with server.runner() as runner:
        (answer,) = runner.carry_out([UdevDatabase()])
    if isinstance(expected, ReadAnswer):
        assert answer == expected
    else:
        assert answer.trouble is expected
        assert "broken" in answer.detail


def test_a_lock_holds_between_a_local_and_a_far_user(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far machine's lock is the one its own raidctl uses. Its holder is named."""
    for name in ("XDG_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.delenv(name, raising=False)
    request = Run(("touch", str(tmp_path / "ran")), lock="raidctl-test-shared", timeout=1.0)
    with server.runner() as runner, locks.hold("raidctl-test-shared", 5.0):
        (answer,) = runner.carry_out([request])
    assert answer.trouble is Failure.TIMEOUT
    assert "raidctl-test-shared" in answer.detail
    assert f"process {os.getpid()}" in answer.detail
    assert not (tmp_path / "ran").exists()

    text = f"echo $$ >'{tmp_path}/begun'; until [ -e '{tmp_path}/tried' ]; do sleep 0.1; done"
    with server.runner() as runner:
        far = threading.Thread(
            target=runner.carry_out, args=([Run(("sh", "-c", text), lock="raidctl-test-shared", timeout=60.0)],)
        )
        far.start()
        wait_for(tmp_path / "begun")
        (answer,) = LocalRunner().carry_out([Run(("true",), lock="raidctl-test-shared", timeout=0.3)])
        (tmp_path / "tried").touch()
        far.join()
    assert answer.trouble is Failure.TIMEOUT
    assert LocalRunner().carry_out([Run(("true",), lock="raidctl-test-shared", timeout=60.0)])[0].fine
