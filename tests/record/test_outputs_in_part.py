"""Outputs in part, flat or wrapped, and words that are easily misread."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from raidctl.model import Inventory
from raidctl.recording.loose_files import collect_outputs
from raidctl.survey.survey import survey_documents
from raidctl.vendor.registry import vendors

VENDORS = vendors()[0]
SMARTCTL = "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)\n\n"
SUPERBLOCK = """\
/dev/sde1:
          Magic : a92b4efc
        Version : 1.2
     Array UUID : 1f2e3d4c:5b6a7988:90a1b2c3:d4e5f607
           Name : box:5
     Raid Level : raid5
   Raid Devices : 3
 Avail Dev Size : 7813772943 sectors (3.64 TiB 4.00 TB)
          State : clean
    Device UUID : 0a1b2c3d:4e5f6071:82930415:26374859
       Checksum : 5d0f21a3 - {checksum}
         Events : 4711
   Device Role : spare
   Array State : AAA ('A' == active, '.' == missing, 'R' == replacing)
"""
DEVICES = """\
----------------------------------------------------------------------
Physical Device information
----------------------------------------------------------------------
{heading}         State                              : Failed
         Reported Channel,Device(T:L)       : 0,3(3:0)
         Vendor                             : ATA
         Model                              : EXAMPLE 4000
         Serial number                      : ZX12AB77
      Device #4
         Device is a Hard drive
         State                              : Online
         Reported Channel,Device(T:L)       : 0,4(4:0)
         Model                              : EXAMPLE 4000
         Serial number                      : ZX12AB78

Command completed successfully.
"""
VOLUMES = """\
CLI Version = 007.1017.0000.0000 May 10, 2019
Controller = 0
Status = Success
Description = None

DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name
--------------------------------------------------------------
0/0   RAID1 Optl  RW     Yes     RWBD  -   ON    {size} data
1/1   Cac0  Optl  RW     Yes     NRWTD -   ON  446.625 GB pool
--------------------------------------------------------------

EID:Slt DID State DG       Size Intf Med SED PI SeSz Model        Sp
--------------------------------------------------------------------
252:0     8 Onln   0   3.637 TB SAS  HDD N   N  512B EXAMPLE-4000 U
252:1     9 Onln   0   3.637 TB SAS  HDD N   N  512B EXAMPLE-4000 U
252:2    10 Onln   0   3.637 TB SAS  HDD N   N  512B EXAMPLE-4000 U
252:3    11 Onln   0   3.637 TB SAS  HDD N   N  512B EXAMPLE-4000 U
252:4    12 Onln   1 446.625 GB SATA SSD N   N  512B EXAMPLE-SSD  U
--------------------------------------------------------------------
"""
SMART_ARRAY = (
    "Smart Array P440ar in Slot 0 (Embedded)\n\n   Array A\n\n      Logical Drive: 1\n         Size: 558.7 GB\n"
)


def read(place: Path, *texts: str) -> Inventory:
    """What raidctl makes of loose texts."""
    for number, text in enumerate(texts):
        (place / f"output{number}.txt").write_text(text, encoding="utf-8")
    gathered = collect_outputs(place if len(texts) > 1 else place / "output0.txt", VENDORS)
    return survey_documents(gathered.texts, source="x", problems=gathered.problems).inventory


def unread(found: Inventory) -> list[str]:
    """The problems of what was not read."""
    return [problem.message for problem in found.problems if problem.kind == "unread"]


def test_rows_of_smart_attributes_that_a_mailer_wrapped_are_read(tmp_path: Path) -> None:
    """Rows of SMART attributes that a mailer wrapped are read.

    Each continues in the next line, below a heading that is wrapped, too. The text is indented and quoted.
    """
    text = SMARTCTL + (
        "=== START OF INFORMATION SECTION ===\nDevice Model:     EXAMPLE 4000\nSerial Number:    Z1D0AA11\n\n"
        "=== START OF READ SMART DATA SECTION ===\nVendor Specific SMART Attributes with Thresholds:\n"
        "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED\nWHEN_FAILED RAW_VALUE\n"
        "  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always\n-       24\n"
        "  9 Power_On_Hours          0x0032   061   061   000    Old_age   Always\n-       34512\n"
        "197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always\n-       8\n"
    )
    (drive,) = read(tmp_path, textwrap.indent(textwrap.indent(text, "  "), "> ")).controllers[0].drives
    assert (drive.errors.reallocated, drive.errors.pending, drive.power_on_hours) == (24, 8, 34512)


@pytest.mark.parametrize(
    "line",
    ["level 5, 128k chunk,\nalgorithm 0 [4/4] [UUUU]", "level 5,\n      128k chunk, algorithm 0 [4/4] [UUUU]"],
)
def test_an_array_whose_line_is_wrapped_keeps_strip_and_layout(tmp_path: Path, line: str) -> None:
    """An IMSM volume has the longest line of /proc/mdstat."""
    found = read(
        tmp_path,
        "Personalities : [raid6] [raid5] [raid4]\nmd126 : active raid5 sda[3] sdb[2] sdc[1] sdd[0]\n"
        f"      2930270208 blocks super external:/md127/0 {line}\n\nunused devices: <none>\n",
    )
    (volume,) = found.controllers[0].volumes
    assert (volume.strip_bytes, volume.layout, volume.status) == (131072, "left-asymmetric", "ok")


def test_the_head_of_a_controllers_output_is_enough(tmp_path: Path) -> None:
    """``storcli /c0 show`` without its first lines and its tables."""
    (controller,) = read(
        tmp_path,
        "Product Name = AVAGO MegaRAID SAS 9361-8i\nSerial Number = SK01234567\nPCI Address = 00:02:00:00\n"
        "FW Package Build = 24.21.0-0126\nFW Version = 4.680.00-8519\nDriver Name = megaraid_sas\n",
    ).controllers
    assert (controller.model, controller.serial, controller.firmware) == (
        "AVAGO MegaRAID SAS 9361-8i",
        "SK01234567",
        "4.680.00-8519",
    )


def test_a_backup_unit_alone_is_read(tmp_path: Path) -> None:
    """Arcconf's section of the cache backup unit, without the controller above it."""
    rule = "-" * 56
    (controller,) = read(
        tmp_path,
        f"{rule}\nCache Backup Unit\n{rule}\n   Overall Backup Unit Status   : Not Ready\n"
        "   Backup Unit Type             : AFM-700\n   Supercap Status              : Failed\n",
    ).controllers
    assert [battery.kind for battery in controller.batteries] == ["capacitor"]
    assert controller.batteries[0].status != "ok"


