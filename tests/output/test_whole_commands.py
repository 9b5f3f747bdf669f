"""Commands in text that can be pasted."""

from __future__ import annotations

from collections.abc import Iterator

import click

from raidctl.cli import cli
from raidctl.output.whole_commands import name_machine

REFUSING = {"batch", "demo"}
"""They have the options of all commands, and refuse another machine."""


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from _commands(found, (*path, name))
        elif found is not None:
            yield " ".join((*path, name)), found


def test_a_command_names_another_machine_if_it_works_there() -> None:
    """Each command with ``--host`` gets it, in backquotes as in quotation marks; no other one does."""
    for name, command in _commands(cli):
        remote = name not in REFUSING and any("--host" in option.opts for option in command.params)
        for mark in ("`", '"'):
            named = name_machine(f"{mark}raidctl {name} x{mark}", "--host db7")
            assert named == f"{mark}raidctl {'--host db7 ' if remote else ''}{name} x{mark}"
