"""``raidctl bench``: how storage behaves, measured; what was measured is kept, shown and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from raidctl.cli import whole
from raidctl.cli.kept import kept_place
from raidctl.cli.lazy import LazyGroup
from raidctl.cli.options import Settings
from raidctl.errors import UsageError

if TYPE_CHECKING:
    from raidctl.bench.record import Run
    from raidctl.bench.store import Store

_COMMANDS = {
    "run": "Measure a directory, a device or an NBD export.",
    "list": "List the runs that are kept.",
    "show": "Show a run.",
    "compare": "Show two runs side by side.",
    "export": "Print runs as JSON lines, or a curve in the format of zcav.",
    "model": "Serve a model of an array, to try all this on.",
}
"""Commands with a module of their own (``bench_run`` …), imported when they are used."""


class BenchGroup(LazyGroup):
    """The commands of ``raidctl bench``."""

    apart = _COMMANDS
    prefix = "bench_"


@click.group("bench", cls=BenchGroup)
def command() -> None:
    """Measure how storage behaves: keep, show and compare the figures.

    RUN, wherever it is asked for, is the number of a run that is kept here,
    the word "last", or a file with a run as JSON (of "raidctl --json bench
    show", maybe of another machine, packed by gzip or not); - is stdin.
    """


def store_of(settings: Settings) -> Store:
    """The collection of runs; nothing is made by looking.

    Raises:
        AccessMissing: The state directory is another user's.
    """
    from raidctl.bench.store import Store  # noqa: PLC0415 - sqlite3 only where it is needed

    return Store(kept_place(settings))


def named(word: str, store: Store) -> Run:
    """The run that a word names.

    Raises:
        UsageError: There is none.
        AccessMissing, CannotTell: It cannot be read.
    """
    if word == "last":
        return store.latest()
    if word.isascii() and word.isdigit():
        return store.get(min(int(word), 2**63 - 1))
    from raidctl.bench.store import decoded  # noqa: PLC0415 - as above
    from raidctl.text import printable  # noqa: PLC0415 - as above

    shown = "Standard input" if word == "-" else printable(word)
    if word != "-" and not Path(word).exists():
        raise UsageError(f'"{shown}" is neither the number of a run, nor "last", nor a file.')
    return decoded(whole.read(word, shown, "a run"), shown)
