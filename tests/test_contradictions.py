"""Contradictory or incomplete lines of one output.

They contradict each other, or lack what always follows: diagnose must not end in OK.
"""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES

_EXPORT = """\
MD_LEVEL=raid6
MD_DEVICES=4
MD_METADATA=1.2
MD_UUID=3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
MD_DEVNAME=root
"""
_MEMBERS = "".join(f"MD_DEVICE_dev_sd{name}_ROLE={slot}\nMD_DEVICE_dev_sd{name}_DEV=/dev/sd{name}\n"
                   for slot, name in enumerate("abcd"))  # fmt: skip
_CONFIG = """
Smart Array P410 in Slot 1                (sn: PACCR0000000001)

   array A (SAS, Unused Space: 0  MB)

      logicaldrive 1 (279.4 GB, RAID 1, OK)

      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 300 GB, OK)

      physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 300 GB, OK)
"""
_PHYSICAL = """
Smart Array P440ar in Slot 0 (Embedded)

   array A

      physicaldrive 1I:1:1
         Port: 1I
         Box: 1
         Bay: 1
         Status: OK
         Drive Type: Data Drive
         Interface Type: SAS
         Size: 300 GB
         Serial Number: 6SJ0Q0XK0000B0
         Drive Authentication Status: OK
         Carrier Application Version: 11

"""
_ENCLOSURE = """\
/c0/e0 Vendor = LSI CORP
/c0/e0 Product ID = SAS2X28

Encl        Status
-----------------------------
/c0/e0      OK

PowerSupply  Status         State  Voltage        Current        Identify
---------------------------------------------------------------------------
pwrs0        OK             on     OK             OK             Off

Slot      Status          (V)Port       Identify
--------------------------------------------------
slot0     NO-DEVICE       -             Off

"""
_BATTERY = """
Name  OnlineState  BBUReady  Status    Volt     Temp     Hours  LastCapTest
---------------------------------------------------------------------------
bbu   On           Yes       OK        OK       OK       241    22-Jun-2023

"""
_SAS = """\
smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)
Copyright (C) 2002-20, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Vendor:               SEAGATE
Product:              ST300MM0008
Serial number:        W0X00001
Transport protocol:   SAS (SPL-3)

=== START OF READ SMART DATA SECTION ===
SMART Health Status: OK

Current Drive Temperature:     31 C
Drive Trip Temperature:        60 C

Elements in grown defect list: 0

Error counter log:
           Errors Corrected by           Total   Correction     Gigabytes    Total
               ECC          rereads/    errors   algorithm      processed    uncorrected
           fast | delayed   rewrites  corrected  invocations   [10^9 bytes]  errors
read:          0        0         0         0          0       1000.000           0
write:         0        0         0         0          0        100.000           0

Non-medium error count:        0

No Self-tests have been logged
"""


# smartctl -a of smartmontools 6.5, until the title of the log
_NVME = """\
smartctl 6.5 2016-05-07 r4318 [x86_64-linux-4.9.0] (local build)

=== START OF INFORMATION SECTION ===
Model Number:                       LAB NVMe 960
Serial Number:                      LABNVME7
Namespace 1 Size/Capacity:          128,035,676,160 [128 GB]

=== START OF SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

SMART/Health Information (NVMe Log 0x02, NSID 0x1)
"""

_SMART = """\
smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)
Copyright (C) 2002-20, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Device Model:     HARBOR HD4000NS-11A
Serial Number:    HBN1K7Q2
User Capacity:    4,000,787,030,016 bytes [4.00 TB]
SMART support is: Available - device has SMART capability.
SMART support is: Enabled

=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

"""

