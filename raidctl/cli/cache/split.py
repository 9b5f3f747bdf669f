"""``raidctl cache split``: how a controller's cache is split between reads and writes."""

from __future__ import annotations

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired


class SplitCommand(click.Command):
    """A command that takes ``-5/105`` for a split, not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for a split before click parses the arguments."""
        for word in args:
            if word[:1] == "-" and word[1:2].isdecimal():
                setting_values.split(word)
        return super().parse_args(ctx, args)


@click.command(
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
def command(
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
