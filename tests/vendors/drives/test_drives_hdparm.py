"""Outputs of hdparm, written after its source with invented names and numbers."""

from __future__ import annotations

import pytest

from raidctl.model import Drive
from raidctl.vendor.protocol import Document, Observation
from raidctl_drives import read, sniff

IDENTIFY = """
/dev/sdf:

ATA device, with non-removable media
\tModel Number:       HARBOR HD2000QX-7       \u0020
\tSerial Number:      HBQ77K01
\tFirmware Revision:  HQ02
\tTransport:          Serial, ATA8-AST, SATA 1.0a, SATA II Extensions, SATA Rev 2.5, SATA Rev 2.6, SATA Rev 3.0
Standards:
\tUsed: unknown (minor revision code 0x0110)\u0020
\tSupported: 9 8 7 6 5\u0020
\tLikely used: 9
Configuration:
\tLogical\t\tmax\tcurrent
\tcylinders\t16383\t16383
\theads\t\t16\t16
\tsectors/track\t63\t63
\t--
\tCHS current addressable sectors:    16514064
\tLBA    user addressable sectors:   268435455
\tLBA48  user addressable sectors:  3907029168
\tLogical  Sector size:                   512 bytes [ Supported: 512 4096 ]
\tPhysical Sector size:                  4096 bytes
\tLogical Sector-0 offset:                  0 bytes
\tdevice size with M = 1024*1024:     1907729 MBytes
\tdevice size with M = 1000*1000:     2000398 MBytes (2000 GB)
\tcache/buffer size  = 65536 KBytes (type=DualPortCache)
\tForm Factor: 3.5 inch
\tNominal Media Rotation Rate: 7200
Capabilities:
\tLBA, IORDY(can be disabled)
\tbytes avail on r/w long: 4\tQueue depth: 32
\tStandby timer values: spec'd by Standard, no device specific minimum
\tR/W multiple sector transfer: Max = 16\tCurrent = ?
\tAdvanced power management level: disabled
\tDMA: mdma0 mdma1 mdma2 udma0 udma1 udma2 udma3 udma4 udma5 *udma6\u0020
\t     Cycle time: min=120ns recommended=120ns
\tPIO: pio0 pio1 pio2 pio3 pio4\u0020
\t     Cycle time: no flow control=120ns  IORDY flow control=120ns
Commands/features:
\tEnabled\tSupported:
\t   *\tSMART feature set
\t    \tWrite cache
\t   *\tLook-ahead
\t   *\tGen1 signaling speed (1.5Gb/s)
\t   *\tGen2 signaling speed (3.0Gb/s)
\t   *\tGen3 signaling speed (6.0Gb/s)
\t   *\tAll write cache is non-volatile
\t    \tunknown 206[12] (vendor specific)
Security:\u0020
\tMaster password revision code = 65534
\t\tsupported
\tnot\tenabled
\tnot\tlocked
\t\tfrozen
\tnot\texpired: security count
\t\tsupported: enhanced erase
\tSecurity level high
\tmore than 508min for SECURITY ERASE UNIT. 210min for ENHANCED SECURITY ERASE UNIT.
Logical Unit WWN Device Identifier: 5000cca0c0ffee01
\tNAA\t\t: 5
\tIEEE OUI\t: 000cca
\tUnique ID\t: 0c0ffee01
Device Sleep:
\tDEVSLP Exit Timeout (DETO): 20 ms (default)
\tMinimum DEVSLP Assertion Time (MDAT): 10 ms (default)
Checksum: correct
"""
PARALLEL = """

ATA device, with non-removable media
\tModel Number:       OLDTIMER 40
\tSerial Number:      OT40-0007
\tFirmware Revision:  1.00
Standards:
\tUsed: ATA/ATAPI-5 T13 1321D revision 1\u0020
\tSupported: 5 4 3 & some of 6
Configuration:
\tLogical\t\tmax\tcurrent
\tcylinders\t16383\t16383
\theads\t\t16\t16
\tsectors/track\t63\t63
\t--
\tCHS current addressable sectors:    16514064
\tLBA    user addressable sectors:    78165360
\tLogical/Physical Sector size:           512 bytes
\tdevice size with M = 1024*1024:       38166 MBytes
\tdevice size with M = 1000*1000:       40020 MBytes (40 GB)
\tcache/buffer size  = 2048 KBytes
Capabilities:
\tLBA, IORDY(can be disabled)
\tDMA: mdma0 mdma1 mdma2 udma0 *udma5\u0020
\tPIO: pio0 pio1 pio2\u0020
Commands/features:
\tEnabled\tSupported:
\t   *\tWrite cache
HW reset results:
\tCBLID- above Vih
\tDevice num = 0 determined by the jumper
Checksum: correct
"""
IDENTITY = """
/dev/sda:

 Model=HARBOR HD1000AX, FwRev=HA01, SerialNo=HBA0001
 Config={ HardSect NotMFM HdSw>15uSec Fixed DTR>10Mbs RotSpdTol>.5% }
 RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=4
 BuffType=DualPortCache, BuffSize=32768kB, MaxMultSect=16, MultSect=off
 CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=1953525168
 IORDY=on/off, tPIO={min:120,w/IORDY:120}, tDMA={min:120,rec:120}
 PIO modes:  pio0 pio1 pio2 pio3 pio4\u0020
 DMA modes:  mdma0 mdma1 mdma2\u0020
 UDMA modes: udma0 udma1 *udma6\u0020
 AdvancedPM=yes: mode=0xFE (254) WriteCache=enabled
 Drive conforms to: unknown:  ATA/ATAPI-2,3,4,5,6,7

 * signifies the current active mode

"""
SHORT = """
/dev/sda:
 multcount     = 16 (on)
 IO_support    =  1 (32-bit)
 readonly      =  0 (off)
 readahead     = 256 (on)
 geometry      = 121601/255/63, sectors = 1953523055, start = 0
 write-caching =  0 (off)
 look-ahead    =  1 (on)
 APM_level\t= 254
 acoustic      = 128 (128=quiet ... 254=fast)
 write-read-verify = not supported
 max sectors   = 1953523055/1953525168, HPA is enabled
 drive state is:  active/idle
 drive temperature (celsius) is:  34
 drive temperature in range:  yes
 Timing cached reads:   20000 MB in  2.00 seconds = 10000.00 MB/sec
 Timing buffered disk reads (offset 4 GB): 512 MB in  3.00 seconds = 170.66 MB/sec

/dev/sdb:
 write-caching =  1 (on)
"""


