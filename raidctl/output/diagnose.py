"""The screen of ``raidctl diagnose``: findings, unknown results, and the number of checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.audit.diagnosis import Diagnosis, causes, explained
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.health.severity import Severity
from raidctl.health.unknown_states import doubt
from raidctl.model import Inventory
from raidctl.output.console import (
    BAD,
    DULL,
    GOOD,
    PLAIN,
    STRONG,
    WARN,
    Display,
    Piece,
    drawn,
    hanging,
    indented,
    line,
    pack,
)
from raidctl.output.head import head
from raidctl.output.phrases import SEVERITY_WORDS
from raidctl.output.table import Column, facts, table
from raidctl.text import collapse, counted, listing, regex

_STYLES: dict[Severity, Style] = {"critical": BAD, "warning": WARN, "info": DULL}
_COUNTED: dict[Severity, tuple[str, str]] = {
    "critical": ("1 critical finding", "{} critical findings"),
    "warning": ("1 warning", "{} warnings"),
    "info": ("1 for information", "{} for information"),
}
_FEW = 6
"""The most objects of a group without -v."""
_MARKED = regex(r"\*\*(.+?)\*\*|`([^`]+)`")


@drawn
def screen(found: Diagnosis, inventory: Inventory, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The whole screen as text. ``more``: each object separately, with the facts behind its finding."""
    yield head(inventory, display)
    yield _summary(found, doubt(inventory), display)
    for group in _groups(causes(found.findings), alone=more):
        yield Text("")
        yield from _finding(group, found.findings, display, more=more)
    if found.unknown:
        yield Text("")
        yield line(("Unknown", STRONG))
    for group in _groups(found.unknown, alone=more):
        yield from _finding(group, (), display, more=more)
    if found.ignored or found.expired:
        yield Text("")
    for one in found.ignored:
        text = f"ignored until {one.until}: {one.finding.rule} {one.finding.where}: {one.reason}"
        yield line(display.clean(text))
    for one in found.expired:
        text = f"no longer ignored since {one.until}: {one.finding.rule} {one.finding.where}: {one.reason}"
        yield line((display.clean(text), WARN))
    yield Text("")
    yield line((_checks(found), DULL))
    if found.findings or found.unknown:
        hint = "" if more else '; "-v" shows the facts behind a finding'
        yield hanging(("", DULL), [(f'"raidctl diagnose --explain RULE" describes a rule{hint}.', DULL)], display)


def _summary(found: Diagnosis, doubtful: str | None, display: Display) -> Text:
    pieces: list[Piece] = []
    for severity, style in _STYLES.items():
        number = sum(one.severity == severity for one in causes(found.findings))
        if number:
            pieces.append((_COUNTED[severity][number > 1].format(number), style))
    if found.unknown:
        pieces.append((f"{len(found.unknown)} unknown", WARN if found.verdict == "cannot_tell" else DULL))
    if not pieces and found.checked:
        return line((f"No problems found, but {doubtful}.", PLAIN) if doubtful else ("No problems found.", GOOD))
    if not pieces:
        return line("Nothing to check was found.")
    return pack(pieces, display.columns, display.dot)


