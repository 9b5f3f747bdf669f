"""/proc/mdstat, from Linux 2.4 to now. The words are those of ``md_seq_show`` and the personalities' ``status``."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Progress
from raidctl_md.infer import settle
from raidctl_md.mdstat_tokens import pieces
from raidctl_md.parts import Complaint, Parent, Part, Reading, Source
from raidctl_md.split_outputs import ARRAY_LINE, Section
from raidctl_md.state import waits_for
from raidctl_md.vocabulary import OPERATIONS, parity_layout, version

_LEVEL_NAME = re.compile(r"\s*Personalities ?:((?:\s+\[[\w-]{1,20}\])*)\s*")
_MORE_LEVELS = re.compile(r"(?:\s*\[[A-Za-z][\w-]{1,20}\])+\s*")
# Linux 2.2 and 2.4, above the arrays
_HEADER = re.compile(r"\s*(?P<label>read_ahead|Event):? (?P<value>\d{1,12}(?: sectors)?|not set)\s*")
# like the heading of an array
_HEADING = re.compile(r"md[\w.-]{0,40} ?: \S")
_UNUSED = re.compile(r"\s*unused devices ?:(?P<rest>.*)")

# Flags behind a member. E is Synology's kernel: the drive has reported errors and is still in the array.
_FLAG_NAMES = {"W": "write_mostly", "R": "replacement"}


def read(section: Section, reading: Reading) -> None:
    """Read one listing of /proc/mdstat."""
    current: _Array | None = None
    begun = len(reading.parts)
    levels_open = ended = False
    for line in section.lines:
        text = line.text
        found = ARRAY_LINE.match(text)
        if found:
            current = _Array(section.output, found[1])
            reading.parts.append(current.part)
            current.feed(line, found.end(1) + text[found.end(1) :].index(":") + 1)
        elif _LEVEL_NAME.fullmatch(text):
            reading.controller.append((line, "Personalities", " ".join(text.partition(":")[2].split())))
        elif levels_open and reading.controller and _MORE_LEVELS.fullmatch(text):
            first, label, value = reading.controller.pop()
            reading.controller.append((first, label, f"{value} {text.strip()}"))
            mark_read(line)
        elif _UNUSED.fullmatch(text):
            _unused(line, reading)
            current, ended = None, True
        elif _HEADING.match(text) or (current is not None and current.ends(text)):
            _lost_heading(line, reading)
            current = None
        elif current is not None and text.strip():
            current.feed(line, 0)
        elif current is None and (header := _HEADER.fullmatch(text)):
            reading.controller.append((line, header["label"], header["value"]))
        levels_open = "Personalities" in text or (levels_open and bool(_MORE_LEVELS.fullmatch(text)))
    section.output.gap = "" if ended else "its last line, `unused devices`, is missing"
    if not ended and len(reading.parts) == begun:
        message = "Incomplete listing: it names no array, and its last line, `unused devices`, is missing."
        reading.complaints.append(
            (section.output.command, Complaint("warning", "unread", message, "Read the whole file again."))
        )
    if not ended and current is not None and current.strange:
        current.doubt()
    for part in reading.parts[begun:]:
        settle(part)


def _lost_heading(line: Line, reading: Reading) -> None:
    """Report lines of an array whose heading is missing or not recognised."""
    message = f"Line {line.number} of the listing belongs to an array whose heading is missing or not recognised."
    remedy = "List all arrays with `mdadm --detail --scan`, and read /proc/mdstat again, completely."
    reading.complaints.append((line.output.command, Complaint("warning", "unread", message, remedy)))


def _unused(line: Line, reading: Reading) -> None:
    match = _UNUSED.fullmatch(line.text)
    rest = match["rest"].strip() if match else ""
    if rest in ("", "<none>"):
        mark_read(line)
    else:
        reading.controller.append((line, "unused devices", rest))


class _Array:
    """An array while its lines are read."""

    def __init__(self, output: Output, name: str) -> None:
        self.part = Part(Source.MDSTAT, output, node=f"/dev/{name}")
        self.words: list[str] = []
        self.strange = False
        """Its last line is not understood completely."""

    def doubt(self) -> None:
        """Make the members unknown, since the output ends within the last line."""
        for member in self.part.members.values():
            if member.values.get("status") == "ok":
                member.values["status"] = "unknown"

    def ends(self, text: str) -> bool:
        """Whether a line belongs to another array: each prints its blocks once."""
        if "size_bytes" not in self.part.values or " blocks" not in text:
            return False
        return any(piece is not None and piece[0] == "blocks" for piece in pieces(text, 0))

    def feed(self, line: Line, start: int) -> None:
        part = self.part
        claims = len(part.claims)
        self.strange = False
        for piece in pieces(line.text, start):
            if piece is None:
                self.strange = True
                continue
            kind, match = piece
            if kind == "member":
                _take_member(part, line, match)
            elif kind == "state":
                self.words.append(match[0])
                part.put(line, "status_text", " ".join(self.words), "state")
            elif kind == "bar":
                part.busy = True
            elif kind in _TAKE:
                _TAKE[kind](part, line, match)
        if self.strange:
            # what is understood counts, but the line remains listed as not understood: its claims are dropped
            del part.claims[claims:]
        elif len(part.claims) == claims:
            mark_read(line)


def _take_counts(part: Part, line: Line, match: re.Match[str]) -> None:
    part.put(line, "drives_expected", int(match["want"]), "devices")
    part.put(line, "drives_active", int(match["have"]), "active")


def _take_work(part: Part, line: Line, match: re.Match[str]) -> None:
    progress = Progress(
        operation=OPERATIONS[match["doing"]], percent=min(float(match["percent"]), 100.0), state="running"
    )
    part.put(line, "progress", progress, match["doing"])


def _take_rest(part: Part, line: Line, match: re.Match[str]) -> None:
    """``finish=44.1min``: the kernel's estimate of the time left."""
    part.detail(line, "finish", match["minutes"])
    _add(part, remaining_seconds=round(float(match["minutes"].removesuffix("min")) * 60))


