"""Outputs of any length in the tools' formats. All names and numbers are made up."""

from __future__ import annotations

from collections.abc import Iterator


def controller(slot: int) -> str:
    """The head of a controller as ``ctrl all show config detail`` prints it."""
    return f"""
Smart Array P440ar in Slot {slot}
   Bus Interface: PCI
   Slot: {slot}
   Serial Number: RCTL0BENCH{slot:04d}
   Cache Serial Number: RCTLCACHE{slot:04d}
   RAID 6 (ADG) Status: Enabled
   Controller Status: OK
   Hardware Revision: B
   Firmware Version: 6.60
   Rebuild Priority: High
   Surface Scan Delay: 3 secs
   Cache Board Present: True
   Cache Status: OK
   Cache Ratio: 10% Read / 90% Write
   Drive Write Cache: Disabled
   Total Cache Size: 2.0 GB
   Total Cache Memory Available: 1.8 GB
   No-Battery Write Cache: Disabled
   Cache Backup Power Source: Batteries
   Battery/Capacitor Count: 1
   Battery/Capacitor Status: OK
   Driver Name: hpsa
   PCI Address (Domain:Bus:Device.Function): 0000:{slot:02x}:00.0
   Controller Mode: RAID
"""


def drive(slot: int, number: int, group: str) -> str:
    """A physical drive of a controller."""
    box, bay = divmod(number, 24)
    return f"""
      physicaldrive 1I:{box + 1}:{bay + 1}
         Port: 1I
         Box: {box + 1}
         Bay: {bay + 1}
         Status: OK
         Drive Type: {group}
         Interface Type: SAS
         Size: 900.1 GB
         Rotational Speed: 10000
         Firmware Revision: RC01
         Serial Number: RCTLD{slot:02d}{number:05d}
         Model: HP      EG0900RCTL
         Current Temperature (C): {28 + number % 9}
         Maximum Temperature (C): 45
         PHY Count: 2
         PHY Transfer Rate: 6.0Gbps, Unknown
"""


def volume(number: int) -> str:
    """A logical drive."""
    return f"""
      Logical Drive: {number}
         Size: 3.3 TB
         Fault Tolerance: 6
         Strip Size: 256 KB
         Full Stripe Size: 1024 KB
         Status: OK
         Caching:  Enabled
         Unique Identifier: 600508B1001C0000000000000000{number:04X}
         Disk Name: /dev/sd{chr(96 + number % 26 + 1)}
         Mount Points: None
         Logical Drive Label: RCTLV{number:04d}
         Drive Type: Data
         LD Acceleration Method: Controller Cache
"""


def smart_array(slots: range, drives: int) -> str:
    """``ctrl all show config detail`` of several controllers.

    Each controller has ``drives`` drives, six to an array.
    """

    def parts() -> Iterator[str]:
        for slot in slots:
            yield controller(slot)
            for number in range(drives):
                if number % 6 == 0:
                    letters = number // 6
                    name = (chr(64 + letters // 26) if letters >= 26 else "") + chr(65 + letters % 26)
                    yield f"\n   Array: {name}\n      Interface Type: SAS\n      Unused Space: 0  MB\n"
                    yield volume(letters + 1)
                yield drive(slot, number, "Data Drive")

    return "".join(parts())


def mdstat(arrays: int, members: int) -> str:
    """``/proc/mdstat`` with this number of RAID-6 arrays."""
    lines = ["Personalities : [raid6] [raid5] [raid4]"]
    for array in range(arrays):
        up = f"[{members}/{members}] [{'U' * members}]"
        names = " ".join(f"sd{chr(97 + n % 26)}{array + 1}[{n}]" for n in range(members))
        lines += [
            f"md{array} : active raid6 {names}",
            f"      {(members - 2) * 976630464} blocks super 1.2 level 6, 512k chunk, algorithm 2 {up}",
            "      bitmap: 0/8 pages [0KB], 65536KB chunk",
            "",
        ]
    return "\n".join([*lines, "unused devices: <none>", ""])


def areca(count: int) -> str:
    """``cli64 disk info`` with this number of drives."""
    rule = "=" * 79
    rows = "".join(
        f"{n + 1:>3} {n // 24 + 1:02d}  Slot#{n % 24 + 1:<2}  {'RCTL RA2000':<32} 2000.4GB  Raid Set # {n // 8:03d}\n"
        for n in range(count)
    )
    head = "  # Enc# Slot#   ModelName                        Capacity  Usage"
    return f"{head}\n{rule}\n{rows}{rule}\nGuiErrMsg<0x00>: Success.\n"


def threeware(count: int) -> str:
    """``tw_cli /c0 show`` with this number of drives, eight to a unit."""
    units = "".join(
        f"u{n:<4} RAID-6    OK             -       -       256K    11175.8   RiW    ON     \n"
        for n in range(-(-count // 8))
    )
    ports = "".join(
        f"p{n:<5} OK               u{n // 8:<5} 1.82 TB     3907029168    RCTLT{n:05d}        \n" for n in range(count)
    )
    return (
        "\nUnit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n"
        f"{'-' * 78}\n{units}"
        "\nPort   Status           Unit   Size        Blocks        Serial\n"
        f"{'-' * 63}\n{ports}\n"
    )
