"""The signatures of the outputs of lvs and dmsetup."""

from __future__ import annotations

from raidctl.vendor.recognise import Recogniser, Signature

_LVS = "lvs -a -o +devices"
_SIGNATURES = (
    Signature("lvs -a --reportformat json", json_keys=("report", "lv", "lv_name")),
    Signature(
        _LVS, (r"LV\s+VG\s+Attr\s+LSize\b", r"WARNING: VG \S+ is missing PV \S", r"WARNING: Device for PV \S+ not")
    ),
    Signature("dmsetup status", (r"\S+: \d+ \d+ (?:raid raid|mirror \d)",)),
    Signature("dmsetup status", (r"\S+: \d+ \d+ (?:linear|striped|thin|thin-pool|crypt|cache)\b",), every_line=True),
)

sniff = Recogniser("lvm", _SIGNATURES, tool=r"\b(?:lvs|dmsetup)\b").sniff
