"""Recordings of a machine's tools and files, as directory or archive.

A recording is ``record.json`` (:class:`raidctl.recording.manifest.Manifest`: each request and its answer) and one file
for each longer answer beside it. ``load`` and ``save`` take a directory, ``NAME.tar.gz`` or ``NAME.tgz``; ``load`` also
takes any other archive that :mod:`raidctl.recording.archive` opens.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct, field

from raidctl.errors import RecordError
from raidctl.recording.manifest import (
    FILE_LIMIT,
    MANIFEST,
    Entry,
    Manifest,
    decode_manifest,
    encode_manifest,
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
_PACKED = (".tar.gz", ".tgz")


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
    place = Path(path)
    try:
        if place.is_dir():
            place /= MANIFEST
            if not place.is_file():
                return False
            with place.open("rb") as opened:
                return _is_manifest(opened.read(_HEAD))
        from raidctl.recording.archive import Piece, pieces  # noqa: PLC0415 - takes long, and a directory does not need it

        return place.is_file() and any(
            isinstance(item, Piece) and _depth(item.name) is not None and _is_manifest(item.stream.head)
            for item in islice(pieces(place, nesting=0), _LOOK)
        )
    except (OSError, RecordError):
        return False


def _is_manifest(head: bytes) -> bool:
    return b'"raidctl-record ' in head[:_HEAD]


def _depth(name: str) -> int | None:
    """Return the depth of a manifest in an archive. None for other files and if it is too deep."""
    parts = PurePosixPath(name).parts
    return len(parts) if parts and parts[-1] == MANIFEST and len(parts) <= 3 else None


def load(path: str | os.PathLike[str]) -> Recording:
    """Read a recording: a directory, its ``record.json``, or an archive of it.

    Raises:
        RecordError: missing, not a recording, damaged, too large, or in an unknown format.
    """
    place = Path(path)
    if place.name == MANIFEST and not place.is_dir():
        place = place.parent
    shown = os.fspath(path)
    if place.is_dir():
        manifest = decode_manifest(shown, _file(place, MANIFEST, shown))
        names = files_of(manifest)
        return _checked(shown, manifest, {name: _file(place, name, shown) for name in names if (place / name).exists()})
    held = _archive(place)
    manifests = sorted((depth, name) for name in held if (depth := _depth(name)) is not None)
    if not manifests:
        raise RecordError(f"{shown} is not a recording: it has no {MANIFEST}.")
    name = manifests[0][1]
    manifest = decode_manifest(shown, held[name])
    prefix = name.removesuffix(MANIFEST)
    return _checked(shown, manifest, {n: held[prefix + n] for n in files_of(manifest) if prefix + n in held})


def _archive(place: Path) -> dict[str, bytes]:
    """Return every file of an archive, within limits."""
    from raidctl.recording.archive import Piece, pieces  # noqa: PLC0415 - takes long, and a directory does not need it

    held: dict[str, bytes] = {}
    total = 0
    for item in pieces(place, nesting=0):
        if not isinstance(item, Piece):
            raise RecordError(f"{place} cannot be read as a recording. {item.message}.")
        data = item.stream.read(FILE_LIMIT + 1)
        total += len(data)
        _bound(str(place), item.name, len(data), total)
        held[item.name] = data
    return held


def _bound(shown: str, name: str, size: int, total: int) -> None:
    if size > FILE_LIMIT:
        raise RecordError(f"{shown} is too large for a recording: {name} has more than {FILE_LIMIT >> 20} MiB.")
    if total > TOTAL_LIMIT:
        raise RecordError(f"{shown} is too large for a recording: it has more than {TOTAL_LIMIT >> 30} GiB.")


def _file(folder: Path, name: str, shown: str) -> bytes:
    place = folder / name
    try:
        if not place.resolve().is_relative_to(folder.resolve()):
            raise RecordError(f"{shown} is not used: {name} is outside of it.")
        if not place.is_file() and place.exists():  # a pipe would block
            raise RecordError(f"{shown} is not used: {name} is not a file.")
        with place.open("rb") as opened:
            data = opened.read(FILE_LIMIT + 1)
    except FileNotFoundError:
        what = (
            "there is no such file or directory" if not folder.exists() else f"it is not a recording, {name} is missing"
        )
        raise RecordError(f"{shown}: {what}.") from None
    except OSError as error:
        raise RecordError(f"{place} cannot be read: {error.strerror or error}.") from None
    _bound(shown, name, len(data), 0)
    return data


def _checked(shown: str, manifest: Manifest, files: dict[str, bytes]) -> Recording:
    missing = [name for name in files_of(manifest) if name not in files]
    if missing:
        raise RecordError(f"{shown} is incomplete: {missing[0]}, named in {MANIFEST}, is missing.")
    _bound(shown, "", 0, sum(len(data) for data in files.values()))
    return Recording(manifest, files)


def save(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write a recording to a directory, or an archive ``NAME.tar.gz``, ``NAME.tgz``.

    Only its owner can read it, as it contains serial numbers. It is written atomically.

    Raises:
        RecordError: ``path`` exists, or cannot be written.
    """
    place = Path(path)
    packed = place.name.endswith(_PACKED)
    if packed and place.exists():
        raise RecordError(f"{place} already exists; choose another name or remove it.")
    if not packed and place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise RecordError(f"{place} already exists and is not an empty directory; choose another name.")
    contents = {
        MANIFEST: encode_manifest(recording.manifest),
        **{name: recording.files[name] for name in sorted(recording.files)},
    }
    try:
        if packed:
            _save_archive(contents, place)
        else:
            _save_directory(contents, place)
    except OSError as error:
        raise RecordError(f"{place} cannot be written: {error.strerror or error}.") from None


def _save_directory(contents: Mapping[str, bytes], place: Path) -> None:
    from tempfile import mkdtemp  # noqa: PLC0415 - reading needs none

    folder = Path(mkdtemp(prefix=f".{place.name}.", dir=place.absolute().parent))  # mode 0700
    try:
        for name, data in contents.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_bytes(data)
        folder.rename(place)  # over an empty directory this is allowed
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _save_archive(contents: Mapping[str, bytes], place: Path) -> None:
    import gzip  # noqa: PLC0415 - takes long, and a directory does not need it
    import tarfile  # noqa: PLC0415 - as above
    import tempfile  # noqa: PLC0415 - reading needs none

    stem = next(place.name.removesuffix(ending) for ending in _PACKED if place.name.endswith(ending)) or "record"
    number, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.absolute().parent)  # mode 0600
    try:
        with (
            os.fdopen(number, "wb") as raw,
            # no time and no name in the header: the same recording is the same archive, byte by byte
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for inner, data in contents.items():
                info = tarfile.TarInfo(f"{stem}/{inner}")
                info.size, info.mode = len(data), 0o600
                archive.addfile(info, io.BytesIO(data))
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
