"""Read-ahead of the kernel, and of controller or drives below."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Protocol

from raidctl.bench.estimators import effect
from raidctl.bench.faulty import TargetFailed
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.targets import Handled
from raidctl.bench.trials.phase import MIB, Phase, latencies, ratio, stream
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.trials.views import buffered
from raidctl.bench.work import Op, Target
from raidctl.errors import BenchError, ChangeNotUndone, RaidctlError

PLACES = 8192
GAIN = 2.0
"""Minimum factor over random reads; platters alone may give less."""
WORTH = 1.1
"""Minimum factor over the current setting that is worth a change."""
SETTINGS = (0, 128, 4096, 16384)
"""KiB."""
VISITS = 2


class KernelReadAhead(Protocol):
    """The kernel's read-ahead of the device below the target."""

    @property
    def present(self) -> int | None:
        """Current value in KiB; None if unknown."""

    @property
    def name(self) -> str:
        """Name of the device."""

    def at(self, kib: int) -> AbstractContextManager[object]:
        """Set it for the duration of the context, and always restore it.

        Raises:
            ChangeNotUndone: It was not restored.
            RaidctlError: It cannot be set.
        """


class Switch(Protocol):
    """The read-ahead of the controller below the target."""

    @property
    def on(self) -> bool:
        """Whether read-ahead is currently on."""

    @property
    def name(self) -> str:
        """What is switched, for display."""

    def other(self) -> AbstractContextManager[object]:
        """Invert it for the duration of the context, and always restore it.

        Raises:
            ChangeNotUndone: It was not restored.
            RaidctlError: It cannot be set.
        """


