"""Other programs that call the same tools, and their cost. The cost is wall time, and CPU time with their children."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT = 60.0


@dataclass(frozen=True)
class Cost:
    """The cost of one run of a program, and its output. The cost is in seconds."""

    wall: float
    cpu: float
    out: str
    code: int


def run(argv: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a program to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        argv, env=environment, capture_output=True, check=False, timeout=_TIMEOUT, stdin=subprocess.DEVNULL
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, done.stdout.decode(errors="replace"), done.returncode)


@dataclass(frozen=True)
class Peer:
    """An installed program."""

    title: str
    """Name and version, for the table."""
    argv: Mapping[str, Sequence[str]]
    """Its command line for the tools of each scenario. The keys are the tools' names joined with commas."""
    healthy: re.Pattern[str]
    """The output of a run that found everything healthy."""


def check_raid() -> Peer | None:
    """The Nagios plugin as its users run it. It gets ``-p`` for the tools to call. None if it is not installed."""
    places = ("/usr/lib/nagios/plugins/check_raid", shutil.which("check_raid") or "")
    path = next((place for place in places if place and Path(place).is_file()), None)
    if path is None:
        return None
    output = run([path, "--version"], os.environ).out
    version = re.search(r"check_raid[^\d]*([\d.]+)", output)
    names = {"hpacucli": "hpacucli", "MegaCli": "megacli", "arcconf": "arcconf"}
    argv = {tool: (path, "-p", plugin) for tool, plugin in names.items()}
    argv[",".join(names)] = (path, "-p", ",".join(names.values()))
    return Peer(f"check_raid {version[1] if version else ''}".strip(), argv, re.compile(r"OK: "))


def megaclisas_status() -> Peer | None:
    """The script of the hwraid repository for MegaCli."""
    path = shutil.which("megaclisas-status")
    return Peer("megaclisas-status", {"MegaCli": (path,)}, re.compile(r"Optimal")) if path else None


def aacraid_status() -> Peer | None:
    """The script of the hwraid repository for arcconf."""
    path = shutil.which("aacraid-status")
    return Peer("aacraid-status", {"arcconf": (path,)}, re.compile(r"Optimal")) if path else None


def others() -> list[Peer]:
    """Other installed peers, which are compared without a goal."""
    return [peer for peer in (megaclisas_status(), aacraid_status()) if peer is not None]
