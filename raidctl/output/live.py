"""The screen of ``raidctl watch``, and its lines for a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec
from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.style import Style
from rich.text import Text

from raidctl.health.unknown_states import doubt
from raidctl.model import Task
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, line, pack
from raidctl.output.tasks import left
from raidctl.text import json_safe
from raidctl.units import format_percent
from raidctl.watch.live import Board, Happened
from raidctl.watch.live_facts import HOST, Fact
from raidctl.watch.live_report import LiveChange, Section

MIN_WIDTH = 10
_STYLES = {"critical": BAD, "warning": WARN, "info": DULL, None: PLAIN}
_CHANGED = Style(bold=True, reverse=True)
_SIGNS = {"up": ("▲", "+"), "down": ("▼", "-"), "other": ("●", "*")}
_FEW = 3
_BESIDE = 5
"""Columns that a section's title takes. This holds if its only line is beside it."""
_TASK_LINES = 4
"""Lines of the tasks on a small screen. They are the title, one task in two lines, and the number of the others."""
_BAR_MIN, _BAR_MAX = 8, 30
_TITLES: dict[Section, str] = {"task": "Tasks", "cache": "Caches", "temperature": "Temperatures", "event": "Events"}
Size = tuple[Display, int]


class Screen:
    """The terminal's alternate screen. The normal one is restored however the watch ends."""

    def __init__(self, size: Callable[[], Size]) -> None:
        """Take ``size``, which is called before each picture. It returns the display and the number of lines."""
        self._size = size
        display, _ = size()
        self._console = Console(file=sys.stdout, highlight=False, no_color=not display.colour, legacy_windows=False)
        self._live: Live | None = None
        self._board: Board | None = None

    def open(self) -> None:
        """Start drawing, also again after :meth:`close`."""
        self._live = Live(
            console=self._console, screen=True, auto_refresh=False, vertical_overflow="crop", redirect_stdout=False,
            redirect_stderr=False,
        )  # fmt: skip
        self._live.start()
        if self._board is not None:
            self.show(self._board)

    def close(self) -> None:
        """Restore the terminal; a closed one needs nothing."""
        live, self._live = self._live, None
        if live is not None:
            with suppress(OSError):
                live.stop()

    def show(self, board: Board) -> None:
        """Draw a board in the current size of the terminal."""
        self._board = board
        display, rows = self._size()
        self._console.size = (max(display.width, MIN_WIDTH), rows)
        if self._live is not None:
            self._live.update(Group(*picture(board, display, rows)), refresh=True)


def lines(changes: Iterable[LiveChange], display: Display) -> str:
    """The changes of a reading as lines of a log."""
    return "".join(f"{one.at}  {display.clean(one.message)}\n" for one in changes)


def json_lines(changes: Iterable[LiveChange]) -> str:
    """The changes of a reading, one JSON object a line."""
    return "".join(f"{json_safe(msgspec.json.encode(one).decode('utf-8'))}\n" for one in changes)


def picture(board: Board, display: Display, rows: int) -> list[Text]:
    """The lines of a board, at most ``rows``. Less important sections are cut, with the number of lines left out."""
    width = max(display.width, MIN_WIDTH)
    console = Console(width=width, height=max(rows, 1), highlight=False)
    sections: list[list[Text]] = []
    for texts in _sections(board, display, width):
        found: list[Text] = []
        for text in texts:
            found += text.wrap(console, width, overflow="fold") or [Text("")]
        sections.append(found)
    return _fitting(sections, max(rows, 1), display)


