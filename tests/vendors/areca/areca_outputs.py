"""Outputs in the formats of Areca's tool with invented values. A runner plays them."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Controller
from raidctl.vendor.protocol import Document, Observation
from raidctl_areca import read

RULE = "=" * 79 + "\n"
END = "GuiErrMsg<0x00>: Success.\n"

SYS = f"""The System Information
===========================================
Main Processor     : 800MHz
System Memory      : 512MB/800MHz/ECC
Firmware Version   : V1.51 2012-07-04
Serial Number      : Y244CABZAR700911
Controller Name    : ARC-1680
===========================================
{END}"""
SETS = f""" #  Name             Disks TotalCap  FreeCap DiskChannels       State
{RULE} 1  Raid Set # 00        3 2250.0GB    0.0GB 12A                Normal
 2  scratch              1  750.0GB  250.0GB B                  Normal
{RULE}{END}"""
VOLUMES = f"""  # Name             Raid Name       Level   Capacity Ch/Id/Lun  State
{RULE}  1 home             Raid Set # 00   Raid5   1500.0GB 00/00/00   Normal
  2 ARC-1680-VOL#001 scratch         Raid0    500.0GB 00/00/01   Initializing(7.5%)
{RULE}{END}"""
DISKS = f"""  # Ch# ModelName                       Capacity  Usage
{RULE}  1  1  ST3750330NS                     750.2GB  Raid Set # 00
  2  2  WDC WD7502ABYS-01A6B0            750.2GB  Raid Set # 00
  3  3  N.A.                               0.0GB  N.A.
 10 10  ST3750330NS                     750.2GB  Raid Set # 00
 11 11  ST3750330NS                     750.2GB  scratch
 12 12  ST3750330NS                     750.2GB  HotSpare[Global]
 13 13  ST3750330NS                     750.2GB  Free
 14 14  ST3750330NS                     750.2GB  Pass Through
 15 15  ST3750330NS                     750.2GB  Failed
{RULE}{END}"""
SLOTS = f"""  # Enc# Slot#   ModelName                        Capacity  Usage
{RULE}  1  01  Slot#1  N.A.                                0.0GB  N.A.
  9  02  SLOT 01 SEAGATE ST2000NM0023             2000.4GB  tank
 10  02  SLOT 02 HGST HUS724020ALA640             2000.4GB  tank
{RULE}{END}"""
VOLUME = f"""Volume Set Information
===========================================
Volume Set Name : home
Raid Set Name   : Raid Set # 00
Volume Capacity : 1500.0GB
SCSI Ch/Id/Lun  : 00/00/00
Raid Level      : Raid5
Stripe Size     : 64K
Member Disks    : 3
Cache Mode      : Write Back
Tagged Queuing  : Enabled
Volume State    : Normal
===========================================
{END}"""
DRIVE = f"""Drive Information
===============================================================
IDE Channel                        : 2
Model Name                         : WDC WD7502ABYS-01A6B0
Serial Number                      : WD-WMAUJ0042017
Firmware Rev.                      : 03.00C05
Disk Capacity                      : 750.2GB
Device State                       : NORMAL
Timeout Count                      : 3
Media Error Count                  : 11
Device Temperature                 : 38 C
SMART Reallocation Count           : 199(140)
===============================================================
{END}"""


def hardware(*lines: str) -> str:
    """The hardware monitor with some lines."""
    return "The Hardware Monitor Information\n=====\n" + "\n".join(lines) + "\n=====\n" + END


def config(*lines: str) -> str:
    """``sys showcfg`` with some lines."""
    return "The System Configuration\n=====\n" + "\n".join(lines) + "\n=====\n" + END


def observed(*texts: str, names: Sequence[str] = ()) -> Observation:
    """The observation of some outputs, read together."""
    given = list(names) or [f"output-{number}.txt" for number in range(len(texts))]
    return read([Document(name, "info", text) for name, text in zip(given, texts, strict=True)])


def controller(*texts: str) -> Controller:
    """The only controller of some outputs."""
    (found,) = observed(*texts).controllers
    return found
