"""Outputs in the format of MegaCli, and helpers that read them. Names and numbers are invented."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.model import Problem
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.megacli import read

ALL_INFO = """
Adapter #0

==============================================================================
                    Versions
                ================
Product Name    : PERC H810 Adapter
Serial No       : 41K00PB
FW Package Build: 21.3.2-0005

                    Mfg. Data
                ================
Mfg. Date       : 02/11/13
Rework Date     : 02/11/13
Revision No     : A04
Battery FRU     : N/A

                Image Versions in Flash:
                ================
BIOS Version       : 5.42.00.1_4.12.05.00_0x05290003
FW Version         : 3.131.05-8148
Boot Block Version : 2.03.00.00-0004

                Pending Images in Flash
                ================
None

                PCI Info
                ================
Controller Id\t: 0000
Vendor Id       : 1000
Device Id       : 005b
SubVendorId     : 1028
SubDeviceId     : 1f35

Host Interface  : PCIE

Number of Backend Port: 2
Port  :  Address
0        500056b3aabbcc00
1        0000000000000000

                HW Configuration
                ================
SAS Address      : 590b11c0aabbcc00
BBU              : Present
Alarm            : Absent
Memory           : Present
Memory Size      : 1024MB
ROC temperature : 71  degree Celsius

                Settings
                ================
Rebuild Rate                     : 30%
Cache Flush Interval             : 4s
Battery Warning                  : Enabled
Any Offline VD Cache Preserved   : No
                Capabilities
                ================
RAID Level Supported             : RAID0, RAID1, RAID5, RAID6
Supported Drives                 : SAS, SATA

Allowed Mixing:

Mix in Enclosure Allowed
Mix of SAS/SATA of HDD type in VD Allowed

                Status
                ================
ECC Bucket Count                 : 0

                Limitations
                ================
Max Arms Per VD          : 32
Current Size of FW Cache       : 883 MB

                Device Present
                ================
Virtual Drives    : 2
  Degraded        : 0
  Offline         : 0
Physical Devices  : 13
  Disks           : 12
  Critical Disks  : 0
  Failed Disks    : 0

                Supported Adapter Operations
                ================
Rebuild Rate                    : Yes
BBU                             : Yes

                Supported PD Operations
                ================
Enable JBOD                             : No

                Default Settings
                ================
Write Policy                     : WB
Cache When BBU Bad               : Disabled
Power Saving option              : Don't spin down unconfigured drives
Don't spin down Hot spares
Cached writes are not used for spun down VDs
Enable JBOD                      : No

Exit Code: 0x00
"""
"""``-AdpAllInfo -aALL``."""

VOLUME = """
Adapter 0 -- Virtual Drive Information:
Virtual Drive: 0 (Target Id: 0)
Name                :system
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 381.0 GB
Sector Size         : 512
Mirror Data         : 381.0 GB
State               : Optimal
Strip Size          : 64 KB
Number Of Drives    : 2
Span Depth          : 1
Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
Current Cache Policy: WriteThrough, ReadAdaptive, Direct, No Write Cache if Bad BBU
Default Access Policy: Read/Write
Current Access Policy: Read/Write
Disk Cache Policy   : Disk's Default
Encryption Type     : None
Bad Blocks Exist: No
PI type: No PI

Is VD Cached: No



Exit Code: 0x00
"""
"""``-LDInfo -Lall -aALL``."""

DRIVE = """
Adapter #0

Enclosure Device ID: 32
Slot Number: 3
Drive's position: DiskGroup: 0, Span: 0, Arm: 1
Enclosure position: 1
Device Id: 3
WWN: 5000C500AABBCC04
Sequence Number: 2
Media Error Count: 7
Other Error Count: 2
Predictive Failure Count: 0
Last Predictive Failure Event Seq Number: 0
PD Type: SAS

Raw Size: 381.812 GB [0x2fba0000 Sectors]
Non Coerced Size: 381.312 GB [0x2faa0000 Sectors]
Coerced Size: 381.0 GB [0x2fa00000 Sectors]
Sector Size:  0
Firmware state: Online, Spun Up
Device Firmware Level: ES0A
Shield Counter: 0
Successful diagnostics completion on :  N/A
SAS Address(0): 0x5000c500aabbcc05
SAS Address(1): 0x0
Connected Port Number: 0(path0)
Inquiry Data: SEAGATE ST9300653SS     ES0A6SJ0AAAA            
FDE Capable: Not Capable
FDE Enable: Disable
Secured: Unsecured
Locked: Unlocked
Needs EKM Attention: No
Foreign State: None
Device Speed: 6.0Gb/s
Link Speed: 3.0Gb/s
Media Type: Hard Disk Device
Drive Temperature :34C (93.20 F)
PI Eligibility:  No
Drive is formatted for PI information:  No
PI: No PI
Drive's write cache : Disabled
Port-0 :
Port status: Active
Port's Linkspeed: 3.0Gb/s
Port-1 :
Port status: Active
Port's Linkspeed: Unknown
Drive has flagged a S.M.A.R.T alert : No



