"""Read whole files, up to a size limit. Replace files atomically, or write into devices and pipes."""

from __future__ import annotations

import contextlib
import gzip
import os
import secrets
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from raidctl.errors import CannotTell, UsageError
from raidctl.text import printable

LARGEST = 256 << 20
"""Largest document, bytes."""


def read(word: str, shown: str, what: str, *, regular: bool = False) -> bytes:
    """Read a whole file, or standard input (``-``). The file is unpacked if its name ends in ``.gz``.

    Args:
        word: Its path, or ``-``.
        shown: Its name in messages.
        what: The expected content: ``a run``.
        regular: Refuse a pipe, a device and a directory. raidctl's own files are regular, and a pipe would never end.

    Raises:
        CannotTell: It cannot be read, is too large, or is not a regular file although it has to be.
    """
    if regular and _is_other(word):
        raise CannotTell(f"{shown} cannot be read: not a regular file.")
    try:
        if word == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with gzip.open(word, "rb") if word.endswith(".gz") else Path(word).open("rb") as file:
                data = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CannotTell(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > LARGEST:
        raise CannotTell(f"{shown} is too large to be {what}.")
    return data


def write(path: str, data: bytes | Iterable[bytes], *, mode: int | None = None, regular: bool = False) -> None:
    """Replace a file atomically. Readers always see the complete old or new content.

    A link stays a link. As root, a link into another directory is not followed, since whoever created it would choose
    the file; links of the system below ``/dev`` and ``/proc`` are followed. A target that is not a regular file
    (``/dev/stdout``, a pipe) is written into: replacing ``/dev/null`` as root would break the machine.

    Args:
        path: Where to.
        data: All of it, or parts as they come.
        mode: Its permissions, whatever the umask says.
        regular: Refuse an existing path that is not a regular file, as `read` does.

    Raises:
        CannotTell: It cannot be written; the old one is still there.
    """
    if regular and _is_other(path):
        raise CannotTell(f"{printable(path)} cannot be written: not a regular file.")
    parts = (data,) if isinstance(data, bytes) else data
    named = Path(path)
    elsewhere = _link_target(named) if os.geteuid() == 0 else None
    if elsewhere is not None:
        raise CannotTell(
            f"{printable(path)} is a link into another directory, which is not followed as root. "
            f"Name the file itself: {printable(elsewhere)}"
        )
    try:
        if _is_other(path):
            with named.open("wb") as opened:
                opened.writelines(parts)
        else:
            _replace(Path(os.path.realpath(path)), parts, mode)
    except OSError as error:
        raise CannotTell(f"{printable(path)} cannot be written: {error.strerror}.") from error


def directory(path: str) -> None:
    """Create a directory that only this user can enter, unless it exists.

    Raises:
        CannotTell: It cannot be made.
        UsageError: It is a file.
    """
    try:
        Path(path).mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{printable(path)} is a file; with --hosts it has to be a directory.") from None
    except OSError as error:
        raise CannotTell(f"{printable(path)} cannot be created: {error.strerror}.") from error


def create(path: str, text: str) -> None:
    """Write a new file.

    Raises:
        CannotTell: It cannot be written, or exists by now.
    """
    try:
        with Path(path).open("x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise CannotTell(f"{printable(path)} cannot be written: {error.strerror}.") from error


def _is_other(path: str) -> bool:
    """Return whether a path exists and is not a regular file."""
    return not Path(path).is_file() and Path(path).exists()


def _link_target(named: Path) -> str | None:
    """Return where a link leads. None if it stays in its directory or belongs to the system."""
    folder, target = os.path.realpath(named.parent), os.path.realpath(named)
    own = folder in ("/dev", "/dev/fd") or folder.startswith("/proc/")
    return target if named.is_symlink() and not own and os.path.dirname(target) != folder else None  # noqa: PTH120


def _replace(target: Path, parts: Iterable[bytes], mode: int | None) -> None:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        with beside.open("xb") as opened:
            opened.writelines(parts)
            opened.flush()
            if mode is not None:
                os.fchmod(opened.fileno(), mode)
            os.fsync(opened.fileno())
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
