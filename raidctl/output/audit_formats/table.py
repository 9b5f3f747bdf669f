"""``--format table``: totals by rule and by host, then the findings."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.audit.finding import WORST_FIRST, Audited, Finding
from raidctl.audit.report import RuleCount, Summary, Verdict
from raidctl.health.severity import WEIGHT
from raidctl.output.audit_formats import Again, Options, Writer
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, hanging, indented, line, pack
from raidctl.output.table import Cell, Column, nonempty, table
from raidctl.text import counted

_HOSTS = 20
"""Maximum number of hosts, and of unreadable files, in the lists. The worst are listed first."""
_WORDS: dict[Verdict, tuple[str, Style]] = {
    "pass": ("PASS", GOOD), "fail": ("FAIL", BAD), "unknown": ("UNKNOWN", WARN), "no_access": ("NO ACCESS", WARN),
}  # fmt: skip
_OUTCOMES = {"fail": ("FAIL", BAD), "unknown": ("UNKNOWN", WARN), "unmatched": ("NO MATCH", WARN),
             "pass": ("PASS", GOOD)}  # fmt: skip
_INDENT = 15
_Weight = tuple[int, int, int, int]
_Row = tuple[_Weight, int, str, str]


class Table(Writer):
    """A writer that keeps the worst hosts. The others are in the totals, or are read again for details."""

    def __init__(self, options: Options) -> None:
        self.everything = options.passed
        self.again = options.details or options.alone
        self._options = options
        self._worst: list[_Row] = []
        self._troubled = 0
        self._failing = 0
        self._unread: list[tuple[str, str]] = []

    def begin(self) -> str:
        """Nothing: the totals come first."""
        return ""

    def host(self, audited: Audited) -> str:
        """Keep a host if it is one of the worst. Among equals, the first are kept."""
        if audited.unreadable:
            if len(self._unread) < _HOSTS:
                self._unread.append((audited.source, audited.findings[0].message))
            return ""
        weight = _weight(audited.findings)
        if any(weight):
            self._troubled += 1
            self._failing += any(weight[:3])
            row = (weight, -self._troubled, audited.host, audited.source)
            (heapq.heappush if len(self._worst) < _HOSTS else heapq.heappushpop)(self._worst, row)
        return ""

    def end(self, summary: Summary, again: Again) -> Iterator[str]:
        """The whole screen."""
        display = self._options.display
        yield display.render(self._sums(summary, display))
        if summary.findings:
            yield display.render(_about_policy(summary.findings, display))
        if self.again:
            for audited in again():
                yield display.render(_host(audited, display, alone=self._options.alone))
        elif self._troubled:
            yield display.render([Text(""), line(("--details lists the findings on each host.", DULL))])

    def _sums(self, summary: Summary, display: Display) -> Iterator[RenderableType]:
        word, style = _WORDS[summary.verdict]
        pieces = _of_one(summary) if self._options.alone else _of_many(summary)
        yield line((display.clean(self._options.policy), STRONG))
        yield hanging((f"{word}: ", style), pieces, display)
        if summary.rules:
            yield Text("")
            yield from self._rules(summary.rules, display)
        if self._worst and not self._options.alone:
            yield Text("")
            yield table(_by_host(sorted(self._worst, reverse=True), display), display)
            if self._troubled > len(self._worst):
                yield line((f"  {self._not_listed()}", DULL))
        if self._unread and not self._options.alone:
            yield from self._not_read(summary, display)

    def _rules(self, rules: Sequence[RuleCount], display: Display) -> Iterator[RenderableType]:
        """A row for each rule. Built-in rules without an object are only counted, except with details."""
        met = [one for one in rules if one.checked or one.rule not in self._options.builtin or self._options.details]
        if met:
            yield table(_by_rule(met, display, hosts=not self._options.alone), display)
        idle = len(rules) - len(met)
        if idle:
            yield line((f"  {counted(idle, 'built-in rule')} did not apply; --details lists them.", DULL))

    def _not_listed(self) -> str:
        """The number of bad hosts that are not listed. The number of failing ones among them is included."""
        count = self._troubled - len(self._worst)
        failing = self._failing - sum(any(weight[:3]) for weight, *_ in self._worst)
        results = [(failing, "fails" if failing == 1 else "fail"), (count - failing, "unknown")]
        parts = ", ".join(f"{number} {word}" for number, word in results if number)
        return f"{count} more {'host' if count == 1 else 'hosts'}: {parts}."

    def _not_read(self, summary: Summary, display: Display) -> Iterator[RenderableType]:
        """The list of unreadable files, which have no results."""
        yield Text("")
        yield line(("Could not be read", STRONG))
        for source, reason in self._unread:
            yield indented(line((display.clean(source), WARN), ": ", display.clean(reason)), display, 2)
        more = summary.unreadable - len(self._unread)
        if more:
            yield line((f"  {more} more could not be read; --details names them.", DULL))


def _weight(findings: Sequence[Finding]) -> _Weight:
    failed = [one.severity for one in findings if one.outcome == "fail"]
    unknown = sum(one.outcome in ("unknown", "unmatched") for one in findings)
    critical, warning, info = (failed.count(severity) for severity in WEIGHT)
    return critical, warning, info, unknown


def _of_one(summary: Summary) -> list[Piece]:
    failed = summary.critical + summary.warning + summary.info
    return [
        *([(f"{failed} {'fails' if failed == 1 else 'fail'}", BAD)] if failed else []),
        *([(f"{summary.unknown} unknown", WARN)] if summary.unknown else []),
        (f"{summary.passed} of {summary.checked} pass", GOOD if summary.passed == summary.checked else PLAIN),
        *_waived(summary),
    ]


def _waived(summary: Summary) -> list[Piece]:
    """Waived findings, which are not counted as passed."""
    return [(f"{counted(summary.waived, 'finding')} waived", WARN)] if summary.waived else []


def _of_many(summary: Summary) -> list[Piece]:
    results = [
        (summary.hosts_failed, "fail", BAD),
        (summary.hosts_unknown, "unknown", WARN),
        (summary.hosts_no_access, "lack a tool or permission", WARN),
        (summary.hosts_passed, "pass", GOOD),
    ]
    hosts = counted(summary.hosts, "host")
    unreadable = [(f"{summary.unreadable} could not be read", WARN)] if summary.unreadable else []
    return [
        hosts,
        *((f"{count} {word}", style) for count, word, style in results if count),
        *unreadable,
        *_waived(summary),
    ]


def _figure(count: int, style: Style) -> Cell:
    return (str(count) if count else "-", style if count else DULL)


def _by_rule(rules: Sequence[RuleCount], display: Display, *, hosts: bool) -> list[Column]:
    columns = [
        Column("rule", [(display.clean(one.rule), PLAIN) for one in rules], least=16),
        Column("severity", [(one.severity, DULL) for one in rules]),
        Column("fail", [_figure(one.failed, BAD) for one in rules], right=True),
        Column("unknown", [_figure(one.unknown, WARN) for one in rules], right=True),
        Column("pass", [_figure(one.passed, GOOD) for one in rules], right=True),
    ]
    if hosts:
        columns.append(Column("on hosts", [_figure(one.hosts, PLAIN) for one in rules], right=True))
    return columns


def _by_host(rows: Sequence[_Row], display: Display) -> list[Column]:
    styles = (BAD, BAD, PLAIN, WARN)
    titles = ("critical", "warning", "info", "unknown")
    names = [host if host == source else f"{host} ({source})" for _, _, host, source in rows]
    figures = [
        Column(title, [_figure(weight[place], styles[place]) for weight, *_ in rows], right=True)
        for place, title in enumerate(titles)
        if title != "info" or any(weight[2] for weight, *_ in rows)
    ]
    return nonempty([Column("host", [(display.clean(name), PLAIN) for name in names], least=20), *figures])


def _about_policy(findings: Sequence[Finding], display: Display) -> Iterator[RenderableType]:
    yield Text("")
    yield line(("The policy itself", STRONG))
    yield from _findings(findings, display)


def _host(audited: Audited, display: Display, *, alone: bool) -> Iterator[RenderableType]:
    found = sorted(audited.findings, key=lambda one: (WORST_FIRST.index(one.outcome), WEIGHT[one.severity]))
    if not found and not audited.waived:
        return
    yield Text("")
    if not alone or audited.host == audited.source:
        where = [] if audited.source == audited.host else [audited.source]
        yield pack([(display.clean(audited.host), STRONG), *map(display.clean, where)], display.columns, display.dot)
    yield from _findings(found, display)
    for one in audited.waived:
        text = f"waived until {one.until}: {one.finding.rule} {one.finding.where}: {one.reason}"
        yield indented(line(display.clean(text)), display, 2)


def _findings(findings: Iterable[Finding], display: Display) -> Iterator[RenderableType]:
    """Each finding. A message or remedy shared by several objects is printed once, below all of them."""
    alike: dict[Hashable, dict[str, list[Finding]]] = {}
    for one in findings:
        alike.setdefault((one.rule, one.outcome, one.severity, one.remedy), {}).setdefault(one.message, []).append(one)
    for messages in alike.values():
        for message, several in messages.items():
            for one in several:
                yield _title(one, display)
            yield indented(line(display.clean(message)), display, 6)
        if several[0].remedy:
            yield indented(line((display.words("→ "), DULL), display.clean(several[0].remedy)), display, 6)


def _title(one: Finding, display: Display) -> RenderableType:
    word, style = _OUTCOMES[one.outcome]
    place = [one.where] if one.where != "host" else []
    pieces: list[Piece] = [
        (display.clean(one.rule), STRONG),
        *(display.clean(text) for text in (*place, one.device, *one.mountpoints) if text),
    ]
    if one.outcome != "pass":
        pieces.append((one.severity, BAD if one.severity == "critical" else DULL))
    first = line("  ", (word.ljust(13), style))
    rows = pack(pieces, max(display.columns - _INDENT, 20), display.dot).split("\n")
    return first.append_text(Text(f"\n{' ' * _INDENT}").join(rows))


def writer(options: Options) -> Table:
    """The writer of this format."""
    return Table(options)
