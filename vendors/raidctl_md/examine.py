"""``mdadm --examine``: the metadata format decides which module reads the output.

A drive with a partition table but no metadata is recognised by the labels of super-mbr.c and super-gpt.c.
"""

from __future__ import annotations

from raidctl.evidence import mark_read
from raidctl.text import regex
from raidctl.vendor.draft import Complaint
from raidctl_md import ddf, imsm, superblock
from raidctl_md.draft import Reading
from raidctl_md.label_lines import pair_of
from raidctl_md.split_outputs import Section

_TABLE_LABELS = regex(r"\s*(?:MBR Magic|GPT Magic|GPT Revision|Partition\[\d{1,3}\]) :")


def read(section: Section, reading: Reading) -> None:
    """Read one examined device with the module of its metadata format."""
    for line in section.lines:
        pair = pair_of(line)
        if pair and pair.label == "Magic":
            if pair.value.startswith("Intel Raid"):
                imsm.read(section, reading)
                return
            if pair.value == "de11de11":
                ddf.read(section, reading)
                return
            break
        if _TABLE_LABELS.match(line.text):
            _partition_table(section, reading)
            return
    superblock.read(section, reading)


def _partition_table(section: Section, reading: Reading) -> None:
    # "   MBR Magic : aa55", "Partition[0] :      2097152 sectors at         2048 (type 83)"
    for line in section.lines:
        if _TABLE_LABELS.match(line.text):
            mark_read(line)
    where = section.node or section.output.command
    message = f"{where} has a partition table and no RAID metadata; its partitions may be members."
    reading.complaints.append((where, Complaint("info", "note", message)))
