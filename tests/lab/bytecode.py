"""Bytecode that the host compiles. An emulated processor needs minutes for it."""

from __future__ import annotations

import compileall
import sys
from functools import cache

from tests.lab.places import CHECKOUT

COMPILED = ("raidctl", "vendors", "tests")


def keep() -> None:
    """Have this process write bytecode, whatever the environment. This includes that of pytest's rewritten tests.

    Containers often set ``PYTHONDONTWRITEBYTECODE``, and the guests read this checkout.
    """
    sys.dont_write_bytecode = False


@cache
def compiled() -> None:
    """Compile what a guest may import, if it has changed."""
    for folder in COMPILED:
        compileall.compile_dir(CHECKOUT / folder, quiet=2)
