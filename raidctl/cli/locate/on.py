"""``raidctl locate on``: blink for a while, then switch off automatically."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone

import click
from msgspec.structs import replace

from raidctl.change.indicator import ON
from raidctl.cli.locate._activity import blink
from raidctl.cli.shared.exit_codes import print_problems
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.locate_leds import Found, desired_state, find_leds, led_machine, refuse_twice
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.option_types import Length
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import AGREED, Interrupted, Work, about, work_on
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.cli.shared.terminal import emit, emit_json, emit_message, named_machine
from raidctl.locate.report import LocateReport, located
from raidctl.output.locate import listed
from raidctl.units import format_moment

LONGEST = 86400.0
sleep = time.sleep


@click.command(
    "on",
    epilog=examples("raidctl locate /dev/sdb", "raidctl locate /srv/db --for 30m", "raidctl locate 1I:1:4 --json"),
)
@click.argument("target", nargs=-1, required=True)
@click.option("--for", "length", metavar="TIME", type=Length(1, LONGEST), default="10m", show_default=True,
              help="How long: 90s, 10m, 1h.")  # fmt: skip
@click.option("--by", type=click.Choice(("led", "activity")), default="led", show_default=True,
              help="activity: read from the drive in bursts, to see its activity LED.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the commands and switch nothing.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: tuple[str, ...], length: float, by: str, dry_run: bool) -> int:
    """Make the locate LEDs of drives blink for a while.

    TARGET is a drive or a bay: an id, a device, a serial number, or a bay,
    also an empty one (bay:4, or as "raidctl locate list" prints it). A
    volume, an array or a mount point means all of its drives.

    The command runs until the time is up or Ctrl-C is pressed, and then
    switches the LEDs off. If raidctl is killed, a second process does; after
    a power failure "raidctl restore" does, if it runs at boot. Nothing else
    about the drive is changed.

    The first way that works is used: the controller's tool for drives behind it,
    the files of enclosures (SES), NPEM and PCIe slots, ledctl, sg_ses. With
    --by activity the drive is read in bursts instead: 1 s on, 1 s off.

    Exit codes: 0 located; 1 a drive cannot be located; 2 no such drive; 3
    another raidctl locates it, or its LED may be one that cannot be read; 4 a
    tool or a permission is missing; 5 an LED could not be switched on; 6 an LED
    could not be switched off; 130 interrupted, and switched off.
    """
    settings = settings_of(context)
    if not dry_run:
        settings.refuse_recording()
    with machine(settings) as named:
        if by == "activity":
            return blink(named, target, length, settings, dry_run=dry_run)
        found = find_leds(named, target, length)
        print_problems(found.unread)
        if dry_run or not found.indicators:
            return _planned(found, settings, dry_run=dry_run)
        place = state_directory(settings)
        refuse_twice(place, named.source, found.indicators)
        leds = led_machine(named, found.indicators)
        work = work_on(leds, place, desired_state(found.indicators, ON), AGREED)
        return _located(work, found, settings, length)


def _planned(found: Found, settings: Settings, *, dry_run: bool) -> int:
    """Print what would be done, or why nothing can be."""
    targets = tuple(located(one) for one in found.order)
    commands = tuple(str(indicator.on) for indicator in found.indicators) if dry_run else ()
    report = LocateReport(targets=targets, commands=commands)
    if settings.as_json:
        emit_json(report)
    else:
        emit(listed(report, columns(), named_machine(), verbose=settings.verbose))
    return found.exit_code()


def _located(work: Work, found: Found, settings: Settings, length: float) -> int:
    """Switch on, wait, and switch off."""
    until = format_moment(datetime.now(timezone.utc) + timedelta(seconds=length))
    entry = replace(work.begin("locate", about()), indicators=tuple(found.indicators), until=until)
    try:
        with apply_temporarily(work, settings, _quiet, entry=entry) as change:
            name = change.begin.change if change is not None else None
            switched = {step.object_id for step in work.plan.steps}
            targets = tuple(
                located(one, on=True, until=until if getattr(one, "id", None) in switched else None, change=name)
                for one in found.order
            )
            report = LocateReport(targets=targets, change=name)
            if settings.as_json:
                emit_json(report)
            else:
                emit(listed(report, columns(), named_machine(), verbose=settings.verbose))
            if change is None:
                emit_message(
                    'These LEDs are on already, so raidctl will not switch them off; "raidctl locate off" does.'
                )
                return found.exit_code()
            emit_message(f"Until {until}; Ctrl-C switches off.")
            sleep(length)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted: the LEDs are off again.") from None
    emit_message("The LEDs are off again.")
    return found.exit_code()


def _quiet(_text: str) -> None:
    """Print nothing: the commands are on the screen already."""
