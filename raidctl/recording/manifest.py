"""The format of a recording's ``record.json``: each request with its answer, validated."""

from __future__ import annotations

import os
from typing import Any, Literal

import msgspec

from raidctl import json_decode
from raidctl.errors import RecordError
from raidctl.request import Failure, Get, Glob, Read, Request, Run, UdevDatabase, Which

FORMAT = "raidctl-record 1"
MANIFEST = "record.json"
FILE_LIMIT = 64 * 1024 * 1024
"""Bytes that are read of one file at most."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request and its answer. Exactly one of ``run``, ``read``, ``glob``, ``which``, ``udev``, ``get`` is set."""

    run: tuple[str, ...] | None = None
    """The argv of a program."""
    read: str | None = None
    """The path of a file."""
    glob: str | None = None
    """A pattern of paths."""
    which: str | None = None
    """The name of a program."""
    udev: bool = False
    """The udev database."""
    get: str | None = None
    """The path of a resource of the service processor."""
    status: int | None = None
    """HTTP status of ``get``; None: no reply."""
    code: int | None = None
    """Exit code of ``run``."""
    out: str | None = None
    """File with the standard output of ``run``; None: no output."""
    err: str | None = None
    """File with the standard error of ``run``."""
    data: str | None = None
    """File with the bytes of ``read``, ``udev`` or ``get``."""
    text: str | None = None
    """The content of ``read``, ``udev`` or ``get``, if it is short."""
    paths: tuple[str, ...] | None = None
    """Answer of ``glob``."""
    path: str | None = None
    """Answer of ``which``."""
    trouble: Failure | None = None
    """Why the request failed."""
    detail: str = ""
    """Details of the failure."""
    seconds: float | None = None
    """Duration of the answer, including other requests at the same time."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The content of ``record.json``."""

    format: str
    """``raidctl-record 1``."""
    raidctl: str | None = None
    """Version that wrote it."""
    collected_at: str | None = None
    """RFC 3339, UTC."""
    source: str = "local"
    """``local``, ``ssh:HOST``, ``written``."""
    unrecorded: Literal["missing"] | None = None
    """``missing``: unlisted requests are answered as missing; else as not recorded."""
    redacted: bool = False
    """Serial numbers, unique ids and names are masked."""
    about: str = ""
    """What the machine shows, one sentence."""
    answers: tuple[Entry, ...] = ()


def request_of(entry: Entry) -> Request[Any]:
    """Return the request of an entry, without limits."""
    if entry.run is not None:
        return Run(entry.run)
    if entry.read is not None:
        return Read(entry.read)
    if entry.glob is not None:
        return Glob(entry.glob)
    if entry.get is not None:
        return Get(entry.get)
    return UdevDatabase() if entry.which is None else Which(entry.which)


def encode_manifest(manifest: Manifest) -> bytes:
    """Encode ``record.json``, indented."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def decode_manifest(shown: str, data: bytes) -> Manifest:
    """Decode and check ``record.json``; ``shown`` names the recording in errors.

    Raises:
        RecordError: it is not one, is damaged, or in an unknown format.
    """
    try:
        head = json_decode.decode(data)
        version = head.get("format") if isinstance(head, dict) else None
        if not isinstance(version, str) or not version.startswith("raidctl-record "):
            raise RecordError(f'{shown} is not a recording: its {MANIFEST} has no "format": "{FORMAT}".')
        if version != FORMAT:
            raise RecordError(
                f'{shown} is in the format "{version}", this raidctl reads "{FORMAT}"; use a newer raidctl.'
            )
        manifest: Manifest = json_decode.decode(data, Manifest)
    except msgspec.DecodeError as error:
        raise RecordError(f"{shown} is damaged: {MANIFEST} is invalid: {error}.") from None
    for number, entry in enumerate(manifest.answers):
        fault = _fault(entry)
        if fault:
            raise RecordError(f"{shown} is damaged: answer {number} of {MANIFEST} {fault}.")
    return manifest


def _fault(entry: Entry) -> str | None:
    """Return the fault of an entry; None if it is valid."""
    named = (entry.run, entry.read, entry.glob, entry.which, entry.get)
    if sum((*(name is not None for name in named), entry.udev)) != 1 or entry.run == ():
        return "must have one of run, read, glob, which, udev, get"
    if entry.run is not None and entry.code is None and entry.trouble is None:
        return "has neither an exit code nor a trouble for run"
    content = entry.data is None and entry.text is None and entry.trouble is None
    if (entry.read is not None or entry.udev or entry.get is not None) and content:
        return "has neither data nor text nor a trouble for read or get"
    for name in (entry.out, entry.err, entry.data):
        if name is not None and not _safe(name):
            return f"names the file {name!r}, which is not a file of the recording"
    return None


def _safe(name: str) -> bool:
    """Whether a file's name leads to a place inside the recording, and is written in its shortest form."""
    plain = not any(part in ("", os.curdir, os.pardir) for part in name.split("/"))
    return plain and "\\" not in name and "\0" not in name and name != MANIFEST


def files_of(manifest: Manifest) -> list[str]:
    """The files that a manifest names, each once."""
    named = (name for entry in manifest.answers for name in (entry.out, entry.err, entry.data) if name)
    return list(dict.fromkeys(named))