def _take_speed(part: Part, line: Line, match: re.Match[str]) -> None:
    """``speed=161600K/sec``: KiB of each member a second; below zero while nothing is known."""
    part.detail(line, "speed", match["rate"])
    rate = int(match["rate"].removesuffix("K/sec")) * 1024
    _add(part, rate_bytes=rate if rate >= 0 else None)


def _add(part: Part, **values: int | None) -> None:
    progress = part.values.get("progress")
    if isinstance(progress, Progress):
        part.values["progress"] = replace(progress, **values)


def _take_waits(part: Part, line: Line, match: re.Match[str]) -> None:
    part.detail(line, "waiting", match[0])
    held = "read-only" in str(part.values.get("status_text", ""))
    progress = Progress(operation=OPERATIONS[match["for"]], state="queued", reason=waits_for(match["why"], held=held))
    part.put(line, "progress", progress, match["for"])


def _take_bitmap(part: Part, line: Line, match: re.Match[str]) -> None:
    part.put(line, "bitmap", match["file"] or "internal", "bitmap")
    part.detail(line, "bitmap pages", match["pages"])


def _take_blocks(part: Part, line: Line, match: re.Match[str]) -> None:
    part.detail(line, "blocks", match["count"])
    part.put(line, "size_bytes", int(match["count"]) * 1024, "blocks")


def _take_parity(part: Part, line: Line, match: re.Match[str]) -> None:
    part.take_level(line, "level", f"raid{match['digit']}")
    part.put(line, "strip_bytes", int(match["chunk"]) * 1024, "chunk")
    _take_algorithm(part, line, match["algorithm"])


def _take_algorithm(part: Part, line: Line, number: str) -> None:
    part.detail(line, "algorithm", number)
    layout = parity_layout(str(part.values.get("raid_level"))[-1:], int(number))
    if layout:
        part.put(line, "layout", layout, "algorithm")


def _take_copies(part: Part, line: Line, match: re.Match[str]) -> None:
    known = part.values.get("layout")
    layout = f"{match['where']}={match['times']}"
    part.put(line, "layout", f"{known}, {layout}" if known else layout, "copies")


