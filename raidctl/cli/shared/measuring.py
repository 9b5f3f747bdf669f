"""Carry out a measurement: target, engine, confounders, session.

``bench run`` and ``verify --measure`` use it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from raidctl.bench.engines.calibrate import marked
from raidctl.bench.engines.choose import Choice, choose
from raidctl.bench.preflight import TargetFacts, When, ask, confounders, load, ticks
from raidctl.bench.profiles import together
from raidctl.bench.result import Confounder, Session, TrialResult
from raidctl.bench.session import Runner, with_confounders
from raidctl.bench.targets.device import DeviceTarget
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.targets.place import place_of
from raidctl.bench.trials.trial import Bench, Progress
from raidctl.bench.work import Engine, Target
from raidctl.cli.shared.below_target import below
from raidctl.cli.shared.bench_plan import Order, Prospect, announcement, file_size, kind_of
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import UsageError
from raidctl.layers.scope import Scope, scope
from raidctl.request import Runner as Asks
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.text import printable, regex

Say = Callable[[str, float, float], object]
Agree = Callable[[Sequence[str]], object]
LISTENING = 0.5
"""Idle seconds at the start, to detect other load on the drives."""
_BLOCK = 4096
"""Block size in bytes when an engine is calibrated on memory."""
_DEPTH = regex(r"(?:^|_)qd(\d+)(?:_|$)")


@dataclass
class Measured:
    """The results of a measurement."""

    session: Session
    second: Session | None = None
    prepared: int = 0


@dataclass
class Measuring:
    """A measurement in progress."""

    order: Order
    seen: Survey
    asks: Asks
    say: Say
    """Called with the current step, seconds spent, and seconds in total."""
    busy: tuple[Confounder, ...] = ()
    """Other load on the drives before the start."""

    def plan(self, agree: Agree) -> Measured:
        """Print the plan, and carry it out after consent. Without consent, ``agree`` raises.

        Raises:
            BenchError, AccessMissing, UsageError: It cannot be done; nothing is left behind.
        """
        with ExitStack() as stack:
            if self.order.kind == "file":
                size, why = file_size(self.order)
                prospect = Prospect(name=str(Path(self.order.target).resolve()), size=size)
                file = self._file(size)
                file.check()  # a plan that cannot be carried out is not printed
                self._choices(file)
                agree(announcement(self.order, prospect, [why] if why else []))
                self.busy = self.loads()
                target: Target = stack.enter_context(file)
                prepared = target.size
            else:
                target, prepared = self._opened(stack), 0
                if self.order.also_read:
                    self._open_others(stack)
                self._choices(target)
                agree(announcement(self.order, target, []))
                self.busy = self.loads()
            return self._measure(target, prepared, () if self.order.kind != "file" or not why else (why,))

    def loads(self, when: When = "before") -> tuple[Confounder, ...]:
        """Return other load on the drives below the target. This takes half a second."""
        reached = None if self.order.kind == "nbd" else self._scope(self.order.target)
        if reached is None or not reached.blocks:
            return ()
        begun, before = time.monotonic(), converse(ticks(reached.blocks), self.asks)
        time.sleep(LISTENING)
        after = converse(ticks(reached.blocks), self.asks)
        return tuple(load(before, after, time.monotonic() - begun, when))

    def _file(self, size: int) -> FileTarget:
        def progress(done: int, whole: int) -> None:
            self.say("filling the file", self.order.seconds * 0.05 * done / whole, self.order.seconds * 1.05)

        return FileTarget(self.order.target, size, progress=progress, warn=emit_message)

    def _open_others(self, stack: ExitStack) -> None:
        """Open the other devices, and use the profile that measures all."""
        others: list[Target] = []
        several = [str(Path(name).resolve()) for name in (self.order.target, *self.order.also_read)]
        if len(set(several)) < len(several):
            raise UsageError("--also-read: a drive is named twice, and it cannot be compared with itself.")
        for name in self.order.also_read:
            kind = kind_of(name)
            if kind == "file":
                raise UsageError(f"--also-read {printable(name)}: drives are compared, so name a device.")
            other: NbdTarget | DeviceTarget = NbdTarget(name) if kind == "nbd" else DeviceTarget(name)
            stack.enter_context(other)
            others.append(other)
        profile = together(others)
        given = self.order.seconds != self.order.profile.seconds
        self.order = replace(self.order, profile=profile, seconds=self.order.seconds if given else profile.seconds)

    def _opened(self, stack: ExitStack) -> DeviceTarget | NbdTarget:
        order = self.order
        if order.kind == "nbd":
            return stack.enter_context(NbdTarget(order.target, write=order.overwrite is not None))
        write = order.overwrite
        if write == (0, 0):
            with DeviceTarget(order.target) as look:
                write = (0, look.size)
        return stack.enter_context(DeviceTarget(order.target, write=write))

    def _choices(self, target: Target) -> tuple[Choice, Engine | None]:
        """Return the engine, and a second one that repeats the measurements.

        Raises:
            BenchError: What is asked for cannot be used.
        """
        choice = choose(target, self.order.engine)
        return choice, second_opinion(target, choice.engine) if self.order.cross_check else None

    def _measure(self, target: Target, prepared: int, notes: Sequence[str]) -> Measured:
        choice, other = self._choices(target)
        found = (*confounders(self._target_facts(target)), *self.busy)
        session = self._session(target, choice, found, notes)
        if not session.interrupted and not self.busy:  # something may have begun meanwhile
            session = self._with_other_load(session)
            found = (*found, *self.busy)
        second = None
        if other is not None and not session.interrupted:
            second = self._session(target, Choice(other), found, ())
            session = msgspec.structs.replace(session, interrupted=second.interrupted)
        return Measured(session, second, prepared)

    def _with_other_load(self, session: Session) -> Session:
        """Add other load on the drives at the end of a session. Ctrl-C loses no figures."""
        try:
            self.busy = self.loads("after")
        except KeyboardInterrupt:
            return msgspec.structs.replace(session, interrupted=True)
        return with_confounders(session, self.busy)

    def _session(self, target: Target, choice: Choice, found: tuple[Confounder, ...], notes: Sequence[str]) -> Session:
        bench = Bench(target, choice.engine, confounders=found, budget=self.order.seconds, rpm=self._rpm(target))
        if self.order.kind != "nbd":
            bench.below = below(self._scope(target.name), self.asks, bench.rpm)
        bench.notes += [*notes, *([choice.reason] if choice.reason else [])]

        def progress(now: Progress) -> None:
            self.say(f"{choice.engine.name}: {now.title}", now.seconds, now.total)

        profile = replace(self.order.profile, size=target.size)
        session = Runner(bench, progress=progress).run(profile)
        return session if session.interrupted else limited(session, bench)

    def _target_facts(self, target: Target) -> TargetFacts:
        """Return what is below the target. Whatever is unknown becomes a separate confounder."""
        noticed = tuple(getattr(target, "confounders", ()))
        if self.order.kind == "nbd":
            return TargetFacts(kind="nbd", noticed=noticed)
        reached = self._scope(target.name)
        readings = converse(ask(reached.blocks if reached else ()), self.asks)
        return TargetFacts(
            kind=self.order.kind,
            view=self.seen.view,
            scope=reached,
            place=readings.place(target.name) if self.order.kind == "file" else TargetFacts(kind="nbd").place,
            direct=target.direct,
            attributes=readings.attributes,
            cpuinfo=readings.cpuinfo,
            noticed=noticed,
        )

    def _scope(self, path: str) -> Scope | None:
        name = str(Path(self.order.target).resolve())
        if self.order.kind == "file":
            name = place_of(path).point or name
        try:
            return scope(self.seen.view, self.seen.inventory, name)
        except UsageError:
            return None

    def _rpm(self, target: Target) -> float | None:
        """Return the rotational speed of all drives below. None: they differ, or some do not report it."""
        reached = None if self.order.kind == "nbd" else self._scope(target.name)
        speeds = {drive.rpm for _, drive in reached.drives} if reached else set[int | None]()
        one = speeds.pop() if len(speeds) == 1 else None
        return float(one) if one else None


def second_opinion(target: Target, first: Engine) -> Engine:
    """Return the engine that repeats measurements. raidctl's own engine repeats those of fio, and fio all others.

    Raises:
        BenchError: It cannot be used here.
    """
    return choose(target, "fio" if first.name != "fio" else None).engine


def limited(session: Session, bench: Bench) -> Session:
    """Add a note to each figure that is limited by the engine, not by the device.

    Compares with the same calibration as the tests on this bench, so that no figure is marked twice.
    """
    fastest: dict[int, tuple[float, str, TrialResult]] = {}
    for result in session.results:
        for name, spread in result.figures.items():
            if spread.unit == "ops/s" and spread.measured is not None and "_x" not in name:
                match = _DEPTH.search(name)
                depth = int(match[1]) if match else 1
                if depth not in fastest or fastest[depth][0] < spread.measured:
                    what = name if name == result.trial else f"{result.trial}, {name}"
                    fastest[depth] = (spread.measured, what, result)
    notes, found = list(session.notes), list[Confounder]()
    try:
        for depth, (rate, what, result) in sorted(fastest.items(), key=lambda item: item[0]):
            for text in bench.limits([(_BLOCK, depth, rate)]):
                # verdicts rest on the notes about commits
                if what == "commits":
                    found.append(Confounder(name="engine_limited", text=f"{what}: {text}"))
                # a test that used blocks of another size has compared with the engine's rate on memory itself
                if not marked(rate, result.reasons):
                    notes.append(f"{what}: {text}")
    except KeyboardInterrupt:  # all measurements are complete by now
        session = msgspec.structs.replace(session, interrupted=True)
    return msgspec.structs.replace(session, notes=tuple(notes), confounders=(*session.confounders, *found))
