"""The report's section about findings, and checks without a result. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from raidctl.audit.diagnosis import Diagnosis, causes, explained
from raidctl.audit.finding import Finding
from raidctl.health.severity import Severity
from raidctl.health.unknown_states import doubt
from raidctl.model import Inventory
from raidctl.output.phrases import SEVERITY_WORDS
from raidctl.output.report.hardware import Lines, joined
from raidctl.output.report.page import Block, Cell, Entry, Heading, Level, Paragraph, Raws, Section
from raidctl.text import counted, listing

LEVELS: Mapping[Severity, Level] = {"critical": "bad", "warning": "warn", "info": "plain"}
_MAX_UNKNOWN = 50
"""The most checks without a result that are listed individually."""


def summary(found: Diagnosis, inventory: Inventory) -> Cell:
    """The health of the machine in a sentence.

    The sentence gives the number of findings and the worst one, else what is unknown.
    """
    counts = {level: sum(one.severity == level for one in causes(found.findings)) for level in LEVELS}
    words = [
        counted(counts["critical"], "critical finding") * bool(counts["critical"]),
        counted(counts["warning"], "warning") * bool(counts["warning"]),
    ]
    summary = ", ".join(word for word in words if word)
    if summary:
        worst = causes(found.findings)[0]
        return Cell(f"Health: {summary}. {worst.where}: {worst.message}", LEVELS[worst.severity])
    if not found.checked:
        return Cell("Health: unknown, nothing to check was found.", "warn")
    open_ = sum(one.severity != "info" for one in found.unknown)
    reasons = [
        f"{counted(open_, 'check')} had no result" * bool(open_),
        doubt(inventory) or "",
        "a tool or a permission is missing" * (found.verdict == "lacking"),
    ]
    if any(reasons):
        return Cell(f"Health: no problems found, but {listing(filter(None, reasons))}.", "warn")
    return Cell(f"Health: no problems found, {counted(found.passed, 'check')} passed.", "good")


def section(found: Diagnosis, lines: Lines) -> Section:
    """The findings, the worst first, then the checks without a result."""
    blocks: list[Block] = [_entry(one, found, lines) for one in causes(found.findings)]
    if not blocks:
        blocks.append(Paragraph("No problems found." if found.checked else "Nothing to check was found."))
    if found.unknown:
        blocks.append(Heading("Checks without a result"))
        blocks += [_entry(one, found, lines) for one in found.unknown[:_MAX_UNKNOWN]]
        left = len(found.unknown) - _MAX_UNKNOWN
        if left > 0:
            blocks.append(Paragraph(f"{left} more; raidctl diagnose lists them.", "dull"))
    rules, checks = counted(len(found.rules), "rule"), counted(found.checked, "check")
    blocks.append(Paragraph(f"{rules} applied, {checks}: {found.passed} passed.", "dull"))
    return Section("findings", "What is wrong", tuple(blocks))


def _entry(one: Finding, found: Diagnosis, lines: Lines) -> Entry:
    unknown = one.outcome == "unknown"
    label = Cell("UNKNOWN", "dull") if unknown else Cell(SEVERITY_WORDS[one.severity], LEVELS[one.severity])
    device = f", {one.device}" if one.device else ""
    on = f" on {', '.join(one.mountpoints)}" if one.mountpoints else ""
    with_ = [] if unknown else [f"{each.where}: {each.message}" for each in explained(found.findings, one)]
    rows = [("Found", one.message), ("With", " ".join(with_)), ("Remedy", one.remedy or "")]
    rows += [("Drive", ", ".join(_drive(one))), ("Facts", "; ".join(one.evidence)), ("Rule", one.rule)]
    shown = tuple((name, text) for name, text in rows if text)
    return Entry(label, f"{one.where}{device}{on}", shown, None if unknown else _raws(one, lines))


def _raws(one: Finding, lines: Lines) -> Raws | None:
    """The lines with the facts behind a finding."""
    fields = {fact.partition(" = ")[0] for fact in one.evidence}
    known = lines(one.where)
    raws = tuple(raw for raw in known.raws if _gives(raw.fact, fields)) if known is not None else ()
    return Raws("Evidence", joined(raws)) if raws else None


def _gives(fact: str, fields: Collection[str]) -> bool:
    return any(fact == one or fact.startswith(f"{one}.") or one.startswith(f"{fact}.") for one in fields)


def _drive(one: Finding) -> list[str]:
    return [*([f"bay {one.bay}"] if one.bay else []), *([f"serial number {one.serial}"] if one.serial else [])]
