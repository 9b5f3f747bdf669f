"""What the clock has told of a target: the session, what is known beside it, and its figures as evidence. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.verdict.decision import COMMITS, DRIVE_OFF, FLIP, MEDIUM, RAW, REPEAT, SLOPE
from raidctl.bench.verdict.early_acknowledgement import SLOWING, Finding, weigh
from raidctl.bench.verdict.evidence import Evidence as Weighed
from raidctl.bench.verdict.evidence import Promise, pace
from raidctl.verify.report import Evidence
from raidctl.verify.subjects import Subject

SWITCHES: Mapping[str, tuple[str, str]] = {
    FLIP: ("--switch-policy", "commits_write_through"),
    DRIVE_OFF: ("--switch-drive-caches", "commits_drive_off"),
}
"""The tests that change a policy for a while, the option that asks for each, and the figure that it gives."""
_WRITES = frozenset({COMMITS, SLOPE})
_SAID: Mapping[tuple[str, str], str] = {
    ("medium", "read_latency"): "a random read takes {} ms",
    ("medium", "rpm"): "{} revolutions a minute",
    ("commits", "commits"): "{} commits a second",
    ("commits", "commits_raw"): "{} commits a second with the flush sent past all layers",
    ("commits", "unflushed"): "{} writes a second without a flush",
    ("flush_slope", "flush_slope"): "a flush takes {} ms longer for each MiB written before it",
    ("knee", "write_cache"): "writes become slow after {} MiB",
    ("knee", "destage"): "what is written leaves the cache with {} MiB/s",
    ("policy_switch", "commits_before"): "{} commits a second before and after the switch",
    ("policy_switch", "commits_write_through"): "{} commits a second with the controller in write-through",
    ("policy_switch", "commits_drive_off"): "{} commits a second with the drives' own caches off",
    ("raid_level", "reads"): "{} random reads a second",
    ("raid_level", "sustained_writes"): "{} random writes a second, past the write cache",
    ("raid_level", "write_cost"): "a small write costs {} times what a read costs",
}
"""Figures for people."""


@dataclass(frozen=True)
class Clock:
    """Everything that a claim is weighed with."""

    session: Session
    facts: Weighed
    """C1 and C2: what inventory and kernel know."""
    named: str
    """What was measured, as the user named it."""
    subject: Subject | None = None
    """What lies there; None: it is not known."""
    write_percent: int | None = None
    """The share of the controller's cache that is for writes, as it tells."""
    served: bool = False
    """Whether an NBD server answered: nothing of this machine's hardware was measured."""
    asked: tuple[str, ...] = field(default=())
    """Options of the command line that a command to copy repeats, such as the claims."""

    @cached_property
    def results(self) -> Mapping[str, TrialResult]:
        """By the name of the trial."""
        return {one.trial: one for one in self.session.results}

    def weighed(self, promise: Promise = "durable") -> Weighed:
        """All evidence."""
        known = evidence(self.results, replace(self.facts, promise=promise))
        every = (*known.confounders, *self.session.confounders)
        return replace(known, confounders=tuple({(one.name, one.text): one for one in every}.values()))

    def finding(self, promise: Promise = "durable") -> Finding:
        """The row of the evidence table."""
        found = weigh(self.weighed(promise))
        counted = self.results["commits"].figures.get("commits") if "commits" in self.results else None
        if found.case == "not measured" and counted is not None and counted.n:
            longer = max(60, 10 * round(0.4 * self.session.seconds))
            few = f"Only {counted.n} commit{'s were' if counted.n > 1 else ' was'} counted: too few to tell."
            test = f"Measure longer: {self.command('--seconds', str(longer))}"
            return replace(found, reasons=(few,), next_test=test)
        return replace(found, next_test=self.decisive(found.next_test))

    @property
    def pace(self) -> str | None:
        """`slow`, `fast` or `between`; None: not known, or something else may have slowed it down."""
        known = self.weighed()
        if any(one.forbids for one in known.confounders):
            return None
        speed = pace(known.commits, known.limit)
        return None if speed == "slow" and self.slowed else speed

    @property
    def barred(self) -> Mapping[str, str]:
        """Why nothing that is measured here tells of the drives: sentences by the name of the confounder."""
        return {one.name: one.text for one in self.weighed().confounders if one.forbids}

    @property
    def slowed(self) -> tuple[str, ...]:
        """What makes figures slow that are not slow by themselves."""
        return tuple(one.text for one in self.weighed().confounders if one.name in SLOWING)

    def figure(self, trial: str, name: str) -> Spread | None:
        """A figure with an interval; None: not measured, or too short."""
        found = self.results[trial].figures.get(name) if trial in self.results else None
        return found if found is not None and found.low is not None and found.high is not None else None

    def lines(self, wanted: Iterable[tuple[str, str]]) -> Iterator[Evidence]:
        """Figures as evidence, those that there are."""
        for trial, name in wanted:
            result = self.results.get(trial)
            found = None if result is None else result.figures.get(name)
            if result is not None and found is not None and found.measured is not None:
                says = _told(found, _SAID[trial, name], result.engine)
                yield Evidence("measurement", self.place, says, figure=found, engine=result.engine)  # fmt: skip

    @property
    def place(self) -> str:
        """What was measured, as results name it: of a file that is gone its directory."""
        return str(PurePath(self.session.target).parent) if self.session.kind == "file" else self.session.target

    def decisive(self, test: str | None) -> str | None:
        """A test with the command that makes it, where raidctl can."""
        medium = self.results.get("medium")
        if test == MEDIUM and medium is not None and medium.series.get("medium") == "rotating":
            return REPEAT  # that it turns is known; how fast, commits did not tell
        if test in _WRITES and self.writing():
            return f"{test} {self.writing()}"
        if test == RAW:
            mine = self.command("--flush-device", "DEVICE")
            return f"{test} As root that is done by itself where one disk lies below; else name it: {mine}"
        option, figure = SWITCHES.get(test or "", ("", ""))
        if option and not self.served and self.figure("policy_switch", figure) is None:
            return f"{test} That is: {self.command(option)}"
        return f"{test} That is: {self.command()}" if test == MEDIUM and self.session.interrupted else test

    def writing(self) -> str | None:
        """What to do where nothing could be written; None: it could."""
        if self.session.kind == "file" or self.session.written:
            return None
        what = (
            "--overwrite all" if self.served else "a directory on it, or a RANGE of it that may be lost (--overwrite)"
        )
        return f"Nothing was written, so that was left out: name {what}."

    def command(self, *more: str) -> str:
        """A command line to copy."""
        return command(self.named, *self.asked, *more)


def command(named: str, *options: str) -> str:
    """``raidctl verify --measure … TARGET``."""
    return shlex.join(["raidctl", "verify", "--measure", *options, named])


def _told(found: Spread, text: str, engine: str | None) -> str:
    if found.unit == "ms/MiB" and found.low is not None and found.high is not None and found.low <= 0 <= found.high:
        text = "no measurable difference in the time of a flush by what was written before it: {} ms for each MiB"
    interval = (
        f"95 %: {number(found.low)} to {number(found.high)}, "
        if found.low is not None and found.high is not None
        else "no interval, "
    )
    return f"{text.format(number(found.measured))} ({interval}n={found.n}, {engine or 'no engine'})"


def number(value: float | None) -> str:
    """Four digits that mean something."""
    if value is None:
        return "?"
    size = abs(value)
    text = f"{size:.0f}" if size >= 100 else f"{size:.1f}" if size >= 10 else f"{size:.2f}"
    return f"-{text}" if value < 0 and float(text) else text
