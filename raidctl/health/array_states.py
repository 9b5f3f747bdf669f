"""What the state of an array reports, besides that of its volumes. Pure."""

from __future__ import annotations

import re

from raidctl.model import Array
from raidctl.text import regex

_SHORT_OF = regex(r"(?<!predicted )\bfailed\b|\bmissing\b|degraded|interim|rebuild", re.IGNORECASE)
"""Words for an array that lacks a drive. The words for its volumes do not matter."""
_CHANGED = regex(r"migrat|expan|initiali[sz]|transform|reshap", re.IGNORECASE)


def lacks_a_drive(array: Array) -> bool:
    """Whether an array's own state means that a drive is missing, or not yet rebuilt."""
    words = array.status_text or ""
    return array.status == "critical" or (array.status == "warning" and _SHORT_OF.search(words) is not None)


def not_known_to_run(array: Array) -> bool:
    """Whether an array's own state is critical, or in words of unknown meaning. Its volumes may be reported ok."""
    return array.status == "critical" or (array.status == "unknown" and bool(array.status_text))


def being_changed(array: Array) -> bool:
    """Whether an array's own state means that it is migrated, expanded or initialized."""
    return _CHANGED.search(array.status_text or "") is not None
