"""The snapshots of machines, in a database of the state directory.

Equal inventories are stored once, without noise (values that always change), and each snapshot's noise separately, so
that nothing is lost and unchanged snapshots take little space.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated

import msgspec

from raidctl import json_decode
from raidctl.described import doc
from raidctl.drift.canonical import canonical, restored
from raidctl.errors import CannotTell, UsageError
from raidctl.model import Inventory, unread_problems
from raidctl.snapshots.sqlite import Database
from raidctl.text import printable
from raidctl.units import format_moment, timestamp

FILE = "states.sqlite3"
MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE document (
        hash TEXT PRIMARY KEY,
        body BLOB NOT NULL
    );
    CREATE TABLE state (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        host TEXT NOT NULL,
        source TEXT NOT NULL,
        unread INTEGER NOT NULL,
        hash TEXT NOT NULL REFERENCES document (hash),
        noise BLOB NOT NULL
    );
    CREATE INDEX state_of_host ON state (host, id)
    """,
)


class SavedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the list of snapshots."""

    id: Annotated[int, doc("Its number, which is never reused.")]
    at: Annotated[str, doc("When the machine was read, RFC 3339 in UTC.")]
    host: Annotated[str, doc("Host name; without one, the source.")]
    source: Annotated[str, doc("`local`, `ssh:HOST`, `replay:PATH`, `demo:NAME`.")]
    unread: Annotated[int, doc("Number of reading problems.")]
    changed: Annotated[bool, doc("Whether it differs, without noise, from the previous snapshot of the host.")]


class SnapshotStore(Database):
    """The snapshots in a state directory."""

    noun = "snapshot"

    def __init__(self, place: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
        super().__init__(place / FILE, migrations)

    def add(self, inventory: Inventory) -> SavedSnapshot:
        """Save a snapshot.

        Raises:
            AccessMissing, CannotTell: It was not saved; the database is unchanged.
        """
        whole = canonical(inventory)
        body = msgspec.json.encode(whole.document, order="sorted")
        digest = hashlib.sha256(body).hexdigest()
        at = inventory.host.collected_at or timestamp()
        unread = len(unread_problems(inventory.problems))
        with self.writing() as database:
            before = database.execute(
                "SELECT hash FROM state WHERE host = ? "
                "AND CASE WHEN source LIKE 'ssh:%' THEN source ELSE '' END = ? ORDER BY id DESC LIMIT 1",
                whose(key(inventory), inventory.host.source),
            ).fetchone()
            # a stored document with this hash may be damaged, and this snapshot would be lost with it
            database.execute(
                "INSERT INTO document VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET body = excluded.body "
                "WHERE body <> excluded.body",
                (digest, zlib.compress(body, 9)),
            )
            noise = zlib.compress(msgspec.json.encode(whole.noise), 9)
            cursor = database.execute(
                "INSERT INTO state (at, host, source, unread, hash, noise) VALUES (?, ?, ?, ?, ?, ?)",
                (at, key(inventory), inventory.host.source, unread, digest, noise),
            )
            number = cursor.lastrowid or 0
        return SavedSnapshot(
            id=number, at=at, host=key(inventory), source=inventory.host.source, unread=unread,
            changed=before is None or before[0] != digest,
        )  # fmt: skip

    def list(self) -> list[SavedSnapshot]:
        """Return all snapshots, the oldest first.

        Raises:
            AccessMissing, CannotTell: They cannot be read.
        """
        with self.reading() as database:
            rows = [] if database is None else database.execute(
                "SELECT id, at, host, source, unread, hash FROM state ORDER BY id"
            ).fetchall()  # fmt: skip
        last: dict[tuple[str, str], str] = {}
        found = []
        for number, at, host, source, unread, digest in rows:
            changed = last.get(whose(host, source)) != digest
            last[whose(host, source)] = digest
            found.append(SavedSnapshot(id=number, at=at, host=host, source=source, unread=unread, changed=changed))
        return found

    def get(self, number: int) -> Inventory:
        """Return a snapshot.

        Raises:
            UsageError: There is none of this number.
            AccessMissing, CannotTell: It cannot be read.
        """
        with self.reading() as database:
            row = database and database.execute(f"{_WHOLE} WHERE state.id = ?", (number,)).fetchone()
        if not row:
            raise UsageError(f'There is no snapshot {number}; "raidctl snapshot --list" lists them.')
        return self._inventory(*row)

    def each(self, host: str) -> Iterator[tuple[SavedSnapshot, Inventory | CannotTell]]:
        """Yield every snapshot of a host in order. If one cannot be decoded, yield why.

        Raises:
            AccessMissing, CannotTell: None can be read.
        """
        listed = {one.id: one for one in self.list() if one.host == host}
        for number, one in listed.items():
            try:
                yield one, self.get(number)
            except CannotTell as error:
                yield one, error

    def prune(self, older: timedelta, *, today: datetime | None = None) -> Sequence[SavedSnapshot]:
        """Remove older snapshots, never the last one of a host. Return those removed.

        Raises:
            AccessMissing, CannotTell: Nothing was removed.
        """
        limit = format_moment((today or datetime.now(timezone.utc)) - older)
        every = self.list()
        last = {whose(one.host, one.source): one.id for one in every}
        old = [one for one in every if one.at < limit and one.id != last[whose(one.host, one.source)]]
        if old:
            with self.writing() as database:
                database.executemany("DELETE FROM state WHERE id = ?", [(one.id,) for one in old])
                database.execute("DELETE FROM document WHERE hash NOT IN (SELECT hash FROM state)")
        return old

    def _inventory(self, number: int, at: str, source: str, body: bytes | None, noise: bytes) -> Inventory:
        try:
            document = json_decode.decode(zlib.decompress(body or b""))
            lost = json_decode.decode(zlib.decompress(noise), list[tuple[list[str | int], object]])
            whole = restored(document, lost)
        except (zlib.error, msgspec.MsgspecError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise CannotTell(
                f"Snapshot {number} of {self.path} is invalid: {error}. A newer raidctl may have written it; "
                "the others can be read."
            ) from None
        host = msgspec.structs.replace(whole.host, collected_at=at, source=source)
        return msgspec.structs.replace(whole, host=host)


_WHOLE = (
    "SELECT state.id, state.at, state.source, document.body, state.noise "
    "FROM state LEFT JOIN document ON document.hash = state.hash"
)


def whose(host: str, source: str) -> tuple[str, str]:
    """Return the column and value that identify a machine.

    Over ssh the name used is included, as host names may repeat.
    """
    return host, source if source.startswith("ssh:") else ""


def key(inventory: Inventory) -> str:
    """Return what identifies a machine's snapshots: its host name. For loose files, it is their path."""
    return inventory.host.hostname or inventory.host.source


