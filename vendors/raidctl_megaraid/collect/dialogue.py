"""Run the tools until every controller on the PCI bus is shown."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Observation
from raidctl.vendor.tools import Installed, as_note
from raidctl_megaraid.collect.expected_controllers import OLD, needs
from raidctl_megaraid.collect.megacli import query_megacli
from raidctl_megaraid.collect.mfi import query_mfi, why_not_run
from raidctl_megaraid.collect.storcli import query_storcli
from raidctl_megaraid.collect.tool_call import Source
from raidctl_megaraid.collect.tool_choice import ToolGroup, grammar, not_run, plan, same_tool
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.merge import same_controller
from raidctl_megaraid.tools import DRIVERS, MEGACLI, STORCLI

_ROOT = "Run raidctl as root (sudo), also on the remote machine."


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Run the installed tools until every controller of the family is shown."""
    chosen = plan(found, needs(host))
    asked: list[Source] = []
    problems = list(chosen.problems)
    for group in chosen.groups:
        mine, left = yield from _run_group(group, host)
        asked += mine
        reporters = [one.name for one in mine if one.seen]
        if left and reporters:
            problems.append(not_run(left, reporters))
    problems += why_not_run(asked, host) if not chosen.problems else []  # what bars MegaCli is reported already
    asked += yield from query_mfi(asked, host)
    return _assemble(asked, problems, host)


def _run_group(group: ToolGroup, host: HostView) -> Dialogue[tuple[list[Source], list[Installed]]]:
    """Run tools one after the other, until all controllers of the bus are shown."""
    asked: list[Source] = []
    waiting = list(group.tools)
    while waiting and not _satisfied(asked, group.expected):
        installed = waiting.pop(0)
        kind = grammar(installed)
        one = Source.of(installed, kind, MEGACLI if kind == OLD else STORCLI)
        ask = query_megacli if one.kind == OLD else query_storcli
        yield from ask(one, group.expected)
        asked.append(one)
        if all(call.whole for call in one.calls[:1]):  # it works: its twin of another word width sees no more
            waiting = [other for other in waiting if not same_tool(installed, other)]
        if host.root is False and not one.seen:
            break
    not_asked = [tool for tool in group.tools if not any(one.session.installed is tool for one in asked)]
    return asked, not_asked


def _satisfied(asked: Sequence[Source], expected: int) -> bool:
    """Whether as many controllers are known as the bus shows. If it shows none, whether one is known."""
    return len(_distinct(asked)) >= max(expected, 1)


def _distinct(asked: Sequence[Source]) -> list[ControllerDraft]:
    """The controllers of the family's drivers that are known, each once."""
    known: list[tuple[ControllerDraft, str]] = []
    for one in asked:
        for controller in one.seen:
            own = controller.get("driver") in (None, *DRIVERS)  # a plain HBA that storcli lists as well does not count
            if own and not any(same_controller(other, kind, controller, one.kind) for other, kind in known):
                known.append((controller, one.kind))
    return [controller for controller, _ in known]


def _assemble(asked: Sequence[Source], problems: Sequence[Problem], host: HostView) -> Observation:
    from raidctl_megaraid.reader import Assembly, Report  # noqa: PLC0415 - imported while the first tool runs

    found = Assembly(
        [Report(controller, one.name, _kind_of(one)) for one in asked for controller in one.seen],
        tuple(one.tool() for one in asked),
        list(problems),
        asked=True,
    )
    shown = any(one.seen for one in asked)
    enough = shown and len(_distinct(asked)) >= sum(1 for need in needs(host) if need.kinds)
    for one in asked:
        own = one.session.problems
        if not one.seen:
            own = _reported_nothing(one, own, host, enough=enough)
        found.problems += own
        found.outputs += [call.value.output for call in one.calls if call.value is not None]
    return found.observation()


def _kind_of(one: Source) -> str:
    """The kind by its output: the second storcli ships under other names too."""
    return next((call.value.kind for call in one.calls if call.value is not None and call.value.version), one.kind)


def _reported_nothing(one: Source, problems: Sequence[Problem], host: HostView, *, enough: bool) -> list[Problem]:
    """The problem of a tool that reported no controller.

    It did not run as root, other tools were run first, or there is no controller.
    """
    where = one.calls[0].command if one.calls else one.session.installed.path
    if host.root is False:
        return [
            Problem(
                severity="error", kind="no_right", where=where,
                message=f"{one.name} lists no controller; without root it cannot detect any.", remedy=_ROOT,
            )
        ]  # fmt: skip
    nothing = Problem(severity="info", kind="note", where=where, message=f"{one.name} sees no controller.")
    trouble = [item for item in problems if item.kind in ("unread", "no_tool", "no_right")]
    if enough or (not needs(host) and not any(call.crash or call.hangs for call in one.calls)):
        return [as_note(item) for item in trouble] or [nothing]
    if not trouble:
        return [nothing if not needs(host) else msgspec.structs.replace(nothing, remedy=_OTHER)]
    return list(problems)


_OTHER = (
    "Use perccli for a Dell PERC, storcli2 or perccli2 for a controller on the driver mpi3mr, MegaCli for an old one; "
    "check whether another instance of the tool is running."
)
