"""Read files, directories and archives, within limits; nothing is unpacked to disk.

Archives are recognised by content, not by name: tar, zip, and any of these or a single file in gzip, bzip2 or xz.
Links inside a directory or an archive are not followed: in an unpacked report of another machine they point to files
of *this* machine.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol, cast

from msgspec import Struct, field

from raidctl.errors import RecordError
from raidctl.recording.manifest import FILE_LIMIT

HEAD = 64 * 1024
"""Bytes at the beginning of a file by which it is recognised."""
COUNT_LIMIT = 100_000
"""Most files read in one directory or one archive. Nested archives are included."""
UNPACKED_LIMIT = 8 * 1024**3
"""Most bytes unpacked from one archive with nested ones."""
PROCESSOR_LIMIT = 600.0
"""Most seconds of processor time for one archive. Nested ones and reading its files are included."""
HEADER_LIMIT = 1 << 20
"""Most bytes between two files of a tar. They are extended headers, which are read into memory."""
NESTING = 2
"""Nesting: a directory or archive may contain archives. These may contain compressed single files."""

_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_CLOSED = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"Rar!": "RAR", b"\x04\x22\x4d\x18": "LZ4"}
_DAMAGE = (
    OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
    NotImplementedError, RuntimeError, ValueError, OverflowError,
)  # fmt: skip


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes:
        """Read at most ``size`` bytes."""
        ...


class _TooMuch(RuntimeError):
    """A limit of unpacking is reached."""


class Budget:
    """What an archive with nested ones may still use."""

    def __init__(self) -> None:
        self._bytes = UNPACKED_LIMIT
        self._members = COUNT_LIMIT
        self._until = time.process_time() + PROCESSOR_LIMIT

    def take(self, size: int) -> None:
        """Count bytes that were read. Raise _TooMuch each time, once a limit is reached."""
        self._bytes -= size
        if self._bytes < 0:
            raise _TooMuch(f"more than {UNPACKED_LIMIT >> 30} GiB when unpacked")
        if time.process_time() > self._until:
            raise _TooMuch(f"more than {PROCESSOR_LIMIT:g} seconds of processor time")

    def member(self) -> None:
        """Count a member of an archive. Raise as `take`."""
        self._members -= 1
        if self._members < 0:
            raise _TooMuch(f"more than {COUNT_LIMIT} files")


class Stream:
    """Bytes that can be read once, forwards. The first 64 KiB can be seen in advance."""

    def __init__(self, source: _Readable, budget: Budget | None = None) -> None:
        self._source = source
        self._budget = budget or Budget()
        self._is_file = False
        self.fault: Exception | None = None
        """Why a file's bytes ended early."""
        self.head = self._take(HEAD)
        self._ahead = self.head

    def as_file(self) -> Stream:
        """Return this stream for reading a file. Damage then ends it, and becomes its fault."""
        self._is_file = True
        return self

    def _take(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0 and self.fault is None:
            try:
                part = self._source.read(min(size, 1 << 20))
                self._budget.take(len(part))
            except _DAMAGE as error:
                if not self._is_file:
                    raise
                self.fault = error
                break
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def read(self, size: int = -1, /) -> bytes:
        """Read at most ``size`` bytes. With a negative size, read all that is left."""
        if size < 0:
            size = sys.maxsize
        first, self._ahead = self._ahead[:size], self._ahead[size:]
        return first + self._take(size - len(first)) if len(first) < size else first


class Piece(Struct, frozen=True):
    """A file on disk or in an archive. Its stream is valid until the next piece is requested."""

    name: str
    """Path below the directory or inside the archive. The file's name if given alone."""
    stream: Stream
    nested: bool = False
    """Whether it is one of several in a directory or an archive."""


class Skipped(Struct, frozen=True):
    """Something that could not be read, with a message."""

    name: str
    message: str
    remedy: str
    denied: bool = False
    """Whether a permission is missing."""


def pieces(path: str | os.PathLike[str], nesting: int = NESTING) -> Iterator[Piece | Skipped]:
    """Yield every file at ``path``: file, directory, archive, or ``-`` (standard input).

    Archives inside archives are opened ``nesting`` levels deep; with 0, files in an archive are not opened.

    Raises:
        RecordError: there is nothing at ``path``, or it must not be read.
    """
    if os.fspath(path) == "-":
        yield from _Unpacker(nesting).unpack("standard input", sys.stdin.buffer, 0)
        return
    try:
        if Path(path).is_dir():
            os.scandir(path).close()
            yield from _bounded(_directory(Path(path), nesting), Path(path).name)
            return
        with Path(path).open("rb") as opened:
            yield from _bounded(_Unpacker(nesting).unpack(Path(path).name, opened, 0), Path(path).name)
    except FileNotFoundError:
        raise RecordError(f"{os.fspath(path)}: there is no such file or directory.") from None
    except PermissionError:
        raise RecordError(f"{os.fspath(path)} may not be read by this user; check its permissions.") from None
    except OSError as error:
        raise RecordError(f"{os.fspath(path)} cannot be read: {error.strerror or error}.") from None


def _bounded(found: Iterator[Piece | Skipped], name: str) -> Iterator[Piece | Skipped]:
    for count, item in enumerate(found):
        if count >= COUNT_LIMIT:
            yield Skipped(name, f"It contains more than {COUNT_LIMIT} files; the rest was not read", "Give a part.")
            return
        yield item


def _directory(top: Path, nesting: int) -> Iterator[Piece | Skipped]:
    refused: list[OSError] = []
    for folder, below, files in os.walk(top, onerror=refused.append):
        below.sort()
        for file in sorted(files):
            place = Path(folder) / file
            name = str(place.relative_to(top))
            try:
                # a fifo would block, a link could lead out of the tree
                if not stat.S_ISREG(place.lstat().st_mode):
                    continue
                with place.open("rb") as opened:
                    yield from _Unpacker(nesting, outermost=1).unpack(name, opened, 1)
            except OSError as error:
                yield _refused(name, error)
    for trouble in refused:
        yield _refused(str(trouble.filename), trouble)


def _refused(name: str, error: OSError) -> Skipped:
    if isinstance(error, PermissionError):
        return Skipped(name, "This user may not read it", "Change its mode, or run raidctl as root.", denied=True)
    return Skipped(name, f"It cannot be read: {error.strerror or error}", "Copy it again.")


class _Unpacker(Struct, frozen=True):
    nesting: int
    outermost: int = 0
    """The depth of the archive itself: 1 in a directory."""
    budget: Budget = field(default_factory=Budget)

    def unpack(self, name: str, opened: _Readable, depth: int) -> Iterator[Piece | Skipped]:
        """Yield a file, or the files of an archive. Damage deep inside an archive is not reported."""
        try:
            yield from self._contents(name, Stream(opened, self.budget), opened, depth)
        except _DAMAGE as error:
            if isinstance(error, PermissionError) or (isinstance(error, _TooMuch) and depth > self.outermost):
                raise
            if depth <= 1:
                yield Skipped(
                    name,
                    f"It is damaged or cut off: {error or type(error).__name__}",
                    "The readable part is used; copy it again for the rest.",
                )

    def _contents(self, name: str, stream: Stream, opened: _Readable, depth: int) -> Iterator[Piece | Skipped]:
        head = stream.head
        packed = next((form for magic, form in _COMPRESSED.items() if head.startswith(magic)), None)
        closed = next((form for magic, form in _CLOSED.items() if head.startswith(magic)), None)
        if depth > self.nesting:
            yield from _file(name, stream, nested=True)
        elif closed and depth == 0:
            yield Skipped(name, f"It is packed with {closed}, which is unsupported", "Unpack it and give the files.")
        elif packed:
            yield from self.unpack(_bare(name), _decompressor(packed, stream), depth)
        elif head.startswith(b"PK\x03\x04"):
            yield from self._zip(opened, stream, depth)
        elif _is_tar(head):
            yield from self._tar(stream, depth)
        else:
            yield from _file(name, stream, nested=depth > 0)

    def _tar(self, stream: Stream, depth: int) -> Iterator[Piece | Skipped]:
        source = _TarSource(stream)
        with tarfile.TarFile(fileobj=cast("IO[bytes]", source), mode="r") as archive:
            for member in archive:
                self.budget.member()
                source.header = None
                if member.isreg():
                    opened = archive.extractfile(member)
                    if opened is not None:
                        yield from self.unpack(_inner(member.name), opened, depth + 1)
                source.header = 0

    def _zip(self, opened: _Readable, stream: Stream, depth: int) -> Iterator[Piece | Skipped]:
        """Read a zip, whose directory is at its end.

        The source is the file itself, or a limited copy in memory.
        """
        on_disk = isinstance(getattr(opened, "raw", None), io.FileIO) and cast("IO[bytes]", opened).seekable()
        copy = b"" if on_disk else stream.read(FILE_LIMIT)
        # zipfile creates an object for each member before the first is read
        if copy.count(b"PK\x01\x02") > COUNT_LIMIT:
            raise _TooMuch(f"more than {COUNT_LIMIT} files")
        source = cast("IO[bytes]", opened) if on_disk else io.BytesIO(copy)
        with zipfile.ZipFile(source) as archive:
            for info in archive.infolist():
                self.budget.member()
                if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16):
                    with archive.open(info) as member:
                        yield from self.unpack(_inner(info.filename), member, depth + 1)


