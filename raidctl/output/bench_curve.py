"""Curves and histograms in the characters of a terminal.

No library is used: only bars are needed, and plotext, the suitable one, has 217 files and a compiled part.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.output.console import Display
from raidctl.text import collapse
from raidctl.units import format_figure

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LEFTS = " ▏▎▍▌▋▊▉█"
_ASCII_EIGHTHS = "   ..::##"
_ASCII_LEFTS = "     ---#"
_LABEL = 7
HEIGHT = 8
_INDENT = 2
MAX_BARS = 16


def columns(values: Sequence[float | None], display: Display) -> list[str]:
    """Vertical bars from 0 to the largest value. Neighbours are merged if the display is too narrow.

    None is a gap. The axis on the left shows 0 and the largest value.
    """
    room = display.columns - _INDENT - _LABEL - 1
    bars = _merged(values, room)
    top = max((value for value in bars if value is not None), default=0.0)
    if top <= 0:
        return []
    wide = max(1, min(3, room // len(bars)))
    marks = _ASCII_EIGHTHS if display.ascii else _EIGHTHS
    levels = [None if value is None else round(value / top * HEIGHT * 8) for value in bars]
    lines = []
    for row in range(HEIGHT - 1, -1, -1):
        label = format_figure(top) if row == HEIGHT - 1 else "0" if row == 0 else ""
        cells = (" " if level is None else marks[min(max(level - 8 * row, 0), 8)] for level in levels)
        lines.append(f"{' ' * _INDENT}{label:>{_LABEL}} {''.join(cell * wide for cell in cells)}".rstrip())
    return lines


def _merged(values: Sequence[float | None], room: int) -> list[float | None]:
    """At most ``room`` values, by averaging neighbours."""
    if len(values) <= room:
        return list(values)
    found: list[float | None] = []
    for place in range(room):
        part = values[place * len(values) // room : (place + 1) * len(values) // room]
        known = [value for value in part if value is not None]
        found.append(sum(known) / len(known) if known else None)
    return found


def below(left: str, right: str, count: int, display: Display) -> str:
    """The labels of the axis' ends, below `columns` of ``count`` values."""
    room = display.columns - _INDENT - _LABEL - 1
    bars = min(count, room)
    width = max(bars * max(1, min(3, room // max(bars, 1))), len(left) + len(right) + 2)
    left, right = collapse(left), collapse(right)
    return f"{' ' * (_INDENT + _LABEL + 1)}{left}{right:>{max(width - len(left), 0)}}"


def rows(bins: Sequence[tuple[float, int]], unit: str, display: Display) -> list[str]:
    """Horizontal bars of a histogram: (lower edge, count), ascending. If there are many, neighbours are merged.

    A non-empty bin always has a visible bar.
    """
    kept = _thinned(bins)
    most = max((count for _, count in kept), default=0)
    if not most:
        return []
    labels = [f"{format_figure(edge)} {unit}" for edge, _ in kept]
    margin = max(map(len, labels))
    counts = [f"{count:,}" for _, count in kept]
    room = display.columns - _INDENT - margin - 2 - max(map(len, counts))
    lines = []
    for label, (_, count), shown in zip(labels, kept, counts, strict=True):
        bar = f" {_level(count / most * room, display)} {shown}" if count else ""
        lines.append(f"{' ' * _INDENT}{label:>{margin}}{bar}")
    return lines


def _level(length: float, display: Display) -> str:
    whole, rest = divmod(max(round(length * 8), 1), 8)
    marks = _ASCII_LEFTS if display.ascii else _LEFTS
    last = marks[rest] if rest else ""
    return (marks[8] * whole + last).strip() or marks[7 if display.ascii else 1]


def _thinned(bins: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most `MAX_BARS` bins, by merging neighbours. There are no empty ones at the ends."""
    filled = [place for place, (_, count) in enumerate(bins) if count]
    if not filled:
        return []
    kept = bins[filled[0] : filled[-1] + 1]
    step = -(-len(kept) // MAX_BARS)
    return [(kept[at][0], sum(count for _, count in kept[at : at + step])) for at in range(0, len(kept), step)]
