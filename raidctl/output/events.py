"""The screen of ``raidctl events``: one line for each event, the newest last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.events.report import EventReport
from raidctl.model import Inventory
from raidctl.output.console import BAD, DULL, INDENT, PLAIN, STRONG, WARN, Display, drawn, indented, line, pack
from raidctl.output.grid import Grid
from raidctl.output.head import head
from raidctl.output.problems import problem_sections
from raidctl.output.trouble import notes, troubles
from raidctl.text import counted, json_safe
from raidctl.vendor.events import Event

_STYLES = {"debug": DULL, "progress": DULL, "info": PLAIN, "warning": WARN, "critical": BAD, "fatal": BAD}
_TIME, _LEVEL = 20, 8
"""Widths of the first columns: `2026-05-06 07:08:01Z`, `critical`."""
_NARROW = 60
"""With fewer columns, an event has several lines."""
_FEW = 5
"""The most lines that were not understood, without ``-v``."""


@drawn
def events_screen(found: EventReport, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The whole screen as text."""
    bare = Inventory(host=found.host, problems=found.problems)
    yield head(bare, display)
    yield line(_summary(found))
    if found.events:
        yield Text("")
        yield rows(found.events, display, more=more)
    yield from _uncertain(found, display)
    yield from _clocks(found, display)
    yield from _unparsed(found.unparsed, display, more=more)
    yield from problem_sections(troubles(bare), notes(bare), display)


def rows(events: Sequence[Event], display: Display, *, more: bool = False) -> RenderableType:
    """A row per event: time, level, then object and message. A controller's own time has a star."""
    if display.columns < _NARROW:
        return _stacked(events, display, more=more)
    room = display.columns - _TIME - _LEVEL - 4
    grid = Grid((_TIME, _LEVEL, room), gap=2)
    for event in events:
        text = line((display.clean(_where(event)), STRONG), "  ", display.clean(event.text))
        if more and event.details:
            pairs = [(display.clean(f"{label}: {value}"), DULL) for label, value in event.details.items()]
            text = Text.assemble(text, "\n", pack(pairs, room, display.dot))
        level = line((event.level or "?", _STYLES.get(event.level or "", DULL)))
        grid.add((line((_when(event), DULL)), level, text))
    return grid


def _stacked(events: Sequence[Event], display: Display, *, more: bool) -> Group:
    """Events on several lines each, for narrow screens. The lines are time and level, object, message."""
    parts: list[RenderableType] = []
    room = display.columns - INDENT
    for event in events:
        level = event.level or "?"
        parts.append(pack([(_when(event), DULL), (level, _STYLES.get(level, DULL))], display.columns, "  "))
        below = [pack([(display.clean(_where(event)), STRONG)], room, " "),
                 pack([display.clean(event.text)], room, " ")]  # fmt: skip
        if more and event.details:
            pairs = [(display.clean(f"{label}: {value}"), DULL) for label, value in event.details.items()]
            below.append(pack(pairs, room, display.dot))
        parts += [indented(text, display, INDENT) for text in below]
    return Group(*parts)


def _where(event: Event) -> str:
    """The object, with a question mark if it is only possible."""
    possible = f"{event.possible_object_id}?" if event.possible_object_id is not None else None
    return event.object_id or possible or event.controller or "kernel"


def _when(event: Event) -> str:
    if event.host_at is not None:
        return event.host_at.replace("T", " ")
    return f"{event.at.replace('T', ' ')}*" if event.at is not None else "time unknown"


def _summary(found: EventReport) -> tuple[str, Style]:
    whole = all(problem.kind == "note" for problem in found.problems)
    if not found.events:
        none = "No event is certain to be about the requested object" if found.left_out else "No events"
        return (f"{none}.", PLAIN) if whole else (f"{none}, but not every log could be read.", WARN)
    levels = Counter(event.level or "level unknown" for event in found.events)
    parts = ", ".join(f"{number} {level}" for level, number in levels.items())
    return f"{counted(len(found.events), 'event')}: {parts}{'' if whole else '; not every log could be read'}", STRONG


def _uncertain(found: EventReport, display: Display) -> Iterator[RenderableType]:
    """Notes about events whose object is not certain."""
    guessed = any(event.possible_object_id is not None for event in found.events)
    if guessed or found.left_out:
        yield Text("")
    if guessed:
        yield pack(["? the object with this device name now; another one may have had it then"], display.columns, " ")
    if found.left_out:
        text = (
            f"Left out: {counted(found.left_out, 'event')} whose object is uncertain. Without TARGET, all are listed."
        )
        yield pack([(text, WARN)], display.columns, " ")


def _clocks(found: EventReport, display: Display) -> Iterator[RenderableType]:
    """Notes about the clocks behind the times."""
    shown = {event.controller for event in found.events if event.controller is not None}
    unknown = [one.controller for one in found.clocks if one.behind_seconds is None and one.controller in shown]
    known = [one for one in found.clocks if one.behind_seconds is not None and one.controller in shown]
    if unknown or known:
        yield Text("")
    for one in known:
        text = f"Its clock showed {(one.clock or '').replace('T', ' ')}; its events are shown in UTC of this machine."
        yield pack([(display.clean(one.controller), STRONG), text], display.columns, ": ")
    if unknown:
        text = "* time of the controller's own clock; its difference to the machine's clock is unknown"
        yield line(f"{text}: {display.clean(', '.join(unknown))}")


def _unparsed(lines: Sequence[str], display: Display, *, more: bool) -> Iterator[RenderableType]:
    if not lines:
        return
    yield Text("")
    yield line((f"{counted(len(lines), 'line')} of the logs could not be parsed:", WARN))
    for text in lines if more else lines[:_FEW]:
        yield pack(["  " + display.clean(text)], display.columns, " ")
    if not more and len(lines) > _FEW:
        yield line(f"  ({len(lines) - _FEW} more: -v)")


def as_lines(events: Sequence[Event], display: Display, write: Callable[[str], None], *, json: bool) -> None:
    """Write each new event as one line or one JSON object."""
    for event in events:
        write(
            json_safe(msgspec.json.encode(event).decode()) + "\n" if json else display.render([rows([event], display)])
        )
