"""One failing family never hides the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidctl.host import HostView
from raidctl.model import Capability, Controller
from raidctl.observe import survey, survey_documents
from raidctl.request import (
    Answer,
    Dialogue,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Trouble,
    Which,
    WhichAnswer,
    ask,
)
from raidctl.vendor import Document, Observation, Sniffed, ToolSpec


class Bare:
    """A machine on which nothing is."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Nothing is there."""
        return [self._one(request) for request in requests]

    def _one(self, request: Request[Any]) -> Answer:
        if isinstance(request, Glob):
            return GlobAnswer()
        if isinstance(request, Which):
            return WhichAnswer(trouble=Trouble.MISSING)
        return ReadAnswer(trouble=Trouble.MISSING)


class Family:
    """A vendor package as small as it can be."""

    TITLE = "Stand-in"
    TOOLS: tuple[ToolSpec, ...] = ()
    DRIVERS: tuple[str, ...] = ()
    SUPPORT: Mapping[str, Capability] = {}

    def __init__(self, family: str, *, last: bool = False, broken: bool = False) -> None:
        self.FAMILY = family
        self.LAST = last
        self.broken = broken
        self.claimed: frozenset[str] | None = None

    def observe(self, host: HostView) -> Dialogue[Observation]:
        """One controller, or an exception."""
        self.claimed = host.claimed
        yield from ask(Read("/proc/nothing"))
        if self.broken:
            raise KeyError("Cache Ratio")
        return Observation((Controller(id=f"{self.FAMILY}:10"), Controller(id=f"{self.FAMILY}:9")))

    def sniff(self, name: str, text: str) -> Sniffed | None:  # noqa: ARG002 - the protocol's signature
        """Never."""
        return None

    def read(self, documents: Sequence[Document]) -> Observation:
        """As observe."""
        if self.broken:
            raise ValueError("half")
        return Observation((Controller(id=f"{self.FAMILY}:{documents[0].name}"),))


def test_a_failing_family_becomes_a_problem_and_the_others_are_shown() -> None:
    """The traceback is kept for -v, the problem names the family, the rest is complete and in order."""
    found = survey(Bare(), [Family("good"), Family("bad", broken=True), Family("late", last=True)])
    assert [c.id for c in found.inventory.controllers] == ["good:9", "good:10", "late:9", "late:10"]
    told = [problem for problem in found.inventory.problems if problem.where == "bad"]
    assert len(told) == 1
    assert told[0].kind == "unread"
    assert "KeyError" in found.tracebacks[0]


def test_a_failing_reader_of_loose_files_becomes_a_problem() -> None:
    """Documents of the other families are still read."""
    good, bad = Family("good"), Family("bad", broken=True)
    document = Document("1", "kind", "text")
    found = survey_documents([(bad, [document]), (good, [document])], source="replay:x")
    assert [c.id for c in found.inventory.controllers] == ["good:1"]
    assert [problem.where for problem in found.inventory.problems] == ["bad"]


def test_an_empty_machine_is_an_empty_inventory() -> None:
    """Nothing there is not a failure; the moment of reading is told."""
    found = survey(Bare(), [], collected_at="2026-01-02T03:04:05Z")
    assert found.inventory.controllers == ()
    assert found.inventory.host.collected_at == "2026-01-02T03:04:05Z"
