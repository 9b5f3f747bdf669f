"""Decode an inventory, or explain why a file is not one."""

from __future__ import annotations

from typing import Any

import msgspec

from raidctl import json_decode
from raidctl.model import SCHEMA_VERSION, Inventory


class NoInventory(ValueError):
    """These bytes are not an inventory. The text is a predicate without a full stop: ``is cut off in the middle``."""


class _Head(msgspec.Struct):
    """Fields that distinguish inventories of other versions, and raidctl's other JSON."""

    schema_version: Any = None
    controllers: Any = None


def decode(data: bytes) -> Inventory:
    """Decode an inventory.

    Raises:
        NoInventory: The bytes are not an inventory that this raidctl can read.
    """
    try:
        inventory: Inventory = json_decode.decode(data, Inventory)
    except msgspec.DecodeError as error:
        raise NoInventory(_why(data, error)) from None
    if b'"controllers"' not in data:
        raise NoInventory(_OTHER)
    if data.rfind(b'"problems"') < 0:  # raidctl writes it last
        raise NoInventory(_REDUCED)
    return inventory


_OTHER = 'is JSON, and no inventory: it has no "controllers"'
_REDUCED = 'is not a whole inventory: it has no "problems", so what could not be read is unknown'


def _why(data: bytes, error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return _other_version(data) or f"is not an inventory: {error}"
    if not data.strip():
        return "is empty"
    return broken(data)


def _other_version(data: bytes) -> str | None:
    """Explain that it is raidctl's JSON, but another document or version. None if it is not."""
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
    """Explain why bytes are not JSON, for :class:`NoInventory`."""
    try:
        json_decode.decode(data.rstrip(), msgspec.Raw)  # a newline at the end would count as trailing data
        json_decode.decode(data)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return "is cut off in the middle"
        if "trailing" in str(error):
            return "has more than one inventory, or trailing data"
        return f"is not JSON: {str(error).removeprefix('JSON is malformed: ')}"
    return "is not JSON"
