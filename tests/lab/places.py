"""Where things are: the checkout, the ignored folder for downloads, programs of Debian packages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
STORE = CHECKOUT / ".lab"
SBIN = ":".join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"))


class LabError(Exception):
    """The lab cannot do what it was asked; the message says what to do."""


def program(name: str, package: str) -> str:
    """The path of a program that the lab cannot do without."""
    found = shutil.which(name, path=SBIN)
    if found is None:
        raise LabError(f"{name} is missing: install the Debian package {package} (tests/run as root does)")
    return found
