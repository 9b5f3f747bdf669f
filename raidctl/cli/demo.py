"""``raidctl demo``: the simulated machines."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import click

from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import EXIT_FINE
from raidctl.simulation.demo import Demo, demos
from raidctl.vendor.registry import vendors


@click.command("demo", epilog=examples("raidctl --demo p400 cache split / 50/50", "raidctl demo --reset p400"))
@click.option("--reset", metavar="NAME", multiple=True, help="Undo all changes on this machine; all: on every one.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, reset: tuple[str, ...]) -> int:
    """List the simulated machines for --demo, or reset them.

    "raidctl --demo NAME COMMAND" works on one of them. Changes are kept, with a
    separate journal, until the machine is reset.
    """
    settings = settings_of(context)
    settings.refuse_machine("demo")
    known = demos(vendors()[0])
    names = [demo.name for demo in known]
    places = [demo_directory(settings, name) for name in (names if "all" in reset else reset)]
    for place in places:
        shutil.rmtree(place, ignore_errors=True)  # twice the same name is no fault
    if settings.as_json:
        emit_json([{"name": demo.name, "about": demo.about} for demo in known])
    elif not reset:
        emit(_listed(known))
    return EXIT_FINE


def _listed(known: Sequence[Demo]) -> str:
    """Each machine with what it is, in lines that fit the screen."""
    width = max((len(demo.name) for demo in known), default=0) + 2
    columns = max(shutil.get_terminal_size((80, 24)).columns, width + 20)
    lines = []
    for demo in known:
        lines += textwrap.wrap(
            demo.about, columns - 1, initial_indent=f"{demo.name:{width}}", subsequent_indent=" " * width,
            break_on_hyphens=False,
        )  # fmt: skip
    return "".join(f"{line}\n" for line in lines)
