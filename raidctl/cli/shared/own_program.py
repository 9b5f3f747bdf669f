"""The command line that starts this raidctl again: at boot, or as a second process."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

NAME = "raidctl"


def second_process() -> list[str]:
    """Return the beginning of a command line for the same raidctl and interpreter.

    The single file and the program of a package set the path of their modules; the bare interpreter does not.
    """
    script = Path(sys.argv[0]).absolute()
    if script.is_file() and (script.name == NAME or zipfile.is_zipfile(script)):
        return [sys.executable, str(script)]
    return [sys.executable, "-m", NAME]


def installed_program() -> list[str]:
    """Return the beginning of a command line with full paths. It works after the next boot."""
    script = Path(sys.argv[0]).absolute()
    runs = script.name != "__main__.py" and os.access(script, os.X_OK) and script.is_file()
    if runs and not zipfile.is_zipfile(script):
        return [str(script)]
    return second_process()  # the interpreter for which the single file has modules
