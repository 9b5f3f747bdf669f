"""``raidctl locate list``: the bays, and which LEDs are on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from raidctl.change.beginning import boot_id
from raidctl.change.indicator import Way
from raidctl.change.journal import JournaledChange
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.locate_leds import kernel_leds, led_machine, open_changes, process_of, with_states
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import note_own_journal
from raidctl.cli.shared.state_directories import readable_journal
from raidctl.cli.shared.terminal import emit, emit_head, emit_json, named_machine
from raidctl.locate.kernel import FileLed, KernelLeds, hidden_leds
from raidctl.locate.report import Located, LocateReport, located, of_bay
from raidctl.locate.targets import resolve
from raidctl.model import Problem
from raidctl.output.locate import listed
from raidctl.survey.survey import Survey

_NONE = "No LED that raidctl switched on is still on, and the kernel shows no bay with an LED."


@click.command("list", epilog=examples("raidctl locate list", "raidctl locate list --json"))
@machine_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """List the bays, and the locate LEDs that are on.

    Shows every LED that raidctl has switched on and not yet off, and every bay
    of an enclosure (SES), NPEM port and PCIe slot whose LED can be read, with
    the drive in it. Other LEDs behind RAID controllers are not reported by any
    tool.

    Exit codes: 0 listed; 3 the journal or an LED cannot be read.
    """
    settings = settings_of(context)
    with machine(settings) as named:
        place = _place(settings)
        mine = _own_leds(named, place) if place is not None else []
        known = {one.led for one in mine}
        seen, leds = named.survey(), kernel_leds(named)
        bays = [_bay(led, seen, leds) for led in leds.all() if led.id not in known]
    report = LocateReport(targets=(*mine, *bays))
    problems = list(_unread(leds, settings))
    if settings.as_json:
        emit_json(report)
    else:
        emit_head(seen.inventory, settings, apart=bool(report.targets))
        nothing = _NONE if not problems else "No LED is known."
        emit(listed(report, columns(), named_machine(), verbose=settings.verbose, nothing=nothing))
    print_problems(problems)
    note_own_journal(settings, "locate list")
    return exit_code(problems)


def _unread(leds: KernelLeds, settings: Settings) -> Iterator[Problem]:
    """Yield what could not be read about the LEDs of bays."""
    if settings.replay is not None and not leds.all():
        yield Problem(
            "error", "LEDs", "This recording contains no LED states: which LEDs are on is unknown.", kind="unread"
        )
        return
    yield from hidden_leds(leds)
    for led in leds.all():
        if led.state is None:
            yield Problem("error", led.id, f"Its LED could not be read: {led.trouble or 'no state'}.", kind="unread")


def _place(settings: Settings) -> Path | None:
    """Return the state directory. None if there is none yet, or the machine is a recording."""
    if settings.replay is not None:
        return None
    place = readable_journal(settings)
    return place if place.exists() else None


def _own_leds(named: Machine, place: Path) -> list[Located]:
    """Return the LEDs of unfinished changes, with their states."""
    found = []
    for journaled in open_changes(place, named.source):
        running = process_of(place, journaled) != 0
        leds = led_machine(named, journaled.begin.indicators)
        leds.survey()
        accepted = _accepted(journaled)
        for then, indicator in zip(
            journaled.begin.indicators, with_states(journaled.begin.indicators, leds), strict=True
        ):
            known = indicator.state is not None or (not then.readable and indicator.id in accepted)
            on = indicator.state != "off" if known else None
            entry = located(indicator, on=on, until=journaled.begin.until, change=journaled.begin.change)
            found.append(replace(entry, running=running))
    return found


def _accepted(journaled: JournaledChange) -> set[str]:
    """Return the LEDs whose command was run since the last boot. A reboot may switch LEDs off."""
    if not journaled.begin.boot or journaled.begin.boot != boot_id():
        return set()
    last = {event.step: event.mark for event in journaled.events}
    return {journaled.begin.steps[number].object_id for number, mark in last.items() if mark == "done"}


def _bay(led: FileLed, seen: Survey, leds: KernelLeds) -> Located:
    """Return a bay with the drive in it."""
    way: Way = "enclosure" if led.enclosure else "npem" if led.id.startswith("npem:") else "pci_slot"
    [wanted] = resolve(seen.inventory, seen.view, leds, [led.id])
    on = None if led.state is None else led.state == "on"
    return replace(of_bay(wanted.bay), led=led.id, way=way, on=on, readable=led.state is not None)