@dataclass
class _Seen:
    phases: dict[str, Phase] = field(default_factory=lambda: {"sequential": Phase(), "random": Phase()})
    """Figures that bypass the kernel's read-ahead."""
    kernel: dict[int | None, Phase] = field(default_factory=dict)
    """Figures through the kernel, by its read-ahead in KiB. None: the current value, which is unknown."""
    controller: dict[str, Phase] = field(default_factory=dict)
    """Figures with the controller's read-ahead `on` and `off`. They bypass the kernel, or (`kernel_on`) go through
    it."""
    why: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ReadAhead:
    """Reads of 64 KiB, one at a time.

    Reads past the kernel are sequential and random, reads through it only sequential.

    With a ``kernel``, the kernel's read-ahead is set to several sizes, up and down. With a ``switch``, the controller's
    own is inverted: unchanged, inverted twice, unchanged, so that no drift looks like an effect.
    """

    size: int = 64 * KIB
    seconds: float = 1.0
    rounds: int = ROUNDS
    kernel: KernelReadAhead | None = None
    """None: the kernel's read-ahead is not changed."""
    switch: Switch | None = None
    """None: the controller's read-ahead is not changed."""
    unswitched: str | None = None
    """Why it is not switched, one sentence. None if switching was not requested."""
    settings: tuple[int, ...] = SETTINGS

    name = "readahead"
    title = "what reads ahead"

    @property
    def alone(self) -> bool:
        """Other readers must not run under a changed setting."""
        return self.kernel is not None or self.switch is not None

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        several = len(self.settings) if self.kernel is not None else 1
        handled = isinstance(target, Handled)
        seconds = (2 + several * handled) * self.rounds * self.seconds
        return Needs(seconds=seconds + (1 + handled) * self.switched_seconds * 2, size=4 * self.size)

    @property
    def switched_seconds(self) -> float:
        """Approximate seconds with the controller's setting inverted, per way of reading."""
        return self.rounds * self.seconds if self.switch is not None else 0.0

    def run(self, bench: Bench) -> Steps:
        """Run the phases without a setting in random order, round by round. Then run the settings, up and down."""
        seen = _Seen()
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(list(seen.phases)):
                self._past(bench, seen.phases[way], in_a_row=way == "sequential")
            if self.kernel is None:
                self._through(bench, seen, None)
            yield
        if self.kernel is not None and not bench.over:
            yield from self._settings(bench, seen, self.kernel)
        if self.switch is not None and not bench.over:
            self._both_states(bench, seen, self.switch)
            yield
        return self._result(bench, seen)

    def _past(self, bench: Bench, phase: Phase, *, in_a_row: bool) -> None:
        size = bench.fitting(self.size)
        places = bench.places(size, PLACES)
        if in_a_row:
            places = bench.row(size, places[0], PLACES)
        phase.add(bench.run(stream(Op.READ, places, size, cycle=True), seconds=self.seconds))

    def _through(self, bench: Bench, seen: _Seen, setting: int | None) -> None:
        if not seen.why:
            self._buffered(bench, seen, seen.kernel.setdefault(setting, Phase()))
            seen.kernel = {kib: phase for kib, phase in seen.kernel.items() if phase.rates}

    def _buffered(self, bench: Bench, seen: _Seen, phase: Phase) -> None:
        """Read sequentially through the page cache, from an uncached offset."""
        try:
            # the kernel reads the setting when a file is opened
            with buffered(bench.target) as view:
                size = bench.fitting(self.size)
                first = bench.places(size, 1)[0]
                places = bench.row(size, first, max(1, bench.target.size // size))
                outcome = bench.run(stream(Op.READ, places, size), seconds=self.seconds, target=view)
        except TargetFailed:
            raise
        except BenchError as error:
            seen.why.append(str(error))
            return
        phase.add(outcome)

    def _both_states(self, bench: Bench, seen: _Seen, switch: Switch) -> None:
        """Unchanged, inverted twice, unchanged."""
        here, there = ("on", "off") if switch.on else ("off", "on")
        handled = isinstance(bench.target, Handled) and not seen.why
        seen.controller = {
            f"{way}{state}": Phase() for way in ("", "kernel_")[: 1 + handled] for state in ("on", "off")
        }
        self._measure_state(bench, seen, here)
        with ExitStack() as stack:
            try:
                stack.enter_context(switch.other())
            except ChangeNotUndone:  # not restored: that is reported first
                raise
            except RaidctlError as error:
                seen.controller.clear()
                seen.why.append(f"The read-ahead of {switch.name} was not switched: {error}")
                return
            for _ in range(VISITS):
                self._measure_state(bench, seen, there)
        self._measure_state(bench, seen, here)

    def _measure_state(self, bench: Bench, seen: _Seen, state: str) -> None:
        for _ in bench.rounds(-(-self.rounds // VISITS)):
            self._past(bench, seen.controller[state], in_a_row=True)
            if f"kernel_{state}" in seen.controller:
                self._buffered(bench, seen, seen.controller[f"kernel_{state}"])

    def _settings(self, bench: Bench, seen: _Seen, kernel: KernelReadAhead) -> Iterator[None]:
        """Measure each setting twice, with few changes. A refused setting ends the series, and the reason is noted."""
        each = -(-self.rounds // VISITS)
        for number in bench.rounds(VISITS):
            for setting in self.settings if number % 2 == 0 else self.settings[::-1]:
                with ExitStack() as stack:
                    try:
                        stack.enter_context(kernel.at(setting))
                    except ChangeNotUndone:  # as above
                        raise
                    except RaidctlError as error:
                        seen.why.append(f"The kernel's read-ahead was not set: {error}")
                        break
                    for _ in bench.rounds(each):
                        self._through(bench, seen, setting)
            yield
            if seen.why:
                break
        if not seen.kernel:
            reasons, seen.why = seen.why, []
            self._through(bench, seen, kernel.present)
            seen.why += reasons

    def _result(self, bench: Bench, seen: _Seen) -> TrialResult:
        size = bench.fitting(self.size) / MIB
        gain = ratio(seen.phases["random"], seen.phases["sequential"])
        figures = {name: phase.spread("MiB/s", size) for name, phase in seen.phases.items()}
        figures["gain"] = gain
        named = dict(seen.phases)
        for setting, phase in sorted(seen.kernel.items(), key=lambda item: item[0] or 0):
            name = "kernel" if setting is None else f"kernel_{setting}k"
            named[name] = phase
            figures[name] = phase.spread("MiB/s", size)
            if setting and 0 in seen.kernel:
                figures[f"{name}_gain"] = ratio(seen.kernel[0], phase)
        for way, phase in seen.controller.items():
            named[f"controller_{way}"] = phase
            figures[f"controller_{way}"] = phase.spread("MiB/s", size)
        gains = {way: _gain(seen.controller, way) for way in ("", "kernel_") if f"{way}on" in seen.controller}
        figures |= {f"controller_{way}gain": one for way, one in gains.items()}
        reasons = [_controller(gain), *_kernel(seen, self.kernel), *_cache_reasons(gains, self.switch), *seen.why]
        reasons += [self.unswitched] if self.unswitched else []
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies(named),
            model="Read-ahead makes a sequence of small reads faster than the same reads at random places.",
            reasons=tuple(reasons),
        )


def _controller(gain: Spread) -> str:
    if gain.low is not None and gain.low > GAIN:
        return "The controller or the drives read ahead."
    if gain.high is not None and gain.high <= GAIN:
        return "Nothing below the kernel gains by reading ahead."
    return "Whether anything below the kernel reads ahead is unknown."


def _gain(controller: dict[str, Phase], way: str) -> Spread:
    """How many times faster it is with the controller's read-ahead on."""
    on, off = controller[f"{way}on"], controller[f"{way}off"]
    if on.short or off.short:
        return Spread(measured=None, unit="ratio", n=0)
    return effect.of_medians(off.rates, on.rates)


def _cache_reasons(gains: dict[str, Spread], switch: Switch | None) -> list[str]:
    """The gain of the controller's read-ahead, past the kernel and through it."""
    notes = []
    for way, gain in gains.items():
        where = "through the kernel" if way else "past the kernel"
        start = f"The read-ahead of {switch.name if switch else 'the controller'}"
        if gain.low is None or gain.high is None or gain.measured is None:
            notes.append(
                f"Whether {start[0].lower()}{start[1:]} makes sequential reads {where} faster was not measured."
            )
        elif gain.low > WORTH:
            notes.append(f"{start} makes sequential reads {where} {gain.measured:.1f} times as fast.")
        elif gain.high < 1 / WORTH:
            notes.append(
                f"{start} makes sequential reads {where} slower ({gain.measured:.0%} of the speed without it)."
            )
        elif gain.low >= 1 / WORTH and gain.high <= WORTH:
            more = ": what reads ahead itself does not need it" if way else ""
            notes.append(f"{start} makes no difference to sequential reads {where}{more}.")
        else:
            notes.append(f"{start} makes no clear difference to sequential reads {where}.")
    return notes


def _kernel(seen: _Seen, kernel: KernelReadAhead | None) -> list[str]:
    """The best setting, if several were tried."""
    speeds = {setting: phase for setting, phase in seen.kernel.items() if setting is not None and not phase.short}
    if kernel is None or len(speeds) < 2:
        return []
    best = max(speeds, key=lambda setting: sorted(speeds[setting].rates)[len(speeds[setting].rates) // 2])
    now = kernel.present
    notes = [f"Through the kernel it is fastest with a read-ahead of {best} KiB."]
    if now in speeds and best != now:
        gain = ratio(speeds[now], speeds[best])
        if gain.low is not None and gain.low > WORTH and gain.measured is not None:
            other = f"A read-ahead of {best} KiB instead of {now} KiB"
            notes = [f"{other} makes {kernel.name} {gain.measured:.1f} times as fast."]
        else:
            notes = [f"No read-ahead is clearly faster than the {now} KiB that {kernel.name} has."]
    return notes
