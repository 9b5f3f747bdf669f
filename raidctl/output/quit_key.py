"""SIGQUIT (the key Ctrl and backslash) while something is drawn: the terminal is given back before raidctl ends as the signal asks."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def closed_on_quit(close: Callable[[], None]) -> Iterator[None]:
    """Call ``close`` before SIGQUIT ends raidctl; without it the cursor would stay hidden in the user's shell."""
    if threading.current_thread() is not threading.main_thread():  # only there may handlers be set
        yield
        return

    def quitting(number: int, _frame: object) -> None:
        with suppress(OSError):
            close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = signal.signal(signal.SIGQUIT, quitting)
    try:
        yield
    finally:
        signal.signal(signal.SIGQUIT, before)