def observed(text: str, name: str = "hdparm.txt") -> Observation:
    """The observation of an output. No line of it may be left unread."""
    claim = sniff(name, text)
    assert claim is not None
    assert claim.kind == "hdparm"
    found = read([Document(name, claim.kind, text)])
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    return found


def only(text: str, name: str = "hdparm.txt") -> Drive:
    """The only drive of an output."""
    (controller,) = observed(text, name).controllers
    (drive,) = controller.drives
    return drive


def test_the_identification_gives_every_fact() -> None:
    """All neutral fields of ``hdparm -I`` are read, sizes exactly."""
    drive = only(IDENTIFY)
    assert drive.id == "drives:HBQ77K01"
    assert (drive.device, drive.model, drive.firmware) == ("/dev/sdf", "HARBOR HD2000QX-7", "HQ02")
    assert drive.size_bytes == 3907029168 * 512
    assert (drive.media, drive.rpm, drive.interface) == ("hdd", 7200, "sata")
    assert drive.wwn == "5000cca0c0ffee01"
    assert drive.write_cache == "disabled"


def test_a_world_wide_name_of_zeros_is_none() -> None:
    """A world wide name of zeros is kept only as a detail."""
    drive = only(IDENTIFY.replace("5000cca0c0ffee01", "0000000000000000"))
    assert drive.wwn is None
    assert drive.details["WWN"] == "0000000000000000"


