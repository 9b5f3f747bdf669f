"""Virtual drives: the row of a list and the properties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from raidctl.model import Severity, TaskState
from raidctl.model.raid_levels import PARITY
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, read_field, read_pairs
from raidctl.vendor.statuses import put_parity_word, put_status
from raidctl_megaraid import vocabulary
from raidctl_megaraid.access import report_access
from raidctl_megaraid.cache_token import cache_token
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.columns import Cells, keep_cells
from raidctl_megaraid.vocabulary import normalized

_DG_VD = regex(r"\s*(\d{1,6}|-|)\s*/\s*(\d{1,6})\s*", re.ASCII)
_ACTIVE = regex(r"\s*([^()%]{1,60}?)\s*\(\s*(\d{1,3}(?:\.\d{1,6})?)\s*%[^)]{0,80}\)", re.ASCII)
_NO_INIT = frozenset({"no init", "quick init", "fast init", "full init"})


class RunningOperation(NamedTuple):
    """An operation under way: the tool's name for it, percent, seconds left, and whether it runs."""

    name: str
    percent: float | None
    left: int | None = None
    state: TaskState | None = None


_ROW_FIELDS = {
    "type": Field("raid_level", vocabulary.raid_level),
    "size": Field("size_bytes", numbers.size),
    "name": Field("name", lambda text: text.strip() or None),
}

_COUNTS = {
    # Number of Blocks = 35155607552
    "number of blocks": "blocks",
    "block size": "block_size",
    "span depth": "spans",
    "number of drives per span": "drives_per_span",
    "number of drives": "drives_expected",
}

_ALARMS: dict[str, tuple[bool, Severity, str, str]] = {
    "cache preserved": (
        True, "warning", "The controller's cache holds data for this volume that could not be written.",
        "Reconnect its drives and import the foreign configuration; discarding the cache loses that data.",
    ),
    "bad block exists": (
        True, "warning", "The volume has bad blocks: data in them is lost.",
        "Restore the affected files from a backup.",
    ),
    "reached ld bbm failure threshold": (
        True, "warning", "The volume's table of bad blocks is full.",
        "Back up the volume, replace the drive with media errors, and recreate the volume.",
    ),
    "is ld ready for os requests": (
        False, "warning", "The volume does not accept requests from the operating system.",
        "Check its state and access policy.",
    ),
    "vd ready for os requests": (
        False, "warning", "The volume does not accept requests from the operating system.",
        "Check its state and access policy.",
    ),
}  # fmt: skip


def read_row(controller: ControllerDraft, row: Cells, weight: int = ROW) -> GroupDraft | None:
    """``0/0   RAID1 Optl  RW     Yes     RWBD  -   ON  446.625 GB NAME``; None if it has no number."""
    match = _DG_VD.fullmatch(row["dg/vd"].value) if "dg/vd" in row else None
    if match is None:
        return None
    volume = controller.volume(match[2])
    for line in row["dg/vd"].lines:
        if match[1].isdecimal():
            volume.put(line, "array", match[1])
            controller.array(match[1])
        volume.put(None, "target", int(match[2]))
        volume.add_evidence(line, "id", match[2])
    for title, field in _ROW_FIELDS.items():
        if title in row:
            read_field(volume, row[title], field, weight)
    if "type" in row and normalized(row["type"].value).startswith("cac"):
        # Cac0: CacheCade, SSDs that cache other volumes
        volume.keep_detail(row["type"])
    if "state" in row:
        _state(volume, row["state"], weight)
    _caches(volume, row, weight)
    _access(volume, row)
    keep_cells(volume, row, skip={"dg/vd", *_ROW_FIELDS, "state", "cache", "currentcache", "defaultcache"})
    return volume


