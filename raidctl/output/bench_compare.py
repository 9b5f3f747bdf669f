"""The screens about several runs: the list, and two side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from raidctl.bench.compare import Comparison, Pair, pace
from raidctl.bench.result import Spread
from raidctl.bench.store import StoredRun
from raidctl.output.bench import head, words
from raidctl.output.bench_classic import SHORT
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, WARN, Display, drawn, line
from raidctl.output.phrases import short_moment
from raidctl.output.table import Cell, Column, cells, facts, table
from raidctl.units import format_figure


def list_screen(kept: Sequence[StoredRun], display: Display) -> str:
    """All runs, the oldest first."""
    if not kept:
        return display.render([line('No run is saved yet; "raidctl bench run" makes one.')])
    clean = display.clean
    return display.render(
        [
            table(
                [
                    Column("run", cells([str(one.id) for one in kept]), right=True),
                    Column("began", cells([clean(short_moment(one.at)) for one in kept])),
                    Column("profile", cells([clean(one.profile) for one in kept])),
                    Column("engine", cells([clean(one.engine or "none") for one in kept]), least=8),
                    Column("target", cells([clean(one.target) for one in kept]), least=12),
                    Column(
                        "label", cells([clean(one.label or "") for one in kept]), least=8, optional=not _named(kept)
                    ),
                    Column("", [("ended early", WARN) if one.interrupted else ("", PLAIN) for one in kept], least=5),
                ],
                display,
                indent=0,
            )
        ]
    )


def _named(kept: Sequence[StoredRun]) -> bool:
    return any(one.label for one in kept)


@drawn
def compare_screen(found: Comparison, display: Display) -> Iterator[RenderableType]:
    """Two runs side by side; reasons not to compare them come first."""
    for letter, run in (("A", found.first), ("B", found.second)):
        yield line((f"{letter}:", DULL))
        yield from head(run, display)
    if not found.comparable:
        yield line(("The engines differ: the ratios below are not those of the drives alone.", BAD))
    rows = [("beware", [(display.clean(text), WARN)]) for text in found.warnings]
    rows += [("differs", [(display.clean(text), PLAIN)]) for text in found.differences]
    if rows:
        yield facts(rows, display, indent=0)
    yield Text("")
    if not found.pairs:
        yield line(("Neither run has figures.", WARN))
        return
    yield _table(found.pairs, display)
    yield line(("  B/A: ratio of the medians with its 95% interval; = the interval contains 1.", DULL))
    if any(side is not None and side.measured is None for pair in found.pairs for side in (pair.first, pair.second)):
        yield line((f"  {SHORT}: too few samples.", DULL))


def _table(pairs: Sequence[Pair], display: Display) -> RenderableType:
    units = [(pair.first or pair.second or _NONE).unit for pair in pairs]
    return table(
        [
            Column("", cells([display.clean(words(pair.trial, pair.figure)) for pair in pairs]), least=16),
            Column("A", [_side(pair.first) for pair in pairs], right=True),
            Column("B", [_side(pair.second) for pair in pairs], right=True),
            Column("", cells([display.clean(unit) for unit in units])),
            Column("B/A", [_ratio(pair) for pair in pairs], right=True),
            Column("95% interval", cells([_interval(pair) for pair in pairs])),
            Column("B is", [_change(pair) for pair in pairs]),
        ],
        display,
    )


_NONE = Spread(measured=None, unit="", n=0)


def _side(spread: Spread | None) -> Cell:
    if spread is None:
        return "-", DULL
    return (SHORT, WARN) if spread.measured is None else (format_figure(spread.measured), PLAIN)


def _ratio(pair: Pair) -> Cell:
    return ("", PLAIN) if pair.ratio is None else (_times(pair.ratio), PLAIN)


def _interval(pair: Pair) -> str:
    if pair.low is None or pair.high is None:
        return "" if pair.ratio is None else "unknown"
    return f"{_times(pair.low)} to {_times(pair.high)}"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 10 else format_figure(ratio)


def _change(pair: Pair) -> Cell:
    """Better or worse in words, if the figure has a direction. Otherwise the ratio alone."""
    if pair.change == "unknown":
        return ("?", DULL) if pair.ratio is not None else ("", PLAIN)
    if pair.change == "same":
        return "=", DULL
    speed = pace(pair)
    if speed in ("faster", "slower"):
        return speed, GOOD if speed == "faster" else BAD
    return pair.change, PLAIN
