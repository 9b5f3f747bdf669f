"""Engines that do less than they were asked, in no time or with a fault: a sentence, and never a figure or a crash."""

from __future__ import annotations

import errno
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

import pytest

from raidctl.bench.model.device import Device, Plan
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Session, TrialResult
from raidctl.bench.session import Runner
from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.classic import Classic
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.layer_tax import LayerTax
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.trial import MIB, Below, Bench, Needs, Range, Steps, Trial, ended
from raidctl.bench.trials.worst import Worst
from raidctl.bench.work import Op, Outcome, Samples, Target, Work
from raidctl.errors import AccessMissing, BenchError, CannotTell, ChangeStands, ChangeUndone, RaidctlError, UsageError
from tests.bench.computed import Computed, Modelled, Stage

Spoil = Callable[[Work, Outcome], Outcome]
UNTIMED = (
    Medium(reads=60, commits=12),
    FlushSlope(amounts=(0, 1), rounds=1),
    ReadBack(most=MIB),
    RaidLevel(seconds=0.02, most=1, strided=8, striped=4, rounds=1),
    Worst(seconds=0.2, saturation=0.1),
)
"""Tests that ask for operations by number, at least in a part of their work."""


@dataclass
class Spoilt(Computed):
    """What it computed is spoilt from the n-th work on."""

    spoil: Spoil = lambda _, outcome: outcome
    since: int = 1
    works: int = 0

    def run(self, target: Target, work: Work) -> Outcome:
        """Carry it out, and spoil it."""
        self.works += 1
        outcome = super().run(target, work)
        return outcome if self.works < self.since else self.spoil(work, outcome)


def session(*trials: Trial, spoil: Spoil, since: int = 1, size: int = 64 * MIB, below: Below | None = None) -> Session:
    """A session on a model, in its own time."""
    stage = Stage(Plan(kind="write-through", size=size), below or Below())
    bench = stage.bench(engine=Spoilt(spoil=spoil, since=since))
    return Runner(bench, again=False).run(Profile(name="test", title="", seconds=60, size=size, trials=trials))


def only(*trials: Trial, spoil: Spoil = lambda _, outcome: outcome, **given: int | Below) -> TrialResult:
    """The result of the last of them."""
    return session(*trials, spoil=spoil, **given).results[-1]  # type: ignore[arg-type]  # `since`, `size` are numbers


def _each(outcome: Outcome, change: Callable[[Samples], Samples]) -> Outcome:
    return replace(outcome, samples=[change(one) for one in outcome.samples])


def fewer(work: Work, outcome: Outcome) -> Outcome:
    """Of what was asked for by number, the last operation is missing."""
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
    """What was asked for by number is only counted, as if it were more than an engine keeps."""
    bins = array("Q", [0] * 128 + [1])
    lost = fewer(work, outcome)
    return lost if lost is outcome else _each(lost, lambda one: replace(one, beyond={Op.READ: bins}))


def at_once(_: Work, outcome: Outcome) -> Outcome:
    """As a clock of milliseconds tells what takes less."""
    return replace(outcome, wall_seconds=0.0)


@pytest.mark.parametrize("spoil", [fewer, counted])
@pytest.mark.parametrize("trial", UNTIMED, ids=lambda trial: trial.name)
def test_fewer_operations_than_were_asked_for_give_no_verdict(trial: Trial, spoil: Spoil) -> None:
    """Where operations asked for by number are missing, the test says how many, and neither passes nor has a figure."""
    result = only(trial, spoil=spoil)
    assert (result.verdict, result.figures) == ("inconclusive", {})
    assert "operations on the model are missing in the engine's results." in result.reasons[0]


@pytest.mark.parametrize("since", [1, 4])
@pytest.mark.parametrize("trial", UNTIMED, ids=lambda trial: trial.name)
def test_what_took_no_time_that_a_clock_tells_ends_no_run(trial: Trial, since: int) -> None:
    """A round without a duration has no rate; the test has a result all the same."""
    assert only(trial, spoil=at_once, since=since).reasons


@pytest.mark.slow
def test_a_round_of_reads_without_a_duration_leaves_those_of_writes() -> None:
    """Rounds of reads and writes are only compared where each has its own; the figures of both are told."""

    def reads(work: Work, outcome: Outcome) -> Outcome:
        return at_once(work, outcome) if work.seconds and work.streams[0].ops[0] == Op.READ else outcome

    trial = Sequential(seconds=0.5, sizes=(4096,), depths=(8,), positions=(0.0,))
    result = only(trial, spoil=reads, since=12)
    assert result.figures["write"].measured
    assert result.verdict == "info"


