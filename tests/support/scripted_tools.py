"""A machine with some tools and their replies. Tests of several families use it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Which, WhichAnswer
from raidctl.vendor.protocol import Observation


def ran(out: str = "", *, code: int = 0, err: str = "") -> RunAnswer:
    """The reply of a tool that ended. Its output is dedented."""
    return RunAnswer(code=code, out=textwrap.dedent(out).encode(), err=err.encode())


def unparsed(found: Observation) -> list[str]:
    """The lines that no parser used."""
    return [line.text for output in found.outputs for line in output.unparsed()]


@dataclass
class Script:
    """A runner with some tools and replies, which records the commands."""

    tools: Mapping[str, str]
    answers: Mapping[str, RunAnswer] = field(default_factory=dict)
    asked: list[Run] = field(default_factory=list)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request from the script; a command outside it is missing."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Which):
            path = self.tools.get(request.name)
            return WhichAnswer(path=path, trouble=None if path else Failure.MISSING)
        assert isinstance(request, Run)
        self.asked.append(request)
        return self.answers.get(" ".join(request.argv), RunAnswer(trouble=Failure.MISSING))

    @property
    def calls(self) -> list[str]:
        """The requested command lines."""
        return [" ".join(request.argv) for request in self.asked]
