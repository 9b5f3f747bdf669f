"""Whether a standard stream is a terminal, and can be redrawn."""

from __future__ import annotations

import os
from typing import TextIO

_PLAIN = ("", "dumb", "unknown")
"""Values of TERM for terminals that only show lines."""


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal. A stream that was closed before the start is None."""
    return stream is not None and stream.isatty()


def is_drawable(stream: TextIO | None) -> bool:
    """Whether it is a terminal that can move the cursor and show colours."""
    return is_terminal(stream) and os.environ.get("TERM", "") not in _PLAIN
