"""Logical drives and arrays: rows and sections."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.model import Operation
from raidctl.text import attempt, regex
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, optional, read_pair, read_pairs
from raidctl.vendor.statuses import put_parity_word, put_status, put_volume_word
from raidctl_smartarray import numbers, vocabulary
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.drive import multidomain
from raidctl_smartarray.interface import interface
from raidctl_smartarray.outline import Section
from raidctl_smartarray.vocabulary import has_value, normalized, split_progress

_RAID = regex(r"RAID ?\S.*", re.IGNORECASE)
_PERCENT = regex(r"(\d{1,3}(?:\.\d+)?) ?%", re.ASCII)
_WORDS = regex(r",(?!\s*\d+(?:\.\d+)?\s*%)", re.ASCII)
"""``SAS, Unused Space: 0 MB, Transforming, 12% complete``: the share belongs to the word before it."""
_FAILS = regex(r"\bfail", re.IGNORECASE)
_SMART_PATH = frozenset({"smart path", "ssd smart path", "hp ssd smart path", "hpe ssd smart path", "ssd i/o bypass"})


_PROGRESS: dict[str, Operation] = {
    "rebuild": "rebuild",
    "recovery": "rebuild",
    "recovering": "rebuild",
    "expand": "expand",
    "transformation": "migrate",
    "surface": "check",
}


def read_section(controller: ControllerDraft, section: Section) -> Draft:
    """``Logical Drive: 1`` and the pairs below it."""
    volume = controller.volume(section.heading.name)
    volume.add_evidence(section.line, "id", section.heading.name)
    for pair in section.pairs:
        _read_pair(volume, pair)
    for group in section.children:
        if group.kind == "partitions" and group.line is not None:
            mark_read(group.line)
            _partitions(volume, group)
    return volume


def _read_pair(volume: Draft, pair: Pair) -> None:
    label = normalized(pair.label)
    if label.startswith("parity initialization"):
        _parity(volume, pair)
    elif label.endswith("progress") and _PERCENT.search(pair.value):
        # Rebuild Progress: 12%
        volume.keep_detail(pair)
        volume.put(pair.lines[0], "progress.operation", _PROGRESS.get(label.split()[0], "unknown"), ROW)
        volume.put(pair.lines[0], "progress.percent", float(_PERCENT.findall(pair.value)[0]), ROW)
    elif not read_pair(volume, pair, label, _FIELDS):
        volume.keep_detail(pair)


def _acceleration(volume: Draft, pair: Pair) -> None:
    volume.keep_detail(pair)
    volume.conclude("cache.smart_path", normalized(pair.value) in _SMART_PATH, DETAIL)


def _media_errors(volume: Draft, pair: Pair) -> None:
    """``Unrecoverable Media Errors: None``. If there are any, the data of some sectors is lost."""
    volume.keep_detail(pair)
    if has_value(pair.value) and normalized(pair.value) not in ("no", "false", "0"):
        volume.add_problem(
            "error",
            "state",
            f"Unrecoverable media errors: {pair.value}.",
            "Restore the affected files from a backup; the errors go away when the sectors are written again.",
        )


def _status(volume: Draft, line: Line, text: str, weight: int) -> None:
    """``Status: Recovering, 55.73% complete``."""
    state, percent = split_progress(text)
    known = vocabulary.VOLUME_STATUS.get(normalized(state))
    put_volume_word(volume, line, known, text=text, percent=percent, weight=weight)


def _parity(volume: Draft, pair: Pair) -> None:
    """``Parity Initialization Status: In Progress``, ``… Progress: 23%``; ``Queued``, ``Initialization Failed``."""
    volume.keep_detail(pair)
    state, percent = split_progress(pair.value)
    bare = _PERCENT.match(pair.value.strip())
    put_parity_word(volume, pair, state, float(bare[1]) if bare else percent)
    if _FAILS.search(state):
        volume.add_problem(
            "warning",
            "state",
            f"{pair.label}: {state}.",
            "Without parity a drive failure loses data: check the backup.",
        )


def _partitions(volume: Draft, group: Section) -> None:
    """``Partition   1: Basic, 600 MiB, /boot/efi``."""
    for item in group.children:
        if item.line is None:
            continue
        value = item.heading.parts.get("value", "")
        volume.detail(item.line, item.heading.name, value)
        found = numbers.mountpoints(value)
        if found:
            already = volume.get("mountpoints") or ()
            volume.override("mountpoints", tuple(dict.fromkeys((*already, *found))))


def read_row(controller: ControllerDraft, section: Section) -> Draft:
    """``logicaldrive 2 (16.00 TB, RAID 6 (ADG), Recovering, 55.73% complete)``."""
    volume = controller.volume(section.heading.name)
    line = section.line
    if line is None:
        return volume
    volume.add_evidence(line, "id", section.heading.name)
    status = [part for part in (part.strip() for part in section.heading.parts.get("inside", "").split(",")) if part]
    if status and status[0][:1].isdigit():
        _put(volume, line, ("size_bytes", status.pop(0)), numbers.volume_size)
    if status and _RAID.fullmatch(status[0]):
        _put(volume, line, ("raid_level", status.pop(0)), vocabulary.raid_level)
    reported = ", ".join([*status, *filter(None, [section.heading.parts.get("status", "").strip()])])
    if reported:
        _status(volume, line, reported, ROW)
    return volume


def _put(volume: Draft, line: Line, reported: tuple[str, str], parse: Callable[[str], object]) -> None:
    """Read one word of a row. ``reported`` is the field and the word."""
    name, text = reported
    try:
        volume.put(line, name, parse(text), ROW)
    except ValueError:
        volume.unread(name.replace("_", " "), text)


def read_array(controller: ControllerDraft, section: Section) -> GroupDraft:
    """``array A (SAS, Unused Space: 0  MB)`` or ``Array: A`` and the pairs below it."""
    array = controller.array(section.heading.name)
    array.add_evidence(section.line, "id", section.heading.name)
    if section.line is not None:
        parts = [part.strip() for part in _WORDS.split(section.heading.parts.get("inside", ""))]
        if len(parts) > 1 and ":" not in parts[0]:
            array.detail(section.line, "Interface Type", parts.pop(0))
        for part in parts:
            _array_word(array, section.line, part)
    read_pairs(array, section.pairs, _ARRAY_FIELDS, normalized)
    used = next((pair for pair in reversed(section.pairs) if normalized(pair.label) == "used space"), None)
    if used is not None:
        _array_size(array, used)
    return array


def _array_size(array: GroupDraft, used: Pair) -> None:
    """``Used Space: 65.5 TB (100.0%)``: with the unused space, the raw size."""
    bytes_used, bytes_free = attempt(numbers.free_space, used.value), array.get("free_bytes")
    if bytes_used is not None and bytes_free is not None:
        array.put(used.lines[0], "size_bytes", bytes_used + bytes_free)


def _array_word(array: GroupDraft, line: Line, part: str) -> None:
    label, colon, value = part.partition(":")
    if colon and normalized(label) == "unused space":
        _put(array, line, ("free_bytes", value.strip()), numbers.free_space)
    elif interface(part) is not None:
        array.detail(line, "Interface Type", part)
    elif colon:
        array.detail(line, label.strip(), value.strip())
    elif normalized(part) in ("encrypted", "not encrypted"):
        array.detail(line, "Encryption", part)
    elif part:
        _array_status(array, line, part, ROW)


def _array_status(array: GroupDraft, line: Line, text: str, weight: int) -> None:
    put_status(
        array,
        [line],
        "array",
        vocabulary.look_up(vocabulary.ARRAY_STATUS, split_progress(text)[0]),
        text=text,
        weight=weight,
    )


_FIELDS: Fields[Draft] = {
    # MultiDomain Status: OK
    "multidomain status": multidomain,
    # Status: Recovering, 55.73% complete
    "status": lambda volume, pair: _status(volume, pair.lines[0], pair.value, DETAIL),
    # Caching:  Enabled
    **dict.fromkeys(
        ("caching", "array accelerator"),
        Field("cache.caching", optional(has_value, numbers.flag), shown_as="cache.write_policy"),
    ),
    # LD Acceleration Method: Controller Cache
    **dict.fromkeys(("ld acceleration method", "acceleration method"), _acceleration),
    "unrecoverable media errors": _media_errors,
    "size": Field("size_bytes", numbers.volume_size),
    # Fault Tolerance: 1+0
    "fault tolerance": Field("raid_level", optional(has_value, vocabulary.raid_level)),
    "raid level": Field("raid_level", optional(has_value, vocabulary.raid_level), ROW),
    "strip size": Field("strip_bytes", numbers.volume_size),
    # Older versions print stripe for the strip of one drive.
    "stripe size": Field("strip_bytes", numbers.volume_size, ROW),
    "unique identifier": Field("unique_id", numbers.text),
    "disk name": Field("device", numbers.device_node),
    "os device name": Field("device", numbers.device_node, ROW),
    "mount points": Field("mountpoints", numbers.mountpoints),
    "mount point": Field("mountpoints", numbers.mountpoints),
    "logical drive label": Field("name", numbers.text),
}
_ARRAY_FIELDS: Fields[GroupDraft] = {
    # MultiDomain Status: OK
    "multidomain status": multidomain,
    "status": lambda array, pair: _array_status(array, pair.lines[0], pair.value, DETAIL),
    # Unused Space: 1563284  MB (91.1%)
    "unused space": Field("free_bytes", optional(has_value, numbers.free_space)),
}
