"""The dialogue with tw_cli: one call for the list of cards, one for each card, one for each unit that has a StorSave.

Old releases of the tool (and of firmware) that refuse the ``/cX`` forms are asked with ``info``, which they have all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask, ask_all
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tools import Installed, odd_exit, printed
from raidctl_threeware.collect import KIND, assemble
from raidctl_threeware.draft import Cards, ControllerDraft
from raidctl_threeware.reader import Reader

LOCK = "threeware"
TIMEOUT = 60.0
"""Seconds for one call; the driver waits long for a drive that dies."""
# "9550SX and higher" have a StorSave policy (tw_cli(8), /cx/ux show storsave)
_STORSAVE = re.compile(r"9(?:5[59]|6|7)\d", re.ASCII)
_MOST = 256
"""Units that are asked for on their own."""


@dataclass
class _Session:
    """What was asked so far."""

    tool: Installed
    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    forgiven: set[str] = field(default_factory=set)

    def run(self, *words: str) -> Run:
        return Run((self.tool.command, *words), timeout=TIMEOUT, lock=LOCK)


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller through the first tool found."""
    talk = _Session(found[0])
    listed = yield from _either(talk, ("show",), ("info",))
    for number in listed.cards if listed is not None else ():
        if number:
            yield from _card(talk, number, listed.cards[number] if listed is not None else None)
    return assemble(
        talk.documents,
        talk.problems,
        [one.tool() for one in found],
        forgiven=frozenset(talk.forgiven),
        root=host.root,
    )


def _card(talk: _Session, number: str, listed: ControllerDraft | None) -> Dialogue[None]:
    told = yield from _either(talk, (f"/c{number}", "show", "all"), ("info", f"c{number}"))
    card = told.cards.get(number) if told is not None else None
    if card is None:
        return
    model = card.get("model") or (listed.get("model") if listed is not None else None) or ""
    if _STORSAVE.match(model) is None:
        return
    units = [unit.name for unit in card.arrays.values() if not unit.spare and unit.get("type")][:_MOST]
    requests = [talk.run(f"/c{number}/u{unit}", "show", "all") for unit in units]
    answers = yield from ask_all(requests)
    for request, answer in zip(requests, answers, strict=True):
        _judge(talk, request, answer)


def _either(talk: _Session, new: tuple[str, ...], old: tuple[str, ...]) -> Dialogue[Cards | None]:
    """Output of the new form of a command, else of the old one."""
    request = talk.run(*new)
    answer = yield from ask(request)
    told = _judge(talk, request, answer)
    if told is not None or answer.trouble not in (None, Failure.TIMEOUT):
        return told
    before = len(talk.problems)
    second = talk.run(*old)
    told = _judge(talk, second, (yield from ask(second)))
    first = " ".join(request.argv)
    if told is not None:
        talk.forgiven.add(first)
        talk.problems = [problem for problem in talk.problems if problem.where != first]
    elif answer.trouble is None:
        # the same trouble twice is told once
        del talk.problems[before:]
        talk.forgiven.add(" ".join(second.argv))
    return told


def _judge(talk: _Session, request: Run, answer: RunAnswer) -> Cards | None:
    """Keep a call's output and its problems; return its controllers, None if it had none."""
    text = printed(request, answer, talk.problems)
    if not text:
        return None
    talk.documents.append(Document(" ".join(request.argv), KIND, text))
    cards = Cards()
    reader = Reader(Output.of_text(" ".join(request.argv), text), cards)
    reader.read()
    told = any(card.reported for card in cards.cards.values())
    if told and not reader.errors:
        talk.problems += odd_exit(request, answer)
    return cards if told else None
