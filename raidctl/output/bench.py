"""The screen of a benchmark run: figures with intervals, conclusions, other explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.bench.record import Run, noisy
from raidctl.bench.result import Latency, Session, Spread, TrialResult, Verdict
from raidctl.output.bench_classic import SHORT, figure_or_short, tables
from raidctl.output.bench_curve import below, columns, rows
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, line, pack
from raidctl.output.phrases import short_moment
from raidctl.output.table import Cell, Column, cells, facts, table
from raidctl.text import regex
from raidctl.units import format_binary, format_figure

CURVE = "gib_mib_s_deviation"
"""The series of the speed across the drive. Its rows are GiB, MiB/s, deviation."""
STYLES: dict[Verdict, Style] = {"pass": GOOD, "fail": BAD, "suspect": BAD, "inconclusive": WARN, "info": DULL}
_DRAWN = ("commits", "worst")
"""Trials whose latencies are drawn without -v."""
_AMOUNT = regex(r"(\d+)([kmg])")
_UNITS = {"k": "KiB", "m": "MiB", "g": "GiB"}


@drawn
def screen(run: Run, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The whole screen as text. ``more``: with plots of every latency, and details of verdicts without a claim."""
    yield from head(run, display)
    yield from _unstable(run.session, display)
    yield Text("")
    if run.session.profile == "classic":
        yield from tables(run.session, display)
        yield Text("")
    yield from figures(run.session, display)
    if run.second is not None:
        yield Text("")
        yield line((f"The same with {display.clean(run.second.engine or 'no engine')}", STRONG))
        yield from figures(run.second, display)
        left_out = [(one.trial, one.reasons) for one in run.second.results if not one.figures and one.reasons]
        if left_out:
            left = [(trial.replace("_", " "), [display.clean(" ".join(reasons))]) for trial, reasons in left_out]
            yield facts([(display.clean(trial), texts) for trial, texts in left], display)
    yield from _latencies(run.session, display)
    for result in run.session.results:
        yield from _drawn(result, display, more=more)
    yield from _result(run, display, more=more)


def head(run: Run, display: Display) -> Iterator[RenderableType]:
    """Number, time, target and engine of the run."""
    session = run.session
    when = short_moment(run.at)
    title: list[Piece] = [(display.clean(run.name if run.id is not None else "run, not saved"), STRONG), when]
    title += [display.clean(text) for text in (run.label, run.host, run.kernel) if text]
    yield pack(title, display.columns, display.dot)
    written = run.prepared + session.written
    about = [
        run.place,
        f"{session.kind}, {format_binary(session.size)}",
        f"profile {session.profile}",
        f"engine {session.engine or 'none'}",
        f"{session.seconds:.0f} s",
        f"{format_binary(written)} written" if written else "nothing written",
    ]
    yield pack([display.clean(text) for text in about], display.columns, display.dot)
    if session.interrupted:
        yield line(("Ended early: these are the figures up to then.", WARN))


def _unstable(session: Session, display: Display) -> Iterator[RenderableType]:
    """A warning that the figures below are not reliable."""
    drift = session.drift
    if drift is None or not drift.unstable:
        return
    most = max(drift.first or 0.0, drift.last or 0.0)
    first, last = (
        SHORT if value is None else f"{format_figure(value, most)} {drift.unit}".rstrip()
        for value in (drift.first, drift.last)
    )
    text = f"The first test gave {last} at the end instead of {first}: these figures are not reliable."
    yield facts([("unstable", [(display.clean(text), BAD)])], display, indent=0)


def figures(session: Session, display: Display) -> Iterator[RenderableType]:
    """All figures, with interval and number of samples."""
    found = [(one, name, spread) for one in session.results for name, spread in one.figures.items()]
    if not found:
        yield line(("Nothing was measured.", WARN))
        return
    names = [words(one.trial, name) for one, name, _ in found]
    spreads = [spread for _, _, spread in found]
    yield table(
        [
            Column("", cells([display.clean(name) for name in names]), least=16),
            Column("median", [median(spread) for spread in spreads], right=True),
            Column("", cells([display.clean(spread.unit) for spread in spreads])),
            Column("95% interval", cells([interval(spread) for spread in spreads])),
            Column("n", cells([f"{spread.n:,}" for spread in spreads]), right=True),
        ],
        display,
    )
    if any(spread.measured is None for spread in spreads):
        yield line((f"  {SHORT}: too few samples.", DULL))


def median(spread: Spread) -> Cell:
    """The median, or a note that there is none."""
    return (SHORT, WARN) if spread.measured is None else (format_figure(spread.measured), STRONG)


def interval(spread: Spread) -> str:
    """``8.1 to 9.2``; empty if there is none."""
    if spread.measured is None:
        return ""
    if spread.low is None or spread.high is None:
        return "unknown"
    return f"{format_figure(spread.low, spread.measured)} to {format_figure(spread.high, spread.measured)}"


