"""``raidctl check schedule show``: what starts checks of software RAID, and when."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found, emit_head
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE
from raidctl.model import Problem, failed_readings
from raidctl.request import converse
from raidctl.select import family_of
from raidctl.vendor.checks import Schedule, Schedules, checks_of


@click.command("show", epilog=examples("raidctl check schedule show", "raidctl --host db1 check schedule show"))
@machine_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Show what starts software RAID checks, whether it is on, and when.

    Checks that a RAID controller starts itself are in "raidctl show -v".

    Exit codes: 0 everything could be read; 3 something could not be read, or
    whether a schedule is on is unknown; 4 a permission is missing.
    """
    settings = settings_of(context)
    with machine(settings) as named:
        seen = named.survey()
        schedules: list[Schedule] = []
        problems: list[Problem] = []
        families = {family_of(controller) for controller in seen.inventory.controllers}
        for vendor in named.vendors:
            offered = checks_of(vendor) if vendor.FAMILY in families else None
            if offered is not None:
                found = converse(offered.schedules(seen.inventory), named.runner)
                schedules += found.schedules
                problems += found.problems
    software = any(controller.mode == "software" for controller in seen.inventory.controllers)
    if not software:
        problems += failed_readings(seen.inventory.problems)
    report = Schedules(schedules=tuple(schedules), problems=tuple(problems))
    emit_head(seen.inventory, settings, apart=bool(schedules))
    emit_found(report, settings, "checks.schedules_screen", software=software)
    if not settings.as_json:
        print_problems(problems)
    unknown = any(one.enabled is None for one in schedules)
    return exit_code(problems) or (EXIT_CANNOT_TELL if unknown else EXIT_FINE)
