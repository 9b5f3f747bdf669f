"""Any input gives a consistent observation."""

from __future__ import annotations

import cProfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raidctl_areca
from raidctl.request import decode
from raidctl.vendor.protocol import Document, Observation
from tests.vendors.areca.areca_outputs import (
    DISKS,
    DRIVE,
    END,
    RULE,
    SETS,
    SLOTS,
    SYS,
    VOLUME,
    VOLUMES,
    config,
    hardware,
)

HARDWARE = hardware(
    "  Battery Status   : 100%", "[Enclosure#1 : Areca x]", "  Power 01   : Failed", "HDD #1  Temp. : 30"
)
CONFIG = config("Disk Write Cache Mode : Auto", "Volume Data Read Ahead : Normal", "JBOD/RAID Configuration : RAID")
TEXTS = (SYS, SETS, VOLUMES, DISKS, SLOTS, VOLUME, DRIVE, HARDWARE, CONFIG)
WHOLE = "".join(TEXTS)


def check(found: Observation) -> None:
    """Check that ids are unique and references resolve. Every fact must belong to an existing object."""
    for controller in found.controllers:
        groups = (controller.batteries, controller.arrays, controller.volumes, controller.drives)
        ids = [item.id for group in groups for item in group]
        assert len(ids) == len(set(ids))
        known = {controller.id, *ids}
        assert {v.array for v in controller.volumes} | {d.array for d in controller.drives} <= known | {None}
        assert {name for a in controller.arrays for name in (*a.drives, *a.spares)} <= known
    existing = {c.id for c in found.controllers} | {
        item.id for c in found.controllers for g in (c.batteries, c.arrays, c.volumes, c.drives) for item in g
    }
    assert {fact.object_id for output in found.outputs for fact in output.facts} <= existing


def read(*texts: str) -> Observation:
    """The observation of some outputs."""
    return raidctl_areca.read([Document(f"text {n}", "info", text) for n, text in enumerate(texts)])


@pytest.mark.parametrize("text", TEXTS)
def test_areca_robust_a_text_may_end_anywhere(text: str) -> None:
    """Cut after every third character, each text still gives a consistent observation."""
    for cut in range(0, len(text), 3):
        check(read(text[:cut]))


@given(st.lists(st.sampled_from(WHOLE.splitlines()), max_size=60))
def test_areca_robust_lines_in_any_order(lines: list[str]) -> None:
    """Lines of several outputs, mixed at random, give a consistent observation."""
    check(read("\n".join(lines)))


@given(st.lists(st.sampled_from(TEXTS), max_size=12))
def test_areca_robust_outputs_in_any_order_and_number(texts: list[str]) -> None:
    """Outputs read twice or in another order give a consistent observation."""
    check(read(*texts))


@given(st.binary(max_size=400))
def test_areca_robust_random_bytes(data: bytes) -> None:
    """Random bytes give a consistent observation."""
    raidctl_areca.sniff("x", decode(data))
    check(read(decode(data)))


@given(st.sampled_from(TEXTS), st.integers(min_value=0), st.text(max_size=12))
def test_areca_robust_a_text_with_a_foreign_piece(text: str, place: int, piece: str) -> None:
    """Any text inserted anywhere into an output gives a consistent observation."""
    at = place % len(text)
    check(read(text[:at] + piece + text[at:]))


@settings(max_examples=40)
@given(st.sampled_from(WHOLE.splitlines()), st.integers(min_value=1, max_value=400))
def test_areca_robust_figures_with_hundreds_of_digits(line: str, digits: int) -> None:
    """A number with hundreds of digits is unread or kept as printed."""
    check(read(WHOLE.replace(line, line.replace("0", "9" * digits))))


@pytest.mark.parametrize(
    "junk",
    [
        "x" * 10_000_000,
        "  1  1  " + "A " * 2_000_000,
        "CLI> " * 200_000,
        "Label : value\n" * 20_000,
        "GuiErrMsg<0x01>: no\n" * 20_000,
        "[" * 2_000_000,
        "=" * 5_000_000,
        "Drive Information\nModel Name : x\n" * 6_000,
        "  1  1  " + "A " * 950,
        " 1  " + "1 " * 950,
        "1 " * 990 + "Raid5",
    ],
    ids=lambda junk: junk[:12].strip(),
)
def test_areca_robust_junk(junk: str) -> None:
    """Megabytes of junk are read to the end. Every line is in the output."""
    raidctl_areca.sniff("x", junk)
    found = read(junk)
    assert len(found.outputs[0].lines) == junk.count("\n") + 1


def test_areca_robust_growth_is_linear() -> None:
    """Work, counted in calls, grows about tenfold with ten times the drives."""

    def calls(count: int) -> int:
        head, _, _ = DISKS.partition("\n")
        rows = "".join(f"{n:>4} {n:>4}  ST3750330NS                     750.2GB  set {n % 9}\n" for n in range(count))
        text = f"{head}\n{RULE}{rows}{RULE}{END}"
        profile = cProfile.Profile()
        found = profile.runcall(read, text)
        assert len(found.controllers[0].drives) == count
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(2000) < 11 * calls(200)


def test_areca_robust_line_ends_make_no_difference() -> None:
    """CR LF gives the same controllers as LF."""
    assert read(WHOLE.replace("\n", "\r\n")).controllers == read(WHOLE).controllers
