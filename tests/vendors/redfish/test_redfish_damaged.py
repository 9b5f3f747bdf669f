"""Damaged BMC data: with less information, the machine looks no better. Each key is missing or null, in turn."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.conclusions import Conclusions, conclusions, improved
from tests.support.machines import replayed
from tests.vendors.redfish.damaged_machines import ALONE, Damage, damages, resources, seen_damaged, seen_with

_OPERATION = "v0: status: 2 -> 3"
"""A running check that is no longer reported. The volume is as good without it."""


def faults(machine: str, damage: Damage) -> list[str]:
    """The errors in reading a damaged machine: exceptions and better conclusions."""
    seen = seen_damaged(machine, damage)
    better = improved(_undamaged(machine), conclusions(seen))
    return [*seen.tracebacks, *(one for one in better if "Operations" not in damage.key or one != _OPERATION)]


@cache
def _undamaged(machine: str) -> Conclusions:
    return conclusions(replayed(machine))


@pytest.mark.slow
@pytest.mark.parametrize("machine", ALONE)
def test_no_missing_key_makes_anything_better(machine: str) -> None:
    """No key gives a better conclusion, missing or null alternately."""
    tried = (damage for number, damage in enumerate(damages(machine)) if damage.null == (number // 2 % 2 == 1))
    assert {damage: found for damage in tried if (found := faults(machine, damage))} == {}


RUBBISH: tuple[Any, ...] = (-1, 10**30, 1.5, True, "", "Rubbish", [], {}, [None, 7, "x", {}], {"@odata.id": 7}, "NaN")


@pytest.mark.parametrize("machine", ALONE)
def test_a_value_of_another_type_is_no_exception(machine: str) -> None:
    """Any JSON in place of any value is read or reported. Unread parts are reported as not understood."""

    @settings(max_examples=40, deadline=None)
    @given(st.sampled_from([one for one in damages(machine) if one.null]), st.sampled_from(RUBBISH))
    def check(damage: Damage, value: Any) -> None:
        assert seen_damaged(machine, damage, value).tracebacks == ()

    check()


def test_there_is_something_to_damage() -> None:
    """Each machine has more than 50 keys to damage."""
    assert ALONE
    assert all(len(damages(machine)) > 100 and resources(machine) for machine in ALONE)


def test_a_drive_that_is_counted_and_not_linked_is_a_problem() -> None:
    """A storage that counts more drives than it links to has drives that are unknown."""
    machine = "redfish-idrac9-h740p"
    path, storage = next((path, one) for path, one in resources(machine).items() if len(one.get("Drives", ())) > 1)
    shorter = {**storage, "Drives": storage["Drives"][1:], "Drives@odata.count": len(storage["Drives"])}
    found = seen_with(machine, {path: shorter}).inventory.problems
    assert [one.kind for one in found if "no link to all drives of this storage" in one.message] == ["unread"]


@pytest.mark.parametrize("lost", [0, 1])
def test_the_members_of_a_collection_on_two_pages_are_counted_together(lost: int) -> None:
    """Only members that no page lists are missing."""
    machine, path = "redfish-xcc-930-8i", "/redfish/v1/Systems/1/Storage/RAID_Slot1/Volumes"
    collection = resources(machine)[path]
    first, rest = collection["Members"][:1], collection["Members"][1 + lost :]
    pages = {
        path: {**collection, "Members": first, "Members@odata.nextLink": f"{path}?$skip=1"},
        f"{path}?$skip=1": {**collection, "Members": rest},
    }
    found = seen_with(machine, pages).inventory.problems
    assert [one.kind for one in found if "members of this collection" in one.message] == ["unread"] * lost
