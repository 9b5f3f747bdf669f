"""``raidctl demo``: the simulated machines."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path

import click

from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.option_types import Length
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of, without_help
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import EXIT_FINE, AccessMissing
from raidctl.simulation.demo import Demo, demos, machine
from raidctl.simulation.runner import Simulated
from raidctl.vendor.registry import vendors

_MAX_SECONDS = 10_000_000
"""The most seconds that pass at once: 115 days."""


@click.command("demo", epilog=examples("raidctl --demo p400 cache split / 50/50", "raidctl demo --reset p400",
                                       "raidctl demo --pull raid6 3", "raidctl demo --push p440 1I:1:2"))  # fmt: skip
@click.option("--reset", metavar="NAME", multiple=True, help="Undo all changes on this machine; all: on every machine.")
@click.option("--pull", metavar="NAME BAY", nargs=2, help="Take the drive out of a bay of this machine.")
@click.option("--push", metavar="NAME BAY[=SERIAL]", nargs=2,
              help="Put a new drive into a bay, or one that was pulled.")  # fmt: skip
@click.option("--pass-time", "later", metavar="NAME TIME", nargs=2, type=(str, Length(1, _MAX_SECONDS)),
              help="Let time pass, such as 10h: rebuilds advance.")  # fmt: skip
@without_help("host", "sudo", "replay", "demo")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    *,
    reset: tuple[str, ...],
    pull: tuple[str, str] | None,
    push: tuple[str, str] | None,
    later: tuple[str, float] | None,
) -> int:
    """List the simulated machines for --demo, reset them, or change their drives.

    "raidctl --demo NAME COMMAND" works on one of them. Changes are kept, with a
    separate journal, until the machine is reset. Drives of raid6, and of the
    RAID controllers whose tools raidctl simulates in this way, can be pulled
    and pushed; BAY is a number, or the last part of a drive's id (1I:1:2). The
    clock of these machines does not run; --pass-time advances it.
    """
    settings = settings_of(context)
    settings.refuse_machine("demo")
    known = demos(vendors()[0])
    names = [demo.name for demo in known]
    places = [demo_directory(settings, name) for name in (names if "all" in reset else reset)]
    for place in places:
        _remove(place)
    if pull:
        _simulated(settings, pull[0]).pull(pull[1])
    if push:
        bay, _, serial = push[1].partition("=")
        _simulated(settings, push[0]).insert(bay, serial or None)
    if later:
        _simulated(settings, later[0]).pass_time(later[1])
    if settings.as_json:
        emit_json([{"name": demo.name, "about": demo.about} for demo in known])
    elif not (reset or pull or push or later):
        emit(_listed(known))
    return EXIT_FINE


def _remove(place: Path) -> None:
    """Remove the changes of a machine. A name that is repeated is not an error.

    Raises:
        AccessMissing: Something cannot be removed.
    """
    try:
        shutil.rmtree(place)
    except OSError as error:
        if not place.exists():
            return
        raise AccessMissing(
            f"{error.filename} cannot be removed: {error.strerror}. The machine is not reset."
        ) from None


def _simulated(settings: Settings, name: str) -> Simulated:
    return machine(name, vendors()[0], demo_directory(settings, name))


def _listed(known: Sequence[Demo]) -> str:
    """Return each machine with its description, wrapped to the screen."""
    width = max((len(demo.name) for demo in known), default=0) + 2
    room = max(columns(), width + 20)
    lines = []
    for demo in known:
        lines += textwrap.wrap(
            demo.about, room - 1, initial_indent=f"{demo.name:{width}}", subsequent_indent=" " * width,
            break_on_hyphens=False,
        )  # fmt: skip
    return "".join(f"{line}\n" for line in lines)