def _fitting(sections: Sequence[list[Text]], rows: int, display: Display) -> list[Text]:
    """Cut the longest section until all fit. Then drop sections from the end, but no task in favour of conditions."""
    shown = [len(one) for one in sections]
    least = [len(sections[0]), _TASK_LINES, *[2] * len(sections)]
    while sum(shown) > rows:
        able = [number for number in range(1, len(shown)) if shown[number] > least[number]]
        if not able:
            break
        shown[max(able, key=lambda number: (shown[number], number))] -= 1
    while sum(shown[:2]) > rows and shown[0] > max(_TASK_LINES, rows // 2):
        shown[0] -= 1
    found: list[Text] = []
    for one, number in zip(sections, shown, strict=True):
        cut = len(one) - number
        found += one if not cut else [*one[: number - 1], Text(display.words(f"  … {cut + 1} more lines"), style=DULL)]
    return found[:rows]


def _sections(board: Board, display: Display, width: int) -> Iterator[list[Text]]:
    by_section: dict[Section, list[Fact]] = {}
    for fact in board.facts:
        by_section.setdefault(fact.section, []).append(fact)
    conditions = [fact for fact in by_section.get("health", []) if fact.object_id != HOST]
    yield [*_head(board, display, width), *(_condition(board, fact, display) for fact in conditions)]
    none = "none" if board.whole else "none reported, but not everything could be read"
    parts: dict[Section, list[Text]] = {
        "task": _tasks(board, by_section.get("task", []), display, width) or [line((none, DULL))],
        "cache": _caches(board, by_section.get("cache", []), display) or [line(("unknown", DULL))],
        "temperature": _temperatures(board, by_section.get("temperature", []), display, width),
        "event": _events(board, display),
    }
    for section, rows in parts.items():
        title = line((_TITLES[section], STRONG))
        yield [title + line("  ") + _unindented(rows[0])] if len(rows) == 1 else [title, *rows]


def _unindented(row: Text) -> Text:
    return row[2:] if row.plain.startswith("  ") else row


def _head(board: Board, display: Display, width: int) -> Iterator[Text]:
    """The verdict first, since a very small terminal shows nothing else."""
    inventory = board.reading.frame.inventory
    host = inventory.host
    verdict = next(fact for fact in board.facts if fact.section == "health" and fact.object_id == HOST)
    word = str(verdict.value).upper() if verdict.severity else str(verdict.value)
    style = GOOD if verdict.value == "ok" and doubt(inventory) is None else _STYLES[verdict.severity]
    yield line(
        (display.clean(host.hostname or host.source), STRONG), "  ",
        *_marked(board, verdict, display, f"{word}: {verdict.words}", style),
    )  # fmt: skip
    times = f"{board.reading.at[11:19]} UTC", f"{'all' if board.whole else 'not all'} read at {board.read_at[11:19]}"
    yield pack([(text, DULL) for text in (*times, "Ctrl-C ends")], width, display.dot)
    unread = board.reading.unread
    for text in unread[:_FEW]:
        yield line((display.clean(f"Not read: {text}"), WARN))
    if len(unread) > _FEW:
        yield line((f"Not read: {len(unread) - _FEW} more", WARN))


def _sign(board: Board, fact: Fact, display: Display) -> list[Piece]:
    """The bold mark of a value changed in the last minute. Its sign is readable without colour."""
    way = board.mark(fact)
    return [(_SIGNS[way][display.ascii], _CHANGED), " "] if way else []


def _marked(board: Board, fact: Fact, display: Display, text: str, style: Style = PLAIN) -> list[Piece]:
    changed = board.mark(fact) is not None
    return [*_sign(board, fact, display), (display.clean(text), style + STRONG if changed else style)]


def _condition(board: Board, fact: Fact, display: Display) -> Text:
    style = WARN if fact.lost else _STYLES[fact.severity]
    word = "?" if fact.lost else str(fact.value).upper() if fact.severity != "info" else "info"
    return line("  ", *_marked(board, fact, display, f"{word}: {fact.named}: {fact.words}", style))


def _tasks(board: Board, facts: Sequence[Fact], display: Display, width: int) -> list[Text]:
    found: list[Text] = []
    for fact in facts:
        state = next(
            (one for one in facts if one.object_id == fact.object_id and one.name == f"{fact.name}, state"), fact
        )
        if fact.task is not None:
            found += _task(board, fact, state, display, width - _BESIDE)
    return found


def _task(board: Board, fact: Fact, state: Fact, display: Display, width: int) -> Iterator[Text]:
    """``rebuild of md:md0  ━━━━━━        45.2%  1 h 20 min left``; in two lines if that does not fit."""
    name = f"{fact.name} of {fact.named}"
    task = fact.task
    if task is None or fact.lost:
        yield line("  ", *_marked(board, fact, display, f"{name}: {fact.words}", WARN))
        return
    waits = "" if task.state in ("running", None) else f"  {state.text}"
    time = f"  {left(task)} left" if task.remaining_seconds is not None else ""
    behind = display.words(
        f"{format_percent(task.percent, 1) if task.percent is not None else fact.text}{time}"
    ) + display.clean(waits)
    start: list[Piece] = ["  ", *_marked(board, state, display, name)]
    room = min(width - line(*start).cell_len - cell_len(behind) - 4, _BAR_MAX)
    if room >= _BAR_MIN:
        yield line(*start, "  ", *_bar(task, room, display), f"  {behind}")
        return
    yield line(*start)
    room = min(width - cell_len(behind) - 6, _BAR_MAX)
    yield line("    ", *((*_bar(task, room, display), "  ") if room >= _BAR_MIN else ()), behind)


def _bar(task: Task, room: int, display: Display) -> list[Piece]:
    if task.percent is None:
        return []
    done = min(int(room * task.percent / 100), room)
    full, empty = ("#", ".") if display.ascii else ("━", "╌")
    return [(full * done, GOOD), (empty * (room - done), DULL)]


def _caches(board: Board, facts: Sequence[Fact], display: Display) -> list[Text]:
    """One line for each layer: ``page cache  unwritten 1.5 MiB``."""
    layers: dict[str, list[Fact]] = {}
    for fact in facts:
        layers.setdefault(fact.object_id, []).append(fact)
    found = []
    for group in layers.values():
        pieces: list[Piece] = ["  ", (display.clean(group[0].named), DULL), "  "]
        for number, fact in enumerate(group):
            style = WARN if fact.lost else PLAIN
            pieces += [", ", *_marked(board, fact, display, f"{fact.name} {fact.words}", style)][not number :]
        found.append(line(*pieces))
    return found


def _temperatures(board: Board, facts: Sequence[Fact], display: Display, width: int) -> list[Text]:
    if not facts:
        return [line(("none reported", DULL))]
    found: list[Text] = []
    row = line("  ")
    common = {fact.named.partition("/")[0] for fact in facts if "/" in fact.named}
    only = f"{common.pop()}/" if len(common) == 1 else ""  # the short form of ids, as on other screens
    for fact in facts:
        figure = "?" if fact.lost else fact.text
        one = line(*_marked(board, fact, display, f"{fact.named.removeprefix(only)} {figure}"))
        if row.cell_len > 2 and row.cell_len + len(display.dot) + one.cell_len > width:
            found.append(row)
            row = line("  ")
        row = row + (display.dot if row.cell_len > 2 else "") + one
    return [*found, row]


def _events(board: Board, display: Display) -> list[Text]:
    """The newest event first; times in UTC."""
    if not board.events:
        return [line((f"none since {board.begun[11:19]}", DULL))]
    return [_event(one, display) for one in reversed(board.events)]


def _event(one: Happened, display: Display) -> Text:
    return line(
        "  ",
        (f"{one.at[11:19]} ", DULL),
        (display.clean(one.text), PLAIN if one.severity == "info" else _STYLES[one.severity]),
    )
