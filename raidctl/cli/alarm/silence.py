"""``raidctl alarm silence``: silence a sounding alarm, without asking."""

from __future__ import annotations

import click

from raidctl.change.beginning import begin
from raidctl.change.failure_messages import has_ended, trouble_text
from raidctl.change.journal import End, Journal
from raidctl.cli.alarm._switch import controllers_for
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import about
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.terminal import emit, emit_json, emit_message
from raidctl.errors import EXIT_FINE, EXIT_NO, EXIT_NOT_UNDONE, UsageError
from raidctl.model import Inventory
from raidctl.operate.alarms import Result, Silenced, way_of
from raidctl.request import converse
from raidctl.units import timestamp
from raidctl.vendor.alarms import Alarms
from raidctl.vendor.plan import Action, Plan

_SENT = "The tool accepted it; no tool reports whether the alarm sounds. It sounds again with the next event."


@click.command("silence", epilog=examples("raidctl alarm silence /srv/db"))
@click.argument("controller")
@click.option("--dry-run", is_flag=True, help="Print the command and change nothing.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, dry_run: bool) -> int:
    """Silence a sounding alarm, without asking.

    It sounds again with the next event; "alarm off" switches it off. There is
    nothing to undo, and no tool reports whether an alarm sounds.

    Exit codes: 0 the tool accepted it; 1 it cannot be done, or the tool refused;
    2 no such controller; 4 the state directory cannot be used; 6 the tool did
    not end: whether it is silent is unknown.
    """
    settings = settings_of(context)
    if not dry_run:
        settings.refuse_recording()
    with machine(settings) as named:
        seen = named.survey()
        found = controllers_for(seen, controller)
        if len(found) > 1:
            raise UsageError("The target has several controllers; name one.")
        way = converse(way_of(found[0], seen.inventory, named.vendors), named.runner)
        if isinstance(way, str):
            done = Silenced(object_id=found[0].id, result="refused", message=way)
        elif dry_run:
            done = Silenced(
                object_id=found[0].id, command=str(way[1]), result="planned", message=f"Would run: {way[1]}"
            )
        else:
            done = _silenced(named, settings, seen.inventory, found[0].id, way)
    if settings.as_json:
        emit_json(done)
    elif done.result in ("planned", "accepted"):
        emit(f"{done.message}\n")
    else:
        emit_message(f"raidctl: {done.object_id}: {done.message}")
    return {"refused": EXIT_NO, "uncertain": EXIT_NOT_UNDONE}.get(done.result, EXIT_FINE)


def _silenced(
    named: Machine, settings: Settings, inventory: Inventory, name: str, way: tuple[Alarms, Action]
) -> Silenced:
    """Run the command, with a journal entry before and after it."""
    offered, action = way
    journal = Journal(state_directory(settings))
    entry = begin("set", Plan(), inventory, about=about(), source=named.source)
    journal.append(entry)
    if not settings.as_json:
        emit_message(f"  {action}")
    [answer] = named.runner.carry_out([action.request()])
    fault = offered.judge(action, answer) if answer.trouble is None else trouble_text(answer)
    journal.append(End(change=entry.change, at=timestamp(), result="done" if fault is None else "stopped", text=fault))
    result: Result = "accepted" if fault is None else "refused" if has_ended(answer) else "uncertain"
    return Silenced(
        object_id=name, command=str(action), result=result, message=_SENT if fault is None else f"{action}: {fault}"
    )
