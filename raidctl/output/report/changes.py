"""The report's section about changes since a snapshot. Pure."""

from __future__ import annotations

from raidctl.drift.report import Drift, Side
from raidctl.output.report.findings import LEVELS
from raidctl.output.report.page import Block, Cell, Paragraph, Section, table
from raidctl.text import counted

_SIDES = {"before": "not read before", "after": "not read this time", "both": "not read either time"}


def summary(found: Drift) -> Cell:
    """The number of changes."""
    since = _side(found.before)
    if found.changes:
        level = LEVELS[found.changes[0].severity]
        return Cell(f"Since {since}: {counted(len(found.changes), 'change')}. {found.changes[0].message}", level)
    if found.verdict == "same":
        return Cell(f"Since {since}: nothing that could be read has changed.", "good")
    return Cell(f"Since {since}: nothing that could be read has changed, but not everything could be read.", "warn")


def section(found: Drift) -> Section:
    """The changes, the worst first, and what could not be read."""
    blocks: list[Block] = [Paragraph(f"{_side(found.before)} compared with {_side(found.after)}.", "dull")]
    rows: list[tuple[Cell | str, ...]] = [
        (Cell(one.severity, LEVELS[one.severity]), one.id, one.message) for one in found.changes
    ]
    if rows:
        blocks.append(table("Changes", ("Severity", "Object", "Change"), rows))
    else:
        blocks.append(Paragraph(summary(found).text))
    unread: list[tuple[Cell | str, ...]] = [
        (_SIDES[one.side], one.where, one.message, str(len(one.hidden) or "")) for one in found.unread
    ]
    if unread:
        blocks.append(table("Not read", ("When", "Where", "What happened", "Differences hidden"), unread))
    return Section("changes", "What has changed", tuple(blocks))


def _side(side: Side) -> str:
    facts = [fact for fact in (side.hostname, side.at) if fact]
    return f"{side.name} ({', '.join(facts)})" if facts else side.name
