"""An inventory prepared for rules: each object with its controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from raidctl.model import Array, Controller, Drive, Inventory, hiding_problems
from raidctl.model.drives_below import DrivesBelow, own_drives
from raidctl.model.problem import is_command_for
from raidctl.text import plural

_ON_CONTROLLER = {
    "preserved_cache": "preserved",
    "battery": "batteries",
    "array": "arrays",
    "volume": "volumes",
    "drive": "drives",
}


def single(kind: str) -> str:
    """``an array``, ``a volume cache``; plurals have no article."""
    words = kind.replace("_", " ")
    return words if plural(kind) == kind else f"{'an' if words[:1] in set('aeiou') else 'a'} {words}"


class Scope:
    """The surroundings of an object: its machine, and the controller if any."""

    __slots__ = ("_arrays", "_drives", "complete", "controller", "machine")

    def __init__(self, machine: Machine, controller: Controller | None) -> None:
        self.machine = machine
        self.controller = controller
        self._drives: dict[str, Drive] | None = None
        self._arrays: dict[str, Array] | None = None
        self.complete = not any(map(self._hides, machine.hiding))
        """Whether no problem is known that may hide objects here."""

    @property
    def drives(self) -> dict[str, Drive]:
        """The drives of this controller by id."""
        if self._drives is None:
            self._drives = {drive.id: drive for drive in self.controller.drives} if self.controller else {}
        return self._drives

    def array(self, name: str | None) -> Array | None:
        """The array with an id on this controller."""
        if self._arrays is None:
            self._arrays = {array.id: array for array in self.controller.arrays} if self.controller else {}
        return self._arrays.get(name) if name is not None else None

    def _hides(self, where: str) -> bool:
        if self.controller is None:
            return True
        name = self.controller.id
        if where in (name, self.controller.pci_address) or where.startswith(f"{name}/"):
            return True
        # a command about one device, such as smartctl /dev/sda, lists nothing else
        tool = self.controller.told_by
        same_tool = (one.id for one in self.machine.inventory.controllers if one.told_by == tool)
        return " /dev/" not in where and is_command_for(where, tool, name, same_tool)


class Machine:
    """An inventory with its scopes. Lists that several rules need are built once.

    A ``with`` statement frees its memory at the end; otherwise the garbage collector does.
    """

    __slots__ = ("_columns", "below", "hiding", "inventory", "scope", "scopes")

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.below = DrivesBelow(inventory.controllers)
        self.hiding = [one.where for one in hiding_problems(inventory.problems)]
        self.scope = Scope(self, None)
        self.scopes = [Scope(self, controller) for controller in inventory.controllers]
        self._columns: dict[str, tuple[list[Any], list[Scope]]] = {}

    def objects(self, kind: str) -> Iterable[tuple[Any, Scope]]:
        """All objects of a kind, with their scopes, in inventory order."""
        return zip(*self.columns(kind), strict=True)

    def columns(self, kind: str) -> tuple[list[Any], list[Scope]]:
        """The same as a list of objects and a list of scopes."""
        found = self._columns.get(kind)
        if found is None:
            found = self._columns[kind] = self._find(kind)
        return found

    def __enter__(self) -> Machine:  # noqa: PYI034 - typing.Self came with Python 3.11
        return self

    def __exit__(self, *_error: object) -> None:
        """Drop the scopes. Their reference cycle would keep the inventory until the next garbage collection."""
        self.scopes.clear()
        self._columns.clear()
        del self.scope

    def _find(self, kind: str) -> tuple[list[Any], list[Scope]]:
        scopes = self.scopes
        if kind == "host":
            return [self.inventory], [self.scope]
        if kind == "controller":
            return [scope.controller for scope in scopes], scopes
        if kind == "cache":
            having = [scope for scope in scopes if scope.controller and scope.controller.cache is not None]
            return [scope.controller and scope.controller.cache for scope in having], having
        # of other kinds: lists of the machine or its controllers, by the plural of the kind
        name = _ON_CONTROLLER.get(kind) or plural(kind)
        if hasattr(self.inventory, name):
            items = list(getattr(self.inventory, name))
            return items, [self.scope] * len(items)
        found: list[Any] = []
        around: list[Scope] = []
        for scope in scopes:
            own = _listed_on(scope.controller, name)
            found += own
            around += [scope] * len(own)
        return found, around


def _listed_on(controller: Any, name: str) -> Sequence[Any]:
    """A list of a controller. Drives that another controller lists as well are left out."""
    if name == "drives":
        return own_drives(controller)
    found: Sequence[Any] = getattr(controller, name)
    return found


def listed(kind: str) -> Callable[[Any, Scope], Iterable[tuple[Any, Scope]]]:
    """A function that lists all objects of a kind on the machine."""

    def pairs(_item: Any, scope: Scope) -> Iterable[tuple[Any, Scope]]:
        return scope.machine.objects(kind)

    return pairs
