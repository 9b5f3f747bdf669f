"""Reading of any input without an exception, in time linear in length."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Document
from raidctl_drives import read, sniff

KINDS = ("hdparm", "sdparm", "nvme")


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
