"""``raidctl doctor``: which tools and permissions are missing."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import click
import msgspec

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, machine, print_tracebacks
from raidctl.cli.shared.options import (
    Settings,
    bmc_options,
    hosts_options,
    machine_options,
    output_options,
    settings_of,
)
from raidctl.cli.shared.terminal import display, emit, emit_json
from raidctl.model import Problem, Tool
from raidctl.output.doctor import Checkup, checkup_data, checkup_screen
from raidctl.request import CHANGEABLE, converse
from raidctl.survey.doctor import check_tools
from raidctl.survey.pci_controllers import overview
from raidctl.vendor.tools import LET_ONLY_ROOT

_LIBRARIES = ("msgspec", "pyudev", "rich", "click")


@click.command("doctor")
@machine_options
@bmc_options
@hosts_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """List the tools and permissions this machine needs, and what is missing.

    Lists each storage controller on the PCI bus with the tool that reads it,
    the tool's path and version, and whether it works; then permissions and
    libraries; then what to do. With --hosts, one line per host, the worst first.

    Exit codes: 0 nothing is missing; 3 something could not be read; 4 a tool or
    a permission is missing.
    """
    settings = settings_of(context)
    if settings.several():
        return _many(settings)
    with machine(settings) as named:
        checkup = _examine(named, verbose=settings.verbose)
    if settings.as_json:
        emit_json(checkup_data(checkup))
    else:
        emit(checkup_screen(checkup, display()))
    return exit_code(checkup.inventory.problems)


def _many(settings: Settings) -> int:
    """Print one line per host."""
    from raidctl.cli.shared import many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above
    from raidctl.output.hosts import missing  # noqa: PLC0415 - as above

    def line(_: object, checkup: Checkup) -> many_hosts.Line:
        inventory = checkup.inventory
        rank, found = missing(inventory)
        state = "ok" if rank == Rank.FINE else "look"
        text = found[0] if found else "Nothing is missing."
        code, data = exit_code(inventory.problems), checkup_data(checkup)
        return many_hosts.Line(code, rank, state, text, inventory.host.hostname, found[1:], data)

    return many_hosts.run(settings, "doctor", lambda named: _examine(named, verbose=False), line)


def _examine(named: Machine, *, verbose: bool) -> Checkup:
    seen = named.survey()
    if verbose:
        print_tracebacks(seen)
    inventory = seen.inventory
    tools = converse(check_tools(named.vendors, inventory.tools), named.runner)
    libraries = {name: _installed(name) for name in _LIBRARIES} if named.source == "local" else {}
    problems = list(inventory.problems)
    if seen.view.root is False and not any(problem.kind == "no_right" for problem in problems):
        problems.append(_NOT_ROOT)
    of_kernel = bool(seen.view.kernel or seen.view.blocks)  # not a BMC, and not the output of a tool alone
    if seen.view.root is None and of_kernel:
        problems.append(_RIGHTS_UNKNOWN)
    problems += [_fault(tool.name, tool.path, tool.fault) for tool in tools if tool.path and tool.fault]
    present = [*inventory.tools, *(Tool(name=tool.name, path=tool.path) for tool in tools if tool.path)]
    return Checkup(
        inventory=msgspec.structs.replace(inventory, problems=tuple(problems)),
        controllers=overview(
            seen.view, named.vendors, inventory.controllers, present, problems=inventory.problems, outputs=seen.outputs
        ),
        tools=tools,
        root=seen.view.root,
        libraries=libraries,
    )


_NOT_ROOT = Problem(
    severity="warning",
    where="rights",
    message="The tools are not run as root: most of them then report nothing.",
    remedy="Run it with sudo; on another machine with --sudo, or log in there as root.",
    kind="no_right",
)
_RIGHTS_UNKNOWN = Problem(
    severity="warning",
    where="rights",
    message="Whether the tools are run as root is unknown: /proc/self/status could not be read.",
    remedy="Run `id -u` in the same way: 0 is root.",
    kind="unread",
)


def _fault(name: str, path: str, fault: str) -> Problem:
    """The problem of a tool that was not started."""
    message = f"{name} {fault}."
    if CHANGEABLE in fault:
        return Problem("warning", name, message, LET_ONLY_ROOT, "no_right")
    return Problem("warning", name, message, f"Run {path} by hand to see its output.", "unread")


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
