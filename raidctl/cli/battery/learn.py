"""``raidctl battery learn``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

import click

from raidctl.cli.foreign._deeds import card
from raidctl.cli.shared.hardware_deeds import HardwareDeeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.events.reading import read_logs
from raidctl.operate.battery_guards import HOURS, affected, denials, last_learn
from raidctl.operate.deed_subjects import controller_of
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial


@click.command("learn", epilog=examples("raidctl battery learn megaraid:0 --dry-run"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Start a learn cycle.

    CONTROLLER is its id, or anything on it. Every volume must be whole, and in
    write-through or protected write-back, which falls back to write-through
    for hours, up to a day. It is refused within a day after the last cycle.
    A learn cycle cannot be ended; "raidctl tasks" shows it.

    Exit codes: 0 started and seen; 1 refused, or the question was answered
    with no; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    settings = settings_of(context)
    return HardwareDeeds(settings, consent, lambda seen: _deeds(seen, controller), _guards, hits=_hits).perform()


def _deeds(seen: Survey, word: str) -> list[Deed]:
    return [Deed(object_id=card(seen, word).id, verb="start_learn")]


def _hits(deed: Deed, seen: Survey) -> Sequence[str]:
    """What the plan says of it (B3)."""
    controller = controller_of(seen.inventory, deed.object_id)
    return (HOURS, affected(controller)) if controller is not None else ()


def _guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
    """The guards, with the controller's log for the last learn cycle (B2)."""
    now = datetime.now(timezone.utc)
    logs = converse(read_logs(seen, named.vendors, now, frozenset({deed.object_id})), named.runner)
    last, reported = last_learn(logs.logs, deed.object_id, now)
    return denials(deed, seen, last, now, reported=reported)
