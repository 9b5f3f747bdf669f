"""``raidctl drive good``: make failed drives in no array usable again."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("good", epilog=examples("raidctl drive good 32:5 --dry-run", "raidctl drive good serial:ZC1A2B3C"))
@click.argument("drive", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], consent: Consent) -> int:
    """Make failed drives in no array usable again.

    DRIVE is the id, the bay (bay:32:5) or the serial number (serial:ZC1A2B3C)
    of a drive. It must not be a member or spare of an array, or hold a foreign
    configuration. Nothing is erased. A drive that has failed once may fail
    again: see its errors with "raidctl show".

    Exit codes: 0 done and verified; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    return carry_out(settings_of(context), consent, "good", drive)
