"""What happens if the reader of our output closed the pipe, as ``| head`` does."""

from __future__ import annotations

import os
import sys

EXIT_READER_GONE = 141
"""Exit code if the reader of our output closed the pipe. It is a shell's code for a program ended by SIGPIPE (128 +
13)."""


class ReaderGoneError(Exception):
    """The reader of our output closed the pipe."""


def reader_gone() -> ReaderGoneError:
    """Return the exception to raise. From now on, the interpreter flushes to the null device."""
    if sys.stdout is not None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
    return ReaderGoneError()
