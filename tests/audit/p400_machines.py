"""A recorded Smart Array P400 with objects changed, for the tests of rules."""

from __future__ import annotations

from typing import Any

from raidctl.model import Inventory
from tests.audit.rule_examples import P400, changed
from tests.support.machines import replayed

VOLUME, BATTERY = "smartarray:1/v1", "smartarray:1/battery0"


def p400(object_id: str, **changes: Any) -> Inventory:
    """The P400 with fields of one object changed."""
    return changed(replayed(P400).inventory, object_id, changes)
