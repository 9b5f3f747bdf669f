"""Read complete or partial outputs of tw_cli into an observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidctl.evidence import Output
from raidctl.model import Problem, Tool
from raidctl.order import natural
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl_threeware.draft import Cards
from raidctl_threeware.grammar import cards_named, number_of
from raidctl_threeware.messages import error_problem
from raidctl_threeware.reader import Reader
from raidctl_threeware.to_model import build

KIND = "show"
"""The one form of document: every output of the tool has the same grammar."""
_REMEDY = "Give the output of `tw_cli /c0 show all` as the tool prints it."


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
    """The same for a dialogue: with its own problems, its tools, and the commands whose errors do not matter."""
    cards = Cards(only=_only(documents))
    readers = [Reader(Output.of_text(document.name, document.text), cards) for document in documents]
    for reader in readers:
        reader.read()
    found = []
    told = list(problems)
    for card in sorted(cards.cards.values(), key=lambda item: natural(item.name)):
        if card.reported:
            controller, own = build(card)
            found.append(controller)
            told += own
    for reader in readers:
        where = reader.sheet.command
        if where not in forgiven:
            told += [error_problem(text, where, root=root) for text in reader.errors[:20]]
        told += unreadable(reader.sheet, _REMEDY, reader.lost[:20], known=reader.errors)
    versions = [Tool(name="tw_cli", version=reader.version) for reader in readers if reader.version]
    return Observation(
        controllers=tuple(found),
        problems=tuple(dict.fromkeys(told)),
        tools=tuple(tools) or tuple(dict.fromkeys(versions)),
        outputs=tuple(reader.sheet for reader in readers),
    )


def _only(documents: Sequence[Document]) -> str:
    """The controller's number if all outputs together name one."""
    named: set[str] = set()
    for document in documents:
        number = number_of(document.name)
        named |= {number} if number is not None else set()
        named |= cards_named(document.text)
    return named.pop() if len(named) == 1 else ""
