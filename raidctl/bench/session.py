"""One run: the interleaved trials of a profile on one target. The first one is repeated at the end.

The rounds of all trials are interleaved, so that changes during the run affect all of them alike and show in their
intervals. Trials that change the state of the machine run after the others, alone. The caller opens the target; on
leaving its context, the file is removed in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from raidctl.bench.estimators.spread import drifted
from raidctl.bench.faulty import TargetFailed
from raidctl.bench.preflight import durable_verdicts
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Confounder, Drift, Session, TrialResult
from raidctl.bench.trials.phase import words
from raidctl.bench.trials.trial import Bench, Interrupted, Needs, Progress, Steps, Trial, whole
from raidctl.bench.verdict.decision import POWER_CUT
from raidctl.bench.work import Target
from raidctl.errors import ChangeNotUndone, RaidctlError
from raidctl.units import format_figure

DURABILITY = frozenset({"commits", "flush_slope", "early_acknowledgement"})
"""Trials with a verdict on durability."""
_DRIFT_TEXT = (
    "The first test gave {first} {unit} at the beginning and {last} {unit} at the end: the environment is not stable."
)
SMALLEST = 4096
"""Bytes of the smallest block of any test."""
_FAILED = "failed_operations"
"""Name of the series with the messages of a failed target."""
_DRIFT_FIGURES = ("reads", "commits", "read", "read_qd1_all", "read_latency")
"""The figure used for drift: the first of these that was measured."""


@dataclass
class _Turn:
    """A running trial."""

    trial: Trial
    needs: Needs
    steps: Steps
    seconds: float = 0.0
    engines: list[str] = field(default_factory=list)
    """The engines that have run it."""
    result: TrialResult | None = None


@dataclass
class Runner:
    """Run the trials of a profile on an open target."""

    bench: Bench
    progress: Callable[[Progress], object] = lambda _: None
    again: bool = True
    """Whether the first trial is repeated at the end."""
    total: float = 0.0
    _drift: Drift | None = field(default=None, init=False)

    def run(self, profile: Profile) -> Session:
        """Run it. Ctrl-C does not raise: the session is marked as interrupted, with the results so far."""
        turns, left_out = list[_Turn](), list[TrialResult]()
        try:
            self.bench.notes += _rounding_note(self.bench.target)
            turns, left_out = self._turns(profile.trials)
            self.total = self._estimate(turns)
            self._together([turn for turn in turns if not turn.trial.alone])
            for turn in turns:
                if turn.trial.alone:
                    self._together([turn])
            self._repeat(turns)
            return self._session(profile, turns, left_out)
        except (KeyboardInterrupt, Interrupted):
            self._collect_results(turns)
        return self._session(profile, turns, left_out, interrupted=True)

    def _turns(self, trials: Sequence[Trial]) -> tuple[list[_Turn], list[TrialResult]]:
        """Trials that can run here, and a result for each that cannot."""
        turns, left_out = list[_Turn](), list[TrialResult]()
        for trial in trials:
            needs = trial.needs(self.bench.target)
            why = self._why_not(needs)
            if why is None:
                turns.append(_Turn(trial, needs, trial.run(self.bench)))
            else:
                left_out.append(self._finish(trial, _inconclusive(trial, why), 0.0))
        return turns, left_out

    def _why_not(self, needs: Needs) -> str | None:
        target = self.bench.target
        if needs.writes and not target.writable:
            return f"It writes, and {target.name} may only be read."
        if needs.size > target.size:
            return f"It needs {words(needs.size)}, and {target.name} has {words(target.size)}."
        return None

    def _estimate(self, turns: Sequence[_Turn]) -> float:
        seconds = sum(turn.needs.seconds for turn in turns)
        if self.again and len(turns) > 1:
            seconds += turns[0].needs.seconds
        return seconds if self.bench.budget is None else min(seconds, self.bench.budget)

    def _together(self, turns: list[_Turn]) -> None:
        """Run one round of each trial in turn until all have ended."""
        waiting = list(turns)
        while waiting:
            waiting = [turn for turn in waiting if self._step(turn)]

    def _step(self, turn: _Turn) -> bool:
        """Run one round of a trial; return whether more follow."""
        self.progress(Progress(turn.trial.name, turn.trial.title, self.bench.spent, self.total))
        begun = self.bench.spent
        self.bench.now = turn.engines
        try:
            next(turn.steps)
        except StopIteration as end:
            result: TrialResult = end.value
        except ChangeNotUndone:  # a setting was not restored: that is reported first
            raise
        except TargetFailed as error:
            result = target_failed(TrialResult(trial=turn.trial.name, figures={}), error)
        except RaidctlError as error:
            result = _inconclusive(turn.trial, str(error))
        else:
            turn.seconds += self.bench.spent - begun
            return True
        turn.seconds += self.bench.spent - begun
        turn.result = self._finish(turn.trial, result, turn.seconds, turn.engines)
        return False

    def _finish(self, trial: Trial, result: TrialResult, seconds: float, engines: Sequence[str] = ()) -> TrialResult:
        bench = self.bench
        done = msgspec.structs.replace(
            weighed(result, bench.confounders), engine=", ".join(engines) or None, seconds=round(seconds, 3)
        )
        bench.known[trial.name] = done
        return done

    def _repeat(self, turns: Sequence[_Turn]) -> None:
        """Repeat the first trial to detect drift."""
        # a trial that changes a setting temporarily is not repeated for this
        found = [turn for turn in turns if not turn.trial.alone and turn.result is not None]
        if not self.again or len(turns) < 2 or not found or self.bench.left <= 0:
            return
        trial, first = found[0].trial, found[0].result
        if first is None or failures([first]):
            return
        self.progress(Progress(trial.name, f"{trial.title}, again", self.bench.spent, self.total))
        known = dict(self.bench.known)
        try:
            last = whole(trial, self.bench)
        except ChangeNotUndone:
            raise
        except TargetFailed as error:
            found[0].result = target_failed(first, error)
            return
        except RaidctlError as error:
            self.bench.notes.append(f"The first test could not be repeated at the end: {error}")
            return
        finally:
            self.bench.known = known
        self._drift = drift(first, last)

    def _collect_results(self, turns: Sequence[_Turn]) -> None:
        """Collect each trial's result so far."""
        self.bench.over = True
        for turn in turns:
            if turn.result is not None or not turn.seconds:
                continue
            self.bench.now = turn.engines
            try:
                while True:
                    next(turn.steps)
            except StopIteration as end:
                if end.value is not None:
                    turn.result = self._finish(turn.trial, end.value, turn.seconds, turn.engines)
            except ChangeNotUndone:
                raise
            except (RaidctlError, Interrupted):
                continue

    def _session(
        self, profile: Profile, turns: Sequence[_Turn], left_out: Sequence[TrialResult], *, interrupted: bool = False
    ) -> Session:
        bench, found = self.bench, self._drift
        results = [*(turn.result for turn in turns if turn.result is not None), *left_out]
        order = [trial.name for trial in profile.trials]
        confounders = bench.confounders
        if found is not None and found.unstable:
            confounders += (Confounder(name="drift", text=_unstable(found)),)
        return with_confounders(
            Session(
                profile=profile.name,
                target=bench.target.name,
                kind=bench.target.kind,
                size=bench.target.size,
                results=tuple(sorted(results, key=lambda one: order.index(one.trial))),
                engine=", ".join(bench.engines) or None,
                notes=tuple(bench.notes),
                drift=found,
                written=bench.written,
                seconds=round(bench.spent, 3),
                interrupted=interrupted,
                seed=bench.seed,
            ),
            confounders,
        )


