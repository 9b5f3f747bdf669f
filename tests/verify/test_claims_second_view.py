"""Claims about what a BMC and the machine's own tool report differently."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command_line import command_line
from tests.support.machines import FIXTURES


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
