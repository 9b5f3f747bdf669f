"""The states of a battery for the guard of write-back."""

from __future__ import annotations

from raidctl.model import Battery

CHARGES = (None, 0, 20, 49, 50, 100)


def good(item: Battery) -> bool:
    """Whether a battery is good enough for write-back."""
    return item.status == "ok" and not item.replace and (item.charge_percent is None or item.charge_percent >= 50)
