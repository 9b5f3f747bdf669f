"""Defer signals during steps that an interruption must not separate."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

Held = set[int | signal.Signals]


@contextmanager
def defer_signals(signals: Iterable[int] | None = None, *, block: bool = True) -> Iterator[Held]:
    """Defer these signals (None: all) until the end. Yield the signals that were blocked before.

    Blocking alone is not enough: another thread may receive them, and the handler still runs in this one, even in the
    middle of `os.fork`, where what it raises is lost. With ``block=False`` only Python's handlers are deferred: a
    program that is started meanwhile would inherit blocked signals.
    """
    wanted = set(signal.valid_signals() if signals is None else signals)
    gate = _Gate()
    try:
        if threading.current_thread() is threading.main_thread():
            gate.install(wanted)
        gate.shut = True
        held = signal.pthread_sigmask(signal.SIG_BLOCK, wanted if block else ())
        try:
            yield held
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            gate.shut = False
    finally:
        try:
            gate.remove()
        finally:
            gate.remove()  # again, as a handler that raised may have interrupted it
            gate.deliver()


class _Gate:
    """A signal handler in front of the previous ones. One step opens or closes it for all signals.

    A handler may raise at any point while the gate is installed or removed: a gate that remains is open, and passes
    signals on.
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

    def install(self, numbers: Iterable[int]) -> None:
        """Put it in front of these signals' handlers, if they have one."""
        for number in numbers:
            handler = signal.getsignal(number)
            if isinstance(handler, _Gate) and not handler.shut:  # left over from before
                handler = handler.handlers[number]
            if callable(handler):
                self.handlers[number] = handler
                signal.signal(number, self)

    def remove(self) -> None:
        """Restore the handlers; may be repeated."""
        for number, handler in self.handlers.items():
            if signal.getsignal(number) is self:
                signal.signal(number, handler)

    def deliver(self) -> None:
        """Raise the signals that arrived while it was closed."""
        while self._late:
            signal.raise_signal(self._late.pop(0))
