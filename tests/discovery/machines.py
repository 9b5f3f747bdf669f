"""Helpers of the discovery tests: recorded machines, replies, and invented vendors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from raidctl.discovery import Probe, probe_machine
from raidctl.host import BlockDevice, HostView
from raidctl.model import Capability
from raidctl.recording.recording import load
from raidctl.request import (
    Answer,
    Dialogue,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    UdevDatabase,
    converse,
)
from raidctl.runners.replay import ReplayRunner
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


class Scripted:
    """A machine made of a udev database, files and paths. It counts the rounds of requests."""

    def __init__(
        self, udev: str | Failure = Failure.MISSING, files: Mapping[str, bytes] | None = None, paths: Sequence[str] = ()
    ) -> None:
        self.udev = udev
        self.files = files or {}
        self.paths = (*paths, *self.files)
        self.rounds: list[tuple[Request[Any], ...]] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request, in order."""
        self.rounds.append(tuple(requests))
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, UdevDatabase):
            if isinstance(self.udev, Failure):
                return ReadAnswer(trouble=self.udev)
            return ReadAnswer(data=self.udev.encode())
        if isinstance(request, Read):
            data = self.files.get(request.path)
            return ReadAnswer(data=data) if data is not None else ReadAnswer(trouble=Failure.MISSING)
        if isinstance(request, Run):
            return RunAnswer(trouble=Failure.MISSING)
        assert isinstance(request, Glob)
        depth = request.pattern.count("/")
        return GlobAnswer(
            tuple(sorted({p for p in self.paths if p.count("/") == depth and fnmatch(p, request.pattern)}))
        )


class Family:
    """A vendor package that has only the names of its drivers and programs."""

    TITLE = "Example cards"
    SUPPORT: Mapping[str, Capability] = {}

    def __init__(self, family: str, drivers: Sequence[str], tools: Sequence[ToolSpec], *, last: bool = False) -> None:
        self.FAMILY = family
        self.DRIVERS = tuple(drivers)
        self.TOOLS = tuple(tools)
        self.LAST = last

    def observe(self, host: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the protocol's signature
        """Find nothing."""
        yield from ()
        return Observation()

    def sniff(self, name: str, text: str) -> Sniffed | None:  # noqa: ARG002 - the protocol's signature
        """Recognise nothing."""
        return None

    def read(self, documents: Sequence[Document]) -> Observation:  # noqa: ARG002 - the protocol's signature
        """Read nothing."""
        return Observation()


def seen(machine: str) -> Probe:
    """The survey of a recorded machine."""
    return converse(probe_machine(), ReplayRunner(load(FIXTURES / machine)))


def block(view: HostView, name: str) -> BlockDevice:
    """A block device that must exist."""
    found = view.block(name)
    assert found is not None, name
    return found
