"""The installed tools of a family, and the problems of their calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from posixpath import basename, dirname

import msgspec
from msgspec import Struct

from raidctl.host import HostView
from raidctl.model import UNREAD_KINDS, Controller, Problem, ProblemKind, Tool
from raidctl.request import CHANGEABLE, Dialogue, Failure, Run, RunAnswer, Which, ask_all
from raidctl.vendor.protocol import ToolSpec

_ON_PATH = frozenset({"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"})

NO_CONTROLLER = "The tool sees no controller."
"""The message if a tool reports that there is none; see :func:`without_root`."""
LET_ONLY_ROOT = "Let only root write to it (chown root, chmod go-w), or move it to a directory of root."
"""The remedy if a tool is not run because others could change it (:data:`raidctl.request.CHANGEABLE`)."""


class Installed(Struct, frozen=True):
    """An installed tool of a family."""

    spec: ToolSpec
    path: str
    """Its path, with links resolved."""

    @property
    def command(self) -> str:
        """First word of its command lines."""
        return self.spec.name if self.spec.applet else command_of(self.tool())

    def tool(self, version: str | None = None) -> Tool:
        """The tool as the inventory lists it."""
        return Tool(name=self.spec.name, path=self.path, version=version)


def command_of(tool: Tool) -> str:
    """First word of a tool's command lines. Tools on the PATH go by name, others by their full path."""
    if tool.path is None or (basename(tool.path) == tool.name and dirname(tool.path) in _ON_PATH):
        return tool.name
    return tool.path


def reporting_tool(controller: Controller, tools: Sequence[Tool]) -> Tool | None:
    """The tool that reported a controller, or the first if not recorded. None if it is not among them."""
    return next((tool for tool in tools if controller.told_by in (None, tool.name)), None)


def installed(specs: Sequence[ToolSpec]) -> Dialogue[list[Installed]]:
    """The installed tools in their order. A tool with several names counts once."""
    answers = yield from ask_all([Which(spec.name, spec.places) for spec in specs])
    found: dict[str, Installed] = {}
    for spec, answer in zip(specs, answers, strict=True):
        if answer.path is not None:
            found.setdefault(answer.path, Installed(spec, answer.path))
    return list(found.values())


def call_problem(request: Run, answer: RunAnswer) -> Problem | None:
    """The problem if a call could not be run. None if it ran, whatever its exit code."""
    if answer.trouble is None:
        return None
    where = " ".join(request.argv)
    detail = f" ({answer.detail})" if answer.detail else ""
    if answer.trouble is Failure.DENIED:
        unsafe = CHANGEABLE in answer.detail
        return Problem(
            severity="error", kind="no_right", where=where,
            message=f"The tool {'is not run as root' if unsafe else 'may not be run'}{detail}.",
            remedy=LET_ONLY_ROOT if unsafe else "Run raidctl as root (sudo).",
        )  # fmt: skip
    if answer.trouble is Failure.MISSING:
        message = f"The tool is installed but could not be started{detail}."
        return Problem("error", where, message, "Reinstall its package.", "no_tool")
    what, remedy = {
        Failure.TIMEOUT: (
            f"did not answer within {request.timeout:g} seconds and was ended",
            "Look for a drive that does not answer (dmesg) and for another instance of the tool.",
        ),
        Failure.FLOOD: ("printed more than it should and was ended", "Run the command by hand."),
        Failure.UNRECORDED: ("has no output in this recording", "Record the machine again."),
    }.get(answer.trouble, ("failed", "Run the command by hand."))  # fmt: skip
    return Problem(severity="error", kind="unread", where=where, message=f"The tool {what}{detail}.", remedy=remedy)


def failed_tools(names: Collection[str], problems: Iterable[Problem]) -> tuple[list[str], ProblemKind]:
    """The tools with a failed call, and the kind of a problem that follows from it.

    >>> denied = Problem("error", "/opt/acme/acmecli show", "The tool may not be run.", kind="no_right")
    >>> failed_tools(["acmecli"], [denied])
    (['acmecli'], 'no_right')
    """
    failed: dict[str, list[ProblemKind]] = {}
    for problem in problems:
        name = basename(problem.where.partition(" ")[0])
        if name in names and problem.kind in UNREAD_KINDS:
            failed.setdefault(name, []).append(problem.kind)
    kinds = {kind for own in failed.values() for kind in own}
    return list(failed), kinds.pop() if len(kinds) == 1 else "unread"


def as_note(problem: Problem) -> Problem:
    """Turn the problem of a call into a note. Other calls gave its data."""
    if problem.kind not in UNREAD_KINDS:
        return problem
    return msgspec.structs.replace(problem, severity="info", kind="note", remedy=None)


def without_root(problems: Sequence[Problem], host: HostView) -> list[Problem]:
    """Report missing permission instead of :data:`NO_CONTROLLER` if the tool ran without root."""
    return [
        msgspec.structs.replace(item, severity="error", kind="no_right", remedy="Run raidctl as root (sudo).")
        if host.root is False and item.message == NO_CONTROLLER
        else item
        for item in problems
    ]
