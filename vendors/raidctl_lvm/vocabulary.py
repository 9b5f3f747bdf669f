"""The words of lvs and of the kernel's dm-raid. Sources: lvs(8), lvmraid(7); Linux, device-mapper/dm-raid.rst."""

from __future__ import annotations

import re

from raidctl.model import RaidLevel, TaskState
from raidctl.model.task import Operation
from raidctl.text import regex

RAID_TYPES = "rRmM"
"""First letter of Attr: RAID and mirror; in capitals without initial synchronisation."""
IMAGE_TYPES = "iI"
"""First letter of Attr: an image; in capitals out of sync."""
HEALTH = {
    "-": "", "": "", "p": "partial", "r": "refresh needed", "m": "mismatches exist", "w": "writemostly",
    "s": "reshaping", "R": "remove after reshape", "X": "unknown",
}  # fmt: skip
"""Ninth letter of Attr, in lvs's own words (``lv_health_status``)."""
WORDS = frozenset({*HEALTH.values(), "repair needed", "refresh or repair needed"}) - {"unknown"}
"""``lv_health_status`` of RAID volumes; of other volumes also ``failed``, ``out_of_data``, ``metadata_read_only``."""
POOL_TROUBLE = {
    **dict.fromkeys(("F", "failed"), "has failed"),
    **dict.fromkeys(("D", "out_of_data"), "is out of data space: writes to it fail"),
    **dict.fromkeys(("M", "metadata_read_only"), "has metadata that is read-only"),
    **dict.fromkeys(("E", "error"), "reports an error"),
}
"""The same letter, and ``lv_health_status``, of thin pools, thin volumes and caches."""
STATES = ("", *"-asidhISmMcC")
"""Fifth letter of Attr. Any other, such as X, is a state that is unknown."""
STATE_TROUBLE = dict.fromkeys("cC", "has metadata that must be checked")
"""Fifth letter of Attr, of thin pools."""
INVALID_SNAPSHOT = ("I", "S", "Invalid", "Overflow")
"""Fifth letter of Attr, and the status of the target. Source of the latter: Linux, device-mapper/snapshot.rst."""
FAILED_MERGE = ("m", "M", "Merge")
"""The same, of a snapshot that could not be merged: ``Merge failed``."""
FULL = {
    "data_percent": "is out of data space: writes to it fail",
    "metadata_percent": "is out of space for metadata: writes to it fail",
}
"""Columns of a thin pool, and what 100 percent means. A thin volume or a cache may be full."""
NO_RAID = regex(r"pvmove\d+|.+_mlog", re.ASCII)
"""Volumes of segment type mirror that protect no data. They are moves in progress and logs of mirrors."""
POOL_REMEDY = "Read lvmthin(7) or lvmcache(7) before you repair it, and check the backup."
VDO_REMEDY = "Read lvmvdo(7) and the kernel's log (`dmesg`), and check the backup."
TARGET_TROUBLE = {
    "Fail": "has failed", "Error": "reports an error", "out_of_data_space": "is out of data space",
    "needs_check": "has metadata that must be checked", "ro": "has metadata that is read-only",
}  # fmt: skip
"""Words in the status of a cache or a thin pool. Source: Linux, device-mapper/cache.rst and thin-provisioning.rst."""
OPERATIONS: dict[str, Operation | None] = {
    "idle": None, "frozen": None, "resync": "resync", "recover": "recovery", "check": "check", "repair": "repair",
    "reshape": "reshape",
}  # fmt: skip
"""``raid_sync_action``."""
HALTED: dict[str, tuple[TaskState, str]] = {
    "idle": ("queued", "the kernel has not started it"),
    "frozen": ("paused", "the kernel has frozen it"),
}
"""Actions during which an incomplete copy makes no progress: state and reason."""
_LEVEL = regex(r"raid(10|0|1|4|5|6)(?:_[a-z0-9_]{1,8})?", re.ASCII)
_LEVELS: dict[str, RaidLevel] = {
    "0": "raid0", "1": "raid1", "4": "raid4", "5": "raid5", "6": "raid6", "10": "raid10", "mirror": "raid1",
}  # fmt: skip


def level_of(segtype: str) -> RaidLevel | None:
    """The level of a segment type: ``raid5_ls``, ``mirror``. None if it is not RAID.

    >>> level_of("raid6_zr"), level_of("linear")
    ('raid6', None)
    """
    match = _LEVEL.fullmatch(segtype)
    return _LEVELS.get(match[1] if match else segtype)
