"""The report's section about claims: promised, found, and what to ask for. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidctl.output.report.hardware import clipped, joined
from raidctl.output.report.page import Block, Cell, Entry, Heading, Level, Paragraph, Raw, Raws, Section, table
from raidctl.verify.contract import Contract
from raidctl.verify.report import Answer, Verdict, Verification, worst_first
from raidctl.verify.requests import promised, request

_LEVELS: Mapping[Verdict, Level] = {"fail": "bad", "suspect": "bad", "inconclusive": "warn", "pass": "good"}
_COUNTED: Mapping[Verdict, tuple[str, str]] = {
    "fail": ("1 promise is not kept", "{} promises are not kept"),
    "suspect": ("1 is doubtful", "{} are doubtful"),
    "inconclusive": ("1 could not be checked", "{} could not be checked"),
    "pass": ("1 is kept", "{} are kept"),
}
_CLAIMS: Mapping[Verdict, tuple[str, str]] = {
    "fail": ("1 claim fails", "{} claims fail"),
    "suspect": ("1 is doubtful", "{} are doubtful"),
    "inconclusive": ("1 could not be checked", "{} could not be checked"),
    "pass": ("1 holds", "{} hold"),
}
_HEADLINES: Mapping[Verdict, str] = {
    "fail": "NOT as promised",
    "suspect": "NOT certainly as promised",
    "inconclusive": "Not everything that was promised could be checked",
    "pass": "As promised",
}
_STANDARD: Mapping[Verdict, str] = {
    "fail": "The standard claims fail",
    "suspect": "The standard claims are doubtful",
    "inconclusive": "Not all standard claims could be checked",
    "pass": "The standard claims hold",
}


def summary(report: Verification) -> Cell:
    """Whether the machine is as promised, in a sentence with numbers."""
    counts = {one: sum(answer.verdict == one for answer in report.answers) for one in _COUNTED}
    lost = "; ".join(dict.fromkeys(promised(one) for one in report.answers if one.verdict in ("fail", "suspect")))
    heads, words = (_STANDARD, _CLAIMS) if report.contract is None else (_HEADLINES, _COUNTED)
    summary = ", ".join(words[one][count != 1].format(count) for one, count in counts.items() if count)
    if words is _CLAIMS and report.verdict == "pass":
        summary = "; ".join(dict.fromkeys(map(promised, report.answers)))
    what = f" {'Failed' if words is _CLAIMS else 'Not kept'} or doubtful: {lost}." if lost else ""
    return Cell(f"{heads[report.verdict]}: {summary or 'nothing to check was found'}.{what}", _LEVELS[report.verdict])


def section(report: Verification, contract: Contract | None) -> Section:
    """All results as a table; each that does not pass has evidence."""
    answers = worst_first(report.answers)
    open_ = [one for one in answers if one.verdict != "pass"]
    blocks: list[Block] = list(_about(contract))
    rows: list[tuple[Cell | str, ...]] = [
        (one.object or "machine", _label(one), promised(one), " ".join(one.reasons)) for one in answers
    ]
    what = "Claim" if contract is None else "Promised"
    if rows:
        title = "Claims and what was found" if contract is None else "Promised and found"
        blocks.append(table(title, ("Object", "Verdict", what, "There"), rows))
    else:
        blocks.append(Paragraph("Nothing to check was found.", "warn"))
    if report.left_out:
        blocks.append(Paragraph(f"Not checked, as they are in no volume: {', '.join(report.left_out)}.", "dull"))
    if open_:
        blocks.append(Heading("What does not hold, or is unknown" if contract is None else "What we ask for"))
    blocks += [_entry(one, what, ask=contract is not None) for one in open_]
    return Section("promises", "Claims" if contract is None else "What was promised", tuple(blocks))


def _about(contract: Contract | None) -> Iterator[Block]:
    if contract is None:
        text = "The standard claims of raidctl verify, as no contract is given."
        yield Paragraph(text, "dull")
        return
    about = [f"provider: {contract.provider}"] if contract.provider else []
    about += [f"reference: {contract.reference}"] if contract.reference else []
    if about:
        yield Paragraph(f"The contract names {', '.join(about)}.")


def _label(one: Answer) -> Cell:
    return Cell(one.verdict.upper(), _LEVELS[one.verdict])


def _entry(one: Answer, what: str, *, ask: bool) -> Entry:
    rows = [
        (what, promised(one)),
        ("There", " ".join(one.reasons)),
        ("Request", request(one) or "" if ask else ""),
        ("To decide", one.next_test or ""),
        ("Ruled out", "; ".join(one.ruled_out)),
    ]
    raws = tuple(
        Raw(f"{each.object}: {each.statement}", each.command or each.source, each.line, clipped(each.raw or ""))
        for each in one.evidence
    )
    device = f", {one.device}" if one.device else ""
    shown = tuple((name, text) for name, text in rows if text)
    title = f"{one.object or 'machine'}{device}: {promised(one)}"
    return Entry(_label(one), title, shown, Raws("Evidence", joined(raws)) if raws else None)