_OVERVIEW = """\
CLI Version = 007.1017.0000.0000 May 10, 2019
Operating system = Linux 4.19.0
Status Code = 0
Status = Success
Description = None

Number of Controllers = 1
Host Name = gneiss
Operating System  = Linux 4.19.0

System Overview :
===============

------------------------------------------------------------------------------------
Ctl Model            Ports PDs DGs DNOpt VDs VNOpt BBU sPR DS  EHS ASOs Hlth
------------------------------------------------------------------------------------
  0 PERCH730PMini        8   4   1     0   1     0 Opt On  3   N      0 Opt
------------------------------------------------------------------------------------

Ctl=Controller Index|DGs=Drive groups|VDs=Virtual drives|Fld=Failed
Hlth=Health|Safe=Safe-mode boot|CertProv-Certificate Provision mode
"""
_DRIVE = """\
CLI Version = 007.1017.0000.0000 May 10, 2019
Operating system = Linux 4.19.0
Controller = 0
Status = Success
Description = Show Drive Information Succeeded.


Drive Information :
=================

-------------------------------------------------------------------------------
EID:Slt DID State DG     Size Intf Med SED PI SeSz Model               Sp Type
-------------------------------------------------------------------------------
8:1      46 Onln   0 1.091 TB SAS  HDD N   N  512B ST1200MM0007        U  -
-------------------------------------------------------------------------------

"""
_FIRMWARE = """
Enclosure Device ID: 32
Slot Number: 1
Device Id: 1
PD Type: SAS
Raw Size: 279.396 GB [0x22ecb25c Sectors]
Firmware state: Online
Inquiry Data: SEAGATE ST3300657SS     ES646SJ0Q1XK


Exit Code: 0x00
"""
_ADAPTEC = """\
Controllers found: 1
----------------------------------------------------------------------
Controller information
----------------------------------------------------------------------
   Controller Status                        : Optimal
   Controller Model                         : Adaptec 5405
   Controller Serial Number                 : 8B0710C52D9
   Installed memory                         : 256 MB
----------------------------------------------------------------------
Physical Device information
----------------------------------------------------------------------
      Device #0
         Device is a Hard drive
         State                              : Ready
         Reported Channel,Device(T:L)       : 0,0(0:0)
         Model                              : ST3500320NS
         Serial number                      : 9QM0AAAA


Command completed successfully.
"""


def _code(text: str) -> int:
    return exit_code(diagnose(read_text(text).inventory, rules()))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, 0) for text in (_CONFIG + "\n", _ENCLOSURE, _BATTERY, _SAS, _OVERVIEW, _ADAPTEC, _DRIVE, _FIRMWARE,
                                 _PHYSICAL)),
        (_EXPORT + _MEMBERS, 3),
    ],
)  # fmt: skip
def test_the_whole_outputs_are_fine(text: str, code: int) -> None:
    """The other tests find only what they changed. An export does not have the state of its array."""
    assert _code(text) == code


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (_EXPORT + _MEMBERS, "ROLE=3", "ROLE=spare"),
        (_ENCLOSURE, "on     OK ", "on     LOW"),
        (_BATTERY, "OK       241", "TOO-WARM 241"),
        (_BATTERY, "bbu   On ", "bbu   Off"),
        (_CONFIG + "\n", "array A (SAS, Unused Space: 0  MB)", "array A (Failed)"),
        (_CONFIG + "\n", "bay 2, SAS, 300 GB, OK", "bay 2, SAS, 300 GB, Bewildered"),
        (_OVERVIEW, "0 Opt", "0 Unkwn"),
        (_ADAPTEC, "Optimal", "Unknown"),
        (_ADAPTEC, ": Ready", ": Unknown"),
        (_ADAPTEC, ": Ready", ": Foreign"),
        (_DRIVE, "Onln", "Unkn"),
        (_PHYSICAL, "Authentication Status: OK", "Authentication Status: Failed"),
        (_PHYSICAL, " Status: OK", " Status: Not Authenticated"),
        (_FIRMWARE, "state: Online", "state: Unknown"),
    ],
)
def test_one_bad_or_unknown_word_is_seen(text: str, old: str, new: str) -> None:
    """One bad or unknown word is seen, however good other lines are."""
    assert old in text
    assert _code(text.replace(old, new)) not in (0, _code(text))


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (_EXPORT, "root"),
        (_CONFIG, "RAID 1, OK)"),
        (_ENCLOSURE, "/c0/e0      OK"),
        (_SAS, "Status: OK"),
        (_SAS, "Temperature:        60 C"),
        (_SAS, "error count:        0"),
        (_NVME, "(NVMe Log 0x02"),
        (_NVME, "SMART/Heal"),
    ],
)
def test_an_output_without_what_always_follows_is_cut_off(text: str, last: str) -> None:
    """It is reported, and nothing is concluded from what is missing."""
    seen = read_text(text[: text.index(last) + len(last)] + "\n")
    assert any("cut off" in problem.message for problem in seen.inventory.problems)
    assert exit_code(diagnose(seen.inventory, rules())) == 3


