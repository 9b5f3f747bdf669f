"""Find objects by their ids. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from raidctl.model.inventory import Drive, Inventory


class _HasId(Protocol):
    @property
    def id(self) -> str:
        """The id."""


T = TypeVar("T", bound=_HasId)


def by_id(objects: Iterable[T], object_id: str | None) -> T | None:
    """Return the one of some objects with an id. None: there is none, or no id."""
    return next((one for one in objects if one.id == object_id), None)


def drives_by_id(inventory: Inventory) -> dict[str, Drive]:
    """All drives of a machine: a physical drive and each member on it."""
    return {drive.id: drive for controller in inventory.controllers for drive in controller.drives}
