"""The cost of a change for each family: the calls of the vendor's tool, and the time that raidctl adds.

    python benchmarks/change.py [--quick]

Simulated machines whose tools are executables that take 200 ms per call (``raidctl.simulation.executables``); raidctl
simulates the kernel's side of the machine, which makes the figures the same everywhere. Each change is a ``raidctl
cache set`` (or ``drive``) as a separate process, with all of its parts: read, plan, journal, change, read again.

``calls``: a change needs its own call, and a reading before and after it. A reading is the calls that ``raidctl show``
makes. ``overhead_ratio``: wall time of the process, compared with the same calls one after the other without raidctl.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import Case, options, report, seconds

from raidctl.cli import cli
from raidctl.request import Answer, Request, Run, Which
from raidctl.runners import local
from raidctl.simulation.demo import machine
from raidctl.simulation.executables import Tools, install
from raidctl.vendor.registry import vendors

DELAY = 0.2
ROUNDS = 9
QUICK_SECONDS = 24.0
"""A quick run starts no new round after this many seconds."""
CHANGES = {
    "smartarray": ("p400", ("cache", "set", "smartarray:1/v1", "--write", "write-through")),
    "megaraid": ("9271", ("cache", "set", "megaraid:0/v0", "--write", "write-through")),
    "megaraid-old": ("perc5i", ("cache", "set", "megaraid:0/v0", "--write", "write-through")),
    "adaptec": ("6805", ("cache", "set", "adaptec:1/v0", "--write", "write-through")),
    "drives": ("workstation", ("cache", "drive", "drives:HBN1K7Q2", "off")),
    "md": ("journal", ("cache", "set", "md:md126", "--stripe-cache", "512")),
}
LocalRunner = local.LocalRunner


class Staged:
    """A runner that starts programs on this machine. Everything else comes from the simulated kernel."""

    def __init__(self, demo: str, tools: Tools) -> None:
        self.kernel = machine(demo, vendors()[0], tools.place)
        self.programs = LocalRunner()
        self.names = {path.name for path in tools.programs.iterdir()}

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request, in order; programs run in parallel, as usual."""
        mine = [index for index, request in enumerate(requests) if self._program(request)]
        answers = dict(zip(mine, self.programs.carry_out([requests[index] for index in mine]), strict=True))
        return [answers[n] if n in answers else self.kernel.answer(request) for n, request in enumerate(requests)]

    def close(self) -> None:
        """End the running programs."""
        self.programs.close()

    def _program(self, request: Request[Any]) -> bool:
        return isinstance(request, Run) or (isinstance(request, Which) and request.name in self.names)


@dataclass
class Family:
    """The figures of one family."""

    demo: str
    words: Sequence[str]
    tools: Tools
    look: int = 0
    calls: int = 0
    changes: int = 0
    ratios: list[float] = field(default_factory=list)

    def prepare(self) -> None:
        """Count the calls of a reading."""
        self.tools.fail(seconds=DELAY)
        self.raidctl("show")
        self.look = len(self._argvs())

    def round(self) -> None:
        """Measure one change, and the same calls without raidctl."""
        self._reset()
        wall = seconds(lambda: self.raidctl(*self.words, "--yes"))
        argvs = self._argvs()
        self.calls = len(argvs)
        self.changes = sum(call.changes for call in self.tools.calls())
        self._reset()
        self.ratios.append(wall / seconds(lambda: self._calls(argvs)))

    def raidctl(self, *words: str) -> None:
        """Run raidctl on the machine as a process, which has to succeed."""
        line = [sys.executable, __file__, "--play", self.demo, str(self.tools.place), *words]
        path = f"{self.tools.programs}:{os.environ['PATH']}"
        done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path})
        if done.returncode not in ((0, 3, 4) if words == ("show",) else (0,)):
            sys.exit(f"{self.demo}: {' '.join(words)} ended with {done.returncode}: {done.stderr}")

    def _argvs(self) -> list[tuple[str, ...]]:
        return [call.argv for call in self.tools.calls() if call.event == "begin"]

    def _calls(self, argvs: Sequence[Sequence[str]]) -> None:
        for tool, *arguments in argvs:
            subprocess.run([self.tools.programs / tool, *arguments], capture_output=True, check=False)

    def _reset(self) -> None:
        self.tools.reset()
        self.tools.clear_log()
        shutil.rmtree(self.tools.place / "state", ignore_errors=True)


def play(demo: str, place: str, *words: str) -> None:
    """Run raidctl on such a machine."""
    tools = Tools(Path(place))
    local.LocalRunner = lambda **_options: Staged(demo, tools)  # type: ignore[assignment,misc]  # it carries out the same requests
    cli.main(["--state-dir", f"{place}/state", *words])


def cases(name: str, family: Family) -> list[Case]:
    """The two figures of a family."""
    least = 2 * family.look + family.changes
    looks = f"{family.changes} of its own and two looks of {family.look}"
    peer = f"the same {family.calls} calls of {DELAY * 1000:.0f} ms, one after the other"
    return [
        Case(f"{name}/calls", family.calls, "calls", looks, f"<={least}"),
        Case(f"{name}/overhead_ratio", statistics.median(family.ratios), "ratio", peer, "<=1.3"),
    ]


def main() -> None:
    """Measure and print."""
    quick = options(__doc__).parse_args().quick
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        families = {
            family: Family(demo, words, install(demo, Path(name) / demo)) for family, (demo, words) in CHANGES.items()
        }
        for family in families.values():
            family.prepare()
        for number in range(ROUNDS):
            if quick and number and time.monotonic() - start > QUICK_SECONDS:
                break
            for family in families.values():
                family.round()
        report("change", [case for name, family in families.items() for case in cases(name, family)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(*sys.argv[2:])
    else:
        main()
