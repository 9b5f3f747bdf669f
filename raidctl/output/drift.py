"""The screens of diff, history and the list of snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.drift.messages import value
from raidctl.drift.report import Drift, Side, Unread
from raidctl.drift.value import History, Moment
from raidctl.health.severity import Severity
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, indented, line, pack
from raidctl.output.grid import Grid
from raidctl.output.phrases import SEVERITY_WORDS, short_moment
from raidctl.output.table import Column, cells, table
from raidctl.snapshots.store import SavedSnapshot
from raidctl.text import counted

_STYLES: dict[Severity, Style] = {"critical": BAD, "warning": WARN, "info": PLAIN}
_NOUNS: dict[Severity, str] = {"critical": "critical change", "warning": "warning", "info": "other change"}
_SIDES = {"before": "Not read before", "after": "Not read this time", "both": "Not read either time"}
_LABEL = 10


@drawn
def screen(found: Drift, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The whole screen of a comparison. ``more``: fields with their values, and what is hidden."""
    arrow = display.words(" → ")
    yield line((_side(found.before, display), STRONG), arrow, (_side(found.after, display), STRONG))
    yield _summary(found, display)
    if found.changes:
        yield Text("")
    for change in found.changes:
        text = line(display.clean(change.message))
        if more and change.field:
            fact = f"{change.id} {change.field}: {_brief(change.old)} {display.words('→')} {_brief(change.new)}"
            text.append_text(line("\n", (display.clean(fact), DULL)))
        yield _labelled(SEVERITY_WORDS[change.severity], _STYLES[change.severity], text, display)
    for one in found.unread:
        yield Text("")
        yield from _unread(one, display, more=more)
    notes = list(_notes(found))
    if notes:
        yield Text("")
    for note in notes:
        yield line((note, DULL))


def _side(side: Side, display: Display) -> str:
    facts = [fact for fact in (side.hostname, side.at) if fact]
    return display.clean(f"{side.name} ({', '.join(facts)})" if facts else side.name)


def _summary(found: Drift, display: Display) -> Text:
    pieces: list[Piece] = []
    for level, style in _STYLES.items():
        count = sum(change.severity == level for change in found.changes)
        if count:
            noun = "change" if level == "info" and not pieces else _NOUNS[level]
            pieces.append((counted(count, noun), style))
    if found.verdict == "same":
        readable = " that could be read" if any(one.side == "both" for one in found.unread) else ""
        pieces.append((f"Nothing{' else' if found.ignored else ''}{readable} has changed.", GOOD))
    elif found.verdict != "drift":
        pieces.append(("Nothing that could be read has changed, but not everything could be read.", WARN))
    return pack(pieces, display.columns, display.dot)


def _labelled(label: str, style: Style, text: Text, display: Display) -> Grid:
    grid = Grid((_LABEL, display.columns - _LABEL))
    grid.add((line((label, style)), text))
    return grid


def _brief(of: object) -> str:
    return "null" if of is None else value(of)


def _unread(one: Unread, display: Display, *, more: bool) -> Iterator[RenderableType]:
    yield line((_SIDES[one.side], WARN if one.side != "both" else DULL), ": ", display.clean(one.where))
    yield indented(line(display.clean(one.message)), display, 2)
    count = len(one.hidden)
    if not count:
        return
    which = counted(count, "difference")
    hint = "" if more else " -v lists them."
    verb = "is" if count == 1 else "are"
    yield indented(line((f"{which} may come from that and {verb} not counted as drift.{hint}", DULL)), display, 2)
    if more:
        for change in one.hidden:
            yield indented(line((display.clean(change.message), DULL)), display, 4)


def _notes(found: Drift) -> Iterator[str]:
    if found.noise:
        yield f"{counted(found.noise, 'volatile field')} changed too; --all shows them."
    if found.ignored:
        yield f"{counted(found.ignored, 'change')} ignored by --ignore or --min-severity."


def list_screen(kept: Sequence[SavedSnapshot], display: Display) -> str:
    """The list of snapshots."""
    if not kept:
        return display.words('No snapshot is saved here; "raidctl snapshot" saves one.\n')
    first = {one.host: one.id for one in reversed(kept)}
    columns = [
        Column("snapshot", cells([str(one.id) for one in kept]), right=True),
        Column("read at", cells([short_moment(one.at) for one in kept])),
        Column("host", cells([display.clean(one.host) for one in kept]), least=10),
        Column("", cells([_about(one, first=first[one.host] == one.id) for one in kept]), least=12),
        Column("from", cells([display.clean(one.source) for one in kept]), optional=True),
    ]
    return display.render([table(columns, display, indent=0)])


def _about(one: SavedSnapshot, *, first: bool) -> str:
    words = ["first" if first else "changed" if one.changed else "same"]
    return ", ".join([*words, *(["not all read"] if one.unread else [])])


def history_screen(found: History, display: Display) -> str:
    """A value over time."""
    head = line(
        (display.clean(f"{found.id} {found.field}"), STRONG),
        f", {counted(found.states, 'snapshot')} of ",
        display.clean(found.host),
    )
    columns = [
        Column("read at", cells([short_moment(one.at) for one in found.moments])),
        Column("snapshot", cells([str(one.state) for one in found.moments]), right=True),
        Column("value", cells([display.clean(_value(one)) for one in found.moments]), least=20),
    ]
    return display.render([head, table(columns, display)])


def _value(one: Moment) -> str:
    if one.there is None:
        return "snapshot cannot be read"
    if not one.there:
        return "absent, or not read" if one.unread else "absent"
    if one.value is None:
        return "unknown"
    return one.value if isinstance(one.value, str) else value(one.value)
