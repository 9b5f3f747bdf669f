"""The screens of ``raidctl tasks``: table, bars, or lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct, field
from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from raidctl.model import Inventory, Task
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, line
from raidctl.output.head import head
from raidctl.output.live_lines import live_lines
from raidctl.output.problems import problem_sections
from raidctl.output.table import Column, nonempty, table
from raidctl.output.trouble import notes, troubles
from raidctl.tasks.outcome import word
from raidctl.tasks.report import Ended, Result, TaskReport, report
from raidctl.tasks.wait import Step
from raidctl.text import counted, json_safe, listing
from raidctl.units import format_binary, format_duration, format_percent

NOTHING = "No operation is running."
_STYLES = {"queued": WARN, "paused": WARN, "running": GOOD}
_RESULTS: dict[Result, Piece] = {"reached": ("done  ", GOOD), "worse": ("FAILED  ", BAD), "unknown": ("?  ", WARN)}
_BAR = 24
_NARROW = 60
"""Number of columns below which a task is a sentence. Beside a bar, every word would be broken."""
_PERCENT, _SECONDS = 5.0, 600.0
"""Percentage, or seconds, until a task's next line in a pipe."""


@drawn
def tasks_screen(found: TaskReport, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The whole screen as text."""
    del more
    bare = Inventory(host=found.host, problems=found.problems)
    yield head(bare, display)
    yield line(summary(found, display))
    if found.tasks:
        yield Text("")
        yield _table(found.tasks, display)
    yield from problem_sections(troubles(bare), notes(bare), display)


def summary(found: TaskReport, display: Display) -> Piece:
    """The number of tasks; "none" only if everything could be read."""
    doubt = f"state unknown: {listing(found.unknown)}" if found.unknown else "not everything could be read"
    if found.tasks:
        text = counted(len(found.tasks), "task")
        return display.clean(text if found.complete else f"{text}; {doubt}"), STRONG
    if found.complete:
        return NOTHING, GOOD
    return display.clean(f"No task is reported, but {doubt}."), WARN


def _table(tasks: Sequence[Task], display: Display) -> Group:
    def of(title: str, value: Callable[[Task], str], *, right: bool = False) -> Column:
        return Column(title, [(display.clean(value(task)), PLAIN) for task in tasks], right=right)

    columns = [
        Column("task", [(display.clean(word(task.operation)), STRONG) for task in tasks]),
        of("of", _named),
        of("device", lambda task: task.device or "?"),
        of("done", lambda task: "?" if task.percent is None else format_percent(task.percent), right=True),
        of("speed", lambda task: "" if task.rate_bytes is None else f"{format_binary(task.rate_bytes)}/s", right=True),
        of("left", left),
        Column("state", [(display.clean(state(task)), _STYLES.get(task.state or "", DULL)) for task in tasks], 12),
    ]
    return table(nonempty(columns), display)


def _named(task: Task) -> str:
    return ", ".join((task.object_id, *(name.rpartition("/")[2] for name in task.also)))


def left(task: Task) -> str:
    """``1 h 20 min``, or ``about 1 h 20 min`` for an estimate; empty if unknown."""
    if task.remaining_seconds is None:
        return ""
    return f"{'about ' if task.estimated else ''}{format_duration(task.remaining_seconds)}"


def state(task: Task) -> str:
    """``running``, ``queued: another array on the same drives is first``."""
    return f"{task.state or '?'}{f': {task.reason}' if task.reason else ''}"


def _brief(task: Task) -> str:
    """``rebuild of md:md0: 45%, 20 min left``, as a line of a log."""
    time = left(task)
    parts = (
        format_percent(task.percent) if task.percent is not None else "",
        f"{time} left{', estimated' if task.estimated else ''}".removeprefix("about ") if time else "",
        state(task) if task.state in ("queued", "paused") else "",
    )
    return f"{word(task.operation)} of {_named(task)}: {', '.join(part for part in parts if part) or 'under way'}"


def as_json(steps: Iterable[Step], write: Callable[[str], None]) -> Step | None:
    """Write one JSON object per reading, on a line. Return the last step."""
    last = None
    for last in steps:
        found = report(last.frame.inventory, last.frame.tasks, last.over)
        write(f"{json_safe(msgspec.json.encode(found).decode('utf-8'))}\n")
    return last


class Log(Struct):
    """The lines of tasks in a pipe. A task is written when it is new, 5 percent further, or 10 minutes later."""

    display: Display
    written: dict[tuple[str, str], tuple[float, float | None]] = field(default_factory=dict)

    def lines(self, step: Step) -> Iterator[str]:
        """The lines of a reading, with the time since the first reading."""
        now = step.frame.seconds
        for task in step.frame.tasks:
            key = task.operation, task.object_id
            at, percent = self.written.get(key, (None, None))
            further = task.percent is not None and (percent is None or task.percent - percent >= _PERCENT)
            if at is None or further or now - at >= _SECONDS:
                self.written[key] = now, task.percent
                yield self._line(now, _brief(task))
        yield from (self._line(now, one.message) for one in step.new)

    def _line(self, now: float, text: str) -> str:
        return f"{timedelta(seconds=round(now))}  {self.display.clean(text)}\n"


def as_log(steps: Iterable[Step], display: Display, write: Callable[[str], None]) -> Step | None:
    """Write the lines in a pipe; return the last step."""
    log, last = Log(display), None
    for last in steps:
        for text in log.lines(last):
            write(text)
    return last


def as_bars(steps: Iterable[Step], display: Display) -> Step | None:
    """Draw and update one bar per task on the terminal. Return the last step."""
    console = Console(file=sys.stdout, width=display.columns, highlight=False, no_color=not display.colour)
    last = None
    with live_lines(console) as live:
        for last in steps:
            live.update(bars(last, display), refresh=True)
    return last


def bars(step: Step, display: Display) -> RenderableType:
    """The bars of a reading, followed by how awaited tasks ended."""
    found = report(step.frame.inventory, step.frame.tasks, step.over)
    rest: list[RenderableType] = [ended_line(one, display) for one in step.over]
    if not step.frame.tasks and not step.over:
        rest.append(line(summary(found, display)))
    if display.columns < _NARROW:
        return Group(*(Text(display.clean(_brief(task))) for task in step.frame.tasks), *rest)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for task in step.frame.tasks:
        bar: RenderableType = ProgressBar(total=100, completed=task.percent or 0, width=_BAR)
        if display.ascii:
            full = round((task.percent or 0) * _BAR / 100)
            bar = Text("#" * full + "." * (_BAR - full))
        time = left(task) or (state(task) if task.state != "running" else "")
        grid.add_row(
            Text(display.clean(word(task.operation)), STRONG),
            Text(display.clean(_named(task)), overflow="fold"),
            bar,
            Text("?" if task.percent is None else format_percent(task.percent, 1)),
            Text(display.clean(time), DULL),
        )
    return Group(grid, *rest)


def ended_line(one: Ended, display: Display) -> Text:
    """``done  Rebuild of md:md0 ended: it is ok.``."""
    return line(_RESULTS[one.result], display.clean(one.message))
