"""Audit one piece: read its inventories and check them against the policy."""

from __future__ import annotations

import gc
import gzip
import mmap
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from raidctl import json_decode
from raidctl.audit.engine import Auditor, Tally
from raidctl.audit.finding import Audited
from raidctl.audit.policy.sets import Policy
from raidctl.errors import RaidctlError
from raidctl.fleet.rereadable_input import Span
from raidctl.fleet.sources import LONGEST, Piece, over_lines
from raidctl.model import Inventory
from raidctl.recording import inventory_files

_BRACE = 3
"""Most bytes of a line that begins or ends an indented document. Longer lines are not compared."""


class Result(NamedTuple):
    """The result of one piece."""

    tally: Tally
    hosts: list[Audited]
    """Hosts to report."""
    read: list[tuple[str | None, str | None]]
    """Host name and time of each inventory that could be read, those not reported included."""


class PieceAuditor:
    """Checks a policy on pieces.

    Args:
        policy: The policy.
        keep: Also report checks that pass.
        alone: Each file is one machine (:class:`raidctl.audit.engine.Auditor`).
        everything: Also return hosts on which all checks passed.
        older: Sources to skip, as there is a newer inventory of the same host.
    """

    def __init__(
        self, policy: Policy, *, keep: bool = False, alone: bool = False, everything: bool = False,
        older: Container[str] = (),
    ) -> None:  # fmt: skip
        self._older = older
        self._auditor = Auditor(policy, keep=keep, alone=alone)
        self._everything = everything or keep
        self._read: list[tuple[str | None, str | None]] = []

    def __call__(self, piece: Piece) -> Result:
        """Audit all inventories of a piece."""
        self._read = []
        found = [one for one in self._piece(piece) if one.findings or one.waived or self._everything]
        return Result(self._auditor.take(), found, self._read)

    def _piece(self, piece: Piece) -> Iterator[Audited]:
        if piece.kind == "fault":
            yield self._auditor.unreadable(piece.source, piece.message, None)
        elif piece.kind == "recording":
            if piece.source not in self._older:
                yield self._recording(piece.source)
        elif piece.kind == "file":
            yield from self._file(piece.source)
        elif piece.kind == "list":
            memory, start, stop = piece.buffer()
            yield from self._list(memory[start:stop], piece.source)
        else:
            for line, document in documents(*piece.buffer(), piece.first):
                yield from self._either(document, f"{piece.source}:{line}")
            if isinstance(piece.data, Span):
                piece.data.forget()

    def _document(self, document: bytes, source: str) -> Audited:
        try:
            inventory = inventory_files.decode(document)
        except inventory_files.NoInventory as reason:
            return self._auditor.unreadable(source, f"It {reason}.")
        return self._inventory(inventory, source)

    def _either(self, document: bytes, source: str) -> Iterator[Audited]:
        """Audit an inventory, or all in a list."""
        many = _listed(document) if document.lstrip()[:1] == b"[" else None
        if many is None:
            if source not in self._older:
                yield self._document(document, source)
            return
        if not many:
            yield self._auditor.unreadable(source, "It is an empty list.")
        for number, raw in enumerate(many, 1):
            if f"{source}[{number}]" not in self._older:
                yield self._document(bytes(raw), f"{source}[{number}]")

    def _list(self, data: bytes, source: str) -> Iterator[Audited]:
        """Audit a list over several lines, which may be cut off."""
        if _listed(data) is None:
            yield self._auditor.unreadable(source, f"It {inventory_files.broken(data)}.")
        else:
            yield from self._either(data, source)

    def _file(self, path: str) -> Iterator[Audited]:
        try:
            data = _bytes(path)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            yield self._auditor.unreadable(path, f"It cannot be read: {reason}.", None)
            return
        if len(data) > LONGEST:
            message = f"It is larger than {LONGEST >> 20} MiB; write one inventory per line."
            yield self._auditor.unreadable(path, message, None)
            return
        if over_lines(data):
            yield from self._list(data, path)
            return
        several = list(documents(data, 0, len(data), 1))
        if len(several) > 1 and (_whole(data) or not any(_may_be_inventory(document) for _, document in several)):
            several = [(1, data)]
        if not several:
            yield self._auditor.unreadable(path, "It is empty.")
        for line, document in several:
            yield from self._either(document, path if len(several) == 1 else f"{path}:{line}")

    def _recording(self, path: str) -> Audited:
        try:
            inventory = recorded(path)
        except (OSError, RaidctlError) as error:
            return self._auditor.unreadable(path, str(error))
        return self._inventory(inventory, path)

    def _inventory(self, inventory: Inventory, source: str) -> Audited:
        """Audit an inventory that could be read. All ways to one end here."""
        self._read.append((inventory.host.hostname, inventory.host.collected_at))
        return self._auditor.audit(inventory, source)


def recorded(path: str) -> Inventory:
    """Return the inventory of a recording."""
    from raidctl.recording.recording import load  # noqa: PLC0415 - families are imported only for recordings
    from raidctl.runners.replay import ReplayRunner  # noqa: PLC0415 - as above
    from raidctl.survey.survey import survey  # noqa: PLC0415 - as above
    from raidctl.vendor.registry import vendors  # noqa: PLC0415 - as above

    kept = load(path)
    found, problems = vendors()
    when = kept.manifest.collected_at
    seen = survey(ReplayRunner(kept), found, source=f"replay:{path}", collected_at=when, problems=problems)
    return seen.inventory


def documents(memory: bytes | mmap.mmap, start: int, stop: int, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the JSON documents in a part of some memory, with their first line numbers.

    A document is one line, or indented over several.
    """
    began, since, number = 0, start, first
    while start < stop:
        end = memory.find(b"\n", start, stop) + 1 or stop
        brace = memory[start:end].rstrip() if end - start <= _BRACE else b""
        if began:
            if brace == b"}":
                yield began, memory[since:end]
                began = 0
        elif brace == b"{":
            began, since = number, start
        elif not (line := memory[start:end]).isspace():
            yield number, line
        start, number = end, number + 1
    if began:
        yield began, memory[since:stop]


def _may_be_inventory(document: bytes) -> bool:
    """Whether it may be an inventory or a list of them."""
    return document.lstrip()[:1] in (b"{", b"[") and _whole(document)


def _whole(data: bytes) -> bool:
    """Whether it is one document, in any layout."""
    try:
        json_decode.decode(data.strip(), msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _listed(data: bytes) -> list[msgspec.Raw] | None:
    try:
        found: list[msgspec.Raw] = json_decode.decode(data, list[msgspec.Raw])
    except msgspec.DecodeError:
        return None
    return found


def _bytes(path: str) -> bytes:
    """Read a file up to slightly more than the limit."""
    with gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb") as stream:
        return stream.read(LONGEST + 1)


def freeze_objects() -> None:
    """Exclude existing objects from garbage collection. There are thousands of inventories, without cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
