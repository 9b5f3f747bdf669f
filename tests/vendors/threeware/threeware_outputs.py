"""Outputs in tw_cli's formats with invented values. A runner plays them."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Controller
from raidctl.vendor.protocol import Document, Observation
from raidctl_threeware import read

RULE = "-" * 78 + "\n"
CONTROLLERS = (
    "\nCtl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n"
    + RULE
    + "c2    9650SE-8LPML 8         5        2       0       2       3      OK       \n"
)
UNIT_HEAD = "Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n" + RULE
UNITS = (
    UNIT_HEAD
    + "u0    RAID-5    OK             -       -       64K     465.641   RiW    OFF    \n"
    + "u1    SPARE     OK             -       -       -       232.885   -      OFF    \n"
)
PORTS = (
    "VPort Status         Unit Size      Type  Phy Encl-Slot    Model\n"
    + RULE
    + "p0    OK             u0   232.88 GB SATA  0   -            ST3250310NS         \n"
    + "p1    OK             u0   232.88 GB SATA  1   -            WDC WD2502ABYS-01B7A\n"
    + "p2    OK             u0   232.88 GB SAS   -   /c2/e1/slt4  SEAGATE ST3250620NS \n"
    + "p3    OK             u1   232.88 GB SATA  3   -            ST3250310NS         \n"
    + "p4    OK             -    232.88 GB SATA  4   -            ST3250310NS         \n"
)
OLD_PORTS = (
    "Port   Status           Unit   Size        Blocks        Serial\n"
    + RULE
    + "p0     OK               u0     232.88 GB   488397168     5QE0AB1C            \n"
    + "p1     OK               u0     232.88 GB   488397168     5QE0AB7K            \n"
    + "p2     NOT-PRESENT      -      -           -             -\n"
)
BATTERY = (
    "Name  OnlineState  BBUReady  Status    Volt     Temp     Hours  LastCapTest\n"
    + RULE
    + "bbu   On           Yes       OK        OK       OK       201    11-Mar-2025  \n"
)
ATTRIBUTES = """/c2 Driver Version = 2.26.08.007
/c2 Model = 9650SE-8LPML
/c2 Available Memory = 224MB
/c2 Firmware Version = FE9X 4.10.00.027
/c2 Serial Number = L326025A8350411
/c2 Rebuild Rate = 2
"""
ALL = ATTRIBUTES + "\n" + UNITS + "\n" + PORTS + "\n" + BATTERY
UNIT = (
    "/c2/u0 status = OK\n"
    "/c2/u0 is not rebuilding, its current state is OK\n"
    "/c2/u0 is not verifying, its current state is OK\n"
    "/c2/u0 Write Cache = on\n"
    "/c2/u0 Read Cache = Basic\n"
    "/c2/u0 volume(s) = 1\n"
    "/c2/u0 name = store\n"
    "/c2/u0 serial number = 5QE0AB1CC13F11003B42\n"
    "/c2/u0 Auto Verify Policy = off\n"
    "/c2/u0 Storsave Policy = balance\n\n"
    "Unit     UnitType  Status         %RCmpl  %V/I/M  Port  Stripe  Size(GB)\n"
    + RULE
    + "u0       RAID-5    OK             -       -       -     64K     465.641\n"
    "u0-0     DISK      OK             -       -       p0    -       232.82\n"
    "u0-1     DISK      OK             -       -       p1    -       232.82\n"
    "u0-2     DISK      OK             -       -       p2    -       232.82\n"
    "u0/v0    Volume    -              -       -       -     -       465.641\n"
)
DRIVE = """/c2/p1 Status = OK
/c2/p1 Model = WDC WD2502ABYS-01B7A0
/c2/p1 Firmware Version = 02.03B02
/c2/p1 Serial = WD-WCAT19320042
/c2/p1 Capacity = 232.88 GB (488397168 Blocks)
/c2/p1 Reallocated Sectors = 2
/c2/p1 Power On Hours = 41077
/c2/p1 Temperature = 34 deg C
/c2/p1 Spindle Speed = 7200 RPM
/c2/p1 Link Speed = 3.0 Gbps
/c2/p1 NCQ Supported = Yes
"""
ENCLOSURE = """/c2/e1 Vendor = ACME
/c2/e1 Product ID = SHELF12
/c2/e1 SEP=0, Firmware Version = 10.01

Encl        Status
-----------------------------
/c2/e1      OK

                                    ---Speed---
Fan         Status          State   Step   RPM     Identify
------------------------------------------------------------
fan0        OK              ON      3      4120    Off

TempSensor    Status         Temperature     Identify
--------------------------------------------------------
temp0         OK             29C(84F)        Off

PowerSupply  Status         State  Voltage        Current        Identify
---------------------------------------------------------------------------
pwrs0        OK             on     OK             OK             Off

Slot      Status          (V)Port       Identify
--------------------------------------------------
slot0     OK              /c2/p4        Off
slot1     NO-DEVICE       -             Off

Alarm       Status         State      Audibility
---------------------------------------------------
alm0        OK             OFF        UNMUTE
"""
MORE = """CLI Version = 2.00.11.020
API Version = 2.08.00.023

Ctl  Date                        Severity  AEN Message
------------------------------------------------------------------------------
c2   [Mon Nov 03 2025 02:00:01]  INFO      Verify started: unit=0

                              Device              --- Link Speed (Gbps) ---
Phy     SAS Address          Type     Device     Supported  Enabled  Control
-----------------------------------------------------------------------------
phy0    500050e0000000a2     SATA     /c2/p0     1.5-3.0    3.0      Auto

Verify Schedule for Controller /c2
========================================================
Slot    Day     Hour            Duration        Status
--------------------------------------------------------
1       Mon     2:00am           4 hr(s)        disabled
2       -       -               -               -
/c2 basic verify weekly preferred start: Friday 12:00am
"""


def observed(*texts: str, names: Sequence[str] = ()) -> Observation:
    """The observation of some outputs, read together."""
    given = list(names) or [f"output-{number}.txt" for number in range(len(texts))]
    return read([Document(name, "show", text) for name, text in zip(given, texts, strict=True)])


def controller(*texts: str) -> Controller:
    """The only controller of some outputs."""
    (found,) = observed(*texts).controllers
    return found
