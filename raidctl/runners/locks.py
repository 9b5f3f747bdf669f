"""What may be used by one process at a time: a lock for each name, between threads and between processes.

The lock between processes is an flock on ``NAME.lock`` in a directory that only this user can enter, so that nobody
can plant a link there; it ends with its process, whatever happens. The file holds the number of the process that has
it. Where no such directory can be made, the lock holds between the threads of this process only.

A program that changes something is given the handle: when this process is killed, the lock holds until that program
has ended too. So nobody looks at what it changes, or changes it, before it has done its work.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence

from raidctl.runners.directory import open_own

ROOT_PLACES = ("/run/raidctl", "/run/lock/raidctl")
"""Only root can make the first; the second lies where anybody can make directories, and is used without the first."""
PAUSE = 0.05

_guard = threading.Lock()
_inside: dict[tuple[tuple[str, ...], str], threading.Lock] = {}


class Busy(Exception):
    """The lock did not come free in time; the text says who has it."""


def places() -> tuple[str, ...]:
    """The directories in which the lock files of this user may lie, in order of preference."""
    if os.geteuid() == 0:
        return ROOT_PLACES
    # not TMPDIR: who is to wait for whom must not depend on a variable of one session
    own = tuple(f"{above}/raidctl-{os.geteuid()}" for above in ("/tmp", "/var/tmp"))  # noqa: S108 - open_own() checks
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return (f"{runtime}/raidctl", *own) if runtime.startswith("/") else own


def change_places() -> tuple[str, ...]:
    """The directories in which the locks of the controllers under change may lie; ``RAIDCTL_LOCKS`` names another one.

    That is for tests, whose machines only look like one and the same. The locks of vendor tools stay where they are.
    """
    named = os.environ.get("RAIDCTL_LOCKS", "")
    return (named,) if named.startswith("/") else places()


def file_name(name: str) -> str:
    """The file of a lock; whatever is no plain letter or figure is written as ``%XX``."""
    return re.sub(rb"[^A-Za-z0-9_-]", lambda found: b"%%%02X" % found[0][0], os.fsencode(name)).decode() + ".lock"


@contextlib.contextmanager
def hold(
    name: str, patience: float, *, directories: Sequence[str] | None = None, stop: threading.Event | None = None
) -> Iterator[int | None]:
    """Have the lock of a name, waiting at most ``patience`` seconds for it.

    Yields:
        The handle that has it, None where it holds between threads only.

    Raises:
        Busy: It did not come free in time, or ``stop`` was set.
    """
    where = tuple(places() if directories is None else directories)
    deadline = time.monotonic() + patience
    with _guard:
        inside = _inside.setdefault((where, name), threading.Lock())
    while not inside.acquire(timeout=PAUSE):
        _give_up(name, deadline, patience, str(os.getpid()), stop)
    try:
        handle = open_file(where, file_name(name))
        try:
            if handle is not None:
                _flock(handle, name, deadline, patience, stop)
            yield handle
        finally:
            if handle is not None:
                with contextlib.suppress(OSError):  # what a program has left running may have the handle still
                    fcntl.flock(handle, fcntl.LOCK_UN)
                os.close(handle)
    finally:
        inside.release()


def open_file(where: Sequence[str], name: str) -> int | None:
    """The lock file in the first directory that can be used, None without one."""
    for path in where:
        with contextlib.suppress(OSError):
            directory = open_own(path)
            try:
                return os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory)
            finally:
                os.close(directory)
    return None


def _flock(handle: int, name: str, deadline: float, patience: float, stop: threading.Event | None) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 32, 0).decode("ascii", errors="replace").strip()
            _give_up(name, deadline, patience, holder, stop)
            time.sleep(PAUSE)
        except OSError:  # a file system without locks: the one between threads has to do
            return
        else:
            break
    with contextlib.suppress(OSError):  # a full file system: who has it stays unknown, that it is had does not
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"%d\n" % os.getpid(), 0)


def _give_up(name: str, deadline: float, patience: float, holder: str, stop: threading.Event | None) -> None:
    if time.monotonic() >= deadline or (stop is not None and stop.is_set()):
        raise Busy(busy_text(name, patience, holder))


def busy_text(name: str, patience: float, holder: str) -> str:
    """The sentence on a lock that did not come free."""
    who = f"process {holder}" if holder.isdecimal() else "another process"
    return f"waited {patience:g} s for the lock {name!r}, which {who} holds"
