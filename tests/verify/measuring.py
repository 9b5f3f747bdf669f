"""Short sessions on a model of known truth. They are joined to the inventory of a written machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from raidctl.bench.model.device import Kind, Plan
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Session
from raidctl.bench.session import Runner
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.policy_switch import PolicySwitch, State, Switch
from raidctl.bench.trials.trial import KIB, MIB, Trial
from raidctl.bench.verdict.evidence import Evidence
from raidctl.verify.facts import facts, write_percent
from raidctl.verify.judge import verify
from raidctl.verify.measured import joined
from raidctl.verify.measurements import Measurements
from raidctl.verify.report import Answer
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import claims
from tests.bench.virtual_clock import Stage, set_cache

MEDIUM = Medium(reads=60, commits=72)
COMMITS = Commits(seconds=0.22)
SLOPE = FlushSlope(amounts=(0, 1, 2, 3), rounds=4)
KNEE = Knee(block=16 * KIB, most=24 * MIB, fills=1, rest=0.2, seconds=6)


PLAN: dict[str, Any] = {"rpm": 15000.0, "size": 256 * MIB, "keep": False}


def measured(kind: Kind, *, trials: Sequence[Trial] = (MEDIUM, COMMITS, SLOPE), **plan: Any) -> Session:
    """Trials on a model of this kind, on its virtual clock."""
    bench = Stage(Plan(kind=kind, **{**PLAN, **plan})).bench()
    return Runner(bench, again=False).run(profile(trials))


def switched(kind: Kind, *, states: dict[State, str], engine: Switch | None = None) -> Session:
    """Return the same session with the model switched, and back. The words are those of its control socket.

    ``engine``: what is switched first, as a controller is; the model's drives follow it.
    """
    bench = Stage(Plan(kind=kind, **PLAN)).bench()

    @contextmanager
    def other(state: State) -> Iterator[None]:
        with ExitStack() as stack:
            if engine is not None:
                stack.enter_context(engine(state))
            set_cache(bench, states[state])
            stack.callback(set_cache, bench, states[state].replace("write-through", "write-back").replace("off", "on"))
            yield

    trials = (MEDIUM, PolicySwitch(switch=other, states=tuple(states), seconds=0.75))
    return Runner(bench, again=False).run(profile(trials))


def profile(trials: Sequence[Trial]) -> Profile:
    """The trials alone."""
    return Profile(name="verify", title="", seconds=60, size=0, trials=tuple(trials))


def measurements(known: CheckedMachine, session: Session) -> Measurements:
    """Attribute the session to the one volume or drive of a machine."""
    [subject] = whole(known, drives=True)[0]
    return Measurements(
        session=session,
        facts=facts(known, subject),
        named="/srv",
        subject=subject,
        write_percent=write_percent(subject),
        asked=("--power-safe",),
    )


def answered(known: CheckedMachine, session: Session, **wanted: object) -> Answer:
    """Return the answer to one claim about the one volume or drive. It rests on inventory and measurement."""
    asked = claims(wanted)
    report = verify(known, asked, whole(known, drives=True)[0], (), ())
    [answer] = joined(report, asked, measurements(known, session)).answers
    return answer


def unknown_server(session: Session) -> Measurements:
    """The session of a server of which nothing else is known."""
    return Measurements(session=session, facts=Evidence(), named="nbd+unix:///?socket=/m", served=True)
