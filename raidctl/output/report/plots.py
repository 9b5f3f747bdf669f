"""The plots of a run, each with its description and a table. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raidctl.bench.compare import Pair
from raidctl.bench.estimators import commits
from raidctl.bench.result import Latency, Session, TrialResult
from raidctl.output.bench import words, zcav_rows
from raidctl.output.report.page import Cell, Plot, table
from raidctl.units import format_figure

if TYPE_CHECKING:
    from raidctl.output.report import drawing

KNEE = "written_mib_by_seconds"
_MAX_ROWS = 64
"""The most rows in the table of a curve."""
_MAX_PAIRS = 24
_NAMED = ("commits", "worst")
"""Trials whose latency is drawn."""


def of_run(session: Session, *, draw: bool) -> Iterator[Plot]:
    """The plots of a run, as far as measured.

    They show speed, latencies, the knee of the write cache, and commits against the rotation.
    """
    results = {one.trial: one for one in session.results}
    for result in session.results:
        points = zcav_rows(result)
        if len(points) > 1:
            yield _speed(points, draw=draw)
        if result.trial in _NAMED and result.trial in result.latency:
            yield _latency(result.trial, result.latency[result.trial], draw=draw)
    if "knee" in results:
        yield from _knee(results["knee"], draw=draw)
    if "commits" in results:
        yield from _commits(results["commits"], results.get("medium"), draw=draw)


def of_comparison(pairs: Sequence[Pair], *, draw: bool) -> Iterator[Plot]:
    """The ratio of each figure, with its interval."""
    known = [one for one in pairs if one.ratio is not None and one.low is not None and one.high is not None]
    if not known:
        return
    shown = known[:_MAX_PAIRS]
    more, less = (sum(one.change == change for one in known) for change in ("more", "less"))
    same = len(known) - more - less
    summary = f"Figures of the second run: {more} larger, {less} smaller, {same} without a difference."
    rows = [(words(one.trial, one.figure), one.ratio or 1.0, one.low or 1.0, one.high or 1.0) for one in shown]
    cells: list[tuple[Cell | str, ...]] = [(name, *(f"{value:.2f}" for value in values)) for name, *values in rows]
    title = "Second run divided by the first, with 95% intervals"
    svg = _drawing().ratios(title, summary, rows) if draw else None
    yield Plot(title, summary, svg, table(title, ("Figure", "Ratio", "Low", "High"), cells, folded=True))


def _speed(points: Sequence[tuple[float, float]], *, draw: bool) -> Plot:
    title = "Speed across the drive"
    first, last = points[0], points[-1]
    summary = (
        f"{_figure(first[1])} MiB/s at {_figure(first[0])} GiB, {_figure(last[1])} MiB/s at {_figure(last[0])} GiB; "
        f"slowest {_figure(min(speed for _, speed in points))}, fastest {_figure(max(speed for _, speed in points))}."
    )
    svg = _drawing().curve(title, summary, points, ("GiB", "MiB/s")) if draw else None
    return _with_points(title, summary, svg, points, ("GiB", "MiB/s"))


def _knee(result: TrialResult, *, draw: bool) -> Iterator[Plot]:
    points = _pairs(result.series.get(KNEE))
    if len(points) < 2:
        return
    title = "Written amount over time: the knee is the size of the write cache"
    found = result.figures.get("write_cache")
    size = found.measured if found is not None else None
    summary = "No knee: no write cache is visible." if size is None else f"Writes slow down after {_figure(size)} MiB."
    summary = " ".join((summary, *result.reasons))
    marks = [] if size is None else [(size, f"{_figure(size)} MiB")]
    svg = _drawing().curve(title, summary, points, ("s", "MiB"), marks) if draw else None
    yield _with_points(title, summary, svg, points, ("s", "MiB"))


def _latency(trial: str, found: Latency, *, draw: bool) -> Plot:
    title = f"Latencies: {words(trial, trial)}"
    known = [("p50", found.p50), ("p99", found.p99), ("worst", found.worst)]
    marks = [(name, value) for name, value in known if value is not None]
    summary = f"{found.n:,} operations: " + ", ".join(f"{name} {_figure(value)} ms" for name, value in marks) + "."
    filled = [(edge, count) for edge, count in found.bins if count]
    svg = _drawing().histogram(title, summary, filled, marks) if draw and filled else None
    cells: list[tuple[Cell | str, ...]] = [(f"{_figure(edge)}", f"{count:,}") for edge, count in filled]
    return Plot(title, summary, svg, table(title, ("From (ms)", "Operations"), cells, folded=True))


def _commits(result: TrialResult, medium: TrialResult | None, *, draw: bool) -> Iterator[Plot]:
    known = [(name, one.measured) for name, one in result.figures.items()]
    rates = [(words("commits", name), value) for name, value in known if value is not None and value > 0]
    if not rates:
        return
    rpm = medium.figures.get("rpm") if medium is not None else None
    most = commits.limit(rpm).measured if rpm is not None else None
    title = "Commits a second against the limit of the rotation"
    summary = "; ".join(f"{name}: {_figure(value)} a second" for name, value in rates)
    summary += ". The rotation was not measured." if most is None else f". One per revolution would be {_figure(most)}."
    svg = _drawing().bars(title, summary, rates, most) if draw else None
    cells: list[tuple[Cell | str, ...]] = [(name, _figure(value)) for name, value in rates]
    cells += [] if most is None else [("one per revolution", _figure(most))]
    yield Plot(title, summary, svg, table(title, ("Kind", "A second"), cells, folded=True))


def _with_points(
    title: str, summary: str, svg: str | None, points: Sequence[tuple[float, float]], units: tuple[str, str]
) -> Plot:
    step = -(-len(points) // _MAX_ROWS)
    shown = [*points[:-1:step], points[-1]]
    cells: list[tuple[Cell | str, ...]] = [(_figure(x), _figure(y)) for x, y in shown]
    return Plot(title, summary, svg, table(title, units, cells, folded=True))


def _pairs(found: object) -> list[tuple[float, float]]:
    """Points of a series; empty if it has another form."""
    if not isinstance(found, list | tuple):
        return []
    kept = [row for row in found if isinstance(row, list | tuple) and len(row) == 2]
    return [(float(x), float(y)) for x, y in kept if isinstance(x, int | float) and isinstance(y, int | float)]


def _figure(value: float) -> str:
    return format_figure(value)


def _drawing() -> type[drawing.Drawing]:
    from raidctl.output.report.drawing import Drawing  # noqa: PLC0415 - svg.py only where something is drawn

    return Drawing
