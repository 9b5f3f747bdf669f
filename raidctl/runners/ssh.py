"""The runner of another machine, over the system's OpenSSH client.

The user's configuration, keys, agent and known_hosts are used; nothing is installed on the remote machine, which needs
a POSIX shell and the usual utilities. There is one connection, which ends with this process at the latest.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from raidctl.errors import UsageError
from raidctl.request import Answer, Failure, ReadAnswer, Request, Run, RunAnswer, UdevDatabase, Write, WriteAnswer
from raidctl.runners import remote
from raidctl.runners.answers import answer_of, chains_of, invalid, limited
from raidctl.runners.directory import private_directory
from raidctl.runners.parallel import Switch, Task, WorkerPool
from raidctl.runners.process import Bounds, Companion, Interrupted, run

CONNECT_PATIENCE = 45.0
"""Time limit in seconds for the connection, authentication included."""
WIDTH = 8
"""Sessions at a time: a server permits ten on a connection by default, and one holds the connection."""
PARTING = 15.0
"""Seconds that the remote side may take in addition to its own time limit."""
FILES_PATIENCE = 30.0
"""Seconds for a batch of files, plus a tenth of a second for each."""

FORBIDDEN = re.compile(r"[\x00-\x20\x7f'\"`$;&|<>(){}*?!#]")
"""Characters that no host name has, and that are dangerous in commands of the user's ssh configuration."""

OPTIONS = {
    "BatchMode": "yes",  # no question can be answered
    "ConnectTimeout": "10",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
    "LogLevel": "ERROR",
}


