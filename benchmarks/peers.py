"""Programs of others that ask the same tools, and what they cost: wall time, CPU time of them and their children."""

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

_PATIENCE = 60.0


@dataclass(frozen=True)
class Cost:
    """What one run of a program needed, in seconds, and what it printed."""

    wall: float
    cpu: float
    out: str
    code: int


def run(argv: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a program to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        argv, env=environment, capture_output=True, check=False, timeout=_PATIENCE, stdin=subprocess.DEVNULL
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, done.stdout.decode(errors="replace"), done.returncode)


@dataclass(frozen=True)
class Peer:
    """A program, found on this machine."""

    title: str
    """Name and version, for the table."""
    argv: Mapping[str, Sequence[str]]
    """Its command line for the tools of each scenario, by the tools' names joined with commas."""
    healthy: re.Pattern[str]
    """What it prints when it has understood everything."""


def check_raid() -> Peer | None:
    """The Nagios plugin, told by ``-p`` which tools to ask, as its users do; None where it is not installed."""
    places = ("/usr/lib/nagios/plugins/check_raid", shutil.which("check_raid") or "")
    path = next((place for place in places if place and Path(place).is_file()), None)
    if path is None:
        return None
    told = run([path, "--version"], os.environ).out
    version = re.search(r"check_raid[^\d]*([\d.]+)", told)
    names = {"hpacucli": "hpacucli", "MegaCli": "megacli", "arcconf": "arcconf"}
    argv = {tool: (path, "-p", plugin) for tool, plugin in names.items()}
    argv[",".join(names)] = (path, "-p", ",".join(names.values()))
    return Peer(f"check_raid {version[1] if version else ''}".strip(), argv, re.compile(r"OK: "))


def megaclisas_status() -> Peer | None:
    """The script of the hwraid repository, which knows MegaCli only."""
    path = shutil.which("megaclisas-status")
    return Peer("megaclisas-status", {"MegaCli": (path,)}, re.compile(r"Optimal")) if path else None


def aacraid_status() -> Peer | None:
    """The script of the hwraid repository, which knows arcconf only."""
    path = shutil.which("aacraid-status")
    return Peer("aacraid-status", {"arcconf": (path,)}, re.compile(r"Optimal")) if path else None


def others() -> list[Peer]:
    """Further peers that are installed; they are told of, without a goal."""
    return [peer for peer in (megaclisas_status(), aacraid_status()) if peer is not None]
