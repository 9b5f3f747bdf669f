"""Tables of classic benchmarks, from runs of the profile ``classic``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.output.console import DULL, STRONG, WARN, Display, line
from raidctl.output.table import Cell, Column, cells, table
from raidctl.text import regex
from raidctl.units import format_figure

SHORT = "n/a"
"""Printed instead of a figure of too few samples."""
NOT_MEASURED = "-"
OFF = "_cache_off"
_ROWS = {
    "sequential_read": "sequential read",
    "sequential_write": "sequential write",
    "random_read": "random read",
    "random_write": "random write",
}
_TIMINGS = {
    "cached": ("Timing cached reads", "2 MiB again, page cache"),
    "cached_direct": ("Timing O_DIRECT cached reads", "2 MiB again, no page cache"),
    "disk": ("Timing buffered disk reads", "from byte 0, page cache"),
    "disk_direct": ("Timing O_DIRECT disk reads", "from byte 0, no page cache"),
}
_KINDS = {"rndrd": "random read", "rndwr": "random write", "seqrd": "sequential read", "seqwr": "sequential write"}
_AT_ONCE = regex(r"(rndrd|rndwr|seqrd|seqwr)_x(\d+)")


def figure_or_short(value: float | None) -> str:
    """A figure; :data:`SHORT` if there are too few samples."""
    return SHORT if value is None else format_figure(value)


def tables(session: Session, display: Display) -> Iterator[RenderableType]:
    """All tables for which there are figures."""
    results = {one.trial: one for one in session.results}
    parts = (_cache(results, display), _timings(results, display), _row(results, display), _at_once(results, display))
    for number, part in enumerate(parts):
        drawn = list(part)
        if drawn and number:
            yield Text("")
        yield from drawn


def _cell(one: Spread | None, factor: float = 1.0) -> Cell:
    if one is None:
        return NOT_MEASURED, DULL
    return (SHORT, WARN) if one.measured is None else (format_figure(one.measured * factor), STRONG)


def _cache(results: Mapping[str, TrialResult], display: Display) -> Iterator[RenderableType]:
    """Sequential and random access, with the write cache as configured and off."""
    classic = results.get("classic")
    if classic is None or not classic.figures:
        return
    size = int(classic.series.get("bytes", 8192))
    rows = [name for name in _ROWS if name in classic.figures]
    figures = [classic.figures.get(name) for name in rows]
    off = [classic.figures.get(name + OFF) for name in rows]
    state = str(classic.series.get("write_cache") or "unknown")
    per = (1 << 20) / size
    both = ", and off" if any(off) else ""
    yield line((f"{size >> 10} KiB blocks, one at a time; write cache {state}{both}", STRONG))
    columns = [
        Column("", cells([_ROWS[name] for name in rows]), least=10),
        Column(f"{state}: MiB/s", [_cell(one) for one in figures], right=True),
        Column("blocks/s", [_cell(one, per) for one in figures], right=True),
    ]
    if state != "off":
        columns += [
            Column("off: MiB/s", [_cell(one) for one in off], right=True),
            Column("blocks/s", [_cell(one, per) for one in off], right=True),
        ]
    yield table(columns, display)
    if state != "off" and not any(off):
        why = "  Not measured with the write cache off: --switch-cache measures it and restores the setting."
        yield line((" ".join(classic.reasons) or why, DULL))


def _timings(results: Mapping[str, TrialResult], display: Display) -> Iterator[RenderableType]:
    """The timings in MiB/s."""
    timings = results.get("timings")
    rows = [way for way in _TIMINGS if timings is not None and way in timings.figures]
    if timings is None or not rows:
        return
    yield line(("Read timings (-T, -t, --direct)", STRONG))
    columns = [
        Column("", cells([_TIMINGS[way][0] for way in rows]), least=10),
        Column("MiB/s", [_cell(timings.figures[way]) for way in rows], right=True),
        Column("", cells([_TIMINGS[way][1] for way in rows]), least=16),
    ]
    yield table(columns, display)


def _row(results: Mapping[str, TrialResult], display: Display) -> Iterator[RenderableType]:
    """Four figures of a machine, in one row."""
    wanted = (
        ("seq read MiB/s", "sequential", "read"), ("seq write MiB/s", "sequential", "write"),
        ("seeks/s", "seeks", "read_qd1_all"), ("commits/s", "commits", "commits"),
    )  # fmt: skip
    found = [(title, results[trial].figures.get(name)) for title, trial, name in wanted if trial in results]
    if not any(one for _, one in found):
        return
    yield line(("The machine in one row", STRONG))
    yield table([Column(title, [_cell(one)], right=True) for title, one in found], display)


def _at_once(results: Mapping[str, TrialResult], display: Display) -> Iterator[RenderableType]:
    """Requests per second, by the number of concurrent requests."""
    scaling = results.get("scaling")
    if scaling is None:
        return
    sizes = scaling.series.get("bytes", {})
    found: dict[int, dict[str, Cell]] = {}
    for name, one in scaling.figures.items():
        match = _AT_ONCE.fullmatch(name)
        if match:
            size = int(sizes.get("sequential", 1 << 20))
            per = (1 << 20) / size if one.unit == "MiB/s" else 1.0
            found.setdefault(int(match[2]), {})[match[1]] = _cell(one, per)
    if not found:
        return
    kinds = [kind for kind in _KINDS if any(kind in row for row in found.values())]
    block = int(sizes.get("random", 4096)) >> 10
    yield line((f"Requests per second by threads, {block} KiB each", STRONG))
    counts = sorted(found)
    columns = [Column("threads", cells([str(count) for count in counts]), right=True)]
    none: Cell = (NOT_MEASURED, DULL)
    columns += [Column(_KINDS[kind], [found[count].get(kind, none) for count in counts], right=True) for kind in kinds]
    yield table(columns, display)
