"""Find inventories in directories, files, pipes and recordings. Cut them into pieces."""

from __future__ import annotations

import gzip
import mmap
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from raidctl.fleet.rereadable_input import Span
from raidctl.recording.recording import is_recording
from raidctl.text import counted, regex

BLOCK = 1 << 20
"""Bytes of a piece. Some dozens of inventories are cheap to pass on and small in memory."""
_LARGE_BLOCK = 4 * BLOCK
"""The same of an input that is kept, of which only the place is passed on: each piece costs time, too."""
_PIECES = 64
"""Pieces of a kept input before they become larger than a block. All processes then end at about the same time."""
LONGEST = 64 << 20
"""Largest inventory, bytes."""
STDIN = "-"
_SINGLE = (".json", ".json.gz")
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_ARCHIVES = (".tar.gz", ".tgz")
_READ = (*_SINGLE, *_LINES, *_ARCHIVES)
_MAY_HAVE = regex(r"\.(?:(?:nd)?jsonl?|tar|tgz|zip)\b", re.IGNORECASE)
_LIST = re.compile(rb"\s*(\[)\s*\{")
_INDENTED = re.compile(rb"\s*\{\r?\n")


@dataclass(frozen=True)
class Piece:
    """A unit of work: inventories, or the reason why there are none."""

    kind: Literal["lines", "list", "file", "recording", "fault"]
    source: str
    """The file; ``standard input``."""
    first: int = 1
    """Of lines: the number of the first."""
    data: bytes | Span = b""
    """Of lines and of a list: the bytes, or their place in the standard input."""
    message: str = ""
    """Of a fault: the reason, one sentence."""

    def buffer(self) -> tuple[bytes | mmap.mmap, int, int]:
        """What contains the data, where it starts, and where it stops."""
        data = self.data
        return (data.memory, data.start, data.stop) if isinstance(data, Span) else (data, 0, len(data))


def pieces(paths: Iterable[str], stdin: BinaryIO | Span) -> Iterator[Piece]:
    """Yield the pieces of all paths, in their order. The files of a directory are sorted by name.

    A path that is missing or unreadable gives a fault piece; the others are read.
    """
    for path in paths:
        if path == STDIN:
            yield from cut(stdin, "standard input")
        elif Path(path).is_dir():
            yield from _directory(path)
        else:
            yield from _file(path)


def is_single(paths: list[str]) -> bool:
    """Whether the paths are one machine: an inventory file, or a recording."""
    return len(paths) == 1 and paths[0] != STDIN and (paths[0].endswith(_SINGLE) or is_recording(paths[0]))


def unread_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield what is not read below the directories, and may be or contain inventories.

    Examples are ``db7.json.xz``, ``db7.JSON`` and a link to another directory.
    """
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            yield from _unread_files(path)


def _unread_files(path: str) -> Iterator[str]:
    whole = Path(path).resolve()
    for place, folders, names in os.walk(path):
        if "record.json" in names and is_recording(place):
            folders.clear()
            continue
        folders.sort()
        linked = [name for name in folders if (Path(place) / name).is_symlink()]
        outside = [name for name in linked if not (Path(place) / name).resolve().is_relative_to(whole)]
        unread = [name for name in names if _MAY_HAVE.search(name) and not name.endswith(_READ)]
        yield from (str(Path(place) / name) for name in sorted([*outside, *unread]))


def _directory(path: str) -> Iterator[Piece]:
    found = passed_over = 0
    failures: list[OSError] = []
    for place, folders, names in os.walk(path, onerror=failures.append, followlinks=False):
        if "record.json" in names and is_recording(place):
            folders.clear()
            found += 1
            yield Piece("recording", place)
            continue
        folders.sort()
        for name in sorted(names):
            if name.endswith(_READ):
                found += 1
                yield from _found(Path(place) / name)
            else:
                passed_over += 1
    for error in failures:
        yield Piece("fault", str(error.filename), message=f"It cannot be read: {error.strerror}.")
    if not found and not failures:
        more = f" It has {counted(passed_over, 'file')} of other kinds." if passed_over else ""
        message = f"This directory has no inventory (.json, .jsonl) and no recording.{more}"
        yield Piece("fault", path, message=message)


def _found(path: Path) -> Iterator[Piece]:
    """Yield the files of a directory; a pipe would block."""
    if not path.is_file() and path.exists():
        yield Piece("fault", str(path), message="It is a pipe, a socket or a device, not a file.")
    else:
        yield from _file(str(path))


def _file(path: str) -> Iterator[Piece]:
    if path.endswith(_ARCHIVES):
        if is_recording(path):
            yield Piece("recording", path)
        else:
            yield Piece("fault", path, message="It is not a recording of raidctl.")
        return
    if path.endswith(_SINGLE):
        yield Piece("file", path)
        return
    try:
        with ExitStack() as stack:
            opened = gzip.open if path.endswith(".gz") else open
            yield from cut(cast("BinaryIO", stack.enter_context(opened(path, "rb"))), path)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        yield Piece("fault", path, message=f"It cannot be read: {reason}.")


class _Window:
    """The part of an input that is in memory and in no piece yet."""

    memory: bytes | mmap.mmap = b""
    start = stop = 0

    def more(self) -> bool:
        """Add a block. False: the input has ended."""
        raise NotImplementedError

    def part(self, stop: int) -> bytes | Span:
        """The data of a piece, up to this position."""
        raise NotImplementedError


class _OfStream(_Window):
    """A window on a stream, which is read once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.memory: bytes = b""

    def more(self) -> bool:
        """Read a block."""
        block = self._stream.read(BLOCK)
        self.memory = self.memory[self.start :] + block
        self.start, self.stop = 0, len(self.memory)
        return bool(block)

    def part(self, stop: int) -> bytes:
        """A copy."""
        return self.memory[self.start : stop]


