"""Measurement of a case of ``truth_cases`` with the real trials.

It runs on a virtual clock, or over NBD in real time.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.model.device import Plan
from raidctl.bench.profiles import Profile
from raidctl.bench.result import TrialResult
from raidctl.bench.session import Runner
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.policy_switch import PolicySwitch, State
from raidctl.bench.trials.trial import KIB, MIB, Bench, Trial
from raidctl.bench.verdict.early_acknowledgement import weigh
from raidctl.bench.verdict.evidence import Evidence
from raidctl.units import parse_size
from tests.bench.served_model import Model, prompt, serving
from tests.bench.truth_cases import BACK, Truth
from tests.bench.virtual_clock import Stage, measured_model, set_cache


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The durations of a case."""

    rpm: int
    medium: Medium
    commits: Commits
    knee: Knee
    slope: FlushSlope
    switched: float
    """Seconds of each phase while policies are switched."""
    cache: str
    destage: str


SHORT = Scale(
    rpm=15000,
    medium=Medium(reads=60, commits=66),
    commits=Commits(seconds=0.26),
    knee=Knee(most=24 * MIB, block=16 * KIB, fills=1, rest=0.1, seconds=3.0),
    slope=FlushSlope(amounts=(0, 0.5, 1, 2), rounds=3),
    switched=0.9,
    cache="4MiB",
    destage="20MB/s",
)
"""Seconds, for the tests."""
LONG = Scale(
    rpm=7200,
    medium=Medium(reads=300, commits=180),
    commits=Commits(seconds=1.0),
    knee=Knee(most=64 * MIB, block=16 * KIB, fills=2, rest=1.0, seconds=10.0),
    slope=FlushSlope(amounts=(0, 1, 2, 4), rounds=6),
    switched=3.0,
    cache="8MiB",
    destage="10MB/s",
)
"""Half a minute, with phases about as long as a user's."""
LATENCY = 0.0003
"""Seconds of any reply. They give about 1500 commits per second, so that several models can be served at the same
time."""


@dataclass(frozen=True)
class Run:
    """The result of one run."""

    verdict: str
    case: str
    evidence: Evidence
    lateness: dict[str, Any]
    """The lateness that the model reports."""
    disturbed: bool
    """Whether the host was too slow for the model or its client. The properties of the model then do not hold."""
    seconds: float


@contextmanager
def served(*words: str, drops: bool = False) -> Iterator[tuple[Model, NbdTarget]]:
    """Serve a model with these arguments. Yield it with its export as a writable target."""
    # a socket's path has 108 bytes, so the folder must be near the root
    with (
        tempfile.TemporaryDirectory(prefix="truth-", dir="/tmp") as name,
        prompt(),
        serving(Path(name), *words) as model,
        target_of(model.dropping if drops else model.socket) as target,
    ):
        yield model, target


def target_of(place: Path) -> NbdTarget:
    """The export of a socket, as a writable target."""
    return NbdTarget(uri(place), write=True)


def uri(place: Path) -> str:
    """The URI of the export of a socket."""
    return f"nbd+unix:///?socket={os.fspath(place)}"


def play(truth: Truth, scale: Scale = SHORT, **given: Any) -> Run:
    """Serve the array, measure it, and weigh the evidence. ``given`` are fields of the bench, such as the seed."""
    rpm = scale.rpm if truth.rpm is None else truth.rpm
    words = ["--kind", truth.kind, "--rpm", str(rpm), "--cache", scale.cache, "--destage", scale.destage]
    words += ["--latency", str(LATENCY), "--size", "4GiB", "--no-keep", *truth.words]
    facts = replace(truth.facts, rpm=float(rpm) if truth.facts.rpm and rpm else None)
    with served(*words, drops=truth.dropping) as (model, target):
        for switch in truth.before:
            model.say(switch)
        model.say("reset")
        bench = Bench(target=target, engine=PortableEngine(), confounders=facts.confounders, rpm=facts.rpm, **given)
        commits = replace(scale.commits, past=uri(model.socket) if truth.raw else None)
        found = evidence(_measured(truth, replace(scale, commits=commits), bench, model), facts)
        lateness = model.say("status")["lateness"]
        # with two connections the client waits on one for what it has requested on the other
        disturbed = bool(lateness["host_too_slow"]) if truth.raw else model.too_slow()
    finding = weigh(found)
    return Run(finding.verdict, finding.case, found, lateness, disturbed, round(bench.spent, 2))


def compute(truth: Truth, scale: Scale = SHORT, seed: int = 7) -> Run:
    """Run a case in the model's time. The trials are the same, and the engine is computed."""
    rpm = scale.rpm if truth.rpm is None else truth.rpm
    facts = replace(truth.facts, rpm=float(rpm) if truth.facts.rpm and rpm else None)
    sizes: dict[str, Any] = {"cache": parse_size(scale.cache, binary=True)}
    sizes |= {word.strip("-").replace("-", "_"): parse_size(size, binary=True) for word, size in _pairs(truth.words)}
    destage = float(parse_size(scale.destage.removesuffix("/s"), binary=False))
    plan = Plan(kind=truth.kind, rpm=rpm, destage=destage, latency=LATENCY, size=4 << 30, keep=False, **sizes)
    bench = Stage(plan).bench(seed, confounders=facts.confounders, rpm=facts.rpm)
    target = measured_model(bench)
    target.drops = truth.dropping
    switches = Switches(bench)
    for switch in truth.before:
        switches.say(switch)
    commits = replace(scale.commits, past=target.past() if truth.raw else None)
    found = evidence(_measured(truth, replace(scale, commits=commits), bench, switches), facts)
    finding = weigh(found)
    return Run(finding.verdict, finding.case, found, {}, False, round(bench.spent, 2))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(words[::2], words[1::2], strict=True)


@dataclass(frozen=True)
class Switches:
    """The switches of a model without a server."""

    bench: Bench

    def say(self, words: str) -> object:
        """Send a command."""
        set_cache(self.bench, words)
        return None


class HasSwitches(Protocol):
    """A model with switches."""

    def say(self, words: str) -> object:
        """Send a command."""


def _measured(truth: Truth, scale: Scale, bench: Bench, model: HasSwitches) -> dict[str, TrialResult]:
    """Results by the names of their trials."""
    trials: list[Trial] = [scale.medium, scale.commits]
    trials += [scale.knee, scale.slope] if truth.flushes else []
    if truth.switched:
        states = tuple(state for state, _ in truth.switched)
        trials.append(PolicySwitch(switch=switching(model, truth), states=states, seconds=scale.switched))
    profile = Profile(name="truth", title="", seconds=60, size=0, trials=tuple(trials))
    return {one.trial: one for one in Runner(bench, again=False).run(profile).results}


def switching(model: HasSwitches, truth: Truth) -> Callable[[State], AbstractContextManager[None]]:
    """Return a function that switches the model during a context."""

    @contextmanager
    def switched_to(state: State) -> Iterator[None]:
        switches = dict(truth.switched)[state]
        for switch in switches:
            model.say(switch)
        try:
            yield
        finally:
            for switch in reversed(switches):
                model.say(BACK[switch])

    return switched_to
