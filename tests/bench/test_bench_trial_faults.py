"""Engines that do less than requested, take no time or fail. They cause a reason, never a figure or a crash."""

from __future__ import annotations

import errno
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

import pytest

from raidctl.bench.model.device import Device, Plan
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Confounder, Session, TrialResult
from raidctl.bench.session import Runner, failures
from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.classic import Classic
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.layer_tax import LayerTax
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.trial import MIB, Below, Bench, Needs, Range, Steps, Trial, ended, whole
from raidctl.bench.trials.worst import Worst
from raidctl.bench.work import Op, Outcome, Samples, Target, Work
from raidctl.errors import (
    AccessMissing,
    BenchError,
    CannotTell,
    ChangeNotUndone,
    ChangeUndone,
    RaidctlError,
    UsageError,
)
from tests.bench.virtual_clock import Computed, Modelled, Stage

Spoil = Callable[[Work, Outcome], Outcome]
UNTIMED = (
    Medium(reads=60, commits=12),
    FlushSlope(amounts=(0, 1), rounds=1),
    ReadBack(most=MIB),
    RaidLevel(seconds=0.02, most=1, strided=8, striped=4, rounds=1),
    Worst(seconds=0.2, saturation=0.1),
)
"""Trials that request operations by number, at least in part."""


@dataclass
class Spoilt(Computed):
    """The computed engine, whose results are changed from the n-th work on."""

    spoil: Spoil = lambda _, outcome: outcome
    since: int = 1
    works: int = 0

    def run(self, target: Target, work: Work) -> Outcome:
        """Run it, and change the outcome."""
        self.works += 1
        outcome = super().run(target, work)
        return outcome if self.works < self.since else self.spoil(work, outcome)


def session(*trials: Trial, spoil: Spoil, since: int = 1, size: int = 64 * MIB, below: Below | None = None) -> Session:
    """A session on a model, in its time."""
    stage = Stage(Plan(kind="write-through", size=size), below or Below())
    bench = stage.bench(engine=Spoilt(spoil=spoil, since=since))
    return Runner(bench, again=False).run(Profile(name="test", title="", seconds=60, size=size, trials=trials))


def only(*trials: Trial, spoil: Spoil = lambda _, outcome: outcome, **given: int | Below) -> TrialResult:
    """The result of the last trial."""
    return session(*trials, spoil=spoil, **given).results[-1]  # type: ignore[arg-type]  # `since`, `size` are numbers


def _each(outcome: Outcome, change: Callable[[Samples], Samples]) -> Outcome:
    return replace(outcome, samples=[change(one) for one in outcome.samples])


def fewer(work: Work, outcome: Outcome) -> Outcome:
    """Drop the last operation of works that request operations by number."""
    if work.seconds is not None:
        return outcome
    return _each(
        outcome,
        lambda one: replace(
            one, ops=one.ops[:-1], offsets=one.offsets[:-1], starts=one.starts[:-1], latencies=one.latencies[:-1],
            results=one.results[:-1],
        ),
    )  # fmt: skip


def counted(work: Work, outcome: Outcome) -> Outcome:
    """Count operations requested by number as if an engine kept none."""
    bins = array("Q", [0] * 128 + [1])
    lost = fewer(work, outcome)
    return lost if lost is outcome else _each(lost, lambda one: replace(one, beyond={Op.READ: bins}))


def at_once(_: Work, outcome: Outcome) -> Outcome:
    """Return no duration, like a clock of milliseconds."""
    return replace(outcome, wall_seconds=0.0)


@pytest.mark.parametrize("spoil", [fewer, counted])
@pytest.mark.parametrize("trial", UNTIMED, ids=lambda trial: trial.name)
def test_fewer_operations_than_were_asked_for_give_no_verdict(trial: Trial, spoil: Spoil) -> None:
    """The reason has the number of missing operations. There is no figure or verdict."""
    result = only(trial, spoil=spoil)
    assert (result.verdict, result.figures) == ("inconclusive", {})
    assert "operations on the model are missing in the engine's results." in result.reasons[0]