def words(trial: str, figure: str) -> str:
    """A readable name of a figure: ``seeks: read, 16 at once, all`` for ``seeks``, ``read_qd16_all``."""
    words: list[str] = []
    for part in figure.split("_"):
        known = _AMOUNT.fullmatch(part)
        if known:
            words.append(f"{known[1]} {_UNITS[known[2]]}")
        elif re.fullmatch(r"qd\d+", part):
            words.append(f"QD{part[2:]}")
        elif re.fullmatch(r"x\d+", part):
            words.append(f"{part[1:]} streams")
        else:
            words.append(part)
    text = " ".join(words)
    title = trial.replace("_", " ")
    return text if text == title or text.startswith(f"{title} ") else f"{title}: {text}"


def _latencies(session: Session, display: Display) -> Iterator[RenderableType]:
    found = [(words(one.trial, name), latency) for one in session.results for name, latency in one.latency.items()]
    if not found:
        return
    yield Text("")
    some = [latency for _, latency in found]
    yield table(
        [
            Column("latency, ms", cells([display.clean(name) for name, _ in found]), least=16),
            Column("p50", cells([format_figure(one.p50) for one in some]), right=True),
            Column("p90", cells([figure_or_short(one.p90) for one in some]), right=True),
            Column("p99", cells([figure_or_short(one.p99) for one in some]), right=True),
            Column("p99.9", cells([figure_or_short(one.p999) for one in some]), right=True),
            Column("worst", cells([format_figure(one.worst) for one in some]), right=True),
            Column("of n", cells([f"{one.n:,}" for one in some]), right=True),
        ],
        display,
    )


def _drawn(result: TrialResult, display: Display, *, more: bool) -> Iterator[RenderableType]:
    yield from _curve(result, display)
    names = list(result.latency)
    if not more:
        # of several phases, the one with the name of the trial
        names = sorted(names, key=lambda name: name != result.trial)[: result.trial in _DRAWN]
    for name in names:
        latency = result.latency[name]
        yield from _histogram(f"{words(result.trial, name)}: latencies", latency, display)


def _curve(result: TrialResult, display: Display) -> Iterator[RenderableType]:
    points = zcav_rows(result)
    drawn = columns([speed for _, speed in points], display)
    if not drawn:
        return
    yield Text("")
    yield line(("MiB/s over the span", STRONG))
    yield from (Text(display.words(text) if display.ascii else text) for text in drawn)
    ends = (f"{format_figure(points[0][0])} GiB", f"{format_figure(points[-1][0])} GiB")
    yield Text(below(*ends, len(points), display), style=DULL)


def zcav_rows(result: TrialResult) -> list[tuple[float, float]]:
    """GiB and MiB/s of the curve over the drive. Empty if the result has none, or has it in another form."""
    found = result.series.get(CURVE)
    if not isinstance(found, list | tuple):
        return []
    kept = [row for row in found if isinstance(row, list | tuple) and len(row) >= 2]
    return [(float(at), float(speed)) for at, speed in (row[:2] for row in kept) if _real(at) and _real(speed)]


def _real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _histogram(title: str, latency: Latency, display: Display) -> Iterator[RenderableType]:
    drawn = rows(latency.bins, "ms", display)
    if drawn:
        yield Text("")
        yield line((display.clean(title), STRONG))
        yield from map(Text, drawn)


def _result(run: Run, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The conclusions of each trial; then notes on all figures."""
    for result in run.session.results:
        if result.verdict != "info" or result.reasons or (more and result.model):
            yield Text("")
            yield from _verdict(result, display, more=more)
    about = list(_about(run))
    if about:
        yield Text("")
        yield facts([(label, [(display.clean(text), style)]) for label, text, style in about], display, indent=0)


def _verdict(result: TrialResult, display: Display, *, more: bool) -> Iterator[RenderableType]:
    label = result.verdict.upper()
    yield line((label, STYLES[result.verdict]), " ", (display.clean(result.trial.replace("_", " ")), STRONG))
    rows: list[tuple[str, Sequence[str]]] = [("because", [" ".join(result.reasons)])] if result.reasons else []
    rows += [("expected", [result.expected])] if result.expected else []
    rows += [("model", [result.model])] if result.model and more else []
    rows += [("ruled out", ["; ".join(result.ruled_out)])] if result.ruled_out else []
    rows += [("to decide", [result.next_test])] if result.next_test else []
    if rows:
        yield facts([(name, [display.clean(text) for text in texts]) for name, texts in rows], display, indent=2)


def _about(run: Run) -> Iterator[tuple[str, str, Style]]:
    """Notes on all figures: other explanations, and what limited them."""
    session = run.session
    drift = session.drift
    for text in noisy(run.noise):
        yield "busy", text, WARN
    for one in dict.fromkeys(session.confounders):
        if one.name == "drift" and drift is not None and drift.unstable:
            continue  # shown above the figures
        yield "consider", one.text, WARN if one.forbids else PLAIN
    shown = {one.text for one in session.confounders}
    for text in session.notes:
        if text not in shown:
            yield "note", text, DULL
