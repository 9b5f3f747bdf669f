"""A runner that fails one request, or one batch of requests. It answers all others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from raidctl.request import Answer, Failure, Request, Runner, answers_at_once, key
from raidctl.runners.answers import answer_of

DETAIL = "the line went dead"
DEVICE = re.compile(
    r"(?<=^/sys/class/block/)[^/]+|(?<=^/sys/block/)[^/]+|(?<=^/sys/bus/pci/devices/)[^/]+|(?<=^/dev/).+|(?<=/dev-)[^/]+"
)
"""The name of a device in a path. Requests that differ in it only are read in the same way."""


class Failing:
    """Answers chosen requests with a trouble, as often as they are asked."""

    def __init__(
        self, runner: Runner, chosen: Collection[tuple[str, ...]] = (), trouble: Failure | None = None
    ) -> None:
        self._runner = runner
        self.AT_ONCE = answers_at_once(runner)
        self._chosen = chosen
        self._trouble = trouble
        self.batches: list[tuple[Request[Any], ...]] = []
        """All that was asked, batch by batch."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        self.batches.append(tuple(requests))
        return [
            answer_of(request, self._trouble, DETAIL) if self._trouble and key(request) in self._chosen else answer
            for request, answer in zip(requests, self._runner.carry_out(requests), strict=True)
        ]
