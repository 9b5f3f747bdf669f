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
from raidctl.cli._verify_plan import (
    SECONDS,
    MeasureOptions,
    announcement,
    profile,
    refuse_flush_device,
    refuse_memory,
)
from raidctl.cli.shared.before_measuring import Agreement, DryRunError, ready, require_local_machine
from raidctl.cli.shared.bench_plan import Order, kind_of, range_of, size_of
from raidctl.cli.shared.machine import Machine, machine, print_tracebacks, with_own_records
from raidctl.cli.shared.measuring import Measured, Measuring
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.switcher import Switcher, refusal
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import EXIT_FINE, EXIT_INTERRUPTED, CannotTell, RaidctlError, UsageError
from raidctl.json_decode import valid_text
from raidctl.text import listing, printable
from raidctl.units import timestamp
from raidctl.verify import measured, subjects
from raidctl.verify.facts import facts, write_percent
from raidctl.verify.judge import exit_code, verify
from raidctl.verify.measurements import Measurements
from raidctl.verify.report import Verification, overall
from raidctl.verify.subjects import CheckedMachine, Subject, named
from raidctl.verify.wanted import DEFAULT, Claim


def run(settings: Settings, options: MeasureOptions) -> int:
    """Show the plan, measure, judge, show the results; return the exit code.

    Raises:
        click.UsageError, UsageError: It cannot be measured.
        BenchError, AccessMissing, CannotTell: It is refused, or nothing can be written there.
    """
    require_local_machine(settings)
    kind = kind_of(options.target)
    if kind == "nbd" and options.claims == DEFAULT:
        # nothing else is known of a server
        options = replace(options, claims=(Claim("power_safe"),))
    refuse_memory(options.target, kind)
    refuse_flush_device(options)
    order = Order(
        target=options.target,
        kind=kind,
        profile=Profile(name="verify", title="", seconds=SECONDS, size=GIB, trials=()),
        engine=None,
        cross_check=False,
        size=size_of(options.size, kind),
        overwrite=range_of(options.overwrite, kind),
        seconds=options.seconds or SECONDS,
        label="verify",
    )
    store = None if options.no_save or options.dry_run else ready(settings)
    with machine(settings) as here:
        return _Verifying(settings, options, order, here, store).carry_out()