class SshRunner:
    """Carries requests out on another machine; use it as a context manager, or call :meth:`close`."""

    def __init__(
        self, destination: str, options: Sequence[str] = (), *, sudo: bool = False, timeout: float | None = None
    ) -> None:
        """Prepare a runner; the first request connects.

        Args:
            destination: As for ssh: ``host``, ``user@host``, ``ssh://user@host:port``.
            options: Arguments for ssh, before all others, which they override (``("-F", "file")``).
            sudo: Whether to run everything through ``sudo -n`` there.
            timeout: Seconds for the connection, a batch of files, and each reading program, instead of the defaults.

        Raises:
            UsageError: The destination is invalid.
        """
        host = destination.removeprefix("ssh://").rpartition("@")[2]
        if destination.startswith("-") or host.startswith("-") or not host or FORBIDDEN.search(destination):
            raise UsageError(f"{destination!r} is not a host name; use --host [user@]HOST.")
        self.destination = destination
        self._options = tuple(options)
        self._command = "exec sudo -n -- /bin/sh -s" if sudo else "exec /bin/sh -s"
        self._sudo = sudo
        self._timeout = timeout
        self._guard = threading.Lock()
        self._switch = Switch()
        self._kept = contextlib.ExitStack()
        self._connection: Companion | None = None
        self._socket = ""
        self._failure = ""

    def __enter__(self) -> SshRunner:  # noqa: PYI034 - Self came with Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the running requests, also from another thread, and the connection; later requests are refused."""
        self._switch.close()
        with self._guard:
            self._kept.close()
            self._connection, self._failure = None, ""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order: all files in one batch, programs in parallel.

        After the connection has failed, every request fails immediately.

        Raises:
            Interrupted: The runner was closed.
        """
        with self._switch.event() as stop:
            return self._carry_out(requests, stop) if requests else ()

    def _carry_out(self, requests: Sequence[Request[Any]], stop: threading.Event) -> Sequence[Answer]:
        if stop.is_set():
            raise Interrupted
        failure = self._connect()
        if failure:
            return tuple(answer_of(request, Failure.FAILED, failure) for request in requests)
        answers = {
            index: answer_of(request, Failure.FAILED, reason)
            for index, request in enumerate(requests)
            if (reason := invalid(request))
        }
        asked = {index: request for index, request in enumerate(requests) if index not in answers}
        files = {
            index: request for index, request in asked.items() if not isinstance(request, (Run, UdevDatabase, Write))
        }
        batch = [Task(functools.partial(self._files, files, answers, stop))] if files else []
        tasks = {
            index: Task(functools.partial(self._program, request, stop))
            for index, request in asked.items()
            if isinstance(request, (Run, UdevDatabase, Write))
        }
        chains = [[tasks[index] for index in chain if index in tasks] for chain in chains_of(requests)]
        WorkerPool([batch, *chains], stop, WIDTH).work()
        answers |= {index: task.answer for index, task in tasks.items() if task.answer is not None}
        return tuple(answers[index] for index in range(len(requests)))

    # The connection

    def _ssh(self, *more: str) -> list[str]:
        words = [f"{name}={value}" for name, value in OPTIONS.items()]
        options = [part for word in (*words, f"ControlPath={self._socket}", *more) for part in ("-o", word)]
        return ["ssh", *self._options, "-T", *options, "--", self.destination]

    def _connect(self) -> str:
        """Connect if needed; return why it failed, empty if it did not."""
        with self._guard:
            if not self._failure and self._connection is None:
                self._failure = self._open()
            if not self._failure and self._connection is not None and not self._connection.running:
                self._failure = self._lost(self._connection.errors())
            return self._failure

    def _open(self) -> str:
        try:
            # a socket's name may have 107 bytes, and ssh first appends 17
            directory = self._kept.enter_context(private_directory(80))
        except OSError as error:
            return f"Cannot create a directory for the connection's socket: {error.strerror or error}"
        self._socket = f"{directory}/ssh"
        # a command that ends with its input, so the connection ends with this process
        argv = [*self._ssh("ControlMaster=yes", "ControlPersist=no"), "exec cat"]
        try:
            connection = Companion(argv, _environment())
        except FileNotFoundError:
            return "ssh is not installed on this machine; install the OpenSSH client."
        except OSError as error:
            return f"ssh cannot be started: {error.strerror}"
        self._kept.callback(connection.end)
        patience = self._timeout or CONNECT_PATIENCE
        deadline = time.monotonic() + patience
        while not os.path.exists(self._socket):  # noqa: PTH110 - every few milliseconds
            if not connection.running:
                return self._lost(connection.errors())
            if time.monotonic() >= deadline:
                return self._lost(f"no connection after {patience:g} s")
            time.sleep(0.005)
        self._connection = connection
        return ""

    def _lost(self, errors: str) -> str:
        errors = _host_key(errors, self.destination) or errors or "closed by the remote side"
        return f"No connection to {self.destination}: {errors}"

    def _client(
        self, script: bytes, mark: str, seconds: float, size: int, stop: threading.Event, *, changes: bool = False
    ) -> RunAnswer:
        """Run a script in one session; try once more if the remote shell never began.

        The time limit counts from when the shell begins. A change is not tried again: the first shell may still begin.
        """
        bounds = Bounds(
            seconds=seconds, size=size, feed=script, until=f"{mark}.".encode(), stop=stop,
            begin=f"{mark}!".encode(), patience=self._timeout or CONNECT_PATIENCE,
        )  # fmt: skip
        argv = [*self._ssh("ControlMaster=no"), self._command]
        answer = run(argv, environment=_environment(), bounds=bounds)
        denied = self._sudo and answer.code not in {None, 255}
        if remote.began(answer, mark) or denied or (changes and answer.trouble) or self._connect():
            return answer
        return run(argv, environment=_environment(), bounds=bounds)

    def _no_shell(self, answer: RunAnswer) -> Answer:
        """Return the failure if the remote shell never began."""
        failure = self._connect()
        if failure:
            return Answer(trouble=Failure.FAILED, detail=failure)
        printed = (answer.error_text.strip() or answer.text.strip())[-400:]
        if self._sudo and answer.code not in {None, 255}:
            return Answer(trouble=Failure.DENIED, detail=f"sudo on {self.destination}: {printed}")
        trouble = Failure.TIMEOUT if answer.trouble is Failure.TIMEOUT else Failure.FAILED
        return Answer(trouble=trouble, detail=f"No shell on {self.destination}: {printed or answer.detail}")

    # The requests

    def _program(self, request: Run | UdevDatabase | Write, stop: threading.Event) -> Answer:
        if isinstance(request, UdevDatabase):
            return _database(self._run(Run(("udevadm", "info", "--export-db")), stop))
        if isinstance(request, Write):
            return _written(request, self._run(_writing(request), stop))
        return self._run(request, stop)

    def _run(self, request: Run, stop: threading.Event) -> RunAnswer:
        mark = _mark()
        request = limited(request, self._timeout)
        seconds = request.timeout * (1 if request.lock is None else 2) + PARTING
        if unfit := remote.unfit_feed(request.feed):
            return RunAnswer(trouble=Failure.FAILED, detail=f"{request.argv[0]}: {unfit}")
        script = remote.program_script(request, mark)
        answer = self._client(script, mark, seconds, request.limit + remote.SLACK, stop, changes=request.changes)
        found = remote.read_program(answer, mark, request)
        if found is None:
            why = self._no_shell(answer)
            return RunAnswer(trouble=why.trouble, detail=why.detail)
        return found

    def _files(self, requests: dict[int, Request[Any]], answers: dict[int, Answer], stop: threading.Event) -> Answer:
        mark = _mark()
        batch = tuple(requests.values())
        seconds = (self._timeout or FILES_PATIENCE) + len(batch) / 10
        answer = self._client(remote.files_script(batch, mark), mark, seconds, remote.answer_size(batch), stop)
        otherwise: Answer = answer if answer.trouble else Answer(detail="the connection was lost before the answer")
        if not remote.began(answer, mark):
            otherwise = self._no_shell(answer)
        answers.update(zip(requests, remote.read_files(answer.out, mark, batch, otherwise), strict=True))
        return Answer()


def _host_key(errors: str, destination: str) -> str | None:
    """Summarize ssh's banner on a changed host key; None if there is none."""
    if "IDENTIFICATION HAS CHANGED" not in errors:
        return None
    kind = re.search(r"fingerprint for the (\w+) key", errors)
    sent = re.search(r"SHA256:[\w+/=]+", errors)
    known = re.search(r"Offending .* in (\S+):(\d+)", errors)
    remove = re.search(r"ssh-keygen -f .+", errors)
    host = destination.removeprefix("ssh://").rpartition("@")[2]
    return (
        f"its host key has changed (now {sent[0] if sent else 'unknown'}; known from "
        f"{f'line {known[2]} of {known[1]}' if known else 'an earlier connection'}). Unless the host was reinstalled, "
        "this may be an attack. Compare with the output on the host itself: ssh-keygen -lf /etc/ssh/ssh_host_"
        f"{kind[1].lower() if kind else 'ed25519'}_key.pub; if it is the same: "
        f"{remove[0].strip() if remove else f'ssh-keygen -R {host}'}"
    )


