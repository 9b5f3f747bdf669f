"""The members of an array beside a drive with a failed SMART attribute."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from raidctl.operate.removal import check
from raidctl.recording.recording import load
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.operate.removal_machines import AROUND, NOW
from tests.support.machines import FIXTURES


@pytest.mark.parametrize(
    ("machine", "file", "good", "bad"),
    [
        ("areca-arc1210", "cli64-disk-info-drv-1.out", "200(140)", "20(140)"),
        ("marvell-boss-rebuilding", "mvcli-smart-0.out", "100     100     10 ", "5       5       10 "),
    ],
)
def test_the_neighbour_of_a_drive_with_a_failed_attribute_may_not_be_pulled(
    machine: str, file: str, good: str, bad: str, tmp_path: Path
) -> None:
    """The drive is a warning, whatever the list of drives prints, and the other members of its array stay."""
    copy = shutil.copytree(FIXTURES / machine, tmp_path / "machine")
    printed = (copy / file).read_text()
    assert good in printed
    (copy / file).write_text(printed.replace(good, bad))
    seen = survey(ReplayRunner(load(copy)), vendors()[0], source="test")
    failing, other = seen.inventory.controllers[0].drives[:2]
    assert failing.status == "warning"
    assert check(seen.inventory, seen.view, other.id, NOW, AROUND).verdict == "no"