Exit Code: 0x00
"""  # noqa: W291 - the inquiry data is padded
"""``-PDList -aALL``, one drive."""

BATTERY = """
BBU status for Adapter: 0

BatteryType: BBU
Voltage: 3985 mV
Current: 0 mA
Temperature: 31 C
Battery State: Optimal
BBU Firmware Status:

  Charging Status              : None
  Voltage                                 : OK
  Temperature                             : OK
  Learn Cycle Requested\t                  : No
  Learn Cycle Active                      : No
  Learn Cycle Status                      : OK
  Learn Cycle Timeout                     : No
  I2c Errors Detected                     : No
  Battery Pack Missing                    : No
  Battery Replacement required            : No
  Remaining Capacity Low                  : No
  Periodic Learn Required                 : No
  Transparent Learn                       : No
  No space to cache offload               : No
  Pack is about to fail & should be replaced : No
  Cache Offload premium feature required  : No
  Module microcode update required        : No


GasGuageStatus:
  Fully Discharged        : No
  Fully Charged           : Yes
  Discharging             : No
  Over Temperature        : No
  Over Charged            : No
Relative State of Charge: 96 %
Charger Status: Complete
Remaining Capacity: 441 mAh
Full Charge Capacity: 459 mAh
isSOHGood: Yes

BBU Capacity Info for Adapter: 0

  Relative State of Charge: 96 %
  Absolute State of charge: 0 %
  Remaining Capacity: 441 mAh
  Full Charge Capacity: 459 mAh
  Run time to empty: Battery is not being charged.
  Cycle Count: 36
  Max Error = 0 %
  Remaining Capacity Alarm = 0 mAh

BBU Design Info for Adapter: 0

  Date of Manufacture: 02/05, 2011
  Design Capacity: 500 mAh
  Serial Number: 812
  Device Chemistry: LION
  Battery FRU: N/A
  Transparent Learn = 0

BBU Properties for Adapter: 0

  Auto Learn Period: 90 Days
  Next Learn time: Sun Oct 12 12:20:37 2031
  Learn Delay Interval:0 Hours
  Auto-Learn Mode: Transparent
  BBU Mode = 5

Exit Code: 0x00
"""
"""``-AdpBbuCmd -aALL``."""

CONFIGURATION = """
==============================================================================
Adapter: 1
Product Name: LSI MegaRAID SAS 9266-8i
Memory: 1024MB
BBU: Absent
Serial No: SV00000001
==============================================================================
Number of DISK GROUPS: 2

DISK GROUP: 0
Number of Spans: 2
SPAN: 0
Span Reference: 0x00
Number of PDs: 2
Number of VDs: 1
Number of dedicated Hotspares: 0
Virtual Drive Information:
Virtual Drive: 0 (Target Id: 3)
Name                :
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 1.817 TB
State               : Optimal
Strip Size          : 256 KB
Number Of Drives per span:2
Span Depth          : 2
Default Cache Policy: WriteBack, ReadAhead, Cached, Write Cache OK if Bad BBU
Current Cache Policy: WriteBack, ReadAhead, Cached, Write Cache OK if Bad BBU
Default Access Policy: Read/Write
Current Access Policy: Read/Write
Disk Cache Policy   : Enabled
Ongoing Progresses:
  Check Consistency        : Completed 17%, Taken 55 min.
Encryption Type     : None
Is VD Cached: No
Physical Disk Information:
Physical Disk: 0
Enclosure Device ID: 252
Slot Number: 0
Firmware state: Online, Spun Up

Physical Disk: 1
Enclosure Device ID: 252
Slot Number: 1
Firmware state: Online, Spun Up

SPAN: 1
Span Reference: 0x01
Number of PDs: 2
Number of VDs: 1
Physical Disk Information:
Physical Disk: 0
Enclosure Device ID: 252
Slot Number: 2
Firmware state: Online, Spun Up

Physical Disk: 1
Enclosure Device ID: 252
Slot Number: 3
Firmware state: Online, Spun Up

DISK GROUP: 1
Number of Spans: 1
SPAN: 0
Virtual Drive Information:
Virtual Drive: 0 (Target Id: 4)
Name                :scratch
RAID Level          : Primary-0, Secondary-0, RAID Level Qualifier-0
Size                : 930.390 GB
State               : Optimal
Span Depth          : 1
Number Of Drives    : 1
Physical Disk Information:
Physical Disk: 0
Enclosure Device ID: N/A
Slot Number: 5
Firmware state: Online, Spun Up

