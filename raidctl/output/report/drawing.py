"""Drawings as SVG, by svg.py. Pure. Colours come from CSS classes of the page.

Each has ``role="img"``, a title and a description. Texts are escaped here, as svg.py does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import svg

from raidctl.text import printable
from raidctl.units import format_figure

WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 18, 46
_ROW = 26
"""Height of a bar with its text."""
_TICKS = 5
_MARK = 50
"""Width for the name of a mark."""
_NAMES = 190
"""Width for the names of rows."""


@dataclass(frozen=True)
class Scale:
    """An axis of values, with ``low`` at ``start`` and ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The position of a value, with at most two decimals."""
        low, high, one = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, one = math.log(low), math.log(high), math.log(one)
        share = (one - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self) -> list[float]:
        """Round values on the axis."""
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            step = max(1, -(-(last - first) // _TICKS))
            found = [10.0**power for power in range(first, last + 1, step)]
            if sum(self.low <= value <= self.high for value in found) < 2:  # less than a decade
                found = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
        else:
            step_ = _round_step((self.high - self.low) / _TICKS)
            found = [step_ * count for count in range(math.ceil(self.low / step_), int(self.high / step_) + 1)]
        return [value for value in found if self.low <= value <= self.high]


def _round_step(least: float) -> float:
    """The smallest 1, 2 or 5 times 10^n of at least ``least``."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)


class Drawing:
    """The kinds of drawings; each returns an ``<svg>`` element as text."""

    @staticmethod
    def curve(
        title: str, summary: str, points: Sequence[tuple[float, float]], units: tuple[str, str],
        marks: Sequence[tuple[float, str]] = (),
    ) -> str:  # fmt: skip
        """A line through points (x ascending), y from 0. ``marks``: horizontal lines with their names."""
        across = Scale(points[0][0], points[-1][0], LEFT, WIDTH - RIGHT)
        top = max(*(y for _, y in points), *(at for at, _ in marks), 1e-9)
        up = Scale(0, top * 1.05, HEIGHT - BOTTOM, TOP)
        parts = _axes(across, up, units)
        parts.append(
            svg.Polyline(points=[svg.Point(across.at(x), up.at(y)) for x, y in points], class_=["one", "line"])
        )
        for at, name in marks:
            y = up.at(at)
            parts.append(svg.Line(x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_=["two", "mark"]))
            parts.append(_text(WIDTH - RIGHT, y - 5, name, "end"))
        return _figure_of(title, summary, HEIGHT, parts)

    @staticmethod
    def histogram(
        title: str, summary: str, bins: Sequence[tuple[float, int]], marks: Sequence[tuple[str, float]]
    ) -> str:
        """Bars over a logarithmic axis of milliseconds. ``bins``: by lower edge, each a quarter of a doubling wide."""
        width = 2**0.25
        edges = [edge for edge, _ in bins if edge > 0] or [1e-3]
        highest = max(edges[-1] * width, *(value for _, value in marks), edges[0] * 2)
        across = Scale(edges[0] / width, highest * 1.1, LEFT, WIDTH - RIGHT, log=True)
        up = Scale(0, max(count for _, count in bins) * 1.15, HEIGHT - BOTTOM, TOP)
        parts = _axes(across, up, ("ms", "operations"))
        for edge, count in bins:
            left, right = across.at(max(edge, across.low)), across.at(max(edge, across.low) * width)
            # a non-empty bin is always visible
            y = min(up.at(count), HEIGHT - BOTTOM - 1.5)
            height = round(HEIGHT - BOTTOM - y, 2)
            parts.append(svg.Rect(x=left, y=y, width=round(right - left, 2), height=height, class_=["one", "bar"]))
        for number, (name, value) in enumerate(marks):
            x = across.at(value)
            parts.append(svg.Line(x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, class_=["two", "mark"]))
            anchor, shift = ("start", 4) if x < LEFT + _MARK else ("end", -4)
            parts.append(_text(x + shift, TOP + 14 + 16 * number, name, anchor))
        return _figure_of(title, summary, HEIGHT, parts)

    @staticmethod
    def bars(title: str, summary: str, rows: Sequence[tuple[str, float]], limit: float | None) -> str:
        """Horizontal bars over a logarithmic axis, and a line at the limit."""
        values = [value for _, value in rows] + ([limit] if limit else [])
        across = Scale(min(values) / 3, max(values) * 2, _NAMES, WIDTH - RIGHT, log=True)
        height = TOP + _ROW * len(rows) + BOTTOM
        parts = _level_axis(across, height, "commits a second")
        for number, (name, value) in enumerate(rows):
            y = TOP + _ROW * number
            wide = round(across.at(value) - _NAMES, 2)
            parts.append(svg.Rect(x=_NAMES, y=y + 4, width=wide, height=_ROW - 8, class_=["one", "bar"]))
            parts.append(_text(_NAMES - 6, y + 18, _brief(name), "end"))
        if limit:
            x = across.at(limit)
            parts.append(svg.Line(x1=x, x2=x, y1=TOP - 6, y2=height - BOTTOM, class_=["two", "mark"]))
            anchor, shift = ("start", 5) if x < WIDTH / 2 else ("end", -5)
            parts.append(_text(x + shift, TOP - 4, "one per revolution", anchor))
        return _figure_of(title, summary, height, parts)

    @staticmethod
    def ratios(title: str, summary: str, rows: Sequence[tuple[str, float, float, float]]) -> str:
        """A point with its interval per row, and a line at 1. A row is (name, ratio, low, high)."""
        lows, highs = [low for *_, low, _ in rows], [high for *_, high in rows]
        across = Scale(min(*lows, 0.5) / 1.1, max(*highs, 2.0) * 1.1, _NAMES, WIDTH - RIGHT, log=True)
        height = TOP + _ROW * len(rows) + BOTTOM
        parts = _level_axis(across, height, "ratio", [0.1, 0.2, 0.5, 1, 2, 5, 10])
        one = across.at(1)
        parts.append(svg.Line(x1=one, x2=one, y1=TOP - 6, y2=height - BOTTOM, class_=["two", "mark"]))
        for number, (name, ratio, low, high) in enumerate(rows):
            y = TOP + _ROW * number + 13
            parts.append(svg.Line(x1=across.at(low), x2=across.at(high), y1=y, y2=y, class_=["one", "line"]))
            parts.append(svg.Circle(cx=across.at(ratio), cy=y, r=5, class_=["one", "bar"]))
            parts.append(_text(_NAMES - 6, y + 5, _brief(name), "end"))
        return _figure_of(title, summary, height, parts)