def test_an_operation_that_did_less_is_counted_among_all() -> None:
    """One short operation is told as one of so many."""

    def short(_: Work, outcome: Outcome) -> Outcome:
        return _each(outcome, lambda one: replace(one, results=array("i", [one.size // 2, *one.results[1:]])))

    result = only(Medium(reads=60, commits=12), spoil=short)
    assert result.reasons == ("1 of 10 operations on the model transferred less than requested.",)


def test_a_failure_is_told_in_the_system_s_words() -> None:
    """An error number in the middle ends the test with the number of operations and the reason."""

    def failed(_: Work, outcome: Outcome) -> Outcome:
        return _each(outcome, lambda one: replace(one, results=array("i", [-errno.EIO, *one.results[1:]])))

    assert only(ReadBack(most=MIB), spoil=failed).reasons == (
        "1 of 16 operations on the model failed: Input/output error.",
    )


def test_a_mapping_too_small_for_its_reads_is_told() -> None:
    """A piece of a mapping that holds no row of reads is not compared, and the sentence says how large it is."""
    below = Below(ranges=(Range(mapping="/dev/mapper/small", path="/dev/sda", first=0, length=512 << 10),))
    result = only(LayerTax(), below=below)
    assert result.verdict == "inconclusive"
    assert "/dev/mapper/small has on one device is 512 KiB" in result.reasons[0]


def test_a_strip_larger_than_the_target_is_told_in_sizes_that_can_be() -> None:
    """Where the volume's own strip is too large for the target, no size in the sentence is below zero."""
    result = only(Alignment(), size=MIB, below=Below(strip=4 * MIB))
    assert result.verdict == "inconclusive"
    assert result.reasons == ("the model is too small: 0 bytes do not hold a block of 4 MiB.",)


@pytest.mark.parametrize("trial", [Compression(), ReadBack(most=MIB)], ids=lambda trial: trial.name)
def test_what_a_target_takes_at_least_counts_for_the_room_that_is_needed(trial: Trial) -> None:
    """Blocks of 1 MiB need more room than those of 64 KiB that were asked for."""
    device = Device(Plan(kind="write-through", size=64 * MIB))
    small, large = (trial.needs(Modelled(device, alignment=grain)).size for grain in (4096, MIB))
    assert large == 16 * small


def test_a_pass_rests_on_all_that_was_read() -> None:
    """With every block read back it passes: what is refused above is refused for what is missing."""
    assert only(ReadBack(most=MIB)).verdict == "pass"


@dataclass
class Switched:
    """A setting that may be switched: each time is counted."""

    times: int = 0
    name: str = "the card"
    on: bool = True
    present: int | None = 128

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Have it the other way."""
        self.times += 1
        yield

    def other(self) -> AbstractContextManager[None]:
        """Have it the other way."""
        return self()

    def at(self, kib: int) -> AbstractContextManager[None]:
        """Set it."""
        del kib
        return self()


def _switching(switched: Switched) -> tuple[Trial, ...]:
    short = {"seconds": 0.1, "rounds": 2}
    return (
        Classic(off=switched, **short),  # type: ignore[arg-type]  # seconds and rounds
        ReadAhead(switch=switched, **short),  # type: ignore[arg-type]
        ReadAhead(kernel=switched, switch=switched, **short),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("number", range(3), ids=("classic", "readahead", "knob"))
def test_nothing_is_switched_once_the_run_is_over(number: int) -> None:
    """After Ctrl-C a test gives back the rounds that it has, and no setting is turned any more."""
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
    """A test that ends with an error of raidctl's own."""

    error: RaidctlError
    name: str = "raising"
    title: str = "a test that fails"
    alone: bool = False

    def needs(self, target: Target) -> Needs:
        """Next to nothing."""
        del target
        return Needs(seconds=0.1)

    def run(self, bench: Bench) -> Steps:
        """One round, and no further."""
        del bench
        yield
        raise self.error


@pytest.mark.parametrize("kind", [BenchError, AccessMissing, CannotTell, ChangeUndone, UsageError])
def test_whatever_a_test_refuses_is_its_own_result(kind: type[RaidctlError]) -> None:
    """A right that is missing for one test, or a setting that it could not turn, takes no figure from the others."""
    raising = Raising(kind("The device below may not be read."))
    several = session(raising, Medium(reads=60, commits=12), spoil=lambda _, outcome: outcome)
    assert several.results[0].reasons == ("The device below may not be read.",)
    assert several.results[1].figures


def test_a_setting_that_was_not_put_back_ends_the_run() -> None:
    """Whoever waits must hear of that first."""
    with pytest.raises(ChangeStands):
        only(Raising(ChangeStands("It was not put back.")))