def test_supported_speeds_are_no_negotiated_link() -> None:
    """``Gen3 signaling speed`` is a capability, so the link speed is unknown."""
    drive = only(IDENTIFY)
    assert drive.link_gbps is None
    assert "Gen3 signaling speed (6.0Gb/s)" in drive.details["features enabled"]


def test_a_parallel_drive_is_ata() -> None:
    """A drive with cable select and no SATA features is parallel."""
    drive = only(PARALLEL)
    assert (drive.interface, drive.size_bytes, drive.rpm, drive.media) == ("ata", 78165360 * 512, None, None)


def test_spaces_instead_of_tabs_make_no_difference() -> None:
    """Converted blanks give the same facts."""
    assert only(IDENTIFY.expandtabs(8)).size_bytes == only(IDENTIFY).size_bytes
    squeezed = "\n".join(" ".join(line.split()) if "*" not in line else line for line in IDENTIFY.splitlines())
    assert only(squeezed).wwn == "5000cca0c0ffee01"


def test_a_wrapped_transport_line_is_put_together() -> None:
    """A list of standards broken by a mailer is read as one."""
    text = IDENTIFY.replace("SATA II Extensions, SATA Rev 2.5", "SATA II\nExtensions, SATA Rev 2.5")
    assert "SATA II Extensions, SATA Rev 2.5" in only(text).details["Transport"]


def test_sectors_of_4096_bytes_count_as_such() -> None:
    """The size is sectors times the bytes of a logical sector."""
    text = IDENTIFY.replace("3907029168", " 488378646").replace("512 bytes [ Supported: 512 4096 ]", "4096 bytes")
    assert only(text).size_bytes == 488378646 * 4096


def test_the_old_identity_is_read() -> None:
    """``hdparm -i`` gives names, size and write cache."""
    drive = only(IDENTITY)
    assert (drive.model, drive.serial, drive.firmware) == ("HARBOR HD1000AX", "HBA0001", "HA01")
    assert (drive.size_bytes, drive.write_cache) == (1953525168 * 512, "enabled")


def test_short_outputs_of_several_devices() -> None:
    """Each device of an output is a separate drive."""
    found = observed(SHORT)
    first, second = found.controllers[0].drives
    assert (first.device, first.write_cache, first.temperature_celsius) == ("/dev/sda", "disabled", 34)
    assert first.size_bytes == 1953523055 * 512
    assert (second.device, second.write_cache) == ("/dev/sdb", "enabled")
    assert ["host protected area" in problem.message for problem in found.problems] == [True]


def test_sectors_that_are_bytes_are_seen() -> None:
    """Some versions print bytes as ``sectors``, which the geometry reveals."""
    text = f"/dev/sda:\n geometry      = 121601/255/63, sectors = {1953525168 * 512}, start = 0\n"
    assert only(text).size_bytes == 1953525168 * 512


def test_outputs_of_one_drive_are_put_together() -> None:
    """``-I`` and ``-W`` of one device in two files make one drive. Another device stays another."""
    found = read(
        [
            Document("a.txt", "hdparm", IDENTIFY),
            Document("b.txt", "hdparm", "/dev/sdf:\n write-caching =  0 (off)\n"),
            Document("c.txt", "hdparm", "/dev/sdg:\n write-caching =  1 (on)\n"),
        ]
    )
    assert [drive.device for drive in found.controllers[0].drives] == ["/dev/sdf", "/dev/sdg"]


