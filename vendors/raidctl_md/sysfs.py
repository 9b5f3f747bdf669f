"""``/sys/block/mdX/md``: the files of an array, joined to lines ``FILE: VALUE`` by the dialogue.

Facts from the kernel's Documentation/admin-guide/md.rst.
"""

from __future__ import annotations

import re

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Operation, Progress
from raidctl_md.parts import Complaint, Parent, Part, Reading, Source, slot_of
from raidctl_md.state import judge, waits_for
from raidctl_md.vocabulary import LEVELS, OPERATIONS, is_uuid, mirror_layout, parity_layout

ARRAY_FILES = (
    "level", "raid_disks", "chunk_size", "layout", "metadata_version", "array_state", "degraded", "uuid",
    "sync_action", "sync_completed", "mismatch_cnt", "reshape_position", "consistency_policy", "journal_mode",
    "stripe_cache_size", "group_thread_cnt", "bitmap/location", "bitmap/chunksize", "bitmap/backlog",
    "sync_speed_min", "sync_speed_max", "last_sync_action", "sync_min", "sync_max",
)  # fmt: skip
"""What is read of an array; ``level`` first, the layout's number depends on it."""
MEMBER_FILES = ("state", "slot", "errors")
"""What is read of each ``dev-NAME``."""

_MEMBER = re.compile(r"dev-([^/]{1,120})/(state|slot|errors)")
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
# "5 (4)" while a reshape goes from 4 to 5 members
_DISKS = re.compile(r"(\d{1,6})(?: \(\d{1,6}\))?", re.ASCII)
_COMPLETED = re.compile(r"(\d{1,18}) / (\d{1,18})", re.ASCII)
# "internal" bitmaps are shown by their place: "+8" sectors from the superblock
_INTERNAL = re.compile(r"[+-]\d{1,12}", re.ASCII)
# "1000 (system)": of /proc/sys/dev/raid; "2000 (local)": of the array itself; KiB per second
_SPEED = re.compile(r"(\d{1,12}) \((?:system|local)\)", re.ASCII)
_DORMANT = frozenset({"clear", "inactive"})
_RUNNING = frozenset({"suspended", "readonly", "read-auto", "clean", "active", "write-pending", "active-idle"})
_FLAGS = {"write_mostly": "write_mostly", "replacement": "replacement", "failfast": "failfast",
          "want_replacement": "want_replacement", "blocked": "blocked", "write_error": "write_error"}  # fmt: skip
_MEMBER_WORDS = frozenset({"faulty", "in_sync", "spare", "journal", "external_bbl", *_FLAGS})


def read(output: Output, name: str, reading: Reading) -> None:
    """Read the files of one array; ``name`` is the kernel's, empty where it is not known."""
    part = Part(Source.SYSFS, output, node=f"/dev/{name}" if name else None)
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
            _take_member(part, line, member, value, slots)
        else:
            _take(part, line, key, value)
    if part.claims:
        _settle(part, slots)
        reading.parts.append(part)


def _take(part: Part, line: Line, key: str, value: str) -> None:
    number = int(value) if _NUMBER.fullmatch(value) else None
    if key == "level":
        part.put(line, "raid_level", LEVELS.get(value, "unknown"), key)
        part.details[key] = value
    elif key == "raid_disks":
        match = _DISKS.fullmatch(value)
        part.put(line, "drives_expected", (int(match[1]) or None) if match else None, key)
    elif key == "chunk_size":
        part.put(line, "strip_bytes", number or None, key)
    elif key == "layout" and number is not None:
        level = part.details.get("level", "")
        layout = mirror_layout(number) if level == "raid10" else parity_layout(level, number)
        part.detail(line, key, value)
        if layout:
            part.put(line, "layout", layout, key)
    elif key == "metadata_version":
        _take_version(part, line, value)
    elif key == "consistency_policy":
        part.put(line, key, value or None, key)
    elif key == "uuid":
        part.uuid = value if is_uuid(value) else None
        part.detail(line, key, value)
    elif key == "bitmap/location":
        part.put(line, "bitmap", "internal" if _INTERNAL.fullmatch(value) else value.removeprefix("file ") or None, key)
        part.details[key] = value
    elif key in ("sync_speed_min", "sync_speed_max"):
        speed = _SPEED.fullmatch(value)
        part.put(line, f"{key}_bytes", int(speed[1]) * 1024 if speed else None, key)
        part.details[key] = value
    elif key == "mismatch_cnt" and number is not None:
        part.put(line, "mismatch_count", number, key)
        part.details[key] = value
    elif key in ARRAY_FILES:
        part.detail(line, key, value)


