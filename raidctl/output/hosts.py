"""The screen of a command for many hosts: their lines, and progress."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby

from msgspec import structs
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from raidctl.fleet.report import HostAnswer, HostsReport, Rank
from raidctl.model import Inventory
from raidctl.output.console import BAD, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, indented, line, pack
from raidctl.output.live_lines import closed_on_quit
from raidctl.output.table import Column, table
from raidctl.output.terminal import is_drawable
from raidctl.output.trouble import BROKEN, LOOK, UNREAD, troubles
from raidctl.text import collapse, counted, printable

_STYLES = {Rank.CRITICAL: BAD, Rank.GONE: BAD, Rank.FAILED: BAD, Rank.FINE: GOOD}
_WORDS = {BROKEN: ("critical", Rank.CRITICAL), UNREAD: ("unread", Rank.UNKNOWN), LOOK: ("warning", Rank.WARNING)}

_NAME = 24
"""A longer name has a line for itself, unless the screen is wide."""


@drawn
def screen(
    found: HostsReport, ranks: Mapping[str, Rank], more: Mapping[str, Sequence[str]], display: Display
) -> Iterator[RenderableType]:
    """The counts, then one line per host, the worst first. With ``more``, the lines of each host follow it."""
    states = Counter(one.state for one in found.hosts)
    pieces: list[Piece] = [(f"{counted(found.summary.hosts, 'host')}: ", STRONG)]
    style = {one.state: _STYLES.get(ranks[one.host], WARN) for one in found.hosts}
    parts: list[Piece] = [(f"{number} {state}", style[state]) for state, number in states.items()]
    if found.summary.not_asked:
        parts.append((f"{found.summary.not_asked} not asked", WARN))
    for number, part in enumerate(parts):
        pieces += [", ", part] if number else [part]
    yield line(*pieces)
    for one in found.findings:
        yield line((display.clean(f"{one.rule}: {one.message} {one.remedy or ''}".rstrip()), WARN))
    if not found.hosts:
        return
    yield Text("")
    names = {one.host: display.clean(one.host) for one in found.hosts}
    widest = max(_NAME, display.columns // 3)
    long = {host for host, name in names.items() if cell_len(name) > widest}
    beside = {host: "" if host in long else name for host, name in names.items()}
    width = max(2, *map(cell_len, beside.values()))
    other = max(map(len, states))
    for group in _groups(found.hosts, more, long):
        if group[0].host in long:
            yield pack([(names[group[0].host], STRONG)], display.columns, " ")
        columns = [
            Column("", [(beside[one.host].ljust(width), STRONG) for one in group], whole=True),
            Column("", [(one.state.ljust(other), style[one.state]) for one in group], whole=True),
            Column("", [(display.clean(one.message), PLAIN) for one in group], least=20),
        ]
        yield table(columns, display, indent=0)
        for text in more.get(group[0].host, ()):
            yield indented(line(display.clean(text)), display, 4)


def _groups(
    hosts: Sequence[HostAnswer], more: Mapping[str, Sequence[str]], long: Collection[str]
) -> Iterator[list[HostAnswer]]:
    """The hosts of each table. A host with a long name, or with more lines, has its own."""
    apart = any(more.values())
    for alone, group in groupby(hosts, lambda one: apart or one.host in long):
        together = list(group)
        yield from [[one] for one in together] if alone else [together]


def look(inventory: Inventory) -> tuple[str, Rank, tuple[str, ...]]:
    """Return a machine's status word, rank, and everything that needs a look. The worst comes first.

    A machine on which nothing was found is not ``ok``.
    """
    found = troubles(inventory)
    fine = ("ok", Rank.FINE) if inventory.controllers else ("unknown", Rank.UNKNOWN)
    word, rank = _WORDS[found[0].rank] if found else fine
    return word, rank, tuple(one.brief for one in found)


def missing(inventory: Inventory) -> tuple[Rank, tuple[str, ...]]:
    """Return the rank of a checkup, and what is missing."""
    found = troubles(structs.replace(inventory, controllers=()))
    return _WORDS[found[0].rank][1] if found else Rank.FINE, tuple(one.brief for one in found)


@contextmanager
def progress(number: int) -> Iterator[Callable[[str], None]]:
    """Draw a bar on a terminal while hosts are read. Call the yielded function with the name of each finished host."""
    if not is_drawable(sys.stderr):
        yield lambda _: None
        return
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = (TextColumn("asked"), BarColumn(bar_width=None), MofNCompleteColumn(), TextColumn("{task.fields[last]}"))
    with Progress(*columns, console=console, transient=True, expand=True) as drawing:
        task = drawing.add_task("", total=number, last="")

        def advance(name: str) -> None:
            drawing.update(task, advance=1, last=Text(collapse(printable(name))[:30]).plain)

        with closed_on_quit(drawing.stop):
            yield advance
