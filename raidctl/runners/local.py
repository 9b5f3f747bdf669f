"""The runner of this machine."""

from __future__ import annotations

import errno
import functools
import glob
import os
import stat
import threading
from collections.abc import Callable, Sequence
from typing import Any

from raidctl.request import (
    Answer,
    Failure,
    Get,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    UdevDatabase,
    Which,
    WhichAnswer,
    Write,
    WriteAnswer,
)
from raidctl.runners.answers import NO_VALUE, answer_of, chains_of, invalid, limited, no_bmc
from raidctl.runners.parallel import Switch, Task, WorkerPool
from raidctl.runners.programs import executable_by_some, first_program, program_directories, search_path
from raidctl.runners.udev import database

FILE_PATIENCE = 30.0
"""Time limit in seconds for a file, directory or the udev database."""
NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR})
NO_RIGHT = frozenset({errno.EACCES, errno.EPERM})
_Directories = Callable[[], tuple[Sequence[str], Sequence[str]]]
"""Returns the directories of programs; see :func:`raidctl.runners.programs.program_directories`."""


class LocalRunner:
    """Carries requests out on this machine."""

    def __init__(self, lock_directories: Sequence[str] | None = None, *, timeout: float | None = None) -> None:
        """Locks are in ``lock_directories``, by default :func:`raidctl.runners.locks.places`.

        ``timeout``: seconds for each file and each reading program, instead of their default limits.
        """
        self._timeout = timeout
        self._lock_directories = lock_directories
        self._switch = Switch()

    def close(self) -> None:
        """End the running programs, also from another thread; later requests are refused."""
        self._switch.close()

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order. Requests with the same lock run in sequence, others in parallel.

        An interruption of the calling thread ends the running programs with their children, and is then raised.

        Raises:
            Interrupted: The runner was closed.
        """
        directories = functools.cache(program_directories)  # for all requests of this call
        with self._switch.event() as stop:
            tasks = [self._task(request, stop, directories) for request in requests]
            WorkerPool([[tasks[index] for index in chain] for chain in chains_of(requests)], stop).work()
        return tuple(task.answer or Answer(trouble=Failure.FAILED) for task in tasks)

    def _task(self, request: Request[Any], stop: threading.Event, directories: _Directories) -> Task:
        reason = invalid(request)
        if reason:
            return Task(functools.partial(answer_of, request, Failure.FAILED, reason))
        if isinstance(request, Run):
            return Task(functools.partial(self._run, limited(request, self._timeout), stop))
        patience = request.timeout if isinstance(request, Write) else self._timeout or FILE_PATIENCE
        late = answer_of(request, Failure.TIMEOUT, f"no answer after {patience:g} s")
        return Task(_work(request, directories), patience, late)

    def _run(self, request: Run, stop: threading.Event) -> Answer:
        if request.lock is None:
            return _start(request, stop)
        from raidctl.runners.locks import Busy, hold  # noqa: PLC0415 - only where a program is run

        try:
            with hold(request.lock, request.timeout, directories=self._lock_directories, stop=stop) as handle:
                return _start(request, stop, handle)
        except Busy as busy:
            return RunAnswer(trouble=Failure.TIMEOUT, detail=str(busy))


def _start(request: Run, stop: threading.Event, lock: int | None = None) -> RunAnswer:
    from raidctl.runners.directory import private_directory  # noqa: PLC0415 - many machines need no program
    from raidctl.runners.process import Bounds, run  # noqa: PLC0415 - as above

    # a changing program may outlive us, and keeps the lock until its end
    handles = () if lock is None or not request.changes else (lock,)
    bounds = Bounds(
        seconds=request.timeout, size=request.limit, leave_children=request.changes, handles=handles, stop=stop,
        feed=request.feed or None, fed_whole=bool(request.feed),
    )  # fmt: skip
    try:
        with private_directory() as place:
            environment = tool_environment(place) | dict(request.environment)
            return run(request.argv, environment=environment, directory=place, bounds=bounds)
    except OSError as error:
        return RunAnswer(trouble=Failure.FAILED, detail=f"no private directory to run it in: {error.strerror or error}")


def tool_environment(place: str) -> dict[str, str]:
    """Return a tool's environment, without variables for language or loaded code.

    HOME and TMPDIR are its private directory, so that its files are removed with it.
    """
    path = ":".join(search_path())
    return {"PATH": path, "LC_ALL": "C", "LANG": "C", "HOME": place, "TMPDIR": place}


def _work(request: Request[Any], directories: _Directories) -> Callable[[], Answer]:
    """Return the function for a request that starts no program."""
    if isinstance(request, Read):
        return functools.partial(_read, request)
    if isinstance(request, Write):
        return functools.partial(_write, request)
    if isinstance(request, Glob):
        return functools.partial(_glob, request)
    if isinstance(request, Which):
        return functools.partial(_which, request, directories)
    if isinstance(request, Get):
        return functools.partial(no_bmc, request)
    if isinstance(request, UdevDatabase):
        return database
    return lambda: answer_of(request, Failure.FAILED, f"no runner supports a request like {type(request).__name__}")


def _read(request: Read) -> ReadAnswer:
    try:
        # checked before it is opened: opening a device can have effects (rewind a tape, start a watchdog)
        if not stat.S_ISREG(os.stat(request.path).st_mode):
            return ReadAnswer(trouble=Failure.FAILED, detail=f"{request.path}: not a regular file")
        handle = os.open(request.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            data = _take(handle, request.limit + 1)
        finally:
            os.close(handle)
    except OSError as error:
        trouble = Failure.MISSING if error.errno in NO_VALUE else _trouble(error)
        return ReadAnswer(trouble=trouble, detail=f"{request.path}: {error.strerror}")
    if len(data) > request.limit:
        detail = f"{request.path}: more than {request.limit} bytes"
        return ReadAnswer(trouble=Failure.FLOOD, detail=detail, data=data[: request.limit])
    return ReadAnswer(data=data)


def _write(request: Write) -> WriteAnswer:
    try:
        # never created: the file exists, or the kernel has no such setting
        handle = os.open(request.path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return WriteAnswer(trouble=Failure.FAILED, detail=f"{request.path}: not a regular file")
            os.write(handle, request.data.encode())
        finally:
            os.close(handle)
    except OSError as error:
        return WriteAnswer(trouble=_trouble(error), detail=f"{request.path}: {error.strerror}")
    return WriteAnswer()


def _trouble(error: OSError) -> Failure:
    """Return the failure when a file cannot be opened, read or written."""
    if error.errno in NOTHING_THERE:
        return Failure.MISSING
    return Failure.DENIED if error.errno in NO_RIGHT else Failure.FAILED


def _take(handle: int, limit: int) -> bytes:
    data = bytearray()
    while len(data) < limit:
        chunk = os.read(handle, min(limit - len(data), 1 << 18))
        if not chunk:
            break
        data += chunk
    return bytes(data)


def _glob(request: Glob) -> GlobAnswer:
    return GlobAnswer(paths=tuple(sorted(glob.glob(request.pattern))))


def _which(request: Which, directories: _Directories) -> WhichAnswer:
    name = request.name
    searched, own = directories()
    try:
        found = [name] if "/" in name else [f"{directory}/{name}" for directory in searched if name]
        # last, where raidctl's own commands are installed
        last = [f"{directory}/{name}" for directory in own]
        paths = [path for path in (*found, *request.places, *last) if path.startswith("/")]
        path = first_program(paths, trusted=False)  # running one that others can change is refused later
    except PermissionError as error:  # running one that only others may execute is refused later as well
        path = error.filename if executable_by_some(error.filename) else None
    if path is None:
        return WhichAnswer(trouble=Failure.MISSING, detail=f"{name} is not installed")
    return WhichAnswer(path=os.path.realpath(path))
