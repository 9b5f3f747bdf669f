"""Self-tests of plain drives: which drives, their commands, their results."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

import click
from msgspec import Struct

from raidctl.cli.check._waiting import REAL, Look, wait
from raidctl.cli.shared.change_targets import drives as named_drives
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.terminal import emit_found, emit_head, emit_message
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, CannotTell, ChangeNotUndone, RaidctlError, UsageError
from raidctl.model import Drive, hiding_problems
from raidctl.request import Dialogue, converse, together
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.units import format_percent
from raidctl.vendor.plan import Action
from raidctl.vendor.self_tests import SelfTest, SelfTests, self_tests_of

_EVERY = 10.0
"""Seconds between two readings of a running test."""
_PAUSES = (0.0, 1.0, 4.0)
"""Seconds before each reading of a test just started. Some drives need a moment."""


class Tested(Struct):
    """A drive of a machine, and how it is tested."""

    drive: Drive
    tests: SelfTests


class Refused(RaidctlError):
    """A self-test that is not started."""

    exit_code = EXIT_NO


def emit_with_problems(seen: Survey, found: Sequence[SelfTest], settings: Settings) -> int:
    """Print the tests, and what could not be read. Return the exit code: a test of unknown state is 3."""
    problems = hiding_problems(seen.inventory.problems)
    emit_head(seen.inventory, settings, apart=bool(found))
    emit_found(found, settings, "self_tests.self_tests_screen", unread=bool(problems))
    if not settings.as_json:
        print_problems(problems)
    unknown = any(test.state == "unknown" for test in found)
    return exit_code(problems) or (EXIT_CANNOT_TELL if unknown else EXIT_FINE)


def chosen(named: Machine, seen: Survey, words: Sequence[str]) -> list[Tested]:
    """Return the plain drives that the words name, each once. Without words, return all of them.

    Raises:
        UsageError: A word means no drive, or one that the system cannot test itself.
    """
    by_family = {vendor.FAMILY: self_tests_of(vendor) for vendor in named.vendors}
    testable = {
        drive.id: Tested(drive, tests)
        for controller in seen.inventory.controllers
        if (tests := by_family.get(family_of(controller))) is not None
        for drive in controller.drives
    }
    if not words:
        return list(testable.values())
    found: dict[str, Tested] = {}
    for word in words:
        for drive in named_drives(seen, [word]):
            below = [testable[name] for name in (drive.id, *drive.backing) if name in testable]
            if not below:
                raise UsageError(f'"{printable(word)}" is behind a RAID controller: its self-tests cannot be run here.')
            found |= {one.drive.id: one for one in below}
    return list(found.values())


def actions(chosen: Sequence[Tested], make: Callable[[Tested], Action | str]) -> list[Action]:
    """Return the command for each drive.

    Raises:
        Refused: There is none for one of them; then none is run.
    """
    found = []
    for one in chosen:
        action = make(one)
        if isinstance(action, str):
            raise Refused(f"{one.drive.id}: {action} Nothing was started.")
        found.append(action)
    return found


def none_running(named: Machine, chosen: Sequence[Tested]) -> list[SelfTest]:
    """Return the last tests. Refuse if one is or may be running: a start would abort it on some drives.

    Raises:
        Refused, CannotTell: That is so.
    """
    found = read(named, chosen)
    for test in found:
        if test.state == "running":
            progress = "" if test.percent is None else f" ({format_percent(test.percent)})"
            raise Refused(f"{test.drive} is being tested{progress}. Nothing was started; wait, or abort it: "
                          f'"raidctl check media stop {shlex.quote(test.device or test.drive)}".')  # fmt: skip
        if test.state == "not_supported":
            raise Refused(f"{test.drive}: {test.why} Nothing was started.")
        if test.state == "unknown":
            raise CannotTell(
                f"{test.drive}: whether a self-test is running is unknown: {test.why} Nothing was started."
            )
    return found


def shown(named: Machine, chosen: Sequence[Tested], before: Sequence[SelfTest]) -> list[SelfTest]:
    """Return the started tests, each running or already in its drive's log.

    Raises:
        ChangeNotUndone: A drive shows neither, whatever its tool printed.
    """
    silent: list[str] = []
    for pause in _PAUSES:
        REAL.sleep(pause)
        found = read(named, chosen)
        silent = [after.drive for was, after in zip(before, found, strict=True) if not began(was, after)]
        if not silent:
            return found
    raise ChangeNotUndone(f"The self-test of {listing(silent)} was accepted, but the drive does not show it.")


def began(before: SelfTest, after: SelfTest) -> bool:
    if after.state in ("running", "unknown"):
        return after.state == "running"
    was = (before.state, before.kind, before.hours, before.logged)
    return (after.state, after.kind, after.hours, after.logged) != was


def printed(actions: Sequence[Action], settings: Settings) -> int:
    if settings.as_json:
        raise click.UsageError("--dry-run and --json do not go together here.")
    for action in actions:
        click.echo(f"  {action}")
    return EXIT_FINE


def carry_out(named: Machine, one: Tested, action: Action) -> None:
    emit_message(f"  {action}")
    [answer] = named.runner.carry_out([action.request()])
    if not answer.fine:
        raise CannotTell(f"{action}: {answer.detail or (answer.trouble.value if answer.trouble else 'failed')}.")
    why = one.tests.refused(action, answer)
    if why is not None:
        raise Refused(f"{one.drive.id} refused: {why}.")


def read(named: Machine, chosen: Sequence[Tested]) -> list[SelfTest]:
    def all_of() -> Dialogue[list[SelfTest]]:
        return (yield from together(one.tests.read(one.drive) for one in chosen))

    return converse(all_of(), named.runner) if chosen else []


def waited(named: Machine, chosen: Sequence[Tested], at_most: float | None, again: str) -> list[SelfTest]:
    """Wait, and return the tests as last read."""
    found: list[SelfTest] = []

    def look() -> Look:
        found[:] = read(named, chosen)
        return look_of(found)

    wait(look, _EVERY, at_most, again, REAL)
    return found


def look_of(found: Sequence[SelfTest]) -> Look:
    """Return the progress of the slowest running test. A test that cannot be read may be running."""
    unread = [test for test in found if test.state == "unknown"]
    waited = [test for test in found if test.state in ("running", "unknown")]
    percents = [test.percent for test in waited if test.percent is not None]
    names = ", ".join(test.drive for test in waited)
    why = listing([f"{test.drive} ({(test.why or 'unknown').rstrip('.')})" for test in unread])
    return Look(not waited, min(percents, default=None), f"self-test of {names}", why)


def verdict(found: Sequence[SelfTest]) -> int:
    if all(test.state == "passed" for test in found):
        return EXIT_FINE
    return EXIT_NO if any(test.state in ("failed", "aborted") for test in found) else EXIT_CANNOT_TELL
