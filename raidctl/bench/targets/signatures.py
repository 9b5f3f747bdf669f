"""Find known signatures in the first and last MiB of a device. Pure.

This complements libblkid, which recognises more signatures. Without libblkid, only a device that is empty, or was
written by raidctl's benchmark, counts as free (`foreign`).

Sources: the on-disk formats as documented in the kernel's Documentation, its headers under include/uapi/linux, and the
projects' own descriptions.
"""

from __future__ import annotations

from zlib import crc32

from raidctl.bench.blocks import HEADER, HEADER_BYTES, MAGIC, SECTOR

EDGE = 1 << 20
"""Bytes that are read at either end."""

_KIB = 1 << 10
# name, offset from the beginning in bytes, the bytes
_HEAD: tuple[tuple[str, int, bytes], ...] = (
    ("a LUKS container", 0, b"LUKS\xba\xbe"),
    ("a LUKS container", 16 * _KIB, b"SKUL\xba\xbe"),
    ("an XFS file system", 0, b"XFSB"),
    ("an ext2, ext3 or ext4 file system", 1080, b"\x53\xef"),
    ("a btrfs file system", 64 * _KIB + 64, b"_BHRfS_M"),
    ("a bcachefs or bcache member", 4 * _KIB + 24, bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")),
    ("a bcachefs file system", 4 * _KIB + 24, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef")),
    ("a GFS2 file system", 64 * _KIB, b"\x01\x16\x19\x70"),
    ("an F2FS file system", _KIB, b"\x10\x20\xf5\xf2"),
    ("a NILFS2 file system", _KIB + 6, b"\x34\x34"),
    ("a JFS file system", 32 * _KIB, b"JFS1"),
    ("a ReiserFS file system", 64 * _KIB + 52, b"ReIsEr"),
    ("an OCFS2 file system", 4 * _KIB, b"OCFSV2"),
    ("an EROFS file system", _KIB, b"\xe2\xe1\xf5\xe0"),
    ("a squashfs file system", 0, b"hsqs"),
    ("an ISO 9660 file system", 32 * _KIB + 1, b"CD001"),
    ("a UDF file system", 32 * _KIB + 1, b"BEA01"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a FAT file system", 54, b"FAT"),
    ("a FAT file system", 82, b"FAT32"),
    ("an HFS+ file system", _KIB, b"H+"),
    ("an HFS file system", _KIB, b"BD"),
    ("an md superblock", 0, b"\xfc\x4e\x2b\xa9"),
    ("an md superblock", 4 * _KIB, b"\xfc\x4e\x2b\xa9"),
    ("a device-mapper cache or snapshot", 0, b"SnAp"),
    ("an Oracle ASM disk", 32, b"ORCLDISK"),
    ("a VDO volume", 0, b"dmvdo001"),
    ("a Stratis pool", 512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("a BitLocker volume", 3, b"-FVE-FS-"),
    ("a partition table (DOS)", 510, b"\x55\xaa"),
    ("a partition table (GPT)", 512, b"EFI PART"),
    ("a partition table (GPT)", 4 * _KIB, b"EFI PART"),
    ("a partition table (Apple)", 512, b"PM\x00\x00"),
    ("a disk label (BSD)", 512, b"\x57\x45\x56\x82"),
)
# the same, with the offset before the end
_TAIL: tuple[tuple[str, int, bytes], ...] = (
    ("a partition table (GPT, second copy)", 512, b"EFI PART"),
    ("a partition table (GPT, second copy)", 4 * _KIB, b"EFI PART"),
    ("RAID metadata (DDF)", 512, b"\xde\x11\xde\x11"),
    ("RAID metadata (DDF)", 512, b"\x11\xde\x11\xde"),
    ("RAID metadata (Intel)", 1024, b"Intel Raid ISM Cfg Sig. "),
    ("an md superblock", 8 * _KIB, b"\xfc\x4e\x2b\xa9"),
    ("DRBD metadata", 4 * _KIB + 60, b"\x83\x74\x02\x6d"),
)
_PAGES = (4096, 8192, 16384, 65536)
_LVM_SECTORS = 4
_OLD_MD = 64 * _KIB
_UBERBLOCK = (b"\x0c\xb1\xba\x00\x00\x00\x00\x00", b"\x00\x00\x00\x00\x00\xba\xb1\x0c")
_LABEL = 128 * _KIB


def marks(head: bytes, tail: bytes, size: int) -> list[str]:
    """Return the signatures in the first and last MiB, each once.

    Args:
        head: From the first byte on, up to `EDGE` bytes.
        tail: Up to the last byte.
        size: Of the whole device, bytes.
    """
    found = [what for what, at, mark in _HEAD if head[at : at + len(mark)] == mark]
    found += [what for what, before, mark in _TAIL if before <= len(tail) and _at(tail, before, mark)]
    found += [*_lvm(head), *_swap(head), *_md_before_end(tail, size), *_zfs(head, tail, size)]
    return list(dict.fromkeys(found))


def _at(tail: bytes, before: int, mark: bytes) -> bool:
    at = len(tail) - before
    return tail[at : at + len(mark)] == mark


def _lvm(head: bytes) -> list[str]:
    """LVM: the label is in one of the first four sectors."""
    sectors = (head[at : at + 8] for at in range(0, _LVM_SECTORS * SECTOR, SECTOR))
    return ["an LVM physical volume"] if b"LABELONE" in sectors else []


def _swap(head: bytes) -> list[str]:
    """Swap signature at the end of the first page. The page size of the machine that made it does not matter."""
    ends = {head[page - 10 : page] for page in _PAGES}
    return ["a swap area"] if ends & {b"SWAPSPACE2", b"SWAP-SPACE", b"S1SUSPEND\0", b"S2SUSPEND\0"} else []


def _md_before_end(tail: bytes, size: int) -> list[str]:
    """An md superblock before the end of the device.

    Version 0.90 is 64 KiB before the end, rounded down to 64 KiB. Version 1.0 is 8 KiB before it, rounded down to 4
    KiB.
    """
    places = ((size // _OLD_MD - 1) * _OLD_MD, (size // SECTOR - 16) // 8 * 8 * SECTOR)
    start = size - len(tail)
    for place in places:
        if place >= start and tail[place - start :][:4] in (b"\xfc\x4e\x2b\xa9", b"\xa9\x2b\x4e\xfc"):
            return ["an md superblock"]
    return []


def _zfs(head: bytes, tail: bytes, size: int) -> list[str]:
    """ZFS: four labels of 256 KiB, two at either end. The second half of each is a ring of uberblocks."""
    start = size - len(tail)
    end = size // (2 * _LABEL) * (2 * _LABEL) - start
    rings = [head[_LABEL : 2 * _LABEL], head[3 * _LABEL : 4 * _LABEL]]
    rings += [tail[max(0, end - back) : max(0, end - back + _LABEL)] for back in (_LABEL, 3 * _LABEL)]
    for ring in rings:
        if any(ring[at : at + 8] in _UBERBLOCK for at in range(0, len(ring), 1024)):
            return ["a member of a ZFS pool"]
    return []


def foreign(head: bytes, tail: bytes) -> str | None:
    """Why the ends of a device are not free. This serves if only they can be read. None: zeros or raidctl's blocks.

    Unknown content is never safe: it may belong to a database.
    """
    for where, data in (("first", head), ("last", tail)):
        for at in range(0, len(data), SECTOR):
            sector = data[at : at + SECTOR]
            if any(sector) and not _ours(sector):
                place = at if where == "first" else at - len(data)
                return f"its {where} MiB holds data that raidctl did not write (sector at byte {place})"
    return None


def _ours(sector: bytes) -> bool:
    """Whether a sector has a valid header of raidctl."""
    if len(sector) < SECTOR or not sector.startswith(MAGIC):
        return False
    return crc32(sector[: HEADER.size]) == int.from_bytes(sector[HEADER.size : HEADER_BYTES], "little")