def test_a_failed_drive_of_a_list_counts_over_its_own_good_section() -> None:
    """Smart Array prints each drive in a list and in its section."""
    text = _CONFIG.replace("bay 2, SAS, 300 GB, OK", "bay 2, SAS, 300 GB, Failed") + (
        "\n      physicaldrive 1I:1:2\n         Port: 1I\n         Box: 1\n         Bay: 2\n         Status: OK\n\n"
    )
    [controller] = read_text(text).inventory.controllers
    assert {drive.id: drive.status for drive in controller.drives}["smartarray:1/1I:1:2"] == "critical"


def test_the_beginning_of_another_output_behind_a_good_one_is_seen() -> None:
    """An array whose output a paste cuts short is not gone.

    The paste is of smartctl's health and mdadm's array, and ends in the array's first lines.
    """
    begun = "\n/dev/md0:\n           Version : 1.2\n "
    seen = read_text(_SMART + begun)
    assert any("cut off" in problem.message for problem in seen.inventory.problems)
    assert exit_code(diagnose(seen.inventory, rules())) == 3
    assert _code(_SMART) == 0


def test_a_drive_that_is_not_authenticated_expects_no_failure() -> None:
    """To the controller, it is not a genuine part. No line predicts a failure."""
    found = diagnose(read_text(_PHYSICAL.replace(" Status: OK", " Status: Not Authenticated", 1)).inventory, rules())
    assert [(one.rule, one.severity) for one in found.findings if one.outcome == "fail"] == [
        ("background_operation", "warning")
    ]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Device 0                                   : Present (", "Device 0 : Present, SMART Failed (", 3),
        ("5400 rpm (Optimal)", "5400 rpm (Unrecoverable)", 1),
        ("5400 rpm (Optimal)", "5400 rpm (Offline)", 1),
        ("5400 rpm (Optimal)", "5400 rpm (Not Installed)", 0),
    ],
)
def test_a_member_or_a_fan_of_arcconf_with_other_words_is_seen(old: str, new: str, code: int) -> None:
    """A segment of an unknown form is reported, and so is each bad word of the enclosure standard."""
    text = (FIXTURES / "adaptec-smartraid-mixed" / "arcconf-getconfig-1-al.out").read_text()
    assert old in text
    assert _code(text.replace(old, new, 1)) == code


def test_a_foreign_drive_of_version_8_is_flagged_although_it_is_in_no_group() -> None:
    """Its second state word is the only line about that: a drive command must not use it as an unused drive."""
    [path] = (FIXTURES / "megaraid-9660-storcli2").glob("*eall-sall*.out")
    text = path.read_text().replace('"State" : "GHS"', '"State" : "UConf"')
    seen = read_text(text.replace('"Status" : "Good"', '"Status" : "Foreign"', 1)).inventory
    assert [drive.id for drive in seen.controllers[0].drives if drive.foreign] == ["megaraid:0/310:4"]
    assert exit_code(diagnose(seen, rules())) == 1
