"""Outputs of arcconf, in any mixture, as an observation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.model import Controller, Problem, Tool
from raidctl.vendor.protocol import Document, Observation
from raidctl_adaptec.capability import FAMILY
from raidctl_adaptec.collect import Collection, collect
from raidctl_adaptec.messages import problems_of_messages
from raidctl_adaptec.to_model import build, controller_ids

_REPORT = "If it is output of arcconf, report it with `raidctl record --redact machine.tar.gz`."


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs of arcconf and merge those of the same controller. Never raises for what they contain."""
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
    """The controllers, and the problems that were reported or found."""
    problems = [problem for answer in collection.answers for problem in problems_of_messages(answer)]
    controllers = [controller for controller in collection.controllers if controller.reported]
    made = []
    for controller, object_id in zip(controllers, controller_ids(controllers), strict=True):
        found, own = build(controller, object_id)
        made.append(found)
        problems += own
        if id(controller) in collection.guessed and len(collection.controllers) > 1:
            problems.append(
                Problem(
                    severity="info", where=object_id,
                    message="arcconf's number for this controller is unknown; it is shown with the first free one.",
                )
            )  # fmt: skip
    problems += _not_shown(collection, len(made))
    return made, problems


def _not_shown(collection: Collection, read: int) -> Iterator[Problem]:
    """``Controllers found: 2``, where the outputs are about one of them. Each call prints it."""
    found = max((answer.found or 0 for answer in collection.answers), default=0)
    if read and found > read:
        yield Problem(
            severity="warning", kind="unread", where=FAMILY,
            message=f"The tool found {found} controllers, but outputs of {read} were read.",
            remedy="Give the outputs of all controllers: `arcconf getconfig N al`.",
        )  # fmt: skip


def unreadable(collection: Collection) -> Iterator[Problem]:
    """A problem for each output that reported nothing."""
    for output in collection.broken_json:
        yield Problem(
            severity="error", kind="unread", where=output.command,
            message="The JSON in the output is incomplete or invalid.", remedy="Run the command again.",
        )  # fmt: skip
    known = {id(answer.output) for answer in collection.answers if answer.known or answer.output.facts}
    for output in collection.outputs:
        if id(output) in known or any(output is broken for broken in collection.broken_json):
            continue
        reported = any(line.text.strip() for line in output.lines)
        if reported and output.facts:
            continue
        message = "The output has an unknown format." if reported else "The output is empty."
        yield Problem(severity="error", kind="unread", where=output.command, message=message, remedy=_REPORT)
