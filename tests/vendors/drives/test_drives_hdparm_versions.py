"""Less common forms of hdparm's output. The forms follow its source, with invented names and numbers."""

from __future__ import annotations

from functools import partial

import pytest

from tests.vendors.drives import drive_outputs

SENSE = "SG_IO: bad/missing sense data, sb[]:  70 00 05 00 00 00 00 0d 00 00 00 00 20 00 00 00\n"
REFUSED = f"""
/dev/sdc:
{SENSE}
ATA device, with non-removable media
Standards:
\tLikely used: 1
Configuration:
\tLogical\t\tmax\tcurrent
\tcylinders\t0\t0
\theads\t\t0\t0
\tsectors/track\t0\t0
\t--
\tLogical/Physical Sector size:           512 bytes
\tdevice size with M = 1024*1024:           0 MBytes
\tdevice size with M = 1000*1000:           0 MBytes\u0020
\tcache/buffer size  = unknown
Capabilities:
\tIORDY not likely
\tCannot perform double-word IO
\tR/W multiple sector transfer: not supported
\tDMA: not supported
\tPIO: pio0\u0020
"""
OLD = """
ATA device, with non-removable media
\tModel Number:       HARBOR MD21
\tSerial Number:      HB0021
\tFirmware Revision:  1.0
Standards:
\tLikely used: 1
Configuration:
\tLogical\t\tmax\tcurrent
\tcylinders\t612\t0
\theads\t\t4\t0
\tsectors/track\t17\t0
\t--
\tbytes/track: 8704\tbytes/sector: 512
\tLogical/Physical Sector size:           512 bytes
\tdevice size with M = 1024*1024:          20 MBytes
\tdevice size with M = 1000*1000:          21 MBytes (0 GB)
{last}
"""
OPTICAL = """
ATAPI CD-ROM, with removable media
\tModel Number:       HARBOR DVD7
\tSerial Number:      HBD7001
\tFirmware Revision:  DV10
Standards:
\tLikely used CD-ROM ATAPI-1
Configuration:
\tDRQ response: 50us.
\tPacket size: 12 bytes
Capabilities:
\tLBA, IORDY(can be disabled)
\t\tRemovable Media Status Notification feature set supported
"""
INFO = """
/dev/{name}:

 Model=HARBOR HD250Q, FwRev=HQ02, SerialNo=HBQ25001
 Config={{ HardSect NotMFM HdSw>15uSec Fixed DTR>10Mbs RotSpdTol>.5% }}
 CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects={sectors}
 AdvancedPM=no WriteCache=enabled
"""
OVERLAY = """
/dev/sda:
DCO Checksum verified.
DCO Revision: 0x0002
The following features can be selectively disabled via DCO:
\tTransfer modes:
\t\t mdma0 mdma1 mdma2
\t\t udma0 udma1 udma2 udma3 udma4 udma5 udma6(?)
\tReal max sectors: 1953525168
\tATA command/feature sets:
\t\t SMART self_test error_log security HPA 48_bit
\tSATA command/feature sets:
\t\t NCQ interface_power_management SSP
"""


observed, only = partial(drive_outputs.observed, "hdparm"), partial(drive_outputs.only, "hdparm")


def test_a_drive_that_is_no_ata_drive_is_not_taken_for_one() -> None:
    """A SAS drive's refusal gives no fact, but a problem."""
    found = observed(REFUSED)
    (drive,) = found.controllers[0].drives
    assert (drive.device, drive.interface, drive.size_bytes, drive.media) == ("/dev/sdc", None, None, None)
    assert [(problem.kind, problem.where) for problem in found.problems] == [("unread", drive.id)]


def test_several_devices_are_read_separately() -> None:
    """A refusal by one device of ``hdparm -W /dev/sd?`` does not affect the others."""
    found = observed(
        "\n/dev/sda:\n write-caching =  1 (on)\n\n/dev/sdb:\n write-caching =  0 (off)\n"
        f"\n/dev/sdc:\n{SENSE} write-caching = not supported\n\n/dev/nvme0n1:\n"
    )
    drives = found.controllers[0].drives
    assert [(drive.device, drive.write_cache) for drive in drives] == [
        ("/dev/sda", "enabled"),
        ("/dev/sdb", "disabled"),
        ("/dev/sdc", None),
    ]
    assert {problem.where for problem in found.problems} == {"drives:sdc", "/dev/nvme0n1"}


