"""Objects without a reported status, which qualify "no problems found". Pure."""

from __future__ import annotations

from raidctl.model import Inventory
from raidctl.model.drives_below import physical_drives
from raidctl.text import counted, listing


def unknown_states(inventory: Inventory) -> dict[str, int]:
    """The number of volumes, drives and batteries with an unknown status. Kinds with none are left out."""
    controllers = inventory.controllers
    states: dict[str, list[str]] = {
        "volume": [one.status for controller in controllers for one in controller.volumes],
        "drive": [one.status for _, one in physical_drives(controllers)],
        "battery": [one.status for controller in controllers for one in controller.batteries],
    }
    return {kind: words.count("unknown") for kind, words in states.items() if "unknown" in words}


def doubt(inventory: Inventory) -> str | None:
    """``the status of 1 volume and 2 drives is unknown``; None: every status is known."""
    unknown = unknown_states(inventory)
    return f"the status of {listing(counted(n, kind) for kind, n in unknown.items())} is unknown" if unknown else None
