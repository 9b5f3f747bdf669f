"""``raidctl demo``: the simulated machines."""

from __future__ import annotations

import shutil

import click

from raidctl.cli.machine import demo_directory
from raidctl.cli.options import machine_options, output_options, settings_of
from raidctl.cli.terminal import emit, emit_json
from raidctl.demo import demos
from raidctl.errors import EXIT_FINE, UsageError
from raidctl.registry import vendors


@click.command("demo")
@click.option("--reset", metavar="NAME", multiple=True, help="Forget what was changed on it; all: on every one.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, reset: tuple[str, ...]) -> int:
    """List simulated machines to play with (--demo), or set them back.

    "raidctl --demo NAME COMMAND" works on one of them: nothing of it is real,
    and what is changed is kept until it is set back.
    """
    settings = settings_of(context)
    settings.refuse_machine("demo")
    known = demos(vendors()[0])
    names = [demo.name for demo in known]
    for name in names if "all" in reset else reset:
        if name not in names:
            raise UsageError(f'There is no simulated machine "{name}".')
        shutil.rmtree(demo_directory(settings, name))
    if settings.as_json:
        emit_json([{"name": demo.name, "about": demo.about} for demo in known])
    elif not reset:
        width = max(map(len, names), default=0)
        emit("".join(f"{demo.name:{width}}  {demo.about}\n" for demo in known))
    return EXIT_FINE
