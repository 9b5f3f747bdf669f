"""Open a target, past the page cache if possible, and find its required alignment."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from array import array
from types import TracebackType
from typing import TypeVar

from raidctl.errors import AccessMissing, BenchError
from raidctl.text import printable

_REFUSALS = {
    errno.ENOENT: "there is no such file or directory",
    errno.ENOTDIR: "a part of the path is not a directory",
    errno.EROFS: "the file system is mounted read-only",
    errno.ENOSPC: "the file system is full",
    errno.EFBIG: "a limit on the size of files is reached (ulimit -f, or that of the file system)",
    errno.EDQUOT: "the disk quota is used up",
    errno.EBUSY: "it is in use",
    errno.EIO: "the device reports an input/output error",
}
T = TypeVar("T", bound="Opened")
JOURNALS_DATA = 0x4000
"""Attribute ``chattr +j`` (FS_JOURNAL_DATA_FL): ext4 accepts O_DIRECT and uses the page cache."""
_GET_ATTRIBUTES = 0x80086601
"""FS_IOC_GETFLAGS of 64-bit x86, ARM, RISC-V and s390x. Other machines refuse the number."""
_GRAINS = (512, 1024, 2048, 4096, 16384, 65536)


class Opened:
    """A target with one descriptor, opened on entering and closed on leaving."""

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
        """Close it; may be repeated."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _open(self) -> None:
        """Open the descriptor and read its properties. Raise OSError, or BenchError with a reason."""
        raise NotImplementedError

    def _refused(self) -> str:
        """Return a description of what the system refused."""
        return self.name


def refusal(path: str, error: OSError) -> BenchError | AccessMissing:
    """Return the exception for an unusable path."""
    shown = printable(path)
    if error.errno in (errno.EACCES, errno.EPERM):
        hint = "Run raidctl as root (sudo)." if os.geteuid() else "Root is refused, too (container? immutable file?)."
        return AccessMissing(f"{shown} cannot be used: no permission. {hint}")
    reason = _REFUSALS.get(error.errno or 0, error.strerror or str(error))
    return BenchError(f"{shown} cannot be used: {reason}.")


def open_direct(path: str, flags: int) -> tuple[int, bool]:
    """Open a descriptor; return also whether it bypasses the page cache. Raise OSError.

    The flag is set afterwards: a refused open with O_CREAT may leave a file behind.
    """
    handle = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    return handle, set_direct(handle, wanted=True)


def set_direct(handle: int, *, wanted: bool) -> bool:
    """Set whether a descriptor bypasses the page cache; return whether it does. Raise OSError."""
    flags = fcntl.fcntl(handle, fcntl.F_GETFL)
    try:
        fcntl.fcntl(handle, fcntl.F_SETFL, flags | os.O_DIRECT if wanted else flags & ~os.O_DIRECT)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    return wanted


def attributes_of(handle: int) -> int:
    """The attributes of a file's inode, as chattr sets them; 0 if its file system has none."""
    found = array("l", [0])
    try:
        fcntl.ioctl(handle, _GET_ATTRIBUTES, found, True)
    except OSError:
        return 0
    return found[0]


def direct_block_size(handle: int) -> int | None:
    """Smallest block size in bytes that a descriptor with O_DIRECT accepts.

    Reads of increasing size are tried. None: no size is accepted.

    Raise OSError for other errors.
    """
    with mmap.mmap(-1, _GRAINS[-1]) as buffer:
        for grain in _GRAINS:
            view = memoryview(buffer)[:grain]
            try:
                # not at a round offset, which would hide the required alignment of offsets
                if os.preadv(handle, [view], grain) == grain:
                    return grain
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
            finally:
                view.release()
    return None
