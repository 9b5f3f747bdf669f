"""md's words and their neutral values.

The words are from the sources of mdadm (maps.c, Detail.c) and of the kernel (md.c).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Operation, RaidLevel
from raidctl.text import regex

LEVELS: dict[str, RaidLevel] = {
    "linear": "linear", "raid0": "raid0", "raid1": "raid1", "raid4": "raid4", "raid5": "raid5", "raid6": "raid6",
    "raid10": "raid10", "stripe": "raid0", "mirror": "raid1", "-1": "linear",
    "0": "raid0", "1": "raid1", "4": "raid4", "5": "raid5", "6": "raid6", "10": "raid10",
    # DDF
    "RAID0": "raid0", "RAID1": "raid1", "RAID4": "raid4", "RAID5": "raid5", "RAID6": "raid6", "RAID1E": "raid1e",
    "JBOD": "jbod", "CONCAT": "linear",
}  # fmt: skip
NO_RAID = frozenset({"multipath", "faulty", "container", "mp", "-4", "-5", "-100"})
"""Personalities of md that are not a RAID level."""

OPERATIONS: dict[str, Operation] = {
    "recovery": "recovery", "recover": "recovery", "recovering": "recovery", "Rebuild": "recovery",
    "resync": "resync", "resyncing": "resync", "Resync": "resync",
    "reshape": "reshape", "reshaping": "reshape", "Reshape": "reshape",
    "check": "check", "checking": "check", "Check": "check",
    "repair": "repair",
}  # fmt: skip

_PARITY = {
    0: "left-asymmetric", 1: "right-asymmetric", 2: "left-symmetric", 3: "right-symmetric",
    4: "parity-first", 5: "parity-last",
}  # fmt: skip
_PARITY_6 = {
    **_PARITY,
    8: "ddf-zero-restart", 9: "ddf-N-restart", 10: "ddf-N-continue",
    16: "left-asymmetric-6", 17: "right-asymmetric-6", 18: "left-symmetric-6", 19: "right-symmetric-6",
    20: "parity-first-6",
}  # fmt: skip

# "Array Size : 20953088 (19.98 GiB 21.46 GB)"; the older tools print the number alone below 5000 KiB
_SIZED = regex(
    r"(\d{1,18})(?:\s+(KiB|sectors))?(?:\s+\((\d{1,9}\.\d\d) ([MGT])iB (\d{1,9}\.\d\d) [MGT]B\s*\))?\s*", re.ASCII
)
_MAX_MEMBERS = 4096
"""More members than md can have (1920). A text with more is damaged."""
_POWERS = {"M": 2, "G": 3, "T": 4}
_CHUNK = regex(r"(\d{1,12})\s?(K|KiB|k|kB|KB)\s*", re.ASCII)
_UUID = regex(r"[^\s:]{1,64}(?::[^\s:]{1,64}){0,7}")
_HEX = regex(r"[0-9a-f:]+")
_UUID_LENGTH = 35
_OLD_VERSION = regex(r"0*(\d{1,9})(?:\.0*(\d{1,9})(?:\.\d{1,9})?)?", re.ASCII)


def parity_layout(level: str, number: int) -> str | None:
    """The name of a RAID-5 or RAID-6 layout (``algorithm 2``). None if md itself prints none."""
    return {"5": _PARITY, "6": _PARITY_6}.get(level.removeprefix("raid"), {}).get(number)


def mirror_layout(number: int) -> str | None:
    """The name of a RAID-10 layout number: ``near=2``, ``far=2``, ``near=2, offset=2``."""
    near, far = number & 255, number >> 8 & 255
    words = [f"near={near}"] if near != 1 else []
    if far != 1:
        words.append(f"{'offset' if number & 0x10000 else 'far'}={far}")
    return ", ".join(words) or None


def size_in(text: str, units: Sequence[int]) -> int | None:
    """Bytes of ``20953088 (19.98 GiB 21.46 GB)``.

    ``units`` are the bytes that the bare number may count, the usual one first; the figure in brackets decides
    among them. None if the text is not a size.
    """
    match = _SIZED.fullmatch(text.strip())
    if not match:
        return None
    number = int(match[1])
    if match[2]:
        return number * {"KiB": 1024, "sectors": 512}[match[2]]
    if match[3]:
        power = int(1024 ** _POWERS[match[4]])
        for unit in units:
            if abs(number * unit / power - float(match[3])) < 0.02:
                return number * unit
    return number * units[0]


def chunk_bytes(text: str) -> int | None:
    """Bytes of ``512K``, ``64 KiB``; None if the text is not a size."""
    match = _CHUNK.fullmatch(text.strip())
    return int(match[1]) * 1024 if match else None


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID, masked or not. Several words, half a UUID and a free spare's zeros do not count."""
    return bool(_UUID.fullmatch(text)) and text.strip("0:") != "" and not is_half_uuid(text)


def is_half_uuid(text: str) -> bool:
    """Whether a UUID of four groups of eight digits was cut off. An example is ``1f2e3d4c:5b6a``."""
    return len(text) < _UUID_LENGTH and ":" in text and bool(_HEX.fullmatch(text))


def version(text: str) -> str | None:
    """The superblock format: ``1.2``. ``00.90.03`` and ``0.90.00`` are ``0.90``, ``01.02`` is ``1.2``, ``01`` is ``1``.

    None if the text is empty: mdadm prints it so for an array without superblocks.
    """
    match = _OLD_VERSION.fullmatch(text)
    if match:
        return f"{int(match[1])}.{int(match[2])}" if match[2] else str(int(match[1]))
    return text or None


def enough(level: RaidLevel | None, layout: str | None, working: Sequence[bool]) -> bool | None:
    """Whether an array of that level can run with these slots working. None if unknown."""
    gone = working.count(False)
    if not gone:
        return True
    if level in ("raid0", "linear"):
        return False
    if level == "raid1":
        return any(working)
    if level in ("raid4", "raid5"):
        return gone <= 1
    if level == "raid6":
        return gone <= 2
    if level == "raid10" and layout:
        return _enough_copies(layout, working)
    return None


def _enough_copies(layout: str, working: Sequence[bool]) -> bool | None:
    copies = {name: int(count) for name, count in re.findall(r"(near|far|offset)=(\d{1,3})", layout)}
    if not copies:
        return None
    near = max(1, copies.get("near", 1))
    total = near * max(1, copies.get("far", copies.get("offset", 1)))
    count = len(working)
    if total >= count:
        return any(working)
    if count > _MAX_MEMBERS:
        return None
    first = 0
    while True:
        if not any(working[(first + step) % count] for step in range(total)):
            return False
        first = (first + near) % count
        if first == 0:
            return True


BAD_BLOCKS = (
    "The member has entries in its bad block log.",
    "Read them with `mdadm --examine-badblocks`; the data there may be lost: check the file system.",
)
"""Problem and remedy for a member with blocks that md has given up."""
