"""Members that an array names and no tool describes, as in an output without its end. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.model import Controller, Problem
from raidctl.text import counted, listing


def undescribed(controllers: Sequence[Controller]) -> Iterator[Problem]:
    """Yield a problem for each array with such drives. Their state is unknown, so the array's may be worse."""
    described = {drive.id for controller in controllers for drive in controller.drives}
    for controller in controllers:
        for array in controller.arrays:
            left = [name for name in (*array.drives, *array.spares) if name not in described]
            if left:
                message = f"The state of {counted(len(left), 'drive')} is unknown: no tool describes {listing(left)}."
                remedy = "Run raidctl again, or run the tool by hand and read its complete output."
                yield Problem("error", array.id, message, remedy, "unread")
