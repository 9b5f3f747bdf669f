"""Outputs of the tool, whole or in part, alone or together, read into an observation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.model import Controller, Problem, Tool
from raidctl.vendor.protocol import Document, Observation
from raidctl_adaptec.collect import Collection, collect
from raidctl_adaptec.messages import said_problems
from raidctl_adaptec.to_model import build, controller_ids

_REPORT = "If it is output of arcconf, report it with a recording of the machine (raidctl record)."


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs of the tool and put together what belongs to the same card. Never raises for what they say."""
    collection = collect(documents)
    controllers, problems = built(collection)
    versions = [answer.version for answer in collection.answers if answer.version]
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys([*problems, *unreadable(collection)])),
        tools=(Tool(name="arcconf", version=versions[0]),) if versions else (),
        outputs=tuple(collection.outputs),
    )


def built(collection: Collection) -> tuple[list[Controller], list[Problem]]:
    """The controllers, and the problems that were told or found."""
    problems = [problem for answer in collection.answers for problem in said_problems(answer)]
    cards = [card for card in collection.cards if card.reported]
    controllers = []
    for card, object_id in zip(cards, controller_ids(cards), strict=True):
        controller, own = build(card, object_id)
        controllers.append(controller)
        problems += own
        if id(card) in collection.guessed and len(collection.cards) > 1:
            problems.append(
                Problem(
                    severity="info", where=object_id,
                    message="arcconf's number for this controller is unknown; it is shown with the first free one.",
                )
            )  # fmt: skip
    return controllers, problems


def unreadable(collection: Collection) -> Iterator[Problem]:
    """A problem for each output that told nothing at all."""
    for output in collection.broken_json:
        yield Problem(
            severity="error", kind="unread", where=output.command,
            message="The JSON in the output is incomplete or invalid.", remedy="Run the command again.",
        )  # fmt: skip
    known = {id(answer.sheet) for answer in collection.answers if answer.known or answer.sheet.facts}
    for output in collection.outputs:
        if id(output) in known or any(output is broken for broken in collection.broken_json):
            continue
        reported = any(line.text.strip() for line in output.lines)
        if reported and output.facts:
            continue
        message = "The output is not in a form that is known." if reported else "The output is empty."
        yield Problem(severity="error", kind="unread", where=output.command, message=message, remedy=_REPORT)
