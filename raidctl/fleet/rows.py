"""The rows of one piece, each as a line of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from raidctl.audit.engine import Auditor
from raidctl.audit.finding import Audited, Finding
from raidctl.audit.policy.sets import Policy, only_builtin
from raidctl.fleet.audit_piece import PieceAuditor
from raidctl.fleet.sources import Piece
from raidctl.json_decode import valid_text
from raidctl.model import Inventory, is_complete
from raidctl.rows import build
from raidctl.rows.tables import Row
from raidctl.text import json_safe

Rows = Callable[[Inventory, str], Iterator[Row]]

_NO_ROW = "It has no row in this table, and it was not read completely."
_ENCODER = msgspec.json.Encoder(order="deterministic")


class PieceRows(NamedTuple):
    """The rows of a piece as lines, and what could not be read."""

    lines: bytes
    """One JSON object per line."""
    rows: int
    """Number of lines."""
    faults: tuple[str, ...]


def rows_of(table: str, policy: Policy) -> Rows:
    """Return the function that converts an inventory to rows of a table. Findings are those of the policy."""
    if table != "findings":
        return build.BUILDERS[table]

    def findings(inventory: Inventory, source: str) -> Iterator[Row]:
        audited = Auditor(policy, keep=True, alone=True).audit(inventory, source)
        return build.findings(inventory, source, with_waivers(audited), policy.name)

    return findings


def with_waivers(audited: Audited) -> list[tuple[Finding, str | None]]:
    """All findings of a host, with the last day of any waiver."""
    waived = [(one.finding, str(one.until)) for one in audited.waived]
    return [*((one, None) for one in audited.findings), *waived]


def lines_of(rows: Rows, inventory: Inventory, source: str) -> tuple[bytes, int, tuple[str, ...]]:
    """The lines of an inventory, their number, and what no row shows: that it was not read completely.

    Each row has ``complete``. Without a row, "could not be read" would look like "nothing is there".
    """
    data, number = lines(rows(inventory, source))
    unread = () if number or is_complete(inventory) else (f"{source}: {_NO_ROW}",)
    return data, number, unread


def lines(rows: Iterable[Row]) -> tuple[bytes, int]:
    """One JSON object per line, and their number."""
    encoded = [_encoded(row) for row in rows]
    return b"".join(encoded), len(encoded)


def _encoded(row: Row) -> bytes:
    """Encode a row; JSON escapes control characters, and invalid text becomes U+FFFD."""
    try:
        data = _ENCODER.encode(row)
    except UnicodeEncodeError:
        data = _ENCODER.encode(valid_text(row))
    if not data.isascii() or b"\x7f" in data:
        data = json_safe(data.decode("utf-8")).encode("utf-8")
    return data + b"\n"


class RowReader(PieceAuditor):
    """Creates the rows of one table from pieces."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(only_builtin(()), everything=True)
        self._rows = rows
        self._lines: list[bytes] = []
        self._count = 0
        self._unread: list[str] = []

    def read(self, piece: Piece) -> PieceRows:
        """All rows of a piece's inventories, and why some were unreadable."""
        self._lines, self._count, self._unread = [], 0, []
        audited = list(self._piece(piece))
        faults = [f"{one.source}: {one.findings[0].message}" for one in audited if one.unreadable]
        return PieceRows(b"".join(self._lines), self._count, (*faults, *self._unread))

    def _inventory(self, inventory: Inventory, source: str) -> Audited:
        """Keep the rows of an inventory. It is not audited."""
        data, number, unread = lines_of(self._rows, inventory, source)
        self._lines.append(data)
        self._count += number
        self._unread += unread
        return Audited(host=source, source=source)
