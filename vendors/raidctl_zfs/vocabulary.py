"""The words of zpool, and what they mean. OpenZFS: man/man7/zpoolconcepts.7, cmd/zpool/zpool_main.c."""

from __future__ import annotations

import re

from raidctl.model import Health, VolumeStatus
from raidctl.text import regex

POOL: dict[str, VolumeStatus] = {
    "ONLINE": "ok",
    "DEGRADED": "degraded",
    "FAULTED": "failed",
    "UNAVAIL": "failed",
    "SUSPENDED": "failed",
    "SPLIT": "failed",
    "OFFLINE": "offline",
    "REMOVED": "offline",
}
"""The state of a pool."""
VDEV: dict[str, Health] = {
    "ONLINE": "ok",
    "AVAIL": "ok",
    "INUSE": "ok",
    "DEGRADED": "warning",
    "FAULTED": "critical",
    "UNAVAIL": "critical",
    "SUSPENDED": "critical",
    # split into new pool
    "SPLIT": "critical",
    "OFFLINE": "critical",
    "REMOVED": "critical",
    # -j prints the constants of the library, not its words
    "CANT_OPEN": "critical",
    "CLOSED": "critical",
}
"""The state of a vdev or a device."""
OF_SPARE = ("AVAIL", "INUSE")
"""States that only a spare has."""
LOST = regex(r"additional devices are known to be part of this pool", re.IGNORECASE)
"""The beginning of the message of ``zpool import`` that it could not find all vdevs."""
PARITY = {
    "raidz": 1, "raidz1": 1, "raidz2": 2, "raidz3": 3, "draid": 1, "draid1": 1, "draid2": 2, "draid3": 3,
}  # fmt: skip
"""How many devices a vdev with parity can lose."""
COPIES = ("mirror", "spare", "replacing")
"""Vdevs that work while one of their devices does."""
# mirror-0   raidz2-1   draid1:7d:8c:0s-0   replacing-1   spare-0   mirror (before 2010)
INTERIOR = regex(
    r"(mirror|spare|replacing|indirect|raidz[123]?|draid[123]?(?=[:-]|$)(?!-\d+-\d))(?::[0-9a-z:]{1,40})?(?:-\d+)?",
    re.ASCII,
)
GROUPS = {"logs": "log", "cache": "cache", "l2cache": "cache", "spares": "spare", "special": "special",
          "dedup": "dedup"}  # fmt: skip
"""Titles of the parts of a pool that are not ordinary data."""
DATA = ("data", "special", "dedup")
"""Parts without which the pool is lost."""
HARMLESS = (
    "some supported", "the pool is formatted using a legacy", "the pool is formatted using an older",
    "one or more devices are configured to use a non-native block size", "one or more devices is currently being",
    "one or more devices are currently being", "one or more devices have been sequentially resilvered",
    "one or more features are enabled on the pool despite", "the pool was last accessed",
)  # fmt: skip
"""Beginnings of the texts about healthy pools, in lower case.

Two hosts that have imported one pool ("Mismatch between pool hostid"), and errata of the format, can lose data.
"""
WORKING = regex(r"\(?(?:awaiting resilver|resilvering|rebuilding)\)?")
"""The remark of a device that is being filled."""
QUIET = regex(
    r"\(?\b(?:repairing|removing|non-allocating|trimming|untrimmed|trim unsupported|initializing|uninitialized"
    r"|resilvering|awaiting resilver|rebuilding|\d{1,3}% (?:trimmed|initialized)\b[^()]{0,80})(?:\)|$)"
    r"|block size: \S+ configured, \S+ native|[\d.]{1,9}[KMGTPE]? resilvered|currently in use"
    r"|in use by pool '[^']{1,256}'|SPARED|ACTIVE"
)
"""Remarks that leave a good device good. Any other, such as ``corrupted data``, leaves its state unknown."""
