"""Virtual drives: ``-LDInfo``, ``-LdPdInfo``, ``-CfgDsply``, ``-LDGetProp``."""

from __future__ import annotations

import re

from raidctl.evidence import Line
from raidctl.model import WritePolicy
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.statuses import put_status
from raidctl_megaraid.access import report_access
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import numbers
from raidctl_megaraid.megacli.labels import NAMELESS
from raidctl_megaraid.megacli.level import level
from raidctl_megaraid.megacli.outline import Block
from raidctl_megaraid.vocabulary import (
    disk_cache,
    has_state,
    has_value,
    io_policy,
    normalized,
    operation,
    read_policy,
    volume_state,
    write_policy,
)

CHANNEL = 2
"""The SCSI channel on which megaraid_sas shows virtual drives. Each is under its target id."""
_MAX_DRIVES = 10_000
_LD_PREFIX = "Ongoing "


def volume_of(controller: ControllerDraft, block: Block) -> GroupDraft:
    """The draft of the virtual drive that a block is about.

    The key is the target id: ``-CfgDsply`` counts virtual drives again in each disk group, so that ``Virtual Drive: 0
    (Target Id: 3)`` and ``Virtual Drive: 0 (Target Id: 4)`` are two.
    """
    number = block.target or block.name
    if not number and "?" in controller.volumes:
        return controller.volume(f"?{len(controller.volumes) + 1}")
    return controller.volume(number or "?")


def read_volume(controller: ControllerDraft, block: Block) -> None:
    """``Virtual Drive: 0 (Target Id: 0)`` and the pairs below it."""
    volume = volume_of(controller, block)
    if block.line is not None:
        _heading(volume, block.line, block)
    if block.name == NAMELESS:
        message = "The line with the number of this volume is missing or damaged."
        volume.add_problem("warning", "unread", message, "List the volumes again: `MegaCli -LDInfo -LALL -aALL`.")
    if block.group is not None:
        volume.put(block.line, "array", block.group)
    depth = next((item.pair for item in block.items if item.label == "span depth"), None)
    _expected(volume, block, depth)
    for item in block.items:
        pair = item.pair
        if item.section == "Ongoing Progresses":
            _progress(volume, pair)
        elif item.label == "raid level":
            # Span Depth, which decides what the numbers mean, may be printed below it
            _level(volume, pair, depth)
        elif not read_pair(volume, pair, item.label, _FIELDS):
            volume.keep_detail(pair)


def _heading(volume: GroupDraft, line: Line, block: Block) -> None:
    """Read a heading, such as ``CacheCade Virtual Drive: 1 (Target Id: 1)``.

    That one is a pool of SSDs for the cache, which the kernel does not see.
    """
    if block.target is None:
        return
    volume.put(line, "target", int(block.target))
    if not block.rest:
        volume.detail(line, "SCSI target", f"{CHANNEL}:{int(block.target)}:0")
    if block.name != block.target:
        volume.detail(line, "Virtual Drive", block.name)


def _expected(volume: GroupDraft, block: Block, depth: Pair | None) -> None:
    """``Number Of Drives per span:2``; older versions call it ``Number Of Drives`` and mean one span as well."""
    count = next((item.pair for item in block.items if item.label.startswith("number of drives")), None)
    figure = attempt(numbers.integer, count.value) if count is not None else None
    spans = attempt(numbers.integer, depth.value) if depth is not None else None
    if count is not None and figure is None and has_value(count.value):
        volume.unread(count.label, count.value)
    if count is not None and figure and spans and figure * spans < _MAX_DRIVES:
        volume.put(count.lines[0], "drives_expected", figure * spans)


def _level(volume: GroupDraft, pair: Pair, depth: Pair | None) -> None:
    spans = None
    if depth is not None:
        try:
            spans = numbers.integer(depth.value)
        except ValueError:
            volume.unread(depth.label, depth.value)
    try:
        found = level(pair.value, spans)
    except ValueError:
        found = "unknown"
        volume.unread(pair.label, pair.value)
    if found is None or found == "unknown":
        volume.keep_detail(pair)
    for line in pair.lines if found is not None else ():
        volume.put(line, "raid_level", found)


def state(volume: GroupDraft, pair: Pair, weight: int = DETAIL) -> None:
    """``State               : Optimal``."""
    if not has_state(pair.value):
        volume.keep_detail(pair)
        return
    found = volume_state(pair.value)
    put_status(volume, pair.lines, "volume", found.status if found else None, text=pair.value, weight=weight)
    if found is not None and found.operation is not None:
        volume.put(pair.lines[0], "progress.operation", found.operation, ROW)


def _bad_blocks(volume: GroupDraft, pair: Pair) -> None:
    """``Bad Blocks Exist: Yes``: data that could not be read when a drive was rebuilt."""
    volume.keep_detail(pair)
    if normalized(pair.value).startswith("yes"):
        volume.add_problem(
            "warning", "state", "The volume has bad blocks: some of its data is lost.",
            "Check its files and databases, restore what is damaged, then clear the bad block table.",
        )  # fmt: skip
    elif has_value(pair.value) and not normalized(pair.value).startswith("no"):
        volume.unread(pair.label, pair.value)


