"""The Python of the guests. The distribution's is used if its version is that of the virtual environment.

Pythons built by hand, e.g. with pyenv, rarely use profile-guided optimisation. An emulated processor needs a fifth
fewer instructions for the distribution's.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

NEEDED = "ctypes, mmap, multiprocessing, sqlite3, ssl, unittest, zoneinfo"
"""Modules that a distribution's minimal Python lacks."""


@cache
def instead() -> str:
    """The path of the distribution's Python.

    Empty if none has this version, it is this one, or there is no virtual environment.
    """
    found = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    if sys.prefix == sys.base_prefix or not found.exists() or found.samefile(sys.executable):
        return ""
    whole = subprocess.run([found, "-I", "-c", f"import {NEEDED}"], capture_output=True, check=False).returncode == 0
    return str(found) if whole else ""


def words() -> str:
    """Kernel arguments for the guest's init. They name the Python, and the virtual environment that uses it."""
    return f"lab.instead={instead()} lab.venv={sys.prefix}"
