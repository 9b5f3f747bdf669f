"""Find inventories in directories, files, pipes and recordings. Cut them into pieces."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from raidctl.recording.recording import is_recording
from raidctl.text import counted, regex

BLOCK = 1 << 20
"""Bytes of a piece. Some dozens of inventories are cheap to pass on and small in memory."""
LONGEST = 64 << 20
"""Largest inventory, bytes."""
STDIN = "-"
_SINGLE = (".json", ".json.gz")
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_ARCHIVES = (".tar.gz", ".tgz")
_READ = (*_SINGLE, *_LINES, *_ARCHIVES)
_MAY_HAVE = regex(r"\.(?:(?:nd)?jsonl?|tar|tgz|zip)\b", re.IGNORECASE)
_LIST = re.compile(rb"\s*(\[)\s*\{")


@dataclass(frozen=True)
class Piece:
    """A unit of work: inventories, or the reason why there are none."""

    kind: Literal["lines", "list", "file", "recording", "fault"]
    source: str
    """The file; ``standard input``."""
    first: int = 1
    """Of lines: the number of the first."""
    data: bytes = b""
    """Of lines and of a list."""
    message: str = ""
    """Of a fault: the reason, one sentence."""


def pieces(paths: Iterable[str], stdin: BinaryIO) -> Iterator[Piece]:
    """Yield the pieces of all paths, in their order. The files of a directory are sorted by name.

    A path that is missing or unreadable gives a fault piece; the rest goes on.
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


def cut(stream: BinaryIO, source: str) -> Iterator[Piece]:
    """Cut the lines of a stream at the ends of inventories. Indented ones end with a line ``}``."""
    rest, first = stream.read(BLOCK), 1
    if over_lines(rest):
        yield _whole_list(rest, stream, source)
        return
    end: bytes | None = None
    some = False
    while block := stream.read(BLOCK):
        data = rest + block
        if end is None:
            end = b"\n}\n" if data.lstrip().startswith((b"{\n", b"{\r\n")) else b"\n"
        last = data.rfind(end)
        if last < 0:
            if len(data) > LONGEST:
                yield Piece("fault", f"{source}:{first}", message=f"A line has more than {LONGEST >> 20} MiB.")
                first += data.count(b"\n") + _skip_line(stream)
                some, data = True, b""
            rest = data
            continue
        piece, rest = data[: last + len(end)], data[last + len(end) :]
        yield Piece("lines", source, first, piece)
        some = True
        first += _lines(piece)
    if rest.strip():
        yield Piece("lines", source, first, rest)
    elif not some:
        yield Piece("fault", source, message="It is empty.")


def over_lines(data: bytes) -> bool:
    """Whether it is a JSON list of objects over several lines."""
    begin = _LIST.match(data)
    return begin is not None and not data[begin.start(1) :].partition(b"\n")[0].rstrip().endswith(b"]")


def _whole_list(begin: bytes, stream: BinaryIO, source: str) -> Piece:
    data = begin + stream.read(LONGEST + 1 - len(begin))
    if len(data) > LONGEST:
        return Piece(
            "fault", source, message=f"A list has more than {LONGEST >> 20} MiB; write one inventory per line."
        )
    return Piece("list", source, data=data)


def _lines(data: bytes) -> int:
    """Count the lines, the last one terminated. For long lines, this is several times as fast as ``bytes.count``."""
    return sum(1 for _ in io.BytesIO(data))


def _skip_line(stream: BinaryIO) -> int:
    while line := stream.readline(BLOCK):
        if line.endswith(b"\n"):
            return 1
    return 0
