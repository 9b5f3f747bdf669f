"""Write a recording to a directory or an archive."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from raidctl.errors import RecordError
from raidctl.recording.manifest import MANIFEST, encode_manifest
from raidctl.recording.recording import Recording

_PACKED = (".tar.gz", ".tgz")


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
    folder = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.absolute().parent))  # mode 0700
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
