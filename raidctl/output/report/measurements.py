"""The report's section about benchmark runs: plots, figures, and a comparison. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidctl.bench.compare import Comparison, Pair, compare, pace
from raidctl.bench.record import Run, noisy
from raidctl.bench.result import TrialResult, Verdict
from raidctl.output.bench import interval, words
from raidctl.output.bench_classic import SHORT, figure_or_short
from raidctl.output.report import plots
from raidctl.output.report.page import Block, Cell, Entry, Heading, Level, Paragraph, Section, table
from raidctl.text import capitalised, counted
from raidctl.units import format_binary

_LEVELS: Mapping[Verdict, Level] = {
    "pass": "good", "fail": "bad", "suspect": "bad", "inconclusive": "warn", "info": "plain",
}  # fmt: skip


_PACES = {
    "slower": "slower", "faster": "faster", "even": "no certain difference", "unknown": "too few measurements to tell",
}  # fmt: skip
_FEW = 4
"""The most figures in the summary."""
_COUNTED: Mapping[Verdict, tuple[str, str]] = {
    "fail": ("test fails", "tests fail"),
    "suspect": ("test is suspect", "tests are suspect"),
    "inconclusive": ("test is inconclusive", "tests are inconclusive"),
    "pass": ("test passes", "tests pass"),
}


def summary(run: Run, hostname: str | None) -> Cell:
    """The verdicts of a run in one sentence, for the summary. The worst come first, and any doubt is named.

    Only a run that was certainly measured on the machine ``hostname`` can be good.
    """
    by_verdict = {verdict: _tests(run, verdict) for verdict in _COUNTED}
    parts = [
        f"{len(tests)} {_COUNTED[verdict][len(tests) > 1]} ({', '.join(tests)})"
        for verdict, tests in by_verdict.items()
        if tests
    ]
    level: Level = next((_LEVELS[verdict] for verdict, tests in by_verdict.items() if tests), "warn")
    text = f"Measured, {run.name}: {'; '.join(parts) or 'no test gave a verdict'}."
    if any(_doubts(run)):
        text += " There are reasons to doubt the figures."
        level = "warn" if level == "good" else level
    if not (run.host and hostname):
        text += " Whether it was measured on this machine is unknown."
    elif run.host != hostname:
        text += f" It was measured on {run.host}, not on {hostname}."
    level = "warn" if level == "good" and (not run.host or run.host != hostname) else level
    return Cell(text, level)


def comparison(found: Comparison) -> Cell:
    """Whether the second run is slower or faster than the first.

    It names the tests, in one sentence for the summary.
    """
    parts = []
    for speed, text in _PACES.items():
        names = [words(one.trial, one.figure) for one in found.pairs if pace(one) == speed]
        more = ", …" if len(names) > _FEW else ""
        which = f" ({', '.join(names[:_FEW])}{more})" if speed in ("slower", "faster") else ""
        parts += [f"{text} in {counted(len(names), 'figure')}{which}"] * bool(names)
    text = f"The second run against the first: {'; '.join(parts) or 'no speed in common'}."
    if found.warnings:
        text += " There are reasons not to compare them."
    return Cell(text, "warn" if any(pace(one) == "slower" for one in found.pairs) else "plain")


def _tests(run: Run, verdict: Verdict) -> list[str]:
    return [one.trial.replace("_", " ") for one in run.session.results if one.verdict == verdict]


def section(runs: Sequence[Run], *, draw: bool) -> Section:
    """Each run, and the comparison of two. ``draw``: with drawings, else the figures alone."""
    blocks: list[Block] = []
    if not draw:
        blocks.append(Paragraph("The curves are not drawn: that needs svg.py (pip install 'raidctl[report]').", "warn"))
    if len(runs) == 2:
        blocks += _comparison(compare(*runs), draw=draw)
    for run in runs:
        blocks += _run(run, draw=draw)
    return Section("measurements", "Measured", tuple(blocks))


def _run(run: Run, *, draw: bool) -> Iterator[Block]:
    session = run.session
    yield Heading(" ".join(word for word in (capitalised(run.name), f"({run.label})" if run.label else "") if word))
    about = (
        run.at, run.host, run.place, f"{session.kind} of {format_binary(session.size)}", f"profile {session.profile}",
        f"engine {session.engine or 'none'}", f"{session.seconds:.0f} s",
    )  # fmt: skip
    yield Paragraph(", ".join(word for word in about if word), "dull")
    for text in _doubts(run):
        yield Paragraph(text, "warn")
    yield from plots.of_run(session, draw=draw)
    yield from filter(None, map(_verdict, session.results))
    rows: list[tuple[Cell | str, ...]] = [
        (words(one.trial, name), figure_or_short(spread.measured), spread.unit, interval(spread), f"{spread.n:,}")
        for one in session.results
        for name, spread in one.figures.items()
    ]
    yield table(f"Figures of {run.name}", ("Figure", "Median", "Unit", "95% interval", "n"), rows, folded=True)


def _doubts(run: Run) -> Iterator[str]:
    """Reasons to doubt the figures, shown before them."""
    session, drift = run.session, run.session.drift
    if session.interrupted:
        yield "Ended early: these are the figures up to then."
    if drift is not None and drift.unstable:
        yield "The first test gave a different figure at the end: these figures are not reliable."
    yield from noisy(run.noise)
    yield from dict.fromkeys(one.text for one in session.confounders)


def _verdict(result: TrialResult) -> Entry | None:
    if result.verdict == "info":
        return None
    rows = (
        ("Because", " ".join(result.reasons)), ("Expected", result.expected or ""), ("Model", result.model or ""),
        ("To decide", result.next_test or ""),
    )  # fmt: skip
    label = Cell(result.verdict.upper(), _LEVELS[result.verdict])
    return Entry(label, result.trial.replace("_", " "), tuple((name, text) for name, text in rows if text))


def _comparison(found: Comparison, *, draw: bool) -> Iterator[Block]:
    names = found.first.name, found.second.name
    yield Heading(f"{capitalised(names[0])} and {names[1]} side by side")
    for text in found.warnings:
        yield Paragraph(text, "warn")
    yield from plots.of_comparison(found.pairs, draw=draw)
    known = [(one, one.second or one.first) for one in found.pairs if _both(one) != (SHORT, SHORT)]
    rows: list[tuple[Cell | str, ...]] = [
        (words(one.trial, one.figure), *_both(one), unit.unit if unit else "", _ratio(one)) for one, unit in known
    ]
    yield table("Both runs", ("Figure", capitalised(names[0]), capitalised(names[1]), "Unit", "Ratio"), rows)
    left = len(found.pairs) - len(known)
    if left:
        yield Paragraph(f"{counted(left, 'figure')} not shown: too few samples in both runs.", "dull")
    for text in found.differences:
        yield Paragraph(text)


def _both(one: Pair) -> tuple[str, str]:
    first, second = (None if spread is None else spread.measured for spread in (one.first, one.second))
    return figure_or_short(first), figure_or_short(second)


def _ratio(one: Pair) -> str:
    if one.ratio is None:
        return ""
    if one.low is None or one.high is None:
        return f"{one.ratio:.2f}"
    return f"{one.ratio:.2f} ({one.low:.2f} to {one.high:.2f})"
