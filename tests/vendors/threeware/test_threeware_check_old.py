from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.model import VolumeStatus
from raidctl_threeware import sniff
from tests.support.judged import wrong
from tests.vendors.threeware.threeware_texts import card, left, told

LIST = "\nList of controllers\n-------------------\nController 1: 7506-4 (4)\nController 2: 8506-8 (8)\n"
CARD = """Controller: c1
-------------
Driver:   1.02.00.036
Model:    7506-4
FW:       FE7X 1.05.00.063
BIOS:     BE7X 1.08.00.048
Monitor:  ME7X 1.01.00.040
Serial #: F16605A3280155
PCB:      Rev3
PCHIP:    1.30-33
ACHIP:    3.20

# of units: 2
\tUnit 0: RAID 5 465.76 GB ( 976770560 blocks): OK
\tUnit 3: JBOD 232.88 GB ( 488397168 blocks): OK

# of ports: 4
\tPort 0: WDC WD2500JB-00GVA0 WD-WCAL74410277 232.88 GB (488397168 blocks): OK(unit 0)
\tPort 1: Maxtor 7Y250P0 Y63L0QRE 232.88 GB (488397168 blocks): OK(unit 0)
\tPort 2: WDC WD2500JB-00GVA0 WD-WCAL74410391 232.88 GB (488397168 blocks): OK (NO UNIT)
\tPort 3: DRIVE NOT PRESENT
"""


def test_the_list_of_the_oldest_releases_tells_the_cards() -> None:
    """Number, model and ports."""
    found = told(LIST)
    assert [(c.id, c.model, c.details["Ports"]) for c in found.controllers] == [
        ("threeware:1", "7506-4", "4"),
        ("threeware:2", "8506-8", "8"),
    ]
    assert left(found) == []


def test_their_card_tells_what_it_is() -> None:
    """Every line is used."""
    found = card(CARD)
    assert (found.id, found.model, found.serial) == ("threeware:1", "7506-4", "F16605A3280155")
    assert (found.firmware, found.driver) == ("FE7X 1.05.00.063", "3w-xxxx")
    assert left(told(CARD)) == []


def test_their_units_and_drives_are_read_with_exact_sizes() -> None:
    """A block has 512 bytes; the serial number is the last word before the size."""
    found = card(CARD)
    assert [(v.id, v.raid_level, v.size_bytes, v.status) for v in found.volumes] == [
        ("threeware:1/v0", "raid5", 976770560 * 512, "ok"),
        ("threeware:1/v3", "jbod", 488397168 * 512, "ok"),
    ]
    assert [(d.id, d.model, d.serial, d.role, d.array) for d in found.drives] == [
        ("threeware:1/p0", "WDC WD2500JB-00GVA0", "WD-WCAL74410277", "member", "threeware:1/u0"),
        ("threeware:1/p1", "Maxtor 7Y250P0", "Y63L0QRE", "member", "threeware:1/u0"),
        ("threeware:1/p2", "WDC WD2500JB-00GVA0", "WD-WCAL74410391", "unassigned", None),
    ]
    assert {d.size_bytes for d in found.drives} == {488397168 * 512}


@pytest.mark.parametrize(
    ("word", "status", "percent"),
    [
        ("DEGRADED", "degraded", None), ("REBUILDING (31%)", "rebuilding", 31.0),
        ("REBUILDING 31%", "rebuilding", 31.0),
        ("INITIALIZING (5%)", "initializing", 5.0), ("INOPERABLE", "failed", None), ("WOBBLING", "unknown", None),
    ],
)  # fmt: skip
def test_their_states_are_those_of_the_tables(word: str, status: VolumeStatus, percent: float | None) -> None:
    """With a percentage behind them."""
    found = told(CARD.replace("976770560 blocks): OK", f"976770560 blocks): {word}"))
    volume = found.controllers[0].volumes[0]
    assert (volume.status, volume.progress.percent if volume.progress else None) == (status, percent)
    assert {problem.kind for problem in found.problems} == ({"unread"} if status == "unknown" else set())
    assert (volume.id in wrong(found)) == (status not in ("unknown", "initializing", "ok"))


def test_a_drive_that_failed_is_a_problem() -> None:
    """It keeps its unit."""
    found = told(CARD.replace("OK(unit 0)", "DEGRADED(unit 0)", 1))
    drive = found.controllers[0].drives[0]
    assert (drive.status, drive.role) == ("critical", "member")
    assert drive.id in wrong(found)


def test_these_lists_are_recognised() -> None:
    """Surely, and text that only speaks of controllers is not."""
    for text in (LIST, CARD):
        claim = sniff("x.txt", text)
        assert claim is not None
        assert claim.confidence >= 80
    assert sniff("x.txt", "Model: 7\nController Status: OK\nPort 3: up\n") is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*CARD.splitlines(), *LIST.splitlines()]), max_size=40), st.integers(0, 90))
def test_any_mixture_of_their_lines_is_read(lines: list[str], cut: int) -> None:
    """Half lines, wrong orders and repetitions make no crash, and no drive is told twice."""
    found = told("\n".join(lines)[: 40 * cut])
    for controller in found.controllers:
        names = [drive.id for drive in controller.drives]
        assert len(names) == len(set(names))