@dataclass
class _Verifying:
    """One verification in progress."""

    settings: Settings
    options: MeasureOptions
    order: Order
    here: Machine
    store: Store | None

    def carry_out(self) -> int:
        """Read, measure, judge; return the exit code."""
        begun, listener = timestamp(), Listener()
        seen = self.here.survey()
        checked = subjects.with_kernel(with_own_records(seen, self.settings), self.here.runner)
        if self.settings.verbose:
            print_tracebacks(seen)
        subject, why = self._subject(checked)
        switcher = Switcher(self.settings, subject) if subject is not None and self.options.states else None
        if self.options.states and not self.options.dry_run:
            state_directory(self.settings)  # nothing may be switched without a journal: checked first
        for state in self.options.states:
            refusal(checked, subject, state, switcher, self.here.vendors)
        report = self._verification(checked, subject, why)
        found = self._measured(checked, subject, switcher)
        if found is None:
            return EXIT_FINE if self.options.dry_run else self._shown(report, checked, None)
        kept = self._kept(begun, listener, found, checked)
        report = self._joined(report, checked, subject, found.session, kept)
        code = self._shown(report, checked, found.session)
        if switcher is not None and switcher.trouble is not None:
            raise switcher.trouble
        return code

    def _subject(self, checked: CheckedMachine) -> tuple[Subject | None, str]:
        """Return the volume or drive that is measured. A sentence: why it is unknown.

        Raises:
            UsageError: There are several.
        """
        shown = printable(self.options.target)
        if self.order.kind == "nbd":
            return (
                None,
                "What is behind an NBD export is not visible from here: the claims are tested by measuring only.",
            )
        path = os.path.realpath(self.options.target) if self.order.kind == "file" else self.options.target
        try:
            found = named(checked, [path])
        except CannotTell as error:
            return None, str(error)
        if len(found) > 1:
            names = listing(one.item.device or one.id for one in found)
            raise UsageError(f"{shown} is on {names}: --measure takes one volume or drive at a time.")
        return found[0], ""

    def _verification(self, checked: CheckedMachine, subject: Subject | None, why: str) -> Verification:
        """Return the results from inventory and kernel."""
        targets = (self.options.target,)
        if subject is not None:
            return verify(checked, self.options.claims, [subject], targets, ())
        served = self.order.kind == "nbd"
        answers = tuple(measured.unknown_target(self.options.claims, self.options.target, why, served=served))
        host = checked.inventory.host
        return Verification(
            host=host, targets=targets, verdict=overall(answers), answers=answers, problems=checked.inventory.problems
        )

    def _measured(self, checked: CheckedMachine, subject: Subject | None, switcher: Switcher | None) -> Measured | None:
        """Return the measurements. None: only the plan was requested, or it was interrupted too early."""
        from raidctl.output.bench_progress import progress  # noqa: PLC0415 - rich only where something is drawn

        known = facts(checked, subject) if subject is not None else Weighed()
        with progress() as bar:
            if switcher is not None:
                switcher.quiet = bar.hidden
            wanted = profile(self.options, known, switcher, nbd=self.order.kind == "nbd")
            extra = sum(trial.seconds * (3 * len(trial.states) + 1) for trial in wanted.trials
                        if isinstance(trial, PolicySwitch))  # fmt: skip
            order = replace(self.order, profile=wanted, seconds=self.order.seconds + extra)
            consent = Agreement(
                order.asks or bool(self.options.states), dry_run=self.options.dry_run, yes=self.options.yes
            )
            measuring = Measuring(order, checked.seen, self.here.runner, bar.update)
            if self.options.states:
                _refuse_load(measuring)
            agreed = False

            def agree(plan: Sequence[str]) -> None:
                nonlocal agreed
                with bar.hidden():
                    consent([*plan, *announcement(self.options, subject)])
                agreed = True

            try:
                return measuring.plan(agree)
            except DryRunError:
                return None
            except KeyboardInterrupt:
                if not agreed:
                    raise
                return None

    def _kept(self, begun: str, listener: Listener, found: Measured, checked: CheckedMachine) -> int | None:
        """Save the run; if that fails, the results are printed nevertheless."""
        if self.store is None:
            return None
        host = checked.inventory.host
        made = Run(
            at=begun, raidctl=__version__, host=host.hostname, kernel=host.kernel, label=self.order.label,
            session=found.session, prepared=found.prepared, noise=listener.noise(), inventory=checked.inventory,
        )  # fmt: skip
        try:
            return self.store.add(valid_text(made)).id
        except RaidctlError as error:
            emit_message(f"The run was not saved: {error}")
            return None

    def _joined(
        self, report: Verification, checked: CheckedMachine, subject: Subject | None, session: Session, kept: int | None
    ) -> Verification:
        measurements = Measurements(
            session=session,
            facts=facts(checked, subject) if subject is not None else Weighed(),
            named=self.options.target,
            subject=subject,
            write_percent=write_percent(subject),
            served=self.order.kind == "nbd",
            asked=self.options.repeated,
        )
        return measured.joined(report, self.options.claims, measurements, kept)

    def _shown(self, report: Verification, checked: CheckedMachine, session: Session | None) -> int:
        """Print the results; return the exit code."""
        emit_found(report, self.settings, "verify.screen", checked.inventory, more=self.settings.verbose)
        if session is None or session.interrupted:
            emit_message("Ended early: the results are those of the measurements up to then.")
            return EXIT_INTERRUPTED
        return exit_code(report)


def _refuse_load(measuring: Measuring) -> None:
    """Raise CannotTell if something else uses the drives.

    A switch would slow it down, and it would affect the figures.
    """
    busy = measuring.loads()
    if busy:
        raise CannotTell(f"Nothing is switched: {' '.join(one.text for one in busy)} Try again when that is over.")