def _file(name: str, stream: Stream, *, nested: bool) -> Iterator[Piece]:
    yield Piece(name, stream.as_file(), nested=nested)
    if stream.fault is not None:
        raise stream.fault


class _TarSource:
    """The forward-only source of tarfile. It limits the bytes between two files.

    tarfile reads extended headers (long names, attributes, maps of sparse files) into memory, whatever their size.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._at = 0
        self.header: int | None = 0
        """Bytes of headers since the last file. None: a file is being read."""

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes."""
        if self.header is not None:
            self.header += size
            if self.header > HEADER_LIMIT:
                raise _TooMuch(f"headers of more than {HEADER_LIMIT >> 20} MiB")
        data = self._stream.read(size)
        self._at += len(data)
        return data

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, place: int) -> None:
        """Skip to a position, at most to the end."""
        while self._at < place:
            data = self._stream.read(min(place - self._at, 1 << 20))
            if not data:
                return
            self._at += len(data)

    def seekable(self) -> bool:
        """Seeking works only forwards, which is enough here."""
        return True


def _bare(name: str) -> str:
    base, dot, ending = name.rpartition(".")
    return base if dot and ending.lower() in {"gz", "bz2", "xz"} else name


def _decompressor(form: str, stream: Stream) -> _Readable:
    source = cast("IO[bytes]", stream)  # they only call read()
    if form == "gzip":
        return gzip.GzipFile(fileobj=source, mode="rb")
    if form == "bzip2":
        return bz2.BZ2File(source)
    return lzma.LZMAFile(source)


def _is_tar(head: bytes) -> bool:
    """Whether the checksum in the first header is right. This works for every dialect of tar."""
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _inner(name: str) -> str:
    """Return the name of a member for display, never for a path."""
    return name.removeprefix("./")