class _OfSpan(_Window):
    """A window on an input that is kept."""

    def __init__(self, whole: Span) -> None:
        self._whole = whole
        self._block = max(BLOCK, min((whole.stop - whole.start) // _PIECES, _LARGE_BLOCK))
        self.memory = whole.memory

    def more(self) -> bool:
        """Take a block more of it."""
        self._whole.forget()
        before, self.stop = self.stop, min(self.stop + self._block, self._whole.stop)
        return self.stop > before

    def part(self, stop: int) -> Span:
        """Its place."""
        return self._whole._replace(start=self.start, stop=stop)


def cut(given: BinaryIO | Span, source: str) -> Iterator[Piece]:
    """Cut the lines of an input at the ends of inventories. Indented ones end with a line ``}``."""
    window = _OfSpan(given) if isinstance(given, Span) else _OfStream(given)
    window.more()
    if over_lines(window.memory[window.start : window.stop]):
        yield _whole_list(window, source)
        return
    end, first, some = b"", 1, False
    while window.more():
        end = end or (b"\n}\n" if _INDENTED.match(window.memory, window.start, window.stop) else b"\n")
        last = window.memory.rfind(end, window.start, window.stop)
        if last >= 0:
            stop = last + len(end)
            yield Piece("lines", source, first, window.part(stop))
            some = True
            first += _lines(window, stop, short=len(end) > 1)
            window.start = stop
        elif window.stop - window.start > LONGEST:
            yield Piece("fault", f"{source}:{first}", message=f"A line has more than {LONGEST >> 20} MiB.")
            some = True
            first += _lines(window, window.stop, short=True) + _skip_line(window)
    if not window.memory[window.start : window.stop].isspace() and window.start < window.stop:
        yield Piece("lines", source, first, window.part(window.stop))
    elif not some:
        yield Piece("fault", source, message="It is empty.")


def over_lines(data: bytes) -> bool:
    """Whether it is a JSON list of objects over several lines."""
    begin = _LIST.match(data)
    return begin is not None and not data[begin.start(1) :].partition(b"\n")[0].rstrip().endswith(b"]")


def _whole_list(window: _Window, source: str) -> Piece:
    while window.stop - window.start <= LONGEST and window.more():
        pass
    if window.stop - window.start > LONGEST:
        return Piece(
            "fault", source, message=f"A list has more than {LONGEST >> 20} MiB; write one inventory per line."
        )
    return Piece("list", source, data=window.memory[window.start : window.stop])


def _lines(window: _Window, stop: int, *, short: bool) -> int:
    """Count the ends of lines up to a position. A search is fastest for long lines, and slow for short ones."""
    if short:
        return window.memory[window.start : stop].count(b"\n")
    number, place = 0, window.start
    while (place := window.memory.find(b"\n", place, stop) + 1) > 0:
        number += 1
    return number


def _skip_line(window: _Window) -> int:
    """Drop what is left of a line. Return the number of its ends."""
    while True:
        window.start = window.stop
        if not window.more():
            return 0
        end = window.memory.find(b"\n", window.start, window.stop)
        if end >= 0:
            window.start = end + 1
            return 1
