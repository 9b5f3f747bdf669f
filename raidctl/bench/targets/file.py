"""A temporary file as a target, written completely, removed at the end.

Written completely, since reading reserved blocks or a hole accesses no drive. Existing files are never touched: the
file is created with O_EXCL, and only that very file is removed, by a second process if raidctl is killed. It is locked
while in use, so that leftovers are distinguished from files of a running raidctl (`leftovers`).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from raidctl.bench.blocks import MAGIC, SECTOR, Filler
from raidctl.bench.result import Confounder
from raidctl.bench.targets.cleanup_watchdog import CleanupWatchdog
from raidctl.bench.targets.handle import (
    JOURNALS_DATA,
    Opened,
    attributes_of,
    direct_block_size,
    open_direct,
    refusal,
    set_direct,
)
from raidctl.bench.targets.place import Place, place_of
from raidctl.errors import BenchError
from raidctl.runners.deferred_signals import defer_signals
from raidctl.text import printable, regex
from raidctl.units import format_binary

PREFIX = "raidctl-bench-"
_NAME = regex(rf"{PREFIX}\d+-[0-9a-f]{{8}}\.tmp")
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CHUNK = 1 << 20
_MIN_BYTES = 64 << 10
SHARE = 0.25
"""The file's maximum share of free space, unless a size is given."""


