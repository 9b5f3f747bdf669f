"""The screen of ``raidctl doctor``: controllers, tools, permissions, libraries, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.model import Inventory, Problem
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, hanging, line
from raidctl.output.head import head
from raidctl.output.problems import problem_sections, style_of
from raidctl.output.table import Column, cells, facts, table
from raidctl.output.trouble import Trouble, notes, troubles
from raidctl.survey.doctor import DoctorReport, ToolCheck
from raidctl.survey.pci_controllers import PciControllerRow
from raidctl.text import counted, listing


@dataclass(frozen=True)
class Checkup:
    """The results of the checkup."""

    inventory: Inventory
    """The machine; its problems are those of the whole checkup."""
    controllers: Sequence[PciControllerRow]
    tools: Sequence[ToolCheck]
    root: bool | None
    """Whether commands are run as root; None: unknown."""
    libraries: Mapping[str, str | None]
    """Version of each library that raidctl uses, None if it is missing. Empty for another machine."""


def checkup_data(checkup: Checkup) -> DoctorReport:
    """The results for programs."""
    return DoctorReport(
        host=checkup.inventory.host,
        root=checkup.root,
        pci_controllers=tuple(checkup.controllers),
        tools=tuple(checkup.tools),
        libraries=dict(checkup.libraries),
        problems=checkup.inventory.problems,
    )


@drawn
def checkup_screen(checkup: Checkup, display: Display) -> Iterator[RenderableType]:
    """The whole screen as text."""
    # problems of the hardware are for "show"
    own = [problem for problem in checkup.inventory.problems if problem.kind != "state"]
    bare = msgspec.structs.replace(checkup.inventory, controllers=(), problems=tuple(own))
    found = troubles(bare)
    yield head(checkup.inventory, display)
    yield _verdict(found, display)
    yield from _controllers(checkup, display)
    yield from _tools(checkup, display)
    yield Text("")
    yield facts([("permissions", [_rights(checkup.root)]), *_libraries(checkup, display)], display, indent=0)
    above = {
        (note, one) for controller in checkup.controllers for note in controller.notes for one in controller.controllers
    }
    yield from problem_sections(
        found, [note for note in notes(bare) if (note.message, note.where) not in above], display
    )


def _verdict(found: Sequence[Trouble], display: Display) -> RenderableType:
    if not found:
        return line(("Nothing is missing.", GOOD))
    count = f"{counted(len(found), 'thing')} to check: "
    places: list[Piece] = [(display.clean(trouble.where), style_of(trouble)) for trouble in found]
    return hanging((count, STRONG), places, display)


def _controllers(checkup: Checkup, display: Display) -> Iterator[RenderableType]:
    yield Text("")
    yield line(("Storage controllers on the PCI bus", STRONG))
    if not checkup.controllers:
        yield line("  none")
        return
    rows: list[tuple[str, Sequence[Piece]]] = []
    for controller in checkup.controllers:
        rows.append((display.clean(controller.address), _controller(controller, checkup.inventory.problems, display)))
        rows += [("", [(display.clean(why), DULL)]) for why in controller.notes]
    yield facts(rows, display)


def _controller(controller: PciControllerRow, problems: Sequence[Problem], display: Display) -> list[Piece]:
    """The controller, its driver, its tool, and its id in raidctl."""
    shown: list[Piece] = [
        (display.clean(controller.name), STRONG),
        display.clean(f"driver {controller.driver or 'none'}"),
        display.clean(f"family {controller.family or 'none'}"),
    ]
    shown += _programs(controller, display)
    text, style = _state(controller, problems)
    shown.append((display.clean(text), style))
    return [*shown, (display.clean(controller.note), DULL)] if controller.note else shown


def _programs(controller: PciControllerRow, display: Display) -> list[Piece]:
    """The installed tools that report the controller, and those that do not."""
    reporters = controller.reported_by
    others = listing((name for name in controller.found if name not in reporters), "or")
    if reporters:
        return [display.clean(f"reported by {listing(reporters)}{f', not by {others}' if others else ''}")]
    return [display.clean(f"not reported by {others}")] if others else []


def _state(controller: PciControllerRow, problems: Sequence[Problem]) -> tuple[str, Style]:
    if controller.controllers and controller.listed:
        return f"shown as {listing(controller.controllers)}", GOOD
    if any(problem.where == controller.address and problem.kind != "note" for problem in problems):
        needs = f", needs {listing(controller.tools, 'or')}" if controller.tools and not controller.found else ""
        return f"NOT SHOWN{needs}", BAD
    return (
        ("unclear which of them", WARN)
        if controller.listed is None and not controller.note
        else ("nothing found on it", DULL)
    )


def _tools(checkup: Checkup, display: Display) -> Iterator[RenderableType]:
    here = [tool for tool in checkup.tools if tool.path]
    yield Text("")
    yield line(("Tools", STRONG))
    if here:
        yield table(
            [
                Column("family", cells([display.clean(tool.family) for tool in here])),
                Column("tool", cells([display.clean(tool.name) for tool in here], STRONG)),
                Column("version", [_version(tool, display) for tool in here], 12),
                Column("where", cells([display.clean(tool.path or "") for tool in here]), 12),
            ],
            display,
        )
    else:
        yield line("  none")
    missing: dict[str, list[Piece]] = {}
    for tool in checkup.tools:
        if not tool.path:
            text = f"{tool.name} ({tool.fault})" if tool.fault else tool.name
            missing.setdefault(tool.family, []).append((display.clean(text), DULL))
    if missing:
        yield line(("  not installed (needed only for matching hardware):", DULL))
        yield facts([(display.clean(family), names) for family, names in missing.items()], display, indent=4)


def _version(tool: ToolCheck, display: Display) -> tuple[str, Style]:
    if tool.fault:
        return display.clean(tool.fault), BAD
    return (display.clean(tool.version), PLAIN) if tool.version else ("?", DULL)


def _rights(root: bool | None) -> Piece:
    if root is None:
        return "unknown", DULL
    return ("root", GOOD) if root else ("NOT ROOT: most tools report nothing", BAD)


def _libraries(checkup: Checkup, display: Display) -> Iterator[tuple[str, Sequence[Piece]]]:
    if checkup.libraries:
        yield (
            "libraries",
            [
                display.clean(f"{name} {version}") if version else (display.clean(f"{name} MISSING"), BAD)
                for name, version in checkup.libraries.items()
            ],
        )
