"""``raidctl snapshot``: save the state of a machine, also for git."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from raidctl.cli.shared import files
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import Machine, demo_directory, look, with_own_records
from raidctl.cli.shared.options import Settings, examples, hosts_options, machine_options, output_options, settings_of
from raidctl.cli.shared.snapshot_sources import store_of
from raidctl.cli.shared.terminal import emit, emit_found, emit_json, named_machine
from raidctl.drift import read
from raidctl.drift.canonical import canonical
from raidctl.errors import EXIT_FINE, AccessMissing, CannotTell, RaidctlError, UsageError
from raidctl.model import Inventory, unread_problems
from raidctl.output.json import to_json
from raidctl.output.whole_commands import name_machine
from raidctl.snapshots.store import SavedSnapshot, SnapshotStore, key, whose
from raidctl.survey.survey import Survey
from raidctl.text import counted, printable, regex

_AGE = regex(r"(\d{1,5})([dwmy])", re.ASCII)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@click.command(
    "snapshot",
    epilog=examples(
        "raidctl snapshot", "raidctl snapshot --output db7.json && git add db7.json", "raidctl snapshot --list",
        "raidctl snapshot --prune --keep 90d",
    ),
)  # fmt: skip
@click.option("--output", metavar="FILE", help="Write the snapshot to FILE (- is stdout) instead of saving it.")
@click.option("--force", "--partial", "force", is_flag=True,
              help="With --output: replace FILE even if less could be read, or it is of another host.")  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="List the saved snapshots.")
@click.option("--prune", is_flag=True, help="Remove old snapshots; needs --keep.")
@click.option("--keep", metavar="AGE", help="With --prune: maximum age: 90d, 12w, 6m, 1y.")
@machine_options
@hosts_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, output: str | None, force: bool, listed: bool, prune: bool, keep: str | None
) -> int:
    """Save a machine snapshot, or write it in a form for git.

    "raidctl diff" compares snapshots, "raidctl history" shows a field over time.
    With --output, the snapshot is written as JSON that stays the same, byte for
    byte, as long as only noise changes: temperatures, progress, hours, charge
    and the like are null in it (docs/drift.md has the table). It is an inventory
    like that of "raidctl --json show", and raidctl can read it.

    FILE is not replaced if something that it contains could not be read this
    time, or if it is of another host, unless --force is given. With --hosts,
    FILE is a directory that gets HOST.json for each host; the file of a host
    that does not answer is kept.

    A snapshot that cannot be saved is printed instead. --prune removes the old
    snapshots of all hosts, but never the last one of a host.

    Exit codes: 0 saved, written, listed or removed; 2 wrong usage; 3 something
    could not be read, or the snapshot could not be saved; 4 a tool or a
    permission is missing. What could be read is saved in any case.
    """
    settings = settings_of(context)
    if sum((output is not None, listed, prune)) > 1:
        raise click.UsageError("--output, --list and --prune cannot be used together.")
    if force and output is None:
        raise click.UsageError("--force needs --output.")
    if prune != (keep is not None):
        raise click.UsageError('--prune and --keep belong together: "raidctl snapshot --prune --keep 90d".')
    if listed or prune:
        return _list(settings) if listed else _prune(settings, _age(keep or ""))
    if settings.several():
        return _many(settings, output, force=force)
    seen = with_own_records(look(settings), settings).inventory
    if output is not None:
        _write(seen, output, force=force)
    else:
        _keep(seen, settings)
    print_problems(unread_problems(seen.problems))
    return exit_code(seen.problems)


def _many(settings: Settings, output: str | None, *, force: bool) -> int:
    """Save the hosts' snapshots, or write them to files in a directory."""
    from raidctl.cli.shared import many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.hosts import Host, file_names  # noqa: PLC0415 - as above
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above

    hosts = many_hosts.hosts_of(settings)
    names = {name: f"{file}.json" for name, file in file_names(hosts).items()}
    if output == "-":
        raise click.UsageError("With --hosts, --output is a directory.")
    if output is not None:
        files.directory(output)
    store = None if output is not None else _writable(settings)
    listed = [] if store is None else store.list()

    def line(host: Host, seen: Survey) -> many_hosts.Line:
        inventory = seen.inventory
        code = exit_code(inventory.problems)
        if store is None:
            path = str(Path(output or "") / names[host.name])
            old = files.read(path, printable(path), "a snapshot") if Path(path).is_file() else None
            _write(inventory, path, force=force, named=True)
            changed = old != _text(inventory).encode("utf-8")
            state, text = ("new" if old is None else "changed" if changed else "same"), path
            result: Any = {"path": path, "changed": changed}
        else:
            before = _before(listed, inventory)
            result = store.add(inventory)
            state = "same" if not result.changed else "changed" if before else "new"
            text = _message(result, before).strip()
        rank = Rank.FINE if state == "same" else Rank.CHANGED
        text += " (not everything could be read)" if code else ""
        return many_hosts.Line(code, Rank.UNKNOWN if code else rank, state, text, inventory.host.hostname, (), result)

    return many_hosts.run(settings, "snapshot", Machine.survey, line, hosts)


