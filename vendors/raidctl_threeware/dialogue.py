"""The dialogue with tw_cli: one call for the list of cards, one for each card, one for each unit that has a StorSave.

Old releases of the tool (and of firmware) that refuse the ``/cX`` forms are asked with ``info``, which they have all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
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


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller through the first tool found."""
    session = Session(found[0], KIND, LOCK, TIMEOUT, _cards)
    listed = yield from _either(session, ("show",), ("info",))
    for number, card in (listed.cards if listed is not None else {}).items():
        if number:
            yield from _card(session, number, card)
    return assemble(
        session.documents,
        session.problems,
        [one.tool() for one in found],
        forgiven=frozenset(session.forgiven),
        root=host.root,
    )


def _cards(document: Document) -> Reading[Cards]:
    """The controllers of an output."""
    cards = Cards()
    reader = Reader(Output.of_text(document.name, document.text), cards)
    reader.read()
    reported = any(card.reported for card in cards.cards.values())
    return Reading(cards, answered=reported, note_exit=reported and not reader.errors)


def _card(session: Session[Cards], number: str, listed: ControllerDraft) -> Dialogue[None]:
    found = yield from _either(session, (f"/c{number}", "show", "all"), ("info", f"c{number}"))
    card = found.cards.get(number) if found is not None else None
    if card is None:
        return
    model = card.get("model") or listed.get("model") or ""
    if _STORSAVE.match(model) is None:
        return
    units = [unit.name for unit in card.arrays.values() if not unit.spare and unit.get("type")][:_MOST]
    yield from session.run_all((f"/c{number}/u{unit}", "show", "all") for unit in units)


def _either(session: Session[Cards], new: tuple[str, ...], old: tuple[str, ...]) -> Dialogue[Cards | None]:
    """The controllers by the new form of a command, else by the old one."""
    first = yield from session.run(*new)
    if first.answered or first.final:
        return first.value if first.answered else None
    second = yield from session.run(*old)
    if second.answered:
        session.forgiven.add(first.command)
        first.problems.clear()
        return second.value
    if first.answer.trouble is None:
        # the same problem twice is reported once
        second.problems.clear()
        session.forgiven.add(second.command)
    return None
