"""The command line that starts this raidctl again: at boot, or as a second process."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path


def second_process() -> list[str]:
    """Return the beginning of a command line that starts the same raidctl with the same interpreter."""
    script = Path(sys.argv[0]).absolute()
    if script.is_file() and zipfile.is_zipfile(script):  # the single file: its unpacked modules are on no path
        return [sys.executable, str(script)]
    return [sys.executable, "-m", "raidctl"]


def installed_program() -> list[str]:
    """Return the beginning of a command line that works after the next boot, with full paths."""
    script = Path(sys.argv[0]).absolute()
    again = second_process()
    runs = script.name != "__main__.py" and os.access(script, os.X_OK) and script.is_file()
    return [str(script)] if runs and again[1] != str(script) else again