def _before(listed: Sequence[SavedSnapshot], inventory: Inventory) -> list[SavedSnapshot]:
    """Return the snapshots of the same machine."""
    mine = whose(key(inventory), inventory.host.source)
    return [one for one in listed if whose(one.host, one.source) == mine]


def _keep(inventory: Inventory, settings: Settings) -> None:
    try:
        store = _writable(settings)
        before = _before(store.list(), inventory)
        kept = store.add(inventory)
    except (AccessMissing, CannotTell) as error:
        emit(_text(inventory))
        raise type(error)(f"{error} The snapshot was not saved; it is printed instead.") from None
    if settings.as_json:
        emit_json(kept)
    else:
        emit(name_machine(_message(kept, before), named_machine()))
    if before and kept.at < before[-1].at:
        click.echo(
            f"raidctl: This snapshot is of {kept.at}, but snapshot {before[-1].id}, saved before it, is of "
            f"{before[-1].at}: a clock was set back, or it was recorded earlier. It is used as the last one.",
            err=True,
        )


def _message(kept: SavedSnapshot, before: list[SavedSnapshot]) -> str:
    host = printable(kept.host)
    if not before:
        return f"Saved as snapshot {kept.id}, the first of {host}.\n"
    if kept.changed:
        last = before[-1].id
        return f'Saved as snapshot {kept.id}; it differs from snapshot {last}: "raidctl diff {last} {kept.id}".\n'
    return f"Saved as snapshot {kept.id}; nothing has changed since snapshot {before[-1].id}.\n"


def _writable(settings: Settings) -> SnapshotStore:
    from raidctl.change.state_directory import directory  # noqa: PLC0415 - only where something is kept

    if settings.demo:
        return SnapshotStore(demo_directory(settings, settings.demo))
    return SnapshotStore(directory(settings.state_dir))


def _text(inventory: Inventory) -> str:
    return to_json(canonical(inventory).document)


def _write(inventory: Inventory, output: str, *, force: bool, named: bool = False) -> None:
    """Write the snapshot as a file, atomically. Never overwrite another file or a more complete snapshot.

    Raises:
        UsageError: The file is not a snapshot, or of another host.
        CannotTell, AccessMissing: Something that the file contains could not be read this time.
    """
    if output == "-":
        emit_json(canonical(inventory).document)
        return
    path = Path(output)
    shown = printable(output)
    try:
        if path.exists() and path.stat().st_size:
            try:
                old = read.inventory(path.read_bytes(), shown)
            except RaidctlError:
                raise UsageError(f"{shown} exists and is not a snapshot of a machine; it is not overwritten.") from None
            if not force:
                _keep_what_is_better(old, inventory, shown, named=named)
    except OSError as error:
        raise CannotTell(f"{shown} cannot be read: {error.strerror}.") from None
    files.write(output, _text(inventory).encode("utf-8"))


def _keep_what_is_better(old: Inventory, new: Inventory, shown: str, *, named: bool) -> None:
    """Refuse to replace another host's snapshot or a more complete one. For the latter, more could be read.

    A file that is named for the given host (``named``) may have any host name in it.
    """
    anyway = "It was not replaced; --force replaces it anyway."
    if not named and old.host.hostname and old.host.hostname != new.host.hostname:
        who = printable(new.host.hostname or "a host without a name")
        raise UsageError(f"{shown} is of {printable(old.host.hostname)}, and this is {who}. {anyway}")
    known = {(one.kind, one.where) for one in old.problems}
    lost = [one for one in unread_problems(new.problems) if (one.kind, one.where) not in known]
    if lost:
        kind = CannotTell if any(one.kind == "unread" for one in lost) else AccessMissing
        first = f"{printable(lost[0].where)}: {printable(lost[0].message)}"
        raise kind(f"{shown} contains what could not be read this time. {anyway} {first}")


def _list(settings: Settings) -> int:
    _refuse_reading(settings)
    kept = store_of(settings).list()
    emit_found(kept, settings, "drift.list_screen")
    return EXIT_FINE


def _prune(settings: Settings, age: timedelta) -> int:
    _refuse_reading(settings)
    store = store_of(settings)
    removed = store.prune(age)
    left = len(store.list())
    if settings.as_json:
        emit_json(removed)
    else:
        emit(f"{counted(len(removed), 'snapshot')} removed, {left} left.\n")
    return EXIT_FINE


def _refuse_reading(settings: Settings) -> None:
    """Refuse options that name a machine, with those reading only the store."""
    for name in ("host", "hosts", "jobs", "sudo", "replay"):
        if name in settings.given:
            raise click.UsageError(f"--list and --prune apply to all snapshots: {settings.given[name]} has no "
                                   "meaning here.")  # fmt: skip
    settings.check()


def _age(text: str) -> timedelta:
    found = _AGE.fullmatch(text)
    if not found:
        raise click.UsageError(f'--keep "{printable(text)}" is not an age; write 90d, 12w, 6m (of 30 days) or 1y.')
    return timedelta(days=int(found[1]) * _DAYS[found[2]])
