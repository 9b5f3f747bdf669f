"""Whether a text is an output of smartctl."""

from __future__ import annotations

import re

from raidctl.vendor.protocol import Sniffed

_LOOKED_AT = 200_000
"""Characters that are looked at; a banner further down is not looked for."""

_BANNER = re.compile(r"^smartctl (?:version |pre-)?\d+\.\d+.*(?:\[|Copyright)", re.MULTILINE | re.ASCII)
_SECTION = re.compile(
    r"^(?:=== START OF (?:INFORMATION|READ SMART DATA|SMART DATA) SECTION ===|"
    r"SMART overall-health self-assessment test result: |SMART Health Status: |"
    r"Vendor Specific SMART Attributes with Thresholds:|SMART/Health Information \(NVMe Log 0x02)",
    re.MULTILINE,
)
_WEAK = re.compile(
    r"^(?:ID# +ATTRIBUTE_NAME +FLAGS? +VALUE WORST THRESH|Smartctl open device: \S+ failed: |"
    r"LU WWN Device Id: [0-9a-f] |Error counter log:\s*$|Background scan results log|"
    r"Protocol Specific port log page for SAS SSP|Current Drive Temperature: )",
    re.MULTILINE | re.ASCII,
)
_SCAN = re.compile(
    r"^(?:# )?(?:/|IOService:)\S+ -d [a-z]\S* # .*(?:ATA|SCSI|NVMe) device(?:$| open failed|\s*$)",
    re.MULTILINE | re.ASCII,
)
_JSON_VERSION = re.compile(r'"json_format_version"\s*:')
_JSON_TOOL = re.compile(r'"smartctl"\s*:\s*\{')
_JSON_KEYS = re.compile(
    r'"(?:ata_smart_attributes|nvme_smart_health_information_log|scsi_error_counter_log|smart_status)"\s*:\s*\{'
)
_JSON_DEVICE = re.compile(r'"device"\s*:\s*\{\s*"(?:name|info_name|type|protocol)"\s*:')
_JSON_PROTOCOL = re.compile(r'"protocol"\s*:\s*"(?:ATA|SCSI|NVMe)"')
_PROBES = (
    "smartctl ", "=== START OF ", "SMART overall-health", "SMART Health Status: ", "SMART Attributes with",
    "NVMe Log 0x02", "ATTRIBUTE_NAME", "Smartctl open", "LU WWN Device Id: ", "Error counter log:",
    "Background scan results", "Protocol Specific port", "Current Drive Temperature: ", " -d ",
)  # fmt: skip
"""One of these is in every text that the patterns find: looking for them takes a fraction of the patterns' time."""
_JSON_PROBES = (
    '"smartctl"', '"protocol"', '"ata_smart_attributes"', '"nvme_smart_health_information_log"',
    '"scsi_error_counter_log"', '"smart_status"',
)  # fmt: skip
_JSON_START = re.compile(r'[\ufeff\s]*(?:\{\s*(?:"|\}|$)|\[\s*(?:[\[{\]]|$))')


def is_json(text: str) -> bool:
    """Whether a text begins as a JSON object, or a list of them, does (a shell's ``[root@host ~]#`` does not)."""
    return _JSON_START.match(text) is not None


def sniff_smartctl(name: str, text: str) -> Sniffed | None:
    """Whether a loose text is an output of smartctl: kind ``smartctl`` or ``smartctl-json``.

    Looks at the content only: banners and section titles are unmistakable.
    """
    del name
    head = text[:_LOOKED_AT]
    if is_json(head):
        return _sniff_json(head) if any(probe in head for probe in _JSON_PROBES) else None
    if not any(probe in head for probe in _PROBES):
        return None
    if _BANNER.search(head):
        return Sniffed("smartctl", 95, "smartctl -a")
    if _SCAN.search(head):
        return Sniffed("smartctl", 90, "smartctl --scan")
    if _SECTION.search(head):
        return Sniffed("smartctl", 85, "smartctl -a")
    if _WEAK.search(head):
        return Sniffed("smartctl", 60, "smartctl -a")
    return None


def _sniff_json(head: str) -> Sniffed | None:
    if _JSON_TOOL.search(head) and _JSON_VERSION.search(head):
        scan = '"devices"' in head and '"device"' not in head.replace('"devices"', "")
        return Sniffed("smartctl-json", 95, "smartctl --scan --json" if scan else "smartctl --json -a")
    filtered = _JSON_DEVICE.search(head) and _JSON_PROTOCOL.search(head)
    if _JSON_TOOL.search(head) or filtered or len(set(_JSON_KEYS.findall(head))) >= 2:
        return Sniffed("smartctl-json", 70, "smartctl --json -a")
    return None
