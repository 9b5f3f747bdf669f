"""Screen of ``raidctl verify``: claims by volume with reason and evidence. Inconclusive ones are grouped by reason."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.bench.result import Session
from raidctl.model import Inventory
from raidctl.output.console import BAD, DULL, GOOD, STRONG, WARN, Display, Piece, drawn, hanging, line, pack
from raidctl.output.head import head
from raidctl.output.table import facts
from raidctl.select import object_of
from raidctl.text import collapse, listing
from raidctl.units import format_binary
from raidctl.verify.case import HOST
from raidctl.verify.report import VERDICTS, Answer, Evidence, Verdict, Verification, worst_first
from raidctl.verify.requests import request

_STYLES: dict[Verdict, Style] = {"pass": GOOD, "fail": BAD, "suspect": BAD, "inconclusive": WARN}
_SOURCES = {
    "controller": "tool",
    "drive": "drive",
    "kernel": "kernel",
    "arithmetic": "sizes",
    "measurement": "measured",
}
_FEW = {"controller": 3, "drive": 1, "kernel": 2, "arithmetic": 1, "measurement": 8}
"""Pieces of evidence per source that are shown without -v."""
_LONG = 60
"""Characters of a line of output that are shown without -v. They are its end, which has the value of a JSON path."""
_COUNTED: dict[Verdict, tuple[str, str]] = {
    "fail": ("{} claim fails", "{} claims fail"),
    "suspect": ("{} claim suspect", "{} claims suspect"),
    "inconclusive": ("{} claim inconclusive", "{} claims inconclusive"),
    "pass": ("{} passes", "{} pass"),
}


@drawn
def screen(report: Verification, inventory: Inventory, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The whole screen as text; ``more``: all evidence, claim by claim."""
    yield head(inventory, display)
    yield _summary(report, display)
    yield from _measurement(report, display)
    groups = [] if more else _same_reason(report.answers)
    grouped = [one for group in groups for one in group]
    above: dict[tuple[str, ...], str] = {}
    alone = [answer for answer in report.answers if not any(answer is one for one in grouped)]
    for name, answers in groupby(alone, key=lambda answer: answer.object):
        yield Text("")
        if name is not None:
            item = object_of(inventory, name)
            about = [getattr(item, "device", None), getattr(item, "raid_level", None)]
            about += getattr(item, "mountpoints", ())
            pieces: list[Piece] = [(display.clean(name), STRONG), *(display.clean(text) for text in about if text)]
            yield pack(pieces, display.columns, display.dot)
        for answer in worst_first(answers):
            first = above.setdefault((answer.claim, *answer.reasons, answer.next_test or ""), answer.object or "")
            yield from _answer(answer, display, more=more, above=None if more or first == answer.object else first)
    for group in groups:
        yield Text("")
        yield from _group(group, display)
    yield from _requests(report, display)
    if report.problems and all(answer.object is None for answer in report.answers) and report.session is None:
        # no volume was found: only the problems explain why
        yield Text("")
        yield facts([("problem", [display.clean(f"{one.where}: {one.message}")]) for one in report.problems], display)
    if report.skipped or report.left_out:
        yield Text("")
    for skipped in report.skipped:
        option = f"--{skipped.claim.replace('_', '-')}"
        yield line((display.clean(f"{option} does not apply to {skipped.object}: {skipped.why}."), DULL))
    if report.left_out:
        names = listing(report.left_out)
        yield line((display.clean(f"Not verified, as they are in no volume: {names}. Name them to verify them."), DULL))


def _requests(report: Verification, display: Display) -> Iterator[RenderableType]:
    """Requests to the provider, with a contract."""
    asked = [] if report.contract is None else [(one.object or "machine", request(one)) for one in report.answers]
    rows = [(name, [display.clean(text)]) for name, text in dict.fromkeys(asked) if text]
    if rows:
        yield Text("")
        yield line(("To ask the provider for", STRONG))
        yield facts([(display.clean(name), texts) for name, texts in rows], display)


def _summary(report: Verification, display: Display) -> RenderableType:
    counts = {verdict: sum(answer.verdict == verdict for answer in report.answers) for verdict in VERDICTS}
    pieces: list[Piece] = [
        (_COUNTED[verdict][count != 1].format(count), _STYLES[verdict]) for verdict, count in counts.items() if count
    ]
    start = f"{report.verdict.upper()}: "
    return hanging((start, _STYLES[report.verdict]), pieces or ["nothing to verify"], display)


