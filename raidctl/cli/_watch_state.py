"""The file in which ``raidctl watch --once`` keeps its memory between two runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from raidctl import json_decode
from raidctl.change.state_place import is_missing
from raidctl.cli.shared import files
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import state_directory
from raidctl.errors import AccessMissing, CannotTell
from raidctl.runners.locks import file_name
from raidctl.text import printable
from raidctl.watch.memory import Memory

_UNSAVED = "The results of this run could not be saved, so they will be reported again"


@dataclass
class WatchState:
    """The watch memory in its file."""

    path: Path | None
    """None: the state directory cannot be used."""
    memory: Memory
    notes: tuple[str, ...] = ()
    fault: str | None = None
    """Why it could not be written."""

    def keep(self, memory: Memory) -> None:
        """Write the memory atomically. After a failure, problems are still reported, and again at the next run."""
        self.memory = memory
        try:
            if self.path is not None:
                self._write(self.path, memory)
        except CannotTell as error:
            self.fault = f"{_UNSAVED}: {error}"

    def _write(self, path: Path, memory: Memory) -> None:
        data = msgspec.json.format(msgspec.json.encode(memory), indent=1) + b"\n"
        files.write(str(path), data, mode=0o600, regular=True)


@contextmanager
def opened(settings: Settings) -> Iterator[WatchState]:
    """Open the memory of a machine, locked for one run. If the state directory cannot be used, the memory is empty.

    The file system is often read-only because of the very array that has to be reported.

    Raises:
        CannotTell: Another run on the same machine is under way, or the file cannot be read.
    """
    name = f"watch-{file_name(settings.host).removesuffix('.lock')}" if settings.host else "watch"
    try:
        place = state_directory(settings)
        handle = _lock_file(place / f"{name}.lock")
    except AccessMissing as error:
        yield WatchState(None, Memory(), fault=f"{_UNSAVED}: {error}")
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotTell("Another raidctl watch is reading this machine now; nothing was done.") from None
        yield _remembered(place / f"{name}.json")
    finally:
        os.close(handle)


def _lock_file(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise AccessMissing(f"{path} cannot be created: {error.strerror}.") from None


def _remembered(path: Path) -> WatchState:
    """Load the memory from a file. A damaged one is put aside, and everything present is reported again."""
    if is_missing(str(path)):
        return WatchState(path, Memory())
    try:
        return WatchState(path, json_decode.decode(files.read(str(path), str(path), "a state", regular=True), Memory))
    except CannotTell as error:
        return WatchState(path, Memory(), (f"The results of earlier runs are unknown: {error}",))
    except (ValueError, msgspec.MsgspecError) as error:
        aside = path.with_suffix(".damaged")
        path.replace(aside)
        note = (
            f"The results of earlier runs are lost: {path} was damaged ({printable(str(error))}) and is now {aside}. "
        )
        return WatchState(path, Memory(), (f"{note}Everything that is present is reported again.",))
