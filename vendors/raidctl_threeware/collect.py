"""Read complete or partial outputs of tw_cli into an observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidctl.model import Problem, Tool
from raidctl.vendor.controllers import observation_of, read_outputs, with_tool
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl_threeware.draft import Controllers
from raidctl_threeware.grammar import controllers_named, number_of
from raidctl_threeware.messages import error_problem
from raidctl_threeware.reader import Reader
from raidctl_threeware.to_model import build

KIND = "show"
"""The one form of document. Every output of the tool has the same grammar."""
_REMEDY = "Give the output of `tw_cli /c0 show all` as printed."


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    return assemble(documents)


def assemble(
    documents: Sequence[Document],
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
    *,
    forgiven: frozenset[str] = frozenset(),
    root: bool | None = None,
) -> Observation:
    """Assemble the observation of a dialogue.

    ``problems`` and ``tools`` are the dialogue's own. Errors of the commands in ``forgiven`` do not matter.
    """
    controllers = Controllers(only=_only(documents))
    readers = read_outputs(documents, lambda output: Reader(output, controllers))
    found = []
    found_problems = list(problems)
    for controller in controllers.reported():
        described, own = build(controller)
        found.append(with_tool(described, controller, tools))
        found_problems += own
    for reader in readers:
        where = reader.output.command
        if where not in forgiven:
            found_problems += [error_problem(text, where, root=root) for text in reader.errors[:20]]
        found_problems += unreadable(reader.output, _REMEDY, reader.lost[:20], known=reader.errors)
    return observation_of(found, found_problems, readers, tools)


def _only(documents: Sequence[Document]) -> str:
    """The controller's number if all outputs together name one."""
    named: set[str] = set()
    for document in documents:
        number = number_of(document.name)
        named |= {number} if number is not None else set()
        named |= controllers_named(document.text)
    return named.pop() if len(named) == 1 else ""
