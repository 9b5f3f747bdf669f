"""Read complete or partial outputs of the tool into an observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidctl.model import Problem, Tool
from raidctl.vendor.controllers import observation_of, read_outputs, with_tool
from raidctl.vendor.disagreement import settle_settings
from raidctl.vendor.draft import unreadable
from raidctl.vendor.mixed_machines import note_mixed
from raidctl.vendor.protocol import Document, Observation
from raidctl_areca.draft import Controllers
from raidctl_areca.infer import link, read_sections
from raidctl_areca.messages import error_problem
from raidctl_areca.reader import Reader
from raidctl_areca.to_model import build

KIND = "info"
"""The one form of document. Every output of the tool has the same grammar."""
_REMEDY = "Give the outputs of `cli64 sys info`, `vsf info`, `rsf info` and `disk info` as printed."


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    return assemble(documents)


def assemble(
    documents: Sequence[Document],
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
) -> Observation:
    """The same for a dialogue: with its own problems and tools."""
    controllers = Controllers()
    readers = read_outputs(documents, lambda output: Reader(output, controllers))
    read_sections(section for reader in readers for section in reader.sections)
    found, reported = [], list(problems)
    for controller in controllers.reported():
        link(controller)
        settle_settings(controller)
        note_mixed(controller)
        described = build(controller)
        controller.write_evidence(described.id)
        found.append(with_tool(described, controller, tools))
        reported += controller.problems(described.id)
    for reader in readers:
        reported += [error_problem(error, reader.output.command) for error in reader.errors[:20]]
        reported += unreadable(reader.output, _REMEDY, reader.lost[:20], known=reader.errors)
    return observation_of(found, reported, readers, tools)