# Completed 17%, Taken 55 min.
_TAKEN = regex(r"completed\s", re.IGNORECASE)


def _progress(volume: GroupDraft, pair: Pair) -> None:
    """``  Check Consistency        : Completed 17%, Taken 55 min.``."""
    if not pair.value or normalized(pair.label).startswith("ongoing"):
        volume.keep_detail(pair)
        return
    if _TAKEN.match(pair.value):
        under_way(volume, pair.lines[0], pair.label, numbers.percent_in(pair.value))
    volume.keep_detail(pair, _LD_PREFIX)


def under_way(volume: GroupDraft, line: Line, label: str, percent: float | None) -> None:
    """An operation in progress; of several the first one counts."""
    if volume.get("progress.percent") is not None:
        return
    volume.put(line, "progress.operation", operation(label))
    if percent is None:
        volume.unread(f"progress of {label}", line.stripped)
    else:
        volume.put(line, "progress.percent", percent)


_ALWAYS = regex(r"forced|always\s*write|\bawb\b|\bfwb\b", re.IGNORECASE)
# No Write Cache if Bad BBU        Write Cache OK if bad BBU
_BAD_BBU = regex(r"(no\s*)?write\s*cache\s*(ok\s*)?if\s*bad\s*bbu\.?", re.IGNORECASE)


def cache_policy(volume: GroupDraft, pair: Pair, field: str, weight: int) -> None:
    """``Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU``.

    ``field`` is where the write policy goes. Read and IO policy normally agree in both lines; the active one ranks
    higher (``weight``).
    """
    line = pair.lines[0]
    if not has_value(pair.value):
        volume.keep_detail(pair)
        return
    parts = [collapse(part) for part in pair.value.strip().rstrip(".").split(",") if part.strip()]
    write: WritePolicy | None = None
    bad_bbu: bool | None = None
    for part in parts:
        clause = _BAD_BBU.fullmatch(part)
        if clause:
            bad_bbu = clause[1] is None
            continue
        if not _policy_word(volume, line, part, weight):
            write = _write_word(part) or write
            if _write_word(part) is None:
                volume.unread(pair.label, part)
    if field == "write_configured" and bad_bbu is not None:
        volume.put(line, "bad_bbu", bad_bbu)
    write = _with_battery(write, bad_bbu)
    if write is None:
        if has_value(pair.value):
            volume.unread(pair.label, pair.value)
            volume.put(None, f"{field}_unread", value=True)
        volume.keep_detail(pair)
        return
    for each in pair.lines:
        volume.put(each, field, write)


def _policy_word(volume: GroupDraft, line: Line, part: str, weight: int) -> bool:
    """``ReadAheadNone`` or ``Direct``; whether it was one."""
    for name, parse in (("cache.read_policy", read_policy), ("cache.io_policy", io_policy)):
        try:
            value: str | None = parse(part)
        except ValueError:
            continue
        if value is not None:
            volume.put(line, name, value, weight)
            return True
    return False


def _write_word(part: str) -> WritePolicy | None:
    try:
        return "unprotected_write_back" if _ALWAYS.search(part) else write_policy(part)
    except ValueError:
        return None


def _with_battery(write: WritePolicy | None, bad_bbu: bool | None) -> WritePolicy | None:
    """``WriteBack`` is protected with ``No Write Cache if Bad BBU``, unprotected with ``Write Cache OK if Bad BBU``.

    A line that was cut before that clause does not show which.
    """
    if write != "protected_write_back":
        return write
    if bad_bbu is None:
        return None
    return "unprotected_write_back" if bad_bbu else "protected_write_back"


def _access(volume: GroupDraft, pair: Pair) -> None:
    """``Current Access Policy: Read/Write``."""
    volume.keep_detail(pair)
    report_access(volume, pair.label, pair.value)


_FIELDS: Fields[GroupDraft] = {
    # Current Access Policy: Read/Write
    **dict.fromkeys(("current access policy", "access policy"), _access),
    # Name                :Virtual Disk 0
    "name": Field("name", lambda text: text.strip() or None),
    # Size                : 278.875 GB
    "size": Field("size_bytes", numbers.nonzero_size),
    # State               : Optimal
    "state": state,
    # Strip Size          : 64 KB
    "strip size": Field("strip_bytes", numbers.nonzero_size),
    # Stripe Size: 64kB        of older versions, which mean the strip of one drive too
    "stripe size": Field("strip_bytes", numbers.nonzero_size),
    # Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
    "default cache policy": lambda volume, pair: cache_policy(volume, pair, "write_configured", ROW),
    # Current Cache Policy: WriteThrough, ReadAdaptive, Direct, No Write Cache if Bad BBU
    "current cache policy": lambda volume, pair: cache_policy(volume, pair, "write_current", DETAIL),
    # Disk Cache Policy   : Disk's Default
    "disk cache policy": Field("cache.drive_write_cache", disk_cache),
    # Bad Blocks Exist: No
    "bad blocks exist": _bad_blocks,
}
