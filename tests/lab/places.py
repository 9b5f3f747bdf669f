"""Where things are: the checkout, the ignored folder for downloads, programs of Debian packages."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
STORE = CHECKOUT / ".lab"
SBIN = ":".join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"))

COVERED = ("/run/", "/tmp/")  # noqa: S108 - names of mount points: nothing is made there
"""Where a guest has a file system of its own."""


def hidden(paths: Iterable[str] = (str(CHECKOUT), sys.prefix, sys.base_prefix)) -> list[str]:
    """Which of these a guest's own file systems would hide, without those that lie in another one of them."""
    found = sorted({path for path in map(os.path.realpath, paths) if path.startswith(COVERED)})
    return [path for path in found if not any(path.startswith(f"{other}/") for other in found)]


class LabError(Exception):
    """The lab cannot do what it was asked; the message says what to do."""


def program(name: str, package: str) -> str:
    """The path of a program that the lab cannot do without."""
    found = shutil.which(name, path=SBIN)
    if found is None:
        raise LabError(f"{name} is missing: install the Debian package {package} (tests/run as root does)")
    return found
