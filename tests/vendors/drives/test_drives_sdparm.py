"""Outputs of sdparm, written after its source with invented names and numbers."""

from __future__ import annotations

from functools import partial

import pytest

from raidctl.vendor.protocol import Document
from raidctl_drives import read
from tests.vendors.drives import drive_outputs

GET = """    /dev/sdb: TAIGA     TG1800-SAS15      TA07
WCE           1  [cha: y, def:  0, sav:  1]
RCD           0  [cha: y, def:  0, sav:  0]
"""
LONG = """    /dev/sda: ATA       LUMEN S480 DC     11.2  [disk]
    Direct access device specific parameters: WP=0  DPOFUA=1
Read write error recovery [rw] mode page [PS=1]:
  AWRE          1  [cha: n, def:  1, sav:  1]  Automatic write reallocation enabled
Caching (SBC) [ca] mode page:
  WCE           0  [cha: y, def:  1, sav:  0]  Write cache enable
        0: write through; 1: write back
  RCD           0  [cha: n, def:  0, sav:  0]  Read cache disable
  DPTL          -1
"""
INQUIRY = """    /dev/sdc: TAIGA     TG1800-SAS15      TA07
Unit serial number VPD page:
      TGK00C3Z
Device identification VPD page:
  Addressed logical unit:
    designator type: NAA,  code set: Binary
      0x5000c5a0d1000c30
  Target port:
    designator type: NAA,  code set: Binary
     transport: Serial Attached SCSI Protocol (SPL-4)
      0x5000c5a0d1000c31
  Target device that contains addressed lu:
    designator type: SCSI name string,  code set: UTF-8
      SCSI name string:
      naa.5000C5A0D1000C32
Block device characteristics (SBC) VPD page:
  Medium rotation rate: 15000
  Nominal form factor: 2.5 inch
  WABEREQ=0
"""
ATA_IDENTITY = f"""    /dev/sda: ATA       LUMEN S480 DC     11.2
Device identification VPD page:
  Addressed logical unit:
    designator type: T10 vendor identification,  code set: ASCII
      vendor id: ATA    \u0020
      vendor specific: {"LUMEN S480 DC":<40}{"LM2204810077":<20}
"""


observed, only = partial(drive_outputs.observed, "sdparm"), partial(drive_outputs.only, "sdparm")


def test_the_write_cache_is_the_current_value() -> None:
    """The first number of ``--get=WCE`` counts, not the default or saved one."""
    drive = only(GET)
    assert (drive.device, drive.model, drive.firmware) == ("/dev/sdb", "TG1800-SAS15", "TA07")
    assert drive.write_cache == "enabled"
    assert only(LONG).write_cache == "disabled"


def test_the_first_copy_of_a_page_holds_the_current_values() -> None:
    """Repeated pages hold the current, changeable and default values. Only the first is active."""
    page = "Caching (SBC) mode page:\n  WCE           {}\n"
    assert only(page.format(0) + page.format(1) + page.format(1)).write_cache == "disabled"


def test_vital_product_data_identify_the_drive() -> None:
    """Serial number, WWN of the logical unit, rotation and transport are read."""
    drive = only(INQUIRY)
    assert (drive.id, drive.serial, drive.wwn) == ("drives:TGK00C3Z", "TGK00C3Z", "0x5000c5a0d1000c30")
    assert (drive.rpm, drive.media, drive.interface) == (15000, "hdd", "sas")


def test_the_identity_of_an_ata_drive_is_cut_by_columns() -> None:
    """Model and serial number are columns of one string of 60 characters."""
    drive = only(ATA_IDENTITY)
    assert (drive.model, drive.serial, drive.interface) == ("LUMEN S480 DC", "LM2204810077", None)


def test_a_malformed_page_is_reported() -> None:
    """The tool's own warning becomes a problem."""
    found = observed(GET + "Caching (SBC) mode page:\n>>> warning: mode page seems malformed, try '--flexible'\n")
    assert [problem.kind for problem in found.problems] == ["state"]


@pytest.mark.parametrize(("value", "concluded"), [("0", None), ("1", "enabled")])
def test_a_malformed_page_proves_no_write_cache_off(value: str, concluded: str | None) -> None:
    """Its values may be wrong. A cache that may be on is not safe, one that may be off is unknown."""
    title = "    /dev/sdb: LEXAR     JUMPDRIVE ELITE   2000\nCaching (SBC) mode page:\n"
    field = f"  WCE         {value}  [cha: n, def:  0, sav:  0]\n"
    warning = ">>> warning: mode page seems malformed, try '--flexible'\n"
    assert only(title + warning + field).write_cache == concluded
    assert only(title + field + warning).write_cache == concluded  # from standard error
    assert only(title + field).write_cache == ("disabled" if value == "0" else "enabled")


@pytest.mark.parametrize(
    ("message", "kind"), [("No such file or directory", "unread"), ("Operation not permitted", "no_right")]
)
def test_a_device_that_cannot_be_opened_is_a_problem(message: str, kind: str) -> None:
    """A device that cannot be opened gives no drive, but a problem."""
    found = observed(f"open error: /dev/sdq [read only]: {message}\n")
    assert found.controllers == ()
    assert [problem.kind for problem in found.problems] == [kind]


