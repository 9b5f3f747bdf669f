"""A runner that records the requests and answers of another one."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from typing import Any

import raidctl
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import (
    Answer,
    Failure,
    Get,
    GetAnswer,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Runner,
    UdevDatabase,
    Which,
    WhichAnswer,
    describe,
    key,
)
from raidctl.text import regex
from raidctl.units import timestamp

_INLINE = 200
"""Size limit in bytes for file content in the manifest itself."""
_PLAIN = re.compile(rb"[\t\n\x20-\x7e]*\Z")
_UNFIT = regex(r"[^A-Za-z0-9.=+]+")


class RecordRunner:
    """Passes requests to the inner runner and records them. Thread-safe."""

    def __init__(self, inner: Runner) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, ...], tuple[Request[Any], Answer, float]] = {}

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order. A repeated request keeps its place; its last answer counts."""
        begun = time.monotonic()
        answers = self._inner.carry_out(requests)
        seconds = time.monotonic() - begun
        with self._lock:
            for request, answer in zip(requests, answers, strict=True):
                if isinstance(request, Get) and answer.trouble is Failure.MISSING and not _replied(answer):
                    continue  # no service processor was named: nothing to keep
                self._kept[key(request)] = (request, answer, seconds)
        return answers

    def recording(self, about: str = "", source: str = "local", collected_at: str | None = None) -> Recording:
        """Return all requests so far as a recording. ``collected_at`` is RFC 3339 text; None means now."""
        with self._lock:
            kept = list(self._kept.values())
        files: dict[str, bytes] = {}
        entries = tuple(_entry(request, answer, seconds, files) for request, answer, seconds in kept)
        manifest = Manifest(
            format=FORMAT,
            raidctl=raidctl.__version__,
            collected_at=collected_at or timestamp(),
            source=source,
            about=about,
            answers=entries,
        )
        return Recording(manifest, files)


def _entry(request: Request[Any], answer: Answer, seconds: float, files: dict[str, bytes]) -> Entry:
    common: dict[str, Any] = {"trouble": answer.trouble, "detail": answer.detail, "seconds": round(seconds, 3)}
    if isinstance(request, Run) and isinstance(answer, RunAnswer):
        out = _kept(request, ".out", answer.out, files) if answer.out else None
        err = _kept(request, ".err", answer.err, files) if answer.err else None
        return Entry(run=request.argv, code=answer.code, out=out, err=err, **common)
    if isinstance(request, Glob) and isinstance(answer, GlobAnswer):
        return Entry(glob=request.pattern, paths=answer.paths, **common)
    if isinstance(request, Which) and isinstance(answer, WhichAnswer):
        return Entry(which=request.name, path=answer.path, **common)
    if isinstance(request, Get) and isinstance(answer, GetAnswer):
        data = _kept(request, ".json", answer.data, files) if answer.data else None
        text = None if answer.data or answer.trouble else ""
        return Entry(get=request.path, status=answer.status, data=data, text=text, **common)
    if isinstance(request, (Read, UdevDatabase)) and isinstance(answer, ReadAnswer):
        if isinstance(request, Read):
            common["read"] = request.path
        else:
            common["udev"] = True
        if answer.data is None:
            return Entry(**common)
        if len(answer.data) <= _INLINE and _PLAIN.match(answer.data):
            return Entry(text=answer.data.decode("ascii"), **common)
        return Entry(data=_kept(request, "", answer.data, files), **common)
    raise TypeError(f"{type(answer).__name__} is not an answer to {describe(request)}")


def _replied(answer: Answer) -> bool:
    return isinstance(answer, GetAnswer) and answer.status is not None


def _kept(request: Request[Any], ending: str, data: bytes, files: dict[str, bytes]) -> str:
    """Store data as a file with a unique name. The name is made from the request."""
    words = " ".join(key(request)[1:]) if not isinstance(request, UdevDatabase) else "udev-db"
    stem = _UNFIT.sub("-", words).strip("-.")[:100] or "answer"
    name, number = f"{stem}{ending}", 2
    while name in files or name == "record.json":
        name, number = f"{stem}-{number}{ending}", number + 1
    files[name] = data
    return name
