"""Table of fields that change without an event, with the reasons.

Three ways to ignore them. ``drop``: the field becomes null. ``mask``: the text is kept, changing figures (percentages,
times) become ``…``. ``labels``: of facts with a tool's own labels, measured and counted ones are dropped, settings and
names kept.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from raidctl.text import regex

How = Literal["drop", "mask", "labels"]


class Noise(NamedTuple):
    """A field that is noise, with the reason."""

    kind: str
    """Of object: ``host``, ``controller``, ``battery``, ``array``, ``volume``, ``drive``, ``problem``."""
    field: str
    how: How
    why: str


NOISE: tuple[Noise, ...] = (
    Noise("host", "collected_at", "drop", "two snapshots differ in time by definition; never compared"),
    Noise("host", "source", "drop", "how it was read, not what it is; never compared; becomes the word snapshot"),
    Noise("battery", "charge_percent", "drop", "goes down and up in normal use; status shows when it matters"),
    Noise("battery", "temperature_celsius", "drop", "follows the room temperature"),
    Noise("battery", "voltage_volts", "drop", "follows charge and load"),
    Noise("battery", "next_learn_at", "drop", "changes after each learn cycle"),
    Noise("drive", "temperature_celsius", "drop", "follows room temperature and load"),
    Noise("drive", "power_on_hours", "drop", "counts the hours"),
    Noise("volume", "progress.percent", "drop", "changes constantly; the operation itself is compared"),
    Noise("volume", "progress.remaining_seconds", "drop", "as above"),
    Noise("volume", "progress.rate_bytes", "drop", "as above"),
    Noise("volume", "progress.state", "drop", "depends on the work of other volumes"),
    Noise("volume", "progress.reason", "drop", "as above"),
    Noise("drive", "progress.percent", "drop", "as for a volume"),
    Noise("drive", "progress.remaining_seconds", "drop", "as above"),
    Noise("drive", "progress.rate_bytes", "drop", "as above"),
    Noise("drive", "progress.state", "drop", "as above"),
    Noise("drive", "progress.reason", "drop", "as above"),
    Noise(
        "volume", "cache.write_protected", "drop", "derived from controller_cache and drive_caches, which are compared"
    ),
    Noise("controller", "patrol_read.next_at", "drop", "changes after each run"),
    Noise("controller", "consistency_check.next_at", "drop", "as above"),
    Noise("volume", "consistency_check.next_at", "drop", "as above"),
    Noise("controller", "status_text", "mask", "may contain progress; status shows when it matters"),
    Noise("controller", "cache.status_text", "mask", "as above"),
    Noise("controller", "patrol_read.status_text", "mask", "as above"),
    Noise("controller", "patrol_read.state", "drop", "changes with each run"),
    Noise("controller", "consistency_check.status_text", "mask", "as above"),
    Noise("battery", "status_text", "mask", "as above"),
    Noise("array", "status_text", "mask", "as above"),
    Noise("volume", "status_text", "mask", "as above; and clean and active change with every write"),
    Noise("volume", "consistency_check.status_text", "mask", "as above"),
    Noise("volume", "cache.why_not_in_force", "mask", "may contain a charge in percent"),
    Noise("drive", "status_text", "mask", "may contain progress"),
    Noise("problem", "message", "mask", "may contain progress, charge, temperatures"),
    Noise("controller", "details", "labels", "clocks, temperatures, counters in the tool's own words"),
    Noise("controller", "cache.details", "labels", "as above"),
    Noise("battery", "details", "labels", "as above, and charge, current, capacity"),
    Noise("array", "details", "labels", "as above"),
    Noise("volume", "details", "labels", "as above, and progress"),
    Noise("drive", "details", "labels", "as above: hours, blocks read and written, start-stop cycles"),
)
"""Everything else is compared: status, error counters, wear, devices, mounts, settings, firmware."""

SOURCE = "snapshot"
"""The source of a snapshot without noise."""

_FIGURES = regex(
    r"(?:\d+(?:[.,]\d+)?|#)(?=\s*(?:%|percent|°|deg(?:rees)?\b|celsius\b|C\b|min(?:utes?)?\b|hours?\b|sec(?:onds?)?\b))"
    r"|(?<![\w:.])\d{1,2}:\d{2}(?::\d{2})?(?![\w:.])",
    re.IGNORECASE | re.ASCII,
)
_IDLE_OR_NOT = regex(r"^(?:clean|active|active-idle|write-pending)(?=$|,)")
"""State words of a working software array. They depend on whether it is being written to."""

_LABELS = regex(
    r"\btemp(?:erature)?\b|temperature|celsius|thermal|voltage|\bvolts?\b|\brpm\b|power.?on|hours|uptime|progress"
    r"|% ?complete|percent complete|remaining|elapsed|time.?left|time to (?:empty|full)|finish|estimated|current value"
    r"|^(?:(?:system|update|current|local|device|controller|ctrl|host|boot)\b.*)?\b(?:time|date)\b|^last|gas ?gauge"
    r"|(?:errors?|failures?|crc|shield|retry|retries|shutdowns?|events?|cycles?|aborts?|resets?|start.?stop|load|park)"
    r"[ _-]*(?:count(?:er)?s?)\b|\bcounter\b|_count$|cycles\b|shutdowns$|_errors$|errors (?:un)?corrected"
    r"|\b(?:un)?corrected\b|(?:read|write|written|units|blocks|lbas|sectors)[ _-](?:commands|read|written)"
    r"|lbas_(?:read|written)|busy.time|^%|^(?:gigabytes|non-medium)|processed|state of charge|capacity remain"
    r"|^(?:events?|generation|checksum|speed|done|bitmap pages)$",
    re.IGNORECASE | re.ASCII,
)
"""Words in labels of measured or counted values."""
_WHILE_IT_RUNS = frozenset({"sync_completed", "reshape_position"})
"""Labels with a figure while an operation is running, else a word."""
_SET = regex(
    r"setting|polic(?:y|ies)|frequency|interval|delay|period|threshold|\btrip\b|limit|spinup|creation|manufact|mfg|design"
    r"|specified|serial|version|\bids?\b|number|assmno|no$|\bfru\b|\btype|\bsize|\binfo|\bpack\b",
    re.IGNORECASE | re.ASCII,
)
"""Words in labels of settings and constants, whatever else the label contains."""
_ATTRIBUTE = regex(r"^[A-Z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$", re.ASCII)
"""Labels of ATA attributes: ``Spin_Up_Time``."""
_FIGURE = regex(r"^[+-]?\d[\d.,' ]*(?:/\d+)?(?: \(.*\))?$", re.ASCII)
_MEASURED = regex(
    r"^[+-]?\d+(?:[.,]\d+)?(?:\s*°|\s*(?:deg(?:rees)?|[Cc]elsius|[Ff]ahrenheit|[Kk]elvin|mV|mA|mAh|rpm|RPM)\b|\s+[CFVJW]\b)"
    r"|(?<![\w:])\d{1,2}:\d{2}:\d{2}(?![\w:.])|\d\s*[KM]B?/sec\b|\d\s*%.*\b(?:left|complete|progress)"
    r"|[Pp]rogress\b.*\d\s*%",
)
_OF_BATTERIES = regex(r"^[+-]?\d+(?:[.,]\d+)?\s*(?:%|[A-Za-z]{1,5})?$", re.ASCII)


def masked(text: str) -> str:
    """A text without figures that change.

    >>> masked("Recovering, 37.25% complete"), masked("RAID 6 of 4 drives"), masked("active, degraded")
    ('Recovering, …% complete', 'RAID 6 of 4 drives', 'clean, degraded')
    """
    return _FIGURES.sub("…", _IDLE_OR_NOT.sub("clean", text))


def is_measured(kind: str, label: str, value: str) -> bool:
    """Whether a value with a tool's own label is measured or counted. Settings and names are neither."""
    if label in _WHILE_IT_RUNS:
        return True
    if _SET.search(label):
        return False
    if _MEASURED.search(value) or (_LABELS.search(label) and any(char.isdigit() for char in value)):
        return True
    if label == "array_state" and _IDLE_OR_NOT.search(value):
        return True
    if _ATTRIBUTE.match(label) and _FIGURE.match(value):
        return True
    return kind == "battery" and bool(_OF_BATTERIES.match(value))