@pytest.mark.parametrize("heading", ["         Device is a Hard drive\n", ""])
def test_a_device_without_its_number_is_not_dropped(tmp_path: Path, heading: str) -> None:
    """A drive without its line ``Device #3`` is shown. A problem reports that lines are missing."""
    found = read(tmp_path, DEVICES.format(heading=heading))
    assert {drive.serial: drive.status for drive in found.controllers[0].drives} == {
        "ZX12AB77": "critical",
        "ZX12AB78": "ok",
    }
    assert any("Device #" in message for message in unread(found))


def test_logs_of_smartctl_alone_are_read(tmp_path: Path) -> None:
    """``smartctl -l background`` and ``-l sasphy`` print no name of the drive."""
    background = SMARTCTL + (
        "Background scan results log\n  Status: waiting until BMS interval timer expires\n"
        "    Accumulated power on time, hours:minutes 41342:11 [2480531 minutes]\n"
    )
    phys = SMARTCTL + (
        "Protocol Specific port log page for SAS SSP\nrelative target port id = 1\n  number of phys = 1\n"
        "  phy identifier = 0\n    negotiated logical link rate: phy enabled; 12 Gbps\n"
    )
    found = [drive for text in (background, phys) for drive in read(tmp_path, text).controllers[0].drives]
    assert (found[0].power_on_hours, found[1].link_gbps) == (41342, 12.0)


def test_a_remark_on_the_firmware_is_no_part_of_it(tmp_path: Path) -> None:
    """HP's tools print their recommendation after the version."""
    text = "Smart Array P440ar in Slot 0 (Embedded)\n\n   Array A\n\n      physicaldrive 1I:1:1\n         Status: OK\n"
    remark = "(FW update is recommended to minimum version: HPD5)"
    found = read(tmp_path, f"{text}         Firmware Revision: HPD2 {remark}\n         Serial Number: S0M0AA11\n")
    (drive,) = found.controllers[0].drives
    assert drive.firmware == "HPD2"
    assert any("HPD5" in problem.message for problem in found.problems)


@pytest.mark.parametrize(
    "points",
    [
        "/ 93.1 GB Partition Number 2,/var/lib 10.0 GB Partition Number 3",
        "/ 93.1 GB Partition Number 2\n,/var/lib 10.0 GB Partition Number 3",
        "/ 93.1 GB Partition Number 2,/var/lib",
        "93.1 GiB Partition   2, 600 MiB Partition   1/,/var/lib",
    ],
)
@pytest.mark.parametrize("gap", ["\n         ", "          ", ""])
def test_mount_points_are_separated_without_blanks(tmp_path: Path, points: str, gap: str) -> None:
    """Mount points are separated without blanks.

    The tools and mailers lose blanks and line breaks around commas and labels.
    """
    found = read(
        tmp_path, f"{SMART_ARRAY}         Status: OK\n         Disk Name: /dev/sda{gap}Mount Points: {points}\n"
    )
    (volume,) = found.controllers[0].volumes
    assert (volume.device, volume.mountpoints) == ("/dev/sda", ("/", "/var/lib"))


def test_a_spare_with_a_wrong_checksum_is_not_ok(tmp_path: Path) -> None:
    """Its superblock cannot be trusted when it is needed."""
    for checksum, status in (("correct", "ok"), ("expected 5d0f21a4", "warning")):
        (drive,) = read(tmp_path, SUPERBLOCK.format(checksum=checksum)).controllers[0].drives
        assert (drive.role, drive.status) == ("spare", status)


