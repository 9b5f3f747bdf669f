"""What the ``Label : value`` outputs of mdadm have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from raidctl.evidence import Line
from raidctl.text import pair, regex
from raidctl.vendor.draft import Pair
from raidctl_md.draft import ArrayDraft, MemberDraft, ReportDraft, key_of, slot_of

T = TypeVar("T")

# "       1       8       17        1      active sync   /dev/sdb1"
_ROW = regex(
    r"\s*(?P<number>\d{1,6}|-)\s+(?P<major>\d{1,6})\s+(?P<minor>\d{1,8})\s+(?P<slot>\d{1,6}|-)(?P<rest>(?:\s+\S.*)?)",
    re.ASCII,
)
# "this     1       8       17        1      active sync   /dev/sdb1"
# "   0     0       8        1        0      active sync   /dev/sda1"
_OLD_ROW = regex(
    r"\s*(?P<index>this|\d{1,6})\s+(?P<number>-?\d{1,6})\s+(?P<major>\d{1,6})\s+(?P<minor>\d{1,8})\s+(?P<slot>-?\d{1,6})"
    r"(?P<rest>(?:\s+\S.*)?)",
    re.ASCII,
)
_COUNT = regex(r"\d{1,9}", re.ASCII)
_SET = regex(r"set-[A-Z]")
_LOCAL = regex(r"\s*\(local to host.*", re.DOTALL)
_TABLE_HEAD = ("Number", "Major", "Minor", "RaidDevice")

ROW_WORDS = frozenset(
    {
        "faulty",
        "active",
        "sync",
        "removed",
        "writemostly",
        "write-mostly",
        "failfast",
        "journal",
        "spare",
        "rebuilding",
        "failed",
    }
)
"""Words between slot and device in tables of --detail and --examine (0.90)."""
_ROW_FLAGS = {"writemostly": "write_mostly", "write-mostly": "write_mostly", "failfast": "failfast"}


def required(parse: Callable[[str], T | None]) -> Callable[[str], T]:
    """A reader for which an unknown form is a problem."""

    def read(text: str) -> T:
        value = parse(text)
        if value is None:
            raise ValueError(text)
        return value

    return read


def known(text: str) -> str | None:
    """The text; None if the tool prints nothing."""
    return text or None


def keep(draft: ReportDraft, pair: Pair) -> None:
    """Keep a pair as a detail, also one without a value."""
    draft.detail_of(pair.lines, pair.label, pair.value)


def read_uuid(draft: ArrayDraft, pair: Pair) -> None:
    """Read the array's UUID."""
    draft.read_uuid(pair.lines[0], pair.label, pair.value)


def count(value: str) -> int | None:
    """A plain number; None for anything else."""
    return int(value) if _COUNT.fullmatch(value) else None


def layout(value: str) -> str | None:
    """The layout of an array; None if mdadm prints that it is unknown."""
    return None if value in ("-unknown-", "") else value


def pair_of(line: Line) -> Pair | None:
    """Label and value of ``   Raid Level : raid1``; None for another line."""
    found = pair(line.text)
    return Pair(*found, [line]) if found else None


def is_table_head(line: Line) -> bool:
    """``    Number   Major   Minor   RaidDevice State``."""
    return tuple(line.text.split()[:4]) == _TABLE_HEAD


def name_of(value: str) -> str | None:
    """``box:root`` of ``box:root  (local to host box)``; None if there is no name."""
    return _LOCAL.sub("", value).strip() or None


def row_of(line: Line, *, old: bool = False) -> re.Match[str] | None:
    """The columns of a row of the member table. With ``old`` it is that of a 0.90 superblock. None for another line."""
    match = (_OLD_ROW if old else _ROW).fullmatch(line.text)
    return match if match and (match["rest"].strip() or match["major"] != "0") else None


def split_row(rest: str) -> tuple[list[str], str | None]:
    """State words and device after the column of the slot."""
    words = rest.split()
    node = words.pop() if words and words[-1].startswith("/") else None
    return words, node


def read_member(
    draft: ArrayDraft,
    line: Line,
    columns: re.Match[str],
    *,
    states: bool = True,
    node: str | None = None,
    not_node: str | None = None,
) -> MemberDraft | None:
    """Read a row of the member table. None for a slot without a device.

    ``states`` is False if the table has no column State (containers, inactive arrays). ``node`` overrides the
    device in the row; ``not_node`` is a device that the row names wrongly, from an earlier time.
    """
    words, device = split_row(columns["rest"])
    node = node or (device if device != not_node else None)
    gone = words and words[-1] == "missing"
    if gone:
        words.pop()
    if node is None and (columns["major"], columns["minor"]) == ("0", "0"):
        draft.detail(line, f"RaidDevice {columns['slot']}", " ".join(words) or "-")
        return None
    member = draft.member(key_of(node) if node else f"{columns['major']}:{columns['minor']}", node)
    if columns["number"] != "-":
        member.number = columns["number"]
    member.slot = slot_of(columns["slot"])
    for label in ("number", "major", "minor", "slot"):
        member.detail(line, {"slot": "RaidDevice"}.get(label, label.title()), columns[label])
    if words or states:
        _read_state(line, member, words, columns["slot"])
    else:
        member.put(line, "role", "member")
    if gone:
        member.put(line, "status", "critical")
        member.put(line, "status_text", " ".join([*words, "missing"]))
    return member


def _read_state(line: Line, member: MemberDraft, words: Sequence[str], slot: str) -> None:
    text = " ".join(words)
    if text:
        member.put(line, "status_text", text)
    role, status = role_and_status(words, slot)
    member.put(line, "role", role)
    member.put(line, "status", status)
    flags = tuple(_ROW_FLAGS[word] for word in words if word in _ROW_FLAGS)
    if flags:
        member.put(line, "flags", flags)
    for word in words:
        if _SET.fullmatch(word):
            member.detail(line, "set", word)


def role_and_status(words: Sequence[str], slot: str) -> tuple[str | None, str]:
    """Role and health of the state words of a row."""
    if any(word not in ROW_WORDS and not _SET.fullmatch(word) for word in words):
        return None, "unknown"
    if "faulty" in words or "failed" in words:
        return "failed", "critical"
    if "journal" in words:
        return "journal", "ok"
    if "removed" in words:
        return None, "critical"
    if "rebuilding" in words:
        return "member", "warning"
    if "spare" in words:
        return "spare", "ok"
    if "sync" in words:
        return "member", "ok"
    if "active" in words:
        # in its slot, not in sync: a reshape or a recovery is filling it
        return "member", "warning"
    return ("member" if slot != "-" else None), "unknown"
