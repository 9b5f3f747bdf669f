"""Does one piece: reads the inventories in it and holds the policy against them."""

from __future__ import annotations

import gc
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from raidctl.audit.engine import Auditor, Tally
from raidctl.audit.finding import Audited
from raidctl.audit.policy.sets import Policy
from raidctl.errors import RaidctlError
from raidctl.fleet.sources import LONGEST, Piece
from raidctl.model import SCHEMA_VERSION, Inventory

Result = tuple[Tally, list[Audited]]
_BRACE = 3
"""Bytes of a line that is only a brace; longer lines, of which there are many, are not looked at."""


class _Head(msgspec.Struct):
    """What tells inventories of another version, and other JSON of raidctl, apart."""

    schema_version: Any = None
    controllers: Any = None


class Worker:
    """A policy at work on pieces.

    Args:
        policy: What is to hold.
        keep: Tell of what passes, too.
        alone: A file is one machine of its own (:class:`raidctl.audit.engine.Auditor`).
        everything: Hand back hosts on which all passed, too.
    """

    def __init__(self, policy: Policy, *, keep: bool = False, alone: bool = False, everything: bool = False) -> None:
        self._auditor = Auditor(policy, keep=keep, alone=alone)
        self._everything = everything or keep
        self._decoder = msgspec.json.Decoder(Inventory)

    def __call__(self, piece: Piece) -> Result:
        """What the policy says of all that is in a piece."""
        found = [one for one in self._piece(piece) if one.findings or self._everything]
        return self._auditor.take(), found

    def _piece(self, piece: Piece) -> Iterator[Audited]:
        if piece.kind == "fault":
            yield self._auditor.unreadable(piece.source, piece.message)
        elif piece.kind == "recording":
            yield self._recording(piece.source)
        elif piece.kind == "file":
            yield from self._file(piece.source)
        else:
            for line, document in documents(piece.data, piece.first):
                yield self._document(document, f"{piece.source}:{line}")

    def _document(self, document: bytes, source: str) -> Audited:
        try:
            inventory = self._decoder.decode(document)
        except msgspec.DecodeError as error:
            return self._auditor.unreadable(source, _why(document, error))
        except RecursionError:
            return self._auditor.unreadable(source, "This is nested too deeply to be an inventory.")
        if b'"controllers"' not in document:
            return self._auditor.unreadable(source, _OTHER)
        return self._auditor.audit(inventory, source)

    def _file(self, path: str) -> Iterator[Audited]:
        try:
            data = _bytes(path)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            yield self._auditor.unreadable(path, f"It cannot be read: {reason}.")
            return
        if len(data) > LONGEST:
            yield self._auditor.unreadable(path, f"It is bigger than {LONGEST >> 20} MiB; write one inventory a line.")
            return
        listed = _listed(data)
        if listed is not None:
            for number, raw in enumerate(listed, 1):
                yield self._document(bytes(raw), f"{path}[{number}]")
            return
        several = list(documents(data, 1))
        if len(several) > 1 and _whole(data):
            several = [(1, data)]
        if not several:
            yield self._auditor.unreadable(path, "It is empty.")
        for line, document in several:
            yield self._document(document, path if len(several) == 1 else f"{path}:{line}")

    def _recording(self, path: str) -> Audited:
        from raidctl.observe import survey  # noqa: PLC0415 - families are imported only where one is asked for
        from raidctl.record import load  # noqa: PLC0415 - as above
        from raidctl.registry import vendors  # noqa: PLC0415 - as above
        from raidctl.runners.replay import ReplayRunner  # noqa: PLC0415 - as above

        try:
            kept = load(path)
        except (OSError, RaidctlError) as error:
            return self._auditor.unreadable(path, str(error))
        found, problems = vendors()
        when = kept.manifest.collected_at
        seen = survey(ReplayRunner(kept), found, source=f"replay:{path}", collected_at=when, problems=problems)
        return self._auditor.audit(seen.inventory, path)


def documents(data: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """The JSON documents in some lines, each with the number of its first line: one a line, or indented ones."""
    started, lines = 0, list[bytes]()
    for number, line in enumerate(io.BytesIO(data), first):
        if started:
            lines.append(line)
            if len(line) <= _BRACE and line.rstrip() == b"}":
                yield started, b"".join(lines)
                started, lines = 0, []
        elif len(line) <= _BRACE and line.rstrip() == b"{":
            started, lines = number, [line]
        elif not line.isspace():
            yield number, line
    if started:
        yield started, b"".join(lines)


def _whole(data: bytes) -> bool:
    """Whether it is one document, however it is laid out."""
    try:
        msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _listed(data: bytes) -> list[msgspec.Raw] | None:
    if data.lstrip()[:1] != b"[":
        return None
    try:
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None


def _bytes(path: str) -> bytes:
    """A little more than is read at most."""
    with gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb") as stream:
        return stream.read(LONGEST + 1)


_OTHER = 'This is JSON, and no inventory: it has no "controllers".'


def _why(document: bytes, error: msgspec.DecodeError) -> str:
    """Why a document is no inventory, one sentence."""
    if isinstance(error, msgspec.ValidationError):
        try:
            head = msgspec.json.decode(document, type=_Head)
        except (msgspec.DecodeError, RecursionError):
            return f"This is no inventory: {error}."
        if head.controllers is None:
            return _OTHER
        if head.schema_version != SCHEMA_VERSION:
            shown = str(head.schema_version)[:40]
            return f"It is an inventory of schema version {shown}, and this raidctl reads version {SCHEMA_VERSION}."
        return f"This is no inventory: {error}."
    if _is_cut_off(document):
        return "The JSON is cut off in the middle."
    return f"This is no JSON: {error}."


def _is_cut_off(document: bytes) -> bool:
    """Whether it ends before its time; the newline behind it would pass for a character too many."""
    try:
        msgspec.json.decode(document.rstrip(), type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    return False


def settle() -> None:
    """Spare what is there from being looked through for garbage: inventories have no cycles, and come by thousands."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