def _take_old(part: Part, line: Line, match: re.Match[str]) -> None:
    label, _, value = match[0].strip("[]").partition(" ")
    part.detail(line, label.rstrip(":"), value)


def _take_faults(part: Part, line: Line, match: re.Match[str]) -> None:
    label, _, value = match[0].partition("=")
    part.detail(line, label, value or "yes")


def _take_super(part: Part, line: Line, word: str) -> None:
    if not word.startswith("external:"):
        part.put(line, "metadata", version(word), "super")
        return
    name = word.removeprefix("external:")
    if name[:1] not in "/-":
        part.is_container = True
        part.put(line, "metadata", name, "super")
        return
    # external:/md127/0 is the first array of container md127; a minus instead of the slash means that it is frozen
    part.detail(line, "super", word)
    container, _, index = name[1:].partition("/")
    part.parent = Parent(f"/dev/{container}", index)


def _take_member(part: Part, line: Line, match: re.Match[str]) -> None:
    """``sdc1[4](W)(S)``; an array that is not started gives every device (S), be it a member or a spare."""
    name, number, flags = match.group("name", "number", "flags")
    if name.startswith("[dev"):
        member = part.member(name[5:-1])
    else:
        name = name.replace("!", "/")
        member = part.member(name, f"/dev/{name}")
    member.number = number
    part.detail_member(line, member, "number", number)
    if not flags:
        part.put_member(line, member, "role", "member")
        part.put_member(line, member, "status", "ok")
        return
    letters = flags[1::3]
    # Linux 2.4 names the level of an array that is not running; the marks mean something then
    dormant = str(part.values.get("status_text", "")).startswith("inactive") and "raid_level" not in part.values
    if "F" in letters:
        role, health = "failed", "critical"
    else:
        role = "journal" if "J" in letters else "spare" if "S" in letters and not dormant else "member"
        health = "critical" if "E" in letters else "ok"
    part.put_member(line, member, "role", role)
    part.put_member(line, member, "status", health)
    part.put_member(line, member, "status_text", flags)
    if role == "member" and "S" in letters:
        part.undecided.add(member.key)
    named = tuple(_FLAG_NAMES[letter] for letter in letters if letter in _FLAG_NAMES)
    if named:
        part.put_member(line, member, "flags", named)
    if set(letters) - set("FSRWJE"):
        part.put_member(line, member, "status", "unknown")
        text = f"Unknown member flag {flags!r}."
        part.complaints.append(Complaint("warning", "unread", text, member=member.key))


_Take = Callable[[Part, Line, re.Match[str]], None]
_TAKE: dict[str, _Take] = {
    "level": lambda part, line, match: part.take_level(line, "level", match[0]),
    "super": lambda part, line, match: _take_super(part, line, match["format"]),
    "counts": _take_counts,
    "map": lambda part, line, match: part.detail(line, "map", match["slots"]),
    "blocks": _take_blocks,
    "parity": _take_parity,
    "degree": lambda part, line, match: part.take_level(line, "level", f"raid{match['raid']}"),
    "chunk_only": lambda part, line, match: part.put(line, "strip_bytes", int(match["kib"]) * 1024, "chunk"),
    "rule": lambda part, line, match: _take_algorithm(part, line, match["order"]),
    "chunks": lambda part, line, match: part.put(line, "strip_bytes", int(match["strip"]) * 1024, "chunks"),
    "copies": _take_copies,
    "sets": lambda part, line, match: part.detail(line, "devices per set", match["perset"]),
    "rounding": lambda part, line, match: part.detail(line, "rounding", f"{match['round']}k"),
    "work": _take_work,
    "waits": _take_waits,
    "done": lambda part, line, match: part.detail(line, "done", match["sectors"]),
    "finish": _take_rest,
    "speed": _take_speed,
    "bitmap": _take_bitmap,
    "old": _take_old,
    "faults": _take_faults,
}
"""The function for each kind of token; members and states are read by the array."""
