"""The signatures of smartctl's outputs."""

from __future__ import annotations

from raidctl.text import regex
from raidctl.vendor.protocol import Confidence, Sniffed
from raidctl.vendor.recognise import Recogniser, Signature

_JSON_START = regex(r'[\ufeff\s]*(?:\{\s*(?:"|\}|$)|\[\s*(?:[\[{\]]|$))')
_ALL, _SCAN, _JSON = "smartctl -a", "smartctl --scan", "smartctl --json -a"
_TEXT = Recogniser(
    "smartctl",
    (
        # smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)
        Signature(_ALL, (r"smartctl (?:version |pre-)?\d+\.\d+.*(?:\[|Copyright)",)),
        # /dev/sda -d sat # /dev/sda [SAT], ATA device
        Signature(
            _SCAN,
            (r"(?:# )?(?:/|IOService:)\S+ -d [a-z]\S* # .*(?:ATA|SCSI|NVMe) device(?:$| open failed)",),
        ),
        Signature(
            _ALL,
            (
                r"=== START OF (?:INFORMATION|READ SMART DATA|SMART DATA) SECTION ===",
                r"SMART overall-health self-assessment test result: ",
                r"SMART Health Status: ",
                r"Vendor Specific SMART Attributes with Thresholds:",
                r"SMART/Health Information \(NVMe Log 0x02",
            ),
        ),
        Signature(
            _ALL,
            (
                r"ID# +ATTRIBUTE_NAME +FLAGS? +VALUE WORST THRESH",
                r"Smartctl open device: \S+ failed: ",
                r"LU WWN Device Id: [0-9a-f] ",
                r"Error counter log:$",
                r"Background scan results log",
                r"Protocol Specific port log page for SAS SSP",
                r"Current Drive Temperature: ",
            ),
            confidence=Confidence.LIKELY,
        ),
    ),
)
_HEALTH = ("ata_smart_attributes", "nvme_smart_health_information_log", "scsi_error_counter_log")
_KEYS = Recogniser(
    "smartctl-json",
    (
        Signature("smartctl --scan --json", json_keys=("smartctl", "json_format_version", "devices")),
        Signature(_JSON, json_keys=("smartctl", "json_format_version")),
        Signature(_JSON, json_keys=("smartctl", "exit_status"), confidence=Confidence.LIKELY),
        # parts of an output, as extracted with jq
        *(Signature(_JSON, json_keys=(key, "smart_status"), confidence=Confidence.LIKELY) for key in _HEALTH),
        *(
            Signature(_JSON, json_keys=("device", "protocol", key), confidence=Confidence.LIKELY)
            for key in ("name", "info_name", "type")
        ),
    ),
)


def is_json(text: str) -> bool:
    """Whether a text begins as a JSON object or list of objects. A shell's ``[root@host ~]#`` does not."""
    return _JSON_START.match(text) is not None


def sniff_smartctl(name: str, text: str) -> Sniffed | None:
    """Whether a loose text is an output of smartctl. The kind is ``smartctl`` or ``smartctl-json``."""
    return _KEYS.sniff(name, text) if is_json(text) else _TEXT.sniff(name, text)
