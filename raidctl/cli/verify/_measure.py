"""``raidctl verify --measure``: measurements as evidence besides controller and kernel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidctl import __version__
from raidctl.bench.profiles import Profile
from raidctl.bench.record import Listener, Run
from raidctl.bench.result import Session
from raidctl.bench.store import Store
from raidctl.bench.trials.policy_switch import PolicySwitch
from raidctl.bench.trials.trial import GIB
from raidctl.bench.verdict.evidence import Evidence as Weighed
from raidctl.change.journal import now
from raidctl.cli.bench._measure import Measured, Measuring
from raidctl.cli.bench._plan import Order, kind_of, range_of, size_of
from raidctl.cli.bench.run import Agreement, DryRunError, only_here, ready
from raidctl.cli.shared.machine import Machine, machine, tell_tracebacks, with_open_ends
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import state_directory, tell
from raidctl.cli.shared.terminal import emit_found
from raidctl.cli.verify._plan import SECONDS, Asked, announcement, profile, refuse_flush_device, refuse_memory
from raidctl.cli.verify._switch import Switcher, refusal
from raidctl.errors import EXIT_FINE, EXIT_INTERRUPTED, CannotTell, RaidctlError, UsageError
from raidctl.json_decode import valid_text
from raidctl.text import listing, printable
from raidctl.verify import measured, subjects
from raidctl.verify.clock import Clock
from raidctl.verify.facts import facts, write_percent
from raidctl.verify.judge import exit_code, verify
from raidctl.verify.report import Verification, overall
from raidctl.verify.subjects import Ground, Subject, named
from raidctl.verify.wanted import DEFAULT, Claim


def run(settings: Settings, asked: Asked) -> int:
    """Show the plan, measure, judge, show the results; return the exit code.

    Raises:
        click.UsageError, UsageError: It cannot be measured.
        BenchError, AccessMissing, CannotTell: It is refused, or nothing can be written there.
    """
    only_here(settings)
    kind = kind_of(asked.target)
    if kind == "nbd" and asked.claims == DEFAULT:
        # nothing else can be known of a server
        asked = replace(asked, claims=(Claim("power_safe"),))
    refuse_memory(asked.target, kind)
    refuse_flush_device(asked)
    order = Order(
        target=asked.target,
        kind=kind,
        profile=Profile(name="verify", title="", seconds=SECONDS, size=GIB, trials=()),
        engine=None,
        cross_check=False,
        size=size_of(asked.size, kind),
        overwrite=range_of(asked.overwrite, kind),
        seconds=asked.seconds or SECONDS,
        label="verify",
    )
    store = None if asked.no_save or asked.dry_run else ready(settings)
    with machine(settings) as here:
        return _Verifying(settings, asked, order, here, store).carry_out()


@dataclass
class _Verifying:
    """One verification in progress."""

    settings: Settings
    asked: Asked
    order: Order
    here: Machine
    store: Store | None

    def carry_out(self) -> int:
        """Read, measure, judge; return the exit code."""
        begun, listener = now(), Listener()
        seen = self.here.survey()
        ground = subjects.asked(with_open_ends(seen, self.settings), self.here.runner)
        if self.settings.verbose:
            tell_tracebacks(seen)
        subject, why = self._subject(ground)
        switcher = Switcher(self.settings, subject) if subject is not None and self.asked.states else None
        if self.asked.states and not self.asked.dry_run:
            state_directory(self.settings)  # nothing may be switched without a journal: checked first
        for state in self.asked.states:
            refusal(ground, subject, state, switcher, self.here.vendors)
        report = self._verification(ground, subject, why)
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
        """Return the volume or drive that is measured. A sentence: why it is unknown.

        Raises:
            UsageError: There are several.
        """
        shown = printable(self.asked.target)
        if self.order.kind == "nbd":
            return (
                None,
                "What is behind an NBD export is not visible from here: the claims are tested by measuring only.",
            )
        path = os.path.realpath(self.asked.target) if self.order.kind == "file" else self.asked.target
        try:
            found = named(ground, [path])
        except CannotTell as error:
            return None, str(error)
        if len(found) > 1:
            names = listing(one.item.device or one.id for one in found)
            raise UsageError(f"{shown} lies on {names}: --measure takes one volume or drive at a time.")
        return found[0], ""

    def _verification(self, ground: Ground, subject: Subject | None, why: str) -> Verification:
        """Return the results from inventory and kernel."""
        targets = (self.asked.target,)
        if subject is not None:
            return verify(ground, self.asked.claims, [subject], targets, ())
        served = self.order.kind == "nbd"
        answers = tuple(measured.unknown_target(self.asked.claims, self.asked.target, why, served=served))
        host = ground.inventory.host
        return Verification(
            host=host, targets=targets, verdict=overall(answers), answers=answers, problems=ground.inventory.problems
        )

    def _measured(self, ground: Ground, subject: Subject | None, switcher: Switcher | None) -> Measured | None:
        """Return the measurements. None: only the plan was requested, or it was interrupted too early."""
        from raidctl.output.bench_progress import progress  # noqa: PLC0415 - rich only where something is drawn

        known = facts(ground, subject) if subject is not None else Weighed()
        with progress() as bar:
            if switcher is not None:
                switcher.quiet = bar.hidden
            wanted = profile(self.asked, known, switcher, nbd=self.order.kind == "nbd")
            extra = sum(trial.seconds * (3 * len(trial.states) + 1) for trial in wanted.trials
                        if isinstance(trial, PolicySwitch))  # fmt: skip
            order = replace(self.order, profile=wanted, seconds=self.order.seconds + extra)
            consent = Agreement(order.asks or bool(self.asked.states), dry_run=self.asked.dry_run, yes=self.asked.yes)
            measuring = Measuring(order, ground.seen, self.here.runner, bar.tell)
            if self.asked.states:
                _refuse_load(measuring)
            agreed = False

            def agree(plan: Sequence[str]) -> None:
                nonlocal agreed
                with bar.hidden():
                    consent([*plan, *announcement(self.asked, subject)])
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
        """Save the run; if that fails, the results are printed nevertheless."""
        if self.store is None:
            return None
        host = ground.inventory.host
        made = Run(
            at=begun, raidctl=__version__, host=host.hostname, kernel=host.kernel, label=self.order.label,
            session=found.session, prepared=found.prepared, noise=listener.noise(), inventory=ground.inventory,
        )  # fmt: skip
        try:
            return self.store.add(valid_text(made)).id
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
        """Print the results; return the exit code."""
        emit_found(report, self.settings, "verify.screen", ground.inventory, more=self.settings.verbose)
        if session is None or session.interrupted:
            tell("Ended early: the results are those of the measurements up to then.")
            return EXIT_INTERRUPTED
        return exit_code(report)


def _refuse_load(measuring: Measuring) -> None:
    """Raise CannotTell if something else uses the drives.

    A switch would slow it down, and it would affect the figures.
    """
    busy = measuring.loads()
    if busy:
        raise CannotTell(f"Nothing is switched: {' '.join(one.text for one in busy)} Try again when that is over.")
