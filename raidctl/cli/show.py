"""``raidctl show``."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import look, with_open_ends
from raidctl.cli.shared.options import Settings, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json, paper
from raidctl.model import Inventory
from raidctl.select import find, narrow
from raidctl.survey.block_devices import unmounted_volumes
from raidctl.survey.survey import Survey


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--explain", metavar="ID", multiple=True, help="Print where each fact of this object was read.")
@click.option("--unparsed", is_flag=True, help="Print the lines of the tools' outputs that no parser used.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, ids: tuple[str, ...], explain: tuple[str, ...], unparsed: bool) -> int:
    """Show controllers, arrays, volumes, drives, batteries and caches.

    What is broken comes first. An ID narrows the screen: an id as shown (smartarray:1/v1, or v1 where that is
    unique), the unique beginning of one, a device (/dev/sdb, /dev/disk/by-id/...), a mount point, or a volume's own
    name. A volume brings its array and the drives of that.

    Exit codes: 0 all that was found could be read; 3 something could not be
    told; 4 for lack of a tool or a right; 2 nothing is called like the ID.
    What could be read is shown all the same.
    """
    settings = settings_of(context)
    if sum((bool(ids), bool(explain), unparsed)) > 1:
        raise click.UsageError("ID, --explain and --unparsed are three different questions; ask one of them.")
    seen = with_open_ends(look(settings), settings)
    if explain:
        _explain(seen, explain, settings)
        return 0
    if unparsed:
        _unparsed(seen, settings)
        return exit_code(seen.inventory.problems)
    inventory = narrow(seen.inventory, find(seen.inventory, seen.view, ids)) if ids else seen.inventory
    _show(inventory, seen, settings)
    return exit_code(inventory.problems)


def _show(inventory: Inventory, seen: Survey, settings: Settings) -> None:
    if settings.as_json:
        emit_json(inventory)
        return
    from raidctl.output.tree import screen  # noqa: PLC0415 - rich only where a screen is drawn

    free = unmounted_volumes(seen.inventory, seen.view)
    emit(screen(inventory, paper(), more=settings.verbose, hint=_hint(seen), unmounted=free))


def _hint(seen: Survey) -> str:
    """What to say of a machine on which nothing was found."""
    if seen.inventory.host.source.startswith("replay:"):
        read = any(sheet.lines for sheet in seen.outputs)
        return "It was read, and tells of no controller, array or drive." if read else "Nothing was recognised there."
    if seen.view.virtual:
        kind = "" if seen.view.virtual == "unknown" else f" ({seen.view.virtual})"
        return (
            f"This is a virtual machine{kind} without storage of its own to look at: RAID and its cache "
            "are the matter of the host that it runs on."
        )
    return 'No controller, array or drive was found. "raidctl doctor" tells what was looked for.'


def _explain(seen: Survey, words: tuple[str, ...], settings: Settings) -> None:
    names = [name for word in words for name in sorted(find(seen.inventory, seen.view, [word]))]
    from raidctl.output.explain import explained, explanation  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        emit_json(explained(seen.inventory, seen.outputs, names))
    else:
        emit(explanation(seen.inventory, seen.outputs, names, paper()))


def _unparsed(seen: Survey, settings: Settings) -> None:
    from raidctl.output.unparsed import unparsed, unparsed_screen  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        emit_json(unparsed(seen.outputs))
    else:
        emit(unparsed_screen(seen.outputs, paper()))
