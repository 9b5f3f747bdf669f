"""A recorded machine of an LSI controller with objects changed, for the tests of rules."""

from __future__ import annotations

from typing import Any

from raidctl.audit.builtin import named
from raidctl.audit.finding import Finding
from raidctl.model import Inventory
from tests.audit.rule_examples import LSI, changed
from tests.support.machines import replayed

VOLUME, DRIVE, SPARE = "megaraid:0/v2", "megaraid:0/310:2", "megaraid:0/310:4"


def lsi(object_id: str, **changes: Any) -> Inventory:
    """The MegaRAID with fields of one object changed."""
    return changed(replayed(LSI).inventory, object_id, changes)


def found(rule: str, inventory: Inventory) -> list[Finding]:
    """The findings of a rule that did not pass."""
    known = named(rule)
    assert known is not None
    return [one for one in known.check(inventory) if one.outcome != "pass"]
