"""The files of an array in ``/sys/block/mdX/md``, as lines ``FILE: VALUE``.

Facts from the kernel's Documentation/admin-guide/md.rst.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Operation, Progress
from raidctl.model.raid_levels import PARITY_DRIVES
from raidctl.text import regex
from raidctl.units import whole_number
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl.vendor.statuses import health_of_volume
from raidctl_md.draft import ArrayDraft, MemberDraft, Parent, Reading, Source, slot_of
from raidctl_md.label_lines import keep, known
from raidctl_md.state import is_auto_read_only, is_read_only, judge, waits_for
from raidctl_md.vocabulary import BAD_BLOCKS, LEVELS, NO_RAID, OPERATIONS, enough, is_uuid, mirror_layout, parity_layout

ARRAY_FILES = (
    "level", "raid_disks", "chunk_size", "layout", "metadata_version", "array_state", "degraded", "uuid",
    "sync_action", "sync_completed", "mismatch_cnt", "reshape_position", "consistency_policy", "journal_mode",
    "stripe_cache_size", "group_thread_cnt", "bitmap/location", "bitmap/chunksize", "bitmap/backlog",
    "sync_speed_min", "sync_speed_max", "last_sync_action", "sync_min", "sync_max",
)  # fmt: skip
"""The files that are read of an array. ``level`` is first, as the layout's number depends on it."""
MEMBER_FILES = ("state", "slot", "errors", "bad_blocks")
"""What is read of each ``dev-NAME``."""

_MEMBER = regex(r"dev-([^/]{1,120})/(state|slot|errors|bad_blocks)")
# "5 (4)" while a reshape goes from 4 to 5 members
_DISKS = regex(r"(\d{1,6})(?: \(\d{1,6}\))?", re.ASCII)
_COMPLETED = regex(r"(\d{1,18}) / (\d{1,18})", re.ASCII)
# "internal" bitmaps are shown by their place: "+8" sectors from the superblock
_INTERNAL = regex(r"[+-]\d{1,12}", re.ASCII)
# "1000 (system)": of /proc/sys/dev/raid; "2000 (local)": of the array itself; KiB per second
_SPEED = regex(r"(\d{1,12}) \((?:system|local)\)", re.ASCII)
_STILL = ("", "idle", "frozen")
"""Words of ``sync_action`` while nothing is copied or compared."""
_INACTIVE = frozenset({"clear", "inactive"})
_RUNNING = frozenset({"suspended", "readonly", "read-auto", "clean", "active", "write-pending", "active-idle"})
_FLAGS = {"write_mostly": "write_mostly", "replacement": "replacement", "failfast": "failfast",
          "want_replacement": "want_replacement", "blocked": "blocked", "write_error": "write_error"}  # fmt: skip
_MEMBER_WORDS = frozenset({"faulty", "in_sync", "spare", "journal", "external_bbl", *_FLAGS})


def read(output: Output, name: str, reading: Reading) -> None:
    """Read the files of one array. ``name`` is the kernel's, empty if it is unknown."""
    draft = ArrayDraft(source=Source.SYSFS, output=output, node=f"/dev/{name}" if name else None)
    slots: dict[str, str] = {}
    for line in output.lines:
        key, colon, value = line.text.partition(": ")
        if not colon:
            if line.text.strip():
                # an empty file: md leaves "level" and "journal_mode" empty where they have no meaning
                mark_read(line)
            continue
        value = value.strip()
        member = _MEMBER.fullmatch(key)
        if member:
            _read_member(draft, line, member, value, slots)
        else:
            read_pair(draft, Pair(key, value, [line]), key, _FIELDS)
    if draft.reported:
        _conclude(draft, slots)
        reading.drafts.append(draft)


def _put(name: str, parse: Callable[[str], object], *, words: bool = False) -> Callable[[ArrayDraft, Pair], None]:
    """A reader of a field. A line without a value only counts as read. ``words``: keep the kernel's as a detail too."""

    def read_value(draft: ArrayDraft, pair: Pair) -> None:
        draft.put_labelled(pair.lines[0], name, parse(pair.value), pair.label)
        if words:
            draft.keep_words(pair.label, pair.value)

    return read_value


def _read_level(draft: ArrayDraft, pair: Pair) -> None:
    _put("raid_level", lambda value: LEVELS.get(value, "unknown"), words=True)(draft, pair)
    draft.report_level(pair.value)