def _environment() -> dict[str, str]:
    """Return ssh's environment: the user's (agent, home), with messages in the C locale."""
    return dict(os.environ) | {"LC_ALL": "C"}


def _mark() -> str:
    return f"raidctl-{secrets.token_hex(16)}"


def _writing(request: Write) -> Run:
    """Return the command that writes a word to an existing file."""
    line = 'test -f "$2" && printf %s "$1" >"$2"'
    return Run(("sh", "-c", line, "sh", request.data, request.path), timeout=request.timeout, changes=True)


def _written(request: Write, answer: RunAnswer) -> WriteAnswer:
    if answer.trouble is None and answer.code == 0:
        return WriteAnswer()
    printed = answer.error_text.strip()[-400:] or answer.detail or "no such file"
    return WriteAnswer(trouble=answer.trouble or Failure.FAILED, detail=f"{request.path}: {printed}")


def _database(answer: RunAnswer) -> ReadAnswer:
    """Return the udev database from its tool's output."""
    if answer.trouble is not None:
        return ReadAnswer(trouble=answer.trouble, detail=answer.detail)
    if answer.code != 0:
        printed = answer.error_text.strip()[-400:]
        return ReadAnswer(trouble=Failure.FAILED, detail=f"udevadm ended with exit code {answer.code}: {printed}")
    return ReadAnswer(data=answer.out)