def _measurement(report: Verification, display: Display) -> Iterator[RenderableType]:
    """The measurements, and other explanations of the figures."""
    session = report.session
    if session is None:
        return
    place = os.path.dirname(session.target) if session.kind == "file" else session.target  # noqa: PTH120 - a string
    about = [
        f"Measured: {place}",
        f"{session.kind} of {format_binary(session.size)}",
        f"{session.seconds:.0f} s",
        f"engine {session.engine or 'none'}",
        f'"raidctl bench show {report.run}"' if report.run is not None else "not saved",
    ]
    yield pack([display.clean(text) for text in about], display.columns, display.dot)
    if session.interrupted:
        yield line(("Interrupted: these are the results so far.", WARN))
    shown = dict.fromkeys(one.text for one in session.confounders)
    if shown:
        yield facts([("consider", [display.clean(text)]) if not at else ("", [display.clean(text)])
                     for at, text in enumerate(shown)], display)  # fmt: skip
    yield from _failed_tests(session, shown, display)


def _failed_tests(session: Session, shown: Collection[str], display: Display) -> Iterator[RenderableType]:
    """Tests without a result, with the reason: failed, or target too small."""
    for one in session.results:
        reasons = [reason for reason in one.reasons if reason not in shown]
        if not one.figures and reasons:
            yield facts([("no figure", [display.clean(f"{one.trial}: {' '.join(reasons)}")])], display)


def _same_reason(answers: Sequence[Answer]) -> list[list[Answer]]:
    """Groups of inconclusive answers that share their last reason.

    They also share how to decide them, and are two or more each.
    """
    groups: dict[tuple[str, str], list[Answer]] = {}
    for one in answers:
        if one.verdict == "inconclusive":
            test = one.next_test or ""
            key = one.reasons[-1], HOST if test.startswith(HOST[:-1]) else test
            groups.setdefault(key, []).append(one)
    return [group for group in groups.values() if len(group) > 1]


def _group(group: Sequence[Answer], display: Display) -> Iterator[RenderableType]:
    """The claims of each object on one line. Their reasons and how to decide them follow, once."""
    claims: dict[str, list[str]] = {}
    for one in group:
        claims.setdefault(one.object or "", []).append(_claim(one))
    for name, options in claims.items():
        start = ("  INCONCLUSIVE  ", _STYLES["inconclusive"])
        yield hanging(start, [(display.clean(name), STRONG), *map(display.clean, options)], display)
    reasons = dict.fromkeys(reason for one in group for reason in one.reasons)
    tests = dict.fromkeys(one.next_test for one in group if one.next_test)
    rows: list[tuple[str, Sequence[Piece]]] = [("because", [display.clean(" ".join(reasons))])]
    if tests:
        rows.append(("to decide", [display.clean(max(tests, key=len))]))
    yield facts(rows, display, indent=4)


def _claim(answer: Answer) -> str:
    return f"--{answer.claim.replace('_', '-')}{f' {answer.wanted}' if answer.wanted else ''}"


def _answer(answer: Answer, display: Display, *, more: bool, above: str | None) -> Iterator[RenderableType]:
    """One result. ``above`` is an object with the same reasons and test for this claim."""
    yield line(
        "  ", (answer.verdict.upper().ljust(13), _STYLES[answer.verdict]), (display.clean(_claim(answer)), STRONG)
    )
    reasons = f"Same as for {above}." if above else " ".join(answer.reasons)
    rows: list[tuple[str, Sequence[Piece]]] = [("because", [display.clean(reasons)])]
    for source, label in _SOURCES.items():
        mine = [one for one in answer.evidence if one.source == source]
        rows += _sources(label, mine, answer, display, len(mine) if more else _FEW[source], more=more)
    if answer.ruled_out:
        rows.append(("ruled out", [display.clean("; ".join(answer.ruled_out))]))
    if answer.next_test and not above:
        rows.append(("to decide", [display.clean(answer.next_test)]))
    yield facts(rows, display, indent=4)


def _sources(
    label: str, mine: Sequence[Evidence], answer: Answer, display: Display, few: int, *, more: bool
) -> Iterator[tuple[str, Sequence[Piece]]]:
    """The evidence from one source; pieces that are not shown are counted."""
    for one in mine[:few]:
        yield label, [_statement(one, answer, display, whole=more)]
    rest = mine[few:]
    if rest:
        same = all(one.statement == mine[0].statement for one in rest) and few == 1
        yield "", [(f"{len(rest)} more{' with the same value' if same else ''} (-v)", DULL)]


def _statement(one: Evidence, answer: Answer, display: Display, *, whole: bool) -> Piece:
    known = one.source == "measurement" or one.object in (answer.object, answer.device) or one.object in one.statement
    about = "" if known else f"{one.object}: "
    if one.command is None:
        return display.clean(f"{about}{one.statement}")
    program, blank, arguments = one.command.partition(" ")
    command = f"{program.rpartition('/')[2]}{blank}{arguments}" if blank else program
    raw = collapse(one.raw or "")
    if len(raw) > _LONG and not whole:
        raw = f"…{raw[-_LONG:].partition(' ')[2] or raw[-_LONG:]}"
    place = f"{command}{f', line {one.line}' if one.line and one.line > 1 else ''}"
    return display.clean(f"{about}{one.statement} ({place}: {raw})")
