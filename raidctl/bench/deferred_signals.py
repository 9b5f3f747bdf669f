"""Holding signals back for a moment in which nothing may come between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

Held = set[int | signal.Signals]


@contextmanager
def undisturbed(signals: Iterable[int] | None = None) -> Iterator[Held]:
    """None of these signals (None: no signal at all) is answered within; what comes meanwhile is answered at the end.

    Gives the signals that were held back before. Blocking them is not enough: another thread may take them, and the
    handler runs in this one all the same, even in the middle of `os.fork`, where what it raises is lost.
    """
    wanted = set(signal.valid_signals() if signals is None else signals)
    gate = _Gate()
    try:
        if threading.current_thread() is threading.main_thread():
            gate.put_before(wanted)
        gate.shut = True
        held = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        try:
            yield held
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            gate.shut = False
    finally:
        try:
            gate.take_away()
        finally:
            gate.take_away()  # what a handler raised in the middle of the first time has cut that short
            gate.answer_late()


class _Gate:
    """Stands before the handlers of signals; shut and open in one step.

    A handler may raise between any two steps of whoever puts the gate up or takes it away: what is left standing then
    is open, and hands on what comes.
    """

    def __init__(self) -> None:
        self.shut = False
        self._late: list[int] = []
        self.handlers: dict[int, Callable[[int, FrameType | None], object]] = {}

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.shut:
            self._late.append(number)
        else:
            self.handlers[number](number, frame)

    def put_before(self, numbers: Iterable[int]) -> None:
        """Before the handlers of these signals, those that have one."""
        for number in numbers:
            handler = signal.getsignal(number)
            if isinstance(handler, _Gate) and not handler.shut:  # left standing
                handler = handler.handlers[number]
            if callable(handler):
                self.handlers[number] = handler
                signal.signal(number, self)

    def take_away(self) -> None:
        """Where it still stands; again is harmless."""
        for number, handler in self.handlers.items():
            if signal.getsignal(number) is self:
                signal.signal(number, handler)

    def answer_late(self) -> None:
        """What came while it was shut comes now."""
        while self._late:
            signal.raise_signal(self._late.pop(0))
