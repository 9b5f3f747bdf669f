"""One tool with its calls, and the controllers that its outputs describe."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from raidctl.model import Problem, Tool
from raidctl.request import Dialogue, Failure
from raidctl.vendor.protocol import Document
from raidctl.vendor.session import Call, Reading, Session
from raidctl.vendor.tools import Installed, as_note
from raidctl_megaraid.capability import FAMILY
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.merge import combine_drafts

if TYPE_CHECKING:
    from raidctl_megaraid.read_document import ReadDocument

LOCK = FAMILY
"""Lock that all tools of the family share. They use the same firmware."""
TIMEOUT = 120.0
"""Seconds for one call; ``show all`` waits long for a drive that dies."""


def problems_to_notes(call: Call[ReadDocument]) -> None:
    """Turn the problems of an optional call into notes.

    Not all firmware supports such a command, and none of its data is about a drive or a volume. A tool that has
    answered other calls is not missing: the machine is then a recording of an earlier version of raidctl.
    """
    absent = call.answer.trouble in (Failure.UNRECORDED, Failure.MISSING)
    call.problems = [] if absent else list(map(as_note, call.problems))


def _read(document: Document) -> Reading[ReadDocument]:
    from raidctl_megaraid.read_document import read_document  # noqa: PLC0415 - imported while the first tool runs

    found = read_document(document)
    return Reading(found, found.answered, found.answered, found.problems)


class Source(Struct):
    """A tool and its calls."""

    session: Session[ReadDocument]
    kind: str
    """``storcli``, ``storcli2``, ``megacli``: its expected grammar."""
    controllers: Controllers = field(default_factory=Controllers)

    @classmethod
    def of(cls, installed: Installed, kind: str, document_kind: str) -> Source:
        """Return a source without calls. These tools print no results on standard error."""
        return cls(Session(installed, document_kind, LOCK, TIMEOUT, _read, errors=False), kind)

    @property
    def name(self) -> str:
        """``storcli64``."""
        return self.session.name

    @property
    def calls(self) -> list[Call[ReadDocument]]:
        """The calls so far."""
        return self.session.calls

    @property
    def seen(self) -> list[ControllerDraft]:
        """The controllers that it reported."""
        return list(self.controllers.by_number.values())

    def tool(self) -> Tool:
        """The tool as the inventory lists it."""
        versions = (call.value.version for call in self.calls if call.value is not None)
        return self.session.installed.tool(next(filter(None, versions), None))

    def run(self, *lines: Iterable[str]) -> Dialogue[list[Call[ReadDocument]]]:
        """Make some calls that do not depend on each other. What they report is recorded on the controllers."""
        made = yield from self.session.run_all(tuple(line) for line in lines)
        for call in made:
            if call.value is not None:
                combine_drafts(self.controllers, call.value.controllers)
        return made


def one_by_one(call: Call[ReadDocument]) -> Problem:
    """The note that controllers were queried one by one.

    It replaces the problems of a call for all of them if each has answered.
    """
    message = f"The controllers were queried one by one, because {call.why} when queried for all of them."
    return Problem(severity="info", kind="note", where=call.command, message=message)
