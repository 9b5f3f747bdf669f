"""Inventories for the drift tests: the recorded ones, and changes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from raidctl.drift.canonical import ordered
from raidctl.drift.diff import diff
from raidctl.drift.report import Change, Drift
from raidctl.model import Inventory

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MACHINES = sorted(path.parts[-3] for path in FIXTURES.glob("*/expected/inventory.json"))
GEN9 = "smartarray-gen9-degraded"
CONTROLLER = "smartarray:0"


@cache
def state(machine: str = GEN9) -> Inventory:
    """What a recorded machine has, as reviewed."""
    data = (FIXTURES / machine / "expected" / "inventory.json").read_bytes()
    return msgspec.json.decode(data, type=Inventory)


def changed(before: Inventory, change: Callable[[dict[str, Any]], None]) -> Inventory:
    """The state after something was done to its document."""
    document = ordered(before)
    change(document)
    return msgspec.convert(document, Inventory)


def found(before: Inventory, after: Inventory) -> list[tuple[str, str, str, str | None]]:
    """Kind, object, id and field of every change."""
    return [(one.kind, one.object, one.id, one.field) for one in diff(before, after).changes]


def only(drift: Drift) -> Change:
    """The one change that there is."""
    [change] = drift.changes
    return change


def controller(document: dict[str, Any], name: str = CONTROLLER) -> dict[str, Any]:
    """A controller of a document."""
    return next(one for one in document["controllers"] if one["id"] == name)


def item(document: dict[str, Any], name: str) -> dict[str, Any]:
    """An object on a controller."""
    for one in document["controllers"]:
        for kind in ("batteries", "arrays", "volumes", "drives"):
            for each in one[kind]:
                if each["id"] == name:
                    found: dict[str, Any] = each
                    return found
    raise LookupError(name)
