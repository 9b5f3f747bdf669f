"""The controllers in a collection of outputs, and their observation.

For families whose tools print one grammar: a reader for each output, all of which fill the same drafts. A family with
several dialects has its own way from outputs to drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.model import Controller, Problem, Tool
from raidctl.model.problem import program_of
from raidctl.order import natural
from raidctl.vendor.draft import ControllerDraft
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tools import command_of

C = TypeVar("C", bound=ControllerDraft[Any])


class Controllers(Struct, Generic[C]):
    """All controllers' drafts, by number or other name in the tool."""

    controllers: dict[str, C] = {}

    controller_type: ClassVar[type[ControllerDraft[Any]]] = ControllerDraft
    """Class of its drafts."""

    def controller(self, name: str) -> C:
        """The draft of a controller, made if it is new."""
        if name not in self.controllers:
            self.controllers[name] = cast("C", self.controller_type(name))
        return self.controllers[name]

    def reported(self) -> list[C]:
        """The drafts that any line is about, in natural order of names."""
        ordered = sorted(self.controllers.values(), key=lambda draft: natural(draft.name))
        return [draft for draft in ordered if draft.reported]


def move_active_spares(controller: ControllerDraft[Any]) -> None:
    """Make members of the spares that have taken a failed member's place: their array depends on them."""
    for key, names in controller.arrays_of_spares().items():
        drive = controller.drives.get(key)
        if drive is None or drive.get("role") != "member":
            continue
        if len(names) == 1:
            drive.conclude("array", names[0])
        for name in names:
            del controller.arrays[name].spares[key]
            if drive.get("array") in (None, name):
                controller.arrays[name].members[key] = None


class OutputReader(Protocol):
    """Reads one output into the drafts."""

    @property
    def output(self) -> Output:
        """The output."""

    @property
    def tool(self) -> str:
        """Name of the tool that printed it; empty if unknown."""

    @property
    def version(self) -> str | None:
        """The tool's version, if the output contains it."""

    def read(self) -> None:
        """Read all lines of the output."""


R = TypeVar("R", bound=OutputReader)


def read_outputs(documents: Iterable[Document], make: Callable[[Output], R]) -> list[R]:
    """Read each document with a new reader. ``make`` creates the reader of an output."""
    readers = [make(Output.of_text(document.name, document.text)) for document in documents]
    for reader in readers:
        reader.read()
    return readers


def with_tool(controller: Controller, draft: ControllerDraft[Any], tools: Sequence[Tool]) -> Controller:
    """The controller with the name of the tool that printed it. Outputs without a dialogue leave it unknown."""
    if not tools:
        return controller
    programs = {program_of(command_of(tool)): tool.name for tool in tools}
    lines = (line for part in draft.all() for line, _, _ in part.evidence)
    names = (programs.get(program_of(line.output.command)) for line in lines)
    return replace(controller, told_by=next(filter(None, names), None))


def observation_of(
    controllers: Iterable[Controller], problems: Iterable[Problem], readers: Sequence[OutputReader],
    tools: Iterable[Tool],
) -> Observation:  # fmt: skip
    """The observation of outputs that were read, each problem once.

    ``tools``: those of a dialogue; without any, the tools that the outputs themselves name with a version.
    """
    named = [Tool(name=reader.tool, version=reader.version) for reader in readers if reader.tool and reader.version]
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys(problems)),
        tools=tuple(tools) or tuple(dict.fromkeys(named)),
        outputs=tuple(reader.output for reader in readers),
    )
