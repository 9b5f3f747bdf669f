"""``raidctl replace DRIVE --check``: may this drive be pulled?"""

from __future__ import annotations

from datetime import datetime, timezone

import click

from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.operate.removal import check as judge
from raidctl.select import find_drive

_CODES = {"yes": EXIT_FINE, "no": EXIT_NO, "unknown": EXIT_CANNOT_TELL}


@click.command(
    "replace",
    epilog=examples(
        "raidctl replace /dev/sdc --check", "raidctl replace serial:ZC1A2B3C --check",
        "raidctl --demo h730 replace 32:5 --check", "raidctl --host root@db7 replace bay:4 --check --json",
    ),
)  # fmt: skip
@click.argument("drive")
@click.option("--check", is_flag=True, required=True, help="Answer whether the drive may be pulled; changes nothing.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: str, check: bool) -> int:  # noqa: ARG001 - required
    """Check whether a drive may be pulled: YES, NO or UNKNOWN.

    Shows bay and serial number of DRIVE, every reason, and what its volumes
    survive before and after. DRIVE is an id as shown (megaraid:0/32:5, or 32:5
    if that is unique), a device (/dev/sdc), a serial number, world wide name or
    bay (serial:ZC1A2B3C, wwn:5000c500a1b2c3d4, bay:4). A member of a software
    array is the whole drive below it. Changes nothing.

    YES means: no volume loses data, no rebuild is disturbed, and nothing else
    uses the drive. A value that decides and is not reported is UNKNOWN, never
    YES. A recording is answered as well, with its age.

    Exit codes: 0 YES; 1 NO; 2 wrong usage, or DRIVE fits none or several;
    3 UNKNOWN; 4 DRIVE was not found and a tool or permission is missing.
    """
    settings = settings_of(context)
    seen = look(settings)
    name = find_drive(seen.inventory, seen.view, drive)
    found = judge(seen.inventory, seen.view, name, datetime.now(timezone.utc))
    emit_found(found, settings, "replace.screen", more=settings.verbose)
    return _CODES[found.verdict]
