"""The recorded machines of this family, read without the kernel's facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidctl.host import HostView
from raidctl.model import Controller
from raidctl.request import RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_smartarray import observe
from tests.support.scripted_tools import Script

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
MACHINES = sorted(path.name for path in FIXTURES.glob("smartarray-*"))


def observed(machine: str) -> Observation:
    """The observation of a machine's tools."""
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
    """The only controller of a machine."""
    (found,) = observed(machine).controllers
    return found


@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_of_a_machine_is_understood(machine: str) -> None:
    """No line is left unread. Every fact belongs to an object that is shown."""
    found = observed(machine)
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    assert {problem.kind for problem in found.problems} <= {"state", "note"}
    objects = {
        item.id
        for controller in found.controllers
        for group in ((controller,), controller.batteries, controller.arrays, controller.volumes, controller.drives)
        for item in group
    }
    assert {fact.object_id for output in found.outputs for fact in output.facts} == objects


def test_the_p400_is_protected_by_two_batteries() -> None:
    """512 MiB are split 25 to 75 without a reported available memory."""
    found = only("smartarray-p400")
    assert found.cache is not None
    assert (found.cache.size_bytes, found.cache.write_bytes) == (512 * 1024**2, 384 * 1024**2)
    assert [battery.status for battery in found.batteries] == ["ok", "ok"]
    (volume,) = found.volumes
    assert (volume.raid_level, volume.strip_bytes, volume.device) == ("raid5", 65536, "/dev/cciss/c0d0")
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.controller_cache) == ("protected_write_back", "protected")


def test_the_p440ar_rebuilds_and_has_a_drive_about_to_fail() -> None:
    """The rebuild is at 37.25%, and two drives have a warning."""
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
    """A failed battery disables write-back. The other volume does not use the cache."""
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


def test_two_tools_report_a_controller_each() -> None:
    """One controller is in HBA mode, the other has no volumes."""
    found = {controller.id: controller for controller in observed("smartarray-two-tools").controllers}
    assert set(found) == {"smartarray:0", "smartarray:3"}
    assert (found["smartarray:0"].mode, found["smartarray:3"].volumes) == ("hba", ())
    assert {drive.role for drive in found["smartarray:0"].drives} == {"passthrough"}
    assert {drive.role for drive in found["smartarray:3"].drives} == {"unassigned"}
