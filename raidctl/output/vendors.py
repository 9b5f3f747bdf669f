"""The support table: what can be read, set and done by family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.model import Capability
from raidctl.output.console import DULL, GOOD, PLAIN, STRONG, Display, drawn, indented, pack
from raidctl.output.table import GAP, Column, cells, facts, table
from raidctl.vendor.abilities import Kind, kinds_of
from raidctl.vendor.protocol import CAPABILITIES, Vendor

_LEGEND = ("r: can be read", "w: the vendor's tool can set it", "-: neither", "number: see below")


def support(vendors: Sequence[Vendor]) -> list[dict[str, Any]]:
    """The support of each family, for programs. It lists tools and drivers, capabilities, and operations by kind."""
    return [
        {
            "family": vendor.FAMILY,
            "title": vendor.TITLE,
            "tools": [{"name": tool.name, "package": tool.package or None} for tool in vendor.TOOLS],
            "drivers": list(vendor.DRIVERS),
            "capabilities": {
                name: msgspec.to_builtins(vendor.SUPPORT[name]) for name in CAPABILITIES if name in vendor.SUPPORT
            },
            "operations": [msgspec.to_builtins(kind) for kind in kinds_of(vendor)],
        }
        for vendor in vendors
    ]


@drawn
def support_screen(vendors: Sequence[Vendor], display: Display) -> Iterator[RenderableType]:
    """The screen of ``raidctl vendors``."""
    reasons: dict[str, int] = {}
    names = Column("", cells([name.replace("_", " ") for name in CAPABILITIES]), 12)
    columns = [
        Column(vendor.FAMILY, [_mark(vendor.SUPPORT.get(name), reasons) for name in CAPABILITIES]) for vendor in vendors
    ]
    widths = (names.natural, names.least)  # the names fold only where this saves a table
    for block in min((list(_blocks(columns, display.columns - width)) for width in widths), key=len):
        yield table([names, *block], display, indent=0)
        yield Text("")
    yield pack([(text, DULL) for text in _LEGEND], display.columns, display.dot)
    for why, number in reasons.items():
        yield facts([(str(number), [display.clean(why)])], display, indent=0)
    for vendor in vendors:
        yield Text("")
        yield pack([(display.clean(vendor.FAMILY), STRONG), display.clean(vendor.TITLE)], display.columns, display.dot)
        rows = [("tools", [display.clean(tool.name) for tool in vendor.TOOLS])]
        rows += [("drivers", [display.clean(driver) for driver in vendor.DRIVERS])] if vendor.DRIVERS else []
        yield facts(rows, display)
        for kind in kinds_of(vendor):
            yield from _operations(kind, vendor, display)


def _blocks(columns: Sequence[Column], room: int) -> Iterator[list[Column]]:
    """As many columns as fit beside each other, then the next. There is at least one in each."""
    block: list[Column] = []
    for column in columns:
        if block and sum(GAP + one.natural for one in (*block, column)) > room:
            yield block
            block = []
        block.append(column)
    if block:
        yield block


_PROOFS = {
    "kernel": "tried on a real kernel",
    "captures": "simulator from captures",
    "manual": "simulator from a manual",
    "programs": "simulator from other programs",
    "none": "not tried",
}
"""How an operation was tested, the most certain first."""


def _operations(kind: Kind, vendor: Vendor, display: Display) -> Iterator[RenderableType]:
    """The operations on a kind of controllers, by how they were tested. Some are only printed."""
    found = {
        words: [verb for verb, one in kind.abilities.items() if one.can and one.proof == proof]
        for proof, words in _PROOFS.items()
    }
    printed = {verb: one.by_help for verb, one in kind.abilities.items() if one.printed}
    found["run if its help lists it, else printed"] = [verb for verb, by_help in printed.items() if by_help]
    found["printed, never run"] = [verb for verb, by_help in printed.items() if not by_help]
    rows = [(words, [verb.replace("_", " ") for verb in verbs]) for words, verbs in found.items() if verbs]
    whole = not kind.drivers and len(kind.tools) == len(vendor.TOOLS)
    names = [] if whole else [*(kind.drivers or ()), *(kind.tools if len(kind.tools) < len(vendor.TOOLS) else ())]
    title = [("operations", PLAIN), *((display.clean(name), DULL) for name in names)]
    yield indented(pack(title, display.columns - 2, display.dot), display, 2)
    yield facts(rows or [("none", ["raidctl changes nothing with it"])], display, indent=4)


def _mark(capability: Capability | None, reasons: dict[str, int]) -> tuple[str, Style]:
    """``r``, ``rw`` or ``-``, with the number of the reason, if any."""
    if capability is None or not (capability.read or capability.set):
        mark, style = "-", DULL
    else:
        mark = ("r" if capability.read else "") + ("w" if capability.set else "")
        style = GOOD if capability.set else PLAIN
    if capability is not None and capability.why:
        mark = f"{mark} {reasons.setdefault(capability.why, len(reasons) + 1)}"
    return mark, style
