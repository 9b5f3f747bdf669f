"""``raidctl bench``: measure storage; save, show and compare the results.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from raidctl import json_decode
from raidctl.cli.shared import files
from raidctl.cli.shared.lazy_group import LazyGroup
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import readable_directory
from raidctl.errors import CannotTell, UsageError

if TYPE_CHECKING:
    from raidctl.bench.record import Run
    from raidctl.bench.store import Store

_COMMANDS = {
    "run": "Measure a directory, a device or an NBD export.",
    "list": "List the saved runs.",
    "show": "Show a run (default: the last one).",
    "compare": "Show two runs side by side.",
    "export": "Print runs as JSON lines, or the curve of one run.",
    "model": "Serve a model of an array over NBD.",
    "powercut": "Test whether acknowledged writes survive power cuts.",
    "witness": "Record acknowledgements for the power-cut test of another machine.",
}
"""Commands in separate modules (``bench/run.py`` …), imported when they are used."""
_DIGITS = 18
"""Digits of the largest run number."""
_WRITES = 'what can be shown is written by "raidctl --json bench show RUN > FILE".'


class BenchGroup(LazyGroup):
    """The commands of ``raidctl bench``."""

    apart = _COMMANDS
    prefix = "bench."


@click.group("bench", cls=BenchGroup)
def command() -> None:
    """Measure storage; save, show and compare the results.

    RUN is the number of a saved run, the word "last", or a file with a run as
    JSON (from "raidctl --json bench show", also of another machine, also
    compressed by gzip); - is standard input.
    """


def store_of(settings: Settings) -> Store:
    """Return the store of runs; opening it for reading creates nothing.

    Raises:
        AccessMissing: The state directory is another user's.
    """
    from raidctl.bench.store import Store  # noqa: PLC0415 - sqlite3 only where it is needed

    return Store(readable_directory(settings))


def named(word: str, store: Store) -> Run:
    """Return the run that a word names.

    Raises:
        UsageError: There is none.
        AccessMissing, CannotTell: It cannot be read.
    """
    if word == "last":
        return store.latest()
    if word.isascii() and word.isdigit():
        if len(word.lstrip("0")) > _DIGITS:
            from raidctl.bench.store import no_run  # noqa: PLC0415 - as above

            raise no_run(word)
        return store.get(int(word))
    from raidctl.text import printable  # noqa: PLC0415 - as above

    shown = "Standard input" if word == "-" else printable(word)
    # Path("") is this directory
    if word != "-" and not (word and Path(word).exists()):
        raise UsageError(f'"{shown}" is neither the number of a run, nor "last", nor a file.')
    return _run_in(files.read(word, shown, "a run"), shown)


def _run_in(document: bytes, shown: str) -> Run:
    """Return the run in a file. Raise CannotTell, with a description of the content, if there is none."""
    from raidctl.bench.store import decoded  # noqa: PLC0415 - as above

    if not document.strip():
        raise CannotTell(f"{shown} is empty.")
    try:
        found = json_decode.decode(document)
    except msgspec.DecodeError:
        number = _lines(document)
        if number:
            raise CannotTell(
                f'{shown} has {number} runs, one a line: give one line of it, by "head -n 1" or "sed -n 2p", as -.'
            ) from None
        raise CannotTell(f"{shown} is not JSON, or not all of it; {_WRITES}") from None
    if not _is_run(found):
        raise CannotTell(f"{shown} is JSON, but not a run of the benchmark; {_WRITES}")
    return decoded(document, shown)


def _lines(document: bytes) -> int:
    """Return the number of lines that are runs; 0: other content."""
    lines = [line for line in document.splitlines() if line.strip()]
    try:
        found = [json_decode.decode(line) for line in lines]
    except msgspec.DecodeError:
        return 0
    return len(lines) if all(map(_is_run, found)) else 0


def _is_run(found: object) -> bool:
    """Return whether a document has the keys of a run. Other documents, as those of ``verify``, have a session, too."""
    return isinstance(found, dict) and found.keys() >= {"at", "raidctl", "session"}