def test_one_device_name_of_two_machines_is_two_drives() -> None:
    """Serial numbers separate drives of two machines with the same node."""
    other = IDENTIFY.replace("HBQ77K01", "HBQ77K02").replace("5000cca0c0ffee01", "5000cca0c0ffee02")
    found = read([Document("a.txt", "hdparm", IDENTIFY), Document("b.txt", "hdparm", other)])
    assert [drive.id for drive in found.controllers[0].drives] == ["drives:HBQ77K01", "drives:HBQ77K02"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/dev/sdq: No such file or directory\n", "unread"),
        ("/dev/sdq: Permission denied\n", "no_right"),
        ("/dev/sdq:\n HDIO_GET_IDENTITY failed: Invalid argument\n", "unread"),
        ("/dev/sdq:\n HDIO_DRIVE_CMD(identify) failed: Invalid argument\n", "unread"),
        ("/dev/sdq:\n HDIO_DRIVE_CMD(identify) failed: Permission denied\n", "no_right"),
        ("/dev/sdq:\n HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device\n", "unread"),
        ("/dev/sdq:\n HDIO_GET_MULTCOUNT failed: Invalid argument\n readonly      =  0 (off)\n", "note"),
        ("/dev/sdq:\n READ_NATIVE_MAX_ADDRESS_EXT failed: Input/output error\n", "unread"),
        ("/dev/sdq:\nSG_IO: bad host status: 0x7\n write-caching = not supported\n", "unread"),
        ("/dev/sdq:\nSG_IO: questionable sense data, results may be incorrect\n write-caching =  1 (on)\n", "state"),
        ("/dev/nvme7n1:\n", "unread"),
        (
            (
                "/dev/md0:\n HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device\n"
                " Timing buffered disk reads: 190 MB in  3.00 seconds =  63.33 MB/sec\n"
            ),
            "note",
        ),
    ],
)
def test_a_refusal_is_a_problem(text: str, kind: str) -> None:
    """An unreadable part is a problem with a remedy."""
    (problem,) = observed(text).problems
    assert problem.kind == kind
    assert problem.remedy


def test_an_array_whose_speed_was_measured_is_no_drive() -> None:
    """``hdparm -t /dev/md0`` reports a volume."""
    found = observed("/dev/md0:\n Timing buffered disk reads: 190 MB in  3.00 seconds =  63.33 MB/sec\n")
    assert found.controllers[0].drives == ()
    assert found.controllers[0].volumes[0].device == "/dev/md0"


def test_a_wrong_checksum_casts_doubt() -> None:
    """A wrong checksum is a problem."""
    found = observed(IDENTIFY.replace("Checksum: correct", "Checksum: incorrect (0x1c), expected 0xe4"))
    assert [problem.kind for problem in found.problems] == ["state"]


@pytest.mark.parametrize(
    ("last", "off"),
    [
        ("Checksum: correct", True),
        ("Integrity word not set (found 0x0000, expected 0x12a5)", True),  # an old drive
        ("Checksum: incorrect (0x1c), expected 0xe4", False),
        ("Integrity word not set (found 0x5254, expected 0x12a5)", False),
        ("WARNING: Previous command's result may be incorrect.\nChecksum: correct", False),
    ],
)
def test_a_doubtful_identification_proves_no_write_cache_off(last: str, off: bool) -> None:
    """If hdparm doubts the identification, a write cache that it calls off is unknown; one that it calls on is on."""
    text = IDENTIFY.replace("Checksum: correct\n", f"{last}\n write-caching =  0 (off)\n")
    assert only(text).write_cache == ("disabled" if off else None)
    on = text.replace("\t    \tWrite cache", "\t   *\tWrite cache").replace("0 (off)", "1 (on)")
    assert only(on).write_cache == "enabled"


def test_a_locked_drive_is_a_finding() -> None:
    """``locked`` without a preceding ``not`` is an error."""
    assert not [one for one in observed(IDENTIFY).problems if "locked" in one.message]
    found = observed(IDENTIFY.replace("\tnot\tlocked", "\t\tlocked")).problems
    assert [(one.kind, one.severity) for one in found if "locked" in one.message] == [("state", "error")]


def test_the_device_is_taken_from_the_command_line() -> None:
    """``--Istdin`` prints no device; the command line names it."""
    assert only(PARALLEL, "hdparm -I /dev/hda").device == "/dev/hda"


def test_unknown_lines_stay_unread() -> None:
    """A line that hdparm never prints is left unread."""
    [output] = read([Document("x", "hdparm", IDENTIFY + "\nbogus label: 1\n and this = 2\n")]).outputs
    assert [line.stripped for line in output.unparsed()] == ["bogus label: 1", "and this = 2"]
