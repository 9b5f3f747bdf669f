"""Nothing interrupts two steps. Signals in between are handled afterwards, as usual."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from raidctl.runners.deferred_signals import defer_signals


def test_what_came_within_is_answered_at_the_end() -> None:
    """A Ctrl-C in the middle waits for the end. It is not lost."""
    done = []

    def steps() -> None:
        with defer_signals():
            done.append("one")
            signal.raise_signal(signal.SIGINT)
            done.append("other")

    with pytest.raises(KeyboardInterrupt):
        steps()
    assert done == ["one", "other"]


@pytest.mark.usefixtures("uncollected")
def test_handlers_are_as_before_after_a_storm_that_interrupts_every_step() -> None:
    """Wherever a handler raises, the next Ctrl-C still interrupts. The way in and the way out are tried."""
    came: list[int] = []

    def interrupt(number: int, _: object) -> None:
        came.append(number)
        raise TimeoutError

    other, over = signal.signal(signal.SIGALRM, interrupt), threading.Event()
    taker = threading.Thread(target=over.wait)  # takes the signals that the first thread holds back
    taker.start()
    cut = 0
    try:
        for step in range(300):
            came.clear()
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + step * 1e-6)
                with defer_signals():
                    pass
                while not came:  # the other thread may be late to take it
                    time.sleep(0.001)
            except TimeoutError:
                cut += 1
            try:
                with defer_signals(), defer_signals([signal.SIGINT]):
                    signal.raise_signal(signal.SIGINT)
                pytest.fail("the interruption was lost")
            except KeyboardInterrupt:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, other)
        over.set()
        taker.join()
    assert cut > 100