def test_several_refusals_are_several_problems() -> None:
    """An output of errors alone is recognised. Each error is a problem."""
    found = observed("/dev/sda: Permission denied\n/dev/sdb: Permission denied\n/dev/sdz: No such file or directory\n")
    assert [problem.kind for problem in found.problems] == ["no_right", "no_right", "unread"]


def test_a_size_by_cylinders_is_exact() -> None:
    """Without a sector count the size is cylinders times heads times sectors."""
    assert only(OLD.format(last="Checksum: correct")).size_bytes == 612 * 4 * 17 * 512


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        ("Integrity word not set (found 0x0000, expected 0x5ca5)", "note"),
        ("Integrity word not set (found 0x5254, expected 0x5ca5)", "state"),
        ("Checksum: correct", None),
        ("Checksum: NOT correct", "state"),
        ("Checksum: wrong", "state"),
    ],
)
def test_a_false_checksum_casts_doubt_and_a_missing_one_does_not(last: str, kind: str | None) -> None:
    """Old drives have no checksum. Another value in its place means a damaged output."""
    assert [problem.kind for problem in observed(OLD.format(last=last)).problems] == ([kind] if kind else [])


def test_a_strange_transport_is_no_interface() -> None:
    """An invalid transport leaves the interface unknown."""
    text = OLD.format(last="Checksum: correct").replace(
        "Standards:", "\tTransport:          0x6e72; Revision: 0x6c65\nStandards:"
    )
    assert only(text).interface is None


def test_optical_drives_are_understood() -> None:
    """An ``ATAPI`` drive has no size and no media. No line is left unread."""
    drive = only(OPTICAL)
    assert (drive.model, drive.size_bytes, drive.media) == ("HARBOR DVD7", None, None)
    assert drive.details["Likely used"] == "CD-ROM ATAPI-1"


@pytest.mark.parametrize(
    ("name", "sectors", "size", "interface"),
    [
        ("hda", 488397168, 488397168 * 512, "ata"),
        ("sda", 488397168, 488397168 * 512, None),
        ("hda", 268435455, None, "ata"),
    ],
)
def test_the_short_identification(name: str, sectors: int, size: int | None, interface: str | None) -> None:
    """A full 28-bit sector count is not a size. Only names of the IDE driver give the interface."""
    drive = only(INFO.format(name=name, sectors=sectors))
    assert (drive.size_bytes, drive.interface, drive.write_cache) == (size, interface, "enabled")


def test_the_temperature_alone_is_recognised() -> None:
    """``-H`` gives a temperature; one out of range is unknown."""
    assert only("/dev/sda:\n drive temperature (celsius) is:  34\n").temperature_celsius == 34
    assert only("/dev/sda:\n drive temperature (celsius) is:  under -20\n").temperature_celsius is None


def test_the_configuration_overlay_is_understood() -> None:
    """The native size of ``--dco-identify`` is a detail, not the drive's size."""
    drive = only(OVERLAY)
    assert drive.size_bytes is None
    assert drive.details["Real max sectors"] == "1953525168"


def test_a_doubtful_native_size_is_noted() -> None:
    """A native size that hdparm doubts is a note."""
    found = observed("/dev/sda:\n max sectors   = 976773168/14715056(976773168?), HPA setting seems invalid\n")
    assert found.controllers[0].drives[0].size_bytes == 976773168 * 512
    assert [problem.kind for problem in found.problems] == ["note"]


def test_figures_beyond_reason_are_no_facts() -> None:
    """A number too large for JSON readers is kept as a detail."""
    drive = only(OLD.format(last=f"\tNominal Media Rotation Rate: {10**30}"))
    assert drive.rpm is None
    assert drive.details["rpm"] == str(10**30)


@pytest.mark.parametrize("sectors", ["", "\u0661\u0662\u0663"])
def test_the_end_of_what_cylinders_can_count_is_no_size(sectors: str) -> None:
    """The geometry 16383/16/63 gives no size. Every drive above 8.4 GB reports it."""
    text = INFO.format(name="sdq", sectors=sectors) if sectors else INFO.partition(", LBA=yes")[0].format(name="sdq")
    assert only(text).size_bytes is None


def test_a_limit_in_digits_of_another_script_is_no_figure() -> None:
    """Only ASCII digits make a number."""
    text = "\n/dev/sdq:\n max sectors   = \u0661\u0662\u0663/11721045168, HPA is disabled\n"
    assert [drive.size_bytes for controller in observed(text).controllers for drive in controller.drives] in (
        [],
        [None],
    )
