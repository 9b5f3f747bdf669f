"""Wait for what another process or thread is bound to do. The machine may be slow and busy."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds. Only what never happens takes so long; a verdict does not depend on it."""


def until(holds: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait until something holds; fail if it never does."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "what was waited for has not happened"
        time.sleep(0.02)
