"""``raidctl verify --measure``: the clock answers beside the controller and the kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidctl import __version__
from raidctl.bench.profiles import Profile
from raidctl.bench.record import Listener, Run
from raidctl.bench.result import Session
from raidctl.bench.store import Store
from raidctl.bench.targets.place import place_of
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.policy_switch import PolicySwitch, State
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.trial import GIB, Trial
from raidctl.bench.verdict.evidence import Evidence as Weighed
from raidctl.change.journal import now
from raidctl.change.state import directory
from raidctl.claims import kernel, measured
from raidctl.claims.clock import Clock
from raidctl.claims.facts import facts, write_percent
from raidctl.claims.judge import exit_code, verify
from raidctl.claims.report import Verification, overall
from raidctl.claims.subjects import Ground, Subject, named
from raidctl.claims.wanted import DEFAULT, Claim
from raidctl.cli.bench_measure import Measured, Measuring
from raidctl.cli.bench_plan import Order, kind_of, range_of, size_of
from raidctl.cli.bench_run import Agreement, DryRunError, only_here
from raidctl.cli.changing import state_directory, tell
from raidctl.cli.machine import Machine, machine, tell_tracebacks, with_open_ends
from raidctl.cli.options import Settings
from raidctl.cli.terminal import emit, emit_json, paper
from raidctl.cli.verify_switch import Switcher, refusal
from raidctl.errors import EXIT_FINE, EXIT_INTERRUPTED, CannotTell, RaidctlError, UsageError
from raidctl.request import converse
from raidctl.text import listing, printable

SECONDS = 120.0
"""What the measuring takes, unless told otherwise."""
MOST = 8 * GIB
_FILLS = 8
"""Times the controller's cache that is written to find its size."""
_CLOCKED = frozenset({"media", "drive_rpm"})
"""Claims for which it is enough to know whether it turns, and how fast."""
_CACHES = frozenset({"power_safe", "write_cache", "in_force", "cache_size"})


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line says of the measuring."""

    target: str
    claims: tuple[Claim, ...]
    seconds: float | None = None
    size: str | None = None
    overwrite: str | None = None
    policy: bool = False
    drives: bool = False
    switch_seconds: float = 20.0
    no_keep: bool = False
    dry_run: bool = False
    yes: bool = False

    @property
    def states(self) -> tuple[State, ...]:
        """What is to be switched."""
        return (*(("write_through",) if self.policy else ()), *(("drives_off",) if self.drives else ()))

    @property
    def repeated(self) -> tuple[str, ...]:
        """The claims, as a command to copy repeats them."""
        if self.claims == DEFAULT:
            return ()
        return tuple(word for one in self.claims for word in (one.option, *one.words))


def run(settings: Settings, asked: Asked) -> int:
    """Say what will be done, measure, weigh, show; the exit code is the answer.

    Raises:
        click.UsageError, UsageError: It cannot be measured.
        BenchError, AccessMissing, CannotTell: It is refused, or nothing can be written there.
    """
    only_here(settings)
    kind = kind_of(asked.target)
    if kind == "nbd" and asked.claims == DEFAULT:
        # of a server nothing else can be known
        asked = replace(asked, claims=(Claim("power_safe"),))
    _refuse_memory(asked.target, kind)
    order = Order(
        target=asked.target,
        kind=kind,
        profile=Profile(name="verify", title="", seconds=SECONDS, size=GIB, trials=()),
        engine=None,
        cross_check=False,
        size=size_of(asked.size),
        overwrite=range_of(asked.overwrite, kind),
        seconds=asked.seconds or SECONDS,
        label="verify",
    )
    store = None if asked.no_keep or asked.dry_run else Store(directory(settings.state_dir))
    if store is not None:
        store.ready()
    with machine(settings) as here:
        return _Verifying(settings, asked, order, here, store).carry_out()


def _refuse_memory(target: str, kind: str) -> None:
    place = place_of(target) if kind == "file" else None
    if place is not None and place.in_memory:
        raise UsageError(
            f"{printable(target)} lies in memory ({place.filesystem}): no disk is measured there; name a directory on "
            "the volume that is meant."
        )


@dataclass
class _Verifying:
    """One verification on its way."""

    settings: Settings
    asked: Asked
    order: Order
    here: Machine
    store: Store | None

    def carry_out(self) -> int:
        """Look, measure, answer."""
        begun, listener = now(), Listener()
        seen = self.here.survey()
        ground = Ground(with_open_ends(seen, self.settings), converse(kernel.look(seen.view), self.here.runner))
        if self.settings.verbose:
            tell_tracebacks(seen)
        subject, why = self._subject(ground)
        switcher = Switcher(self.settings, subject) if subject is not None and self.asked.states else None
        if self.asked.states and not self.asked.dry_run:
            state_directory(self.settings)  # without a journal nothing may be switched: better known before
        for state in self.asked.states:
            refusal(ground, subject, state, switcher, self.here.vendors)
        report = self._told(ground, subject, why)
        found = self._measured(ground, subject, switcher)
        if found is None:
            return EXIT_FINE if self.asked.dry_run else self._shown(report, ground, None)
        kept = self._kept(begun, listener, found, ground)
        report = self._joined(report, ground, subject, found.session, kept)
        code = self._shown(report, ground, found.session)
        if switcher is not None and switcher.trouble is not None:
            raise switcher.trouble
        return code

    def _subject(self, ground: Ground) -> tuple[Subject | None, str]:
        """The volume or drive that is measured; or why it is not known.

        Raises:
            UsageError: There are several.
        """
        shown = printable(self.asked.target)
        if self.order.kind == "nbd":
            return None, "What stands behind an NBD export this machine cannot see: only the clock answers."
        path = os.path.realpath(self.asked.target) if self.order.kind == "file" else self.asked.target
        try:
            found = named(ground, [path])
        except CannotTell as error:
            return None, str(error)
        if len(found) > 1:
            names = listing(one.item.device or one.id for one in found)
            raise UsageError(f"{shown} lies on {names}: --measure takes one volume or drive at a time.")
        return found[0], ""

    def _told(self, ground: Ground, subject: Subject | None, why: str) -> Verification:
        """What inventory and kernel say."""
        targets = (self.asked.target,)
        if subject is not None:
            return verify(ground, self.asked.claims, [subject], targets, ())
        served = self.order.kind == "nbd"
        answers = tuple(measured.untold(self.asked.claims, self.asked.target, why, served=served))
        host = ground.inventory.host
        return Verification(
            host=host, targets=targets, verdict=overall(answers), answers=answers, problems=ground.inventory.problems
        )

    def _measured(self, ground: Ground, subject: Subject | None, switcher: Switcher | None) -> Measured | None:
        """What was measured; None: nothing, since only the plan was wanted, or it was interrupted too early."""
        from raidctl.output.bench_progress import progress  # noqa: PLC0415 - rich only where something is drawn

        known = facts(ground, subject) if subject is not None else Weighed()
        with progress() as bar:
            if switcher is not None:
                switcher.quiet = bar.hidden
            profile = _profile(self.asked, known, switcher, nbd=self.order.kind == "nbd")
            extra = sum(trial.seconds * (3 * len(trial.states) + 1) for trial in profile.trials
                        if isinstance(trial, PolicySwitch))  # fmt: skip
            order = replace(self.order, profile=profile, seconds=self.order.seconds + extra)
            consent = Agreement(order.asks or bool(self.asked.states), dry_run=self.asked.dry_run, yes=self.asked.yes)
            measuring = Measuring(order, ground.seen, self.here.runner, bar.tell)
            if self.asked.states:
                _refuse_load(measuring)
            agreed = False

            def agree(plan: Sequence[str]) -> None:
                nonlocal agreed
                with bar.hidden():
                    consent([*plan, *_switching(self.asked, subject)])
                agreed = True

            try:
                return measuring.plan(agree)
            except DryRunError:
                return None
            except KeyboardInterrupt:
                if not agreed:
                    raise
                return None

    def _kept(self, begun: str, listener: Listener, found: Measured, ground: Ground) -> int | None:
        """Keep the run; what cannot be kept is no reason to say nothing."""
        if self.store is None:
            return None
        host = ground.inventory.host
        made = Run(
            at=begun, raidctl=__version__, host=host.hostname, kernel=host.kernel, label=self.order.label,
            session=found.session, prepared=found.prepared, noise=listener.noise(), inventory=ground.inventory,
        )  # fmt: skip
        try:
            return self.store.add(made).id
        except RaidctlError as error:
            tell(f"The run is not kept: {error}")
            return None

    def _joined(
        self, report: Verification, ground: Ground, subject: Subject | None, session: Session, kept: int | None
    ) -> Verification:
        clock = Clock(
            session=session,
            facts=facts(ground, subject) if subject is not None else Weighed(),
            named=self.asked.target,
            subject=subject,
            write_percent=write_percent(subject),
            served=self.order.kind == "nbd",
            asked=self.asked.repeated,
        )
        return measured.joined(report, self.asked.claims, clock, kept)

    def _shown(self, report: Verification, ground: Ground, session: Session | None) -> int:
        """Print the answers; the exit code."""
        if self.settings.as_json:
            emit_json(report)
        else:
            from raidctl.output.verify import screen  # noqa: PLC0415 - rich only where a screen is drawn

            emit(screen(report, ground.inventory, paper(), more=self.settings.verbose))
        if session is None or session.interrupted:
            tell("Ended early: the clock says only what was measured up to then.")
            return EXIT_INTERRUPTED
        return exit_code(report)


def _refuse_load(measuring: Measuring) -> None:
    """Raise CannotTell where something else uses the disks: a switch would slow it down, and it the figures."""
    busy = measuring.loads()
    if busy:
        raise CannotTell(f"Nothing is switched: {' '.join(one.text for one in busy)} Try again when that is over.")


def _switching(asked: Asked, subject: Subject | None) -> Iterator[str]:
    """What is said of the switches before they are made."""
    if subject is None:
        return
    card = subject.volume is not None and not subject.software
    what: dict[State, str] = {
        "write_through": f"The write policy of {subject.id} is switched to write-through",
        "drives_off": f"The write caches of the drives of {subject.id} are switched off"
        + (", with the controller in write-through," if card else ""),
    }
    for state in asked.states:
        yield (
            f"{what[state]} for about {2 * asked.switch_seconds:.0f} seconds and put back: at the end, on Ctrl-C, when "
            'raidctl is killed, and by "raidctl restore" after a power failure. The journal has it.'
        )


def _profile(asked: Asked, known: Weighed, switcher: Switcher | None, *, nbd: bool) -> Profile:
    """The trials that the claims ask for, shorter where less time is given."""
    seconds = asked.seconds or SECONDS
    share = seconds / SECONDS
    names = {claim.name for claim in asked.claims}
    trials: list[Trial] = [Medium(reads=_within(400 * share, 90, 400), commits=_within(300 * share, 120, 300))]
    if not names <= _CLOCKED:
        trials.append(Commits(seconds=min(max(2.0 * share, 0.25), 5.0)))
    if names & _CACHES:
        # the slope first: it decides about safety, and the time may be over before the knee is found
        trials.append(FlushSlope(amounts=(0, 2, 4, 8, 16, 32) if share >= 0.5 else (0, 1, 2, 4)))
        trials.append(Knee(seconds=min(max(20 * share, 3.0), 120.0), rest=min(2 * share, 5.0)))
    if "raid_level" in names:
        level = next((claim.words for claim in asked.claims if claim.name == "raid_level"), ())
        trials.append(RaidLevel(seconds=min(max(share, 0.2), 1.0), promised=level[0] if len(level) == 1 else None))
    if switcher is not None:
        trials.append(PolicySwitch(turn=switcher, states=asked.states, seconds=asked.switch_seconds))
    claimed = max((claim.number for claim in asked.claims if claim.name == "cache_size"), default=0)
    cache = max(claimed, int((known.cache_mib or 0) * (1 << 20)))
    size = min(max(GIB, _FILLS * cache), MOST) if names & _CACHES and not nbd else GIB
    return Profile(
        name="verify",
        title=f"what the clock says to {listing(sorted(claim.option for claim in asked.claims))}.",
        seconds=seconds,
        size=size,
        trials=tuple(trials),
    )


def _within(value: float, least: int, most: int) -> int:
    return min(max(round(value), least), most)
