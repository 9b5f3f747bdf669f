"""Recordings of machines of the lab; ``python -m tests.lab --record`` makes them."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.lab.guest import PYTHONPATH, Guest
from tests.lab.machine import Machine
from tests.lab.machines import WITHOUT_OUR_TOOL
from tests.lab.places import CHECKOUT

# Our own tool for MegaRAID controllers, under a path outside this checkout, because recordings contain the path.
WITH_OUR_TOOL = f"""
cat > /usr/local/bin/raidctl-mfi <<'END'
#!/bin/sh
PYTHONPATH={PYTHONPATH["PYTHONPATH"]} PYTHONDONTWRITEBYTECODE=1 exec {sys.executable} -m raidctl_mfi "$@"
END
chmod 755 /usr/local/bin/raidctl-mfi
"""


class Recorded(NamedTuple):
    """A recorded machine."""

    machine: str
    """The machine of the lab."""
    about: str
    """What is special about it."""
    tool: bool = False
    """Whether our own tool for MegaRAID controllers is installed."""
    place: Path = CHECKOUT / "fixtures"
    """The parent of its folder."""


# By the name of the folder
RECORDED = {
    "lab-md": Recorded(
        "md", "md arrays of every level, with a spare, a journal, a bitmap; two degraded, one rebuilding."
    ),
    "lab-megaraid-no-tool": Recorded(
        "no-tool", "A MegaRAID card that the kernel drives, and no tool that could ask it."
    ),
    "lab-megasas": Recorded(
        "megasas",
        "An emulated MegaRAID card with the kernel's own driver and no program of its maker: raidctl-mfi tells of it.",
        tool=True,
    ),
    "thirty": Recorded(
        "thirty",
        "Thirty SATA and SAS drives on five controllers, and a MegaRAID controller without its tool.",
        place=CHECKOUT / "tests" / "discovery",
    ),
}


def record(name: str, machines: Mapping[str, Machine]) -> Path:
    """Boot the machine and record it with masked identities. The recording replaces the old one.

    The expected results (``expected/``) are kept: ``pytest tests/test_conformance.py --update-expected`` rewrites
    them, and a person has to read the difference.
    """
    machine, about, tool, kept = RECORDED[name]
    with Guest(machines[machine]) as guest:
        guest.boot()
        guest.sh(WITHOUT_OUR_TOOL)  # its path is one of this checkout's
        if tool:
            guest.sh(WITH_OUR_TOOL)
        place = f"/run/{name}"
        raidctl = [sys.executable, "-m", "raidctl", "--timeout", "900", "record", "--redact", "--about", about, place]
        guest.run(raidctl, env=PYTHONPATH, timeout=2400, check=False)
        packed = guest.run(["tar", "-C", place, "-c", "."]).out
    folder = kept / name
    expected = folder / "expected"
    for old in folder.glob("*"):
        if old != expected:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    folder.mkdir(exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive.getmembers():
            source = archive.extractfile(member)
            if source is not None:
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read())
    return folder
