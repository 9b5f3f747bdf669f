"""Outputs like arcconf's, of any length, with made-up values."""

from __future__ import annotations

RULE = "-" * 70
INNER = f"   {'-' * 56}"
FOUND = "Controllers found: 1\n"
END = "\n\nCommand completed successfully.\n"
SPAN = 8
"""Drives in a logical device."""


def status() -> str:
    """``GETSTATUS 1`` while no operation runs."""
    return f"{FOUND}Logical device Task:\n   Current operation              : None\n{END}"


def version() -> str:
    """``GETVERSION``."""
    return f"""{FOUND}Controller #1
==============
Firmware                               : 7.18-0 (33556)
Staged Firmware                        : 7.18-0 (33556)
BIOS                                   : 7.18-0 (33556)
Driver                                 : 1.2-1 (50877)
Boot Flash                             : 7.18-0 (33556)
{END}"""


def listing() -> str:
    """``LIST``."""
    return f"""{FOUND}{RULE}
Controller information
{RULE}
   Controller ID             : Status, Slot, Mode, Name, SerialNumber, WWN
{RULE}
   Controller 1:             : Optimal, Slot 3, RAID (Expose RAW), Adaptec ASR8805, RCTLAD0001, 50000D1700AA0F00
{END}"""


def _controller(volumes: int) -> str:
    return f"""{RULE}
Controller information
{RULE}
   Controller Status                        : Optimal
   Controller Mode                          : RAID (Expose RAW)
   Channel description                      : SAS/SATA
   Controller Model                         : Adaptec ASR8805
   Controller Serial Number                 : RCTLAD0001
   Controller World Wide Name               : 50000D1700AA0F00
   Controller Alarm                         : Enabled
   Physical Slot                            : 3
   Temperature                              : 54 C/ 129 F (Normal)
   Installed memory                         : 1024 MB
   Global task priority                     : High
   Performance Mode                         : Default/Dynamic
   Defunct disk drive count                 : 0
   Logical devices/Failed/Degraded          : {volumes}/0/0
   NCQ status                               : Enabled
{INNER}
   Controller Version Information
{INNER}
   BIOS                                     : 7.18-0 (33556)
   Firmware                                 : 7.18-0 (33556)
   Driver                                   : 1.2-1 (50877)
   Boot Flash                               : 7.18-0 (33556)
{INNER}
   Controller Cache Backup Unit Information
{INNER}
   Overall Backup Unit Status               : Ready
   Backup Unit Type                         : AFM-700/AFM-700LP
   Supercap Status                          : Ready
   Current Temperature                      : 26 deg C
   Health                                   : 98 percent

"""


def _volume(number: int, drives: range) -> str:
    segments = "".join(
        f"   Segment {place:<33}: Present (572325MB, SAS, HDD, Enclosure:{drive // 24}, Slot:{drive % 24})"
        f"             RCTLA{drive:05d}\n"
        for place, drive in enumerate(drives)
    )
    return f"""Logical Device number {number}
   Logical Device name                      : RCTLLD{number:04d}
   Block Size of member drives              : 512 Bytes
   RAID level                               : 6 Reed-Solomon
   Unique Identifier                        : A0F0{number:04X}
   Status of Logical Device                 : Optimal
   Size                                     : 3429366 MB
   Parity space                             : 1143122 MB
   Stripe-unit size                         : 256 KB
   Read-cache setting                       : Enabled
   Read-cache status                        : On
   Write-cache setting                      : On when protected by battery/ZMM
   Write-cache status                       : On
   Partitioned                              : Yes
   Protected by Hot-Spare                   : No
   Bootable                                 : {"No" if number else "Yes"}
   Failed stripes                           : No
   Power settings                           : Disabled
{INNER}
   Logical Device segment information
{INNER}
{segments}
"""


def _drive(number: int) -> str:
    return f"""      Device #{number}
         Device is a Hard drive
         State                              : Online
         Block Size                         : 512 Bytes
         Supported                          : Yes
         Transfer Speed                     : SAS 6.0 Gb/s
         Reported Channel,Device(T:L)       : 0,{number}({number}:0)
         Reported Location                  : Enclosure {number // 24}, Slot {number % 24}(Connector 0)
         Reported ESD(T:L)                  : 2,0(0:0)
         Vendor                             : HGST
         Model                              : HUC10RCTL
         Firmware                           : RC02
         Serial number                      : RCTLA{number:05d}
         World-wide name                    : 5000CCA0{number:08X}
         Reserved Size                      : 956312 KB
         Used Size                          : 571392 MB
         Unused Size                        : 64 KB
         Total Size                         : 572325 MB
         Write Cache                        : Disabled (write-through)
         FRU                                : None
         S.M.A.R.T.                         : No
         S.M.A.R.T. warnings                : 0
         Power State                        : Full rpm
         Supported Power States             : Full rpm,Powered off
         SSD                                : No
         Temperature                        : {30 + number % 9} C/ 86 F
         NCQ status                         : Enabled

"""


def config(count: int) -> str:
    """``GETCONFIG 1 AL`` of a controller with this number of drives."""
    shares = [range(first, min(first + SPAN, count)) for first in range(0, count, SPAN)]
    return "".join(
        (
            FOUND,
            _controller(len(shares)),
            f"{RULE}\nLogical Device information\n{RULE}\n",
            *(_volume(number, share) for number, share in enumerate(shares)),
            f"\n{RULE}\nPhysical Device information\n{RULE}\n",
            *map(_drive, range(count)),
            END,
        )
    )
