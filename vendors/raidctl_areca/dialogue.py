"""The dialogue with the tool: one-shot commands, one after the other; the tool speaks of one card at a time.

``sys info`` first: where it fails nothing else is asked. Then everything that has one answer for the card, then each
volume (its cache mode) and each drive (its serial number, firmware and error counters), which no table tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue, Run, RunAnswer, ask, ask_all
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tools import Installed, printed
from raidctl_areca.collect import KIND, assemble
from raidctl_areca.draft import Cards, ControllerDraft
from raidctl_areca.reader import Reader

LOCK = "areca"
TIMEOUT = 60.0
"""Seconds for one call."""
_ONCE = (
    ("sys", "showcfg"),
    ("adsys", "info"),
    ("hw", "info"),
    ("rsf", "info"),
    ("vsf", "info"),
    ("disk", "info"),
)
_MOST = 512
"""Volumes and drives that are asked for on their own."""


@dataclass
class _Session:
    """What was asked so far."""

    tool: Installed
    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def run(self, *words: str) -> Run:
        return Run((self.tool.command, *words), timeout=TIMEOUT, lock=LOCK)


def observe(host: HostView, found: Sequence[Installed], drivers: Sequence[str]) -> Dialogue[Observation]:
    """Read the current controller of the first tool found; ``drivers`` count the controllers."""
    talk = _Session(found[0])
    first = talk.run("sys", "info")
    if _judge(talk, first, (yield from ask(first))):
        yield from _several(talk, _ONCE)
        yield from _several(talk, _each(talk))
    cards = sum(device.driver in drivers for device in host.pci)
    if cards > 1:
        talk.problems.append(_more_cards(cards))
    return assemble(talk.documents, talk.problems, [one.tool() for one in found])


def _more_cards(count: int) -> Problem:
    return Problem(
        severity="warning", kind="unread", where="areca",
        message=f"The machine has {count} Areca controllers; only the tool's default controller was read.",
        remedy="Read the others by hand: `cli64`, then `set curctrl=N` and the `info` commands.",
    )  # fmt: skip


def _several(talk: _Session, commands: tuple[tuple[str, ...], ...]) -> Dialogue[None]:
    requests = [talk.run(*words) for words in commands]
    answers = yield from ask_all(requests)
    for request, answer in zip(requests, answers, strict=True):
        _judge(talk, request, answer)


def _each(talk: _Session) -> tuple[tuple[str, ...], ...]:
    """The calls for the volumes and drives that the tables list."""
    cards = Cards()
    for document in talk.documents:
        Reader(Output.of_text(document.name, document.text), cards).read()
    commands: list[tuple[str, ...]] = []
    for card in cards.cards.values():
        commands += [("vsf", "info", f"vol={number}") for number in list(card.volumes)[:_MOST]]
        commands += [("disk", "info", f"drv={number}") for number in _numbers(card)[:_MOST]]
    return tuple(dict.fromkeys(commands))


def _numbers(card: ControllerDraft) -> list[str]:
    return [number for number, place in card.numbers.items() if place in card.drives]


def _judge(talk: _Session, request: Run, answer: RunAnswer) -> bool:
    """Keep what a call printed; False where it printed nothing to read."""
    text = printed(request, answer, talk.problems)
    if text:
        talk.documents.append(Document(" ".join(request.argv), KIND, text))
    return bool(text) and answer.trouble is None
