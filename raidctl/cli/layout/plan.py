"""``raidctl layout plan``: print the steps to make a machine what a layout file describes."""

from __future__ import annotations

from collections.abc import Mapping

import click

from raidctl.cli.layout._read import controller_option, layout_of, read_file, refuse_empty
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.files import write
from raidctl.cli.shared.machine import look, machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import EXIT_FINE, EXIT_NO, EXIT_USAGE, UsageError
from raidctl.layout.choose import Stock
from raidctl.layout.objects import Machine
from raidctl.layout.pinning import CannotPin, pinned
from raidctl.layout.plan import Compiled, chosen_names, compiled, nodes_to_probe
from raidctl.layout.specification import Counted, Layout
from raidctl.model import Problem, failed_readings
from raidctl.operate.contents import Contents, read_contents
from raidctl.recording.recording import is_recording
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.registry import vendors


@click.command(
    "plan", epilog=examples("raidctl layout plan db7.toml", "raidctl --host db7 layout plan db7.toml --json")
)
@click.argument("file")
@controller_option
@click.option("--pin", is_flag=True, help="Write the drives that were chosen into FILE, by serial number.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, file: str, controller: str | None, pin: bool) -> int:
    """Print the steps to make a machine what a layout file describes.

    Nothing is run. Settings are changed with raidctl's own commands. A volume
    that is missing gets the command of the vendor's tool, or of mdadm, on drives
    that are known to be free: in no array, unused, healthy, and without file
    systems or other signatures. No volume is deleted or converted; what would
    need that is listed with the reason. The names of drives, bays and volumes may
    change: print the plan again before you run it.

    Exit codes: 0 the machine is as FILE describes; 1 there are steps, or
    differences without a step; 2 a mistake in FILE, or wrong usage; 3 something
    could not be read, or FILE lists nothing; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    layout = layout_of(file, settings, controller)
    if layout is None:
        return EXIT_USAGE
    refuse_empty(layout, file)
    made, all_problems = _planned(layout, settings)
    found = made.plan
    if pin:
        _pin(file, made)
    emit_found(found, settings, "layout_plan.plan_screen")
    problems = failed_readings(all_problems)
    if not settings.as_json:
        print_problems(problems)
    return exit_code(problems) or (EXIT_NO if found.steps or found.not_planned else EXIT_FINE)


def _stock(seen: Survey, contents: Mapping[str, Contents]) -> Stock:
    return Stock(machine=Machine(seen.inventory), seen=seen, contents=contents)


def _pin(file: str, made: Compiled) -> None:
    """Replace drive counts in the file by the chosen drives.

    Raises:
        UsageError: The file has another form; it is unchanged.
        CannotTell: It cannot be written.
    """
    counted = [one for one in made.creations if isinstance(one.wanted.drives, Counted)]
    if not counted:
        emit_message("Nothing to pin: no missing volume gives only a number of drives.")
        return
    names = {one.wanted.line: (chosen_names(one), chosen_names(one, spares=True)) for one in counted}
    try:
        text = pinned(read_file(file).decode("utf-8"), names, counted)
    except CannotPin as error:
        raise UsageError(f"{printable(file)} was not changed: {error}") from None
    write(file, text.encode("utf-8"))
    emit_message(f"Written to {file}: the drives of {listing([one.wanted.label for one in counted])}.")


def _planned(layout: Layout, settings: Settings) -> tuple[Compiled, tuple[Problem, ...]]:
    """Return the plan. For saved outputs no drive is known to be empty."""
    if settings.replay is not None and not is_recording(settings.replay):
        seen = look(settings)
        return compiled(layout, _stock(seen, {}), vendors()[0]), seen.inventory.problems
    with machine(settings) as asked:
        seen = asked.survey()
        nodes = nodes_to_probe(layout, seen)
        found = converse(read_contents(nodes), asked.runner)
        return compiled(layout, _stock(seen, found), asked.vendors), seen.inventory.problems
