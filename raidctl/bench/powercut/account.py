"""The witness's account of one run.

It covers sessions, due checks, and the verdict of each cut. Pure but for the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import msgspec

from raidctl.bench.powercut.history import History
from raidctl.bench.powercut.judgment import Tally, exposure, judge
from raidctl.bench.powercut.messages import (
    Alive,
    Begin,
    Bye,
    Created,
    Durable,
    Ended,
    Intent,
    JournalRecord,
    Judged,
    Session,
)
from raidctl.bench.powercut.report import Cut, How, PowerCutRun, Target
from raidctl.text import counted

_COUNTS = (
    "ok", "ahead", "torn_in_flight", "lost", "torn", "reordered", "misdirected", "foreign", "unreadable", "unannounced",
)  # fmt: skip
CLOSED_SOON = 3.0
"""Seconds after the last heartbeat within which a kernel closes the connection of a killed writer."""


@dataclass
class Account:
    """One run."""

    run: PowerCutRun
    cuts: list[Cut] = field(default_factory=list)
    generation: int = 1
    """The next free generation."""
    session: Session | None = None
    history: History | None = None
    """What was written since the last cut. None: there is nothing that a cut could have lost."""
    ended: Bye | Ended | None = None
    closed_after: float | None = None
    """Seconds from the last heartbeat to the end of the connection. None: it was not closed."""
    heard: tuple[float, float] | None = None
    flush: tuple[float, float] | None = None
    doubts: list[str] = field(default_factory=list)
    """Reasons why a lossless cut in this session does not count."""

    def record(self, kept: JournalRecord, at: float) -> None:
        """Take a record into account; ``at``: seconds on the witness's clock.

        Raises:
            Disorder: It contradicts what came before.
        """
        if isinstance(kept, Session):
            self.session, self.history, self.ended = kept, None, None
            self.heard = self.flush = self.closed_after = None
            self.doubts = [] if kept.caches is None else list(self.changed(kept.caches))
        elif isinstance(kept, Begin):
            self.history = History(self.run.plan.blocks, kept.generation)
            self.generation = kept.generation + 1
        elif isinstance(kept, Intent) and self.history is not None:
            self.history.announce(kept.places)
            self.generation = self.history.last + 1
        elif isinstance(kept, Durable) and self.history is not None:
            self.history.flushed(kept.upto, at)
            self.flush = self.heard = (at, kept.clock)
        elif isinstance(kept, Alive):
            self.heard = kept.heard
        elif isinstance(kept, Bye | Ended):
            self.ended = kept
            if isinstance(kept, Ended):
                self.heard, self.closed_after = kept.heard, at - kept.heard[0]
        elif isinstance(kept, Judged):
            self.cuts.append(kept.cut)
            self.history = None
        elif isinstance(kept, Created):
            self.run = kept.run

    def due(self, boot: str) -> bool:
        """Whether a cut may have happened.

        Signs are another boot, or a target that failed while its machine kept running.
        """
        if self.session is None or self.history is None or not self.history.durable:
            return False
        if isinstance(self.ended, Bye):
            return self.ended.target
        return boot != self.session.boot

    def differs(self, target: Target) -> str | None:
        """How a target differs from that of the run, in a sentence. None: no known difference."""
        mine = self.run.target
        for name, first, now in (
            ("serial number", mine.serial, target.serial), ("world wide name", mine.wwn, target.wwn),
            ("size", mine.size_bytes, target.size_bytes), ("kind", mine.kind, target.kind),
        ):  # fmt: skip
            if first is not None and first != now:
                found = "none is reported" if now is None else f"it is {now}"
                return (
                    f"The run was made on a target with {name} {first}, and now {found}: nothing is checked or written."
                )
        return None

    def changed(self, caches: Mapping[str, str]) -> Iterator[str]:
        """Sentences on cache settings that differ from those when the run began."""
        for name, first in self.run.target.caches.items():
            if (now := caches.get(name, "unknown")) != first:
                yield f"When the run began, the {name} was {first}; when this writing began, it was {now}."

    def judged(self, found: Sequence[Sequence[int]], how: How, at: str) -> Cut:
        """Judge the last cut.

        Raises:
            Disorder: The data read back does not fit the range.
        """
        history = self.history or History(self.run.plan.blocks, 1)
        tally = judge(history, found)
        seconds, why = (None, None)
        if self.flush is not None and self.heard is not None:
            seconds, why = exposure(self.flush, self.heard, history.pace())
        verdict = tally.verdict
        doubts = (
            [*self.doubts, *self._killed(), *self._powered(how), *([why] if why else []), *_doubts(history, tally)]
            if verdict in ("none", "unknown")
            else []
        )
        ended: Literal["silent", "closed", "target"] = "silent" if self.ended is None else "closed"
        if isinstance(self.ended, Bye):
            ended = "target"
        lost_at = history.flushed_at(tally.first_lost) if tally.first_lost is not None else None
        return Cut(
            number=len(self.cuts) + 1, at=at, how=how, verdict=verdict, ended=ended,
            counted=verdict != "unknown" and not doubts,
            reasons=tuple(doubts),
            writes=history.last - history.base, acknowledged=history.acknowledged, flushes=history.flushes,
            exposure_seconds=seconds,
            loss_seconds=max(self.heard[0] - lost_at, 0.0) if self.heard and lost_at is not None else None,
            **{name: count for name, count in asdict(tally).items() if name in _COUNTS},
        )  # fmt: skip

    def _killed(self) -> Iterator[str]:
        """The sentence that the writer ended before the power did.

        A machine without power closes no connection. Of a virtual machine, its host does, and not each shows that it
        is one: those of ARM, POWER and s390x may report no hypervisor.
        """
        if self.closed_after is not None and self.closed_after < CLOSED_SOON and self.run.virtual is None:
            yield (
                "The writer's connection was closed at once, and a machine without power closes none: the writer was "
                "killed before the power was cut, or the machine is a virtual one that does not show it."
            )

    def _powered(self, how: How) -> Iterator[str]:
        """The sentence that the target may have failed without losing its power."""
        if isinstance(self.ended, Bye) and how == "unknown":
            yield (
                "The target reported an error, and no power cut is known: a drive with power loses nothing from its "
                "cache. If its power was cut, repeat the cut, and resume with --cut-by."
            )

    def report(self) -> PowerCutRun:
        """The run with its cuts."""
        return self.run.with_cuts(self.cuts)

    def about(self, target: Target) -> None:
        """Store the target's device node as a new session reports it. Nodes may change from boot to boot."""
        self.run = msgspec.structs.replace(
            self.run, target=msgspec.structs.replace(self.run.target, device=target.device)
        )


def _doubts(history: History, tally: Tally) -> list[str]:
    sentences = []
    if not history.acknowledged:
        sentences.append("No write was acknowledged before the cut, apart from the filling.")
    for count, what in (
        (tally.foreign, "contain data that this run has not written: another program has used the range"),
        (tally.unreadable, "could not be read"),
        (tally.unannounced, "contain writes that are missing in the witness's journal"),
    ):
        if count:
            sentences.append(f"{counted(count, 'block')} {what}.")
    return sentences
