"""Paths: the checkout, the ignored folder for downloads, programs of Debian packages."""

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
"""Mount points of a guest's separate file systems."""


def hidden(paths: Iterable[str] = (str(CHECKOUT), sys.prefix, sys.base_prefix)) -> list[str]:
    """The paths that a guest's file systems would hide. Those inside another one are left out."""
    found = sorted({path for path in map(os.path.realpath, paths) if path.startswith(COVERED)})
    return [path for path in found if not any(path.startswith(f"{other}/") for other in found)]


class LabError(Exception):
    """The lab cannot do what was requested; the message has the remedy."""


def program(name: str, package: str) -> str:
    """The path of a program that the lab needs."""
    found = shutil.which(name, path=SBIN)
    if found is None:
        raise LabError(f"{name} is missing: install the Debian package {package} (tests/run as root does)")
    return found
