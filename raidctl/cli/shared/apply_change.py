"""A permanent change: plan, ask, apply, end. With ``--json``, one document describes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from raidctl.change.deed_steps import Guard
from raidctl.change.engine import Change
from raidctl.change.failure_messages import RightMissing, interruption
from raidctl.change.journal import Begin
from raidctl.change.lookup import unreported
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, DesiredMaker, Interrupted, Work, about, agreed, planned
from raidctl.cli.shared.reader_gone import ReaderGoneError
from raidctl.cli.shared.terminal import after_change, emit_json, emit_message
from raidctl.errors import EXIT_FINE, CannotTell, ChangeNotUndone, ChangeUndone, UnderWay
from raidctl.model import Inventory
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Outcome, Plan, Result
from raidctl.vendor.protocol import Vendor


def perform(settings: Settings, consent: Consent, requests: DesiredMaker, more: Sequence[Vendor] = ()) -> int:
    """Carry out a permanent change: plan, ask, apply, end. ``more`` are the core's own families."""
    with planned(settings, consent, requests, more) as work, reported(Report(work.plan), settings) as report:
        return _performed(work, settings, report)


def _performed(work: Work, settings: Settings, report: Report) -> int:
    if not (work.plan.steps or work.plan.refusals or work.consent.dry_run):
        with work.hold(work.begin("set", about())):
            pass  # the present holder of the controller may have set it only temporarily
    code = agreed(work, settings)
    if code is not None:
        report.result, report.warnings = report_of(work).result, work.notes
        return code
    change, seen = carry_out(work, report, work.begin("set", about()))
    if not settings.as_json:
        emit_message(f"{_outcome(change, seen.inventory)}; in the journal as change {change.begin.change}.")
    return EXIT_FINE


def carry_out(work: Work, report: Report, entry: Begin, guard: Guard | None = None) -> tuple[Change, Survey]:
    """Apply and end a change, and print its warnings. Return it with the reading that has verified it.

    Args:
        work: The plan.
        report: Gets the outcome.
        entry: The change's first entry in the journal.
        guard: Asked again right before each step; None: nothing is.

    Raises:
        Interrupted: By Ctrl-C; what had been begun was undone.
    """
    report.change = entry.change
    with work.hold(entry):
        change = work.change(entry)
        if guard is not None:
            change.guard = guard
        try:
            seen = change.apply()
            change.finish()
        except KeyboardInterrupt:  # the engine has undone what it had begun, or reported that it could not
            raise Interrupted("Interrupted: everything is as before.") from None
    report.result, report.warnings = "done", (*work.notes, *change.warnings)
    for text in change.warnings:
        emit_message(f"Warning: {text}.")
    return change, seen


def _outcome(change: Change, inventory: Inventory) -> str:
    """Whether the reading after a change shows that the settings are active, in words."""
    if any(unreported(inventory, desired) for desired in change.begin.desired):
        return "Done; whether it is active is not reported"
    return result_words(change)


def result_words(change: Change) -> str:
    """The result of commands whose effect was read again. A command that failed, and had its effect, is a warning."""
    return "Done, with a warning" if change.warnings else "Done and verified"


@dataclass
class Report:
    """The outcome of a plan, for ``--json``: one document with both."""

    plan: Plan
    result: Result = "failed"
    change: str | None = None
    warnings: tuple[str, ...] = ()
    message: str | None = None

    def failed(self, error: BaseException) -> None:
        """Record an error, which is printed on standard error as well. What is done stays done."""
        self.message = interruption(error)
        if self.result == "done" and not isinstance(error, UnderWay):
            return
        put_back = isinstance(error, Interrupted) and self.change is not None
        self.result = "undone" if put_back or isinstance(error, ChangeUndone) else "failed"
        if isinstance(error, RightMissing) and not error.touched:
            self.result = "failed"
        if isinstance(error, ChangeNotUndone):
            self.result = "stands"
        if isinstance(error, UnderWay):
            self.result = "waiting"

    def outcome(self) -> Outcome:
        """Return the document."""
        made = {name: getattr(self.plan, name) for name in Plan.__struct_fields__}
        return Outcome(**made, result=self.result, change=self.change, warnings=self.warnings, message=self.message)


@contextmanager
def reported(report: Report, settings: Settings) -> Iterator[Report]:
    """With ``--json``, print one document with the outcome of the plan.

    A failure or an interruption is an outcome, too.
    """
    try:
        yield report
    except BaseException as error:
        report.failed(error)
        try:
            _print(report, settings)
        except (CannotTell, ReaderGoneError) as unwritten:  # the exit code is that of the change
            emit_message(str(unwritten))
        raise
    if report.result == "done":
        with after_change(f"The change was made; it is in the journal as change {report.change}."):
            _print(report, settings)
    else:
        _print(report, settings)


def _print(report: Report, settings: Settings) -> None:
    if settings.as_json:
        emit_json(report.outcome())


def report_of(work: Work) -> Report:
    """Return the report of a plan that is not carried out."""
    made = work.plan
    result: Result = "refused" if made.refusals or made.denials else "planned" if made.steps else "already"
    return Report(made, result, warnings=work.notes)
