"""Failing requests: of any runner, one request or one batch; of simulated machines, what a test chooses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

from raidctl.request import Answer, Failure, Request, Runner, answers_at_once, key
from raidctl.runners.answers import answer_of
from raidctl.simulation.runner import Simulated

DETAIL = "the line went dead"
DEVICE = re.compile(
    r"(?<=^/sys/class/block/)[^/]+|(?<=^/sys/block/)[^/]+|(?<=^/sys/bus/pci/devices/)[^/]+|(?<=^/dev/).+|(?<=/dev-)[^/]+"
)
"""The name of a device in a path. Requests that differ in it only are read in the same way."""


class Failing:
    """Answers chosen requests with a failure, each time."""

    def __init__(
        self, runner: Runner, chosen: Collection[tuple[str, ...]] = (), trouble: Failure | None = None
    ) -> None:
        self._runner = runner
        self.AT_ONCE = answers_at_once(runner)
        self._chosen = chosen
        self._trouble = trouble
        self.batches: list[tuple[Request[Any], ...]] = []
        """All requests, batch by batch."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        self.batches.append(tuple(requests))
        return [
            answer_of(request, self._trouble, DETAIL) if self._trouble and key(request) in self._chosen else answer
            for request, answer in zip(requests, self._runner.carry_out(requests), strict=True)
        ]


def answer_instead(patch: pytest.MonkeyPatch, instead: Callable[[Request[Any]], Answer | None]) -> None:
    """Have simulated machines give the answers of ``instead``. None: their own answer."""
    plain = Simulated.carry_out

    def carry_out(machine: Simulated, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        return [instead(request) or plain(machine, [request])[0] for request in requests]

    patch.setattr(Simulated, "carry_out", carry_out)
