"""``raidctl battery learn``: start a learn cycle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

import click

from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.lookup import owner
from raidctl.cli.shared.foreign_deeds import controller_named
from raidctl.cli.shared.hardware_deeds import HardwareDeeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.shared.state_directories import state_directory
from raidctl.errors import RaidctlError
from raidctl.events.reading import read_logs
from raidctl.operate.battery_guards import HOURS, affected, denials, last_learn
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial
from raidctl.vendor.unreported import unreported


@click.command("learn", epilog=examples("raidctl battery learn /srv/db --dry-run"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Start a learn cycle.

    CONTROLLER is its id, or anything on it. Every volume must be complete, and in
    write-through or protected write-back, which falls back to write-through
    for hours, up to a day. It is refused within a day after the last cycle.
    A learn cycle cannot be ended; "raidctl tasks" shows it.

    Exit codes: 0 started and seen; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    settings = settings_of(context)

    def guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
        return _denials(deed, seen, named, settings)

    return HardwareDeeds(settings, consent, lambda seen: _deeds(seen, controller), guards, hits=_hits).perform()


def _deeds(seen: Survey, word: str) -> list[Deed]:
    return [Deed(object_id=controller_named(seen, word).id, verb="start_learn")]


def _hits(deed: Deed, seen: Survey) -> Sequence[str]:
    """Return the warning for the plan (B3)."""
    controller = owner(seen.inventory.controllers, deed.object_id)
    return (HOURS, affected(controller)) if controller is not None else ()


def _denials(deed: Deed, seen: Survey, named: Machine, settings: Settings) -> Sequence[Denial]:
    """Apply the guards. B2 uses the last learn cycle in the controller's log or the journal."""
    now = datetime.now(timezone.utc)
    logs = converse(read_logs(seen, named.vendors, now, frozenset({deed.object_id})), named.runner)
    last, reported = last_learn(logs.logs, deed.object_id, now)
    own = _own(deed, seen, named, settings)
    latest = max(filter(None, (last, own)), default=None)
    return denials(deed, seen, latest, now, reported=reported, unreported=unreported(named.vendors))


def _own(deed: Deed, seen: Survey, named: Machine, settings: Settings) -> str | None:
    """Return when raidctl last started a learn cycle of this controller. None: never, or its journal cannot be read."""
    controller = owner(seen.inventory.controllers, deed.object_id)
    serial = controller.serial if controller is not None else None
    try:
        changes = Journal(state_directory(settings)).changes() if serial and settings.replay is None else []
    except RaidctlError:
        return None
    return max((one.begin.at for one in changes if _is_of(one, named.source, serial or "")), default=None)


def _is_of(journaled: JournaledChange, source: str, serial: str) -> bool:
    begin = journaled.begin
    begun = bool(journaled.started()) and any(deed.verb == "start_learn" for deed in begin.deeds)
    return begun and begin.source == source and serial in begin.touches
