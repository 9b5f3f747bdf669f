"""``raidctl check show``: the running or last check of each volume, and its result."""

from __future__ import annotations

import click

from raidctl.cli.check._evidence import checked
from raidctl.cli.shared import change_targets
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found, emit_head
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE
from raidctl.model import hiding_problems
from raidctl.operate.checks import unread


@click.command("show", epilog=examples("raidctl check show", "raidctl check show /srv/db --json"))
@click.argument("volume", nargs=-1)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, volume: tuple[str, ...]) -> int:
    """Show the running or last check of each volume, and its result.

    VOLUME is an id, a device, a mount point or the name of a volume; a
    controller or an array means all of its volumes. "complete" means that the
    end of the check was seen; for md, the kernel alone does not show it:
    raidctl keeps the results of the checks that it started (checks.jsonl in the
    state directory), and reads the kernel log and the records of mdcheck.

    Exit codes: 0 everything could be read; 2 no such VOLUME; 3 something could
    not be read, or how a check ended is unknown; 4 a tool or a permission is
    missing.
    """
    settings = settings_of(context)
    with checked(settings) as found:
        ids = {one.id for one in change_targets.volumes(found.seen, volume)} if volume else None
        records = found.checks(ids)
    problems = [*hiding_problems(found.seen.inventory.problems), *unread(found.evidence.history)]
    emit_head(found.seen.inventory, settings, apart=bool(records))
    emit_found(records, settings, "checks.checks_screen", unread=bool(problems))
    if not settings.as_json:
        print_problems(problems)
    unknown = any(one.state == "unknown" for one in records)
    return exit_code(problems) or (EXIT_CANNOT_TELL if unknown else EXIT_FINE)
