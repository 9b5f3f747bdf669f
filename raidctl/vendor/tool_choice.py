"""Choose the tool for a controller that several tools report.

The controller is shown once, by the tool that reports most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from raidctl.model import Problem
from raidctl.vendor.disagreement import settle_tools
from raidctl.vendor.draft import ControllerDraft

C = TypeVar("C", bound=ControllerDraft[Any])


class Choice(Struct, Generic[C]):
    """A shown controller, and the tool that reports most of it. The reports of the other tools are included."""

    draft: C
    tool: str
    kind: str
    """The kind of the tool."""
    tools: list[str]
    passed_over: list[C] = field(default_factory=list)

    def seen_twice(self, object_id: str) -> list[Problem]:
        """The note that several tools report it."""
        others = ", ".join(sorted(set(self.tools) - {self.tool}))
        message = f"{self.tool} and {others} see this controller; the data shown is from {self.tool}."
        return [Problem(severity="info", kind="note", where=object_id, message=message)] if others else []


def best_sources(reports: Sequence[tuple[C, str, str]], same: Callable[[C, str, C, str], bool]) -> list[Choice[C]]:
    """Each controller once, by the tool that reports most.

    Args:
        reports: Triples of a controller, the tool, and the tool's kind.
        same: Whether two controllers, each followed by the kind of its tool, are the same.
    """
    chosen: list[Choice[C]] = []
    for draft, tool, kind in reports:
        known = next((one for one in chosen if tool not in one.tools and same(one.draft, one.kind, draft, kind)), None)
        if known is None:
            chosen.append(Choice(draft, tool, kind, [tool]))
            continue
        known.tools.append(tool)
        loser = draft
        if _weight(draft) > _weight(known.draft):
            loser, known.draft, known.tool, known.kind = known.draft, draft, tool, kind
        known.passed_over.append(loser)
        settle_tools(known.draft, loser)
        for part in loser.all():
            part.drop_evidence()
    return chosen


def _weight(draft: ControllerDraft[Any]) -> int:
    """The number of facts about a controller and everything on it."""
    return sum(len(part.evidence) for part in draft.all())
