"""A database in the state directory: made, brought up to date, locked, refused, told about in sentences.

What it holds is the matter of who derives from it. Every call opens and closes the file, so that nothing is held
between two of them; what is written is written in one transaction that is synced, or it is not there.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from raidctl.change.state_directory import OTHERS_WRITE
from raidctl.errors import AccessMissing, CannotTell

PATIENCE = 10.0
"""Seconds to wait for another raidctl that writes."""


class Database:
    """A file of this kind.

    Args:
        path: Where it lies; made by the first write.
        migrations: Each brings it to the next version (``PRAGMA user_version``); one that was released never changes.
    """

    patience: ClassVar[float] = PATIENCE
    noun: ClassVar[str] = "entry"
    """What is kept in it, for sentences."""

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path = path
        self._migrations = migrations

    def ready(self) -> None:
        """Find out whether something could be kept.

        Raises:
            AccessMissing, CannotTell: It could not.
        """
        with self.writing() as database:
            # a transaction alone is begun even on what may only be read; this writes one page
            database.execute(f"PRAGMA user_version = {len(self._migrations):d}")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The database within a transaction that is held alone.

        Raises:
            AccessMissing, CannotTell: It cannot be written to; what was there before is unharmed.
        """
        try:
            self._make()
        except OSError as error:
            raise AccessMissing(f"{self.path} cannot be made: {error.strerror}. The {self.noun} is not kept.") from None
        with self._told(), contextlib.closing(self._connect()) as database:
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            try:
                migrate(database, self._migrations, self.path)
                yield database
                database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """The database, None where there is none yet; nothing is made by looking.

        Raises:
            AccessMissing, CannotTell: It cannot be read.
        """
        try:
            self._refuse_foreign()
            if not self.path.stat().st_size:
                yield None
                return
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            raise AccessMissing(f"{self.path} cannot be read: {error.strerror}.") from None
        with self._told(), contextlib.closing(self._connect()) as database:
            version = _version(database)
            _refuse_newer(version, self._migrations, self.path)
            if version == len(self._migrations):
                yield database
                return
        if version:
            self.ready()  # of an older raidctl: it is brought up to date first
        with self._told(), contextlib.closing(self._connect()) as database:
            yield database if version else None

    def sentence(self, error: sqlite3.Error) -> AccessMissing | CannotTell:
        """What an error of SQLite means.

        By its text: its number has a name in Python 3.11 and later only.
        """
        text = str(error)
        low = text.lower()
        path = self.path
        if "locked" in low:
            return CannotTell(
                f"{path} is in use by another program for more than {self.patience:.0f} seconds; try again."
            )
        if "readonly" in low or "read-only" in low:
            return AccessMissing(
                f"{path} is read-only: nothing can be kept in it; name another place with --state-dir."
            )
        if "full" in low:
            return CannotTell(f"{path} cannot grow: the disk is full. What was in it before is unharmed.")
        if "unable to open" in low:
            return AccessMissing(f"{path} cannot be opened; name another place with --state-dir.")
        if "not a database" in low or "malformed" in low or "no such" in low or "already exists" in low:
            return CannotTell(
                f"{path} is damaged ({text}). Move it away, and the next {self.noun} begins a new one; "
                f'what can be saved of it: sqlite3 {path} ".recover".'
            )
        return CannotTell(f"{path} cannot be used: {text}.")

    def _make(self) -> None:
        """An empty file that only its owner may read, where there is none."""
        with contextlib.suppress(FileExistsError):
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(self.path, flags, 0o600))
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        about = self.path.lstat()
        if self.path.is_symlink() or about.st_uid not in (0, os.geteuid()) or about.st_mode & OTHERS_WRITE:
            raise CannotTell(
                f"{self.path} is a link, belongs to somebody else or can be written by others: what stands in it is "
                "not to be trusted."
            )

    def _connect(self) -> sqlite3.Connection:
        # what may not be written is opened for reading then; what a power failure has cut off is put right by who may
        uri = f"file:{quote(os.fspath(self.path))}?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=self.patience, isolation_level=None)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite says, as a sentence that tells what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.sentence(error) from None


def migrate(database: sqlite3.Connection, migrations: Sequence[str], path: Path) -> None:
    """Bring a database up to date, within the transaction that is open.

    Raises:
        CannotTell: A newer raidctl has written it.
    """
    version = _version(database)
    _refuse_newer(version, migrations, path)
    for number, script in enumerate(migrations[version:], version + 1):
        for statement in script.split(";\n"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {number:d}")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _refuse_newer(version: int, migrations: Sequence[str], path: Path) -> None:
    if version > len(migrations):
        raise CannotTell(f"{path} was written by a newer raidctl (version {version}); nothing in it was changed.")
