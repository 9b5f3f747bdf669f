"""``raidctl restore``: undo what a killed raidctl or a power failure left changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import click

from raidctl.change.journal import End, Journal, JournaledChange
from raidctl.change.preview import Preview, preview
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.change.state_directory import BRIEF_WAIT, Holder, busy, held_name, hold, restore_command
from raidctl.change.state_place import ROOT_PLACE
from raidctl.cli.shared.led_restore import led_restorer, leds_again
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.option_types import Number
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import note_own_journal
from raidctl.cli.shared.state_directories import readable_directory, state_directory
from raidctl.cli.shared.systemd_units import filled, install
from raidctl.cli.shared.temporary_change import report
from raidctl.cli.shared.terminal import after_change, emit, emit_json, emit_message
from raidctl.errors import EXIT_FINE, EXIT_NO, EXIT_NOT_UNDONE, UsageError
from raidctl.layers import family
from raidctl.runners.foreground_child import wait_for_parent
from raidctl.select import family_in
from raidctl.tasks.watch import SystemClock
from raidctl.text import printable
from raidctl.units import timestamp
from raidctl.vendor.checks import schedule_families
from raidctl.vendor.protocol import Vendor

UNIT = "raidctl-restore.service"
_PATIENCE = 60.0
"""Seconds to wait until a raidctl that is ending releases the controllers."""
_AGAIN = 10.0
"""Seconds between two attempts."""


@click.command("restore", epilog=examples("raidctl restore", "raidctl restore --install-unit"))
@click.option("--change", metavar="ID", help="Undo only this change.")
@click.option("--wait", metavar="SECONDS", type=Number(0, 86400), default=0.0,
              help="Retry for this time: a controller may not be ready at boot.")  # fmt: skip
@click.option("--forget", metavar="ID", help="Close this change without undoing it.")
@click.option("--install-unit", is_flag=True, help="Install a systemd unit that runs this at every boot.")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@click.option("--when-gone", is_flag=True, hidden=True, help="Wait for the end of the batch on standard input.")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, change: str | None, wait: float, forget: str | None, install_unit: bool, dry_run: bool,
    when_gone: bool,
) -> int:  # fmt: skip
    """Undo what a killed raidctl or a power failure left changed.

    Undoes changes of raidctl only. A setting that somebody else has changed in
    the meantime is named, and left as it is. If there is nothing to undo,
    nothing is changed.

    Exit codes: 0 nothing is left to undo; 1 a setting was left as somebody else
    set it, or belongs to a raidctl that is still running; 3 the journal is
    damaged, nothing was undone; 4 the state directory cannot be read; 6 a
    setting could not be restored. With --dry-run the same, for what would
    happen.
    """
    settings = settings_of(context)
    if install_unit:
        settings.refuse_machine("restore --install-unit")
        return _install(settings.state_dir, dry_run=dry_run)
    if settings.replay is not None:
        raise UsageError("A recorded machine has nothing to undo.")
    if when_gone and not wait_for_parent():
        return EXIT_FINE
    if not settings.demo and not readable_directory(settings).exists():
        return _nothing_to_restore(settings, quiet=when_gone)
    place = state_directory(settings)
    journal = Journal(place)
    source = settings.source
    if when_gone and all(journaled.begin.change != change for journaled in journal.changes()):
        return EXIT_FINE  # it was killed before its change began
    waiting = _waiting(journal, change or forget)
    here = [journaled for journaled in waiting if journaled.begin.source == source]
    if forget is not None:
        return _forget(journal, place, here, forget, dry_run=dry_run)
    if not here:
        return _nothing_to_restore(settings, quiet=when_gone, elsewhere=waiting)
    with machine(settings) as named:
        more = (cast("Vendor", family), *schedule_families(named.vendors))
        used = {family_in(step.object_id) for journaled in here for step in journaled.begin.steps}
        named.vendors = [*named.vendors, *(one for one in more if one.FAMILY in used)]
        if dry_run:
            return _previewed(_previews(named, place, here), settings)
        patience = _PATIENCE if when_gone else BRIEF_WAIT
        return _report(_restored(lambda: _restorers(named, place, here, patience), change, wait), settings)


def _waiting(journal: Journal, only: str | None) -> list[JournaledChange]:
    """Return the unfinished changes, all or one.

    Raises:
        UsageError: There is no change of that name.
    """
    changes = journal.changes()
    if only is not None and all(journaled.begin.change != only for journaled in changes):
        raise UsageError(f'The journal has no change "{only}"; "raidctl journal" lists them.')
    return [
        journaled for journaled in reversed(changes) if journaled.pending and only in (None, journaled.begin.change)
    ]


def _nothing_to_restore(settings: Settings, *, quiet: bool, elsewhere: Sequence[JournaledChange] = ()) -> int:
    if settings.as_json:
        emit_json([])
    elif not quiet:
        emit_message("Nothing to undo.")
    for source in sorted({journaled.begin.source for journaled in elsewhere if journaled.open}):
        # not in quotation marks: the options of this machine must not be added
        emit_message(f"On another machine something is: {restore_command(source, readable_directory(settings))}")
    if not quiet:
        note_own_journal(settings, "restore")
    return EXIT_FINE


def _restorers(named: Machine, place: Path, changes: Sequence[JournaledChange], patience: float) -> list[Restorer]:
    """Return what restores these changes; LEDs are looked up separately."""
    kinds = {journaled.begin.kind for journaled in changes}
    journal = Journal(place)
    made = [led_restorer(named, journal, place, changes, emit_message)] if "locate" in kinds else []
    if kinds - {"locate"}:
        made.append(Restorer(journal, place, named.runner, named.survey, named.vendors, named.source, emit_message))
    for restorer in made:
        restorer.patience = patience
    return made


def _previews(named: Machine, place: Path, changes: Sequence[JournaledChange]) -> list[Preview]:
    """Return what would be restored; LEDs are looked up separately."""
    found: list[Preview] = []
    for leds in (True, False):
        mine = [journaled for journaled in changes if (journaled.begin.kind == "locate") == leds]
        held = [busy(place, journaled.begin.source, [one.id for one in journaled.begin.subjects]) for journaled in mine]
        at = (leds_again(named, mine) if leds else named) if mine else None
        found += preview(list(zip(mine, held, strict=True)), at.survey(), at.vendors) if at is not None else []
    return found


def _previewed(found: Sequence[Preview], settings: Settings) -> int:
    """Print what would be restored. Return the exit code that restore would have."""
    if settings.as_json:
        steps = [
            [
                _named(step, "object_id", "setting", "before", "after") | {"command": str(step.action)}
                for step in one.steps
            ]
            for one in found
        ]
        emit_json(
            [
                {"change": one.journaled.begin.change, "steps": own, **_named(one, "left", "faults", "busy", "open")}
                for one, own in zip(found, steps, strict=True)
            ]
        )
    else:
        for one in found:
            _preview(one)
    if any(one.faults for one in found):
        return EXIT_NOT_UNDONE
    return EXIT_NO if any(one.left or one.busy for one in found) else EXIT_FINE


def _named(of: object, *fields: str) -> dict[str, object]:
    """Return some fields of an object, for JSON."""
    return {name: getattr(of, name) for name in fields}


def _preview(one: Preview) -> None:
    begin = one.journaled.begin
    emit_message(f"Change {begin.change} of {begin.at} ({begin.about}):")
    for number, step in enumerate(one.steps, 1):
        emit(f"{printable(f'{number}. {step.action}')}\n")
        emit(f"     {printable(f'{step.setting} of {step.object_id}: {step.before} -> {step.after}')}\n")
    for text in one.left:
        emit_message(f"Would be left as it is: {text}.")
    for text in one.faults:
        emit_message(f"Could not be undone: {text}.")
    if one.busy:
        emit_message(f"It is still under way: {one.busy}")
    elif one.open:
        emit_message(f"It is open: {one.open}")
    elif not (one.steps or one.left or one.faults):
        emit_message("All settings are as before; it would only be closed in the journal.")


def _forget(journal: Journal, place: Path, here: Sequence[JournaledChange], name: str, *, dry_run: bool) -> int:
    """Write the end of a change without undoing it. Its controller is gone, or everything is to stay as it is."""
    for journaled in here:
        begin = journaled.begin
        if dry_run:
            emit_message(f"Change {begin.change} would be closed without undoing it:")
        else:
            holder = Holder(change=begin.change, pid=os.getpid(), since=timestamp(), about="restore --forget")
            held = [held_name(begin.source, subject.id) for subject in begin.subjects]
            with hold(place, held, holder, source=begin.source):
                journal.append(
                    End(change=begin.change, at=timestamp(), result="stands", text="given up: restore --forget")
                )
            emit_message(f"Change {begin.change} is closed without undoing it:")
        for number in journaled.started():
            step = begin.steps[number]
            way = f"; to restore it: {step.undo}" if not step.undo.empty else ""
            emit_message(f"  {step.setting} of {step.object_id} was {step.before or 'unknown'}{way}")
    if not here:
        emit_message(f"Change {name} has an end already; nothing to undo.")
    return EXIT_FINE


def _restored(restorers: Callable[[], Sequence[Restorer]], only: str | None, wait: float) -> list[Restored]:
    """Undo the changes. Retry for ``wait`` seconds those that cannot be undone yet."""
    until = time.monotonic() + wait
    final: dict[str, Restored] = {}
    while True:
        results = [result for restorer in restorers() for result in restorer.restore(only)]
        final |= {result.journaled.begin.change: result for result in results}
        left = until - time.monotonic()
        if left <= 0 or not any(result.faults for result in final.values()):
            return list(final.values())
        SystemClock().sleep(min(_AGAIN, left))


def _report(results: list[Restored], settings: Settings) -> int:
    for result in results:
        if settings.as_json:
            break
        begin = result.journaled.begin
        emit_message(f"Change {begin.change} of {begin.at} ({begin.about}):")
        report(result)
        for text in result.faults:
            emit_message(f"Not restored: {text}.")
            if len(result.journaled.begin.steps) and text.endswith("does not exist"):
                emit_message(f'If it never comes back: "raidctl restore --forget {begin.change}"')
        if result.busy:
            emit_message(f"It is still under way: {result.busy}")
        elif result.open:
            emit_message(f"It is open: {result.open}")
        elif not (result.faults or result.left or result.put_back):
            emit_message("All settings are as before; nothing to undo.")
    if settings.as_json:
        names = ("put_back", "left", "faults", "warnings", "busy", "open")
        with after_change('What was undone is in "raidctl journal".'):
            emit_json([{"change": result.journaled.begin.change, **_named(result, *names)} for result in results])
    if any(result.faults for result in results):
        return EXIT_NOT_UNDONE
    return EXIT_NO if any(result.left or result.busy for result in results) else EXIT_FINE


def _install(state_dir: str | None, *, dry_run: bool) -> int:
    """Install and enable the unit for this raidctl and its journal's directory.

    Raises:
        AccessMissing: It cannot be written, or others than root could change the program that it starts at boot.
        UsageError: A path has characters that no unit can have.
    """
    place = str(Path(state_dir).absolute()) if state_dir else ROOT_PLACE
    option = ("--state-dir", place) if state_dir else ()
    text = filled(UNIT, ("restore", "--wait", "60", *option), STATE=place)
    return install({UNIT: text}, dry_run=dry_run)
