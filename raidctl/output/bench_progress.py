"""The progress of a run on the terminal: what is being measured, how far it is, how long it still takes.

Nothing at all where standard error is no terminal: a log is not to be filled with bars.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from raidctl.text import collapse, printable

_WIDTH = 36


class _Left(ProgressColumn):
    """The time that is left, counted down between two tellings."""

    def render(self, task: Task) -> Text:
        ends: float | None = task.fields.get("ends")
        return Text("" if ends is None else left(ends - time.monotonic()))


class Bar:
    """The bar of a run; without a screen it draws nothing."""

    def __init__(self, screen: Progress | None) -> None:
        self._screen = screen
        self._task = None if screen is None else screen.add_task("", total=1.0, visible=False)

    def tell(self, what: str, spent: float, total: float) -> None:
        """What is being done; seconds spent, and what all of it takes, by what is known now."""
        if self._screen is None or self._task is None:
            return
        shown = Text(collapse(printable(what)))
        shown.truncate(_WIDTH, overflow="ellipsis", pad=True)
        self._screen.update(
            self._task,
            description=shown.plain,
            completed=spent,
            total=max(total, spent),
            ends=time.monotonic() + total - spent,
            visible=True,
        )

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Leave the terminal to somebody who has something to say, or to ask.

        Of a run that is being ended (Ctrl-C, a signal, Python itself) nothing is drawn any more: the thread that draws
        could be begun at a time at which none begins, and be waited for without an end.
        """
        self._draw(on=False)
        try:
            yield
        except Exception:
            self._draw(on=True)
            raise
        self._draw(on=True)

    def begin(self) -> None:
        """Draw it from now on."""
        self._draw(on=True)

    def end(self) -> None:
        """Take it away."""
        self._draw(on=False)

    def _draw(self, *, on: bool) -> None:
        """Go on drawing or leave off; a terminal that is gone must not keep its last user from putting things back."""
        try:
            if self._screen is not None:
                (self._screen.start if on else self._screen.stop)()
        except OSError:
            self._screen = None


@contextmanager
def progress() -> Iterator[Bar]:
    """Draw the bar while the run lasts, and take it away at its end."""
    if not drawable():
        yield Bar(None)
        return
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    screen = Progress(
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), _Left(), console=console,
        transient=True, expand=True,
    )  # fmt: skip
    bar = Bar(screen)
    bar.begin()
    try:
        yield bar
    finally:
        bar.end()


def drawable() -> bool:
    """Whether somebody looks at standard error."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def left(seconds: float) -> str:
    """``1:05 left``; what takes longer than was thought is soon done."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d} left" if whole > 0 else "soon done"
