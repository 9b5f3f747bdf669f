"""Any input gives a consistent observation."""

from __future__ import annotations

import cProfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raidctl_threeware
from raidctl.request import decode
from raidctl.vendor.protocol import Document, Observation
from tests.vendors.threeware.threeware_outputs import (
    ALL,
    BATTERY,
    CONTROLLERS,
    DRIVE,
    ENCLOSURE,
    MORE,
    OLD_PORTS,
    PORTS,
    UNIT,
    UNIT_HEAD,
    UNITS,
)  # fmt: skip

TEXTS = (CONTROLLERS, ALL, UNITS, PORTS, OLD_PORTS, BATTERY, UNIT, DRIVE, ENCLOSURE, MORE)
WHOLE = "".join(TEXTS)


def check(found: Observation) -> None:
    """Check that ids are unique and references resolve. Every fact belongs to an existing object."""
    existing = set()
    for controller in found.controllers:
        groups = (controller.batteries, controller.arrays, controller.volumes, controller.drives)
        ids = [controller.id, *(item.id for group in groups for item in group)]
        assert len(ids) == len(set(ids))
        assert {v.array for v in controller.volumes} | {d.array for d in controller.drives} <= {*ids, None}
        assert {name for a in controller.arrays for name in (*a.drives, *a.spares)} <= set(ids)
        existing |= set(ids)
    assert {fact.object_id for output in found.outputs for fact in output.facts} <= existing


def read(*texts: str) -> Observation:
    """The observation of some outputs."""
    return raidctl_threeware.read([Document(f"text {n}", "show", text) for n, text in enumerate(texts)])


@pytest.mark.parametrize("text", TEXTS)
def test_threeware_robust_a_text_may_end_anywhere(text: str) -> None:
    """Cut after every seventh character, each output gives a consistent observation."""
    for cut in range(0, len(text), 7):
        check(read(text[:cut]))


@given(st.lists(st.sampled_from(WHOLE.splitlines()), max_size=60))
def test_threeware_robust_lines_in_any_order(lines: list[str]) -> None:
    """Lines of several outputs, mixed at random, give a consistent observation."""
    check(read("\n".join(lines)))


@given(st.lists(st.sampled_from(TEXTS), max_size=12))
def test_threeware_robust_outputs_in_any_order_and_number(texts: list[str]) -> None:
    """Outputs read twice or in another order give a consistent observation."""
    check(read(*texts))


@given(st.binary(max_size=400))
def test_threeware_robust_random_bytes(data: bytes) -> None:
    """Random bytes give a consistent observation."""
    raidctl_threeware.sniff("x", decode(data))
    check(read(decode(data)))


@given(st.sampled_from(TEXTS), st.integers(min_value=0), st.text(max_size=12))
def test_threeware_robust_a_text_with_a_foreign_piece(text: str, place: int, piece: str) -> None:
    """Any text inserted anywhere into an output gives a consistent observation."""
    at = place % len(text)
    check(read(text[:at] + piece + text[at:]))


def test_threeware_robust_a_table_without_its_first_title() -> None:
    """Rows below an unknown heading are left unread."""
    found = read(UNIT_HEAD.replace("Unit  ", "Unit- ", 1) + "u0    RAID-5    OK  -  -  64K  465.641   RiW    OFF\n")
    assert not found.controllers or not found.controllers[0].volumes
    assert any("RAID-5" in line.text for line in found.outputs[0].unparsed())


@settings(max_examples=40)
@given(st.sampled_from(WHOLE.splitlines()), st.integers(min_value=1, max_value=400))
def test_threeware_robust_figures_with_hundreds_of_digits(line: str, digits: int) -> None:
    """Numbers with hundreds of digits are left unread or kept as printed."""
    check(read(WHOLE.replace(line, line.replace("2", "9" * digits))))


@pytest.mark.parametrize(
    "junk",
    [
        "x" * 10_000_000,
        "//localhost> " * 1_000_000,
        "/c0 Label = value\n" * 10_000,
        "Error: (CLI:003) no\n" * 10_000,
        "-" * 5_000_000,
        UNIT_HEAD + "u0 RAID-5 " + "OK " * 600,
        "/c0/u0 " + "= " * 900,
        "/c0" + "/e0" * 600,
        "--" + "A" * 1900 + " " * 50,
        "Unit UnitType " * 140,
        "$ " * 990,
    ],
    ids=lambda junk: junk[:12].strip(),
)
def test_threeware_robust_junk(junk: str) -> None:
    """Megabytes of junk are read to the end. Every line is in the output."""
    raidctl_threeware.sniff("x", junk)
    found = read(junk)
    check(found)
    assert len(found.outputs[0].lines) == junk.count("\n") + 1


def test_threeware_robust_growth_is_linear() -> None:
    """Ten times the drives take about ten times the work. The work is counted in calls."""

    def calls(count: int) -> int:
        head = PORTS.split("p0 ", 1)[0]
        rows = "".join(f"p{n}  OK  u{n // 8}  232.88 GB SATA  0  -  ST3250310NS\n" for n in range(count))
        units = "".join(f"u{n}  RAID-5  OK  -  -  64K  465.641  RiW  OFF\n" for n in range(count // 8 + 1))
        profile = cProfile.Profile()
        found = profile.runcall(read, UNIT_HEAD + units + head + rows)
        assert len(found.controllers[0].drives) == count
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(2000) < 11 * calls(200)


def test_threeware_robust_line_ends_make_no_difference() -> None:
    """CR LF gives the same controllers as LF."""
    assert read(WHOLE.replace("\n", "\r\n")).controllers == read(WHOLE).controllers
