"""Volumes of a replacement behind a controller are found again by an identity, or the replacement does not begin."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from raidctl.errors import CannotTell
from raidctl.operate.first_facts_behind import identities
from raidctl.survey.survey import Survey
from tests.operate.machines import OK, inventory, raid


def test_guard_X1_a_volume_without_an_identity_is_not_touched() -> None:
    """A volume needs a unique id, or a controller with a serial number, that no other one has."""
    whole = raid("raid1", OK, OK)
    named = raid("raid1", OK, OK, unique_id="600508b1001c0001")
    for controller, unknown in ((whole, True), (replace(whole, serial="C1"), False), (named, False)):
        seen = Survey(inventory(controller))
        if unknown:
            with pytest.raises(CannotTell, match=r"no unique id.*X1"):
                list(identities(seen, controller, list(controller.volumes)))
        else:
            [unique] = identities(seen, controller, list(controller.volumes))
            assert unique
    twin = replace(named.volumes[0], id="x:0/v1")
    both = replace(named, volumes=(named.volumes[0], twin))
    with pytest.raises(CannotTell, match=r"x:0/v0 and x:0/v1 have the same identity"):
        list(identities(Survey(inventory(both)), both, [twin]))
