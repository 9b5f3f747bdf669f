"""One failing family never hides the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import structs

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Capability, Controller, Problem, Volume
from raidctl.request import (
    Answer,
    Dialogue,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Which,
    WhichAnswer,
    ask,
)
from raidctl.survey.survey import survey, survey_documents
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec


class Bare:
    """A machine on which nothing is."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Nothing is there."""
        return [self._one(request) for request in requests]

    def _one(self, request: Request[Any]) -> Answer:
        if isinstance(request, Glob):
            return GlobAnswer()
        if isinstance(request, Which):
            return WhichAnswer(trouble=Failure.MISSING)
        return ReadAnswer(trouble=Failure.MISSING)


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


class InStep(Bare):
    """The same behind a connection on which each round costs a session."""

    IN_STEP: ClassVar = True

    def __init__(self) -> None:
        self.rounds: list[int] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Count the requests that ask for a family's file."""
        self.rounds.append(sum(request == Read("/proc/nothing") for request in requests))
        return super().carry_out(requests)


def test_families_share_rounds_where_each_costs_a_session() -> None:
    """One round for all of them, and the same inventory, problems and tracebacks as in threads."""
    runner, at = InStep(), "2026-01-02T03:04:05Z"
    families = [Family("good"), Family("bad", broken=True), Family("other"), Family("late", last=True)]
    found = survey(runner, families, collected_at=at)
    assert [count for count in runner.rounds if count] == [3, 1]
    assert found.inventory == survey(Bare(), families, collected_at=at).inventory
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


class Teller(Family):
    """A family that tells of one card, with a volume, a fact of each, and a problem of the volume."""

    def __init__(self, family: str, tool: str, **facts: str) -> None:
        super().__init__(family)
        self.TOOLS = (ToolSpec(tool),)
        self.facts = facts

    def observe(self, host: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the protocol's signature
        """The card."""
        yield from ask(Read("/proc/nothing"))
        return self.read([Document(f"/opt/bin/{self.TOOLS[0].name} show all", "text", "Card\nVolume\n")])

    def read(self, documents: Sequence[Document]) -> Observation:
        """As observe."""
        (document,) = documents
        sick = Volume(id=f"{self.FAMILY}:1/v1", status="degraded")
        own = structs.replace(Controller(id=f"{self.FAMILY}:1", volumes=(sick,)), **self.facts)
        sheet = Output.of_text(document.name, document.text)
        sheet.lines[0].fact(own.id, "model", "Card")
        sheet.lines[1].fact(own.volumes[0].id, "status", "degraded")
        ill = Problem(severity="warning", where=own.volumes[0].id, message="It is degraded.", kind="state")
        return Observation((own,), (ill,), (), (sheet,))


CARD = "0000:03:00.0"


def test_a_card_that_two_families_list_is_shown_once() -> None:
    """The one that tells more stays; a note names both tools and the reason; nothing of the other is left."""
    poor, rich = (
        Teller("poor", "poorcli", pci_address="03:00.0"),
        Teller("rich", "richcli", pci_address=CARD, model="R"),
    )
    found = survey(Bare(), [poor, rich])
    assert [controller.id for controller in found.inventory.controllers] == ["rich:1"]
    ill, note = found.inventory.problems[-2:]
    assert (ill.where, note.where, note.kind, note.severity) == ("rich:1/v1", "rich:1", "note", "info")
    for word in ("richcli", "poorcli", CARD, "poor:1", "reports more"):
        assert word in note.message
    assert {fact.object_id for sheet in found.outputs for fact in sheet.facts} == {"rich:1", "rich:1/v1"}
    assert [sheet.unparsed() for sheet in found.outputs if "poorcli" in sheet.command] == [[]]
    assert not any(problem.where.startswith("poor") for problem in found.inventory.problems)


def test_of_two_that_tell_as_much_the_first_stays() -> None:
    """The order of the families decides, so that the ids are the same every time."""
    families = [Teller(name, f"{name}cli", pci_address=CARD) for name in ("one", "two")]
    assert [c.id for c in survey(Bare(), families).inventory.controllers] == ["one:1"]


def test_a_serial_number_stands_in_for_an_address() -> None:
    """One of the tools prints no address: the same number is the same card, a masked or a different one is not."""
    number, masked = "PDNMF0ARH2X1Q7", "*" * 14
    for ours, theirs, count in ((number.lower(), number, 1), (masked, masked, 2), (number, f"{number}A", 2)):
        one, two = Teller("one", "onecli", pci_address=CARD, serial=ours), Teller("two", "twocli", serial=theirs)
        assert len(survey(Bare(), [one, two]).inventory.controllers) == count


def test_two_addresses_are_two_cards() -> None:
    """Whatever their serial numbers say: a board can have two controllers, and a vendor one number for both."""
    one = Teller("one", "onecli", pci_address=CARD, serial="PDNMF0ARH2X1Q7")
    two = Teller("two", "twocli", pci_address="0000:04:00.0", serial="PDNMF0ARH2X1Q7")
    assert len(survey(Bare(), [one, two]).inventory.controllers) == 2


def test_controllers_of_one_family_are_left_to_it() -> None:
    """Two controllers of the same family are not the core's to put together."""
    families = [Teller("one", "onecli", pci_address=CARD), Teller("one", "onecli", pci_address=CARD)]
    assert len(survey(Bare(), families).inventory.controllers) == 2


def test_loose_files_of_two_tools_show_a_card_once() -> None:
    """A support archive holds what both tools said; the file names no tool, so the families are named."""
    families = [Teller("one", "onecli", serial="PDNMF0ARH2X1Q7"), Teller("two", "twocli", serial="PDNMF0ARH2X1Q7")]
    texts = [(family, [Document("output.txt", "text", "Card\nVolume\n")]) for family in families]
    found = survey_documents(texts, source="replay:x")
    assert [controller.id for controller in found.inventory.controllers] == ["one:1"]
    assert "one and two list the same controller" in found.inventory.problems[-1].message
