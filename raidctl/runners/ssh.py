"""The runner of another machine, over the system's OpenSSH client.

The user's configuration, keys, agent and known_hosts are used; nothing is installed on the remote machine, which needs
a POSIX shell and the usual utilities. There is one connection, which ends with this process at the latest.
"""

from __future__ import annotations

import functools
import secrets
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from raidctl.request import Answer, Failure, Get, ReadAnswer, Request, Run, RunAnswer, UdevDatabase, Write, WriteAnswer
from raidctl.runners import bundle, remote
from raidctl.runners.answers import answer_of, chains_of, invalid, limited, no_bmc
from raidctl.runners.connection import CONNECT_PATIENCE, Connection, Sessions
from raidctl.runners.gather import Gathering
from raidctl.runners.interrupted import Interrupted
from raidctl.runners.parallel import Switch, Task, WorkerPool
from raidctl.runners.process import Bounds

WIDTH = 8
"""Sessions at a time. A server permits ten on a connection by default, and one holds the connection."""
EXTRA_SECONDS = 15.0
"""Seconds that the remote side may take beyond its own time limit."""
FILES_PATIENCE = 30.0
"""Seconds for a batch of files. A tenth of a second for each is added."""


class SshRunner:
    """A runner that carries requests out on another machine. Use it as a context manager, or call :meth:`close`."""

    def __init__(
        self, destination: str, options: Sequence[str] = (), *, sudo: bool = False, timeout: float | None = None,
        sessions: Sessions | None = None,
    ) -> None:  # fmt: skip
        """Prepare a runner; the first request connects.

        Args:
            destination: As for ssh: ``host``, ``user@host``, ``ssh://user@host:port``.
            options: Arguments for ssh, before all others, which they override (``("-F", "file")``).
            sudo: Whether to run everything through ``sudo -n`` there.
            timeout: Seconds for the connection, a batch of files, and each reading program, instead of the defaults.
            sessions: What carries the scripts instead of ssh, one after the other; ``sudo`` is then whether it runs
                them as another user.

        Raises:
            UsageError: The destination is invalid.
        """
        self.destination = destination
        self._sudo = sudo
        self._timeout = timeout
        self.IN_STEP = sessions is not None
        patience = timeout or CONNECT_PATIENCE
        self._connection = sessions or Connection(destination, options, sudo=sudo, patience=patience)
        self._switch = Switch()
        self._gathering = Gathering(self._files)

    def __enter__(self) -> SshRunner:  # noqa: PYI034 - Self came with Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the running requests, also from another thread, and the connection. Later requests are refused."""
        self._switch.close()
        self._connection.close()

    def connect(self, *, wait: bool = True) -> Answer:
        """Connect, unless connected; the answer has the failure, if any.

        Without ``wait`` it only begins, so that there is time for other work; errors are reported later.
        """
        return self._connection.ready() if wait else self._connection.begin()

    @property
    def passing(self) -> bool:
        """Whether the connection failed for a temporary reason that may soon pass."""
        return self._connection.passing

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order.

        A round that only reads is answered by one script, in parallel; others by sessions.

        After the connection has failed, every request fails immediately.

        Raises:
            Interrupted: The runner was closed.
        """
        with self._switch.event() as stop:
            return self._carry_out(requests, stop) if requests else ()

    def _carry_out(self, requests: Sequence[Request[Any]], stop: threading.Event) -> Sequence[Answer]:
        if stop.is_set():
            raise Interrupted
        failure = self._connection.ready()
        if failure.trouble:
            return tuple(answer_of(request, failure.trouble, failure.detail) for request in requests)
        answers = {
            index: answer_of(request, Failure.FAILED, reason)
            for index, request in enumerate(requests)
            if (reason := invalid(request))
        }
        answers |= {index: no_bmc(request) for index, request in enumerate(requests) if isinstance(request, Get)}
        asked = {index: limited(request, self._timeout) for index, request in enumerate(requests)
                 if index not in answers}  # fmt: skip
        files = len(_files_of(asked))
        # a round with a change keeps the order of those with one lock, which only the sessions do
        if len(asked) - files + bool(files) > 1 and all(map(_only_reads, asked.values())):
            answers |= self._bundle(asked, stop)
        self._in_sessions({index: one for index, one in asked.items() if index not in answers}, answers, stop)
        return tuple(answers[index] for index in range(len(requests)))

    def _in_sessions(self, asked: dict[int, Request[Any]], answers: dict[int, Answer], stop: threading.Event) -> None:
        """Answer the files in one session, and each program in one."""
        if files := _files_of(asked):
            answers |= zip(files, self._gathering.answer(tuple(files.values())), strict=True)
        tasks = {
            index: Task(functools.partial(self._program, request, stop))
            for index, request in asked.items()
            if isinstance(request, (Run, UdevDatabase, Write))
        }
        chains = [[tasks[list(asked)[index]] for index in chain if list(asked)[index] in tasks]
                  for chain in chains_of(list(asked.values()))]  # fmt: skip
        WorkerPool(chains, stop, WIDTH).work()
        answers |= {index: task.answer for index, task in tasks.items() if task.answer is not None}

    def _client(
        self, script: bytes, mark: str, seconds: float, size: int, stop: threading.Event, *, changes: bool = False,
        end: str = ".",
    ) -> RunAnswer:  # fmt: skip
        """Run a script in one session. Try once more if the remote shell never began.

        The time limit counts from when the shell begins. A change is not tried again: the first shell may still begin.
        """
        bounds = Bounds(
            seconds=seconds, size=size, feed=script, until=f"{mark}{end}".encode(), stop=stop,
            begin=f"{mark}!".encode(), patience=self._timeout or CONNECT_PATIENCE,
        )  # fmt: skip
        answer = self._connection.run(bounds)
        if remote.began(answer, mark) and not answer.trouble and f"{mark}{end}".encode() not in answer.out:
            self._connection.settle()
        denied = self._sudo and answer.code not in {None, 255}
        if remote.began(answer, mark) or denied or (changes and answer.trouble) or self._connection.ready().trouble:
            return answer
        return self._connection.run(bounds)

    def _no_shell(self, answer: RunAnswer) -> Answer:
        """Return the failure if the remote shell never began."""
        failure = self._connection.ready()
        if failure.trouble:
            return failure
        printed = (answer.error_text.strip() or answer.text.strip())[-400:]
        if self._sudo and answer.code not in {None, 255}:
            return Answer(trouble=Failure.DENIED, detail=f"sudo on {self.destination}: {printed}")
        trouble = Failure.TIMEOUT if answer.trouble is Failure.TIMEOUT else Failure.FAILED
        return Answer(trouble=trouble, detail=f"No shell on {self.destination}: {printed or answer.detail}")

    # The requests

    def _program(self, request: Run | UdevDatabase | Write, stop: threading.Event) -> Answer:
        if isinstance(request, UdevDatabase):
            return _database(self._run(limited(UDEV, self._timeout), stop))
        if isinstance(request, Write):
            return _written(request, self._run(_writing(request), stop))
        return self._run(request, stop)

    def _run(self, request: Run, stop: threading.Event) -> RunAnswer:
        mark = new_mark()
        seconds = _patience(request)
        if unfit := remote.unfit_feed(request.feed):
            return RunAnswer(trouble=Failure.FAILED, detail=f"{request.argv[0]}: {unfit}")
        script = remote.program_script(request, mark)
        answer = self._client(script, mark, seconds, request.limit + remote.SLACK, stop, changes=request.changes)
        found = remote.read_program(answer, mark, request)
        if found is None:
            why = self._no_shell(answer)
            return RunAnswer(trouble=why.trouble, detail=why.detail)
        return found

    def _files(self, batch: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer files by one session."""
        mark = new_mark()
        seconds = (self._timeout or FILES_PATIENCE) + len(batch) / 10
        with self._switch.event() as stop:
            answer = self._client(remote.files_script(batch, mark), mark, seconds, remote.answer_size(batch), stop)
        otherwise: Answer = answer if answer.trouble else Answer(detail="the connection was lost before the answer")
        if not remote.began(answer, mark):
            otherwise = self._no_shell(answer)
        return remote.read_files(answer.out, mark, batch, otherwise)

    def _bundle(self, asked: dict[int, Request[Any]], stop: threading.Event) -> dict[int, Answer]:
        """Answer reading requests by one script. Requests whose outputs could not be kept there are left out."""
        mark = new_mark()
        files = _files_of(asked)
        programs = {index + 1: limited(UDEV, self._timeout) if isinstance(request, UdevDatabase) else request
                    for index, request in asked.items() if isinstance(request, (Run, UdevDatabase))}  # fmt: skip
        batch, numbers = tuple(files.values()), tuple(programs)
        chains = [[numbers[place] for place in chain] for chain in chains_of(tuple(programs.values()))]
        lanes = bundle.lanes_of(chains)
        seconds = max(sum(_patience(programs[number]) for number in lane) for lane in lanes)
        seconds = max(seconds, (self._timeout or FILES_PATIENCE) + len(batch) / 10)
        size = remote.answer_size(batch) + sum(2 * (one.limit + remote.SLACK) for one in programs.values())
        script = bundle.script(batch, programs, chains, mark)
        answer = self._client(script, mark, seconds, size, stop, end=bundle.END)
        began, whole = remote.began(answer, mark), f"{mark}{bundle.END}".encode() in answer.out
        none = None if began else self._no_shell(answer)
        if none is not None and none.trouble:
            return {index: answer_of(request, none.trouble, none.detail) for index, request in asked.items()}
        found: dict[int, Answer] = {}
        frames = bundle.frames(answer.out, mark)
        otherwise = Answer(trouble=Failure.FAILED, detail="the connection was lost before the answer")
        if f"{mark}.".encode() in frames.get(bundle.FILES, (b"", b""))[0]:
            read = remote.read_files(frames[bundle.FILES][0], mark, batch, otherwise)
            found |= zip(files, read, strict=True)
        for number, request in programs.items():
            one = bundle.program_answer(frames[number], mark, request) if number in frames else None
            if one is not None:
                found[number - 1] = _database(one) if isinstance(asked[number - 1], UdevDatabase) else one
        if whole:
            return found
        return {index: bundle.lost(request, answer, seconds) for index, request in asked.items()} | found


UDEV = Run(("udevadm", "info", "--export-db"))


def _only_reads(request: Request[Any]) -> bool:
    """Whether a request may be part of a script with others. It changes nothing, and has no input."""
    return not isinstance(request, Write) and not (isinstance(request, Run) and (request.changes or request.feed))


def _files_of(requests: Mapping[int, Request[Any]]) -> dict[int, Request[Any]]:
    return {index: one for index, one in requests.items() if not isinstance(one, (Run, UdevDatabase, Write))}


def _patience(request: Run) -> float:
    """Return the seconds for a program, with those for its lock."""
    return request.timeout * (1 if request.lock is None else 2) + EXTRA_SECONDS


def new_mark() -> str:
    """Return an unpredictable text, which frames answers."""
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
