"""The signatures of the outputs of zpool and zfs."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature

_STATUS = "zpool status"
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
    Signature(_STATUS, (r"pool: \S", r"no pools available$", r"all pools are healthy$", r"pool '[^']+' is healthy$"),
              confidence=Confidence.POSSIBLE),
)  # fmt: skip

sniff = Recogniser("zpool", _SIGNATURES, tool=r"\b(?:zpool|zfs)\b").sniff
