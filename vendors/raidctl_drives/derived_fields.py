"""Details that give a neutral field as well. The tools' words remain as details."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from raidctl.model import Progress
from raidctl.text import attempt, regex
from raidctl.vendor.draft import Draft

_SECTORS = regex(r"(\d{3,6})(?: bytes)?(?: logical(?:/physical)?)?(?:, (\d{3,6}) bytes physical)?", re.ASCII)
_PERCENT = regex(r"(\d{1,3}) ?%?", re.ASCII)
_TESTED = regex(r"in progress\D{0,3}(\d{1,3})% ?(completed)?", re.ASCII | re.IGNORECASE)
_RECOVERY = regex(r"(?:\d+ )?\(?([\d.]{1,6}) seconds\)?", re.ASCII)
_SPARE, _MIN = "available_spare_percent", "available_spare_threshold_percent"
_LOG = "nvme_smart_health_information_log"


def _logical(text: str) -> int | None:
    """512 of ``512 bytes logical, 4096 bytes physical``."""
    match = _SECTORS.fullmatch(text.strip())
    size = int(match[1]) if match else 0
    return size if size in (512, 520, 528, 4096, 4160, 4224) else None


def _physical(text: str) -> int | None:
    match = _SECTORS.fullmatch(text.strip())
    return int(match[2] or match[1]) if match else None


def _percent(text: str) -> int | None:
    match = _PERCENT.fullmatch(text.strip())
    return int(match[1]) if match and int(match[1]) <= 100 else None


def _bits(text: str) -> int | None:
    value = int(text, 0)
    return value if 0 <= value < 256 else None


def _recovery(text: str) -> float | None:
    """Seconds of error recovery: 7.0 of ``70 (7.0 seconds)``.

    They are 0 of ``Disabled``: the drive tries as long as it takes.
    """
    match = _RECOVERY.fullmatch(text)
    return float(match[1]) if match else 0.0 if text in ("Disabled", "not supported", "false") else None


def _self_test(text: str) -> Progress | None:
    """70 of ``Self-test routine in progress 30% 252 -``, the rest; 28 of ``in progress (28% completed)``."""
    if "in progress" not in text.lower() or text.lower().startswith("no "):
        return None
    match = _TESTED.search(text)
    figure = min(float(match[1]), 100.0) if match else None
    percent = None if match is None or figure is None else figure if match[2] else 100 - figure
    return Progress(operation="self_test", percent=percent, state="running")


_FIELDS: Mapping[str, Sequence[tuple[str, Callable[[str], Any]]]] = {
    # Sector Sizes:     512 bytes logical, 4096 bytes physical
    "Sector Size": (("sector_bytes", _logical), ("physical_sector_bytes", _physical)),
    "Sector Sizes": (("sector_bytes", _logical), ("physical_sector_bytes", _physical)),
    "Logical block size": (("sector_bytes", _logical),),
    "Physical block size": (("physical_sector_bytes", _physical),),
    "logical_block_size": (("sector_bytes", _logical),),
    "physical_block_size": (("physical_sector_bytes", _physical),),
    "Namespace 1 Formatted LBA Size": (("sector_bytes", _logical),),
    # Logical  Sector size:                   512 bytes
    "Logical Sector size": (("sector_bytes", _logical),),
    "Physical Sector size": (("physical_sector_bytes", _physical),),
    "Logical/Physical Sector size": (("sector_bytes", _logical), ("physical_sector_bytes", _physical)),
    # Available Spare:                    100%
    **dict.fromkeys(
        ("Available Spare", "available_spare", "avail_spare", f"{_LOG}.available_spare"), ((_SPARE, _percent),)
    ),
    **dict.fromkeys(
        ("Available Spare Threshold", "available_spare_threshold", "spare_thresh", f"{_LOG}.available_spare_threshold"),
        ((_MIN, _percent),),
    ),
    **dict.fromkeys(
        ("Critical Warning", "critical_warning", f"{_LOG}.critical_warning"), (("critical_warning", _bits),)
    ),
    "SCT Error Recovery Control": (("error_recovery_seconds", _recovery),),
    "ata_sct_erc.read.enabled": (("error_recovery_seconds", lambda text: 0.0 if text == "false" else None),),
    "ata_sct_erc.read.deciseconds": (("error_recovery_seconds", lambda text: int(text) / 10),),
    "paths": (("paths", int),),
    # Self-test status: Extended self-test in progress (28% completed)
    # # 1  Extended offline    Self-test routine in progress 30%       252         -
    **dict.fromkeys(
        (
            "Self-test status",
            "Last self-test",
            "ata_smart_data.self_test.status.string",
            "nvme_self_test_log.current_self_test_operation.string",
        ),
        (("progress", _self_test),),
    ),
}


def derived(drafts: Iterable[Draft]) -> dict[str, Any]:
    """A drive's fields that follow from its details, with the evidence. The first of several drafts counts."""
    found: dict[str, Any] = {}
    for draft in drafts:
        for line, name, value in tuple(draft.evidence):
            for field, parse in _FIELDS.get(name[8:-1], ()) if name.startswith("details[") else ():
                known = attempt(parse, str(value))
                if known is not None and found.setdefault(field, known) == known:
                    draft.add_evidence(line, field, known)
    return found
