"""Runs for other programs: JSON lines, and the three columns of zcav."""

from __future__ import annotations

import json

import msgspec

from raidctl.bench.record import Run
from raidctl.output.bench import zcav_rows
from raidctl.text import collapse, json_safe, printable

BLOCK = 512
"""MiB per block of zcav. Its third column is the time for one block."""


def line(run: Run) -> str:
    """A run as one JSON line, in ASCII for any terminal encoding."""
    return json_safe(json.dumps(msgspec.to_builtins(run), separators=(",", ":"))) + "\n"


def zcav(run: Run) -> str | None:
    """The curve of a run, as lines. None: there is no curve.

    Each line has the position (GiB), the speed (MiB/s) and the seconds for 512 MiB. The header is zcav's own, so that
    programs for zcav's files accept the text.
    """
    points = next((rows for one in run.session.results if (rows := zcav_rows(one))), None)
    if points is None:
        return None
    about = collapse(printable(f"raidctl {run.raidctl}, {run.at}, {run.place}"))
    lines = [f"{at:.2f} {speed:.2f} {BLOCK / speed:.3f}" for at, speed in points if speed > 0]
    return "\n".join([f"#{about}", "#block offset (GiB), MiB/s, time", *lines]) + "\n"
