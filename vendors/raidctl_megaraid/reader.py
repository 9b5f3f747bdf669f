"""Outputs of the tools, in any mixture of dialects, as an observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from raidctl.evidence import Output
from raidctl.model import Controller, Problem, Tool
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tool_choice import best_sources
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.merge import Machine, merge_output, same_controller
from raidctl_megaraid.read_document import SHOWN, ReadDocument, read_document
from raidctl_megaraid.split_by_tool import split_by_tool
from raidctl_megaraid.to_model import build, controller_ids
from raidctl_megaraid.tools import MEGACLI, STORCLI


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs of the tools and merge those of the same controller. Never raises for what they contain."""
    parts = [part for document in documents for part in split_by_tool(document, (STORCLI, MEGACLI))]
    outputs = [read_document(part) for part in parts]
    machines: list[Machine] = []
    for item in sorted(outputs, key=_nameless):
        merge_output(machines, item.kind, item.document, item.controllers)
    reports = [
        Report(controller, SHOWN[one.kind], one.kind)
        for one in machines
        for controller in one.controllers.by_number.values()
    ]
    tools = dict.fromkeys(Tool(name=item.tool or SHOWN[item.kind], version=item.version) for item in _versions(outputs))
    found = Assembly(reports, tuple(tools))
    found.problems += [problem for item in outputs for problem in item.problems]
    found.outputs += [item.output for item in outputs]
    return found.observation()


def _nameless(item: ReadDocument) -> bool:
    """Whether an output does not name its controller.

    Such outputs come last, when it is known whether there is only one.
    """
    return "" in item.controllers.by_number


def _versions(outputs: Iterable[ReadDocument]) -> Iterable[ReadDocument]:
    return (item for item in outputs if item.version)


class Report(Struct, frozen=True):
    """A controller as one tool reported it."""

    controller: ControllerDraft
    tool: str
    kind: str


class Assembly(Struct):
    """All reports, from which the observation is made."""

    reports: Sequence[Report]
    tools: tuple[Tool, ...] = ()
    problems: list[Problem] = []
    outputs: list[Output] = []
    asked: bool = False
    """Whether the tools were run by name. A loose file may come from any tool of a kind."""

    def observation(self) -> Observation:
        """Each controller once, from the tool that reported most. Its problems come after those of reading."""
        choices = best_sources([(item.controller, item.tool, item.kind) for item in self.reports], same_controller)
        ids = controller_ids([choice.draft for choice in choices])
        controllers: list[Controller] = []
        problems = list(self.problems)
        for choice, object_id in zip(choices, ids, strict=True):
            controller, own = build(choice.draft, object_id, choice.kind)
            controllers.append(msgspec.structs.replace(controller, told_by=choice.tool) if self.asked else controller)
            problems += [*own, *choice.seen_twice(object_id)]
        return Observation(
            controllers=tuple(controllers),
            problems=tuple(dict.fromkeys(problems)),
            tools=self.tools,
            outputs=tuple(self.outputs),
        )
