"""``raidctl layout plan``."""

from __future__ import annotations

import click

from raidctl.cli.layout._read import controller_option, layout_of
from raidctl.cli.shared.exit_codes import exit_code, tell_problems
from raidctl.cli.shared.machine import look, machine
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_FINE, EXIT_NO, EXIT_USAGE
from raidctl.layout.plan import LayoutPlan, nodes_to_probe, plan
from raidctl.layout.specification import Layout
from raidctl.model import HIDING, Problem
from raidctl.operate.new_drive import probe, signatures
from raidctl.recording.recording import is_recording
from raidctl.request import ask_all, converse
from raidctl.vendor.registry import vendors


@click.command(
    "plan", epilog=examples("raidctl layout plan db7.toml", "raidctl --host db7 layout plan db7.toml --json")
)
@click.argument("file")
@controller_option
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, file: str, controller: str | None) -> int:
    """Print the steps that would make a machine what a layout file describes.

    Nothing is run. Settings are raidctl's own commands. A volume that is missing
    gets the command of the vendor's tool, or of mdadm, on drives that are known
    to be free: in no array, unused, healthy, and without file systems or other
    signatures. No volume is deleted or converted; what would need that is listed
    with the reason. Names of a drive, a bay or a volume may move: print the plan
    again before you run it.

    Exit codes: 0 the machine is as FILE describes; 1 there are steps, or
    differences without a step; 2 a mistake in FILE, or wrong usage; 3 something
    could not be read; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    layout = layout_of(file, controller)
    if layout is None:
        return EXIT_USAGE
    found, all_problems = _planned(layout, settings)
    emit_found(found, settings, "layout_plan.plan_screen")
    problems = [one for one in all_problems if one.kind in HIDING and one.severity == "error"]
    if not settings.as_json:
        tell_problems(problems)
    return exit_code(problems) or (EXIT_NO if found.steps or found.not_planned else EXIT_FINE)


def _planned(layout: Layout, settings: Settings) -> tuple[LayoutPlan, tuple[Problem, ...]]:
    """The plan; saved outputs answer no questions, so there no drive is known to be without signatures."""
    if settings.replay is not None and not is_recording(settings.replay):
        seen = look(settings)
        return plan(layout, seen, vendors()[0], {}), seen.inventory.problems
    with machine(settings) as asked:
        seen = asked.survey()
        nodes = nodes_to_probe(layout, seen)
        answers = converse(ask_all([probe(node) for node in nodes]), asked.runner)
        found = {node: signatures(answer) for node, answer in zip(nodes, answers, strict=True)}
        return plan(layout, seen, asked.vendors, found), seen.inventory.problems
