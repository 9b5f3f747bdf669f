"""The screen of ``raidctl cache stats``: counters, or estimates with their method."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from raidctl.layers.model import Counter, LayerStats, Statistics
from raidctl.model import Inventory, Problem
from raidctl.output.console import DULL, STRONG, WARN, Display, Piece, drawn, hanging, indented, line
from raidctl.output.head import head
from raidctl.output.layers import KINDS
from raidctl.output.live_lines import live_lines
from raidctl.output.problems import problem_sections
from raidctl.output.table import Column, cells, table
from raidctl.output.trouble import notes, troubles
from raidctl.text import listing
from raidctl.units import format_binary

_UNITS = {"percent": "%", "milliseconds": " ms", "seconds": " s", "entries": " entries"}


def live_screen(looks: Iterable[Statistics], display: Display, code_of: Callable[[Sequence[Problem]], int]) -> int:
    """Show samples one after the other in the same place. Return ``code_of`` for the problems of the last one."""
    code = 0
    console = Console(file=sys.stdout, width=display.columns, highlight=False, no_color=not display.colour)
    with live_lines(console) as live:
        for statistics in looks:
            code = code_of(statistics.problems)
            live.update(Text.from_ansi(stats_screen(statistics, display).rstrip("\n")), refresh=True)
    return code


@drawn
def stats_screen(statistics: Statistics, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The whole screen as text. Without ``more``, figures that are 0 and do not move are left out."""
    bare = Inventory(host=statistics.host, problems=statistics.problems)
    yield head(bare, display)
    of = f"of the stack below {statistics.target}" if statistics.target else "of all caches"
    when = f"in the last {statistics.seconds:g} s" if statistics.seconds else "since boot"
    yield line((display.clean(f"Use {of}, {when}, at {statistics.at}"), STRONG))
    for layer in statistics.layers:
        shown = [counter for counter in layer.counters if _shown(counter, more=more)]
        yield Text("")
        yield _title(layer, display)
        if shown:
            yield _table(shown, display)
        else:
            yield indented(line(("nothing was counted" if layer.counters else "no figures", DULL)), display, 2)
        for text in _unknown(layer.counters):
            yield indented(line((display.clean(text), DULL)), display, 2)
        if layer.method:
            yield indented(line((display.clean(layer.method), DULL)), display, 2)
    yield from problem_sections(troubles(bare), notes(bare), display)


def _shown(counter: Counter, *, more: bool) -> bool:
    """Whether a figure has a row.

    One of 0 has none, except with ``more`` or in bytes or percent. One without a value has none either.
    """
    return not counter.why and (more or bool(counter.value) or counter.unit in ("bytes", "percent"))


def _unknown(counters: Sequence[Counter]) -> Iterator[str]:
    """``unknown: writes into a cache (3 are too few)``; once for several with the same reason."""
    names: dict[str, list[str]] = {}
    for counter in counters:
        if counter.why:
            names.setdefault(counter.why, []).append(counter.name.removesuffix(" (at least)"))
    for why, of in names.items():
        yield f"unknown: {listing(of)} ({why})"


def _title(layer: LayerStats, display: Display) -> RenderableType:
    names: list[Piece] = [(display.clean(text), DULL) for text in (layer.layer, layer.name) if text]
    kind = f"{KINDS[layer.kind]}  "
    if any(counter.estimate and counter.value is not None for counter in layer.counters):
        names.append(("estimate", WARN))
    return hanging((kind, STRONG), names, display)


def _table(counters: Sequence[Counter], display: Display) -> Group:
    rates = [rate(counter) for counter in counters]
    names = [f"{counter.name}{', estimate' if counter.estimate else ''}" for counter in counters]
    columns = [
        Column("counter", cells([display.clean(name) for name in names]), 20),
        Column("now", cells([value(counter.value, counter.unit) for counter in counters], STRONG), right=True),
    ]
    if any(rates):
        columns.append(Column("a second", cells(rates), right=True))
    return table(columns, display)


def value(figure: float | None, unit: str) -> str:
    """A figure with its unit."""
    if figure is None:
        return "?"
    if unit == "bytes":
        return format_binary(round(figure))
    return f"{figure:,.0f}" if unit == "count" else f"{figure:g}{_UNITS.get(unit, f' {unit}')}"


def rate(counter: Counter) -> str:
    """The growth of a figure per second; empty if there is none."""
    if counter.per_second is None:
        return ""
    if counter.unit == "bytes":
        return f"{format_binary(round(counter.per_second))}/s"
    return f"{counter.per_second:,.1f}/s"
