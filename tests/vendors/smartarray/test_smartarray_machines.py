"""The recorded machines of this family, read without the kernel's side of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidctl.host import HostView
from raidctl.model import Controller
from raidctl.request import RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_smartarray import observe
from tests.vendors.smartarray.smartarray_texts import Script

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
MACHINES = sorted(path.name for path in FIXTURES.glob("smartarray-*"))


def observed(machine: str) -> Observation:
    """What the family makes of a machine's tools."""
    folder = FIXTURES / machine
    answers = json.loads((folder / "record.json").read_text(encoding="utf-8"))["answers"]
    return converse(
        observe(HostView(root=True)),
        Script(
            tools={item["which"]: item["path"] for item in answers if "which" in item},
            answers={
                " ".join(item["run"]): RunAnswer(code=item["code"], out=(folder / item["out"]).read_bytes())
                for item in answers
                if "run" in item and item["run"][1:2] == ["ctrl"]
            },
        ),
    )


def only(machine: str) -> Controller:
    """The only card of a machine."""
    (found,) = observed(machine).controllers
    return found


@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_of_a_machine_is_understood(machine: str) -> None:
    """And every fact stands at an object that is shown."""
    found = observed(machine)
    assert [line.text for sheet in found.outputs for line in sheet.unparsed()] == []
    assert {problem.kind for problem in found.problems} <= {"state", "note"}
    objects = {
        item.id
        for card in found.controllers
        for group in ((card,), card.batteries, card.arrays, card.volumes, card.drives)
        for item in group
    }
    assert {fact.object_id for sheet in found.outputs for fact in sheet.facts} == objects


def test_the_p400_is_protected_by_two_batteries() -> None:
    """512 MiB split 25 to 75 without a figure for the available memory."""
    found = only("smartarray-p400")
    assert found.cache is not None
    assert (found.cache.size_bytes, found.cache.write_bytes) == (512 * 1024**2, 384 * 1024**2)
    assert [battery.status for battery in found.batteries] == ["ok", "ok"]
    (volume,) = found.volumes
    assert (volume.raid_level, volume.strip_bytes, volume.device) == ("raid5", 65536, "/dev/cciss/c0d0")
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.controller_cache) == ("protected_write_back", "protected")


def test_the_p440ar_rebuilds_and_has_a_drive_about_to_fail() -> None:
    """Volume, drives and spare tell it."""
    found = only("smartarray-gen9-degraded")
    assert [(volume.raid_level, volume.status) for volume in found.volumes] == [
        ("raid1", "ok"),
        ("raid6", "rebuilding"),
    ]
    assert found.volumes[1].progress is not None
    assert found.volumes[1].progress.percent == 37.25
    assert {drive.bay: drive.status for drive in found.drives if drive.status != "ok"} == {
        "2": "warning",
        "6": "warning",
    }
    assert found.arrays[1].spares == ("smartarray:0/2I:1:7",)
    assert found.batteries[0].kind == "capacitor"


def test_the_p408i_has_lost_its_cache() -> None:
    """A failed battery turns write-back off; the other volume goes past the cache by design."""
    found = only("smartarray-gen10-failed-battery")
    assert found.cache is not None
    assert (found.mode, found.cache.status, found.cache.size_bytes) == ("mixed", "critical", 2 * 1024**3)
    assert (found.batteries[0].status, found.batteries[0].replace) == ("failed", True)
    caches = [volume.cache for volume in found.volumes]
    assert [(cache.write_policy, cache.write_active) for cache in caches if cache is not None] == [
        ("write_through", "write_through"),
        ("protected_write_back", "write_through"),
    ]
    assert {cache.drive_write_cache for cache in caches if cache is not None} == {"disabled"}


def test_two_tools_see_a_card_each() -> None:
    """One in HBA mode, one without volumes."""
    found = {card.id: card for card in observed("smartarray-two-tools").controllers}
    assert set(found) == {"smartarray:0", "smartarray:3"}
    assert (found["smartarray:0"].mode, found["smartarray:3"].volumes) == ("hba", ())
    assert {drive.role for drive in found["smartarray:0"].drives} == {"passthrough"}
    assert {drive.role for drive in found["smartarray:3"].drives} == {"unassigned"}
