"""``raidctl schema``."""

from __future__ import annotations

import click

from raidctl.cli.options import output_options, settings_of
from raidctl.cli.terminal import emit_json
from raidctl.output.json import schema


@click.command("schema")
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Print the JSON Schema of the inventory.

    It is the contract of "raidctl --json show" (JSON Schema 2020-12): names may be added, they never change their
    meaning without a new schema_version.
    """
    settings_of(context).refuse_machine("schema")
    emit_json(schema())
    return 0
