"""This machine's stored runs, in a database of the state directory.

A run is stored as its JSON document; a few columns allow listing without decoding it. raidctl never changes or removes
a run; adding one is a single synced transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from raidctl import json_decode
from raidctl.bench.record import Run
from raidctl.errors import CannotTell, UsageError
from raidctl.snapshots.sqlite import Database

FILE = "bench.sqlite3"
MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        host TEXT,
        label TEXT,
        target TEXT NOT NULL,
        profile TEXT NOT NULL,
        engine TEXT,
        seconds REAL NOT NULL,
        interrupted INTEGER NOT NULL,
        schema_version TEXT NOT NULL,
        document TEXT NOT NULL
    )
    """,
)
"""Each entry upgrades the database by one version (``PRAGMA user_version``). Released entries never change."""


class StoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of runs."""

    id: int
    at: str
    host: str | None
    label: str | None
    target: str
    profile: str
    engine: str | None
    seconds: float
    interrupted: bool


_COLUMNS = ", ".join(StoredRun.__struct_fields__)


class Store(Database):
    """The stored runs of a state directory. Every call opens and closes the database."""

    noun = "run"

    def __init__(self, place: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
        super().__init__(place / FILE, migrations)

    def add(self, run: Run) -> Run:
        """Store a run and return it with its number.

        Raises:
            AccessMissing, CannotTell: It was not kept; what was there before is unharmed.
        """
        session = run.session
        with self.writing() as database:
            cursor = database.execute(
                "INSERT INTO run (at, host, label, target, profile, engine, seconds, interrupted, schema_version, "
                "document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
                (run.at, run.host, run.label, run.place, session.profile, session.engine, session.seconds,
                 session.interrupted, run.schema_version),
            )  # fmt: skip
            numbered = msgspec.structs.replace(run, id=cursor.lastrowid)
            document = msgspec.json.encode(numbered).decode()
            database.execute("UPDATE run SET document = ? WHERE id = ?", (document, numbered.id))
        return numbered

    def list(self) -> list[StoredRun]:
        """Return all runs, the oldest first; does not create the file.

        Raises:
            AccessMissing, CannotTell: They cannot be read.
        """
        with self.reading() as database:
            if database is None:
                return []
            rows = database.execute(f"SELECT {_COLUMNS} FROM run ORDER BY id").fetchall()  # noqa: S608 - our own names
        named = [dict(zip(StoredRun.__struct_fields__, row, strict=True)) for row in rows]
        try:
            return msgspec.convert(named, list[StoredRun], strict=False)
        except msgspec.ValidationError as error:
            raise self.damaged(str(error)) from None

    def get(self, number: int) -> Run:
        """Return one run.

        Raises:
            UsageError: There is no run of this number.
            AccessMissing, CannotTell: It cannot be read.
        """
        with self.reading() as database:
            row = database and database.execute("SELECT document FROM run WHERE id = ?", (number,)).fetchone()
        if not row:
            raise no_run(str(number))
        return decoded(row[0], f"Run {number} of {self.path}")

    def latest(self) -> Run:
        """Return the last run. Raises as `get`; UsageError if there is none."""
        stored = self.list()
        if not stored:
            raise UsageError('No run is saved yet; "raidctl bench run" makes one.')
        return self.get(stored[-1].id)


def no_run(number: str) -> UsageError:
    """The error for a number that no saved run has."""
    return UsageError(f'There is no run {number}; "raidctl bench list" lists them.')


def decoded(document: str | bytes, where: str) -> Run:
    """Decode the JSON document of a run.

    Older versions of raidctl stored fewer fields.

    Raises:
        CannotTell: It is not a run, or a newer raidctl has written it.
    """
    try:
        run: Run = json_decode.decode(document, Run)
    except msgspec.MsgspecError as error:
        raise CannotTell(f"{where} cannot be understood: {error}. A newer raidctl may have written it.") from None
    return run
