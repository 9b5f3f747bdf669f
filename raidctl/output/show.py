"""The screen of ``raidctl show``: problems in brief, each controller, problems with remedies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.health.unknown_states import unknown_states
from raidctl.model import Inventory
from raidctl.model.drives_below import DrivesBelow, physical_drives
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, hanging, line
from raidctl.output.controller import controller_block
from raidctl.output.head import head
from raidctl.output.problems import problem_sections, style_of
from raidctl.output.trouble import Trouble, notes, troubles
from raidctl.text import counted

_AT_THE_TOP = 5


class Advice(NamedTuple):
    """Findings and doubts. Each has an object and its problem, the worst first."""

    findings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Checks without a result."""
    critical: int = 0
    """How many of the findings are critical: the first ones."""


def screen(
    inventory: Inventory,
    display: Display,
    *,
    more: bool = False,
    hint: str = "",
    unmounted: Collection[str] = (),
    advice: Advice | None = None,
    whole: Inventory | None = None,
) -> str:
    """The whole screen as text.

    Args:
        inventory: What was found.
        display: How wide, in colour or not.
        more: Also show serial numbers, details and other fields of the tools.
        hint: A sentence to show if there is nothing else.
        unmounted: Ids of volumes known not to be mounted; for others without a mount point this is unknown.
        advice: What the rules of ``diagnose`` find where nothing has failed.
        whole: The machine, if the inventory is a part of it: an object is judged by what is around it.
    """
    found = (troubles(inventory, whole), notes(inventory, whole))
    return display.render(_parts(inventory, display, found, more=more, hint=hint, unmounted=unmounted, advice=advice))


def _parts(
    inventory: Inventory,
    display: Display,
    problems: tuple[Sequence[Trouble], Sequence[Trouble]],
    *,
    more: bool,
    hint: str,
    unmounted: Collection[str],
    advice: Advice | None,
) -> Iterator[RenderableType]:
    (found, noted), below = problems, DrivesBelow(inventory.controllers)
    yield head(inventory, display)
    if advice is not None and any(advice) and not found:
        yield line(display.words(_all_fine(inventory, "No failures found")))
        yield _brief(*_counted(advice), display)
        yield line((display.words('"raidctl diagnose" shows the remedies.'), DULL))
    else:
        yield _verdict(inventory, found, display)
    # RAID controllers before plain drives
    for controller in sorted(inventory.controllers, key=lambda controller: controller.mode == "none"):
        yield Text("")
        yield from controller_block(controller, display, below, more=more, unmounted=unmounted)
    if not inventory.controllers and hint:
        yield Text("")
        yield line(display.words(hint))
    yield from problem_sections(found, noted, display)


def _verdict(inventory: Inventory, found: Sequence[Trouble], display: Display) -> RenderableType:
    if not found:
        style = PLAIN if unknown_states(inventory) else GOOD if inventory.controllers else DULL
        return line((display.words(_all_fine(inventory)), style))
    briefs = [(trouble.brief, style_of(trouble)) for trouble in found]
    return _brief(f"{counted(len(found), 'problem')}: ", briefs, display, " below")


def _counted(advice: Advice) -> tuple[str, list[tuple[str, Style]]]:
    """``2 warnings: ``, and each with its style."""
    if not advice.findings:
        return f"{len(advice.doubts)} unknown: ", [(text, PLAIN) for text in advice.doubts]
    styled = [(text, BAD if number < advice.critical else WARN) for number, text in enumerate(advice.findings)]
    return f"{counted(len(styled), 'finding' if advice.critical else 'warning')}: ", styled


def _brief(label: str, briefs: Sequence[tuple[str, Style]], display: Display, where: str = "") -> RenderableType:
    """The number of problems, and the first few of them."""
    pieces: list[Piece] = [(display.clean(text), style) for text, style in briefs[:_AT_THE_TOP]]
    if len(briefs) > _AT_THE_TOP:
        pieces.append((f"{len(briefs) - _AT_THE_TOP} more{where}", DULL))
    return hanging((label, STRONG), pieces, display)


def _all_fine(inventory: Inventory, verdict: str = "No problems found") -> str:
    parts = contents(inventory)
    return f"{verdict}: {parts}" if parts else "Nothing found"


def contents(inventory: Inventory) -> str:
    """``1 controller, 3 volumes, 24 drives (2 status unknown)``; empty if nothing was found."""
    counts = {
        "controller": len(inventory.controllers),
        "volume": sum(len(c.volumes) for c in inventory.controllers),
        "drive": sum(1 for _ in physical_drives(inventory.controllers)),
    }
    parts = ", ".join(counted(count, noun) for noun, count in counts.items() if count)
    unknown = sum(unknown_states(inventory).values())
    return f"{parts} ({unknown} status unknown)" if unknown else parts
