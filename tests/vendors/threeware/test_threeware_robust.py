"""Large and odd outputs. ``tests/test_any_input.py`` has what holds of any input of any family."""

from __future__ import annotations

import raidctl_threeware
from raidctl.vendor.protocol import Document, Observation
from tests.support.work import work
from tests.vendors.threeware.threeware_outputs import PORTS, UNIT_HEAD


def read(*texts: str) -> Observation:
    """The observation of some outputs."""
    return raidctl_threeware.read([Document(f"text {n}", "show", text) for n, text in enumerate(texts)])


def test_threeware_robust_a_table_without_its_first_title() -> None:
    """Rows below an unknown heading are left unread."""
    found = read(UNIT_HEAD.replace("Unit  ", "Unit- ", 1) + "u0    RAID-5    OK  -  -  64K  465.641   RiW    OFF\n")
    assert not found.controllers or not found.controllers[0].volumes
    assert any("RAID-5" in line.text for line in found.outputs[0].unparsed())


def test_threeware_robust_growth_is_linear() -> None:
    """Ten times the drives take about ten times the work. The work is counted in calls."""

    def calls_for(count: int) -> int:
        head = PORTS.split("p0 ", 1)[0]
        rows = "".join(f"p{n}  OK  u{n // 8}  232.88 GB SATA  0  -  ST3250310NS\n" for n in range(count))
        units = "".join(f"u{n}  RAID-5  OK  -  -  64K  465.641  RiW  OFF\n" for n in range(count // 8 + 1))
        found, calls = work(lambda: read(UNIT_HEAD + units + head + rows))
        assert len(found.controllers[0].drives) == count
        return calls

    assert calls_for(2000) < 11 * calls_for(200)
