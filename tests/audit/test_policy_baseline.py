"""The policy that ``audit --init`` writes: each state and setting that it found is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from raidctl.audit.baseline import baseline
from raidctl.model import Inventory
from tests.audit.policies import audited, recorded

_GEN9, _LEARNING, _DISKS, _SOFT = (
    "smartarray-gen9-degraded", "megaraid-9271-learning", "drives-ahci", "md-healthy",
)  # fmt: skip
_CHANGES = {
    "a drive of no array": (_GEN9, "smartarray:0/2I:1:8", {"status": "critical"}),
    "one more drive that warns": (_GEN9, "smartarray:0/1I:1:4", {"status": "warning"}),
    "a plain disk": (_DISKS, "drives:LM2204810077", {"status": "critical"}),
    "a disk's write cache": (_DISKS, "drives:LM2204810077", {"write_cache": "other"}),
    "the firmware of a drive": (_GEN9, "smartarray:0/1I:1:3", {"firmware": "HPD9"}),
    "the link of a drive": (_GEN9, "smartarray:0/1I:1:3", {"link_gbps": 3.0}),
    "the only model": (_SOFT, "md:md0/sda1", {"model": "another"}),
    "the state of the cache": (_GEN9, "smartarray:0", {"cache.status": "warning"}),
    "a cache that is gone": (_LEARNING, "megaraid:0", {"cache.present": False}),
    "data that waits": (_LEARNING, "megaraid:0", {"cache.unwritten_data": True}),
    "a battery to be replaced": (_GEN9, "smartarray:0/battery0", {"replace": True}),
    "the patrol read": (_LEARNING, "megaraid:0", {"patrol_read.mode": "disabled"}),
    "the consistency check": (_LEARNING, "megaraid:0", {"consistency_check.mode": "disabled"}),
    "lanes": (_LEARNING, "megaraid:0", {"pci_link.width": 1}),
    "a member that does not work": (_SOFT, "md:md0", {"drives_active": 1}),
    "a bitmap": (_SOFT, "md:md1", {"bitmap": "somewhere"}),
}


def _with(machine: str, name: str, change: Mapping[str, Any]) -> Inventory:
    """The recorded machine after one field of an object has got another value."""
    document = msgspec.to_builtins(recorded(machine))
    things = [each for card in document["controllers"]
              for each in (card, *card["batteries"], *card["arrays"], *card["volumes"], *card["drives"])]  # fmt: skip
    thing = next(one for one in things if one["id"] == name)
    for path, new in change.items():
        *way, last = path.split(".")
        for step in way:
            thing = thing[step]
        other = {"enabled": "disabled", "disabled": "enabled"}.get(thing[last]) if new == "other" else new
        assert thing[last] not in (None, other)
        thing[last] = other
    return msgspec.convert(document, Inventory)


@pytest.mark.parametrize(("machine", "name", "change"), _CHANGES.values(), ids=_CHANGES)
def test_a_single_change_of_a_state_or_a_setting_fails(machine: str, name: str, change: Mapping[str, Any]) -> None:
    """On the machine that the baseline was written from."""
    text = baseline(recorded(machine))
    assert "fail" not in {one.outcome for one in audited(text, recorded(machine)).findings}
    assert "fail" in {one.outcome for one in audited(text, _with(machine, name, change)).findings}


def test_what_is_not_as_one_would_wish_is_marked() -> None:
    """A baseline is to be read before it is believed: a battery that learns, a drive that warns."""
    assert any("learning" in line and "# now" in line for line in baseline(recorded(_LEARNING)).splitlines())
    assert any("6 of 8" in line and "# now" in line for line in baseline(recorded(_GEN9)).splitlines())