def test_squeezed_columns_are_read() -> None:
    """Lost blanks in the first line change no fact."""
    assert only(GET.replace("    /dev/sdb: TAIGA     TG", "   /dev/sdb: TAIGA   TG")).model == "TG1800-SAS15"


def test_the_rigid_disk_page_gives_the_rotation() -> None:
    """``MRR`` is the rotation rate in rpm. Values of 0 and 1 are not a rate."""
    page = "    /dev/sdb: TAIGA     TG1800-SAS15      TA07\nRigid disk (SBC) mode page:\n  MRR         {}\n"
    drive = only(page.format(10520))
    assert (drive.rpm, drive.media) == (10520, "hdd")
    assert only(page.format(1)).rpm is None


@pytest.mark.parametrize(("vendor", "interface"), [("TAIGA", "sas"), ("ATA", None)])
def test_the_port_page_gives_the_protocol(vendor: str, interface: str | None) -> None:
    """``PPID`` 6 is SAS. For a SATA drive it describes the HBA, not the drive."""
    header = f"    /dev/sdb: {vendor:<8}  TG1800-SAS15      TA07\n"
    assert only(f"{header}Protocol specific port mode page:\n  PPID          6\n").interface == interface


def test_the_capacity_gives_the_size() -> None:
    """The size of ``--command=capacity`` is blocks times their length."""
    header = "    /dev/sdb: TAIGA     TG1800-SAS15      TA07\n"
    assert (
        only(f"{header}blocks: 1172123568\nblock_length: 520\ncapacity_mib: 581272.6\n").size_bytes == 1172123568 * 520
    )


def test_the_ata_page_gives_the_whole_names() -> None:
    """``ATA information`` replaces the names of 16 letters by whole ones."""
    drive = only(
        "    /dev/sda: ATA       LUMEN S480 DC EN  11.2\nATA information VPD page:\n"
        "  SAT Vendor identification: linux   \n  SAT Product identification: libata          \n"
        "  Device signature indicates SATA transport\n  Command code: 0xec\n"
        "  ATA command IDENTIFY DEVICE response summary:\n    model: LUMEN S480 DC ENTERPRISE    \n"
        "    serial number: LMN480001       \n    firmware revision: 11.2RC08\n"
    )
    assert (drive.model, drive.serial, drive.firmware) == ("LUMEN S480 DC ENTERPRISE", "LMN480001", "11.2RC08")
    assert drive.interface == "sata"


def test_world_wide_names_are_read_in_all_forms() -> None:
    """The long form is in brackets, and NAA takes precedence over EUI-64."""
    head = "Device identification [0x83] VPD page:\n  Addressed logical unit:\n"
    eui = "    designator type: EUI-64 based,  code set: Binary\n      0x6479a7500a004417\n"
    naa = (
        "    designator type: NAA,  code set: Binary\n      NAA 5, IEEE Company_id: 0xc50\n"
        "      Vendor Specific Identifier: 0xa0d1000c3\n      [0x5000c50a0d1000c3]\n"
    )
    assert only(head + naa).wwn == "0x5000c50a0d1000c3"
    assert only(head + eui).wwn == "0x6479a7500a004417"
    assert only(head + eui + naa).wwn == "0x5000c50a0d1000c3"


def test_the_standard_inquiry_is_read() -> None:
    """``--page=sinq`` gives product and revision."""
    drive = only(
        "standard INQUIRY:\n  PQual=0  PDT=0  RMB=0  LU_CONG=0  hot_pluggable=0  version=0x06  [SPC-4]\n"
        "  Vendor_identification: TAIGA   \n  Product_identification: TG1800-SAS15    \n"
        "  Product_revision_level: TA07\n"
    )
    assert (drive.model, drive.firmware) == ("TG1800-SAS15", "TA07")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("mode sense(10) failed, device not ready", "unread"),
        (">> Caching (SBC) mode page some problem", "unread"),
        (">> Caching (SBC) mode page not found", "note"),
        ("WCE not found in Caching (SBC) mode page", "note"),
    ],
)
def test_an_unreported_cache_is_a_problem(line: str, kind: str) -> None:
    """A drive without the page differs from one that does not answer."""
    found = observed(f"    /dev/sdb: TAIGA     TG1800-SAS15      TA07\n{line}\n")
    assert [problem.kind for problem in found.problems] == [kind]
    assert found.controllers[0].drives[0].write_cache is None


@pytest.mark.parametrize(
    ("row", "model"), [("TAIGA TG1800-SAS15 TA07", "TG1800-SAS15"), ("ATA LUMEN S480 DC 11.2  [disk]", "LUMEN S480 DC")]
)
def test_a_header_whose_blanks_are_lost_is_split_where_that_is_certain(row: str, model: str) -> None:
    """Three words, or the vendor ATA, can be split without their columns."""
    [found] = (
        read([Document("sdparm /dev/sdb", "sdparm", f"/dev/sdb: {row}\nWCE 1 [cha: y, def: 0, sav: 1]\n")])
        .controllers[0]
        .drives
    )
    assert (found.device, found.model) == ("/dev/sdb", model)
