"""Paths on this machine as targets of ``verify`` and ``bench``."""

from __future__ import annotations

import os

import click

from raidctl.cli.shared.terminal import message
from raidctl.errors import AccessMissing, RaidctlError, UsageError
from raidctl.select import find
from raidctl.text import printable
from raidctl.verify.subjects import CheckedMachine


def path_of(word: str, machine: CheckedMachine) -> str:
    """Resolve the links of a path on this machine, to find its mount.

    Raises:
        UsageError: There is no such file or directory, or a link is dangling.
        AccessMissing: No permission to read it.
    """
    if not word:
        raise UsageError('"" names nothing: omit it to verify all volumes.')
    if machine.inventory.host.source != "local":
        return _elsewhere(word, machine)
    if word.startswith("/dev/") or not (word.startswith(("/", ".")) or _is_local_file(word, machine)):
        return word
    refuse_gone(word)
    shown = printable(word)
    try:
        os.stat(word)  # noqa: PTH116 - the path as written: Path("./x") is x
    except PermissionError as error:
        raise AccessMissing(f"{shown} cannot be accessed: {error.strerror}. Run raidctl as root (sudo).") from None
    except OSError as error:
        if os.path.islink(word):  # noqa: PTH114 - as above
            raise UsageError(f'"{shown}" is a broken link.') from None
        # a path below a mount whose drive is gone cannot be read, but may be the very target
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            raise UsageError(f'There is no "{shown}" on this machine.') from None
    return os.path.realpath(word)


def _elsewhere(word: str, machine: CheckedMachine) -> str:
    """Return the path on another machine. In a recording, a message names what it is taken for."""
    shown = printable(word)
    if word in machine.places:
        place = machine.places[word]
        if place is None:
            where = printable(machine.inventory.host.hostname or "that machine")
            raise UsageError(f'There is no "{shown}" on {where}, or it cannot be accessed.')
        return place
    if not word.startswith("/"):
        return word
    path = os.path.normpath(word)
    mount = machine.kernel.above(path)
    if mount is not None and machine.kernel.on(path) is None and not path.startswith("/dev/"):
        point = printable(mount[0].point)
        text = f'"{shown}" is taken as a directory on {point}: it is not a mount point, and cannot be looked for here.'
        click.echo(message(text), err=True)
    return path


def _is_local_file(word: str, machine: CheckedMachine) -> bool:
    """Return whether a word names a file or directory here. It must name no object of the machine."""
    if not os.path.lexists(word):
        return False
    try:
        return not find(machine.inventory, machine.view, [word])
    except RaidctlError:
        return True


def refuse_gone(word: str) -> None:
    """Raise UsageError for a relative path in a deleted working directory."""
    if word.startswith("/"):
        return
    try:
        os.getcwd()  # noqa: PTH109 - nothing is done with it
    except FileNotFoundError:
        raise UsageError("The directory that you are in has been removed: change to another one (cd).") from None
