"""The commands that deeds may run, and who judges their output."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse
from raidctl.vendor.operations import operations_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of
from raidctl.vendor.shapes import Shape

DISK_SHAPES: tuple[Shape, ...] = (
    ("sfdisk", "--quiet", "{}"),
    ("wipefs", "--all", "{}"),
    ("grub-install", "{}"),
    ("grub2-install", "{}"),
)
"""Commands on drives that belong to no family."""


def tables(vendors: Sequence[Vendor]) -> list[Shape]:
    """Return the shapes of all families' commands."""
    offered = [operations for vendor in vendors if (operations := operations_of(vendor)) is not None]
    return [*DISK_SHAPES, *(shape for operations in offered for shape in operations.SHAPES)]


def judged(vendors: Sequence[Vendor], object_id: str, action: Action, answer: Answer) -> str | None:
    """Return a tool's objection to a deed's command. None if it accepted the command."""
    vendor = vendor_of(object_id, vendors)
    offered = operations_of(vendor) if vendor is not None else None
    if offered is not None:
        return offered.judge(action, answer)
    if isinstance(answer, RunAnswer) and answer.code:
        words = collapse(answer.error_text or answer.text)[:400]
        return words or f"no message; exit code {answer.code}"
    return None
