"""``raidctl layout apply``: make a machine what a layout file describes."""

from __future__ import annotations

import click

from raidctl.cli.layout._apply import Wanted, abandon_apply, begin_apply, resume_apply
from raidctl.cli.layout._read import controller_option
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.errors import UsageError


@click.command(
    "apply",
    epilog=examples(
        "raidctl layout apply db7.toml --dry-run", "raidctl layout apply db7.toml --confirm 3fa9c17e",
        "raidctl layout apply resume",
    ),
)  # fmt: skip
@click.argument("words", metavar="FILE | resume [ID] | abandon ID", nargs=-1, required=True)
@click.option("--confirm", metavar="CODE", help="The code of the plan that was printed.")
@click.option(
    "--wipe", metavar="SERIAL", multiple=True,
    help="Remove what is on the drive with this serial number; for a volume that is deleted, its unique id.",
)  # fmt: skip
@controller_option
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    *,
    words: tuple[str, ...],
    confirm: str | None,
    wipe: tuple[str, ...],
    controller: str | None,
    consent: Consent,
) -> int:
    """Make a machine what a layout file describes: md arrays and settings.

    The plan is printed with its commands, and with its code. Each drive of a new
    array must be free, healthy and empty: it is probed when the plan is made and
    again right before each step. Settings come first, then partition tables (if
    FILE has them), new arrays, their lines in mdadm.conf and the boot image, and
    last the volumes that FILE names under [[delete]]. What FILE does not list is
    kept; with unlisted = "refuse" in FILE, nothing is done if the machine has
    anything else. A second run finds nothing to do.

    --yes is not enough where contents are lost: the code of the plan is asked
    for, or given by --confirm. It is valid for this machine in this state only.
    On hardware controllers no volumes are created: their commands are printed, and
    nothing is done. "apply resume" continues after a failure or a power cut,
    "apply abandon" gives it up.

    Exit codes: 0 done and verified, or nothing to do; 1 refused, or hardware
    controllers are concerned: nothing was done; 2 a mistake in FILE, or wrong
    usage; 3 something is unknown; 4 a tool or a permission is missing; 5 failed
    and undone; 6 failed, and not undone or not confirmed; 7 stopped before the end;
    130 interrupted.
    """
    settings = settings_of(context)
    wanted = Wanted(wipe=wipe, confirm=confirm, controller=controller)
    verb, rest = words[0], words[1:]
    if verb == "resume" and len(rest) < 2:
        return resume_apply(settings, consent, rest[0] if rest else None, wanted)
    if verb == "abandon" and len(rest) == 1:
        return abandon_apply(settings, consent, rest[0])
    if rest or verb in ("resume", "abandon"):
        raise UsageError("Name one FILE, or: resume [ID], abandon ID.")
    return begin_apply(settings, consent, verb, wanted)