@pytest.mark.parametrize("since", [1, 4])
@pytest.mark.parametrize("trial", UNTIMED, ids=lambda trial: trial.name)
def test_a_round_without_a_duration_ends_no_run(trial: Trial, since: int) -> None:
    """A round without a duration has no rate. The trial still has a result."""
    assert only(trial, spoil=at_once, since=since).reasons


@pytest.mark.slow
def test_reads_without_a_duration_keep_the_figures_of_writes() -> None:
    """Reads and writes are compared only if both have a rate. Existing figures are kept."""

    def reads(work: Work, outcome: Outcome) -> Outcome:
        return at_once(work, outcome) if work.seconds and work.streams[0].ops[0] == Op.READ else outcome

    trial = Sequential(seconds=0.5, sizes=(4096,), depths=(8,), positions=(0.0,))
    result = only(trial, spoil=reads, since=12)
    assert result.figures["write"].measured
    assert result.verdict == "info"


def test_a_short_operation_is_counted() -> None:
    """One short operation is reported with the number of all."""

    def short(_: Work, outcome: Outcome) -> Outcome:
        return _each(outcome, lambda one: replace(one, results=array("i", [one.size // 2, *one.results[1:]])))

    result = only(Medium(reads=60, commits=12), spoil=short)
    assert result.reasons == ("1 of 10 operations on the model transferred less than requested.",)


@pytest.mark.parametrize(
    ("number", "verdict", "words"),
    [(errno.EIO, "fail", "Input/output error"), (errno.ENODATA, "fail", "unreadable sector (medium error)"),
     (errno.ENOSPC, "inconclusive", "No space left on device")],
)  # fmt: skip
def test_an_error_of_the_drive_fails_and_a_refusal_does_not(number: int, verdict: str, words: str) -> None:
    """The reason has the number of operations and the error. A full file system is not a fault of the drive."""

    def spoil(_: Work, outcome: Outcome) -> Outcome:
        return _each(outcome, lambda one: replace(one, results=array("i", [-number, *one.results[1:]])))

    result = only(ReadBack(most=MIB), spoil=spoil)
    assert (result.verdict, result.reasons) == (verdict, (f"1 of 16 operations on the model failed: {words}.",))
    assert failures([result]) == (result.reasons if verdict == "fail" else ())


def test_an_error_of_the_drive_fails_in_a_virtual_machine_and_in_the_last_test_too() -> None:
    """Commits allow no verdict on durability there, but a failed operation is one; the repetition counts as well."""

    def spoil(_: Work, outcome: Outcome) -> Outcome:
        return _each(outcome, lambda one: replace(one, results=array("i", [-errno.EIO, *one.results[1:]])))

    virtual = Confounder(name="virtual_machine", text="It is a virtual machine.", forbids=True)
    trials = (Medium(reads=60, commits=12), Commits(seconds=0.1))
    profile = Profile(name="test", title="", seconds=60, size=64 * MIB, trials=trials)

    def verdicts(engine: Spoilt, *, again: bool) -> list[str]:
        bench = Stage(Plan(kind="write-through", size=64 * MIB)).bench(engine=engine)
        bench.confounders = (virtual,)
        return [one.verdict for one in Runner(bench, again=again).run(profile).results]

    sound = Spoilt(since=1 << 30)
    assert verdicts(sound, again=False) == ["info", "inconclusive"]
    assert verdicts(Spoilt(spoil=spoil), again=False) == ["fail", "fail"]
    assert verdicts(Spoilt(spoil=spoil, since=sound.works + 1), again=True) == ["fail", "inconclusive"]


def test_a_mapping_too_small_for_its_reads_is_reported() -> None:
    """A mapping's piece too small for the reads is reported, not compared."""
    below = Below(ranges=(Range(mapping="/dev/mapper/small", path="/dev/sda", first=0, length=512 << 10),))
    result = only(LayerTax(), below=below)
    assert result.verdict == "inconclusive"
    assert "/dev/mapper/small has on one device is 512 KiB" in result.reasons[0]


def test_a_strip_larger_than_the_target_is_reported() -> None:
    """No size in the reason is below zero."""
    result = only(Alignment(), size=MIB, below=Below(strip=4 * MIB))
    assert result.verdict == "inconclusive"
    assert result.reasons == ("the model is too small: 0 bytes do not hold a block of 4 MiB.",)


@pytest.mark.parametrize("trial", [Compression(), ReadBack(most=MIB)], ids=lambda trial: trial.name)
def test_the_needed_space_depends_on_the_smallest_block(trial: Trial) -> None:
    """Blocks of 1 MiB need 16 times the requested blocks' space."""
    device = Device(Plan(kind="write-through", size=64 * MIB))
    small, large = (trial.needs(Modelled(device, alignment=grain)).size for grain in (4096, MIB))
    assert large == 16 * small


def test_a_complete_read_back_passes() -> None:
    """If every block is read back, the trial passes, unless a cache may have answered all reads."""
    for cache, verdict in ((0, "pass"), (MIB // 2, "pass"), (MIB, "inconclusive"), (None, "inconclusive")):
        assert only(ReadBack(most=MIB), below=Below(cache=cache)).verdict == verdict


def test_reads_that_memory_of_a_host_may_have_answered_do_not_pass() -> None:
    """The page cache, or a host, may hold everything, whatever the controller's cache; a wrong block still fails."""
    beside = Confounder(name="page_cache", text="O_DIRECT is refused here.", forbids=True)
    for keep, verdict in ((True, "inconclusive"), (False, "fail")):
        bench = Stage(Plan(kind="write-through", size=64 * MIB, keep=keep), Below(cache=0)).bench()
        bench.confounders += (beside,)
        result = whole(ReadBack(most=MIB), bench)
        assert (result.verdict, beside.text in result.reasons) == (verdict, True)


@dataclass
class Switched:
    """A switchable setting that counts its changes."""

    times: int = 0
    name: str = "the controller"
    on: bool = True
    present: int | None = 128

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Switch it for a while."""
        self.times += 1
        yield

    def other(self) -> AbstractContextManager[None]:
        """Switch it for a while."""
        return self()

    def at(self, kib: int) -> AbstractContextManager[None]:
        """Set it for a while."""
        del kib
        return self()


def _switching(switched: Switched) -> tuple[Trial, ...]:
    short = {"seconds": 0.1, "rounds": 2}
    return (
        Classic(off=switched, **short),  # type: ignore[arg-type]  # seconds and rounds
        ReadAhead(switch=switched, **short),  # type: ignore[arg-type]
        ReadAhead(kernel=switched, switch=switched, **short),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("number", range(3), ids=("classic", "readahead", "kernel"))
def test_nothing_is_switched_after_the_end_of_the_run(number: int) -> None:
    """After Ctrl-C a trial returns its rounds, and changes no setting."""
    switched = Switched()
    bench = Stage(Plan(kind="write-through", size=64 * MIB)).bench()
    steps = _switching(switched)[number].run(bench)
    next(steps)
    bench.over = True
    given_back = ended(steps)
    assert switched.times == 0
    assert given_back.figures


@dataclass(frozen=True)
class Raising:
    """A trial that ends with an error of raidctl."""

    error: RaidctlError
    name: str = "raising"
    title: str = "a test that fails"
    alone: bool = False

    def needs(self, target: Target) -> Needs:
        """Return small needs."""
        del target
        return Needs(seconds=0.1)

    def run(self, bench: Bench) -> Steps:
        """Run one round, then fail."""
        del bench
        yield
        raise self.error


@pytest.mark.parametrize("kind", [BenchError, AccessMissing, CannotTell, ChangeUndone, UsageError])
def test_an_error_of_one_trial_is_its_result(kind: type[RaidctlError]) -> None:
    """A trial's missing permission or refused setting does not affect the others."""
    raising = Raising(kind("The device below may not be read."))
    several = session(raising, Medium(reads=60, commits=12), spoil=lambda _, outcome: outcome)
    assert several.results[0].reasons == ("The device below may not be read.",)
    assert several.results[1].figures


def test_a_failed_undo_ends_the_run() -> None:
    """A failed undo is raised at once."""
    with pytest.raises(ChangeNotUndone):
        only(Raising(ChangeNotUndone("It was not restored.")))
