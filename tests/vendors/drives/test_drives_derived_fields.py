"""Fields that are derived from details.

Examples are sectors, spare blocks, warnings, error recovery and link errors.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from raidctl.model import Drive
from raidctl.vendor.protocol import Document
from raidctl_drives import read, sniff

HEAD = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"
ATA = f"{HEAD}Device Model:     HARBOR HD4000\nSerial Number:    HB1\n"


def drive(text: str, name: str = "out.txt") -> Drive:
    """The one drive of an output."""
    known = sniff(name, text)
    assert known is not None
    [controller] = read([Document(name, known.kind, text)]).controllers
    return controller.drives[0]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Sector Sizes:     512 bytes logical, 4096 bytes physical\n",
         {"sector_bytes": 512, "physical_sector_bytes": 4096}),
        ("Sector Size:      512 bytes logical/physical\n", {"sector_bytes": 512, "physical_sector_bytes": 512}),
        ("Sector Sizes:     4096 bytes logical/physical\n", {"sector_bytes": 4096}),
        ("Sector Size:      1752178720 bytes\n", {"sector_bytes": None}),
        ("SCT Error Recovery Control:\n           Read:     70 (7.0 seconds)\n          Write:     90 (9.0 seconds)\n",
         {"error_recovery_seconds": 7.0}),
        ("SCT Error Recovery Control:\n           Read: Disabled\n          Write: Disabled\n",
         {"error_recovery_seconds": 0.0}),
        ("SCT Error Recovery Control command not supported\n", {"error_recovery_seconds": 0.0}),
        ("SCT capabilities:              (0x303f) SCT Status supported.\n", {"error_recovery_seconds": None}),
    ],
)  # fmt: skip
def test_details_of_an_ata_drive_give_fields(text: str, fields: dict[str, Any]) -> None:
    """Each form that smartctl prints is read. A damaged or missing value is unknown."""
    found = drive(f"{ATA}{text}")
    assert {name: getattr(found, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("read_of", "seconds"), [({"enabled": True, "deciseconds": 70}, 7.0), ({"enabled": False}, 0.0), ({}, None)]
)
def test_json_gives_the_same_error_recovery(read_of: dict[str, Any], seconds: float | None) -> None:
    """``ata_sct_erc`` is in tenths of a second."""
    text = {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 4], "exit_status": 0},
        "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
        "model_name": "HARBOR HD4000",
        "serial_number": "HB1",
        "ata_sct_erc": {"read": read_of},
    }
    assert drive(json.dumps(text), "out.json").error_recovery_seconds == seconds


@pytest.mark.parametrize(("warning", "bits"), [("0x00", 0), ("0x09", 9), ("-", None)])
def test_an_nvme_drives_own_warning_is_kept_as_it_is(warning: str, bits: int | None) -> None:
    """Both tools give the warning bits, the spare blocks and their threshold."""
    smart = drive(
        f"{HEAD}Model Number:  NV\nSerial Number: S1\n\nSMART/Health Information (NVMe Log 0x02)\n"
        f"Critical Warning:                   {warning}\nAvailable Spare:                    97%\n"
        "Available Spare Threshold:          10%\n"
    )
    cli = drive(
        f"Smart Log for NVME device:nvme0 namespace-id:ffffffff\ncritical_warning : {warning}\ntemperature : 40 C\n"
        "available_spare : 97%\navailable_spare_threshold : 10%\npercentage_used : 3%\n"
    )
    for found in (smart, cli):
        assert found.critical_warning == bits
        assert (found.available_spare_percent, found.available_spare_threshold_percent) == (97, 10)
    assert cli.life_used_percent == 3


def test_the_link_of_a_sas_drive_counts_its_worst_phy() -> None:
    """The larger count of invalid dwords is the field. The smaller one is a detail."""
    text = (
        f"{HEAD}Vendor:               TG\nProduct:              TG1800\nSerial number:        TGK1\n"
        "Transport protocol:   SAS (SPL-3)\n\nProtocol Specific port log page for SAS SSP\n"
        "relative target port id = 1\n    Invalid DWORD count = 4\nrelative target port id = 2\n"
        "    Invalid DWORD count = 312\n"
    )
    found = drive(text)
    assert found.errors.link == 312
    assert found.details["Invalid DWORD count"] == "4"


@pytest.mark.parametrize("words", ["01", "10"])
def test_of_two_outputs_on_a_write_cache_the_one_that_is_on_counts(words: str) -> None:
    """Outputs before and after a change: the cache is on, whatever their order, and the contradiction is a problem."""
    texts = [f"\n/dev/sda:\n write-caching =  {word} ({'on' if word == '1' else 'off'})\n" for word in words]
    found = read([Document(f"{number}.txt", "hdparm", text) for number, text in enumerate(texts)])
    [drive] = [drive for controller in found.controllers for drive in controller.drives]
    assert drive.write_cache == "enabled"
    assert ["disagree on the write cache" in problem.message for problem in found.problems] == [True]
