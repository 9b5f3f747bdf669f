"""Commands in text that can be pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from raidctl.cli import cli
from raidctl.output.whole_commands import name_machine
from tests.support.command_line import Raidctl

REFUSING = {"--host": {"batch", "demo"}, "--demo": {"demo", "schema", "vendors"}}
"""Commands that have the options of all commands, and refuse to work on another machine."""


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from _commands(found, (*path, name))
        elif found is not None:
            yield " ".join((*path, name)), found


@pytest.mark.parametrize(("option", "name"), [("--host", "db7"), ("--demo", "p400")])
def test_a_command_names_the_machine_if_it_works_there(option: str, name: str) -> None:
    """Each command with ``--host`` or ``--demo`` gets it, in backquotes as in quotation marks; no other one does."""
    machine = f"{option} {name} "
    for words, command in _commands(cli):
        works = words not in REFUSING[option] and any(option in one.opts for one in command.params)
        for begin, end in ("``", '""', ("instead: ", "")):
            named = name_machine(f"{begin}raidctl {words} x{end}", machine.strip())
            assert named == f"{begin}raidctl {machine if works else ''}{words} x{end}"
    for words in ("diagnose --explain RULE", "diagnose --list", "verify --measure"):  # they refuse another machine
        assert name_machine(f"`raidctl {words}`", machine.strip()) == f"`raidctl {words}`"


def test_the_commands_of_a_screen_name_its_machine(raidctl: Raidctl) -> None:
    """Every command of raidctl on a demo's screens stays in the demo, whose state may be in a named directory."""
    commands = [
        "show", "diagnose", "cache show", "battery learn megaraid:0", "cache set / --read off", "locate list bay:9",
        "drive raid areca:1/E2:S1", "snapshot --list", "snapshot", "cache split smartarray:1 50/50 --yes", "snapshot",
    ]  # fmt: skip
    found: list[str] = []
    for words in commands:
        for demo in ("1882", "h730-foreign", "p400"):
            done = raidctl("--demo", demo, *words.split())
            text = " ".join(f"{done.stdout} {done.stderr}".split())
            found += re.findall(r"(?:[`\"]|instead: )raidctl (?!diagnose --explain)(.{12})", text)
    assert len(found) > 9
    assert [one for one in found if not one.startswith("--demo ")] == []
