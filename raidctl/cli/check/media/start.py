"""``raidctl check media start``: start self-tests of drives."""

from __future__ import annotations

import shlex

import click

from raidctl.cli.check.media import _tests
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.option_types import WEEK, Length
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_FINE
from raidctl.vendor.self_tests import TestKind


@click.command(
    "start",
    epilog=examples("raidctl check media /dev/sda --short --wait", "raidctl check media /dev/sda /dev/sdb --long"),
)
@click.argument("drive", nargs=-1, required=True)
@click.option("--short", "kind", flag_value="short", help="A test of about two minutes.")
@click.option("--long", "kind", flag_value="long", help="A test that reads all of the drive.")
@click.option("--wait", "waits", is_flag=True, help="Wait for the result.")
@click.option(
    "--at-most", type=Length(0, 4 * WEEK), metavar="TIME", help="With --wait: wait for this long, such as 6h."
)
@click.option("--dry-run", is_flag=True, help="Print the commands and start nothing.")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, drive: tuple[str, ...], kind: TestKind | None, waits: bool, at_most: float | None,
    dry_run: bool,
) -> int:  # fmt: skip
    """Start a self-test of drives.

    DRIVE is an id, a device, a bay (bay:4) or a mount point; a member of a software array
    means the drive below it. "start" may be left out. A drive that is being
    tested is refused: its test is not aborted.

    Exit codes: 0 started, or with --wait passed; 1 refused, or the test failed;
    2 wrong usage; 3 something could not be read; 4 a tool or a permission is
    missing; 6 the drive does not show the test; 7 still under way.
    """
    settings = settings_of(context)
    if kind is None:
        raise click.UsageError("--short or --long is needed.")
    if at_most is not None and not waits:
        raise click.UsageError("--at-most needs --wait.")
    if not dry_run:
        settings.refuse_recording()
    with machine(settings) as named:
        chosen = _tests.chosen(named, named.survey(), drive)
        actions = _tests.actions(chosen, lambda one: one.tests.start(one.drive, kind))
        before = _tests.none_running(named, chosen)
        if dry_run:
            return _tests.printed(actions, settings)
        for one, action in zip(chosen, actions, strict=True):
            _tests.carry_out(named, one, action)
        found = _tests.shown(named, chosen, before)
        if waits:
            again = shlex.join(["raidctl", "check", "media", "show", *drive])
            found = _tests.waited(named, chosen, at_most, again)
    emit_found(found, settings, "self_tests.self_tests_screen")
    return _tests.verdict(found) if waits else EXIT_FINE
