"""Families that are observed together.

A failing one never hides the others, and two never show one controller twice.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
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
from raidctl.survey import ask_vendors
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
    """A failing family becomes a problem, and the others are shown.

    The problem names the family, the traceback is kept for -v, and the rest is complete and in order.
    """
    found = survey(Bare(), [Family("good"), Family("bad", broken=True), Family("late", last=True)])
    assert [c.id for c in found.inventory.controllers] == ["good:9", "good:10", "late:9", "late:10"]
    reported = [problem for problem in found.inventory.problems if problem.where == "bad"]
    assert len(reported) == 1
    assert reported[0].kind == "unread"
    assert "KeyError" in found.tracebacks[0]


class InStep(Bare):
    """The same behind a connection on which each round costs a session."""

    IN_STEP: ClassVar = True

    def __init__(self) -> None:
        self.rounds: list[int] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Count the requests for a family's file."""
        self.rounds.append(sum(request == Read("/proc/nothing") for request in requests))
        return super().carry_out(requests)


def test_families_share_rounds_where_each_costs_a_session() -> None:
    """One round serves all families. The inventory, problems and tracebacks are the same as in threads."""
    runner, at = InStep(), "2026-01-02T03:04:05Z"
    families = [Family("good"), Family("bad", broken=True), Family("other"), Family("late", last=True)]
    found = survey(runner, families, collected_at=at)
    assert [count for count in runner.rounds if count] == [3, 1]
    assert found.inventory == survey(Bare(), families, collected_at=at).inventory
    assert "KeyError" in found.tracebacks[0]


def test_a_family_that_only_looks_for_its_tools_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first lookup is its only request. Its outcome, or its error, is kept."""
    monkeypatch.delattr(ask_vendors, "_DialogueThread")
    found = survey(Bare(), [Family("good"), Family("bad", broken=True), Family("other")])
    assert [c.id for c in found.inventory.controllers] == ["good:9", "good:10", "other:9", "other:10"]
    assert "bad" in {problem.where for problem in found.inventory.problems}


_MACHINE_OF_SLOW_TOOLS = """
import sys, time
from importlib import import_module
from raidctl.host import HostView
from raidctl.request import Failure, Run, RunAnswer, Which, WhichAnswer
from raidctl.survey.ask_vendors import ask_vendors

reader = f"{sys.argv[1]}.reader"
seen = []

class Machine:
    def carry_out(self, requests):
        return [self.one(request) for request in requests]

    def one(self, request):
        if isinstance(request, Which):
            return WhichAnswer(path=f"/usr/sbin/{request.name}")
        if isinstance(request, Run) and not seen:
            seen.append(reader in sys.modules)
            ends = time.monotonic() + 60
            while reader not in sys.modules and time.monotonic() < ends:
                time.sleep(0.01)
            seen.append(reader in sys.modules)
        return RunAnswer(trouble=Failure.FAILED)