def _disks(value: str) -> int | None:
    match = _DISKS.fullmatch(value)
    return int(match[1]) or None if match else None


def _speed(value: str) -> int | None:
    match = _SPEED.fullmatch(value)
    return int(match[1]) * 1024 if match else None


def _bitmap(value: str) -> str | None:
    return "internal" if _INTERNAL.fullmatch(value) else value.removeprefix("file ") or None


def _read_layout(draft: ArrayDraft, pair: Pair) -> None:
    keep(draft, pair)
    number, level = whole_number(pair.value), draft.details.get("level", "")
    if number is None:
        return
    layout = mirror_layout(number) if level == "raid10" else parity_layout(level, number)
    if layout:
        draft.put_labelled(pair.lines[0], "layout", layout, pair.label)


def _read_uuid(draft: ArrayDraft, pair: Pair) -> None:
    draft.uuid = pair.value if is_uuid(pair.value) else None
    keep(draft, pair)


def _read_mismatches(draft: ArrayDraft, pair: Pair) -> None:
    number = whole_number(pair.value)
    if number is None:
        draft.unread(pair.label, pair.value)
        return
    draft.put_labelled(pair.lines[0], "mismatch_count", number, pair.label)
    draft.keep_words(pair.label, pair.value)


def _read_version(draft: ArrayDraft, pair: Pair) -> None:
    """``1.2``, ``external:imsm``, ``external:/md127/0``."""
    [line], name = pair.lines, pair.value.removeprefix("external:")
    if name != pair.value and name[:1] in ("/", "-"):
        container, _, index = name[1:].partition("/")
        draft.parent = Parent(f"/dev/{container}", index)
        keep(draft, pair)
    else:
        draft.is_container |= name != pair.value
        draft.put_labelled(line, "metadata", name, pair.label)


def _read_member(draft: ArrayDraft, line: Line, match: re.Match[str], value: str, slots: dict[str, str]) -> None:
    name = match[1].replace("!", "/")
    member = draft.member(name, f"/dev/{name}")
    if match[2] == "slot":
        slots[name] = value
        member.slot = slot_of(value)
        member.detail(line, "slot", value)
    elif match[2] == "errors":
        # read errors that were corrected from the other members; they have not cost the device its place
        member.detail(line, "errors", value)
        if (errors := whole_number(value)) is not None:
            member.put(line, "errors.media", errors)
    elif match[2] == "bad_blocks":
        # 2048 8: a line for each range that is lost on this member
        if "bad_blocks" in member.details:
            mark_read(line)
            return
        member.detail(line, "bad_blocks", value)
        member.add_problem("warning", "state", *BAD_BLOCKS)
    else:
        member.put(line, "status_text", value)
        words = value.split(",") if value else []
        flags = tuple(_FLAGS[word] for word in words if word in _FLAGS)
        if flags:
            member.put(line, "flags", flags)
        strange = [word for word in words if word not in _MEMBER_WORDS]
        if strange:
            member.detail(line, "state", value)
            member.add_problem("warning", "unread", f"Unknown state {strange[0]!r} of a member.")
        if "blocked" in words and "faulty" not in words:
            # in_sync,blocked: until the metadata is updated; mdmon does that for containers
            message = "Writes to the member wait until its metadata records a failure or bad block."
            member.add_problem("warning", "state", message, "If this persists: `systemctl status 'mdmon@*'`, `dmesg`.")


def _conclude(draft: ArrayDraft, slots: dict[str, str]) -> None:
    details = draft.details
    state = details.get("array_state", "")
    inactive = state in _INACTIVE
    for name, member in draft.members.items():
        words = str(member.get("status_text") or "").split(",")
        _judge_member(member, words, slots.get(name), inactive=inactive or draft.is_container)
    if draft.is_container:
        return
    word = details.get("sync_action", "")
    action = OPERATIONS.get(word)
    if action:
        draft.override("progress", _progress(action, details))
    elif word not in _STILL:
        draft.add_problem("warning", "unread", f"Unknown sync_action {word!r}.")
    missing = whole_number(details.get("degraded", ""))
    want = draft.get("drives_expected")
    working = [] if inactive or action == "reshape" else _working(draft, slots)
    if False in working:
        missing = max(missing or 0, working.count(False))
    if isinstance(want, int) and missing is not None:
        draft.override("drives_active", max(0, want - missing))
    _judge_array(draft, state, missing, action, inactive=inactive, working=working)


