"""Claims about what a BMC and the machine's own tool report differently."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.model import SecondView
from tests.support.command_line import command_line
from tests.support.machines import FIXTURES
from tests.verify.checked_machines import checked_machine, judged, raid_controller

_VIEWS: dict[str, dict[str, Any]] = {
    "volume": {"object_id": "acme:0/v0", "kind": "volume", "status": "failed"},
    "drive": {"object_id": "acme:0/3", "kind": "drive", "status": "critical"},
    "battery": {"object_id": "acme:0/battery0", "kind": "battery", "status": "failed"},
    "cache": {"object_id": "acme:0", "kind": "cache", "status": "critical"},
    "another battery": {"object_id": "acme:0", "kind": "battery", "status": "failed", "listed": None},
    "another drive": {"object_id": "acme:0", "kind": "drive", "status": "critical", "listed": None},
    "active": {"object_id": "acme:0/v0", "kind": "volume", "status": "ok", "write_active": "write_through"},
    "configured": {"object_id": "acme:0/v0", "kind": "volume", "status": "ok", "write_policy": "write_through"},
}
"""The reports of a BMC about a machine whose own tool reports everything as ok. Another machine's objects are not
found."""
_BACKING = {"battery", "another battery", "cache"}


@pytest.mark.parametrize(
    ("names", "health", "claim", "verdict"),
    [
        ("*LogicalDrives-1.json", "OK", ("--volume-status", "ok"), "PASS"),
        ("*LogicalDrives-1.json", "Critical", ("--volume-status", "ok"), "SUSPECT"),
        ("*LogicalDrives-1.json", "Critical", ("--drives", "2"), "SUSPECT"),
        ("*LogicalDrives-1.json", "Critical", ("--raid-level", "raid1"), "PASS"),
        ("*DiskDrives-0.json", "Critical", ("--drives", "2"), "SUSPECT"),
        ("*DiskDrives-0.json", "Critical", ("--volume-status", "ok"), "PASS"),
        ("*LogicalDrives-2.json", "Critical", ("--volume-status", "ok"), "PASS"),
    ],
)
def test_a_claim_that_the_bmc_contradicts_is_suspect(
    names: str, health: str, claim: tuple[str, str], verdict: str, tmp_path: Path
) -> None:
    """A claim about the state of a volume or its drives does not pass while the BMC reports it as bad."""
    machine = shutil.copytree(FIXTURES / "redfish-beside-hpssacli", tmp_path / "machine")
    [path] = machine.glob(names)
    path.write_text(path.read_text().replace('"Health": "OK"', f'"Health": "{health}"'))
    done = command_line("--replay", machine)("verify", *claim, "smartarray:0/v1")
    assert f"  {verdict}" in done.output
    assert done.exit_code == (verdict != "PASS")


@pytest.mark.parametrize(
    ("claim", "level", "views"),
    [
        ({"volume_status": "ok"}, "raid6", {"volume"}),
        ({"drives": 6}, "raid6", {"volume", "drive", "another drive"}),
        ({"survives": 2}, "raid6", {"volume", "drive", "another drive"}),
        ({"battery": True}, "raid6", _BACKING),
        ({"write_cache": "protected"}, "raid6", {*_BACKING, "active", "configured"}),
        ({"power_safe": True}, "raid6", {*_BACKING, "active", "configured"}),
        ({"policy_active": True}, "raid6", {"active", "configured"}),
        ({"no_write_hole": True}, "raid6", {*_BACKING, "active", "configured"}),
        ({"no_write_hole": True}, "raid10", set()),
        ({"raid_level": "raid6"}, "raid6", set()),
    ],
)
def test_a_claim_passes_by_nothing_that_the_bmc_contradicts(
    claim: dict[str, object], level: str, views: set[str]
) -> None:
    """A claim is suspect if the BMC contradicts what it passes by, and passes if it contradicts anything else."""
    controller = raid_controller(level=level, size=8 * 10**12 if level == "raid6" else 6 * 10**12, drives_expected=6)
    volume = msgspec.structs.replace(controller.volumes[0], failures_tolerated=2, drives_active=6)
    known = checked_machine(msgspec.structs.replace(controller, volumes=(volume,)))
    suspect = set()
    for name, view in _VIEWS.items():
        inventory = msgspec.structs.replace(known.inventory, second_views=(SecondView(seen_as="redfish:1", **view),))
        seen = dataclasses.replace(known, seen=msgspec.structs.replace(known.seen, inventory=inventory))
        verdict = judged(seen, **claim).verdict
        assert verdict in ("pass", "suspect"), (name, verdict)
        suspect |= {name} if verdict == "suspect" else set()
    assert (judged(known, **claim).verdict, suspect) == ("pass", views)
