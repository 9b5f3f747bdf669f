"""``raidctl cache show``: every cache between programs and drives."""

from __future__ import annotations

import click

from raidctl.cli.cache._stack import caches
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.options import machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.layers.build import stack


@click.command("show")
@click.argument("target", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: str | None) -> int:
    """Show every cache from the page cache down to the drives.

    TARGET is a mount point, a device, an id or a volume's name of "raidctl
    show", or the id of a layer (kernel:bcache0); without it, the whole machine.
    Each layer is shown with its policy, size, split and limits, and whether it
    can be flushed, limited, counted and split; -v adds why not, and the nearest
    alternative.

    Exit codes: 0 everything could be read; 2 no such TARGET; 3 something could
    not be read; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    with caches(settings, target) as found:
        report = stack(found.scope, found.seen.view, found.kernel, found.seen.inventory, found.named.vendors)
    emit_found(report, settings, "layers.stack_screen", more=settings.verbose)
    return exit_code(report.problems)
