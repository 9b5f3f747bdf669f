"""An inventory out of a file: whatever is the matter with it is said in one sentence."""

from __future__ import annotations

from raidctl import inventories
from raidctl.errors import CannotTell
from raidctl.model import Inventory


def inventory(data: bytes, name: str) -> Inventory:
    """The inventory in these bytes.

    Raises:
        CannotTell: There is none that this raidctl can read.
    """
    try:
        return inventories.decode(data)
    except inventories.NoInventory as reason:
        raise CannotTell(f"{name} {reason}.") from None
