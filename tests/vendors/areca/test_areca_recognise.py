"""Outputs of cli64 are recognised by their content, and read completely."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.vendor.protocol import Confidence
from raidctl_areca import sniff
from tests.vendors.areca.areca_outputs import (  # fmt: skip
    DISKS,
    DRIVE,
    END,
    SETS,
    SLOTS,
    SYS,
    VOLUME,
    VOLUMES,
    config,
    hardware,
)

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (SYS, "cli64 sys info"),
        (SETS, "cli64 rsf info"),
        (VOLUMES, "cli64 vsf info"),
        (DISKS, "cli64 disk info"),
        (SLOTS, "cli64 disk info"),
        (VOLUME, "cli64 vsf info vol=N"),
        (DRIVE, "cli64 disk info drv=N"),
        (config("Disk Write Cache Mode : Auto", "HDD Read Ahead Cache : Enabled"), "cli64 sys showcfg"),
        (hardware("Battery Status : 100%", "CPU Fan : 3000 RPM"), "cli64 hw info"),
    ],
)
def test_outputs_are_recognised_with_and_without_their_last_line(text: str, command: str) -> None:
    """Outputs are recognised by their content alone."""
    for given in (text, text.replace(END, ""), "\n\n" + text.replace("\n", "\r\n")):
        found = sniff("output.txt", given)
        assert found is not None
        assert (found.command, found.confidence >= Confidence.LIKELY) == (command, True)


@pytest.mark.parametrize(
    "text",
    ["", "Hello\n", "The system information\nis in the other mail\n", "Serial Number : 12345\n", "=====\n-----\n"],
)
def test_other_texts_are_not_claimed(text: str) -> None:
    """Labels that any tool prints are not enough."""
    assert sniff("cli64.txt", text) is None
