"""Machines to compare `show` with the kernel and the real tools."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.lab.machine import MIB, Controller, Drive, Machine
from tests.lab.md import complete, rebuilding

# Our own tool for these controllers comes with raidctl; a server with only raidctl's files lacks it.
WITHOUT_OUR_TOOL = (
    f"rm -f {Path(sys.executable).with_name('raidctl-mfi')} /usr/local/bin/raidctl-mfi /usr/bin/raidctl-mfi"
)

# Arrays on partitions: number, level, members as drive and partition, and more words for `mdadm --create`.
# Clean from the start, since a resync of each would take long; the others follow below.
ON_PARTITIONS = (
    ("1", "1", "P1-1 P2-1", "--bitmap=internal"),
    ("5", "5", "P1-2 P2-2 P3-2", "--chunk=64 --layout=ls"),
    ("10", "10", "P1-3 P2-3 P3-3 P4-3", "--chunk=128"),
    ("11", "0", "P1-4 P2-4", "--chunk=32"),
    ("12", "linear", "P1-5 P2-5", ""),
    ("13", "5", "P1-6 P2-6 P3-6", "--chunk=64"),
    ("14", "1", "P1-7 missing", ""),
    ("15", "1", "P1-8 missing", ""),
    ("17", "5", "P1-9 P2-9 P3-9", "--write-journal=P4-9"),
)
PARTITIONS = 9
PARTITION = 16  # MiB

# Every program that a script starts costs a guest a tenth of a second, so nothing is computed there.
TABLE = "\\n".join(("label: gpt", *[f"size={PARTITION}MiB"] * PARTITIONS, ""))
MAKE_TABLES = f"""
for drive in P1 P2 P3 P4; do
  printf '{TABLE}' | sfdisk --quiet "/dev/disk/by-id/ata-LAB_DISK_4000_$drive"
done
udevadm settle
"""


def _part(name: str) -> str:
    """The partition "P1-2": the second one of the drive P1."""
    drive, number = name.split("-")
    return f"/dev/disk/by-id/ata-LAB_DISK_4000_{drive}-part{number}"


def _create(number: str, level: str, members: str, more: str) -> str:
    """The command that creates one array."""
    words = [name if name == "missing" else _part(name) for name in members.split()]
    option, journalled, journal = more.partition("=P4-")
    more = f"{option}={_part(f'P4-{journal}')}" if journalled else more
    clean = "" if level in ("0", "linear") or journalled else "--assume-clean"
    return (
        f"mdadm --create /dev/md{number} --quiet --run --level={level} -n{len(words)} {clean} {more} {' '.join(words)}"
    )


WHOLE = " ".join(f"/dev/disk/by-id/ata-LAB_DISK_2000_S{number}" for number in range(1, 6))
MAKE_ARRAYS = "\n".join(
    (
        MAKE_TABLES.strip(),
        f"mdadm --create /dev/md0 --quiet --run --level=6 -n4 --spare-devices=1 --assume-clean --chunk=64 {WHOLE}",
        *(_create(*array) for array in ON_PARTITIONS),
        complete("md17"),  # or the rebuild of md15, on the same drives, waits for it
        f"mdadm --quiet /dev/md13 --fail {_part('P3-6')}",
        # this rebuild lasts for all tests
        "echo 10 > /proc/sys/dev/raid/speed_limit_min; echo 10 > /proc/sys/dev/raid/speed_limit_max",
        f"mdadm --quiet /dev/md15 --add {_part('P2-8')}",
        rebuilding("md15"),
        "mkfs.ext4 -q /dev/md1; mkdir -p /srv/mirror; mount /dev/md1 /srv/mirror",
        "udevadm settle",
    )
)

MD = Machine(
    "md",
    "md arrays of every level over nine SATA drives; one degraded, one rebuilding, with spare, journal, bitmap",
    drives=(
        *(Drive(f"S{number}", model="LAB DISK 2000", rpm=7200, size=32 * MIB) for number in range(1, 6)),
        *(Drive(f"P{number}", model="LAB DISK 4000", rpm=5400, size=192 * MIB) for number in range(1, 5)),
    ),
    modules=("ahci", "sd_mod", "raid456", "raid1", "raid10", "raid0", "linear", "ext4"),
    prepare=(MAKE_ARRAYS,),
)

THIRTY = Machine(
    "thirty",
    "thirty SATA and SAS drives on five controllers, and a MegaRAID controller that no installed tool can read",
    drives=(
        *(Drive(f"T{number:02}", model="LAB DISK 2000", rpm=7200, size=8 * MIB) for number in range(24)),
        *(Drive(f"U{number:02}", bus="scsi", controller="sas", vendor="LAB", model="SAS 900", rpm=10000, size=8 * MIB,
                wwn=0x5000C50000000100 + number)  # which QEMU's controller requires before it shows a drive
          for number in range(6)),
        Drive("M1", bus="megasas", vendor="LAB", model="DISK M1", rpm=7200, size=8 * MIB),
    ),
    controllers=(
        *(Controller(f"ahci{number}", "ahci") for number in range(4)),
        Controller("sas", "mptsas"),
        Controller("raid", "megasas"),
    ),
    modules=("ahci", "mptsas", "megaraid_sas", "sd_mod"),
    prepare=(WITHOUT_OUR_TOOL,),
)  # fmt: skip

NO_TOOL = Machine(
    "no-tool",
    "a MegaRAID controller that the kernel drives, and no installed tool that can read it",
    drives=(Drive("M1", bus="megasas", vendor="LAB", model="DISK M1", rpm=7200),),
    controllers=(Controller("raid", "megasas"),),
    modules=("megaraid_sas", "sd_mod"),
    prepare=(WITHOUT_OUR_TOOL,),
)

MACHINES = (MD, THIRTY, NO_TOOL)
