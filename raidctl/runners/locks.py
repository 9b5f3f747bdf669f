"""Locks by name, between threads and between processes.

The lock between processes is an flock on ``NAME.lock`` in a directory that only this user can enter, so that nobody
can place a link there; it ends with its process. The file contains the process id of the holder. If no such directory
can be created, the lock works between the threads of this process only.

A changing program inherits the handle: if this process is killed, the lock is held until that program has ended, so
that nothing reads or changes the same settings before.
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
"""Lock directories. Only root can create the first. Anybody can create directories beside the second, the fallback."""
PAUSE = 0.05

_guard = threading.Lock()
_inside: dict[tuple[tuple[str, ...], str], threading.Lock] = {}


class Busy(Exception):
    """The lock was not released in time; the text names its holder."""


def places() -> tuple[str, ...]:
    """Return the directories for this user's lock files, in order of preference."""
    if os.geteuid() == 0:
        return ROOT_PLACES
    # not TMPDIR: a variable of one session must not decide which processes exclude each other
    own = tuple(f"{above}/raidctl-{os.geteuid()}" for above in ("/tmp", "/var/tmp"))  # noqa: S108 - open_own() checks
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return (f"{runtime}/raidctl", *own) if runtime.startswith("/") else own


def change_places() -> tuple[str, ...]:
    """Return the directories for locks of controllers under change; ``RAIDCTL_LOCKS`` overrides.

    The variable is for tests, whose simulated machines have the same names. It does not move the locks of vendor
    tools.
    """
    named = os.environ.get("RAIDCTL_LOCKS", "")
    return (named,) if named.startswith("/") else places()


def file_name(name: str) -> str:
    """Return a lock's file name. Characters other than letters and digits become ``%XX``."""
    return re.sub(rb"[^A-Za-z0-9_-]", lambda found: b"%%%02X" % found[0][0], os.fsencode(name)).decode() + ".lock"


@contextlib.contextmanager
def hold(
    name: str, patience: float, *, directories: Sequence[str] | None = None, stop: threading.Event | None = None
) -> Iterator[int | None]:
    """Hold the lock of a name. Wait at most ``patience`` seconds for it.

    Yields:
        The file handle of the lock, None if it works between threads only.

    Raises:
        Busy: It was not released in time, or ``stop`` was set.
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
                with contextlib.suppress(OSError):  # a program left running may still have the handle
                    fcntl.flock(handle, fcntl.LOCK_UN)
                os.close(handle)
    finally:
        inside.release()


def open_file(where: Sequence[str], name: str) -> int | None:
    """Open the lock file in the first usable directory, None without one."""
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
        except OSError:  # a file system without locks: only the lock between threads is left
            return
        else:
            break
    with contextlib.suppress(OSError):  # a full file system: the lock works, but its holder is unknown
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"%d\n" % os.getpid(), 0)


def _give_up(name: str, deadline: float, patience: float, holder: str, stop: threading.Event | None) -> None:
    if time.monotonic() >= deadline or (stop is not None and stop.is_set()):
        raise Busy(busy_text(name, patience, holder))


def busy_text(name: str, patience: float, holder: str) -> str:
    """Return the message on a lock that was not released in time."""
    who = f"process {holder}" if holder.isdecimal() else "another process"
    return f"waited {patience:g} s for the lock {name!r}, which {who} holds"