def _working(draft: ArrayDraft, slots: Mapping[str, str]) -> list[bool]:
    """Whether a member in sync is in each slot. Empty if the files of members are incomplete.

    A member can fail after ``degraded`` is read, and before its file is.
    """
    want = draft.get("drives_expected")
    words = {name: str(member.get("status_text") or "").split(",") for name, member in draft.members.items()}
    if not isinstance(want, int) or len(words) < want or not all(map(any, words.values())) or words.keys() - slots:
        return []
    good = {slots[name] for name, found in words.items() if "in_sync" in found and "faulty" not in found}
    return [str(slot) in good for slot in range(want)]


def _judge_array(
    draft: ArrayDraft,
    state: str,
    missing: int | None,
    action: Operation | None,
    *,
    inactive: bool,
    working: Sequence[bool],
) -> None:
    """Judge the state. Without the number of missing members, an array whose level has such a number is not good."""
    if not inactive and state not in _RUNNING and state != "broken":
        if state:
            draft.override("status", "unknown")
            draft.override("status_text", state)
            draft.add_problem("warning", "unread", f"Unknown array_state {state!r}.")
        return
    level = draft.get("raid_level")
    spent = {"raid0": 0, "linear": 0, **PARITY_DRIVES}.get(str(level))
    enough_left = enough(level, draft.get("layout"), working) if level in LEVELS.values() else None
    lost = state == "broken" or (spent is not None and (missing or 0) > spent) or enough_left is False
    status = judge(lost=lost, inactive=inactive, degraded=bool(missing), work=action, waiting=False)
    draft.override("status_text", state)
    bare = spent == 0 or draft.details.get("level") in NO_RAID
    if missing is not None or bare or health_of_volume(status) != "ok":
        draft.override("status", status)


def _judge_member(member: MemberDraft, words: list[str], slot: str | None, *, inactive: bool) -> None:
    if "faulty" in words:
        role, status = "failed", "critical"
    elif "journal" in words or slot == "journal":
        role, status = "journal", "ok"
    elif inactive:
        role, status = None, "ok"
    elif "in_sync" in words:
        role, status = "member", "warning" if "write_error" in words else "ok"
    elif "spare" in words:
        role, status = ("spare", "ok") if slot in (None, "none") else ("member", "warning")
    else:
        return
    member.override("role", role)
    member.override("status", status)


_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(ARRAY_FILES, keep),
    # level: raid1
    "level": _read_level,
    # raid_disks: 2
    "raid_disks": _put("drives_expected", _disks),
    # chunk_size: 524288
    "chunk_size": _put("strip_bytes", lambda value: whole_number(value) or None),
    # layout: 2
    "layout": _read_layout,
    # metadata_version: 1.2
    "metadata_version": _read_version,
    # consistency_policy: bitmap
    "consistency_policy": _put("consistency_policy", known),
    # uuid: 3a8e6d0f-5c1b-2a49-77e0-d1c49b2f8e63
    "uuid": _read_uuid,
    # bitmap/location: +8
    "bitmap/location": _put("bitmap", _bitmap, words=True),
    # sync_speed_min: 1000 (system)
    "sync_speed_min": _put("sync_speed_min_bytes", _speed, words=True),
    "sync_speed_max": _put("sync_speed_max_bytes", _speed, words=True),
    # mismatch_cnt: 0
    "mismatch_cnt": _read_mismatches,
}


def _progress(action: Operation, details: dict[str, str]) -> Progress:
    """Return the progress from ``sync_completed``.

    The kernel prints ``delayed`` while another array is first, and a pair of figures while this one moves.
    """
    percent = _percent(details.get("sync_completed", ""))
    if details.get("sync_completed") == "delayed":
        return Progress(operation=action, state="queued", reason=waits_for("DELAYED"))
    array_state = details.get("array_state", "")
    if percent is None and (is_auto_read_only(array_state) or is_read_only(array_state)):
        return Progress(operation=action, state="queued", reason=waits_for("PENDING", array_state))
    return Progress(operation=action, percent=percent, state=None if percent is None else "running")


def _percent(text: str) -> float | None:
    match = _COMPLETED.fullmatch(text)
    if not match or not int(match[2]):
        return None
    return min(100.0, round(int(match[1]) * 100 / int(match[2]), 1))
