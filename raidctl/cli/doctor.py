"""``raidctl doctor``."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import click
import msgspec

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, machine, tell_tracebacks
from raidctl.cli.shared.options import machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json, paper
from raidctl.model import Problem, Tool
from raidctl.output.doctor import Checkup, checkup_data, checkup_screen
from raidctl.request import converse
from raidctl.survey.doctor import check_tools
from raidctl.survey.pci_controllers import overview

_LIBRARIES = ("msgspec", "pyudev", "rich", "click")


@click.command("doctor")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Tell which tools and rights this machine needs, and what is missing.

    Lists each storage controller on the PCI bus, the program that can tell of it, where that is, its version and
    whether it answers; then rights and libraries; then what to do.

    Exit codes: 0 nothing is missing; 3 something could not be told;
    4 a tool or a right is missing.
    """
    settings = settings_of(context)
    with machine(settings) as named:
        checkup = _examine(named, verbose=settings.verbose)
    if settings.as_json:
        emit_json(checkup_data(checkup))
    else:
        emit(checkup_screen(checkup, paper()))
    return exit_code(checkup.inventory.problems)


def _examine(named: Machine, *, verbose: bool) -> Checkup:
    seen = named.survey()
    if verbose:
        tell_tracebacks(seen)
    inventory = seen.inventory
    tools = converse(check_tools(named.vendors, inventory.tools), named.runner)
    libraries = {name: _installed(name) for name in _LIBRARIES} if named.source == "local" else {}
    problems = list(inventory.problems)
    if seen.view.root is False and not any(problem.kind == "no_right" for problem in problems):
        problems.append(_NOT_ROOT)
    by_hand = "Run {} by hand to see what it says."
    problems += [
        Problem("warning", tool.name, f"{tool.name} {tool.fault}.", by_hand.format(tool.path), "unread")
        for tool in tools
        if tool.path and tool.fault
    ]
    present = [*inventory.tools, *(Tool(name=tool.name, path=tool.path) for tool in tools if tool.path)]
    return Checkup(
        inventory=msgspec.structs.replace(inventory, problems=tuple(problems)),
        cards=overview(
            seen.view, named.vendors, inventory.controllers, present, problems=inventory.problems, outputs=seen.outputs
        ),
        tools=tools,
        root=seen.view.root,
        libraries=libraries,
    )


_NOT_ROOT = Problem(
    severity="warning",
    where="rights",
    message="The tools are not run as root: most of them tell nothing then.",
    remedy="Run it with sudo; on another machine with --sudo, or log in there as root.",
    kind="no_right",
)


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
