"""An inventory out of a file: whatever is the matter with it is said in one sentence."""

from __future__ import annotations

from typing import Any

import msgspec

from raidctl.errors import CannotTell
from raidctl.model import SCHEMA_VERSION, Inventory


class _Head(msgspec.Struct):
    """What tells inventories of another version, and other JSON of raidctl, apart."""

    schema_version: Any = None
    controllers: Any = None


def inventory(data: bytes, name: str) -> Inventory:
    """The inventory in these bytes.

    Raises:
        CannotTell: There is none that this raidctl can read.
    """
    if not data.strip():
        raise CannotTell(f"{name} is empty.")
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.controllers is None:
            raise CannotTell(f'{name} is JSON, and no inventory: it has no "controllers".')
        if head.schema_version != SCHEMA_VERSION:
            shown = str(head.schema_version)[:40]
            raise CannotTell(
                f"{name} is an inventory of schema version {shown}, and this raidctl reads version {SCHEMA_VERSION}: "
                "read it with the raidctl that wrote it."
            )
        return msgspec.json.decode(data, type=Inventory)
    except msgspec.ValidationError as error:
        raise CannotTell(f"{name} is no inventory: {error}.") from None
    except (msgspec.DecodeError, RecursionError) as error:
        if "truncated" in str(error):
            raise CannotTell(f"{name} is cut off in the middle: it is not the whole file that was written.") from None
        if "trailing" in str(error):
            raise CannotTell(f"{name} holds more than one inventory: give one of them.") from None
        raise CannotTell(f"{name} is no JSON: {error}.") from None
