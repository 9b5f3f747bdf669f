"""``raidctl show``: controllers, arrays, volumes, drives, batteries and caches on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import Machine, look, with_own_records
from raidctl.cli.shared.options import (
    Settings,
    bmc_options,
    hosts_options,
    machine_options,
    output_options,
    settings_of,
)
from raidctl.cli.shared.terminal import display, emit, emit_json
from raidctl.health.narrowed import named_objects
from raidctl.model import Inventory, unread_problems
from raidctl.select import find
from raidctl.survey.survey import Survey

if TYPE_CHECKING:
    from raidctl.output.show import Advice


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--explain", metavar="ID", multiple=True, help="Show the source of each fact of this object.")
@click.option("--unparsed", is_flag=True, help="Show the lines of the tools' outputs that no parser used.")
@machine_options
@bmc_options
@hosts_options
@output_options
@click.pass_context
def command(context: click.Context, ids: tuple[str, ...], explain: tuple[str, ...], unparsed: bool) -> int:
    """Show controllers, arrays, volumes, drives, batteries and caches.

    Problems come first. An ID limits the screen to one object: an id as shown
    (smartarray:1/v1, or v1 if that is unique), the unique beginning of one, a
    device (/dev/sdb, /dev/disk/by-id/...), a mount point, the name of a volume,
    or a drive's serial number, world wide name or bay (serial:ZC1A2B3C,
    wwn:5000c500a1b2c3d4, bay:4; the first two also bare). A volume is shown
    with its array, its drives and what is below them, and the batteries of its
    controller. With --hosts, one line per host, the worst first; -v lists
    everything that needs attention.

    Exit codes: 0 everything found could be read; 2 no object has this ID;
    3 something could not be read; 4 a tool or a permission is missing. What
    could be read is shown in any case.
    """
    settings = settings_of(context)
    if sum((bool(ids), bool(explain), unparsed)) > 1:
        raise click.UsageError("ID, --explain and --unparsed cannot be used together.")
    if settings.several():
        if ids or explain or unparsed:
            raise click.UsageError("--hosts prints one line per host; ID, --explain and --unparsed belong to --host.")
        return _many(settings)
    seen = with_own_records(look(settings), settings)
    inventory = seen.inventory
    if explain:
        inventory = named_objects(inventory, seen.view, explain)
        _explain(seen, explain, settings)
        print_problems(unread_problems(inventory.problems))
        return exit_code(inventory.problems)
    if unparsed:
        _unparsed(seen, settings)
        return exit_code(seen.inventory.problems)
    if ids:
        inventory = named_objects(inventory, seen.view, ids)
    _show(inventory, seen, settings)
    return exit_code(inventory.problems)


def _many(settings: Settings) -> int:
    """Print one line per host."""
    from raidctl.cli.shared import many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above
    from raidctl.output.hosts import look  # noqa: PLC0415 - as above
    from raidctl.output.show import contents  # noqa: PLC0415 - as above

    def line(_: object, seen: Survey) -> many_hosts.Line:
        inventory = seen.inventory
        state, rank, found = look(inventory)
        if not found and (more := _advice(inventory, settings)) and any(more):
            state, rank = ("warning", Rank.WARNING) if more.findings else ("unknown", Rank.UNKNOWN)
            state, rank = ("critical", Rank.CRITICAL) if more.critical else (state, rank)
            found = more.findings or more.doubts
        return many_hosts.Line(
            exit_code(inventory.problems), rank, state, found[0] if found else contents(inventory) or _hint(seen),
            inventory.host.hostname, found[1:], inventory,
        )  # fmt: skip

    return many_hosts.run(settings, "show", Machine.survey, line)


def _show(inventory: Inventory, seen: Survey, settings: Settings) -> None:
    if settings.as_json:
        emit_json(inventory)
        return
    from raidctl.output.show import screen  # noqa: PLC0415 - rich only where a screen is drawn
    from raidctl.output.trouble import troubles  # noqa: PLC0415 - as above
    from raidctl.survey.block_devices import unmounted_volumes  # noqa: PLC0415 - imported while the tools run

    free = unmounted_volumes(seen.inventory, seen.view)
    advice = None if troubles(inventory, seen.inventory) else _advice(inventory, settings, seen.inventory)
    emit(
        screen(
            inventory, display(), more=settings.verbose, hint=_hint(seen), unmounted=free, advice=advice,
            whole=seen.inventory,
        )
    )  # fmt: skip


def _advice(inventory: Inventory, settings: Settings, whole: Inventory | None = None) -> Advice | None:
    """Return what ``diagnose`` finds that forbids "No problems found"."""
    from raidctl.cli._show_advice import advice  # noqa: PLC0415 - the rules, only where nothing has failed

    return advice(inventory, settings, whole) if inventory.controllers else None


def _hint(seen: Survey) -> str:
    """Return a hint for a machine on which nothing was found."""
    if seen.inventory.host.source.startswith("replay:"):
        read = any(output.lines for output in seen.outputs)
        return "It contains no controller, array or drive." if read else "Nothing was recognised there."
    if seen.view.virtual:
        kind = "" if seen.view.virtual == "unknown" else f" ({seen.view.virtual})"
        return (
            f"This is a virtual machine{kind} without storage that could be read: run raidctl on its host to see "
            "RAID and caches."
        )
    return 'No controller, array or drive was found. "raidctl doctor" shows what was searched.'


def _explain(seen: Survey, words: tuple[str, ...], settings: Settings) -> None:
    names = [name for word in words for name in sorted(find(seen.inventory, seen.view, [word]))]
    from raidctl.output.explain import explained, explanation  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        emit_json(explained(seen.inventory, seen.outputs, names))
    else:
        emit(explanation(seen.inventory, seen.outputs, names, display()))


def _unparsed(seen: Survey, settings: Settings) -> None:
    from raidctl.output.unparsed import unparsed, unparsed_screen  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        emit_json(unparsed(seen.outputs))
    else:
        emit(unparsed_screen(seen.outputs, display()))
