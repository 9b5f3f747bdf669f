"""Outputs of the tools, whole or in part, alone or together, read into an observation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from raidctl.evidence import Sheet
from raidctl.model import Problem, Tool
from raidctl.vendor import Document, Observation
from raidctl_smartarray.build import build, controller_ids
from raidctl_smartarray.collect import Collection, collect
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.grammar import slot_of_command, tool_of_command
from raidctl_smartarray.outline import Outline, Paragraph, outline
from raidctl_smartarray.trouble import meaning, problem

KIND = "show"
"""The one form of document: every output of these tools has the same grammar."""

# Warning: Unrecoverable Media Errors Detected on Drives during previous Rebuild or Background Surface Analysis …
_OF_A_VOLUME = "Unrecoverable Media Errors"
"""Warnings with these words stand above the logical drive that they are about."""
# Warning: One of the drives on this array have failed or has been removed.
_OF_AN_ARRAY = "this array"

# array A    logicaldrive 1    physicaldrive 1I:1:4    Mirror Group 1:    unassigned
_HEADING = re.compile(
    r"array [A-Z]{1,2}|(?:logical|physical) ?drive:? [\w:]{1,12}|mirror group \d{1,2}:|(?:unassigned|HBA)(?: drives)?",
    re.IGNORECASE,
)


def outlines(documents: Sequence[Document]) -> list[Outline]:
    """Each document's outline; its name gives the slot where it is a command line that holds one."""
    found = []
    for document in documents:
        made = outline(Sheet.of_text(document.name, document.text))
        made.sheet.framed = True
        made.slot = made.slot or slot_of_command(document.name)
        made.tool = made.tool or tool_of_command(document.name)
        found.append(made)
    return found


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs of the tools and put together what belongs to the same card. Never raises for what they say."""
    collection = collect(outlines(documents))
    ids = controller_ids(collection.cards)
    controllers = []
    problems = said_problems(collection, dict(zip(map(id, collection.cards), ids, strict=True)))
    for card, object_id in zip(collection.cards, ids, strict=True):
        controller, found = build(card, object_id)
        controllers.append(controller)
        problems += found
    for item in collection.outlines:
        problems += unreadable(item)
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys(problems)),
        tools=tuple(_tools(collection.outlines)),
        sheets=tuple(item.sheet for item in collection.outlines),
    )


def said_problems(collection: Collection, ids: dict[int, str]) -> list[Problem]:
    """The warnings, notes and errors that stand in the outputs."""
    found = []
    for item, paragraph, card in collection.paragraphs:
        where = item.sheet.command if card is None else ids.get(id(card), item.sheet.command)
        if card is not None and paragraph.volume in card.volumes and _OF_A_VOLUME in paragraph.text:
            where = f"{where}/v{paragraph.volume}"
        elif card is not None and paragraph.array in card.arrays and _OF_AN_ARRAY in paragraph.text:
            where = f"{where}/{paragraph.array}"
        found.append(said(paragraph, where))
    return found


def said(paragraph: Paragraph, where: str) -> Problem:
    """A banner or an error as a problem."""
    text = paragraph.text
    if paragraph.kind in ("error", "missing_tool"):
        return problem(meaning(text, wrapper=paragraph.kind == "missing_tool"), text, where)
    if paragraph.kind == "note":
        return Problem(severity="info", kind="note", where=where, message=text[:800])
    return Problem(
        severity="warning", kind="state", where=where, message=text[:800], remedy="Follow what the tool says of it."
    )


def unreadable(item: Outline) -> Iterable[Problem]:
    """A problem where an output told nothing at all."""
    lines = [line for line in item.sheet.lines if line.text.strip()]
    where = item.sheet.command
    if not lines:
        yield Problem(
            severity="warning", kind="unread", where=where, message="The output is empty.", remedy="Record it again."
        )
    elif item.options:
        yield Problem(
            severity="info", kind="note", where=where,
            message="The output lists the values that a setting may take; it does not tell the configuration.",
        )  # fmt: skip
    elif _HEADING.fullmatch(last := lines[-1].stripped):
        yield Problem(
            severity="error", kind="unread", where=where,
            message=f"The output is cut off: nothing follows “{last}”.",
            remedy="Run the command again and keep all that it prints.",
        )  # fmt: skip
    elif not item.controllers and not item.paragraphs and not item.version and len(item.sheet.unparsed()) == len(lines):
        yield Problem(
            severity="error", kind="unread", where=where,
            message="Nothing in this output was understood.",
            remedy="Give the output of `ssacli ctrl all show config detail` as the tool prints it.",
        )  # fmt: skip


def _tools(items: Sequence[Outline]) -> Iterable[Tool]:
    """The tools whose version an output tells."""
    seen = set()
    for item in items:
        if item.version and (item.tool, item.version) not in seen:
            seen.add((item.tool, item.version))
            yield Tool(name=item.tool or "ssacli", version=item.version)


@dataclass
class Choice:
    """A card that is shown, the tool that told most of it, and what other tools told of the same card."""

    card: ControllerDraft
    teller: str
    tools: list[str]
    passed_over: list[ControllerDraft] = field(default_factory=list)


def richest(cards: Sequence[tuple[ControllerDraft, str]]) -> list[Choice]:
    """Each card once, as the tool told it that told most. ``cards`` are pairs of a card and the tool that told it."""
    chosen: list[Choice] = []
    for card, tool in cards:
        known = next((choice for choice in chosen if tool not in choice.tools and _same(choice.card, card)), None)
        if known is None:
            chosen.append(Choice(card, tool, [tool]))
            continue
        known.tools.append(tool)
        loser = card
        if card.weight() > known.card.weight():
            loser, known.card, known.teller = known.card, card, tool
        known.passed_over.append(loser)
        for draft in loser.all():
            draft.drop_evidence()
    return chosen


def _same(one: ControllerDraft, other: ControllerDraft) -> bool:
    """Whether two tools speak of the same card: one slot and no other serial number. Serials alone may be masked."""
    serials = one.get("serial"), other.get("serial")
    slots = one.get("slot") or one.name, other.get("slot") or other.name
    if all(slots):
        return slots[0] == slots[1] and (serials[0] == serials[1] or not all(serials))
    return all(serials) and serials[0] == serials[1]