ask_vendors([import_module(sys.argv[1]), import_module("raidctl_zfs")], HostView(), Machine())
print(seen)
"""


@pytest.mark.parametrize("package", ["raidctl_adaptec", "raidctl_megaraid", "raidctl_smartarray"])
def test_a_reader_is_imported_while_its_tool_runs(package: str) -> None:
    """Not before, since the tool would start later; not after, since the reader would be late."""
    script = [sys.executable, "-c", _MACHINE_OF_SLOW_TOOLS, package]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[False, True]", done.stderr


def test_a_failing_reader_of_loose_files_becomes_a_problem() -> None:
    """Documents of the other families are still read."""
    good, bad = Family("good"), Family("bad", broken=True)
    document = Document("1", "kind", "text")
    found = survey_documents([(bad, [document]), (good, [document])], source="replay:x")
    assert [c.id for c in found.inventory.controllers] == ["good:1"]
    assert [problem.where for problem in found.inventory.problems] == ["bad"]


def test_an_empty_machine_is_an_empty_inventory() -> None:
    """An empty machine is not a failure. The time of reading is kept."""
    found = survey(Bare(), [], collected_at="2026-01-02T03:04:05Z")
    assert found.inventory.controllers == ()
    assert found.inventory.host.collected_at == "2026-01-02T03:04:05Z"


class Reporting(Family):
    """A family with one controller, a volume, facts, and a problem."""

    def __init__(self, family: str, tool: str, **facts: str) -> None:
        super().__init__(family)
        self.TOOLS = (ToolSpec(tool),)
        self.facts = facts

    def observe(self, host: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the protocol's signature
        """The controller."""
        yield from ask(Read("/proc/nothing"))
        return self.read([Document(f"/opt/bin/{self.TOOLS[0].name} show all", "text", "Card\nVolume\n")])

    def read(self, documents: Sequence[Document]) -> Observation:
        """As observe."""
        (document,) = documents
        degraded = Volume(id=f"{self.FAMILY}:1/v1", status="degraded")
        own = structs.replace(Controller(id=f"{self.FAMILY}:1", volumes=(degraded,)), **self.facts)
        output = Output.of_text(document.name, document.text)
        output.lines[0].fact(own.id, "model", "Card")
        output.lines[1].fact(own.volumes[0].id, "status", "degraded")
        ill = Problem(severity="warning", where=own.volumes[0].id, message="It is degraded.", kind="state")
        return Observation((own,), (ill,), (), (output,))


ADDRESS = "0000:03:00.0"


def test_a_controller_that_two_families_list_is_shown_once() -> None:
    """The entry with more values stays. A note names both tools and the reason; nothing of the other entry is left."""
    poor, rich = (
        Reporting("poor", "poorcli", pci_address="03:00.0"),
        Reporting("rich", "richcli", pci_address=ADDRESS, model="R"),
    )
    found = survey(Bare(), [poor, rich])
    assert [controller.id for controller in found.inventory.controllers] == ["rich:1"]
    ill, note = found.inventory.problems[-2:]
    assert (ill.where, note.where, note.kind, note.severity) == ("rich:1/v1", "rich:1", "note", "info")
    for word in ("richcli", "poorcli", ADDRESS, "poor:1", "reports more"):
        assert word in note.message
    assert {fact.object_id for output in found.outputs for fact in output.facts} == {"rich:1", "rich:1/v1"}
    assert [output.unparsed() for output in found.outputs if "poorcli" in output.command] == [[]]
    assert not any(problem.where.startswith("poor") for problem in found.inventory.problems)


def test_of_two_that_report_as_much_the_first_stays() -> None:
    """Of two families that report as much, the first stays.

    Their order decides, so that the ids are the same every time.
    """
    families = [Reporting(name, f"{name}cli", pci_address=ADDRESS) for name in ("one", "two")]
    assert [c.id for c in survey(Bare(), families).inventory.controllers] == ["one:1"]


def test_a_serial_number_stands_in_for_an_address() -> None:
    """If one tool prints no address, the serial number identifies the controller.

    A masked or different number is not the same controller.
    """
    number, masked = "PDNMF0ARH2X1Q7", "*" * 14
    for ours, theirs, count in ((number.lower(), number, 1), (masked, masked, 2), (number, f"{number}A", 2)):
        one, two = (
            Reporting("one", "onecli", pci_address=ADDRESS, serial=ours),
            Reporting("two", "twocli", serial=theirs),
        )
        assert len(survey(Bare(), [one, two]).inventory.controllers) == count


def test_two_addresses_are_two_controllers() -> None:
    """Two addresses are two controllers, whatever their serial numbers.

    A board can have two controllers, and a vendor one number for both.
    """
    one = Reporting("one", "onecli", pci_address=ADDRESS, serial="PDNMF0ARH2X1Q7")
    two = Reporting("two", "twocli", pci_address="0000:04:00.0", serial="PDNMF0ARH2X1Q7")
    assert len(survey(Bare(), [one, two]).inventory.controllers) == 2


def test_controllers_of_one_family_are_left_to_it() -> None:
    """The core does not merge two controllers of the same family."""
    families = [Reporting("one", "onecli", pci_address=ADDRESS), Reporting("one", "onecli", pci_address=ADDRESS)]
    assert len(survey(Bare(), families).inventory.controllers) == 2


def test_loose_files_of_two_tools_show_a_controller_once() -> None:
    """A support archive has the outputs of both. The file names no tool, so the families are named."""
    families = [
        Reporting("one", "onecli", serial="PDNMF0ARH2X1Q7"),
        Reporting("two", "twocli", serial="PDNMF0ARH2X1Q7"),
    ]
    texts = [(family, [Document("output.txt", "text", "Card\nVolume\n")]) for family in families]
    found = survey_documents(texts, source="replay:x")
    assert [controller.id for controller in found.inventory.controllers] == ["one:1"]
    assert "one and two list the same controller" in found.inventory.problems[-1].message
