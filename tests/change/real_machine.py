"""A simulated machine's tools on PATH, for tests with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidctl.change.journal import Journal
from raidctl.runners.programs import search_path
from raidctl.simulation.executables import Call, Tools, install
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from tests.support.waiting import PATIENCE, until

ANY_OTHER = [
    (spec.name, spec.places)
    for vendor in vendors()[0]
    if vendor.FAMILY not in ("drives", "lvm", "md")  # these read only what the kernel reports
    for spec in vendor.TOOLS
]
WRITE_THROUGH = ("cache", "set", "smartarray:1/v1", "--write", "write-through", "--yes")
CACHING = "slot=1/ld 1/arrayaccelerator"


CHANGES = [
    ("p400", WRITE_THROUGH, {CACHING: "disable"}),
    ("p400", ("cache", "split", "smartarray:1", "50/50", "--yes"), {"slot=1/cacheratio": "50/50"}),
    ("9271", ("cache", "set", "megaraid:0/v0", "--write", "write-through", "--yes"), {"megaraid 0/v0/wrcache": "WT"}),
    ("perc5i", ("cache", "set", "megaraid:0/v0", "--read", "adaptive", "--yes"), {"megaraid 0/v0/rdcache": "adaptive"}),
    ("6805", ("cache", "set", "adaptec:1/v0", "--write", "write-through", "--yes"),
     {"controller 1/ld 0/writecache": "wt"}),
    ("6805", ("cache", "drive", "adaptec:1/0,3", "on", "--yes", "--unsafe", "a trial"),
     {"controller 1/device 0,3/writecache": "wb"}),
]  # fmt: skip


class Machine:
    """A simulated machine's tools, first on PATH, and a separate state directory."""

    def __init__(self, demo: str, place: Path) -> None:
        self.tools: Tools = install(demo, place / demo)
        self.state_dir = place / "state"
        self.before: State = self.tools.state
        self.running: list[subprocess.Popen[str]] = []

    @property
    def environment(self) -> dict[str, str]:
        """The environment of raidctl."""
        return {**os.environ, "PATH": f"{self.tools.programs}:{os.environ['PATH']}", "COLUMNS": "80"}

    def line(self, *words: str) -> list[str]:
        """The command line of a raidctl."""
        return [sys.executable, "-m", "raidctl", "--state-dir", str(self.state_dir), *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run raidctl to its end."""
        return subprocess.run(
            self.line(*words), env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )

    def start(self, *words: str, errors: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start raidctl, and wait until its tool makes a change."""
        process = subprocess.Popen(
            self.line(*words), env=self.environment, stdout=subprocess.DEVNULL, stderr=errors, text=True
        )
        self.running.append(process)
        until(lambda: bool(self.changes()))
        return process

    def start_batch(self, seconds: int, errors: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start a batch in write-through, and wait until its load runs. The load sleeps."""
        marker = self.state_dir.parent / "running"
        load = ("sh", "-c", f"touch {marker}; sleep {seconds}")
        process = self.start("batch", "smartarray:1", "--write", "write-through", "--yes", "--", *load, errors=errors)
        until(marker.exists)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Send signal 9."""
        process.kill()
        process.wait()

    def changes(self) -> list[Call]:
        """The calls that change something and have begun."""
        return [call for call in self.tools.calls() if call.event == "begin" and call.changes]

    def at_rest(self) -> bool:
        """Whether every call that has begun has ended or was killed."""
        calls = self.tools.calls()
        ended = {call.pid for call in calls if call.event == "end"}
        return all(call.pid in ended or not Path(f"/proc/{call.pid}").exists() for call in calls)

    def difference(self) -> dict[str, str]:
        """The settings that differ from the initial ones."""
        return {name: value for name, value in self.tools.state.items() if self.before.get(name) != value}

    def results(self) -> list[str]:
        """The result of each change in the journal."""
        return results(self.state_dir)


def results(state_dir: Path) -> list[str]:
    """The result of each change in a journal."""
    changes = Journal(state_dir).changes()
    return [journaled.end.result if journaled.end is not None else "pending" for journaled in changes]


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def machines(place: Path) -> Iterator[Callable[[str], Machine]]:
    """Make a machine of a demo. Remaining processes are killed at the end."""
    places = [
        *(f"{directory}/{name}" for name, _ in ANY_OTHER for directory in search_path()),
        *(p for _, ps in ANY_OTHER for p in ps),
    ]
    # raidctl's own program for MegaRAID finds no controller here, also where it is on the PATH
    tools_found = [path for path in places if Path(path).exists() and Path(path).name != "raidctl-mfi"]
    if tools_found:
        pytest.skip(f"this machine has real tools: {tools_found[0]}")
    made: list[Machine] = []

    def make(demo: str) -> Machine:
        made.append(Machine(demo, place))
        return made[-1]

    yield make
    for machine in made:
        for process in machine.running:
            machine.kill(process)
        for call in machine.tools.calls():
            if call.event == "begin" and str(machine.tools.place) in _command_of(call.pid):
                os.kill(call.pid, signal.SIGKILL)
