"""Reader of one output of storcli, storcli2, perccli or perccli2.

It fills the drafts of the controllers in the output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from posixpath import basename

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.evidence import Output, mark_read
from raidctl.model import Problem
from raidctl.vendor.draft import ROW, WEAK, Draft, Pair
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.storcli.controller import read_controller
from raidctl_megaraid.storcli.counts import unlisted
from raidctl_megaraid.storcli.failure import failures
from raidctl_megaraid.storcli.outline import Answer, Outline, Section
from raidctl_megaraid.storcli.recognise import outline
from raidctl_megaraid.storcli.storage import read_storage

V7, V8 = "storcli", "storcli2"
_NAMES = ("storcli2", "perccli2", "storcli64", "perccli64", "storcli", "perccli")


class Reading(Struct):
    """The result of reading one output."""

    outline: Outline
    controllers: Controllers = field(default_factory=Controllers)
    problems: list[Problem] = []
    version: str | None = None
    """``007.1616.0000.0000 Dec 24, 2020``."""

    @property
    def output(self) -> Output:
        """The output's lines."""
        return self.outline.output


def _doubt(controllers: Iterable[ControllerDraft]) -> None:
    """Doubt a drive's good state that only the topology shows. This applies where the list of drives is cut off."""
    for controller in controllers:
        for drive in controller.drives.values():
            if drive.values.get("state", (ROW, None))[0] == WEAK:
                drive.conclude("page_lost", value=True)


def read_output(command: str, text: str) -> Reading:
    """Read one output. Never raises for its contents."""
    found = Reading(outline(command, text))
    found.problems += found.outline.problems
    for answer in found.outline.answers:
        found.version = found.version or _version(answer)
        left = read_controller(found.controllers, answer, found.output.command)
        left = read_storage(found.controllers, replace(answer, sections=left))
        _keep(found, answer, left)
        found.problems += [*unlisted(answer, command), *failures(answer, command)]
    if found.outline.lists_missing:
        _doubt(found.controllers.by_number.values())
    if "" in found.controllers.by_number and len(found.controllers.by_number) > 1:
        found.outline.complain(
            "error", "unread",
            "Part of the output does not name its controller, and others follow; it is shown as a separate one.",
            "Provide the output from its beginning.",
        )  # fmt: skip
        found.problems += found.outline.problems[-1:]
    return found


def kind_of(reading: Reading, command: str) -> str:
    """Return the kind of tool that printed the output. It follows from the version, else from the file's name."""
    if reading.version is not None:
        return V8 if reading.version.lstrip("0").startswith("8.") else V7
    return V8 if tool_of(command) in ("storcli2", "perccli2") else V7


def tool_of(command: str) -> str | None:
    """Return the tool's name in a command line or file name.

    In ``/opt/MegaRAID/perccli/perccli64 /c0 show`` it is ``perccli64``.
    """
    for part in command.split():
        name = basename(part)
        if name in _NAMES:
            return name
    low = basename(command).lower()
    return next((name for name in _NAMES if name in low), None)


def _version(answer: Answer) -> str | None:
    return answer.printed("CLI Version")


def _keep(found: Reading, answer: Answer, left: Sequence[Section]) -> None:
    """Keep the rest as controller details under the tool's titles and labels."""
    pairs = [(section, pair) for section in left for pair in _pairs(section)]
    waiting = [(section, pair) for section, pair in pairs if not all(line.used for line in pair.lines)]
    if not waiting:
        return
    if answer.number is None and not found.controllers.by_number:
        for _, pair in waiting:  # `show` without a controller: there is no object to put them on
            mark_read(*pair.lines)
        return
    draft: Draft = found.controllers.controller(answer.number)
    for section, pair in waiting:
        draft.keep_detail(pair, f"{section.title}: " if section.title else "")


def _pairs(section: Section) -> list[Pair]:
    """Return the pairs of a section and of its rows. ``row 2 Port#`` reports the second row's cell."""
    found = [*section.pairs]
    for number, row in enumerate(section.rows, 1):
        prefix = f"row {number} " if len(section.rows) > 1 else ""
        found += [Pair(f"{prefix}{label}", pair.value, pair.lines) for label, pair in row.items()]
    counted: Counter[str] = Counter()
    for pair in section.texts:
        counted["text"] += 1
        found.append(Pair(f"line {counted['text']}", pair.value, pair.lines))
    return found
