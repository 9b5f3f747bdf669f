"""Read an inventory from a file; every error is one sentence."""

from __future__ import annotations

from raidctl.errors import CannotTell
from raidctl.model import Inventory
from raidctl.recording import inventory_files


def inventory(data: bytes, name: str) -> Inventory:
    """The inventory in these bytes.

    Raises:
        CannotTell: It is not an inventory that this raidctl can read.
    """
    try:
        return inventory_files.decode(data)
    except inventory_files.NoInventory as reason:
        raise CannotTell(f"{name} {reason}.") from None
