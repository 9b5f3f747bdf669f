"""The progress of a run: current test, percentage, time left.

Draws nothing unless standard error is a terminal, to keep bars out of logs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from raidctl.output.live_lines import closed_on_quit
from raidctl.output.terminal import is_drawable
from raidctl.text import collapse, printable

_WIDTH = 36


class _Left(ProgressColumn):
    """The time left, counted down between two updates."""

    def render(self, task: Task) -> Text:
        ends: float | None = task.fields.get("ends")
        return Text("" if ends is None else left(ends - time.monotonic()))


class Bar:
    """The bar of a run; without a terminal it draws nothing."""

    def __init__(self, screen: Progress | None) -> None:
        self._screen = screen
        self._task = None if screen is None else screen.add_task("", total=1.0, visible=False)

    def update(self, what: str, spent: float, total: float) -> None:
        """Update the bar: current step, seconds spent, and the estimated total."""
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
        """Hide the bar while something is printed or asked.

        While a run is being ended (Ctrl-C, a signal, exit of Python) nothing is drawn: at that time the drawing thread
        might not start, and joining it would never return.
        """
        self._draw(on=False)
        try:
            yield
        except Exception:
            self._draw(on=True)
            raise
        self._draw(on=True)

    def begin(self) -> None:
        """Start drawing."""
        self._draw(on=True)

    def end(self) -> None:
        """Remove the bar."""
        self._draw(on=False)

    def _draw(self, *, on: bool) -> None:
        """Start or stop drawing. A closed terminal must not keep the user of the bar from restoring settings."""
        try:
            if self._screen is not None:
                (self._screen.start if on else self._screen.stop)()
        except OSError:
            self._screen = None


@contextmanager
def progress() -> Iterator[Bar]:
    """Draw the bar while the run lasts. Remove it at the end."""
    if not is_drawable(sys.stderr):
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
        with closed_on_quit(bar.end):
            yield bar
    finally:
        bar.end()


def left(seconds: float) -> str:
    """``1:05 left``; an estimate that was exceeded counts as almost done."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d} left" if whole > 0 else "almost done"
