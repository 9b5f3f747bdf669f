"""``raidctl cache``: configured and active cache settings, and how to change them.

The commands ``set``, ``split`` and ``drive`` are here; ``show``, ``flush``, ``threshold`` and ``stats`` have modules.
``_NAME`` modules are shared by them. A new command also needs its short help in the table below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.cache_policy import Policy, policy_options
from raidctl.cli.shared.lazy_group import LazyGroup
from raidctl.cli.shared.option_types import AliasedChoice
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired

_APART = {
    "show": "Show every cache from the page cache down to the drives.",
    "flush": "Write all unwritten data to the drives, from the top cache to the bottom.",
    "threshold": "Show or set when written data has to leave a cache.",
    "stats": "Show how the caches are used.",
}
"""Commands in separate modules (``cache/show.py`` …), imported when they are used."""
_ORDER = ("show", "set", "split", "drive", "flush", "threshold", "stats")


class SplitCommand(click.Command):
    """A command that takes ``-5/105`` for a split, not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for a split before click parses the arguments."""
        for word in args:
            if word[:1] == "-" and word[1:2].isdecimal():
                setting_values.split(word)
        return super().parse_args(ctx, args)


class CacheGroup(LazyGroup):
    """The commands of ``raidctl cache``."""

    apart = _APART
    prefix = "cache."
    order = _ORDER


@click.group("cache", cls=CacheGroup)
def command() -> None:
    """Show and change the caches of controllers, volumes and drives.

    Each change is shown first, with the exact commands of the vendor's tool; it
    is written to a journal before it is made, verified afterwards, and undone if
    it failed.
    """


@command.command(
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
def set_(
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


@command.command(
    "split",
    cls=SplitCommand,
    epilog=examples("raidctl cache split /srv/db 25/75", "raidctl cache split /dev/sda 0/100 --dry-run"),
)
@click.argument("target")
@click.argument("split", metavar="READ/WRITE")
@changing_options
@machine_options
@output_options
@click.pass_context
def split_(
    context: click.Context,
    *,
    target: str,
    split: str,
    consent: Consent,
) -> int:
    """Split a controller's cache between reads and writes: 25/75.

    READ and WRITE are percentages that add up to 100; 25/75 is a quarter for
    reads. Many controllers accept steps of 5 only. TARGET is the controller, or
    anything on it.

    Exit codes: as for "cache set".
    """
    read, write = setting_values.split(split)

    def wanted(seen: Survey) -> list[Desired]:
        return change_targets.desired_settings(
            change_targets.controllers(seen, [target]), {"cache_split": f"{read}/{write}"}
        )

    return perform(settings_of(context), consent, wanted)


@command.command(
    "drive",
    epilog=examples("raidctl cache drive /dev/sdb off", "raidctl cache drive /dev/sda /dev/nvme0n1 off --dry-run"),
)
@click.argument("target", nargs=-1, required=True)
@click.argument("switch", type=AliasedChoice(setting_values.SWITCH, setting_values.SWITCH_ALSO))
@changing_options
@machine_options
@output_options
@click.pass_context
def drive_(
    context: click.Context,
    *,
    target: tuple[str, ...],
    switch: str,
    consent: Consent,
) -> int:
    """Switch the write cache of drives on or off.

    TARGET is a drive that the operating system sees: its id, its device or a
    mount point on it; of software RAID, it means all drives below. The drives
    behind a RAID controller follow their volume: "cache set VOLUME
    --drive-cache". Many drives lose the setting when they are powered off; the
    plan shows this.

    Exit codes: as for "cache set".
    """

    def wanted(seen: Survey) -> list[Desired]:
        return change_targets.desired_settings(
            change_targets.drives(seen, target), {"write_cache": setting_values.switched(switch)}
        )

    return perform(settings_of(context), consent, wanted)
