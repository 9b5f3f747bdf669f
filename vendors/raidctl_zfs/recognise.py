"""The signatures of the outputs of zpool and zfs."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature

_STATUS = "zpool status"
_SIZE = r"(?:\d[\d.,]{0,20}[BKMGTPEZ]?|-)"
_HEALTH = "(?:ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|SUSPENDED)"
_SIGNATURES = (
    Signature(_STATUS, json_keys=("output_version", "pools", "vdevs")),
    Signature("zpool list -j", json_keys=("output_version", "pools", "properties")),
    Signature(
        _STATUS,
        (
            r"errors: No known data errors",
            r"errors: Permanent errors have been detected in the following files:",
            r"NAME\s+STATE\s+READ WRITE CKSUM",
            r"(?:see: )https?://\S*(?:zfs|sun\.com)\S*/msg/ZFS-8000-\w\w",
        ),
    ),
    Signature("zfs get", (r"NAME\s+PROPERTY\s+VALUE\s+SOURCE$",)),
    Signature("zpool list", (r"NAME\s+SIZE\s+(?:ALLOC|USED|AVAIL)\s(?:\s*FREE\b|.*\bHEALTH\b)",)),
    Signature("zpool list", (r"NAME\s+(?:[A-Z]{3,10}\s+){0,12}HEALTH\b",), confidence=Confidence.POSSIBLE),
    # tank    3.62T   1.20T   2.42T   -   -   5%  33%  1.00x   DEGRADED    -
    # of -H: its columns cannot be read, and that has to be reported
    Signature("zpool list -H", (rf"\S+\s+(?:{_SIZE}\s+){{3}}.*\s{_HEALTH}\s+(?:-|/\S*)$",),
              confidence=Confidence.LIKELY),
    Signature(_STATUS, (r"pool: \S", r"no pools available$", r"all pools are healthy$", r"pool '[^']+' is healthy$"),
              confidence=Confidence.POSSIBLE),
)  # fmt: skip

sniff = Recogniser("zpool", _SIGNATURES, tool=r"\b(?:zpool|zfs)\b").sniff