class FileTarget(Opened):
    """A file that raidctl creates.

    Args:
        directory: A directory that the user names.
        size: Bytes; rounded up to whole MiB above one.
        share: Maximum share of the free space, 0 to 1.
        run_id: Mark of its blocks, in generation 0: a `Work` with ``verify`` accepts them with
            ``generation=0``, and with 1 or more counts them as lost writes.
        progress: Called with the bytes written and the total.
        warn: Receives a sentence if the file could not be removed.

    Raises:
        BenchError: There is no room, or no file can be written there; on entering.
        AccessMissing: It is not allowed; on entering.
    """

    kind = "file"
    base = 0

    def __init__(
        self,
        directory: str,
        size: int,
        *,
        share: float = SHARE,
        run_id: int = 0,
        progress: Callable[[int, int], object] | None = None,
        warn: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.directory = os.path.realpath(directory)
        self.size = -(-max(size, _MIN_BYTES) // _CHUNK) * _CHUNK if size > _CHUNK else max(size, _MIN_BYTES)
        self.path = os.path.join(self.directory, f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}.tmp")  # noqa: PTH118 - paths are strings here
        self.name = self.path
        self.direct = False
        self.alignment = SECTOR
        self.confounders: tuple[Confounder, ...] = ()
        self._share = share
        self._run_id = run_id
        self._progress = progress
        self._warn = warn
        self._made: tuple[int, int] | None = None
        self._caretaker: CleanupWatchdog | None = None

    @property
    def writable(self) -> bool:
        """Always true: raidctl created it."""
        return True

    def _refused(self) -> str:
        return self.path if self._made else self.directory

    def check(self) -> None:
        """Refuse before creating anything: no directory, read-only, no permission, no space.

        Raises:
            BenchError, AccessMissing: With the reason.
        """
        try:
            self._refuse_place()
            self._refuse_room()
        except OSError as error:
            raise refusal(self.directory, error) from None

    def _open(self) -> None:
        """Create the file and write all of it."""
        self.check()
        self._make()
        self._write()
        self._settle()

    def close(self) -> None:
        """Remove the file if it is still the one created. Repeated calls are allowed."""
        made, self._made = self._made, None
        caretaker, self._caretaker = self._caretaker, None
        if made is not None:
            try:
                now = os.lstat(self.path)
                if (now.st_dev, now.st_ino) == made:
                    os.unlink(self.path)  # noqa: PTH108 - paths are strings here
            except FileNotFoundError:
                pass
            except OSError as failed:  # a file system that went read-only after errors
                self._warn(f"{printable(self.path)} could not be removed ({failed.strerror}): remove it by hand.")
        if caretaker is not None:
            caretaker.dismiss()
        super().close()

    def _refuse_place(self) -> None:
        """Refuse a directory in which no file may be created. The check of the free space comes later."""
        if not os.path.isdir(self.directory):  # noqa: PTH112 - paths are strings here
            shown = printable(self.directory)
            raise BenchError(f"{shown} is not a directory: name one in which raidctl may make a file.")
        if os.statvfs(self.directory).f_flag & os.ST_RDONLY:
            raise refusal(self.directory, OSError(errno.EROFS, os.strerror(errno.EROFS)))
        if not os.access(self.directory, os.W_OK | os.X_OK, effective_ids=True):
            raise refusal(self.directory, OSError(errno.EACCES, os.strerror(errno.EACCES)))

    def _refuse_room(self) -> None:
        shown = printable(self.directory)
        free = room(self.directory)
        most = int(free * self._share)
        if self.size > most:
            left = self._left_behind()
            raise BenchError(
                f"{shown} has {format_binary(free)} free; the file of {format_binary(self.size)} may take "
                f"{self._share:.0%} of that at most ({format_binary(most)}).{left}"
            )

    def _left_behind(self) -> str:
        names = [os.path.basename(path) for path in leftovers(self.directory)]  # noqa: PTH119 - paths are strings here
        return f" Files of runs that were killed can be removed there: {', '.join(names)}." if names else ""

    def _make(self) -> None:
        # the file must be registered for removal as soon as it exists
        with defer_signals(_ENDING):
            self._handle, self.direct = open_direct(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            made = os.fstat(self._handle)
            self._made = (made.st_dev, made.st_ino)
            self._caretaker = CleanupWatchdog(self.path, self._made)
        # some network file systems have no locks; then leftovers cannot be recognised
        with contextlib.suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _write(self) -> None:
        """Write everything once, and wait until it is on the drive."""
        with mmap.mmap(-1, min(_CHUNK, self.size)) as buffer:
            filler = Filler(memoryview(buffer), self._run_id)
            try:
                self._chunks(buffer, filler)
            finally:
                filler.release()
        os.fsync(self._handle)

    def _chunks(self, buffer: mmap.mmap, filler: Filler) -> None:
        for at in range(0, self.size, len(buffer)):
            filler.fill(at, 0, time.time_ns())
            with memoryview(buffer) as view:
                done = self._put(view, at)
            if done != len(buffer):
                why = "the file system, a quota or a limit (ulimit -f) leaves no room"
                raise BenchError(f"{printable(self.path)} could not be written in full: {why}.")
            if self._progress is not None:
                self._progress(at + done, self.size)

    def _put(self, view: memoryview, at: int) -> int:
        try:
            return os.pwritev(self._handle, [view], at)
        except OSError as error:
            # some file systems accept O_DIRECT and refuse every operation
            if at or not self.direct or error.errno != errno.EINVAL:
                raise
            self.direct = set_direct(self._handle, wanted=False)
            return os.pwritev(self._handle, [view], at)

    def _settle(self) -> None:
        """Find out the file's alignment, page cache, copy on write, and holes."""
        place = place_of(self.path)
        if place.in_memory or (place.filesystem == "zfs" and self.direct):
            self.direct = False
        if self.direct:
            self.alignment = direct_block_size(self._handle) or 4096
        if place.copies_on_write:
            self.alignment = max(self.alignment, os.fstat(self._handle).st_blksize)
        self.confounders = tuple(
            _confounders(place, direct=self.direct, sparse=self._sparse(), attributes=attributes_of(self._handle))
        )

    def _sparse(self) -> bool:
        return os.fstat(self._handle).st_blocks * 512 < self.size


def _confounders(place: Place, *, direct: bool, sparse: bool, attributes: int) -> Iterator[Confounder]:
    if place.in_memory:
        yield Confounder(
            name="memory", text=f"{place.filesystem} keeps files in memory: no drive is measured.", forbids=True
        )
    elif not direct:
        text = "O_DIRECT is refused here, so the page cache of the kernel is measured together with the drive."
        yield Confounder(name="page_cache", text=text, forbids=True)
    elif attributes & JOURNALS_DATA:
        text = "The directory has the attribute j (`chattr -j` removes it): its files go through the page cache."
        yield Confounder(name="page_cache", text=text, forbids=True)
    if place.copies_on_write:
        text = f"{place.filesystem} never overwrites: writes go to new places, and more is written than requested."
        yield Confounder(name="copy_on_write", text=text)
    if sparse and not place.in_memory:
        text = "The file occupies less space than was written: the file system compresses, or writes later."
        yield Confounder(name="sparse", text=text)


def room(directory: str) -> int:
    """Free bytes available to this user. Raise OSError."""
    state = os.statvfs(directory)
    return state.f_bavail * state.f_frsize


def leftovers(directory: str) -> list[str]:
    """Files of killed runs.

    Each has a name of raidctl's form, no lock, and raidctl's first sector, zeros or nothing at its start.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(directory) if _NAME.fullmatch(entry.name))
    except OSError:
        return []
    return [path for name in names if _abandoned(path := str(Path(directory, name)))]


def _abandoned(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        start = os.pread(handle, len(MAGIC), 0)
        if start not in (b"", MAGIC, bytes(len(MAGIC))):
            return False
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
