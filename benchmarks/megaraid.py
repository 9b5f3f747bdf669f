"""Outputs like MegaCli's and storcli's, of any length, with made-up values."""

from __future__ import annotations

import json

RULE = "=" * 78
SPAN = 8
"""Drives in a virtual drive."""
END = "\n\nExit Code: 0x00\n"


def controller(drives: int) -> str:
    """``-AdpAllInfo -aALL`` of one controller."""
    volumes = -(-drives // SPAN)
    return f"""
Adapter #0

{RULE}
                    Versions
                ================
Product Name    : RCTL MegaRAID SAS 9271-8i
Serial No       : RCTLMR0001
FW Package Build: 23.34.0-0019

                    Mfg. Data
                ================
Mfg. Date       : 03/14/14
Rework Date     : 00/00/00
Revision No     : 08A
Battery FRU     : N/A

                Image Versions in Flash:
                ================
BIOS Version       : 5.50.03.0_4.17.08.00_0x06110200
FW Version         : 3.460.115-6465

                PCI Info
                ================
Controller Id   : 0000
Vendor Id       : 1000
Device Id       : 005b
SubVendorId     : 1000
SubDeviceId     : 9271

Host Interface  : PCIE

                HW Configuration
                ================
SAS Address      : 500605b0aa0001f0
BBU              : Present
Alarm            : Present
NVRAM            : Present
Memory           : Present
Flash            : Present
Memory Size      : 1024MB
ROC temperature : 61  degree Celsius

                Settings
                ================
Current Time                     : 10:20:30 4/5, 2023
Predictive Fail Poll Interval    : 300sec
Rebuild Rate                     : 30%
Cache Flush Interval             : 4s

                Device Present
                ================
Virtual Drives    : {volumes}
  Degraded        : 0
  Offline         : 0
Physical Devices  : {drives + 1}
  Disks           : {drives}
  Critical Disks  : 0
  Failed Disks    : 0
{END}"""


def _volume(number: int, drives: int) -> str:
    return f"""Virtual Drive: {number} (Target Id: {number})
Name                :RCTLVD{number:04d}
RAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3
Size                : 3.270 TB
Sector Size         : 512
Is VD emulated      : No
Parity Size         : 1.089 TB
State               : Optimal
Strip Size          : 256 KB
Number Of Drives    : {drives}
Span Depth          : 1
Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
Current Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
Default Access Policy: Read/Write
Current Access Policy: Read/Write
Disk Cache Policy   : Disk's Default
Encryption Type     : None
Is VD Cached: No
"""


def _drive(number: int) -> str:
    group, arm = divmod(number, SPAN)
    return f"""Enclosure Device ID: {252 - number // 24}
Slot Number: {number % 24}
Drive's position: DiskGroup: {group}, Span: 0, Arm: {arm}
Enclosure position: 1
Device Id: {number + 8}
WWN: 5000C5A0{number:08X}
Sequence Number: 2
Media Error Count: 0
Other Error Count: 0
Predictive Failure Count: 0
Last Predictive Failure Event Seq Number: 0
PD Type: SAS

Raw Size: 558.911 GB [0x45dd2fb0 Sectors]
Non Coerced Size: 558.411 GB [0x45cd2fb0 Sectors]
Coerced Size: 558.375 GB [0x45cc0000 Sectors]
Sector Size:  0
Firmware state: Online, Spun Up
Device Firmware Level: RC04
Shield Counter: 0
Successful diagnostics completion on :  N/A
SAS Address(0): 0x5000c5a0{number:08x}
SAS Address(1): 0x0
Connected Port Number: {number % 8}(path0)
Inquiry Data: SEAGATE ST600RCTL    RC04RCTLP{number:05d}
FDE Capable: Not Capable
FDE Enable: Disable
Secured: Unsecured
Locked: Unlocked
Needs EKM Attention: No
Foreign State: None
Device Speed: 6.0Gb/s
Link Speed: 6.0Gb/s
Media Type: Hard Disk Device
Drive Temperature :{30 + number % 9}C (86.00 F)
PI Eligibility:  No
Drive is formatted for PI information:  No
PI: No PI
Port-0 :
Port status: Active
Port's Linkspeed: 6.0Gb/s
Drive has flagged a S.M.A.R.T alert : No


"""


def drives(count: int) -> str:
    """``-PDList -aALL``."""
    return "\nAdapter #0\n\n" + "".join(map(_drive, range(count))) + END


def _shares(count: int) -> list[range]:
    return [range(first, min(first + SPAN, count)) for first in range(0, count, SPAN)]


def volumes(count: int) -> str:
    """``-LDInfo -Lall -aALL`` of this number of drives."""
    listed = "\n\n".join(_volume(number, len(share)) for number, share in enumerate(_shares(count)))
    return f"\n\nAdapter 0 -- Virtual Drive Information:\n{listed}\n{END}"


def volumes_and_drives(count: int) -> str:
    """``-LDPDInfo -aALL``."""
    parts = ["\nAdapter #0\n\n", f"Number of Virtual Disks: {len(_shares(count))}\n"]
    for number, share in enumerate(_shares(count)):
        parts.append(_volume(number, len(share)) + f"Number of Spans: 1\nSpan: 0 - Number of PDs: {len(share)}\n\n")
        parts += [f"PD: {arm} Information\n{_drive(drive)}" for arm, drive in enumerate(share)]
    return "".join(parts) + END


def battery() -> str:
    """``-AdpBbuCmd -aALL``."""
    return f"""
BBU status for Adapter: 0

BatteryType: CVPM02
Voltage: 9479 mV
Current: 0 mA
Temperature: 27 C
Battery State: Optimal

BBU Firmware Status:

  Charging Status              : None
  Voltage                                 : OK
  Temperature                             : OK
  Learn Cycle Requested                   : No
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
  Relative State of Charge: 97 %
  Charger System State    : 1
  Charging current        : 0 mA

BBU Properties for Adapter: 0

  Auto Learn Period: 27 Days
  Next Learn time: Sun Apr 16 03:00:00 2023
  Learn Delay Interval:0 Hours
  Auto-Learn Mode: Transparent
{END}"""


def _slot(number: int) -> str:
    return f"{252 + number // 24}:{number % 24}"


def storcli(count: int) -> str:
    """``/call show all J`` of one controller with this number of drives."""
    shares = _shares(count)
    volumes = [
        {
            "DG/VD": f"{n}/{n}", "TYPE": "RAID6", "State": "Optl", "Access": "RW", "Consist": "Yes", "Cache": "RWBD",
            "Cac": "-", "sCC": "ON", "Size": "3.270 TB", "Name": f"RCTLVD{n:04d}",
        }
        for n in range(len(shares))
    ]  # fmt: skip
    drives = [
        {
            "EID:Slt": _slot(n), "DID": n + 8, "State": "Onln", "DG": n // SPAN, "Size": "558.375 GB", "Intf": "SAS",
            "Med": "HDD", "SED": "N", "PI": "N", "SeSz": "512B", "Model": "ST600RCTL", "Sp": "U", "Type": "-",
        }
        for n in range(count)
    ]  # fmt: skip
    response = {
        "Basics": {"Controller": 0, "Model": "RCTL MegaRAID SAS 9361-8i", "Serial Number": "RCTLMR0002"},
        "Version": {"Firmware Version": "4.680.00-8527", "Driver Name": "megaraid_sas"},
        "Bus": {"Vendor Id": 4096, "Device Id": 93, "Bus Number": 3, "Device Number": 0, "Function Number": 0},
        "Status": {"Controller Status": "Optimal"},
        "Virtual Drives": len(volumes),
        "VD LIST": volumes,
        "Physical Drives": count,
        "PD LIST": drives,
    }
    status = {
        "CLI Version": "007.2707.0000.0000 Dec 18, 2023", "Operating system": "Linux 6.1.0", "Controller": 0,
        "Status": "Success", "Description": "None",
    }  # fmt: skip
    return json.dumps({"Controllers": [{"Command Status": status, "Response Data": response}]}, indent=0)
