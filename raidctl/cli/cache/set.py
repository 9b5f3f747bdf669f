"""``raidctl cache set``: the cache policy of volumes."""

from __future__ import annotations

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.cache_policy import Policy, policy_options
from raidctl.cli.shared.option_types import AliasedChoice
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired


@click.command(
    "set",
    epilog=examples(
        "raidctl cache set /srv/db --write protected-write-back --dry-run",
        "raidctl cache set /dev/sdb /srv/archive --read none --drive-cache off",
        "raidctl cache set /dev/md0 --stripe-cache 4096",
    ),
)
@click.argument("target", nargs=-1, required=True)
@policy_options(
    click.option(
        "--drive-cache",
        type=AliasedChoice((*setting_values.SWITCH, "default"), setting_values.SWITCH_ALSO),
        help="Write caches of the volumes' drives.",
    ),
    click.option(
        "--no-battery-write-cache",
        type=AliasedChoice(setting_values.SWITCH, setting_values.SWITCH_ALSO),
        help="Controller's write cache without a battery.",
    ),
)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    *,
    target: tuple[str, ...],
    policy: Policy,
    drive_cache: str | None,
    no_battery_write_cache: str | None,
    consent: Consent,
) -> int:
    """Set the cache policy of the volumes that TARGET names.

    TARGET is an id, a device, a mount point or the name of a volume; a
    controller or an array means all of its volumes. Several settings are one
    change: all of them are made, or none.

    Exit codes: 0 done, or no change needed; 1 refused (unsafe, or not supported
    by the hardware), or declined at the prompt; 2 wrong usage, or no
    terminal to ask on; 3 a value is unknown, or another raidctl is running; 4 a
    tool or a permission is missing; 5 failed and undone; 6 failed and not
    undone; 130 interrupted. After exit codes 1 to 5, everything is as before.
    """
    policy = policy.with_drives(drive_cache and setting_values.switched(drive_cache))
    no_battery = no_battery_write_cache and setting_values.switched(no_battery_write_cache)
    if policy.empty and not no_battery:
        raise click.UsageError('No setting is given; "raidctl cache set --help" lists them.')

    def wanted(seen: Survey) -> list[Desired]:
        found = policy.of_volumes(seen, target)
        found += (
            change_targets.desired_settings(
                change_targets.controllers(seen, target), {"no_battery_write_cache": no_battery}
            )
            if no_battery
            else []
        )
        return found + policy.of_devices(seen, target)

    return perform(settings_of(context), consent, wanted, policy.families)
