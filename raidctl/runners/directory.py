"""Private directories, for the work of one program and for locks."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextlib.contextmanager
def private_directory(longest: int | None = None) -> Iterator[str]:
    """Create a directory for this user only, removed at the end.

    Args:
        longest: Longest allowed path (the kernel limits the name of a socket); None: any.

    Raises:
        OSError: It cannot be created anywhere.
    """
    path = _make(longest)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _make(longest: int | None) -> str:
    problem: OSError | None = None
    # file systems of a machine in trouble are often full or read-only: the last two are in memory
    for parent in (*usual(), "/tmp", "/run", "/dev/shm"):  # noqa: S108 - mkdtemp makes a new one, mode 0700
        if longest is not None and len(parent) + len("/raidctl-12345678") > longest:
            continue
        try:
            return tempfile.mkdtemp(prefix="raidctl-", dir=parent)
        except OSError as error:
            problem = problem or error
    raise problem or OSError("no temporary directory")


def usual() -> tuple[str, ...]:
    """Return the usual directory for temporary files; none if it cannot be written."""
    try:
        return (tempfile.gettempdir(),)
    except OSError:  # /tmp, /var/tmp and the current directory are all full or read-only
        return ()


def open_own(path: str) -> int:
    """Open a directory of this user, created if missing.

    Returns:
        Its file descriptor, to be used as ``dir_fd``.

    Raises:
        OSError: It cannot be created or trusted: it is a link, another user's, or open to others.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    state = os.fstat(handle)
    if state.st_uid != os.geteuid() or state.st_mode & OTHERS:
        os.close(handle)
        raise PermissionError(f"{path} is not private to this user")
    return handle
