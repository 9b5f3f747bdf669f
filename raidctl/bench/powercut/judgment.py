"""Compare the content after a power cut with the writes acknowledged before. Pure.

A block is described by the generations of its sectors, each once, sorted; `Odd` for sectors that have none. A drive
must keep every write whose flush has returned. Of the unflushed group it may keep any write, whole or in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from raidctl.bench.powercut.history import Disorder, History

Loss = Literal["none", "lost", "torn", "reordered", "misdirected", "unknown"]
CLOCKS_APART = 1.0
"""Seconds by which two clocks may differ over the last flush. If it is more, one has jumped."""
EXPOSED = 0.1
"""Seconds after the last flush within which a cut counts. They run to the last heartbeat; slow drives have more."""
_PACES = 3


class Odd(IntEnum):
    """Kinds of sectors without a generation."""

    ZERO = -1
    FOREIGN = -2
    MISDIRECTED = -3
    DAMAGED = -4
    UNREADABLE = -5


@dataclass
class Tally:
    """Counts of blocks after a cut by content, and the verdict."""

    ok: int = 0
    """The last acknowledged write."""
    ahead: int = 0
    """A write that was not acknowledged: it survived, which is allowed."""
    torn_in_flight: int = 0
    """Parts of a write that was not acknowledged: allowed."""
    lost: int = 0
    """An older write than the last acknowledged one, or zeros."""
    torn: int = 0
    """Parts of an older write than the last acknowledged one, or damaged."""
    reordered: int = 0
    """Lost or torn blocks although a later write survived elsewhere. Later means flushed or announced later."""
    misdirected: int = 0
    """Data that was written for another place."""
    foreign: int = 0
    """Data that this run has not written."""
    unreadable: int = 0
    """Blocks that could not be read."""
    unannounced: int = 0
    """Writes of this run that were never announced to the witness."""
    older: int = 0
    """Lost or torn blocks that contain an older write of this run."""
    first_lost: int | None = None
    """The oldest write that is missing."""

    @property
    def verdict(self) -> Loss:
        """The verdict on the drive.

        Foreign data means that another program may have written since: then older writes prove a loss, but zeros do
        not.
        """
        if self.misdirected:
            return "misdirected"
        if self.foreign and not self.older:
            return "unknown"
        if self.reordered:
            return "reordered"
        if self.torn:
            return "torn"
        if self.lost:
            return "lost"
        return "unknown" if self.foreign or self.unreadable or self.unannounced else "none"


def judge(history: History, found: Sequence[Sequence[int]]) -> Tally:
    """Judge all blocks of the range.

    Raises:
        Disorder: Their number differs from the range, or one has no content.
    """
    if len(found) != history.blocks or not all(found):
        raise Disorder(f"{len(found)} blocks were read back; the range has {history.blocks}.")
    owed, flight = _owed(history)
    tally = Tally()
    missing: dict[int, int] = {}
    newest = 0
    for number, values in enumerate(found):
        own = {value for value in values if value > 0}
        allowed = {owed[number], *flight.get(number, ())}
        newest = max([newest, *(value for value in own if value <= history.last)])
        floor = _block(tally, set(values), allowed, owed[number], history.last)
        if floor is not None:
            missing[number] = floor
    _order(tally, history, missing, newest)
    return tally


def _owed(history: History) -> tuple[list[int], dict[int, list[int]]]:
    """The last acknowledged generation of each block, and those not acknowledged."""
    owed = [history.base] * history.blocks
    flight: dict[int, list[int]] = {}
    for generation, place in enumerate(history.writes(), history.base + 1):
        if generation <= history.durable:
            owed[place] = generation
        else:
            flight.setdefault(place, []).append(generation)
    return owed, flight


def _block(tally: Tally, values: set[int], allowed: set[int], owed: int, last: int) -> int | None:
    """Count one block. If part of it is missing, return the oldest generation it contains (0: none)."""
    if Odd.UNREADABLE in values:
        tally.unreadable += 1
        return None
    if Odd.MISDIRECTED in values:
        tally.misdirected += 1
        return None
    if Odd.FOREIGN in values:
        tally.foreign += 1
        return None
    if values == {owed}:
        tally.ok += 1
        return None
    if values <= allowed:
        if len(values) == 1:
            tally.ahead += 1
        else:
            tally.torn_in_flight += 1
        return None
    if len(allowed) > 1 and values <= allowed | {Odd.DAMAGED}:
        tally.torn_in_flight += 1
        return None
    return _missing(tally, values, allowed, owed, last)


def _missing(tally: Tally, values: set[int], allowed: set[int], owed: int, last: int) -> int | None:
    own = {value for value in values if value > 0}
    old = {value for value in own if value < owed}
    if any(value > last for value in own) or (own - old) - allowed:
        tally.unannounced += 1
        return None
    if len(values) == 1 and Odd.DAMAGED not in values:
        tally.lost += 1
    else:
        tally.torn += 1
    tally.older += bool(old)
    if Odd.DAMAGED in values and not old and Odd.ZERO not in values:
        return owed - 1
    return 0 if Odd.ZERO in values else min(old)


def _order(tally: Tally, history: History, missing: dict[int, int], newest: int) -> None:
    """Count the missing writes that writing in order would not have lost."""
    if not missing:
        return
    first: dict[int, int] = {place: history.base for place, floor in missing.items() if floor < history.base}
    for generation, place in enumerate(history.writes(), history.base + 1):
        if place in missing and place not in first and generation > missing[place]:
            first[place] = generation
    tally.first_lost = min(first.values(), default=None)
    survived = history.group(newest) if newest >= history.base else -1
    tally.reordered = sum(history.group(generation) < survived for generation in first.values())


def exposure(
    flush: tuple[float, float], heard: tuple[float, float], pace: float | None
) -> tuple[float | None, str | None]:
    """Seconds from the last flush to the last heartbeat.

    The second value is why a cut without a loss does not count.

    Each moment is a pair: the clock of the witness, and that of the writer.
    """
    seconds = heard[0] - flush[0]
    if abs(seconds - (heard[1] - flush[1])) > CLOCKS_APART:
        return (
            None,
            "A clock jumped, or one of the machines was paused, shortly before the cut: when it came is unknown.",
        )
    limit = max(EXPOSED, _PACES * (pace or 0.0))
    if seconds > limit:
        why = f"The last flush had returned {seconds:.1f} s before the cut: nothing fresh was in a cache."
        return seconds, why
    return max(seconds, 0.0), None
