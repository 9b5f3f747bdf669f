"""``raidctl history``: one value over time."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import click

from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.snapshot_sources import Source, store_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.drift.value import (
    History,
    Moment,
    changes,
    fields_of,
    is_field,
    is_field_of_another,
    kinds,
    look_up,
    split,
)
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, UsageError
from raidctl.model import Inventory
from raidctl.snapshots.store import SavedSnapshot
from raidctl.text import listing, printable

_A = {"array": "An", "host": "The"}


@click.command(
    "history",
    epilog=examples("raidctl history ID.status", "raidctl history ID.cache.write_active --all"),
)
@click.argument("what", metavar="ID.FIELD")
@click.option("--all", "everything", is_flag=True, help="Every snapshot, not only those in which the value changed.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, what: str, everything: bool) -> int:
    """Show the values of a field over time.

    ID is one that "raidctl show" prints (or "host"), FIELD a name in the JSON of
    a snapshot: status, cache.write_active, temperature_celsius, details[LABEL].
    Reads the snapshots of this machine, or of that of --host, --replay, --demo.

    Exit codes: 0 shown; 2 no such object, field or snapshot; 3 a snapshot cannot
    be read.
    """
    settings = settings_of(context)
    settings.check()
    found = _history(Source(settings, store_of(settings)), what, settings, everything=everything)
    emit_found(found, settings, "drift.history_screen")
    return EXIT_CANNOT_TELL if any(one.there is None for one in found.moments) else EXIT_FINE


def _history(source: Source, what: str, settings: Settings, *, everything: bool) -> History:
    listed = source.states()
    whose = source.whose()[1]
    if not listed:
        raise UsageError(f'No snapshot of {printable(whose)} is saved here; "raidctl snapshot" saves one.')
    hosts = list(dict.fromkeys(one.host for one in listed))
    read = [pair for host in hosts for pair in source.store.each(host) if pair[0] in listed]
    states = [state for _, state in read if isinstance(state, Inventory)]
    if not states:
        raise next(state for _, state in read if not isinstance(state, Inventory))
    name, field = _object_and_field(what, kinds(states))
    moments = [_moment(kept, state, name, field) for kept, state in read]
    if "[" in field and not any(one.unread or one.value is not None for one in moments):
        raise UsageError(f'No snapshot has "{printable(field)}" of {printable(name)}; "raidctl --json show" '
                         "shows the labels.")  # fmt: skip
    if settings.verbose:
        for _, state in read:
            if not isinstance(state, Inventory):
                click.echo(f"raidctl: {state}", err=True)
    selected = tuple(moments) if everything else changes(moments)
    return History(host=whose if not source.settings.host else hosts[0], id=name, field=field, states=len(read),
                   moments=selected)  # fmt: skip


def _moment(kept: SavedSnapshot, state: object, name: str, field: str) -> Moment:
    if not isinstance(state, Inventory):
        return Moment(state=kept.id, at=kept.at, there=None, unread=True)
    there, value = look_up(state, name, field)
    return Moment(state=kept.id, at=kept.at, there=there, value=value, unread=bool(kept.unread))


def _object_and_field(what: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Return id and field.

    Args:
        what: The word.
        known: The ids, and what each is.

    Raises:
        UsageError: There is no such object, or it has no such field.
    """
    shown = printable(what)
    found = split(what, known)
    if found is None:
        near = difflib.get_close_matches(what, sorted(known), 3, 0.4)
        hint = f" Known ones include {listing(map(printable, near))}." if near else ""
        if what in known:
            raise UsageError(f'Which field of {shown}? For example: `raidctl history "{shown}.status"`')
        raise UsageError(f'No snapshot has the object of "{shown}"; write ID.FIELD.{hint}')
    name, field = found
    if not is_field(field, known[name]):
        raise UsageError(_no_field(field, known[name]))
    return name, field


def _no_field(field: str, kind: str) -> str:
    if field.startswith("details."):
        return f'Facts in the words of a tool are written details[LABEL]: "details[{printable(field[8:])}]".'
    near = difflib.get_close_matches(field, fields_of(kind), 1, 0.5)
    hint = f' did you mean "{near[0]}"?' if near else ' "raidctl --json show" has the names.'
    if is_field_of_another(field):
        return f'{_A.get(kind, "A")} {kind} has no field "{printable(field)}";{hint}'
    return f'There is no field "{printable(field)}";{hint}'
