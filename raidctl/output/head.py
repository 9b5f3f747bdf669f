"""The first line of each screen about a machine."""

from __future__ import annotations

from rich.text import Text

from raidctl.model import Inventory
from raidctl.output.console import STRONG, Display, Piece, pack
from raidctl.output.phrases import short_moment


def head(inventory: Inventory, display: Display) -> Text:
    """Host, kernel, time and source of the inventory."""
    host = inventory.host
    way, _, place = host.source.partition(":")
    origin = {"ssh": f"over ssh from {place}", "replay": f"replayed from {place}"}.get(way, "")
    when = short_moment(host.collected_at or "")
    parts = (host.kernel and f"Linux {host.kernel}", when, origin)
    pieces: list[Piece] = [
        (display.clean(host.hostname or "unknown host"), STRONG),
        *(display.clean(text) for text in parts if text),
    ]
    return pack(pieces, display.columns, display.dot)
