"""Transcripts of a changing command, with its tool's outputs around it.

raidctl only reads; the owner of the machine runs a command that is due anyway, and pastes its output. A transcript is a
directory: ``before.json``, ``answer.txt`` to paste into, ``after.json``, and ``transcript.txt`` with everything. It
contains only outputs of the command's own tool.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from raidctl import __version__, json_decode
from raidctl.errors import RecordError, UsageError
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.recording.redact import redact
from raidctl.text import regex

BEFORE, AFTER, ANSWER, TRANSCRIPT = "before.json", "after.json", "answer.txt", "transcript.txt"
_RULE = "=" * 30
_PASTE = f"{_RULE} paste below this line, everything that it printed {_RULE}"
# exit code: 0
_CODE = regex(r"(?m)^exit code:[ \t]*(\d{1,3})[ \t]*$", re.ASCII)
_NOT_RUN = "not given"


class Printed(Struct, frozen=True, kw_only=True):
    """The output of one reading command."""

    argv: tuple[str, ...]
    code: int | None
    out: str


class Reading(Struct, frozen=True, kw_only=True):
    """The outputs of the tool at one moment."""

    command: tuple[str, ...]
    """The changing command."""
    at: str
    """RFC 3339, UTC."""
    about: tuple[str, ...]
    """Versions of raidctl and the tools; controllers with firmware and driver."""
    known: str
    """Whether raidctl would run the command, one sentence."""
    serials: tuple[str, ...]
    """Serial numbers found, to mask them."""
    runs: tuple[Printed, ...]


def first(place: Path, reading: Reading) -> None:
    """Begin a transcript. Save the first reading, and create the file for the output.

    Raises:
        RecordError: The directory cannot be written.
    """
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        _write(place / BEFORE, msgspec.json.encode(reading))
        _write(place / ANSWER, _template(reading).encode())
    except OSError as error:
        raise RecordError(f"{place} cannot be written: {error.strerror or error}.") from None


def begun(place: Path, command: Sequence[str]) -> Reading | None:
    """Return the reading before the command; None: this transcript has not begun.

    Raises:
        UsageError: The directory has another transcript, or one that is complete.
        RecordError: It cannot be read.
    """
    try:
        data = (place / BEFORE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"{place / BEFORE} cannot be read: {error.strerror or error}.") from None
    try:
        found: Reading = json_decode.decode(data, Reading)
    except ValueError as error:
        raise RecordError(f"{place / BEFORE} is damaged: {error}.") from None
    if found.command != tuple(command):
        raise UsageError(f"{place} is the transcript of another command: {' '.join(found.command)}")
    if (place / TRANSCRIPT).exists():
        raise UsageError(f"The transcript in {place} is complete: {place / TRANSCRIPT}.")
    return found


def answer(place: Path) -> tuple[int | None, str]:
    """Return the exit code and the output that were pasted.

    Raises:
        UsageError: Nothing was pasted.
        RecordError: The file cannot be read.
    """
    try:
        text = (place / ANSWER).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordError(f"{place / ANSWER} cannot be read: {error.strerror or error}.") from None
    head, rule, pasted = text.partition(f"{_PASTE}\n")
    code = _CODE.search(head)
    if not rule or not (pasted.strip() or code):
        raise UsageError(
            f"{place / ANSWER} has no answer yet. Run the command, write its exit code and what it printed into that "
            "file, then run this again."
        )
    return (int(code[1]) if code else None), pasted


def complete(place: Path, before: Reading, after: Reading, *, masked: bool) -> Path:
    """Write the second reading and the whole transcript; return its path.

    Raises:
        RecordError: It cannot be written, or not be masked.
    """
    code, pasted = answer(place)
    whole = _whole(before, after, code, pasted)
    text = _rendered(redact(whole, known=(*before.serials, *after.serials)) if masked else whole)
    try:
        _write(place / AFTER, msgspec.json.encode(after))
        _write(place / TRANSCRIPT, text.encode("utf-8", errors="surrogateescape"))
    except OSError as error:
        raise RecordError(f"{place} cannot be written: {error.strerror or error}.") from None
    return place / TRANSCRIPT


def _write(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _template(reading: Reading) -> str:
    return (
        "Run this command yourself, when you would run it anyway. raidctl does not run it.\n\n"
        f"    {' '.join(reading.command)}\n\n"
        "Write its exit code (echo $?) after the colon:\n"
        "exit code:\n\n"
        f"{_PASTE}\n"
    )


def _whole(before: Reading, after: Reading, code: int | None, pasted: str) -> Recording:
    """All parts as one recording. So masking replaces a serial number by the same text everywhere."""
    parts: list[tuple[str, tuple[str, ...], int | None, str]] = []
    for moment, reading in (("before", before), ("after", after)):
        parts += [(moment, one.argv, one.code, one.out) for one in reading.runs]
        if moment == "before":
            parts.append(("the command, run by the owner of the machine", before.command, code, pasted))
    entries, files = [], {}
    for number, (moment, argv, exit_code, out) in enumerate(parts):
        files[f"{number:03}.out"] = out.encode("utf-8", errors="surrogateescape")
        entries.append(Entry(run=argv, code=exit_code, out=f"{number:03}.out", detail=moment))
    about = "\n".join((*before.about, before.known, f"before: {before.at}", f"after: {after.at}"))
    return Recording(Manifest(format=FORMAT, raidctl=__version__, about=about, answers=tuple(entries)), files)


def _rendered(whole: Recording) -> str:
    """The transcript as one text: a header, then the commands. Each command has its exit code and its output."""
    return "".join(_parts(whole))


def _parts(whole: Recording) -> Iterator[str]:
    yield "raidctl transcript 1\n"
    yield from (f"{line}\n" for line in whole.manifest.about.split("\n"))
    for entry in whole.manifest.answers:
        code = _NOT_RUN if entry.code is None else entry.code
        yield f"\n{_RULE}\n{entry.detail}, exit code {code}\n$ {' '.join(entry.run or ())}\n"
        yield whole.files[entry.out or ""].decode("utf-8", errors="surrogateescape")
