"""Kernel log lines about drives: SCSI, ATA, NVMe and their block devices. Pure.

Formats from the kernel's drivers/scsi (sd.c, scsi_logging.c), drivers/ata (libata-eh.c, libata-core.c),
drivers/nvme/host (core.c, pci.c) and block/blk-core.c. For a drive without a RAID controller, this is the only log.
Of file systems (fs/ext4/super.c, fs/jbd2/journal.c, fs/xfs/xfs_message.c, fs/btrfs/messages.c), only errors count.
"""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl.vendor.events import LogReader

_NAME = r"(?P<device>(?:sd|vd|hd)[a-z]{1,4}|nvme\d{1,4}n\d{1,4})"
_BLOCK = r"(?P<device>(?:sd|vd|hd)[a-z]{1,4}|nvme\d{1,4}n\d{1,4}|md(?:_d)?\d{1,6}|dm-\d{1,6})"
"""Names in the lines of the block layer, which are also about arrays and logical volumes."""
_FORMS = (
    # sd 2:0:0:0: [sdc] Attached SCSI disk
    rf"sd \d+:\d+:\d+:\d+: \[{_NAME}\] (?P<fresh>Attached )",
    # sd 2:0:0:0: [sdc] tag#3 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=3s
    rf"sd \d+:\d+:\d+:\d+: \[{_NAME}\]",
    # sd 2:0:0:0: Power-on or device reset occurred
    r"(?:sd|scsi|ses|sr|st) (?:host)?\d+(?::\d+:\d+:\d+)?: ",
    # I/O error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2
    # blk_update_request: critical medium error, dev sdb, sector 2048
    rf"(?:blk_update_request: |print_req_error: |end_request: )?[A-Za-z/ -]{{3,40}} error, dev {_BLOCK}\b",
    # Buffer I/O error on dev sdb1, logical block 0, async page read
    # Buffer I/O error on dev md0, logical block 0, lost async page write
    rf"Buffer I/O error on (?:dev(?:ice)? )?{_BLOCK}",
    # ata3.00: exception Emask 0x0 SAct 0x8 SErr 0x0 action 0x0
    r"ata\d{1,4}(?:\.\d{1,3})?: ",
    # mpt2sas_cm0: fault_state(0x5854)!
    # SAS-2 controllers: the driver mpt3sas prints the name of its predecessor
    r"mpt[23]sas_cm\d{1,3}: ",
    # device-mapper: raid: Failed to read superblock of device at position 1
    # device-mapper: multipath: 253:0: Failing path 8:16.
    r"device-mapper: (?:raid|multipath|thin|cache|writecache|snapshots?|integrity): ",
    # bcache: bch_count_backing_io_errors() sdb: IO error on backing device, unrecoverable
    rf"bcache: bch_count_\w{{1,20}}errors\(\) {_BLOCK}",
    # EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0
    # EXT4-fs (md0): Remounting filesystem read-only
    rf"EXT[234]-fs (?:error|warning) \(device {_BLOCK}",
    rf"EXT[234]-fs \({_BLOCK}[^()]{{0,12}}\): (?i:remounting filesystem read-only|.{{0,40}}I/O error|shut)",
    # Aborting journal on device dm-0-8.
    rf"Aborting journal on device {_BLOCK}",
    # XFS (md0): metadata I/O error in "xfs_buf_ioend" at daddr 0x1 len 8 error 5
    # XFS (dm-3): Corruption of in-memory data detected. Shutting down filesystem
    rf"XFS \({_BLOCK}[^()]{{0,12}}\): (?i:.{{0,40}}(?:error|corrupt|shut))",
    # BTRFS error (device sdb1): bdev /dev/sdb1 errs: wr 1, rd 0, flush 0, corrupt 0, gen 0
    rf"BTRFS (?:error|critical|warning) \(device {_BLOCK}",
    # nvme0c0n1: I/O Cmd(0x2) @ LBA 2048, 8 blocks, I/O Error (sct 0x3 / sc 0x70)      one path of a namespace
    r"nvme\d{1,4}c\d{1,4}n\d{1,4}: ",
    # nvme nvme0: I/O 12 QID 3 timeout, aborting
    r"nvme (?:nvme\d{1,4}|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): ",
    # nvme0n1: I/O Cmd(0x2) @ LBA 2048, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR
    rf"{_NAME}: ",
)
KERNEL: tuple[re.Pattern[str], ...] = tuple(regex(form, re.ASCII) for form in _FORMS)

log: LogReader | None = None
"""None: only the kernel has a log of them."""
