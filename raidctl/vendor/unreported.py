"""``UNREPORTED``: facts that no tool of a family can report.

A guard that needs a fact does not pass if a tool could have reported the fact, but did not. If no tool of the family
can report it, the guard passes, with the family's reason. Without the constant, the tools report every fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from raidctl.vendor.protocol import Vendor

Fact = Literal["preserved_data", "differences"]
"""Preserved cache of lost volumes, or differences between a checked mirror's copies."""


class Unreported(Struct, frozen=True, kw_only=True):
    """A fact that the tools of a family cannot report."""

    fact: Fact
    why: str
    """What the tools report instead: the end of a sentence, without a capital letter and without a full stop."""
    in_status: bool = False
    """Whether the status of the cache would mention it. Then that status has to be known."""


def unreported(vendors: Iterable[Vendor]) -> dict[tuple[str, Fact], Unreported]:
    """Return the facts that no tool reports, by family and fact."""
    found: dict[tuple[str, Fact], Unreported] = {}
    for vendor in vendors:
        own: Mapping[str, object] = vars(vendor) if hasattr(vendor, "__dict__") else {}
        rows = own.get("UNREPORTED", ())
        if isinstance(rows, tuple):
            found |= {(vendor.FAMILY, row.fact): row for row in rows if isinstance(row, Unreported)}
    return found
