"""Any input gives a consistent observation."""

from __future__ import annotations

import cProfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import raidctl_md as md
from raidctl.evidence import Output
from raidctl.request import decode
from raidctl.vendor.protocol import Document, Observation
from tests.vendors.md.md_outputs import DETAIL, EXAMINE, read, volume

MDSTAT = (
    "Personalities : [raid1] [raid6]\nmd0 : active raid1 sdb1[1](W) sda1[0]\n      52 blocks super 1.2 [2/1] [U_]\n"
    "      [=>..]  recovery = 7.5% (4/52) finish=3.0min speed=9K/sec\n      bitmap: 1/4 pages [4KB], 64KB chunk\n\n"
    "md1 : inactive sdd[1](S) sdc[0](S)\n      99 blocks super external:imsm\n\nunused devices: <none>\n"
)
TEXTS = (MDSTAT, DETAIL, EXAMINE)


def check(found: Observation) -> None:
    """Check that ids are unique and references resolve. Every fact has to belong to an existing object."""
    for controller in found.controllers:
        ids = [item.id for group in (controller.arrays, controller.volumes, controller.drives) for item in group]
        assert len(ids) == len(set(ids))
        known = {controller.id, *ids}
        assert {v.array for v in controller.volumes} | {d.array for d in controller.drives} <= known | {None}
        assert {name for a in controller.arrays for name in (*a.drives, *a.spares)} <= known
        assert {fact.object_id for output in found.outputs for fact in output.facts} <= known


@pytest.mark.parametrize("text", TEXTS)
def test_md_robust_a_text_may_end_anywhere(text: str) -> None:
    """Cut after every character, each output gives a consistent observation."""
    for cut in range(len(text)):
        check(read(text[:cut]))


@given(st.lists(st.sampled_from([line for text in TEXTS for line in text.splitlines()]), max_size=60))
def test_md_robust_lines_in_any_order(lines: list[str]) -> None:
    """Lines of several outputs, mixed at random, give a consistent observation."""
    check(read("\n".join(lines)))


@given(st.binary(max_size=400))
def test_md_robust_random_bytes(data: bytes) -> None:
    """Random bytes give a consistent observation."""
    text = decode(data)
    md.sniff("x", text)
    check(md.read([Document("x", "md", text), Document("/sys/block/md0/md", "sysfs", text)]))


@given(st.sampled_from(TEXTS), st.integers(min_value=0), st.text(max_size=12))
def test_md_robust_a_text_with_a_foreign_piece(text: str, place: int, piece: str) -> None:
    """Any text inserted anywhere into an output gives a consistent observation."""
    at = place % len(text)
    check(read(text[:at] + piece + text[at:]))


def test_md_robust_line_ends_and_escapes() -> None:
    """CR LF makes no difference. Markup and escape codes in a name are kept as text."""
    assert volume(DETAIL.replace("\n", "\r\n")) == volume(DETAIL)
    assert volume(DETAIL.replace("plum:seven", "[red]\x1b[31mplum")).name == "[red]\x1b[31mplum"


@pytest.mark.parametrize(
    "junk",
    [
        "x" * 10_000_000,
        "[U" * 3_000_000,
        "a[1](F)" * 1_000_000,
        "md0 : active " + "sda[0] " * 10_000,
        "md0 : active raid10 sda[0]\n 9 blocks 2 near-copies [9/1] [" + "U" * 5_000_000,
        "/dev/md0:\n" * 10_000,
        "MD_LEVEL=raid1\n" * 5_000,
        "          Magic : a92b4efc\n" * 5_000,
        "       0       8        1        0      " + "active " * 300_000,
        "mdadm: " * 300_000,
        "> " * 200_000,
        " " * 5_000_000,
    ],
    ids=lambda junk: junk[:12].strip() or "blanks",
)
def test_md_robust_junk(junk: str) -> None:
    """Megabytes of junk are read to the end. Every line is in the output."""
    md.sniff("x", junk)
    found = md.read([Document("x", "md", junk)])
    assert len(found.outputs[0].lines) == junk.count("\n") + 1


def test_md_robust_growth_is_linear() -> None:
    """Ten times the members take ten times the work, counted in calls."""

    def calls(count: int) -> int:
        rows = "".join(f"   {n:5}     8   {n:5}    {n:5}      active sync   /dev/sd{n}\n" for n in range(count))
        text = DETAIL + rows
        profile = cProfile.Profile()
        found = profile.runcall(md.read, [Document("x", "md", text)])
        assert len(found.controllers[0].drives) == count + 5
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(2000) < 11 * calls(200)


def test_md_robust_a_thousand_arrays() -> None:
    """A thousand arrays in one listing are read with separate ids."""
    text = "".join(f"md{n} : active raid1 sda{n}[0] sdb{n}[1]\n      99 blocks [2/2] [UU]\n\n" for n in range(1000))
    found = md.read([Document("x", "md", text)])
    assert len({volume.id for volume in found.controllers[0].volumes}) == 1000
    assert isinstance(found.outputs[0], Output)


def test_md_robust_many_descriptions_of_one_array_are_a_contradiction() -> None:
    """Too many different descriptions to compare each pair are reported, not ignored."""
    one = "/dev/md0:\n     Raid Devices : {0}\n          UUID : {0:032x}\n"
    text = "".join(map(one.format, range(150)))
    assert any("more than 100 descriptions" in problem.message for problem in read(text).problems)
