"""Read complete or partial outputs of the tool into an observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidctl.evidence import Output
from raidctl.model import Problem, Tool
from raidctl.order import natural
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl_areca.draft import Cards
from raidctl_areca.infer import settle
from raidctl_areca.messages import error_problem
from raidctl_areca.reader import Reader
from raidctl_areca.to_model import build

KIND = "info"
"""The one form of document: every output of the tool has the same grammar."""
_REMEDY = "Give the outputs of `cli64 sys info`, `vsf info`, `rsf info` and `disk info` as it prints them."


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    return assemble(documents)


def assemble(
    documents: Sequence[Document],
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
) -> Observation:
    """The same for a dialogue: with its own problems and tools."""
    cards = Cards()
    readers = [Reader(Output.of_text(document.name, document.text), cards) for document in documents]
    for reader in readers:
        reader.read()
    settle(section for reader in readers for section in reader.sections)
    told = list(problems)
    found = []
    for card in sorted(cards.cards.values(), key=lambda item: natural(item.name)):
        if card.reported:
            controller, own = build(card)
            found.append(controller)
            told += own
    for reader in readers:
        told += [error_problem(error, reader.sheet.command) for error in reader.errors[:20]]
        told += unreadable(reader.sheet, _REMEDY, reader.lost[:20], known=reader.errors)
    versions = [Tool(name="cli64", version=reader.version) for reader in readers if reader.version]
    return Observation(
        controllers=tuple(found),
        problems=tuple(dict.fromkeys(told)),
        tools=tuple(tools) or tuple(dict.fromkeys(versions)),
        outputs=tuple(reader.sheet for reader in readers),
    )
