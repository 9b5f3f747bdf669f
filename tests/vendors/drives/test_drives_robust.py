"""Reading of any input without an exception, in time linear in length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.vendor.protocol import Document
from raidctl_drives import read, sniff
from tests.support.machines import FIXTURES

TEXTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(FIXTURES.glob("drives-*/*.out"))
    if not path.name.startswith("smartctl")
}
KINDS = ("hdparm", "sdparm", "nvme")


def check(text: str, kind: str) -> None:
    """Read a tool's output. Check that every fact belongs to an object that is shown."""
    found = read([Document("x", kind, text)])
    shown = {drive.id for controller in found.controllers for drive in controller.drives}
    shown |= {volume.id for controller in found.controllers for volume in controller.volumes}
    assert {fact.object_id for output in found.outputs for fact in output.facts} <= shown
    assert found.controllers or found.problems
    sniff("x", text)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_an_output_cut_anywhere_is_read(name: str) -> None:
    """Cut at every line, and in the middle of every line."""
    text = TEXTS[name]
    kind = name.split("-", maxsplit=1)[0]
    for number, line in enumerate(text.splitlines(keepends=True)):
        head = "".join(text.splitlines(keepends=True)[:number])
        check(head, kind)
        check(head + line[: len(line) // 2], kind)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.binary(max_size=400))
def test_random_bytes_are_read(kind: str, data: bytes) -> None:
    """Binary rubbish gives no exception."""
    check(data.decode("utf-8", errors="replace"), kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150)
@given(data=st.data())
def test_shuffled_lines_are_read(kind: str, data: st.DataObject) -> None:
    """Lines of all tools in any order give no exception. Some have strange values."""
    lines = sorted({line for text in TEXTS.values() for line in text.splitlines()})
    chosen = data.draw(st.lists(st.sampled_from(lines) | st.text(max_size=30), max_size=30))
    check("\n".join(chosen), kind)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_line_ends_make_no_difference(name: str) -> None:
    """CR LF gives the same drives as LF."""
    kind = name.split("-", maxsplit=1)[0]
    windows = read([Document("x", kind, TEXTS[name].replace("\n", "\r\n"))])
    assert windows.controllers == read([Document("x", kind, TEXTS[name])]).controllers


def test_escape_sequences_do_not_come_through() -> None:
    """Escape sequences in a model are removed or replaced."""
    text = "/dev/sda:\n\nATA device, with non-removable media\n\tModel Number:       \x1b[31mRED\x1b[0m [red]\x07\n"
    (drive,) = read([Document("x", "hdparm", text)]).controllers[0].drives
    assert drive.model == "RED [red]\N{REPLACEMENT CHARACTER}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("hdparm", "ATA device, with non-removable media\n"),
        ("hdparm", " HDIO_SET_DMA failed: {}\n"),
        ("nvme", "get-feature:0x06 (Volatile Write Cache), Current value:1\n"),
        ("nvme", "nvme-subsys0 - NQN=x\n"),
        ("sdparm", "    /dev/sda: TAIGA     TG1800-SAS15      TA07\n"),
    ],
)
def test_an_endless_output_is_read_to_its_end(kind: str, line: str) -> None:
    """Thousands of repeated lines are all read."""
    found = read([Document("x", kind, "".join(line.format(number) for number in range(4_000)))])
    assert sum(len(output.lines) for output in found.outputs) >= 4_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["a" * 3_000_000, "a" + " " * 3_000_000 + "b", "{" * 200_000, "\t\n" * 50_000, "x = 1: 2\n" * 20_000]
)
def test_junk_is_not_claimed(kind: str, text: str) -> None:
    """Megabytes of junk give no serial number and are not claimed."""
    found = read([Document("x", kind, text)])
    assert not [drive for controller in found.controllers for drive in controller.drives if drive.serial]
    assert sniff("x", text) is None
