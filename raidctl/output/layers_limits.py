"""The screen of ``raidctl cache threshold``: limits, and what sets them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from raidctl.layers.model import Layer, Stack, Threshold
from raidctl.model import Inventory
from raidctl.output.console import DULL, STRONG, Display, drawn, indented, line, pack
from raidctl.output.head import head
from raidctl.output.layers import KINDS, figure, reasons
from raidctl.output.problems import problem_sections
from raidctl.output.table import Column, cells, table
from raidctl.output.trouble import notes, troubles
from raidctl.units import format_binary


@drawn
def limits_screen(stack: Stack, display: Display) -> Iterator[RenderableType]:
    """The whole screen as text."""
    bare = Inventory(host=stack.host, problems=stack.problems)
    yield head(bare, display)
    where = f" below {stack.target}" if stack.target else ""
    yield line((display.clean(f"When written data leaves the caches{where}"), STRONG))
    for layer in stack.layers:
        if layer.kind not in ("drive", "volume"):
            yield Text("")
            yield from _block(layer, display)
    yield from problem_sections(troubles(bare), notes(bare), display)


def _block(layer: Layer, display: Display) -> Iterator[RenderableType]:
    names = " · ".join(text for text in (layer.id, layer.name) if text)
    yield line((f"{KINDS[layer.kind]}  ", STRONG), (display.clean(names), DULL))
    if layer.thresholds:
        limits = layer.thresholds
        yield table(
            [
                Column("limit", cells([display.clean(limit.name) for limit in limits]), 12),
                Column("value", cells([_value(limit) for limit in limits], STRONG), 12),
                Column("set by", cells([limit.option or "" for limit in limits], DULL), 12),
            ],
            display,
        )
    if layer.threshold.result != "supported":
        pieces = [display.piece(piece) for piece in reasons(layer.threshold)]
        yield indented(pack(pieces, display.columns - 2, display.dot), display, 2)


def _value(limit: Threshold) -> str:
    """``10% = 2.3 GiB``. Of the page cache's limits in bytes and percent, one is active."""
    if limit.in_force is False:
        return f"{limit.value}: not active"
    text = figure(limit.value, limit.unit)
    same = limit.effective_bytes is None or limit.unit == "bytes"
    return text if same else f"{text} = {format_binary(limit.effective_bytes or 0)}"
