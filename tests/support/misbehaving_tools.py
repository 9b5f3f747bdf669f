"""A simulated machine whose tools misbehave, to test the verification of commands.

A tool's exit code and output prove nothing (mdadm has refused a command and carried it out; firmware accepts and does
nothing). A behaviour is what the tool does with the commands that a test names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeGuard

from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Write
from raidctl.simulation.runner import Simulated

Behaviour = Literal[
    "accepts", "refuses", "is not supported", "refuses and changes", "accepts and does nothing",
    "changes something else", "hangs", "hangs after the change", "prints nothing",
    "another instance runs", "another instance runs after the change", "renamed meanwhile",
]  # fmt: skip

REFUSAL = b"Error: The operation failed: Device or resource busy\n"
ANOTHER = b"Error: Another instance of the tool is already running.\n"
UNREADABLE: tuple[Behaviour, ...] = ("another instance runs", "another instance runs after the change")
"""Behaviours in which the tool cannot read either. This holds from the command on, as long as they last."""
UNSUPPORTED = b"Error: This operation is not supported with the current configuration.\n"


def _nothing(_machine: Simulated) -> None:
    """Do nothing else."""


def _unseen(_request: Request[Any]) -> object:
    return None


def _changes(request: Request[Any]) -> TypeGuard[Run | Write]:
    return isinstance(request, Write) or (isinstance(request, Run) and request.changes)


@dataclass
class Misbehaving:
    """A runner of a simulated machine with misbehaving tools, logging the changes."""

    AT_ONCE: ClassVar = True

    machine: Simulated
    behaviour: Behaviour = "accepts"
    match: str = ""
    """Part of the command line to which the behaviour applies. Empty: every changing command."""
    otherwise: Callable[[Simulated], None] = _nothing
    """What replaces the command if something else is changed. If names move meanwhile, it runs after the command."""
    argvs: list[tuple[str, ...]] = field(default_factory=list)
    """Every changing command, in order. A written file is recorded as ``>``, its path and the data."""
    another: RunAnswer = field(default_factory=lambda: RunAnswer(code=1, out=ANOTHER))
    """The tool's reply while another instance runs."""
    taken: str | None = None
    """The tool that cannot read while another instance runs. This applies to behaviours with that effect."""
    before: Callable[[Request[Any]], object] = _unseen
    """Called before each changing request."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        if self.busy is None and not any(map(_changes, requests)):
            return self.machine.carry_out(requests)
        return tuple(self._answer(request) for request in requests)

    @property
    def busy(self) -> str | None:
        """The tool that cannot read now."""
        return self.taken if self.behaviour in UNREADABLE else None

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Run) and request.argv[0] == self.busy and not request.changes:
            return self.another
        if not _changes(request):
            return self.machine.answer(request)
        self.before(request)
        self.argvs.append((">", request.path, request.data) if isinstance(request, Write) else request.argv)
        if not isinstance(request, Run) or self.match not in " ".join(request.argv):
            return self.machine.answer(request)
        return self._misbehave(request)

    def _misbehave(self, request: Run) -> Answer:
        hung = RunAnswer(trouble=Failure.TIMEOUT, detail="no response")
        if self.behaviour == "refuses":
            return RunAnswer(code=1, err=REFUSAL)
        if self.behaviour == "is not supported":
            return RunAnswer(code=1, out=UNSUPPORTED)
        if self.behaviour == "hangs":
            return hung
        if self.behaviour in ("accepts and does nothing", "changes something else"):
            state = self.machine.state()
            answer = self.machine.answer(request)  # the output of a tool that has succeeded
            self.machine.keep(state)
            if self.behaviour == "changes something else":
                self.otherwise(self.machine)
            return answer
        if self.behaviour in UNREADABLE:
            self.taken = request.argv[0]
        if self.behaviour == "another instance runs":
            return self.another
        answer = self.machine.answer(request)
        if self.behaviour == "renamed meanwhile":
            self.otherwise(self.machine)
        if self.behaviour == "refuses and changes":
            return RunAnswer(code=1, err=REFUSAL)
        if self.behaviour == "hangs after the change":
            return hung
        return RunAnswer(code=0) if self.behaviour == "prints nothing" else answer
