"""The Python of the guests: the distribution's, where it is of the version of the virtual environment.

Pythons that people build themselves, with pyenv for one, are rarely built with profile-guided optimisation. An emulated
processor needs a fifth fewer instructions for the distribution's.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

NEEDED = "ctypes, mmap, multiprocessing, sqlite3, ssl, unittest, zoneinfo"
"""What a distribution's smallest Python lacks."""


@cache
def instead() -> str:
    """Its path; empty where there is none of this version, or this is it, or no virtual environment."""
    found = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    if sys.prefix == sys.base_prefix or not found.exists() or found.samefile(sys.executable):
        return ""
    whole = subprocess.run([found, "-I", "-c", f"import {NEEDED}"], capture_output=True, check=False).returncode == 0
    return str(found) if whole else ""


def words() -> str:
    """What the init of a guest is told: the Python, and the virtual environment that is to have it."""
    return f"lab.instead={instead()} lab.venv={sys.prefix}"
