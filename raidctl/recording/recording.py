"""Recordings of a machine's tools and files, as directory or archive.

A recording is ``record.json`` (:class:`raidctl.recording.manifest.Manifest`: each request and its answer) and one file
for each longer answer beside it. A directory, or any archive that :mod:`raidctl.recording.archive` opens, is read;
:mod:`raidctl.recording.save` writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct, field

from raidctl.errors import RecordError
from raidctl.recording.manifest import (
    FILE_LIMIT,
    MANIFEST,
    Entry,
    Manifest,
    decode_manifest,
    files_of,
    request_of,
)
from raidctl.request import Answer, Failure, GetAnswer, GlobAnswer, ReadAnswer, Request, RunAnswer, WhichAnswer

TOTAL_LIMIT = 1024**3
"""Largest size of a recording, bytes."""
_LOOK = 10_000
"""Members of an archive that are searched for a manifest."""
_HEAD = 4096
"""Bytes of a manifest that contain its format."""


class Recording(Struct, frozen=True):
    """A recording in memory: the manifest and its files."""

    manifest: Manifest
    files: Mapping[str, bytes] = field(default_factory=dict)

    def answers(self) -> Iterator[tuple[Request[Any], Answer]]:
        """Yield each request with its answer. The order is that of the first requests."""
        for entry in self.manifest.answers:
            yield request_of(entry), self._answer(entry)

    def _answer(self, entry: Entry) -> Answer:
        if entry.run is not None:
            return RunAnswer(
                entry.code,
                self.files[entry.out] if entry.out else b"",
                self.files[entry.err] if entry.err else b"",
                trouble=entry.trouble,
                detail=entry.detail,
            )
        if entry.glob is not None:
            return GlobAnswer(tuple(sorted(entry.paths or ())), trouble=entry.trouble, detail=entry.detail)
        if entry.which is not None:
            lost = None if entry.path else Failure.MISSING
            return WhichAnswer(entry.path, trouble=entry.trouble or lost, detail=entry.detail)
        kept = self.files[entry.data] if entry.data else None
        inline = None if entry.text is None else entry.text.encode("utf-8", errors="surrogateescape")
        data = inline if kept is None else kept
        if entry.get is not None:
            status = entry.status or (200 if entry.trouble is None else None)
            return GetAnswer(status, data or b"", trouble=entry.trouble, detail=entry.detail)
        return ReadAnswer(data, trouble=entry.trouble, detail=entry.detail)


def is_recording(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a recording: directory, archive, or its ``record.json``."""
    if os.fspath(path) == "-":  # standard input, even if a file has this name
        return False
    try:
        if os.path.isdir(path):
            manifest = os.path.join(path, MANIFEST)
            if not os.path.isfile(manifest):
                return False
            with open(manifest, "rb") as opened:
                return _is_manifest(opened.read(_HEAD))
        from raidctl.recording.archive import Piece, pieces  # noqa: PLC0415 - takes long, and a directory does not need it

        return os.path.isfile(path) and any(
            isinstance(item, Piece) and _depth(item.name) is not None and _is_manifest(item.stream.head)
            for item in islice(pieces(path, nesting=0), _LOOK)
        )
    except (OSError, RecordError):
        return False


def _is_manifest(head: bytes) -> bool:
    return b'"raidctl-record ' in head[:_HEAD]


def _depth(name: str) -> int | None:
    """Return the depth of a manifest in an archive. None for other files and if it is too deep."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return len(parts) if parts and parts[-1] == MANIFEST and len(parts) <= 3 else None


def load(path: str | os.PathLike[str]) -> Recording:
    """Read a recording: a directory, its ``record.json``, or an archive of it.

    Raises:
        RecordError: missing, not a recording, damaged, too large, or in an unknown format.
    """
    shown = os.fspath(path)
    if os.path.isdir(shown):
        return _directory(shown, shown)
    if os.path.basename(shown) == MANIFEST:
        return _directory(os.path.dirname(shown) or os.curdir, shown)
    held = _archive(shown)
    manifests = sorted((depth, name) for name in held if (depth := _depth(name)) is not None)
    if not manifests:
        raise RecordError(f"{shown} is not a recording: it has no {MANIFEST}.")
    name = manifests[0][1]
    manifest = decode_manifest(shown, held[name])
    prefix = name.removesuffix(MANIFEST)
    return _checked(shown, manifest, {n: held[prefix + n] for n in files_of(manifest) if prefix + n in held})


def _directory(folder: str, shown: str) -> Recording:
    """Return the recording in a directory."""
    text = _file(folder, MANIFEST, shown)
    if text is None:
        exists = os.path.lexists(folder)
        what = f"it is not a recording, {MANIFEST} is missing" if exists else "there is no such file or directory"
        raise RecordError(f"{shown}: {what}.")
    manifest = decode_manifest(shown, text)
    read = ((name, _file(folder, name, shown)) for name in files_of(manifest))
    return _checked(shown, manifest, {name: data for name, data in read if data is not None})


def _archive(shown: str) -> dict[str, bytes]:
    """Return every file of an archive, within limits."""
    from raidctl.recording.archive import Piece, pieces  # noqa: PLC0415 - takes long, and a directory does not need it

    held: dict[str, bytes] = {}
    total = 0
    for item in pieces(shown, nesting=0):
        if not isinstance(item, Piece):
            raise RecordError(f"{shown} cannot be read as a recording. {item.message}.")
        data = item.stream.read(FILE_LIMIT + 1)
        total += len(data)
        _bound(shown, item.name, len(data), total)
        held[item.name] = data
    return held


def _bound(shown: str, name: str, size: int, total: int) -> None:
    if size > FILE_LIMIT:
        raise RecordError(f"{shown} is too large for a recording: {name} has more than {FILE_LIMIT >> 20} MiB.")
    if total > TOTAL_LIMIT:
        raise RecordError(f"{shown} is too large for a recording: it has more than {TOTAL_LIMIT >> 30} GiB.")


def _file(folder: str, name: str, shown: str) -> bytes | None:
    """Return a file of a recording. None: there is no such file."""
    path, root = os.path.join(folder, name), os.path.realpath(folder)
    if os.path.commonpath((os.path.realpath(path), root)) != root:
        raise RecordError(f"{shown} is not used: {name} is outside of it.")
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would block
            raise RecordError(f"{shown} is not used: {name} is not a file.")
        with open(path, "rb") as opened:
            data = opened.read(FILE_LIMIT + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}.") from None
    _bound(shown, name, len(data), 0)
    return data


def _checked(shown: str, manifest: Manifest, files: dict[str, bytes]) -> Recording:
    missing = [name for name in files_of(manifest) if name not in files]
    if missing:
        raise RecordError(f"{shown} is incomplete: {missing[0]}, named in {MANIFEST}, is missing.")
    _bound(shown, "", 0, sum(len(data) for data in files.values()))
    return Recording(manifest, files)
