"""Standard output: width, colours, and a reader that has gone."""

from __future__ import annotations

import codecs
import errno
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.reader_gone import reader_gone
from raidctl.errors import CannotTell, ChangeNotUndone
from raidctl.output.terminal import is_drawable, is_terminal
from raidctl.text import printable

if TYPE_CHECKING:
    from raidctl.model import Inventory
    from raidctl.output.console import Display


def display() -> Display:
    """Return the properties of standard output. A pipe has 80 columns and no colour.

    COLUMNS, NO_COLOR and TERM are obeyed.
    """
    from raidctl.output.console import Display  # noqa: PLC0415 - rich is imported only where a screen is drawn

    colour = is_drawable(sys.stdout) and not os.environ.get("NO_COLOR")
    return Display(width=columns(), colour=colour, ascii=_encoding() != "utf-8", options=named_machine())


def named_machine(settings: Settings | None = None) -> str:
    """Return the options that select another machine, or a simulated one with its changes; empty for this machine.

    A pasted command without them would work on this machine, with the same ids. ``settings`` are those of the running
    command, unless given.
    """
    context = click.get_current_context(silent=True)
    if settings is None and context is not None:
        settings = context.find_root().obj
    if settings is None:
        return ""
    if settings.demo:
        return shlex.join(
            ["--demo", settings.demo, *(["--state-dir", settings.state_dir] if settings.state_dir else [])]
        )
    return shlex.join(["--host", settings.host, *(["--sudo"] if settings.sudo else [])]) if settings.host else ""


def message(text: str, settings: Settings | None = None) -> str:
    """Return a text for standard error: wrapped on a terminal, so that no word is broken; else on its line.

    A line that begins with a blank is a command, and never wrapped. ``settings`` are needed once the command has ended.
    """
    from raidctl.output.sentences import Sentence, Verbatim, fitted  # noqa: PLC0415 - not needed for a start
    from raidctl.output.whole_commands import name_machine  # noqa: PLC0415 - as above

    text = name_machine(text, named_machine(settings))
    if not is_terminal(sys.stderr):
        return printable(text)
    lines = [Verbatim(line) if line.startswith(" ") else Sentence(line) for line in text.splitlines()]
    return fitted(lines, columns()).removesuffix("\n")


def emit_message(text: str) -> None:
    """Print a message on standard error; standard output is for results.

    A closed terminal must not keep settings from being restored.
    """
    with suppress(OSError, ValueError):
        click.echo(message(text), err=True)


def emit(text: str) -> None:
    """Write a screen to standard output."""
    _write(text.encode(_encoding(), "replace"))


def emit_bytes(data: bytes) -> None:
    """Write bytes (lines of JSON, UTF-8) to standard output as they are."""
    _write(data)


def emit_json(value: Any) -> None:
    """Write a value as JSON, in UTF-8 whatever the terminal's encoding."""
    from raidctl.output.json import to_json  # noqa: PLC0415 - imported only where JSON is printed

    _write(to_json(value).encode("utf-8"))


def emit_head(inventory: Inventory, settings: Settings, *, apart: bool) -> None:
    """Write the first line of a screen about a machine: host, kernel, time. With ``apart``, a blank line follows."""
    if settings.as_json:
        return
    from raidctl.output.head import head  # noqa: PLC0415 - rich is imported only where a screen is drawn

    shown = display()
    emit(shown.render([head(inventory, shown), *([""] if apart else [])]))


def emit_found(found: Any, settings: Settings, screen: str, *about: Any, **named: Any) -> None:
    """Write a result as JSON or as its screen.

    The screen is ``MODULE.FUNCTION`` of raidctl.output (rich is loaded then).
    """
    if settings.as_json:
        emit_json(found)
        return
    module, _, name = screen.partition(".")
    emit(getattr(import_module(f"raidctl.output.{module}"), name)(found, *about, display(), **named))


@contextmanager
def after_change(made: str) -> Iterator[None]:
    """Write what a change has done. Exit code 3 promises that nothing was changed.

    Raises:
        ChangeNotUndone: It cannot be written. ``made`` is the sentence with what was done.
    """
    try:
        yield
    except CannotTell as unwritten:
        raise ChangeNotUndone(f"{unwritten} {made}") from None


def _write(data: bytes) -> None:
    context = click.get_current_context(silent=True)
    if context is not None:
        context.find_root().obj.printed = True
    if sys.stdout is None:  # raidctl show >&-
        raise CannotTell("The output cannot be written: standard output is closed.")
    try:
        click.echo(data, nl=False)
    except BrokenPipeError:
        raise reader_gone() from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise reader_gone() from None
        reader_gone()
        raise CannotTell(f"The output cannot be written: {error.strerror}.") from error


def _encoding() -> str:
    try:
        return codecs.lookup(getattr(sys.stdout, "encoding", None) or "ascii").name
    except LookupError:
        return "ascii"
