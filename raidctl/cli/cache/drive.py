"""``raidctl cache drive``: the write cache of drives."""

from __future__ import annotations

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.option_types import AliasedChoice
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired


@click.command(
    "drive",
    epilog=examples("raidctl cache drive /dev/sdb off", "raidctl cache drive /dev/sda /dev/nvme0n1 off --dry-run"),
)
@click.argument("target", nargs=-1, required=True)
@click.argument("switch", type=AliasedChoice(setting_values.SWITCH, setting_values.SWITCH_ALSO))
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
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
