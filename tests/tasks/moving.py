"""Recorded machines on which time passes. Their outputs change with a virtual clock, and nothing sleeps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from raidctl.cli.shared.machine import Machine
from raidctl.request import Answer, Read, ReadAnswer, Request, Run, RunAnswer
from raidctl.runners.replay import ReplayRunner
from raidctl.vendor.registry import vendors
from tests.support.machines import recording

Edit = Callable[[str, str, float], str]
"""Path or command, its recorded text, seconds passed -> the text then."""


@dataclass
class VirtualClock:
    """A clock that only `sleep` moves; ``interrupt_at``: when the user presses Ctrl-C."""

    time: float = 1000.0
    interrupt_at: float | None = None

    def now(self) -> float:
        """Seconds."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Pass the time at once."""
        self.time += seconds
        if self.interrupt_at is not None and self.time >= 1000.0 + self.interrupt_at:
            raise KeyboardInterrupt


@dataclass
class Moving:
    """A recorded machine whose texts an edit changes as time passes."""

    name: str
    edit: Edit
    clock: VirtualClock = field(default_factory=VirtualClock)
    asked: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._recorded = ReplayRunner(recording(self.name))

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer from the recording, edited."""
        return tuple(self._answer(request) for request in requests)

    def _answer(self, request: Request[Any]) -> Answer:
        [answer] = self._recorded.carry_out([request])
        passed = self.clock.time - 1000.0
        if isinstance(request, Read) and isinstance(answer, ReadAnswer) and answer.text is not None:
            self.asked[request.path] += 1
            return ReadAnswer(data=self.edit(request.path, answer.text, passed).encode())
        if isinstance(request, Run) and isinstance(answer, RunAnswer):
            command = " ".join(request.argv)
            self.asked[command] += 1
            return replace(answer, out=self.edit(command, answer.text, passed).encode())
        return answer

    def machine(self) -> Machine:
        """The machine as a command meets it."""
        return Machine(self, vendors()[0], f"replay:{self.name}", collected_at="2026-03-10T22:03:12Z")


def md_rebuild(*, takes: float = 120.0, fails_at: float | None = None) -> Moving:
    """The array md10 on its way from 38.6% to 100%. ``fails_at``: when its new drive fails."""

    def edit(name: str, text: str, passed: float) -> str:
        if fails_at is not None and passed >= fails_at:
            return _failed(name, text)
        if passed >= takes:
            return _rebuilt(name, text)
        percent = 38.6 + 61.4 * passed / takes
        minutes = (takes - passed) / 60
        text = re.sub(
            r"recovery = 38.6% \(\S+ finish=\S+", f"recovery = {percent:.1f}% (1/2) finish={minutes:.1f}min", text
        )
        return text.replace("Rebuild Status : 38%", f"Rebuild Status : {int(percent)}%")

    return Moving("md-degraded-rebuilding", edit)


_WORK = re.compile(r".*(?:recovery = |Rebuild Status : ).*\n")


def _rebuilt(name: str, text: str) -> str:
    files = {"degraded": "0\n", "sync_action": "idle\n", "sync_completed": "none\n", "dev-sdg1/state": "in_sync\n"}
    if name.startswith("/sys/block/md10/md/"):
        return files.get(name.removeprefix("/sys/block/md10/md/"), text)
    if "md10" not in text:
        return text
    text = _WORK.sub("", text).replace("[4/3] [U_UU]", "[4/4] [UUUU]")
    text = text.replace("active, degraded, recovering", "active").replace("spare rebuilding", "active sync set-B")
    return text.replace("Active Devices : 3", "Active Devices : 4").replace("Spare Devices : 1", "Spare Devices : 0")


def _failed(name: str, text: str) -> str:
    files = {
        "sync_action": "idle\n",
        "sync_completed": "none\n",
        "dev-sdg1/state": "faulty\n",
        "dev-sdg1/slot": "none\n",
    }
    if name.startswith("/sys/block/md10/md/"):
        return files.get(name.removeprefix("/sys/block/md10/md/"), text)
    if "md10" not in text:
        return text
    text = (
        _WORK.sub("", text).replace("sdg1[4]", "sdg1[4](F)").replace("active, degraded, recovering", "active, degraded")
    )
    return text.replace(
        "       4       8       97        1      spare rebuilding ", "       4       8       97        -      faulty "
    )


def tool_rebuild(*, takes: float = 3600.0, verb: str = "REBUILDING") -> Moving:
    """A unit that a tool reports at 37%, and later as complete."""

    def edit(_name: str, text: str, passed: float) -> str:
        if passed >= takes:
            text = re.sub(r"/c6/u1 is (?:rebuilding|verifying) with.*\n", "", text)
            return text.replace("REBUILDING     37%", "OK             -  ").replace("REBUILDING", "OK")
        percent = int(37 + 63 * passed / takes)
        return text.replace("37%", f"{percent}%").replace("REBUILDING", verb)

    return Moving("threeware-9690sa-rebuilding", edit)
