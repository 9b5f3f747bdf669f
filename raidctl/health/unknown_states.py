"""Objects without a reported status, which qualify "no problems found". Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Drive, Inventory
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


def members_in_doubt(members: Sequence[Drive]) -> tuple[Drive, ...]:
    """The members of an array whose state is unknown, although their tool reports the states of members.

    If it reports none of them, the state of the volume covers all.
    """
    unknown = tuple(drive for drive in members if drive.status == "unknown")
    return unknown if len(unknown) < len(members) else tuple(drive for drive in unknown if drive.status_text)


def states_unknown(drives: Sequence[Drive]) -> str:
    """``the state of acme:0/1 and acme:0/2 is unknown``."""
    return f"the state of {listing(drive.id for drive in drives)} is unknown"
