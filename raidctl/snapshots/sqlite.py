"""An SQLite file in the state directory: create, migrate, lock, explain errors.

Subclasses define the content. Every call opens and closes the file, so that no lock is held between calls; writes are
one synced transaction. A damaged database is never written to.
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
"""Seconds to wait for another raidctl that is writing."""


class Database:
    """A file of this kind.

    Args:
        path: The file; created by the first write.
        migrations: Each upgrades by one version (``PRAGMA user_version``); released ones never change.
    """

    patience: ClassVar[float] = PATIENCE
    noun: ClassVar[str] = "entry"
    """Name of a row, for messages."""

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path = path
        self._migrations = migrations

    def ready(self) -> None:
        """Check that the database is writable.

        Raises:
            AccessMissing, CannotTell: It could not.
        """
        with self.writing() as database:
            # a transaction alone succeeds on a read-only file; this writes one page
            database.execute(f"PRAGMA user_version = {len(self._migrations):d}")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the database in an exclusive transaction.

        Raises:
            AccessMissing, CannotTell: It cannot be written; its content is unchanged.
        """
        try:
            self._make()
        except OSError as error:
            raise AccessMissing(f"{self.path} cannot be created: {error.strerror}. No {self.noun} was saved.") from None
        with self._reported(), contextlib.closing(self._connect()) as database:
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
        """Yield the database, None if there is none; does not create it.

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
        with self._reported(), contextlib.closing(self._connect()) as database:
            version = _version(database)
            _refuse_newer(version, self._migrations, self.path)
            if version == len(self._migrations):
                yield database
                return
        if version:
            self.ready()  # written by an older raidctl: migrate first
        with self._reported(), contextlib.closing(self._connect()) as database:
            yield database if version else None

    def sentence(self, error: sqlite3.Error) -> AccessMissing | CannotTell:
        """Convert an error of SQLite.

        By its text: error names need Python 3.11.
        """
        text = str(error)
        low = text.lower()
        path = self.path
        if "locked" in low:
            return CannotTell(
                f"{path} has been locked by another program for more than {self.patience:.0f} seconds; try again."
            )
        if "readonly" in low or "read-only" in low:
            return AccessMissing(f"{path} is read-only; name another directory with --state-dir.")
        if "full" in low:
            return CannotTell(f"{path} cannot grow: the file system is full. Its content is unchanged.")
        if "unable to open" in low:
            return AccessMissing(f"{path} cannot be opened; name another directory with --state-dir.")
        if "not a database" in low or "malformed" in low or "no such" in low or "already exists" in low:
            return self.damaged(text)
        return CannotTell(f"{path} cannot be used: {text}.")

    def damaged(self, text: str) -> CannotTell:
        """Return the error for content that cannot be read, with the reason."""
        return CannotTell(
            f"{self.path} is damaged ({text}). Move it out of the way; the next {self.noun} creates a new one. "
            f'To recover data: sqlite3 {self.path} ".recover".'
        )

    def _make(self) -> None:
        """Create an empty file, readable only by its owner, if missing."""
        with contextlib.suppress(FileExistsError):
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(self.path, flags, 0o600))
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        about = self.path.lstat()
        if self.path.is_symlink() or about.st_uid not in (0, os.geteuid()) or about.st_mode & OTHERS_WRITE:
            raise CannotTell(
                f"{self.path} is a link, belongs to another user or is writable by others, so its content is not "
                "trusted."
            )

    def _connect(self) -> sqlite3.Connection:
        # a read-only file is opened for reading; a cut-off transaction is rolled back by a process that may write
        uri = f"file:{quote(os.fsencode(self.path))}?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=self.patience, isolation_level=None)

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        """Convert errors of SQLite to messages with a remedy."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.sentence(error) from None


def migrate(database: sqlite3.Connection, migrations: Sequence[str], path: Path) -> None:
    """Migrate a database within the open transaction.

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
        raise CannotTell(f"{path} was written by a newer raidctl (version {version}); it was not changed.")
