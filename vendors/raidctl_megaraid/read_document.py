"""Read one output of any dialect into drafts."""

from __future__ import annotations

from posixpath import basename

from msgspec import Struct, field

from raidctl.evidence import Output
from raidctl.model import Problem
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import Controllers
from raidctl_megaraid.megacli import read as read_megacli
from raidctl_megaraid.megacli import tool_version
from raidctl_megaraid.mfi import reader as mfi
from raidctl_megaraid.storcli import reader as storcli
from raidctl_megaraid.tools import MEGACLI, MFI_JSON

_MEGACLI_NAMES = ("MegaCli64", "MegaCli", "megacli", "megasascli", "CmdTool2")
SHOWN = {storcli.V7: "storcli", storcli.V8: "storcli2", MEGACLI: "MegaCli", MFI_JSON: mfi.NAME}
"""The name of each kind of tool. It is used if the output does not show which tool it was."""


class ReadDocument(Struct):
    """What one output reported."""

    document: Document
    kind: str
    """``storcli``, ``storcli2``, ``megacli``, ``mfi``."""
    output: Output
    controllers: Controllers = field(default_factory=Controllers)
    problems: list[Problem] = []
    tool: str | None = None
    """The tool. None if neither the command line nor the file's name contains it."""
    version: str | None = None
    answered: bool = True
    """Whether it is complete output of the tool, a reported failure included."""


def read_document(document: Document) -> ReadDocument:
    """Read one document. Never raises for its contents."""
    if document.kind == MEGACLI:
        return _megacli(document)
    if document.kind == MFI_JSON:
        return _mfi(document)
    reading = storcli.read_output(document.name, document.text)
    found = ReadDocument(
        document, storcli.kind_of(reading, document.name), reading.output, reading.controllers, reading.problems
    )
    found.tool = storcli.tool_of(document.name)
    found.version = reading.version
    whole = not any(problem.kind == "unread" for problem in reading.outline.problems)
    found.answered = whole and bool(reading.outline.answers)
    found.problems += _unreadable(found)
    return found


def _megacli(document: Document) -> ReadDocument:
    controllers = Controllers()
    output, problems = read_megacli(controllers, document)
    found = ReadDocument(document, MEGACLI, output, controllers, list(problems))
    found.tool = next((name for name in _MEGACLI_NAMES if name in basename(document.name.split(" ", 1)[0])), None)
    found.version = tool_version(document.text)
    found.answered = any(line.used and line.text.strip() for line in output.lines)
    found.problems += _unreadable(found)
    return found


def _mfi(document: Document) -> ReadDocument:
    controllers = Controllers()
    output, problems, whole = mfi.read(controllers, document)
    reported_version = mfi.version(document.text)
    return ReadDocument(document, MFI_JSON, output, controllers, problems, mfi.NAME, reported_version, answered=whole)


def _unreadable(found: ReadDocument) -> list[Problem]:
    """A problem if an output reports nothing and no reader explains why."""
    known = found.controllers.by_number or any(
        problem.kind in ("unread", "no_right", "no_tool") for problem in found.problems
    )
    remedy = "Give the output of `storcli /call show all J` or of `MegaCli -AdpAllInfo -aALL` as printed."
    return list(unreadable(found.output, remedy, known=known))
