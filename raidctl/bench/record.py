"""A stored run: the session and everything that its figures depend on.

Field names are stable (`raidctl schema bench`): runs are read years later, and on other machines.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from raidctl.bench.result import Session
from raidctl.described import doc
from raidctl.model import Inventory

LOADED = 0.5
"""Runnable processes per processor above which the machine counts as busy."""
WAITING = 10.0
"""I/O wait in percent above which the drives count as busy. It is the share of the last minute spent waiting for I/O
(PSI)."""
STOLEN = 0.02
"""Stolen time above which figures are affected. It is the share of processor time stolen by the host."""


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """How busy the machine was with other work."""

    processors: Annotated[int, doc("How many this program may use.")]
    load: Annotated[float | None, doc("Load average of the minute before; null: unknown.")] = None
    io_waiting: Annotated[
        float | None,
        doc("Percent of the minute before in which something waited for I/O (PSI); null: unknown."),
    ] = None
    stolen: Annotated[
        float | None,
        doc("Share (0 to 1) of processor time that the host withheld meanwhile; null: unknown."),
    ] = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run: target, version, machine, and how busy it was."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    id: Annotated[int | None, doc("Number in the machine's collection; null: not saved there.")] = None
    at: Annotated[str, doc("When it began, RFC 3339.")]
    raidctl: Annotated[str, doc("Version of raidctl.")]
    host: Annotated[str | None, doc("Name of the machine; null: unknown.")] = None
    kernel: Annotated[str | None, doc("Its kernel; null: unknown.")] = None
    label: Annotated[str | None, doc("What the user calls it; null: nothing.")] = None
    session: Annotated[Session, doc("What was measured.")]
    second: Annotated[Session | None, doc("The same with another engine (`--cross-check`); null: not made.")] = None
    prepared: Annotated[int, doc("Bytes written to prepare the file, before anything was measured.")] = 0
    noise: Annotated[Noise | None, doc("How busy the machine was; null: unknown.")] = None
    inventory: Annotated[Inventory | None, doc("The machine as `raidctl show` reports it; null: unread.")] = None

    @property
    def place(self) -> str:
        """The target as the user named it. For a temporary file, this is its directory."""
        session = self.session
        return os.path.dirname(session.target) if session.kind == "file" else session.target  # noqa: PTH120 - a string

    @property
    def name(self) -> str:
        """Name for display."""
        return f"run {self.id}" if self.id is not None else f"the run of {self.at}"


def noisy(noise: Noise | None) -> list[str]:
    """Other work that kept the machine busy, one sentence each."""
    if noise is None:
        return []
    notes = []
    if noise.load is not None and noise.load > LOADED * noise.processors:
        notes.append(
            f"The machine was busy before the run began: load {noise.load:.1f} on {noise.processors} processors."
        )
    if noise.io_waiting is not None and noise.io_waiting > WAITING:
        notes.append(
            f"Its drives were busy before the run: something waited for I/O {noise.io_waiting:.0f}% of the time."
        )
    if noise.stolen is not None and noise.stolen > STOLEN:
        notes.append(f"The host gave {noise.stolen:.0%} of the processors' time to other machines meanwhile.")
    return notes


class Listener:
    """Observer of how busy the machine is.

    Create it before a run, query it afterwards. ``root``: the kernel's files.
    """

    def __init__(self, root: Path = Path("/proc")) -> None:
        """Read the counters before the run itself makes the machine busy."""
        self._root = root
        self._load = _first_number(_text(root / "loadavg"))
        self._waiting = _pressure(_text(root / "pressure/io"))
        self._before = _times(_text(root / "stat"))

    def noise(self) -> Noise:
        """How busy the machine was since the observation began."""
        return Noise(
            processors=len(os.sched_getaffinity(0)),
            load=self._load,
            io_waiting=self._waiting,
            stolen=_stolen(self._before, _times(_text(self._root / "stat"))),
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _first_number(text: str) -> float | None:
    # 0.52 0.58 0.59 1/467 12345
    try:
        return float(text.split(maxsplit=1)[0])
    except (IndexError, ValueError):
        return None


def _pressure(text: str) -> float | None:
    # some avg10=0.00 avg60=1.52 avg300=0.71 total=91239812
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "some":
            values = dict(word.partition("=")[::2] for word in words[1:])
            return _first_number(values.get("avg60", ""))
    return None


def _times(text: str) -> list[int]:
    # cpu  user nice system idle iowait irq softirq steal guest guest_nice
    words = text.partition("\n")[0].split()
    return [int(word) for word in words[1:9]] if words[:1] == ["cpu"] and all(map(str.isdigit, words[1:9])) else []


def _stolen(before: list[int], after: list[int]) -> float | None:
    if len(before) != 8 or len(after) != 8:
        return None
    spent = [late - early for early, late in zip(before, after, strict=True)]
    return max(spent[7], 0) / sum(spent) if sum(spent) > 0 else None
