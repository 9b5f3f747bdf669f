"""Which installed tools are run, in which order, and why others are not.

The controller decides: the 96xx and PERC 12 are reported by storcli2 and perccli2 only, a Dell PERC may be invisible to
the general storcli, and MegaCli must never be started on a host with a 95xx. A second tool is run only if the first one
reports fewer controllers than the PCI bus has for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from raidctl.model import Problem
from raidctl.text import listing
from raidctl.vendor.tools import Installed
from raidctl_megaraid.collect.expected_controllers import OLD, PLAIN, V7, V8, Need
from raidctl_megaraid.tools import KINDS

_USUAL_V8 = (V8, "perccli2")


class ToolGroup(Struct):
    """Tools that report the same controllers, in the order of trying."""

    tools: list[Installed] = field(default_factory=list)
    expected: int = 0
    """Number of controllers on the bus for the tools. It is 0 if the bus shows none of the family, or nothing."""


class Plan(Struct):
    """The tools to run."""

    groups: list[ToolGroup] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Tools that are never run, and why."""


def plan(found: Sequence[Installed], controllers: Sequence[Need]) -> Plan:
    """Choose from the installed tools by the controllers on the bus.

    Without controllers, all safe tools are chosen.
    """
    made = Plan()
    frozen = [need for need in controllers if need.frozen_by_megacli]
    usable = list(found)
    if frozen:
        usable = [one for one in found if _kind(one) != OLD]
        megacli_tools = [one for one in found if _kind(one) == OLD]
        if megacli_tools:
            made.problems.append(_freezing_tools(megacli_tools, frozen, usable))
    for kinds in (PLAIN, _USUAL_V8):
        mine = [need for need in controllers if set(need.kinds) & set(kinds)]
        if controllers and not mine:
            continue
        order = mine[0].kinds if mine else kinds
        order = (*order, *(kind for kind in kinds if kind not in order))
        tools = [one for kind in order for one in usable if _kind(one) == kind]
        if tools:
            made.groups.append(ToolGroup(tools, len(mine)))
    made.problems += [
        _unsupported_controller(need) for need in controllers if not need.kinds and not need.frozen_by_megacli
    ]
    return made


def _kind(one: Installed) -> str:
    return KINDS[one.spec.name]


def grammar(one: Installed) -> str:
    """The grammar of a tool's commands: ``storcli``, ``storcli2`` or ``megacli``."""
    return {"perccli": V7, "perccli2": V8}.get(_kind(one), _kind(one))


def same_tool(one: Installed, other: Installed) -> bool:
    """Whether a second tool would show nothing more: storcli beside storcli64."""
    return _kind(one) == _kind(other)


def not_run(tools: Sequence[Installed], reporters: Sequence[str]) -> Problem:
    """The note that names the installed tools that were not run."""
    names = listing(one.spec.name for one in tools)
    verb = "is also installed; it was" if len(tools) == 1 else "are also installed; they were"
    return Problem(
        severity="info", kind="note", where=tools[0].path,
        message=f"{names} {verb} not run, because {listing(reporters)} reported every controller.",
    )  # fmt: skip


def _freezing_tools(tools: Sequence[Installed], frozen: Sequence[Need], others: Sequence[Installed]) -> Problem:
    names = listing(one.spec.name for one in tools)
    was, it = ("was", "it") if len(tools) == 1 else ("were", "they")
    message = f"{names} {was} not run: {it} can freeze a host with the controller {frozen[0].name}."
    if any(_kind(one) in ("storcli", "perccli") for one in others):
        return Problem(severity="info", kind="note", where=tools[0].path, message=message)
    return Problem(
        severity="error", kind="no_tool", where=tools[0].path, message=message,
        remedy="Install storcli64 (Broadcom's site) or perccli64 (Dell's), and remove MegaCli from this host.",
    )  # fmt: skip


def _unsupported_controller(need: Need) -> Problem:
    return Problem(
        severity="info", kind="note", where=need.device.address,
        message=f"No supported tool reads the old controller {need.name} (driver {need.device.driver}).",
        remedy="megarc and dellmgr supported it; raidctl does not read their output.",
    )  # fmt: skip
