"""Read complete or partial outputs of the tools into an observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from raidctl.model import Problem, Tool
from raidctl.vendor.controllers import observation_of, read_outputs, with_tool
from raidctl.vendor.draft import unreadable
from raidctl.vendor.mixed_machines import note_mixed
from raidctl.vendor.protocol import Document, Observation
from raidctl_marvell.draft import Controllers
from raidctl_marvell.reader import Reader
from raidctl_marvell.to_model import build

KIND = "marvell"
"""The one form of document. Every output of the tools has the same grammar."""
_REMEDY = "Give the outputs of `mvcli info -o hba`, `-o vd` and `-o pd` (or mnv_cli) as printed."
_NO_PLACES: Mapping[str, str | None] = MappingProxyType({})


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    return assemble(documents)


def assemble(
    documents: Sequence[Document],
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
    *,
    places: Mapping[str, Mapping[str, str | None]] = MappingProxyType({}),
) -> Observation:
    """Return the observation of a dialogue.

    Its problems and tools are included, and ``places`` has the kernel's facts about each controller.
    """
    controllers = Controllers()
    readers = read_outputs(documents, lambda output: Reader(output, controllers))
    found, reported = [], list(problems)
    for controller in controllers.reported():
        note_mixed(controller)
        described = build(controller, places.get(controller.name, _NO_PLACES))
        controller.write_evidence(described.id)
        found.append(with_tool(described, controller, tools))
        reported += controller.problems(described.id)
    for reader in readers:
        reported += [_error(error, reader.output.command) for error in reader.errors[:20]]
        reported += unreadable(reader.output, _REMEDY, known=reader.errors or reader.totals or reader.empty)
    return observation_of(found, reported, readers, tools)


def _error(error: str, where: str) -> Problem:
    """Return the problem of ``No Adapter Found``. There is no controller, or the tool was not run as root."""
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports: {error}",
        remedy="Run the command by hand, as root.",
    )  # fmt: skip
