"""Shared by commands that change something: options, plan preview, confirmation, controller locks."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Begin, Journal, Kind
from raidctl.change.lookup import concerned, doubt, names, why_inactive
from raidctl.change.reading import Reading
from raidctl.change.rollback import safe_to_undo, undone_by
from raidctl.change.state_directory import Held, Holder, busy, held_name, hold
from raidctl.change.unfinished import blocker
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import readable_journal, state_directory
from raidctl.cli.shared.terminal import emit, emit_message, named_machine
from raidctl.errors import (
    EXIT_ACCESS,
    EXIT_CANNOT_TELL,
    EXIT_FINE,
    EXIT_INTERRUPTED,
    EXIT_NO,
    CannotTell,
    RaidctlError,
    UsageError,
)
from raidctl.json_decode import valid_text
from raidctl.output.plan import plan_text
from raidctl.output.sentences import Sentence, fitted
from raidctl.output.terminal import is_terminal
from raidctl.select import Ambiguous, unseen
from raidctl.survey.survey import Survey
from raidctl.text import capitalised
from raidctl.vendor.plan import Desired, Plan
from raidctl.vendor.protocol import Vendor

_TICK = 0.05
"""Maximum seconds by which the times of files lag behind the clock."""

F = TypeVar("F", bound=Callable[..., Any])
DesiredMaker = Callable[[Survey], Sequence[Desired]]


@dataclass(frozen=True)
class Consent:
    """The user's consent to a change, by option or by answer."""

    dry_run: bool
    yes: bool
    unsafe: str | None


AGREED = Consent(dry_run=False, yes=True, unsafe=None)
"""Consent to a change that is part of another one. The user has agreed to the latter."""


