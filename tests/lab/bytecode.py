"""What the host has compiled, no guest compiles again: an emulated processor needs minutes for it."""

from __future__ import annotations

import compileall
import sys
from functools import cache

from tests.lab.places import CHECKOUT

COMPILED = ("raidctl", "vendors", "tests")


def keep() -> None:
    """Have this process keep what it compiles, pytest's rewritten tests too, even where the environment says no.

    Containers are often told not to (``PYTHONDONTWRITEBYTECODE``), and the guests read this checkout.
    """
    sys.dont_write_bytecode = False


@cache
def compiled() -> None:
    """Compile what a guest may import and what has changed since."""
    for folder in COMPILED:
        compileall.compile_dir(CHECKOUT / folder, quiet=2)
