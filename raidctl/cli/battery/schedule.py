"""``raidctl battery schedule``: the learn cycle schedule, and how to change it by hand."""

from __future__ import annotations

from collections.abc import Sequence

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.foreign_deeds import controller_named
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import AccessMissing
from raidctl.model import Controller
from raidctl.operate.abilities import offered_by, refused_deeds
from raidctl.operate.hardware_reports import batteries, learning_only
from raidctl.select import narrow
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial
from raidctl.vendor.registry import vendors


@click.command("schedule", epilog=examples("raidctl battery schedule", "raidctl battery schedule /srv/db"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show the learn cycle schedule, and how to change it by hand.

    CONTROLLER limits the list. Shown is the next cycle, and what the tool
    reports of interval and mode. raidctl does not change the schedule. If the
    tool's help has a command for it, that is printed.

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    seen = look(settings)
    named = [controller_named(seen, controller)] if controller else []
    chosen = named or [one for one in seen.inventory.controllers if one.batteries]
    inventory = narrow(seen.inventory, frozenset(one.id for one in named)) if named else seen.inventory
    found = learning_only(batteries(inventory))
    emit_found(found, settings, "hardware_reports.schedule_screen")
    if not settings.as_json:
        for one in chosen:
            for denial in _by_hand(seen, one):
                emit_message(f"{one.id}: {' '.join(filter(None, (denial.reason, denial.alternative)))}")
    return exit_code(found.problems)


def _by_hand(seen: Survey, controller: Controller) -> Sequence[Denial]:
    """Explain why the schedule is not changed. The command to change it by hand is given as well."""
    families = vendors()[0]
    deed = Deed(object_id=controller.id, verb="schedule_learn")
    try:
        unable = refused_deeds([deed], seen, families)
    except AccessMissing:
        return ()  # reported as a problem of the machine
    offered = offered_by(controller, families)
    if unable or offered is None:
        return unable
    return offered.plan_deeds(controller, [deed], seen.inventory.tools, seen.view).denials
