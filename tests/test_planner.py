"""Plans of all families on all recorded machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from raidctl.model import Controller, Tool
from raidctl.vendor.changes import Changes, changes_of
from raidctl.vendor.plan import Desired, Plan
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, replayed

VALUES = {
    "write_policy": ("write_through", "protected_write_back", "unprotected_write_back"),
    "cache_split": ("25/75", "0/100"),
    "drive_write_cache": ("enabled", "disabled"),
}


def changeable() -> Iterator[tuple[Changes, Controller, tuple[Tool, ...]]]:
    """The controllers of recorded machines that can be changed. Each comes with its family and the installed tools."""
    families = {vendor.FAMILY: changes_of(vendor) for vendor in vendors()[0]}
    for machine in MACHINES:
        inventory = replayed(machine).inventory
        for controller in inventory.controllers:
            changes = families.get(controller.id.partition(":")[0])
            if changes is not None:
                yield changes, controller, inventory.tools


def plans() -> Iterator[tuple[str, Plan]]:
    """Plans for each two values of a setting, in both orders. Only the first two volumes are used."""
    for changes, controller, tools in changeable():
        objects = [volume.id for volume in controller.volumes[:2]]
        for one, other in product(objects, repeat=2):
            for setting, values in VALUES.items():
                for first, second in product(values, repeat=2):
                    requests = [
                        Desired(object_id=one, setting=setting, value=first),  # type: ignore[arg-type]
                        Desired(object_id=other, setting=setting, value=second),  # type: ignore[arg-type]
                    ]
                    yield f"{controller.id}: {requests}", changes.plan(controller, requests, tools)


def test_a_plan_sets_a_setting_once_and_accounts_for_every_request() -> None:
    """Two values for one setting are refused.

    Setting one after the other, or dropping one silently, would be wrong.
    """
    seen = Counter[str]()
    for what, plan in plans():
        settings = Counter((step.object_id, step.setting) for step in plan.steps)
        assert not settings or max(settings.values()) == 1, what
        assert plan.steps or plan.already or plan.refusals, what
        seen["refused" if plan.refusals else "planned"] += 1
    assert min(seen["refused"], seen["planned"]) > 100