def _groups(found: Sequence[Finding], *, alone: bool) -> list[list[Finding]]:
    """Findings in groups: the same finding about several objects is shown once."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for number, one in enumerate(found):
        single = f"raidctl replace {one.where}" in (one.remedy or "")  # its remedy is for a single drive
        key = (str(number),) if alone or single else (one.rule, one.severity, one.message, _remedy([one], "{}", "{}"))
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _finding(
    group: Sequence[Finding], found: Sequence[Finding], display: Display, *, more: bool
) -> Iterator[RenderableType]:
    one = group[0]
    unknown = one.outcome == "unknown"
    shown = group if more else group[:_FEW]
    pieces: list[Piece] = [display.clean(_where(each)) for each in shown]
    if len(shown) < len(group):
        pieces.append((f"{len(group) - len(shown)} more", DULL))
    label = "  " if unknown else f"{SEVERITY_WORDS[one.severity]:10}"
    names = [(piece, STRONG) if isinstance(piece, str) else piece for piece in pieces]
    yield hanging((label, PLAIN if unknown else _STYLES[one.severity]), names, display)
    yield indented(line(display.clean(one.message)), display, 4)
    if remedy := _remedy(group, " ".join(each.where for each in shown)):
        yield indented(line((display.words("→ "), DULL), display.clean(remedy)), display, 4)
    with_ = [(display.clean(text), PLAIN) for each in shown for text in _with(each, explained(found, each))]
    yield facts([*([("with", with_)] if with_ else []), *_rows(group, display, more=more)], display, indent=4)


def _with(cause: Finding, found: Sequence[Finding]) -> Iterator[str]:
    """The consequences of a cause. The tool's words, after the second colon, are not repeated."""
    above = cause.message
    for one in found:
        claim, *more = one.message.rstrip(".").split(": ", 2)
        repeated = len(more) == 2 and more[1] in above
        yield f"{one.where}: {f'{claim}.' if repeated else one.message}"
        above += one.message


def _remedy(group: Sequence[Finding], names: str, device: str | None = None) -> str:
    """The remedy for all objects of a group. raidctl's commands take several names.

    Those of other tools take one device; the other devices are listed after it.
    """
    remedy = (group[0].remedy or "").replace(group[0].where, names)
    first = group[0].device
    if not first or first not in remedy:
        return remedy
    others = [one.device for one in group[1:] if one.device]
    return remedy.replace(first, device or first) + (f" The same for {listing(others)}." if others else "")


def _rows(group: Sequence[Finding], display: Display, *, more: bool) -> list[tuple[str, Sequence[Piece]]]:
    """The facts, with ``more`` only, and the rule."""
    one = group[0]
    rows: list[tuple[str, Sequence[Piece]]] = [("rule", [(display.clean(one.rule), DULL)])]
    if more and one.evidence:
        rows.insert(0, ("facts", [(display.clean(fact), DULL) for fact in one.evidence]))
    return rows


def _where(one: Finding) -> str:
    """``smartarray:1/v1, /dev/sda on /, /boot``."""
    device = f", {one.device}" if one.device else ""
    on = f" on {', '.join(one.mountpoints)}" if one.mountpoints else ""
    return f"{one.where}{device}{on}"


def _checks(found: Diagnosis) -> str:
    checks = counted(found.checked, "check")
    return f"{counted(len(found.rules), 'rule')} applied, {checks}: {found.passed} passed."


def table_of_rules(chosen: Sequence[Rule], display: Display) -> str:
    """The rules with their titles."""
    columns = [
        Column("rule", [(rule.name, STRONG) for rule in chosen]),
        Column("severity", [(rule.severity, _STYLES[rule.severity]) for rule in chosen]),
        Column("problem", [(display.words(rule.title), PLAIN) for rule in chosen], least=20),
    ]
    return display.render([table(columns, display, indent=0)])


def page(rule: Rule, manual: str, display: Display) -> str:
    """The manual page of a rule: its Markdown, wrapped to the width."""
    parts: list[RenderableType] = [
        line((rule.name, STRONG), "  ", (rule.severity, _STYLES[rule.severity])),
        Text(""),
    ]
    for number, paragraph in enumerate(manual.split("\n\n")):
        parts += [Text("")] * (number > 0)
        parts.append(_marked(display.words(collapse(paragraph))))
    return display.render(parts)


def _marked(text: str) -> Text:
    """A paragraph with bold words in bold. Code keeps its backticks, so that a pipe shows where it ends."""
    marked = Text(overflow="fold")
    at = 0
    for found in _MARKED.finditer(text):
        marked.append(text[at : found.start()])
        marked.append(found[1] or found[0], style=STRONG if found[1] else PLAIN)
        at = found.end()
    marked.append(text[at:])
    return marked