def _state(volume: GroupDraft, pair: Pair, weight: int) -> None:
    """``Optl``, ``Dgrd``."""
    if not vocabulary.has_state(pair.value):
        volume.keep_detail(pair)
        return
    known = vocabulary.volume_state(pair.value)
    put_status(
        volume, pair.lines, "volume", known.status if known else None, text=pair.value, weight=weight, held_as="state"
    )
    if known is not None and known.operation is not None:
        volume.put(None, "progress.operation", known.operation, 0)


def _caches(volume: GroupDraft, row: Cells, weight: int) -> None:
    """Read ``Cache``, which in version 7 is active now. Version 8 has ``CurrentCache`` and ``DefaultCache``."""
    for title, name in (("cache", "write_current"), ("currentcache", "write_current"), ("defaultcache", "")):
        if title not in row:
            continue
        pair = row[title]
        token = cache_token(pair.value)
        volume.keep_detail(pair)
        if token is None:
            if vocabulary.has_value(pair.value):
                volume.unread(pair.label, pair.value)
                volume.put(None, f"{name or 'write_configured'}_unread", value=True)
            continue
        for line in pair.lines:
            volume.put(line, name or "write_configured", token.write_policy, weight)
            if name and token.read_policy is not None:
                volume.put(line, "cache.read_policy", token.read_policy, weight)
            if name and token.io_policy is not None:
                volume.put(line, "cache.io_policy", token.io_policy, weight)


def _access(volume: GroupDraft, row: Cells) -> None:
    """``RW``, ``RO``, ``Blkd``; ``Consist`` Yes or No."""
    if "access" in row:
        report_access(volume, row["access"].label, row["access"].value)
    if "consist" in row:
        _consistent(volume, row["consist"])


def _consistent(volume: GroupDraft, pair: Pair) -> None:
    if attempt(vocabulary.flag, pair.value) is False:
        volume.override("inconsistent", value=True)
        volume.add_problem(
            "info", "note", "The tool does not report the volume as consistent: not initialised or not checked yet.",
            "Run a consistency check.",
        )  # fmt: skip


def read_properties(volume: GroupDraft, pairs: Iterable[Pair]) -> None:
    """``VD0 Properties``."""
    read_pairs(volume, pairs, _FIELDS, normalized)


def _count(volume: GroupDraft, pair: Pair) -> None:
    """Read a figure that others are derived from, and keep the detail."""
    name = _COUNTS[normalized(pair.label)]
    volume.keep_detail(pair)
    try:
        number = numbers.sector_size(pair.value) if name == "block_size" else numbers.integer(pair.value)
    except ValueError:
        volume.unread(pair.label, pair.value)
        return
    if number is not None:
        volume.put(None, name, number)


def _configured(volume: GroupDraft, pair: Pair) -> None:
    """``Write Cache(initial setting) = WriteBack``."""
    found = volume.read_field(pair, "write_configured", vocabulary.write_policy)
    if found is None and vocabulary.has_value(pair.value):
        volume.put(None, "write_configured_unread", value=True)


def _access_status(volume: GroupDraft, pair: Pair) -> None:
    """``Access Policy Status = VD has desired access``; any other sentence is the reason why not."""
    volume.keep_detail(pair)
    if vocabulary.has_value(pair.value) and normalized(pair.value) != "vd has desired access":
        message = f"The tool reports of the volume's access policy: {collapse(pair.value)[:120]}."
        volume.add_problem("warning", "state", message, "Check its state and access policy.")


def _alarm(volume: GroupDraft, pair: Pair) -> None:
    volume.keep_detail(pair)
    bad, severity, message, remedy = _ALARMS[normalized(pair.label)]
    try:
        found = vocabulary.flag(pair.value)
    except ValueError:
        volume.unread(pair.label, pair.value)
        return
    if found is bad:
        volume.add_problem(severity, "state", message, remedy)


def _consistency(volume: GroupDraft, pair: Pair) -> None:
    volume.keep_detail(pair)
    _consistent(volume, pair)