def changing_options(function: F) -> F:
    """Add ``--dry-run``, ``--yes``, ``--unsafe``, passed on as one :class:`Consent`."""

    @functools.wraps(function)
    def bundled(*given: Any, dry_run: bool, yes: bool, unsafe: str | None, **named: Any) -> Any:
        if unsafe is not None and not unsafe.strip():
            raise click.UsageError("--unsafe needs a REASON: it goes into the journal.")
        return function(*given, consent=Consent(dry_run, yes, unsafe), **named)

    wrapped: Any = bundled
    for option in (
        click.option("--unsafe", metavar="REASON", help="Allow what may lose data; REASON goes to the journal."),
        click.option("-y", "--yes", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Print the plan and change nothing."),
    ):
        wrapped = option(wrapped)
    return cast("F", wrapped)


@dataclass
class Work:
    """A machine with the planned change."""

    named: Machine
    seen: Survey
    plan: Plan
    place: Path | None
    """The state directory; None: nothing is changed, or not yet."""
    consent: Consent
    length: int | None = None
    """Bytes of the journal before the machine was read; None: unknown."""
    looked: float = 0.0
    """When the machine was read, seconds since the epoch."""
    asked: bool = False
    """Whether a question was asked since then. The answer may have taken any time."""
    undoes: str | None = None
    """The change that the plan undoes, if it does nothing else. Undoing is never refused as unsafe."""
    notes: tuple[str, ...] = ()
    """Notes about the plan, shown before it is carried out."""
    planner: Callable[[Survey], Plan] | None = None
    """Makes the plan of an operation again; None: a plan of settings."""
    _under_lock: Reading | None = field(default=None, init=False)
    """The reading that :meth:`hold` has made, for the change that follows."""

    def begin(
        self, kind: Kind, about: str, *, resume: str | None = None, facts: Mapping[str, str] | None = None
    ) -> Begin:
        """Return the first entry of the change.

        ``resume`` and ``facts`` are those of an operation that can be resumed.
        """
        return begin(
            kind,
            self.plan,
            self.seen.inventory,
            about=about,
            source=self.named.source,
            reason=self.consent.unsafe or (f"undoes change {self.undoes}" if self.undoes else None),
            unsafe=self.consent.unsafe is not None or self.undoes is not None,
            resume=resume,
            facts=facts,
        )

    def change(self, entry: Begin, show: Callable[[str], None] | None = None) -> Change:
        """Return the change, ready to be applied. ``show`` receives its commands as they are run; None: print them."""
        journal = Journal(self.state)
        made = Change(entry, journal, self.named.runner, self.named.survey, self.named.vendors, show or emit_message)
        # for one change only, as the first one may have run commands by the time of the next
        made.last_reading, self._under_lock = self._under_lock, None
        return made

    @property
    def state(self) -> Path:
        """The state directory of a change that is carried out."""
        if self.place is None:
            raise UsageError("A dry run changes nothing.")
        return self.place

    @contextmanager
    def hold(self, entry: Begin) -> Iterator[None]:
        """Lock all controllers of the plan, and check that it still fits.

        Raises:
            Held: Another raidctl has one of them.
            CannotTell: One has an unfinished change, or something has changed since the plan was made.
        """
        found = concerned(self.seen.inventory, self.plan)
        controllers = [controller.id for controller in found]
        holder = Holder(change=entry.change, pid=entry.pid, since=entry.at, about=entry.about)
        held = [held_name(self.named.source, controller) for controller in controllers]
        with hold(self.state, held, holder, source=self.named.source) as last:
            why = blocker(self.state, self.named.source, self.plan, found)
            if why is not None:
                raise CannotTell(why)
            self._still_so(last)
            yield

    def _still_so(self, last: float) -> None:
        """Plan again under the lock if another raidctl may have changed something.

        The values to restore must not be the temporary policy of a batch that was running when the machine was read. A
        raidctl with another journal has left its time (``last``) in the lock.
        """
        quiet = self.length is not None and self.length == Journal(self.state).length() and last < self.looked - _TICK
        if quiet and not self.asked:
            return
        now = self.named.survey()
        self._under_lock = Reading(now, time.monotonic())
        unsafe = self.consent.unsafe is not None
        if self.planner is not None:
            again_planned = self.planner(now)
        else:
            again_planned = plan(now.inventory, self.named.vendors, self.plan.desired, unsafe=unsafe, view=now.view)
        again_planned = safe_to_undo(again_planned) if self.undoes else again_planned
        same = names(now.inventory, again_planned) == names(self.seen.inventory, self.plan)
        if again_planned != self.plan or not same:
            raise CannotTell(
                "Something else has changed in the meantime, so the plan no longer fits: nothing was changed."
            )


def note_own_journal(settings: Settings, command: str) -> None:
    """Print that only this user's journal was read, and the command that reads root's."""
    if os.geteuid() and not settings.demo and not settings.replay and not settings.state_dir:
        host = f"--host {settings.host} " if settings.host else ""
        emit_message(f"Only the journal of your own changes was read; root's: sudo raidctl {host}{command}")


def about() -> str:
    """Return the command line, for the journal."""
    import shlex  # noqa: PLC0415 - needed by changes only

    return valid_text(shlex.join(["raidctl", *sys.argv[1:]]))


@contextmanager
def planned(
    settings: Settings, consent: Consent, requests: DesiredMaker, more: Sequence[Vendor] = ()
) -> Iterator[Work]:
    """Open the machine that the options name, and plan what is desired. ``more`` are the core's own families."""
    if not consent.dry_run:
        settings.refuse_recording()
    place = None if consent.dry_run else state_directory(settings)
    with machine(settings) as named:
        named.vendors = [*named.vendors, *more]
        work = work_on(named, place, requests, consent)
        _find_undone_change(work, settings)
        work.notes += tuple(_doubts(work))
        yield work


def _doubts(work: Work) -> Iterator[str]:
    """Yield why settings that need no step may be inactive.

    Nothing if the plan is refused, as the refusals contain it.
    """
    inventory = work.seen.inventory
    for desired in () if work.plan.refusals else work.plan.already:
        why = why_inactive(inventory, desired) or doubt(inventory, desired)
        if why is not None:
            yield f"{why}."


def work_on(named: Machine, place: Path | None, requests: DesiredMaker, consent: Consent = AGREED) -> Work:
    """Read a machine, and plan what is desired. ``place`` is the state directory; None: not created yet."""
    length = Journal(place).length() if place is not None else None
    looked = time.time()
    seen = named.survey()
    unsafe = consent.unsafe is not None
    made = plan(seen.inventory, named.vendors, _desired(requests, seen), unsafe=unsafe, view=seen.view)
    return Work(named, seen, made, place, consent, length, looked)


def _find_undone_change(work: Work, settings: Settings) -> None:
    """Find the change that the plan undoes. In a dry run, also check for a running or unfinished change that blocks it.

    Raises:
        Held, CannotTell: Everything is as desired, but such a change may restore other values. Only in a dry run.
    """
    source, inventory = work.named.source, work.seen.inventory
    try:
        place = work.place or readable_journal(settings)
        unsafe = any(refusal.kind == "unsafe" for refusal in work.plan.refusals)
        changes = Journal(place).changes() if unsafe else ()
    except RaidctlError:  # without a journal, earlier changes are unknown
        return
    work.undoes = undone_by(work.plan.steps, changes, source, inventory)
    if work.undoes:
        risks = [refusal.reason for refusal in work.plan.refusals if refusal.kind == "unsafe"]
        work.plan = safe_to_undo(work.plan)
        work.notes = (f"This restores the state before change {work.undoes}. {' '.join(dict.fromkeys(risks))}",)
    if work.place is None and settings.replay is None:
        found = concerned(inventory, work.plan)
        held = busy(place, source, [controller.id for controller in found])
        why = held or blocker(place, source, work.plan, found)
        if why and not (work.plan.steps or work.plan.refusals):
            raise Held(why) if held else CannotTell(why)
        work.notes += (why,) if why else ()


def _desired(requests: DesiredMaker, seen: Survey) -> Sequence[Desired]:
    """Return the desired settings. An object that was not found may exist if the reading is incomplete.

    Raises:
        CannotTell: An object was not found, and something could not be read.
        AccessMissing: The same for lack of a tool or a permission.
    """
    try:
        return requests(seen)
    except Ambiguous:
        raise
    except UsageError as error:
        raise unseen(error, seen.inventory.problems) from None


def agreed(work: Work, settings: Settings, *, err: bool = False) -> int | None:
    """Print the plan and ask. Return the exit code if nothing more is to be done, None to continue.

    ``err``: on standard error, because standard output belongs to another program.
    """
    consent = work.consent
    if not settings.as_json:
        _show(work, settings, err=err)
    if work.plan.refusals or work.plan.denials:
        return code_of(work.plan)
    if not work.plan.steps:
        return EXIT_FINE
    if consent.dry_run:
        return EXIT_FINE
    if consent.yes:
        return None
    if not is_terminal(sys.stdin):
        raise UsageError("Nothing was changed: without a terminal, use --yes (or --dry-run to see the plan).")
    if settings.as_json:
        _show(work, settings, err=True)
    require_yes("Do this?", "nothing was changed")
    work.asked = True
    return None


def code_of(refused: Plan) -> int:
    """Return the exit code of a refused plan. Refused comes before unknown, and unknown before a missing tool."""
    kinds = {refusal.kind for refusal in refused.refusals}
    kinds |= {"unknown" if denial.unknown else "unsupported" for denial in refused.denials}
    if kinds - {"unknown", "no_tool"}:
        return EXIT_NO
    return EXIT_CANNOT_TELL if "unknown" in kinds else EXIT_ACCESS


def require_yes(question: str, nothing: str, *, default: bool = False) -> None:
    """Ask a question on standard error that needs a yes.

    Args:
        question: The question.
        nothing: What follows from a no: ``nothing was changed``.
        default: Whether Enter means yes.

    Raises:
        Declined: The answer is no.
        Interrupted: There was no answer.
    """
    with _answer_expected(nothing):
        wanted = click.confirm(question, default=default, err=True)
    if not wanted:
        raise Declined(f"{capitalised(nothing)}.")


def typed_answer(question: str) -> str:
    """Ask for a word on standard error; empty if only Enter was pressed.

    Raises:
        Interrupted: There was no answer.
    """
    with _answer_expected("nothing was done"):
        return str(click.prompt(question, default="", err=True, show_default=False))


@contextmanager
def _answer_expected(nothing: str) -> Iterator[None]:
    try:
        yield
    except click.Abort:
        emit_message("")  # the cursor is still behind the question
        raise Interrupted(f"Interrupted at the prompt: {nothing}.") from None


class Declined(RaidctlError):
    """The question was answered with no."""

    exit_code = EXIT_NO


class Interrupted(RaidctlError):
    """Ctrl-C, or the end of the input, in response to a question."""

    exit_code = EXIT_INTERRUPTED


def _show(work: Work, settings: Settings, *, err: bool) -> None:
    text = plan_text(work.plan, work.notes, columns(), named_machine())
    if settings.host and work.plan.steps:
        where = f"Over ssh: the journal of this change is kept here; raidctl on {settings.host} has no record of it."
        text += fitted([Sentence(where)], columns())
    if err:
        click.echo(text, nl=False, err=True)
    else:
        emit(text)
