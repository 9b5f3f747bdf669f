"""``raidctl spare show``: the spares of each array, and whether they fit."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found, emit_head
from raidctl.errors import UsageError
from raidctl.health.narrowed import with_unlisted
from raidctl.model import hiding_problems
from raidctl.operate.spares import spares
from raidctl.select import find
from raidctl.survey.survey import Survey
from raidctl.text import printable


@click.command("show", epilog=examples("raidctl spare show", "raidctl spare show /srv/db"))
@click.argument("array", nargs=-1)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, array: tuple[str, ...]) -> int:
    """Show the spares of each array, and whether they fit.

    ARRAY is the id of an array or a volume, a device or a mount point. A spare
    fits if it is at least as large as the smallest member, and of the same
    type. With md, spares move between the arrays of a spare group, but only
    while the mdadm monitor runs.

    Exit codes: 0 everything could be read; 2 no such ARRAY; 3 something could
    not be read; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    seen = look(settings)
    found = spares(seen.inventory, arrays_named(seen, array) if array else None)
    problems = hiding_problems(with_unlisted(seen.inventory, seen.view, array).problems)
    emit_head(seen.inventory, settings, apart=bool(found))
    emit_found(found, settings, "spares.spares_screen", unread=bool(problems))
    if not settings.as_json:
        print_problems(problems)
    return exit_code(problems)


def arrays_named(seen: Survey, words: tuple[str, ...]) -> list[str]:
    """Return the ids of named arrays. Of volumes and controllers, those of their arrays.

    Raises:
        UsageError: A word means no array.
    """
    found: dict[str, None] = {}
    for word in words:
        ids = find(seen.inventory, seen.view, [word])
        controllers = seen.inventory.controllers
        mine = [
            array.id
            for controller in controllers
            for array in controller.arrays
            if array.id in ids or controller.id in ids
        ]
        mine += [
            volume.array
            for controller in controllers
            for volume in controller.volumes
            if volume.id in ids and volume.array
        ]
        if not mine:
            raise UsageError(f'"{printable(word)}" is neither an array nor a volume.')
        found |= dict.fromkeys(mine)
    return list(found)