def _take_version(part: Part, line: Line, value: str) -> None:
    if not value.startswith("external:"):
        part.put(line, "metadata", value, "metadata_version")
        return
    name = value.removeprefix("external:")
    if name[:1] in ("/", "-"):
        container, _, index = name[1:].partition("/")
        part.parent = Parent(f"/dev/{container}", index)
        part.detail(line, "metadata_version", value)
    else:
        part.is_container = True
        part.put(line, "metadata", name, "metadata_version")


def _take_member(part: Part, line: Line, match: re.Match[str], value: str, slots: dict[str, str]) -> None:
    name = match[1].replace("!", "/")
    member = part.member(name, f"/dev/{name}")
    if match[2] == "slot":
        slots[name] = value
        member.slot = slot_of(value)
        part.detail_member(line, member, "slot", value)
    elif match[2] == "errors":
        # read errors that were corrected from the other members; they have not cost the device its place
        part.detail_member(line, member, "errors", value)
        if _NUMBER.fullmatch(value):
            part.put_member(line, member, "media_errors", int(value))
    else:
        part.put_member(line, member, "status_text", value)
        words = value.split(",") if value else []
        flags = tuple(_FLAGS[word] for word in words if word in _FLAGS)
        if flags:
            part.put_member(line, member, "flags", flags)
        strange = [word for word in words if word not in _MEMBER_WORDS]
        if strange:
            part.detail_member(line, member, "state", value)


def _settle(part: Part, slots: dict[str, str]) -> None:
    details, values = part.details, part.values
    state = details.get("array_state", "")
    dormant = state in _DORMANT
    for name, member in part.members.items():
        words = str(member.values.get("status_text", "")).split(",")
        _judge_member(member.values, words, slots.get(name), dormant=dormant or part.is_container)
    if part.is_container:
        return
    action = OPERATIONS.get(details.get("sync_action", ""))
    if action:
        values["progress"] = _progress(action, details)
        values["operation"] = action
    missing = int(details["degraded"]) if _NUMBER.fullmatch(details.get("degraded", "")) else 0
    want = values.get("drives_expected")
    if isinstance(want, int) and "degraded" in details:
        values["drives_active"] = max(0, want - missing)
    _judge_array(part, state, missing, dormant=dormant)


def _judge_array(part: Part, state: str, missing: int, *, dormant: bool) -> None:
    values = part.values
    action = values.get("operation")
    if not dormant and state not in _RUNNING and state != "broken":
        if state:
            values["status"] = "unknown"
            values["status_text"] = state
            part.complaints.append(Complaint("warning", "unread", f"Unknown array_state {state!r}."))
        return
    level = values.get("raid_level")
    spent = {"raid0": 0, "linear": 0, "raid4": 1, "raid5": 1, "raid6": 2}.get(str(level))
    lost = state == "broken" or (spent is not None and missing > spent)
    values["status_text"] = state
    values["status"] = judge(
        lost=lost,
        dormant=dormant,
        degraded=missing > 0,
        work=action if action in OPERATIONS.values() else None,  # type: ignore[arg-type]  # one of the table's values
        waiting=False,
    )


def _judge_member(values: dict[str, object], words: list[str], slot: str | None, *, dormant: bool) -> None:
    if "faulty" in words:
        values["role"], values["status"] = "failed", "critical"
    elif "journal" in words or slot == "journal":
        values["role"], values["status"] = "journal", "ok"
    elif dormant:
        values["role"], values["status"] = None, "ok"
    elif "in_sync" in words:
        values["role"], values["status"] = "member", "warning" if "write_error" in words else "ok"
    elif "spare" in words:
        values["role"], values["status"] = ("spare", "ok") if slot in (None, "none") else ("member", "warning")


def _progress(action: Operation, details: dict[str, str]) -> Progress:
    """``sync_completed`` is ``delayed`` while another array is first, and a pair of figures while it moves."""
    percent = _percent(details.get("sync_completed", ""))
    if details.get("sync_completed") == "delayed":
        return Progress(operation=action, state="queued", reason=waits_for("DELAYED"))
    if percent is None and details.get("array_state") == "read-auto":
        return Progress(operation=action, state="queued", reason=waits_for("PENDING", held=True))
    return Progress(operation=action, percent=percent, state=None if percent is None else "running")


def _percent(text: str) -> float | None:
    match = _COMPLETED.fullmatch(text)
    if not match or not int(match[2]):
        return None
    return min(100.0, round(int(match[1]) * 100 / int(match[2]), 1))