Exit Code: 0x00
"""
"""``-CfgDsply -aALL``: two disk groups, each with virtual drives counted from 0."""

MEMBERS = """
Adapter #0

Number of Virtual Disks: 1
Virtual Drive: 2 (Target Id: 2)
Name                :
RAID Level          : Primary-5, Secondary-0, RAID Level Qualifier-3
State               : Degraded
Number Of Drives per span:3
Span Depth          : 2
Number of Spans: 2
Span: 0 - Number of PDs: 3

PD: 0 Information
Enclosure Device ID: 8
Slot Number: 0
Drive's position: DiskGroup: 1, Span: 0, Arm: 0
Firmware state: Online, Spun Up

PD: 1 Information

PD: 2 Information
Enclosure Device ID: 8
Slot Number: 2
Drive's position: DiskGroup: 1, Span: 0, Arm: 2
Firmware state: Rebuild

Span: 1 - Number of PDs: 3

PD: 0 Information
Enclosure Device ID: 8
Slot Number: 3
Drive's position: DiskGroup: 1, Span: 1, Arm: 0
Firmware state: Online, Spun Up

Exit Code: 0x00
"""
"""``-LdPdInfo -aALL``: a RAID 50 with a missing drive and a rebuild."""

SUMMARY = """
System
\tOperating System:  Linux version 3.10.0-1160.el7.x86_64
\tDriver Version: 07.710.50.00-rc1
\tCLI Version: 8.07.14

Hardware
        Controller
                 ProductName       : PERC H710 Adapter(Bus 0, Dev 0)
                 SAS Address       : 5b8ca3a0aabbcc00
                 FW Package Version: 21.3.4-0001
                 Status            : Optimal
        BBU
                 BBU Type          : BBU
                 Status            : Healthy
        Enclosure
                 Product Id        : BP12G+
                 Type              : SES
                 Status            : OK

        PD
                Connector          : 00<Internal><Encl Pos 1 >: Slot 0
                Vendor Id          : SEAGATE
                Product Id         : ST600MM0006
                State              : Online
                Disk Type          : SAS,Hard Disk Device
                Capacity           : 381.0 GB
                Power State        : Active

                Connector          : 00<Internal>: Slot 0
                Vendor Id          : DP
                Product Id         : BACKPLANE
                State              : Unconfigured Good
                Disk Type          : Unknown,Hard Disk Device
                Capacity           : 0 KB
                Power State        : Active

Storage

       Virtual Drives
                Virtual drive      : Target Id 0 ,VD name system
                Size               : 381.0 GB
                State              : Optimal
                RAID Level         : 10


Exit Code: 0x00
"""
"""``-ShowSummary -aALL``."""


def read_outputs(*texts: str, name: str = "output.txt") -> tuple[Controllers, list[Output], list[Problem]]:
    """The controllers, outputs and problems of texts read in sequence."""
    controllers = Controllers()
    outputs: list[Output] = []
    problems: list[Problem] = []
    for text in texts:
        output, found = read(controllers, Document(name, "megacli", textwrap.dedent(text)))
        outputs.append(output)
        problems += found
    return controllers, outputs, problems


def controller_of(*texts: str) -> ControllerDraft:
    """The only controller of some texts."""
    (found,) = read_outputs(*texts)[0].by_number.values()
    return found


def volume(*texts: str) -> GroupDraft:
    """The only virtual drive of some texts."""
    (found,) = controller_of(*texts).volumes.values()
    return found


def drive(*texts: str) -> Draft:
    """The only drive of some texts."""
    (found,) = controller_of(*texts).drives.values()
    return found


def battery(*texts: str) -> Draft:
    """The only battery of some texts."""
    (found,) = controller_of(*texts).batteries.values()
    return found


def left(text: str) -> list[str]:
    """The lines of a text that no reader used."""
    controllers, outputs, _ = read_outputs(text)
    for found in controllers.by_number.values():
        for draft in found.all():
            draft.drop_evidence()
    return [line.text for output in outputs for line in output.unparsed()]


def fields(draft: Draft, *names: str) -> Sequence[object]:
    """The values of some fields."""
    return tuple(draft.get(name) for name in names)


def complaints(draft: Draft, kind: str) -> list[str]:
    """The messages of a draft's problems of one kind."""
    return [item.message for item in draft.complaints if item.kind == kind]


def inquiry(data: str, attached: str = "SAS", level: str | None = None) -> Draft:
    """The drive with an inquiry line."""
    level_line = "" if level is None else f"Device Firmware Level: {level}\n"
    return drive(f"Enclosure Device ID: 1\nSlot Number: 1\nPD Type: {attached}\n{level_line}Inquiry Data: {data}\n")