def with_confounders(session: Session, found: tuple[Confounder, ...]) -> Session:
    """A session with more confounders, which each of its results has as well."""
    results = [msgspec.structs.replace(one, confounders=(*session.confounders, *found)) for one in session.results]
    return msgspec.structs.replace(session, confounders=(*session.confounders, *found), results=tuple(results))


def _rounding_note(target: Target) -> list[str]:
    """Note that small blocks are rounded up. Empty if the target takes them."""
    if target.alignment <= SMALLEST:
        return []
    least = words(target.alignment)
    return [f"{target.name} takes no less than {least} at once: smaller blocks are rounded up to that."]


def weighed(result: TrialResult, confounders: Sequence[Confounder]) -> TrialResult:
    """A result with its confounders. A verdict on durability is dropped if one forbids it, but not an I/O error."""
    if result.trial not in DURABILITY or durable_verdicts(confounders) or failures([result]):
        return msgspec.structs.replace(result, confounders=tuple(confounders))
    reasons = tuple(one.text for one in confounders if one.forbids)
    return msgspec.structs.replace(
        result,
        confounders=tuple(confounders),
        verdict="inconclusive",
        reasons=reasons + tuple(reason for reason in result.reasons if reason not in reasons),
        next_test=POWER_CUT,
    )


def drift(first: TrialResult, last: TrialResult) -> Drift | None:
    """How much the repeated trial differs. None if it has no comparable figure."""
    both = [name for name in first.figures if name in last.figures]
    name = next((name for name in _DRIFT_FIGURES if name in both), both[0] if both else None)
    if name is None:
        return None
    before, after = first.figures[name].measured, last.figures[name].measured
    unstable = drifted(before, after)
    return Drift(
        trial=first.trial, figure=name, unit=first.figures[name].unit, first=before, last=after, unstable=unstable
    )


def _unstable(found: Drift) -> str:
    """Both figures in the same unit, chosen by the larger one."""
    first, last = found.first or 0.0, found.last or 0.0
    shown = [format_figure(value, max(first, last)) for value in (first, last)]
    return _DRIFT_TEXT.format(first=shown[0], last=shown[1], unit=found.unit)


def target_failed(result: TrialResult, error: TargetFailed) -> TrialResult:
    """A result of which operations failed by the target's fault: no other explanation is possible."""
    return msgspec.structs.replace(
        result,
        verdict="fail",
        expected=result.expected or "no failed operation",
        reasons=(str(error), *result.reasons),
        next_test=None,
        series={**result.series, _FAILED: [str(error)]},
    )


def failures(results: Iterable[TrialResult]) -> tuple[str, ...]:
    """The operations that failed by the target's fault: one sentence for each test."""
    return tuple(str(text) for one in results for text in one.series.get(_FAILED) or ())


def _inconclusive(trial: Trial, why: str) -> TrialResult:
    return TrialResult(trial=trial.name, figures={}, verdict="inconclusive", reasons=(why,))
