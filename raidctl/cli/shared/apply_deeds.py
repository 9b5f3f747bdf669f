"""An operation on a machine: plan deeds, ask, carry out, end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from raidctl.change.confirmation import MIN_CHARACTERS, mismatch
from raidctl.change.deed_steps import Guard
from raidctl.change.expectations import serials_of
from raidctl.cli.shared.apply_change import Report, carry_out, report_of, reported, result_words
from raidctl.cli.shared.machine import Machine, machine_for_deeds
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import (
    Consent,
    Declined,
    Interrupted,
    Work,
    about,
    agreed,
    typed_answer,
)
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import EXIT_FINE, EXIT_NOT_UNDONE, CannotTell, ChangeNotUndone, RaidctlError, UnderWay, UsageError
from raidctl.operate.container import ABSENT, UNREAD, read_container
from raidctl.output.terminal import is_terminal
from raidctl.request import Read, Runner, converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Plan

Planner = Callable[[Survey], Plan]


def perform_deeds(
    settings: Settings,
    consent: Consent,
    planner: Planner,
    guard: Guard,
    *,
    opened: Callable[[Machine], None] = lambda _: None,
    confirmed: Callable[[Work], None] = lambda _: None,
    ended: Callable[[Work], int | None] = lambda _: None,
    facts: Callable[[Survey], Mapping[str, str]] | None = None,
) -> int:
    """Plan deeds, ask, carry them out and read again. Return the exit code.

    Args:
        settings: The options that name the machine.
        consent: The consent given on the command line.
        planner: Makes the plan from a reading, with its guards; called again if time has passed.
        guard: Asked again right before each step.
        opened: Given the machine before it is read, to ask it more.
        confirmed: Asks for more than "yes" where that is not enough; raises if it is not given.
        ended: Called after the deeds are done and verified; its exit code, if any, is that of the command.
        facts: What the journal keeps with the operation, from the reading on which it was planned.
    """
    if not consent.dry_run:
        settings.refuse_recording()
    place = None if consent.dry_run else state_directory(settings)
    with machine_for_deeds(settings) as named:
        if place is not None:
            refuse_container(named.runner)
        opened(named)
        seen = named.survey()
        work = Work(named, seen, planner(seen), place, consent, planner=planner)
        with reported(Report(work.plan), settings) as report:
            return _performed(work, settings, report, guard, confirmed=confirmed, ended=ended, facts=facts)


def _performed(
    work: Work,
    settings: Settings,
    report: Report,
    guard: Guard,
    *,
    confirmed: Callable[[Work], None],
    ended: Callable[[Work], int | None],
    facts: Callable[[Survey], Mapping[str, str]] | None,
) -> int:
    code = agreed(work, settings)
    if code is not None:
        report.result, report.warnings = report_of(work).result, work.notes
        return code
    confirmed(work)
    entry = work.begin("operation", about(), facts=facts(work.seen) if facts is not None else None)
    change, _ = carry_out(work, report, entry, guard)
    if not settings.as_json:
        emit_message(f"{result_words(change)}; in the journal as change {entry.change}.")
    if change.doubtful:
        return EXIT_NOT_UNDONE
    try:
        code = ended(work)
    except (UnderWay, Interrupted):
        raise
    except RaidctlError as error:
        raise ChangeNotUndone(f"{error} The change itself is done and verified.") from None
    return EXIT_FINE if code is None else code


def refuse_container(runner: Runner) -> None:
    """Refuse every deed in a container. Users of a drive outside it are invisible (X8).

    Raises:
        CannotTell: It is one, or ``/sys`` is read-only, or this could not be read.
    """
    inside = converse(read_container(), runner)
    if inside is not None:
        maybe = "may be" if inside.endswith(UNREAD) else "is"
        text = f"This {maybe} a container ({inside}): what uses a drive cannot be seen from it. Nothing was done."
        raise CannotTell(f"{text} Run the command on the host itself.")
    [mounts] = runner.carry_out([Read("/proc/self/mounts")])
    if mounts.trouble not in (None, *ABSENT):
        raise CannotTell(f"Whether /sys is read-only {UNREAD} ({mounts.detail}). Nothing was done.")
    # sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0
    text = getattr(mounts, "text", None) or ""
    kinds = [line.split() for line in text.splitlines()]
    if any(words[1:3] == ["/sys", "sysfs"] and "ro" in words[3].split(",") for words in kinds if len(words) > 3):
        raise CannotTell("/sys is read-only, as in a container: what uses a drive cannot be seen. Nothing was done. "
                         "Run the command on the host itself.")  # fmt: skip


def confirm_serial(work: Work, serial: str, typed: str | None, what: str) -> None:
    """Ask for the serial number of a drive. Neither ``--yes`` nor an empty line is enough.

    Raises:
        UsageError: There is no terminal to ask on, and no ``--confirm``, or it names something else.
        Declined: Something else was typed.
    """
    others = set(serials_of(work.seen)) - {serial}
    if typed is None:
        if not is_terminal(sys.stdin):
            raise UsageError(f"Nothing was done: confirm it with --confirm {serial} ({what}).")
        typed = typed_answer(f"{what}. Type its serial number, at least the last {MIN_CHARACTERS} characters")
        why = mismatch(typed, serial, others)
        work.asked = True
        if why is not None:
            raise Declined(f"Nothing was done: {why}.")
        return
    why = mismatch(typed, serial, others)
    if why is not None:
        raise UsageError(f"Nothing was done: --confirm: {why}.")
