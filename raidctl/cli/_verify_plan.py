"""The plan of ``raidctl verify --measure``: trials for the claims, refusals, and the announcement."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from raidctl.bench.profiles import Profile
from raidctl.bench.targets.place import place_of
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.plain import flushes
from raidctl.bench.trials.policy_switch import PolicySwitch, State, Switch
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.trial import GIB, Trial
from raidctl.bench.verdict.evidence import Evidence as Weighed
from raidctl.cli.shared.bench_plan import kind_of
from raidctl.errors import UsageError
from raidctl.text import listing, printable
from raidctl.verify.subjects import Subject
from raidctl.verify.wanted import DEFAULT, Claim

SECONDS = 120.0
"""Default time of the measurement."""
MAX_BYTES = 8 * GIB
_FILLS = 8
"""Amount written to find the controller's cache size, in multiples of it."""
_CLOCKED = frozenset({"media", "drive_rpm"})
"""Claims that need only the medium and its rpm."""
_CACHES = frozenset({"power_safe", "write_cache", "policy_active", "cache_size"})
_FLUSHED = _CACHES - {"cache_size"}
"""Claims that depend on whether flushes arrive."""


@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """The options for measuring."""

    target: str
    claims: tuple[Claim, ...]
    seconds: float | None = None
    size: str | None = None
    overwrite: str | None = None
    policy: bool = False
    drives: bool = False
    flush_device: str | None = None
    """Device below the target, or URI of an NBD export, also flushed."""
    switch_seconds: float = 20.0
    no_save: bool = False
    dry_run: bool = False
    yes: bool = False

    @property
    def states(self) -> tuple[State, ...]:
        """The states to switch to."""
        return (*(("write_through",) if self.policy else ()), *(("drives_off",) if self.drives else ()))

    @property
    def repeated(self) -> tuple[str, ...]:
        """The claims, as options of a command to copy."""
        if self.claims == DEFAULT:
            return ()
        return tuple(word for one in self.claims for word in (one.option, *one.words))


def refuse_memory(target: str, kind: str) -> None:
    """Raise UsageError if a directory is in memory, not on a drive."""
    place = place_of(target) if kind == "file" else None
    if place is not None and place.in_memory:
        raise UsageError(
            f"{printable(target)} is in memory ({place.filesystem}), not on a drive; name a directory on the volume to "
            "be measured."
        )


def refuse_flush_device(options: MeasureOptions) -> None:
    """Refuse a flush device that is useless or cannot be opened.

    This happens before anything is measured.

    Raises:
        UsageError: It is not a device, or the target itself, or no requested claim depends on it.
        BenchError, AccessMissing: It cannot be opened.
    """
    if options.flush_device is None:
        return
    shown = printable(options.flush_device)
    if kind_of(options.flush_device) == "file":
        raise UsageError(f"--flush-device {shown}: a directory is not flushed; name the device or NBD export below it.")
    if os.path.realpath(options.flush_device) == os.path.realpath(options.target):
        raise UsageError(f"--flush-device {shown} is the target itself; name what is below it.")
    if not {claim.name for claim in options.claims} & _FLUSHED:
        raise UsageError("--flush-device needs a claim about flushes: --power-safe, --write-cache or --policy-active.")
    with flushes(options.flush_device):
        pass


def announcement(options: MeasureOptions, subject: Subject | None) -> Iterator[str]:
    """Yield the sentences of the plan, besides what is written where."""
    if options.flush_device is not None:
        below, above = printable(options.flush_device), printable(options.target)
        yield (
            f"Flushes are also sent to {below}; nothing is written there. "
            f"raidctl does not check that this is below {above}."
        )
    yield from _switching(options, subject)


def _switching(options: MeasureOptions, subject: Subject | None) -> Iterator[str]:
    """Yield the sentences of the plan about policy switches."""
    if subject is None:
        return
    controller = subject.volume is not None and not subject.software
    what: dict[State, str] = {
        "write_through": f"The write policy of {subject.id} is switched to write-through",
        "drives_off": f"The write caches of the drives of {subject.id} are switched off"
        + (", with the controller in write-through," if controller else ""),
    }
    for state in options.states:
        yield (
            f"{what[state]} for about {2 * options.switch_seconds:.0f} seconds and restored: at the end, on Ctrl-C, "
            'when raidctl is killed, and by "raidctl restore" after a power failure. The journal has it.'
        )


def profile(options: MeasureOptions, known: Weighed, switcher: Switch | None, *, nbd: bool) -> Profile:
    """Return the trials for the claims, shorter if less time is given. ``known`` is from the inventory."""
    seconds = options.seconds or SECONDS
    share = seconds / SECONDS
    names = {claim.name for claim in options.claims}
    trials: list[Trial] = [Medium(reads=_within(400 * share, 90, 400), commits=_within(300 * share, 120, 300))]
    if not names <= _CLOCKED:
        trials.append(Commits(seconds=min(max(2.0 * share, 0.25), 5.0), past=options.flush_device))
    if names & _CACHES:
        # the slope first: it decides about safety, and the time may be up before the knee is found
        trials.append(FlushSlope(amounts=(0, 2, 4, 8, 16, 32) if share >= 0.5 else (0, 1, 2, 4)))
        trials.append(Knee(seconds=min(max(20 * share, 3.0), 120.0), rest=min(2 * share, 5.0)))
    if "raid_level" in names:
        level = next((claim.words for claim in options.claims if claim.name == "raid_level"), ())
        trials.append(RaidLevel(seconds=min(max(share, 0.2), 1.0), promised=level[0] if len(level) == 1 else None))
    if switcher is not None:
        trials.append(PolicySwitch(switch=switcher, states=options.states, seconds=options.switch_seconds))
    claimed = max((claim.number for claim in options.claims if claim.name == "cache_size"), default=0)
    cache = max(claimed, int((known.cache_mib or 0) * (1 << 20)))
    size = min(max(GIB, _FILLS * cache), MAX_BYTES) if names & _CACHES and not nbd else GIB
    title = f"Measurements for {listing(sorted(claim.option for claim in options.claims))}."
    return Profile(name="verify", title=title, seconds=seconds, size=size, trials=tuple(trials))


def _within(value: float, least: int, most: int) -> int:
    return min(max(round(value), least), most)
