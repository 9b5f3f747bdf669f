"""Show a controller that several tools report once, as the tool that reports most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from raidctl.model import Problem
from raidctl.vendor.draft import ControllerDraft

C = TypeVar("C", bound=ControllerDraft[Any])


class Choice(Struct, Generic[C]):
    """A controller that is shown, the tool that reports most of it, and what other tools report of it."""

    card: C
    teller: str
    kind: str
    """The kind of the tool."""
    tools: list[str]
    passed_over: list[C] = field(default_factory=list)

    def seen_twice(self, object_id: str) -> list[Problem]:
        """The note that several tools see it."""
        others = ", ".join(sorted(set(self.tools) - {self.teller}))
        message = f"{self.teller} and {others} see this controller; the data shown is from {self.teller}."
        return [Problem(severity="info", kind="note", where=object_id, message=message)] if others else []


def best_sources(reports: Sequence[tuple[C, str, str]], same: Callable[[C, str, C, str], bool]) -> list[Choice[C]]:
    """Each controller once, as the tool that reports most.

    Args:
        reports: Triples of a controller, the tool, and the tool's kind.
        same: Whether two controllers, each followed by the kind of its tool, are one.
    """
    chosen: list[Choice[C]] = []
    for card, tool, kind in reports:
        known = next((one for one in chosen if tool not in one.tools and same(one.card, one.kind, card, kind)), None)
        if known is None:
            chosen.append(Choice(card, tool, kind, [tool]))
            continue
        known.tools.append(tool)
        loser = card
        if _weight(card) > _weight(known.card):
            loser, known.card, known.teller, known.kind = known.card, card, tool, kind
        known.passed_over.append(loser)
        for draft in loser.all():
            draft.drop_evidence()
    return chosen


def _weight(card: ControllerDraft[Any]) -> int:
    """How much is reported of a controller and all on it."""
    return sum(len(draft.evidence) for draft in card.all())
