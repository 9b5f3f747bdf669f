"""From the words of snapshot, diff and history to snapshots of machines."""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass, field
from pathlib import Path

import click

from raidctl.cli.shared import files
from raidctl.cli.shared.machine import look, with_own_records
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import readable_directory
from raidctl.drift import read
from raidctl.errors import CannotTell, UsageError
from raidctl.model import Inventory
from raidctl.snapshots.store import SavedSnapshot, SnapshotStore, chosen, is_back, is_date, is_number, key
from raidctl.text import printable

NOW = "now"


class Counting(click.Command):
    """A command that accepts words such as ``-1``. Click would take them for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace words that count from the end by ``last-1`` and so on."""
        return super().parse_args(ctx, [f"last{word}" if is_back(word) else word for word in args])


@dataclass
class Source:
    """Source of snapshots: files, the store, the machine that the options name."""

    settings: Settings
    store: SnapshotStore
    _now: Inventory | None = None
    _listed: list[SavedSnapshot] | None = field(default=None, repr=False)

    def now(self) -> Inventory:
        """Read the machine; once."""
        if self._now is None:
            self._now = with_own_records(look(self.settings), self.settings).inventory
        return self._now

    def states(self) -> list[SavedSnapshot]:
        """Return the snapshots of the machine that the options name."""
        if self._listed is None:
            every, (kind, name) = self.store.list(), self.whose()
            self._listed = [one for one in every if not kind or getattr(one, kind) == name]
        return self._listed

    def whose(self) -> tuple[str, str]:
        """Return the column that identifies the machine's snapshots, and its value. No column: all of the store."""
        if self.settings.demo:
            return "", f"demo:{self.settings.demo}"
        if self.settings.host:
            return "source", f"ssh:{self.settings.host}"
        return "host", key(self.now()) if self.settings.replay is not None else os.uname().nodename

    def take(self, word: str) -> tuple[str, Inventory]:
        """Return the snapshot that a word names, and its description.

        Raises:
            UsageError: It means nothing.
            AccessMissing, CannotTell: It cannot be read.
        """
        word = word.removeprefix("last") if is_back(word.removeprefix("last")) else word
        if word == NOW:
            return NOW, self.now()
        if is_number(word):
            number = min(int(word), 2**63 - 1)
            return f"snapshot {number}", self.store.get(number)
        if word == "last" or is_back(word) or is_date(word):
            one = chosen(self.states(), word, self.whose()[1])
            return f"snapshot {one.id}", self.store.get(one.id)
        return printable(word), _file(word, self.settings)


def store_of(settings: Settings) -> SnapshotStore:
    """Return the store of snapshots, a separate one for a simulated machine. Opening it for reading creates nothing.

    Raises:
        AccessMissing: The state directory is another user's.
    """
    place = readable_directory(settings)
    return SnapshotStore(place / "demo" / settings.demo if settings.demo else place)


def is_file(word: str) -> bool:
    """Return whether a word names neither the machine nor a stored snapshot."""
    bare = word.removeprefix("last")
    return not (word in (NOW, "last") or is_number(word) or is_back(bare) or is_date(word))


def _file(word: str, settings: Settings) -> Inventory:
    """Return the inventory in a file, or of a recording."""
    shown = "standard input" if word == "-" else printable(word)
    path = Path(word)
    if word != "-" and not path.exists():
        raise UsageError(f'"{shown}" is not a file, a snapshot number, a date such as 2026-11-01, "last" or "now".')
    if word == "-" or (path.is_file() and _looks_like_json(path)):
        return read.inventory(files.read(word, shown, "an inventory"), shown)
    there = copy.copy(settings)
    there.host = there.demo = None
    there.sudo, there.replay = False, word
    return _recognised(look(there).inventory, shown)


def _recognised(inventory: Inventory, shown: str) -> Inventory:
    """Return the inventory, unless nothing in its source was recognised.

    Raises:
        CannotTell: Nothing was recognised: in a comparison, everything would seem to be lost.
    """
    unread = [problem for problem in inventory.problems if problem.kind == "unread"]
    if inventory.controllers or inventory.host.hostname or not unread:
        return inventory
    raise CannotTell(f"{shown} is not a snapshot of a machine: {unread[0].message}")


def _looks_like_json(path: Path) -> bool:
    if path.name.endswith((".json", ".json.gz")):
        return True
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] == b"{" and not path.name.endswith((".out", ".txt"))
    except OSError:
        return False
