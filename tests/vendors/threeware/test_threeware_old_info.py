"""``info cN`` of releases for controllers of the series 6000 to 8000, which print no tables."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Confidence
from raidctl_threeware import sniff
from tests.support.scripted_tools import unparsed
from tests.vendors.threeware.threeware_outputs import controller, observed

OLD_INFO = """
Controller: c2
-------------
   Driver:   1.02.00.037
   Model:    8506-4LP
   FW:       FE8S 1.05.00.099
   BIOS:     BE7X 1.08.00.099
   Monitor:  ME7X 1.01.00.099
   Serial #: F11605A0000099
   PCB:      Rev5
   PCHIP:    1.30-66
   ACHIP:    3.20

# of units: 2
   Unit 0: RAID 1 149.05 GB ( 312579760 blocks): REBUILDING (35%)
   Unit 2: JBOD 149.05 GB ( 312579760 blocks): OK

# of ports: 4
   Port 0: WDC WD1600JD-00HBB0 WD-WMAES0000001 149.05 GB (312581808 blocks): OK(unit 0)
   Port 1: WDC WD1600JD-00HBB0 WD-WMAES0000002 149.05 GB (312581808 blocks): DEGRADED(unit 0)
   Port 2: WDC WD1600JD-00HBB0 WD-WMAES0000003 149.05 GB (312581808 blocks): OK(unit 2)
   Port 3: DRIVE NOT PRESENT

"""


def test_the_controller_of_an_old_release() -> None:
    """Number, model, serial, firmware and driver are read, and no line is left."""
    found = controller(OLD_INFO)
    assert (found.id, found.model, found.serial, found.firmware, found.driver) == (
        "threeware:2",
        "8506-4LP",
        "F11605A0000099",
        "FE8S 1.05.00.099",
        "3w-xxxx",
    )
    assert unparsed(observed(OLD_INFO)) == []


def test_the_units_and_drives_of_an_old_release() -> None:
    """Units and drives have what the tables of later releases print; the blocks are exact."""
    found = controller(OLD_INFO)
    assert [(one.id, one.raid_level, one.status, one.size_bytes) for one in found.volumes] == [
        ("threeware:2/v0", "raid1", "rebuilding", 312579760 * 512),
        ("threeware:2/v2", "jbod", "ok", 312579760 * 512),
    ]
    assert found.volumes[0].progress is not None
    assert (found.volumes[0].progress.operation, found.volumes[0].progress.percent) == ("rebuild", 35.0)
    assert [(one.id, one.model, one.serial, one.status, one.array) for one in found.drives] == [
        ("threeware:2/p0", "WDC WD1600JD-00HBB0", "WD-WMAES0000001", "ok", "threeware:2/u0"),
        ("threeware:2/p1", "WDC WD1600JD-00HBB0", "WD-WMAES0000002", "warning", "threeware:2/u0"),
        ("threeware:2/p2", "WDC WD1600JD-00HBB0", "WD-WMAES0000003", "ok", "threeware:2/u2"),
    ]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("   Port 3: DRIVE NOT PRESENT\n", "ports"),
        ("   Unit 2: JBOD 149.05 GB ( 312579760 blocks): OK\n", "units"),
    ],
)
def test_a_missing_row_of_an_old_release_is_a_cut(row: str, what: str) -> None:
    """The output counts its units and ports, so a missing row shows that it was cut off."""
    (output,) = observed(OLD_INFO.replace(row, "")).outputs
    assert output.cut_off == f"its list of {what} is not whole"
    assert not observed(OLD_INFO).outputs[0].cut_off


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (": DEGRADED(unit 0)", " DEGRADED", "Line not recognised in the list of drives: Port 1"),
        ("Unit 0: RAID 1 149.05 GB", "Unit 0: RAID 1", "Line not recognised in the list of units: Unit 0"),
    ],
)
def test_an_odd_row_of_an_old_release_is_reported(old: str, new: str, message: str) -> None:
    """A row in another form is a problem."""
    problems = observed(OLD_INFO.replace(old, new)).problems
    assert any(problem.kind == "unread" and message in problem.message for problem in problems)


def test_an_output_of_an_old_release_is_recognised() -> None:
    """Its lines are those of no other tool."""
    found = sniff("saved.txt", OLD_INFO)
    assert found is not None
    assert found.confidence == Confidence.SURE
