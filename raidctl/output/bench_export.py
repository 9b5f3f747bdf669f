"""Runs for other programs: JSON lines, and the three columns of zcav."""

from __future__ import annotations

import json

import msgspec

from raidctl.bench.record import Run
from raidctl.output.bench import zcav_rows
from raidctl.text import collapse, json_safe, printable

BLOCK = 512
"""MiB of a block of zcav: what its third column, a time, is of."""


def line(run: Run) -> str:
    """A run as one line of JSON, in ASCII: whatever the terminal's encoding is, nothing is lost."""
    return json_safe(json.dumps(msgspec.to_builtins(run), separators=(",", ":"))) + "\n"


def zcav(run: Run) -> str | None:
    """The curve of a run: where (GiB), how fast (MiB/s), seconds of 512 MiB at that speed; None: it has none.

    zcav's own header stands above it, so that what was made for its files takes this one.
    """
    points = next((rows for one in run.session.results if (rows := zcav_rows(one))), None)
    if points is None:
        return None
    about = collapse(printable(f"raidctl {run.raidctl}, {run.at}, {run.place}"))
    lines = [f"{at:.2f} {speed:.2f} {BLOCK / speed:.3f}" for at, speed in points if speed > 0]
    return "\n".join([f"#{about}", "#block offset (GiB), MiB/s, time", *lines]) + "\n"
