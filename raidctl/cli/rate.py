"""``raidctl rate``: the speed of rebuilds, checks and other background operations."""

from __future__ import annotations

import click

from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.change_targets import controllers, desired_settings, volumes
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.shared.rate_values import Rate, Speed, in_words_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import UsageError
from raidctl.health.narrowed import with_unlisted
from raidctl.select import find, narrow
from raidctl.survey.survey import Survey
from raidctl.tasks.rates import rates
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.setting_values import RATES, SPEEDS


@click.command(
    "rate",
    epilog=examples("raidctl rate", "raidctl rate /srv --min 50M --max 200M", "raidctl rate /srv/db --rebuild 60"),
)
@click.argument("target", required=False)
@click.option("--rebuild", metavar="RATE", type=Rate(), help="Controllers: rebuild rate, percent or level.")
@click.option("--check", metavar="RATE", type=Rate(), help="Controllers: consistency check.")
@click.option("--patrol", metavar="RATE", type=Rate(), help="Controllers: patrol read.")
@click.option("--initialize", metavar="RATE", type=Rate(), help="Controllers: background initialisation.")
@click.option("--expand", metavar="RATE", type=Rate(), help="Controllers: expansion and migration.")
@click.option("--min", "minimum", metavar="SPEED", type=Speed(), help="md: minimum per drive, 50M, 2000K or system.")
@click.option(
    "--max", "maximum", metavar="SPEED", type=Speed(), help="md: maximum per drive; system: the machine's limit."
)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, /, *, target: str | None, consent: Consent, **given: str | None) -> int:
    """Show or set the rate of rebuilds, checks and other background operations.

    Without an option, shows the rates of the controllers and md arrays that
    report them. TARGET is an id, a device or a mount point; a change needs it.

    A controller's rate is the percentage of its time that an operation gets
    under load. An md array has a minimum and a maximum speed per drive for all
    operations; they last until the next reboot, and "system" restores the limits
    of the machine. A rebuild rate of 0 is refused.

    Exit codes: as for "cache set"; without an option as for "show".
    """
    settings = settings_of(context)
    wanted = _wanted(given)
    if not wanted:
        if consent.dry_run or consent.yes or consent.unsafe:
            raise click.UsageError("No rate is given.")
        return _show(settings, target)
    if target is None:
        raise click.UsageError("TARGET is missing: the controller or array whose rates are set.")
    return perform(settings, consent, lambda seen: _desired(seen, target, wanted))


def _wanted(given: dict[str, str | None]) -> dict[Setting, str | None]:
    named: tuple[tuple[Setting, str], ...] = (
        ("rebuild_rate", "rebuild"), ("check_rate", "check"), ("patrol_read_rate", "patrol"),
        ("initialize_rate", "initialize"), ("expand_rate", "expand"), ("sync_speed_min", "minimum"),
        ("sync_speed_max", "maximum"),
    )  # fmt: skip
    return {setting: given[name] for setting, name in named if given[name] is not None}


def _desired(seen: Survey, target: str, wanted: dict[Setting, str | None]) -> list[Desired]:
    """Return the desired speeds of md arrays and rates of controllers.

    Raises:
        UsageError: The options and the target do not fit.
    """
    named = controllers(seen, [target])
    software = [controller for controller in named if controller.mode == "software"]
    hardware = [controller for controller in named if controller.mode not in ("software", "none")]
    speeds = {setting: value for setting, value in wanted.items() if setting in SPEEDS}
    shares = {setting: value for setting, value in wanted.items() if setting in RATES}
    if speeds and not software:
        raise UsageError(f'--min and --max belong to md arrays; "{target}" is not one.')
    if shares and not hardware:
        raise UsageError(f'"{target}" is on no RAID controller; the speed of an md array is set with --min and --max.')
    arrays = {volume.id for controller in software for volume in controller.volumes}
    mine = [volume for volume in volumes(seen, [target]) if volume.id in arrays] if speeds else []
    return [
        *desired_settings(mine, speeds),
        *(one for controller in hardware for one in desired_settings([controller], in_words_of(controller, shares))),
    ]


def _show(settings: Settings, target: str | None) -> int:
    seen = look(settings)
    inventory = seen.inventory
    if target:
        named = with_unlisted(inventory, seen.view, [target])
        inventory = narrow(named, find(inventory, seen.view, [target]))
    found = rates(inventory)
    emit_found(found, settings, "rates.rates_screen", more=settings.verbose)
    return exit_code(found.problems)
