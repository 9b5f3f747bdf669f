"""The measurements of a target, and the facts known about it. Its figures serve as evidence. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.bench.session import failures
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
"""Tests that change a policy temporarily. Each has its option, and the figure that it measures."""
_WRITES = frozenset({COMMITS, SLOPE})
_WORDS: Mapping[tuple[str, str], str] = {
    ("medium", "read_latency"): "a random read takes {} ms",
    ("medium", "rpm"): "{} rpm",
    ("commits", "commits"): "{} commits a second",
    ("commits", "commits_raw"): "{} commits a second with the flush sent directly to the drive",
    ("commits", "unflushed"): "{} writes a second without a flush",
    ("flush_slope", "flush_slope"): "a flush takes {} ms longer for each MiB written before it",
    ("knee", "write_cache"): "writes become slow after {} MiB",
    ("knee", "destage"): "the cache is written out at {} MiB/s",
    ("policy_switch", "commits_before"): "{} commits a second before and after the switch",
    ("policy_switch", "commits_write_through"): "{} commits a second with the controller in write-through",
    ("policy_switch", "commits_drive_off"): "{} commits a second with the write caches of the drives off",
    ("raid_level", "reads"): "{} random reads a second",
    ("raid_level", "sustained_writes"): "{} random writes a second, past the write cache",
    ("raid_level", "write_cost"): "a small write costs {} times what a read costs",
}
"""Wording of the figures."""


@dataclass(frozen=True)
class Measurements:
    """Measurements, and other known facts."""

    session: Session
    facts: Weighed
    """Facts from inventory and kernel."""
    named: str
    """The target, as the user named it."""
    subject: Subject | None = None
    """Its volume or drive; None: unknown."""
    write_percent: int | None = None
    """Reported share of the controller's cache for writes."""
    served: bool = False
    """Measured on an NBD server, not on hardware of this machine."""
    asked: tuple[str, ...] = field(default=())
    """Command-line options, such as the claims, that suggested commands repeat."""

    @cached_property
    def results(self) -> Mapping[str, TrialResult]:
        """Results by the name of the test."""
        return {one.trial: one for one in self.session.results}

    def weighed(self, promise: Promise = "durable") -> Weighed:
        """All evidence, measured and reported."""
        known = evidence(self.results, replace(self.facts, promise=promise))
        every = (*known.confounders, *self.session.confounders)
        return replace(known, confounders=tuple({(one.name, one.text): one for one in every}.values()))

    def finding(self, promise: Promise = "durable") -> Finding:
        """The matching row of the evidence table."""
        found = weigh(self.weighed(promise))
        counted = self.results["commits"].figures.get("commits") if "commits" in self.results else None
        if found.case == "not measured" and counted is not None and counted.n:
            longer = max(60, 10 * round(0.4 * self.session.seconds))
            few = f"Only {counted.n} commit{'s were' if counted.n > 1 else ' was'} counted, which is too few."
            test = f"Measure longer: {self.command('--seconds', str(longer))}"
            return replace(found, reasons=(few,), next_test=test)
        return replace(found, next_test=self.decisive(found.next_test))

    @property
    def pace(self) -> str | None:
        """`slow`, `fast` or `between`; None: unknown, or slowed down by other load."""
        known = self.weighed()
        if any(one.forbids for one in known.confounders):
            return None
        speed = pace(known.commits, known.limit)
        return None if speed == "slow" and self.slowed else speed

    @property
    def barred(self) -> Mapping[str, str]:
        """Why the measurements show nothing about the drives: sentences by confounder."""
        return {one.name: one.text for one in self.weighed().confounders if one.forbids}

    @property
    def slowed(self) -> tuple[str, ...]:
        """Influences that reduce the figures."""
        return tuple(one.text for one in self.weighed().confounders if one.name in SLOWING)

    @property
    def failures(self) -> tuple[str, ...]:
        """Operations that failed by the target's fault, one sentence for each test."""
        return failures(self.session.results)

    def figure(self, trial: str, name: str) -> Spread | None:
        """A figure with an interval. None if it was not measured, or for too short a time."""
        found = self.results[trial].figures.get(name) if trial in self.results else None
        return found if found is not None and found.low is not None and found.high is not None else None

    def lines(self, wanted: Iterable[tuple[str, str]]) -> Iterator[Evidence]:
        """The available figures as evidence."""
        for trial, name in wanted:
            result = self.results.get(trial)
            found = None if result is None else result.figures.get(name)
            if result is not None and found is not None and found.measured is not None:
                statement = _in_words(found, _WORDS[trial, name], result.engine)
                yield Evidence("measurement", self.place, statement, figure=found, engine=result.engine)  # fmt: skip

    @property
    def place(self) -> str:
        """The target in results; for a temporary file its directory."""
        return str(PurePath(self.session.target).parent) if self.session.kind == "file" else self.session.target

    def decisive(self, test: str | None) -> str | None:
        """A test with its command, if raidctl can run it."""
        medium = self.results.get("medium")
        if test == MEDIUM and medium is not None and medium.series.get("medium") == "rotating":
            return REPEAT  # a hard drive whose rpm the commits did not show
        if test in _WRITES and self.writing():
            return f"{test} {self.writing()}"
        if test == RAW:
            mine = self.command("--flush-device", "DEVICE")
            return f"{test} As root this is automatic for a single drive; otherwise name the device: {mine}"
        option, figure = SWITCHES.get(test or "", ("", ""))
        if option and not self.served and self.figure("policy_switch", figure) is None:
            return f"{test} Run: {self.command(option)}"
        return f"{test} Run: {self.command()}" if test == MEDIUM and self.session.interrupted else test

    def writing(self) -> str | None:
        """How to allow writes if none were possible; else None."""
        if self.session.kind == "file" or self.session.written:
            return None
        what = (
            "--overwrite all"
            if self.served
            else "a directory on it, or a RANGE of it that may be overwritten (--overwrite)"
        )
        return f"Nothing was written, so write tests were skipped: name {what}."

    def command(self, *more: str) -> str:
        """A command line for the user."""
        return command(self.named, *self.asked, *more)


def command(named: str, *options: str) -> str:
    """``raidctl verify --measure … TARGET``."""
    return shlex.join(["raidctl", "verify", "--measure", *options, named])


def _in_words(found: Spread, text: str, engine: str | None) -> str:
    if found.unit == "ms/MiB" and found.low is not None and found.high is not None and found.low <= 0 <= found.high:
        text = "the time of a flush does not depend measurably on the amount written before it: {} ms per MiB"
    interval = (
        f"95%: {number(found.low)} to {number(found.high)}, "
        if found.low is not None and found.high is not None
        else "no interval, "
    )
    return f"{text.format(number(found.measured))} ({interval}n={found.n}, {engine or 'no engine'})"


def number(value: float | None) -> str:
    """A number with three significant digits."""
    if value is None:
        return "?"
    size = abs(value)
    text = f"{size:.0f}" if size >= 100 else f"{size:.1f}" if size >= 10 else f"{size:.2f}"
    return f"-{text}" if value < 0 and float(text) else text