def _initialized(volume: GroupDraft, pair: Pair) -> None:
    """``Init State = Completed``; ``No Init`` means that none was requested: ``Consistent`` reports the parity then."""
    volume.keep_detail(pair)
    if normalized(pair.value) not in _NO_INIT:
        put_parity_word(volume, pair, pair.value, None)
        if "fail" in normalized(pair.value):
            message = f"The initialisation of the volume has failed: {collapse(pair.value)[:80]}."
            volume.add_problem("warning", "state", message, "Run a consistency check.")


def _active(volume: GroupDraft, pair: Pair) -> None:
    """``Active Operations = Consistency Check (36%)``; of several the first."""
    volume.keep_detail(pair)
    if not vocabulary.has_value(pair.value):
        return
    match = _ACTIVE.match(pair.value)
    name, share = (match[1], float(match[2])) if match else (pair.value.split(",", maxsplit=1)[0], None)
    put_progress(volume, pair, RunningOperation(name.strip(" ,"), share))


def put_progress(draft: Draft, pair: Pair, running: RunningOperation, weight: int = DETAIL) -> None:
    """An operation in progress, and how far it is."""
    line = pair.lines[0] if pair.lines else None
    draft.put(line, "progress.operation", vocabulary.operation(running.name), weight)
    if running.percent is not None and running.percent <= 100:
        draft.put(line, "progress.percent", running.percent, weight)
    if running.left is not None:
        draft.put(line, "progress.remaining_seconds", running.left, weight)
    # Active Operations lists a check that is paused, too: it has no state
    if running.state is not None:
        draft.put(None, "progress.state", running.state, weight)


def infer(volume: GroupDraft) -> None:
    """What follows from several lines: status, exact size, number of drives; idempotent."""
    state = volume.get("state")
    _without_parity(volume, state)
    if state is not None:
        busy = vocabulary.BUSY_STATUS.get(volume.get("progress.operation"))
        idle = ("queued", "paused") if busy == "initializing" else ("queued",)
        begun = busy is not None and volume.get("progress.state") not in idle
        volume.override("status", busy if state == "ok" and begun else state, ROW)
    printed, blocks = volume.get("size_bytes"), volume.get("blocks")
    if printed and blocks:
        volume.override("size_bytes", numbers.exactly(printed, blocks, volume.get("block_size")))
    spans, each = volume.get("spans"), volume.get("drives_per_span")
    if spans and each:
        volume.conclude("drives_expected", spans * each, ROW)


def _without_parity(volume: GroupDraft, state: str | None) -> None:
    """Make parity that is not consistent an initialization that has not ended. A check computes it, too."""
    if not volume.get("inconsistent") or state != "ok" or volume.get("raid_level") not in PARITY:
        return
    operation = volume.get("progress.operation")
    if operation in (None, "check"):
        volume.override("progress.operation", "parity")
        volume.conclude("progress.state", "running" if operation else "paused")


_FIELDS: Fields[GroupDraft] = {
    # Strip Size = 64 KB
    "strip size": Field("strip_bytes", numbers.size),
    **dict.fromkeys(("write cache(initial setting)", "write cache (initial setting)"), _configured),
    # Disk Cache Policy = Disk's Default
    "disk cache policy": Field("cache.drive_write_cache", vocabulary.disk_cache),
    "drive write cache policy": Field("cache.drive_write_cache", vocabulary.disk_cache),
    # OS Drive Name = /dev/sda
    "os drive name": Field("device", numbers.device_node),
    # SCSI NAA Id = 600605b00123456789abcdef01234567
    "scsi naa id": Field("unique_id", numbers.text),
    "io policy": Field("cache.io_policy", vocabulary.io_policy),
    "read policy": Field("cache.read_policy", vocabulary.read_policy),
    **dict.fromkeys(_COUNTS, _count),
    "active operations": _active,
    # Init State = Completed
    "init state": _initialized,
    # Consistent = Yes
    "consistent": _consistency,
    # Access Policy Status = VD has desired access
    "access policy status": _access_status,
    **dict.fromkeys(_ALARMS, _alarm),
}
