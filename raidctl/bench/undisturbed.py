"""Holding signals back for a moment in which nothing may come between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

Held = set[int | signal.Signals]


@contextmanager
def undisturbed(signals: Iterable[int] | None = None) -> Iterator[Held]:
    """None of these signals (None: no signal at all) is answered within; what comes meanwhile is answered at the end.

    Gives the signals that were held back before. Blocking them is not enough: another thread may take them, and the
    handler runs in this one all the same, even in the middle of `os.fork`, where what it raises is lost.
    """
    wanted = set(signal.valid_signals() if signals is None else signals)
    late: list[int] = []
    with ExitStack() as stack:  # what is put back is put back whole, though a handler raises in the middle of it
        stack.callback(_answer, late)
        if threading.current_thread() is threading.main_thread():
            for number in wanted:
                answer = signal.getsignal(number)
                if callable(answer):
                    stack.callback(signal.signal, number, answer)
                    signal.signal(number, lambda number, _: late.append(number))
        held = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, held)
        signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        yield held


def _answer(late: list[int]) -> None:
    for number in late:
        signal.raise_signal(number)
