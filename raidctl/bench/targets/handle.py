"""Open a target, without page cache if possible, and find the required alignment."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from types import TracebackType
from typing import TypeVar

from raidctl.errors import AccessMissing, BenchError
from raidctl.text import printable

_REFUSALS = {
    errno.ENOENT: "there is no such file or directory",
    errno.ENOTDIR: "a part of the path is no directory",
    errno.EROFS: "the file system is mounted read-only",
    errno.ENOSPC: "the file system is full",
    errno.EFBIG: "a limit on the size of files is reached (ulimit -f, or that of the file system)",
    errno.EDQUOT: "the disk quota is used up",
    errno.EBUSY: "it is in use",
    errno.EIO: "the device reports an input/output error",
}
T = TypeVar("T", bound="Opened")
_GRAINS = (512, 1024, 2048, 4096, 16384, 65536)


class Opened:
    """A target that is one descriptor: opened on entering, closed on leaving whatever happens."""

    name: str
    _handle = -1

    def fileno(self) -> int:
        """The open descriptor."""
        return self._handle

    def __enter__(self: T) -> T:  # noqa: PYI019 - Self is not in the typing of Python 3.10
        """Open it.

        Raises:
            BenchError: It cannot be used.
            AccessMissing: It is not allowed.
        """
        try:
            self._open()
        except OSError as error:
            shown = self._refused()
            self.close()
            raise refusal(shown, error) from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close it; more than once does nothing."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _open(self) -> None:
        """Have the descriptor, and know all about it. Raise OSError, and BenchError with a reason."""
        raise NotImplementedError

    def _refused(self) -> str:
        """What the system's refusal is about."""
        return self.name


def refusal(path: str, error: OSError) -> BenchError | AccessMissing:
    """Return the exception for an unusable path."""
    shown = printable(path)
    if error.errno in (errno.EACCES, errno.EPERM):
        hint = (
            "Run raidctl as root (sudo)." if os.geteuid() else "Not even root may: a container, or an immutable file?"
        )
        return AccessMissing(f"{shown} cannot be used: no permission. {hint}")
    reason = _REFUSALS.get(error.errno or 0, error.strerror or str(error))
    return BenchError(f"{shown} cannot be used: {reason}.")


def open_direct(path: str, flags: int) -> tuple[int, bool]:
    """A descriptor, and whether it passes the page cache by. Raise OSError.

    The flag is set afterwards: a refused open with O_CREAT may leave a file behind.
    """
    handle = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    return handle, set_direct(handle, wanted=True)


def set_direct(handle: int, *, wanted: bool) -> bool:
    """Let a descriptor pass the page cache by, or no more; whether it does so now. Raise OSError."""
    flags = fcntl.fcntl(handle, fcntl.F_GETFL)
    try:
        fcntl.fcntl(handle, fcntl.F_SETFL, flags | os.O_DIRECT if wanted else flags & ~os.O_DIRECT)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    return wanted


def grain_of(handle: int) -> int | None:
    """The smallest multiple that a descriptor with O_DIRECT takes, bytes, found by reading; None: none of them.

    Raise OSError for other troubles.
    """
    with mmap.mmap(-1, _GRAINS[-1]) as buffer:
        for grain in _GRAINS:
            view = memoryview(buffer)[:grain]
            try:
                # not at a round place, which would hide what is asked of offsets
                if os.preadv(handle, [view], grain) == grain:
                    return grain
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
            finally:
                view.release()
    return None
