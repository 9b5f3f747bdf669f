"""Superblocks of bcache as ``make-bcache`` writes them, after the kernel's bcache_ondisk.h."""

from __future__ import annotations

import struct

PLACE = 4096
"""Bytes before the superblock."""
MAGIC = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
_CACHE, _BACKING = 3, 1
_BLOCK = 8  # sectors
_BUCKET = 32  # sectors; the kernel requires 1024 of them or more
_DATA = 16  # sectors before the data of a backing device
_KEYS = 256


def backing(uuid: bytes) -> bytes:
    """The superblock of the device whose data is cached."""
    return _sealed(_BACKING, uuid, bytes(16), struct.pack("<QHHHH", _DATA, _BLOCK, 0, 0, 0), first=0)


def cache(uuid: bytes, set_uuid: bytes, size: int) -> bytes:
    """The superblock of the only cache of a set; ``size`` in bytes."""
    geometry = struct.pack("<QHHHH", size // 512 // _BUCKET, _BLOCK, _BUCKET, 1, 0)
    return _sealed(_CACHE, uuid, set_uuid, geometry, first=1)


def _sealed(version: int, uuid: bytes, set_uuid: bytes, geometry: bytes, *, first: int) -> bytes:
    """The superblock from its offset to its keys. The checksum is in front."""
    body = struct.pack("<QQ16s16s16s32sQQ64s", PLACE // 512, version, MAGIC, uuid, set_uuid, b"", 0, 0, b"")
    body += geometry + struct.pack("<IHH", 0, first, 0)
    return struct.pack("<Q", crc64(body)) + body + bytes(8 * _KEYS)


def crc64(data: bytes) -> int:
    """ECMA-182, begun with ones and inverted at the end.

    >>> hex(crc64(b"123456789"))
    '0x62ec59e3f1a4f00a'
    """
    crc = (1 << 64) - 1
    for byte in data:
        crc ^= byte << 56
        for _ in range(8):
            crc = (crc << 1 ^ (0x42F0E1EBA9EA3693 if crc >> 63 else 0)) & (1 << 64) - 1
    return crc ^ (1 << 64) - 1
