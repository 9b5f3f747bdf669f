"""``raidctl locate off``: switch locate LEDs off."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
from msgspec.structs import replace

from raidctl.change.indicator import OFF, Indicator
from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.restored import Restored
from raidctl.cli.shared.exit_codes import print_problems
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.led_restore import led_restorer
from raidctl.cli.shared.locate_leds import Found, desired_state, find_leds, led_machine, open_changes, process_of
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import AGREED, about, work_on
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.terminal import emit, emit_json, emit_message, named_machine
from raidctl.errors import EXIT_FINE, EXIT_NOT_UNDONE, UsageError
from raidctl.locate.report import Located, LocateReport, located
from raidctl.output.locate import listed

_PATIENCE = 60.0
"""Seconds for another raidctl process to switch its LEDs off. They count from the signal to end."""
_LONGEST = 60.0


@click.command("off", epilog=examples("raidctl locate off", "raidctl locate off /dev/sdb"))
@click.argument("target", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Print the commands and switch nothing.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: tuple[str, ...], dry_run: bool) -> int:
    """Switch locate LEDs off.

    Without TARGET: all LEDs that raidctl has switched on here; a raidctl that
    keeps one on is ended. With TARGET, the LEDs of these drives and bays,
    whoever has switched them on.

    Exit codes: 0 off; 1 a drive has no LED that can be switched; 2 no such
    drive; 3 its LED may be one that cannot be read; 5 an LED could not be
    switched off; 6 one that raidctl has switched on could not be switched off.
    """
    settings = settings_of(context)
    if not dry_run:
        settings.refuse_recording()
    with machine(settings) as named:
        place = state_directory(settings) if settings.replay is None else None
        changes = open_changes(place, named.source) if place is not None else []
        if not target:
            return _switch_all_off(named, place, changes, settings, dry_run=dry_run)
        found = find_leds(named, target, _LONGEST)
        print_problems(found.unread)
        return _switch_some_off(named, place, changes, found, settings, dry_run=dry_run)


def _switch_all_off(
    named: Machine, place: Path | None, changes: Sequence[JournaledChange], settings: Settings, *, dry_run: bool
) -> int:
    """End every change that keeps an LED on."""
    indicators = [indicator for journaled in changes for indicator in journaled.begin.indicators]
    faults = [] if dry_run or place is None else _end_changes(named, place, changes)
    return _report(indicators, (), faults, settings, dry_run=dry_run)


def _end_changes(named: Machine, place: Path, changes: Sequence[JournaledChange]) -> list[str]:
    """End the processes that keep LEDs on. Switch off what they leave, and return what could not be switched off."""
    if not changes:
        return []
    for journaled in changes:
        process = process_of(place, journaled)
        if process:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
    restorer = led_restorer(named, Journal(place), place, changes, lambda _: None)
    restorer.patience = _PATIENCE
    results: list[Restored] = [one for journaled in changes for one in restorer.restore(journaled.begin.change)]
    return [fault for result in results for fault in (*result.faults, *([result.busy] if result.busy else []))]


def _switch_some_off(
    named: Machine,
    place: Path | None,
    changes: Sequence[JournaledChange],
    found: Found,
    settings: Settings,
    *,
    dry_run: bool,
) -> int:
    """Switch off the LEDs of these drives. End a change whose LEDs are all among them."""
    wanted = {indicator.id for indicator in found.indicators}
    ending = [journaled for journaled in changes if _ids(journaled) <= wanted]
    shared = [journaled for journaled in changes if journaled not in ending and wanted & _ids(journaled)]
    if shared:
        blinking = [indicator for journaled in shared for indicator in journaled.begin.indicators]
        others = sorted({indicator.bay.object_id for indicator in blinking if indicator.id not in wanted})
        raise UsageError(
            f"These drives blink together with {', '.join(others)}: name all of them, or none for all that blink."
        )
    faults: list[str] = []
    if not dry_run and place is not None:
        faults = _end_changes(named, place, ending)
        handled = {name for journaled in ending for name in _ids(journaled)}
        rest = [indicator for indicator in found.indicators if indicator.id not in handled]
        if rest:
            _switch_off(named, place, rest)
    code = _report(found.indicators, [located(one) for one in found.unlit], faults, settings, dry_run=dry_run)
    return code or found.exit_code()


def _ids(journaled: JournaledChange) -> set[str]:
    return {indicator.id for indicator in journaled.begin.indicators}


def _switch_off(named: Machine, place: Path, indicators: Sequence[Indicator]) -> None:
    """Switch off LEDs that another program has switched on: a permanent change.

    Raises:
        ChangeUndone, ChangeNotUndone: It could not be done.
    """
    work = work_on(led_machine(named, indicators), place, desired_state(indicators, OFF), AGREED)
    entry = replace(work.begin("set", about()), indicators=tuple(indicators))
    with work.hold(entry):
        if work.plan.steps:
            change = work.change(entry, lambda _: None)
            change.apply()
            change.finish()


def _report(
    indicators: Sequence[Indicator],
    unlit: Sequence[Located],
    faults: Sequence[str],
    settings: Settings,
    *,
    dry_run: bool,
) -> int:
    commands = tuple(str(indicator.off) for indicator in indicators) if dry_run else ()
    on = None if faults or dry_run else False
    report = LocateReport(targets=(*(located(indicator, on=on) for indicator in indicators), *unlit), commands=commands)
    if settings.as_json:
        emit_json(report)
    else:
        nothing = "No locate LED was switched on by raidctl."
        emit(listed(report, columns(), named_machine(), verbose=settings.verbose, nothing=nothing))
    for text in faults:
        emit_message(f"Not switched off: {text}.")
    return EXIT_NOT_UNDONE if faults else EXIT_FINE
