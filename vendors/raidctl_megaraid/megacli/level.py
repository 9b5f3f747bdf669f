"""``RAID Level: Primary-1, Secondary-0, RAID Level Qualifier-0``: the numbers of SNIA DDF.

The primary level is the one inside a span. A volume of several spans is striped over them, so the level gets a zero
behind it. Newer firmware prints spans in ``Span Depth`` alone and leaves ``Secondary-0``; older firmware also prints
``Secondary-3``, which is DDF's word for spanned. A single mirror and a striped one have no other difference.
"""

from __future__ import annotations

import re

from raidctl.model import RaidLevel
from raidctl.text import regex
from raidctl_megaraid.vocabulary import has_value, raid_level

_NUMBERS = regex(
    r"primary\s*-\s*(\d{1,3})\s*,\s*secondary\s*-\s*(\d{1,3})(?:\s*,\s*raid\s*level\s*qualifier\s*-\s*(\d{1,3}))?",
    re.IGNORECASE | re.ASCII,
)
_SINGLE: dict[int, RaidLevel] = {
    0: "raid0", 1: "raid1", 4: "raid4", 5: "raid5", 6: "raid6",
    # 0x11, integrated mirroring enhanced; some versions print the number in hexadecimal
    17: "raid1e", 11: "raid1e",
    15: "jbod",
    # 0x1F, concatenation
    31: "linear",
}  # fmt: skip
_SPANNED: dict[int, RaidLevel] = {
    # RAID 00: stripes over stripes protect no more than one stripe
    0: "raid0", 1: "raid10", 5: "raid50", 6: "raid60", 17: "raid10", 11: "raid10",
}  # fmt: skip
_BARE = regex(r"\d{1,2}(?:E0?)?", re.IGNORECASE | re.ASCII)


def level(text: str, depth: int | None) -> RaidLevel | None:
    """The level of a volume; ``depth`` is its number of spans. None if the level depends on it and it is unknown.

    Raises:
        ValueError: Unknown numbers or words.
    """
    match = _NUMBERS.fullmatch(text.strip().rstrip("."))
    if match is None:
        return plain_level(text)
    primary, secondary = int(match[1]), int(match[2])
    spanned = secondary == 3 or (depth is not None and depth > 1)
    if primary not in _SINGLE or (spanned and primary not in _SPANNED):
        raise ValueError(f"not a RAID level of this tool: {text!r}")
    if spanned:
        return _SPANNED[primary]
    if depth is None and primary in _SPANNED and primary != 0:
        return None
    return _SINGLE[primary]


def plain_level(text: str) -> RaidLevel | None:
    """``10``, ``RAID-5``; None if not reported. ValueError for another word."""
    bare = text.strip()
    if not has_value(bare):
        return None
    return raid_level(f"raid{bare}" if _BARE.fullmatch(bare) else bare)
