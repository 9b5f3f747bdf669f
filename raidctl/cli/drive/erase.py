"""``raidctl drive erase``: check whether drives may be erased, and print the command."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("erase", epilog=examples("raidctl drive erase serial:ZC1A2B3C --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], consent: Consent) -> int:
    """Check whether drives may be erased, and print the command.

    raidctl does not run it: no output that it reads shows whether a drive was
    erased. The command is that of the controller's tool. The drive must be in no
    array, unused by the system, and hold no foreign configuration; for an NVMe
    drive this applies to all namespaces.

    Exit codes: 1 the command was printed, or it was refused; 2 wrong usage; 3
    something is unknown; 4 a tool or a permission is missing.
    """
    return carry_out(settings_of(context), consent, "erase", drive)
