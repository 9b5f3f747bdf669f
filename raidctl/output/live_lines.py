"""Lines that are redrawn in place on a terminal, which may close."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.live import Live


class _QuitError(BaseException):
    """Raised where SIGQUIT interrupts the main thread, also in the middle of a drawing."""


@contextmanager
def closed_on_quit(close: Callable[[], None]) -> Iterator[None]:
    """Call ``close`` before SIGQUIT ends raidctl. Without it the cursor would stay hidden in the user's shell.

    The signal handler itself draws nothing: a drawing that it interrupts would swallow what it writes.
    """
    if threading.current_thread() is not threading.main_thread():  # signal handlers can be set only in the main thread
        yield
        return

    def quitting(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # ignore further signals: shutdown has begun
        raise _QuitError

    before = signal.signal(signal.SIGQUIT, quitting)
    try:
        yield
    except _QuitError:
        with suppress(OSError):
            close()
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGQUIT)
    finally:
        signal.signal(signal.SIGQUIT, before)


@contextmanager
def live_lines(console: Console) -> Iterator[Live]:
    """Yield lines that are redrawn in place. Restore the cursor at the end, and ignore a closed terminal."""
    live = Live(console=console, auto_refresh=False)
    live.start()
    try:
        with closed_on_quit(live.stop):
            yield live
    finally:
        with suppress(OSError):
            live.stop()
