"""An inventory out of bytes; where they are none, the reason, in words that stand behind the name of what was read."""

from __future__ import annotations

from typing import Any

import msgspec

from raidctl import json_decode
from raidctl.model import SCHEMA_VERSION, Inventory


class NoInventory(ValueError):
    """These bytes are none; its text is a predicate without a full stop: ``is cut off in the middle``."""


class _Head(msgspec.Struct):
    """What tells inventories of another version, and other JSON of raidctl, apart."""

    schema_version: Any = None
    controllers: Any = None


def decode(data: bytes) -> Inventory:
    """The inventory that these bytes are.

    Raises:
        NoInventory: They are none that this raidctl can read.
    """
    try:
        inventory: Inventory = json_decode.decode(data, Inventory)
    except msgspec.DecodeError as error:
        raise NoInventory(_why(data, error)) from None
    if b'"controllers"' not in data:
        raise NoInventory(_OTHER)
    return inventory


_OTHER = 'is JSON, and no inventory: it has no "controllers"'


def _why(data: bytes, error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return _other_version(data) or f"is no inventory: {error}"
    if not data.strip():
        return "is empty"
    return broken(data)


def _other_version(data: bytes) -> str | None:
    """The reason, where it is another JSON document of raidctl, or one of another raidctl."""
    try:
        head = json_decode.decode(data, _Head)
    except msgspec.DecodeError:
        return None
    if head.controllers is None:
        return _OTHER
    if head.schema_version == SCHEMA_VERSION:
        return None
    shown = str(head.schema_version)[:40]
    return (
        f"is an inventory of schema version {shown}, and this raidctl reads version {SCHEMA_VERSION}: "
        "read it with the raidctl that wrote it"
    )


def broken(data: bytes) -> str:
    """Why bytes are no JSON, as :class:`NoInventory` has it."""
    try:
        json_decode.decode(data.rstrip(), msgspec.Raw)  # a newline behind it would pass for a character too many
        json_decode.decode(data)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return "is cut off in the middle: it is not all that was written"
        if "trailing" in str(error):
            return "holds more than one inventory, or something behind it"
        return f"is no JSON: {str(error).removeprefix('JSON is malformed: ')}"
    return "is no JSON"
