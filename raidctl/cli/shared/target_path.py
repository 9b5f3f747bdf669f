"""Paths on this machine as targets of ``verify`` and ``bench``."""

from __future__ import annotations

import os

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
        return os.path.normpath(word) if word.startswith("/") else word
    if word.startswith("/dev/") or not (word.startswith(("/", ".")) or _lies_here(word, machine)):
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


def _lies_here(word: str, machine: CheckedMachine) -> bool:
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