def chosen(states: Sequence[SavedSnapshot], word: str, whose: str) -> SavedSnapshot:
    """Return the snapshot by number, ``last``, ``-2`` or date.

    ``-2`` is the last but one; a date is like ``2026-11-01``.

    Args:
        states: The candidates, in order; of all hosts for a number.
        word: The argument.
        whose: The host, for messages.

    Raises:
        UsageError: There is none.
    """
    if not states:
        raise UsageError(f'There is no snapshot of {printable(whose)}; "raidctl snapshot" saves one.')
    if word == "last" or is_back(word):
        back = 1 if word == "last" else int(word[1:])
        if not 1 <= back <= len(states):
            are = "is" if len(states) == 1 else "are"
            raise UsageError(f"There is no snapshot {word}: {len(states)} of {printable(whose)} {are} saved.")
        return states[-back]
    limit = format_moment(datetime.combine(_date(word) + timedelta(days=1), datetime.min.time(), timezone.utc))
    upto = [one for one in states if one.at < limit]
    if not upto:
        first = min(one.at for one in states)
        raise UsageError(f"No snapshot of {printable(whose)} is as old as {word}; the first is of {first}.")
    return max(upto, key=lambda one: (one.at, one.id))


def is_back(word: str) -> bool:
    """Whether a word counts from the end: ``-1``."""
    return word[:1] == "-" and word[1:].isascii() and word[1:].isdigit()


def is_date(word: str) -> bool:
    """Whether a word is a date."""
    try:
        _date(word)
    except ValueError:
        return False
    return True


def _date(word: str) -> date:
    return datetime.strptime(word, "%Y-%m-%d").replace(tzinfo=timezone.utc).date()


def is_number(word: str) -> bool:
    """Whether a word is the number of a snapshot."""
    return word.isascii() and word.isdigit()
