"""The signatures of arcconf's outputs."""

from __future__ import annotations

from raidctl.vendor.recognise import Recogniser, Signature

TEXT, JSON = "text", "json"
_GETJSON = "arcconf getconfigJSON N"
_AD, _LD, _PD, _AR, _CN = (f"arcconf getconfig N {part}" for part in ("AD", "LD", "PD", "AR", "CN"))
_SIGNATURES = (
    *(
        Signature(_GETJSON, json_keys=keys, kind=JSON)
        for keys in (
            ("functionalMode", "controllerStatus"), ("readCachePercentage", "functionalMode"),
            ("consumerArrayID", "unUsedSpace"), ("logicalDriveID", "consumerArrayID"),
            ("logicalDriveID", "unUsedSpace"),
        )
    ),
    # Logical device Task:
    #    Current operation              : None
    Signature(
        "arcconf getstatus N",
        (r"(?i:logical device task:?)$", r"(?i:current operation\s*:)"),
        ("logical device task",),
        confidence=None,
    ),
    Signature("arcconf expanderlist N", own_labels=("expander sas address",)),
    Signature("arcconf phyerrorlog N", own_labels=("invalid dword count",)),
    Signature("arcconf phyerrorlog N device C D", own_labels=("sata phy event counters",)),
    *(Signature("arcconf getconfig N", parts=parts) for parts in ((_AD, _LD), (_AD, _PD), (_LD, _PD))),
    #   Controller 1:             : Optimal, Slot 8, HBA, MSCC Adaptec HBA 1100-16i, 8A246320899, 50000D1704B53280
    Signature("arcconf list", (r"(?i:Controller \d{1,3}\s*:\s*:\s*\S)",), confidence=None),
    Signature(
        _AD,
        (r"(?i:controller information)$",),
        (
            "channel description", "controller serial number", "installed memory", "defunct disk drive count",
            "logical devices/failed/degraded", "logical drives/offline/critical", "global task priority",
            "stayawake period", "controller battery information", "controller zmm information",
            "controller cache backup unit information", "spinup limit internal drives",
            "seeprom (load version/ flash version)", "overall backup unit status", "backup unit type",
            "non-volatile storage status", "supercap status", "current discovery protocol",
        ),
        confidence=None,
    ),
    Signature(
        _LD,
        (r"(?i:logical (?:device|drive) information)$",),
        (
            "status of logical device", "status of logical drive", "stripe-unit size", "protected by hot-spare",
            "failed stripes", "logical device segment information", "logical device name", "logical drive name",
            "write-cache setting", "read-cache setting", "volume unique identifier",
            "array physical device information", "array logical device information", "no logical devices configured",
        ),
        confidence=None,
    ),
    Signature(
        _PD,
        (r"(?i:physical (?:device|drive) information:?)$",),
        (
            "device is a hard drive", "reported channel,device(t:l)", "reported channel,device", "reported esd(t:l)",
            "reported location", "s.m.a.r.t. warnings", "drive has stale ris data", "negotiated physical link rate",
            "drive configuration type",
        ),
        confidence=None,
    ),
    Signature(_AR, (r"(?i:array information)$",), ("spare rebuild mode",), confidence=None),
    Signature(_CN, (r"(?i:connectors? information)$",), ("connector location",), confidence=None),
    # Controllers found: 1
    #   | ARCCONF |  Version 9.10 (B17444)
    Signature("arcconf getversion", (r"(?i:Controllers? found\s*:\s*\d)", r"\|\s*(?:ARCCONF|UCLI)\s*\|")),
)  # fmt: skip

sniff = Recogniser(TEXT, _SIGNATURES, tool="arcconf").sniff
