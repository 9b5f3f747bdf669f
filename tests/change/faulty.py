"""A simulated machine whose tool fails at a chosen request. Each request can be observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Write, WriteAnswer
from raidctl.simulation.runner import Simulated
from raidctl.vendor.simulator import State

Fault = Literal[
    "hangs", "hangs after the change", "refuses", "lies", "prints garbage", "dies after the change",
    "takes effect late",
]  # fmt: skip
FAILURES: tuple[Fault, ...] = get_args(Fault)


@dataclass
class Faulty:
    """Reply as the simulated machine does, except to one request."""

    AT_ONCE: ClassVar = True
    machine: Simulated
    fault: Fault | None = None
    at: int = 0
    """The number of the request that fails."""
    changes_only: bool = False
    """Count only the requests that change something."""
    counted: int = 0
    changing: list[bool] = field(default_factory=list)
    """Whether each request so far changes something."""
    watch: Callable[[], object] = lambda: None
    """Called before each request, and after each that changes something."""
    late: State | None = None
    looks: int = 0

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request, in order."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Answer:
        """Reply to one request, or fail at it."""
        changing = isinstance(request, Write) or (isinstance(request, Run) and request.changes)
        self.watch()
        self.changing.append(changing)
        if self.late is not None and isinstance(request, Run) and not changing:
            self.looks += 1
            if self.looks > 1:
                self.machine.keep(self.machine.state() | self.late)
                self.late = None
        mine = self.counted == self.at and self.fault is not None
        if changing or not self.changes_only:
            self.counted += 1
            if mine and changing:
                return self.failed(request)
        answer = self.machine.answer(request)
        if changing:
            self.watch()
        return answer

    def failed(self, request: Request[Any]) -> Answer:
        """The reply to the request that fails."""
        fault = self.fault
        if fault in ("hangs after the change", "dies after the change"):
            answer = self.machine.answer(request)
            trouble = Failure.TIMEOUT if fault == "hangs after the change" else Failure.FAILED
            return type(answer)(trouble=trouble, detail="injected")
        if fault == "takes effect late" and isinstance(request, Run):
            reply = self.machine.reply(request.argv)
            if reply is not None:
                now = self.machine.state()
                self.late = {name: value for name, value in reply.state.items() if now.get(name) != value}
                self.looks = 0
                return RunAnswer(code=reply.code, out=reply.out.encode())
        return _without_effect(request, fault)


def _without_effect(request: Request[Any], fault: Fault | None) -> Answer:
    """The reply of a tool that changes nothing."""
    if isinstance(request, Write):
        return WriteAnswer(trouble=Failure.FAILED, detail="Invalid argument")
    if fault == "hangs":
        return RunAnswer(trouble=Failure.TIMEOUT, detail="injected")
    if fault == "prints garbage":
        return RunAnswer(code=0, out=b"\x00\xff\x1b[31m{{{ 0x7f")
    if fault == "lies":
        return RunAnswer(code=0, out=b"\nDone.\n\n")
    return RunAnswer(code=1, out=b"\nError: The operation failed.\n\n")