def _axes(across: Scale, up: Scale, units: tuple[str, str]) -> list[svg.Element]:
    parts = _level_axis(across, HEIGHT, units[0])
    for value in up.ticks():
        y = up.at(value)
        parts.append(svg.Line(x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_=["grid"]))
        parts.append(_text(LEFT - 6, y + 5, _tick(value), "end"))
    parts.append(_text(LEFT, TOP - 5, units[1], "start"))
    return parts


def _level_axis(across: Scale, height: float, unit: str, ticks: Sequence[float] = ()) -> list[svg.Element]:
    y = height - BOTTOM
    parts: list[svg.Element] = [svg.Line(x1=across.start, x2=across.end, y1=y, y2=y, class_=["axis"])]
    for value in [one for one in ticks if across.low <= one <= across.high] or across.ticks():
        x = across.at(value)
        parts.append(svg.Line(x1=x, x2=x, y1=y, y2=y + 5, class_=["axis"]))
        parts.append(_text(x, y + 20, _tick(value), "middle"))
    parts.append(_text(across.end, y + 38, unit, "end"))
    return parts


def _tick(value: float) -> str:
    return (
        f"{value:,.0f}"
        if value >= 10 and value == round(value)
        else f"{value:g}"
        if value < 10
        else format_figure(value)
    )


def _brief(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


def _text(x: float, y: float, text: str, anchor: str) -> svg.Text:
    return svg.Text(x=round(x, 2), y=round(y, 2), text=escape(printable(text)), class_=[anchor])


def _figure_of(title: str, summary: str, height: float, parts: Sequence[svg.Element]) -> str:
    """The drawing with its text alternative. Ids are avoided, since two drawings could share them."""
    title, summary = escape(printable(title)), escape(printable(summary))
    drawing = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        elements=[svg.Title(text=title), svg.Desc(text=summary), *parts],
        extra={"role": "img", "aria-label": f"{title}. {summary}"},
    )
    return drawing.as_str()
