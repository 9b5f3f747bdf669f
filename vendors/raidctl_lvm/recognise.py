"""The signatures of the outputs of lvs, pvs, vgs and dmsetup."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_lvm.columns import HEADINGS

_LVS = "lvs -a -o +devices"
_ATTR = "[-a-zA-Z][-rwR][-acilnACILN][-m][-a-zA-Z][-oX][-a-zA-Z]{3}[-k]"
_SIGNATURES = (
    Signature("lvs -a --reportformat json", json_keys=("report", "lv", "lv_name")),
    Signature("pvs --reportformat json", json_keys=("report", "pv", "pv_name")),
    Signature("vgs --reportformat json", json_keys=("report", "vg", "vg_name")),
    Signature(
        _LVS, (r"LV\s+VG\s+Attr\s+LSize\b", r"WARNING: VG \S+ is missing PV \S", r"WARNING: Device for PV \S+ not")
    ),
    Signature("lvs -a -o name,attr,copy_percent,devices", (HEADINGS,)),
    Signature("pvs", (r"PV\s+VG\s+Fmt\s+Attr\s+PSize\b",)),
    Signature("vgs", (r"VG\s+#PV\s+#LV\s+#SN\s+Attr\s+VSize\b",)),
    Signature("dmsetup status", (r"\S+: \d+ \d+ (?:raid raid|mirror \d)",)),
    # data vg0 rwi-aor-p- 10.00g      of --noheadings: its columns cannot be read, and that has to be reported
    Signature("lvs --noheadings", (rf"\S+\s+\S+\s+{_ATTR}\s+[<>]?\d",), confidence=Confidence.LIKELY),
    Signature("dmsetup status", (r"\S+: \d+ \d+ (?:linear|striped|thin|thin-pool|crypt|cache)\b",), every_line=True),
)

sniff = Recogniser("lvm", _SIGNATURES, tool=r"\b(?:lvs|pvs|vgs|dmsetup)\b").sniff