def test_half_a_uuid_is_none(tmp_path: Path) -> None:
    """A UUID that was cut off is a problem, no array's name."""
    found = read(tmp_path, SUPERBLOCK.format(checksum="correct").replace("d4e5f607", "d4e5"))
    assert [volume.unique_id for volume in found.controllers[0].volumes] == [None]
    assert any("Incomplete UUID" in message for message in unread(found))


def test_striped_mirrors_are_raid10_and_a_pool_for_the_cache_is_no_volume(tmp_path: Path) -> None:
    """The firmware calls mirrored pairs RAID1. The tool's own word stays in the details."""
    for size, level in (("7.274 TB", "raid10"), ("3.637 TB", "raid1")):
        (controller,) = read(tmp_path, VOLUMES.format(size=size)).controllers
        assert [(volume.name, volume.raid_level) for volume in controller.volumes] == [("data", level)]
    assert "Cac0" in {value for array in controller.arrays for value in array.details.values()}
    (controller,) = read(tmp_path, VOLUMES.format(size="7.274 TB")).controllers
    assert "RAID1" in controller.volumes[0].details.values()


def test_a_flat_list_of_drives_belongs_to_the_array_above_it(tmp_path: Path) -> None:
    """All lines begin in the first column."""
    found = read(
        tmp_path,
        "array A\n\nphysicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 146 GB, OK)\n"
        "physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 146 GB, Failed)\n",
    )
    (array,) = found.controllers[0].arrays
    assert len(array.drives) == 2


@pytest.mark.parametrize(
    ("row", "command"),
    [
        ("tank\t3.62T\t1.20T\t2.42T\t-\t-\t5%\t33%\t1.00x\tDEGRADED\t-\n", "zpool status"),
        ("tank    -      -      -     -     -    -    -    -    FAULTED  /mnt\n", "zpool status"),
        ("  data vg0 rwi-aor-p- 10.00g                                  100.00\n", "lvs -a -o +devices,segtype"),
        ("$ lvs --noheadings\n  data vg0 rwi-aor-p- 10.00g                100.00\n", "lvs -a -o +devices,segtype"),
    ],
)
def test_rows_without_their_headings_are_a_problem(tmp_path: Path, row: str, command: str) -> None:
    """A row of ``zpool list -H`` or ``lvs --noheadings`` is unread, also among other files. A command is the remedy."""
    [problem] = read(tmp_path, row).problems
    assert (problem.kind, command in (problem.remedy or "")) == ("unread", True)
    assert [one.kind for one in read(tmp_path, row, VOLUMES.format(size="1.0 TB")).problems] == ["unread"]


def test_prose_is_no_output(tmp_path: Path) -> None:
    """Sentences that name a tool, or begin like its lines, are skipped, and do not affect the lines beside them."""
    prose = (
        "To look at the controller we normally run ssacli ctrl all show config on the\nhost.\nError: no spare left.\n",
        "geometry of old disks is not what one would think.\ngeometry matters only for old partitions.\n",
    )
    found = read(tmp_path, *prose, SUPERBLOCK.format(checksum="correct"))
    assert [controller.id for controller in found.controllers] == ["md"]
    assert unread(found) == []


@pytest.mark.parametrize("mark", ["...", "[...]", "…", "[snip]", "(... gekürzt ...)", "--- 8< --- cut ---", "etc."])
def test_lines_that_somebody_left_out_are_a_problem(tmp_path: Path, mark: str) -> None:
    """What is left may be fine. The missing lines may be those of a failed array or drive."""
    arrays = """\
Personalities : [raid1]
md1 : active raid1 sdd1[1] sdc1[0]
      524224 blocks super 1.2 [2/2] [UU]

{}
unused devices: <none>
"""
    other = "md0 : active raid1 sdb1[1](F) sda1[0]\n      524224 blocks super 1.2 [2/1] [U_]\n"
    assert read(tmp_path, arrays.format("")).problems == ()
    assert [one.kind for one in read(tmp_path, arrays.format(f"{mark}\n")).problems] == ["unread"]
    assert read(tmp_path, arrays.format(other)).problems == ()


@pytest.mark.parametrize(("text", "status"), [("...\n{}", "ok"), ("{}...\n", "unknown")])
def test_what_stands_before_left_out_lines_may_go_on_in_them(tmp_path: Path, text: str, status: str) -> None:
    """The array that was described last may be worse than it looks. One that follows is described as a whole."""
    array = "md1 : active raid1 sdd1[1] sdc1[0]\n      524224 blocks super 1.2 [2/2] [UU]\n\n"
    end = "unused devices: <none>\n"
    found = read(tmp_path, f"Personalities : [raid1]\n{text.format(array)}{end}")
    assert [one.status for controller in found.controllers for one in controller.volumes] == [status]
    assert [one.kind for one in found.problems] == ["unread"]
