"""Directories that nobody else can enter: for the work of one program, and for locks."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextlib.contextmanager
def private_directory(longest: int | None = None) -> Iterator[str]:
    """A fresh directory that only this user can enter; removed with all that was dropped in it.

    Args:
        longest: How long its path may be (the name of a socket is bounded by the kernel); None is as it comes.

    Raises:
        OSError: There is no place to make one.
    """
    path = _make(longest)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _make(longest: int | None) -> str:
    problem: OSError | None = None
    # a machine in trouble often has its file systems full or read-only: then these two lie in memory
    for parent in (tempfile.gettempdir(), "/tmp", "/run", "/dev/shm"):  # noqa: S108 - mkdtemp makes a new one, mode 0700
        if longest is not None and len(parent) + len("/raidctl-12345678") > longest:
            continue
        try:
            return tempfile.mkdtemp(prefix="raidctl-", dir=parent)
        except OSError as error:
            problem = problem or error
    raise problem or OSError("no temporary directory")


def open_own(path: str) -> int:
    """Open a directory of this user's, making it when it is not there.

    Returns:
        Its file descriptor, for the ``dir_fd`` of what is opened inside.

    Raises:
        OSError: It can neither be made nor be trusted: a link, of another user, or open to others.
    """
    with contextlib.suppress(FileExistsError):
        Path(path).mkdir(0o700)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    state = os.fstat(handle)
    if state.st_uid != os.geteuid() or state.st_mode & OTHERS:
        os.close(handle)
        raise PermissionError(f"{path} is not this user's alone")
    return handle
