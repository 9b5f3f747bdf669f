"""``raidctl layout export``: write the volumes and spares of a machine as a layout file."""

from __future__ import annotations

import json
import os

import click

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.files import create
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.option_types import or_standard_output
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json, emit_message
from raidctl.errors import UsageError
from raidctl.layout.export import export
from raidctl.layout.export_formats import drp, ironic
from raidctl.model import Inventory, hiding_problems
from raidctl.text import printable
from raidctl.toml_files.read import read_toml


@click.command("export", epilog=examples("raidctl layout export", "raidctl layout export db7.toml"))
@click.argument("file", required=False, callback=or_standard_output)
@click.option(
    "--format", "form", type=click.Choice(("toml", "ironic", "drp")), default="toml", show_default=True,
    help="A layout, Ironic's target_raid_config, or volume specifications of drp-raid.",
)  # fmt: skip
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, file: str | None, form: str) -> int:
    """Write the volumes and spares of a machine as a layout file.

    FILE is not overwritten; without it, the layout is printed. A degraded array
    is written with all of its members. Values that no tool reports are omitted.
    With --json, the same keys and values are printed as JSON. What the format of
    a provisioner cannot express is named on standard error.

    Exit codes: 0 written; 2 wrong usage, or FILE exists; 3 something could not
    be read, or FILE cannot be written; 4 a tool or a permission is missing. What
    could be read is written in any case.
    """
    settings = settings_of(context)
    if settings.as_json and file is not None:
        raise click.UsageError("FILE is TOML: omit it, or --json.")
    if file is not None and os.path.lexists(file):
        raise UsageError(f"{printable(file)} already exists; it is not overwritten.")
    seen = look(settings)
    text = export(seen.inventory)
    if form != "toml":
        text = _foreign(seen.inventory, form)
    if settings.as_json and form != "toml":
        emit(text)
    elif settings.as_json:
        read = read_toml("layout", text.encode("utf-8"), [])
        emit_json(read[0] if read else None)
    elif file is None:
        emit(text)
    else:
        create(file, text)
    problems = hiding_problems(seen.inventory.problems)
    if not settings.as_json:
        print_problems(problems)
    return exit_code(problems)


def _foreign(inventory: Inventory, form: str) -> str:
    """Return the JSON of a provisioner. Name on standard error what it cannot express."""
    found, notes = ironic(inventory) if form == "ironic" else drp(inventory)
    for note in notes:
        emit_message(note)
    return json.dumps(found, indent=2) + "\n"
