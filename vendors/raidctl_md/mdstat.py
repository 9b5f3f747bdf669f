"""/proc/mdstat, from Linux 2.4 to now. The words are those of ``md_seq_show`` and the personalities' ``status``."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Progress
from raidctl.text import collapse, printable, regex
from raidctl.vendor.draft import Complaint
from raidctl_md.draft import ArrayDraft, MemberDraft, Parent, Reading, Source
from raidctl_md.infer import conclude_state
from raidctl_md.mdstat_tokens import pieces
from raidctl_md.split_outputs import ARRAY_LINE, Section
from raidctl_md.state import waits_for
from raidctl_md.vocabulary import OPERATIONS, parity_layout, version

_LEVEL_NAME = regex(r"\s*Personalities ?:((?:\s+\[[\w-]{1,20}\])*)\s*")
_MORE_LEVELS = regex(r"(?:\s*\[[A-Za-z][\w-]{1,20}\])+\s*")
# Linux 2.2 and 2.4, above the arrays
_HEADER = regex(r"\s*(?P<label>read_ahead|Event):? (?P<value>\d{1,12}(?: sectors)?|not set)\s*")
# like the heading of an array
_HEADING = regex(r"md[\w.-]{0,40} ?: \S")
_UNUSED = regex(r"\s*unused devices ?:(?P<rest>.*)")

# Flags behind a member. E is Synology's kernel: the drive has reported errors and is still in the array.
_FLAG_NAMES = {"W": "write_mostly", "R": "replacement"}
_MAX_WORDS = 8
"""The most words of a state: ``active (auto-read-only)``. A line with thousands is damaged, but is still read in
time."""


def read(section: Section, reading: Reading) -> None:
    """Read one listing of /proc/mdstat."""
    current: _Array | None = None
    begun = len(reading.drafts)
    levels_open = ended = False
    for line in section.lines:
        text = line.text
        found = ARRAY_LINE.match(text)
        if found:
            current = _Array(section.output, found[1])
            reading.drafts.append(current.draft)
            current.read_line(line, found.end(1) + text[found.end(1) :].index(":") + 1)
        elif _LEVEL_NAME.fullmatch(text):
            reading.controller.append((line, "Personalities", collapse(text.partition(":")[2])))
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
            current.read_line(line, 0)
        elif current is None and (header := _HEADER.fullmatch(text)):
            reading.controller.append((line, header["label"], header["value"]))
        elif len(reading.drafts) == begun and text.lstrip()[:1].isdigit() and _has_blocks(text):
            _lost_heading(line, reading)  # of the first array
        levels_open = "Personalities" in text or (levels_open and bool(_MORE_LEVELS.fullmatch(text)))
    section.output.gap = "" if ended else "its last line, `unused devices`, is missing"
    if not ended and len(reading.drafts) == begun:
        message = "Incomplete listing: it names no array, and its last line, `unused devices`, is missing."
        reading.complaints.append(
            (section.output.command, Complaint("warning", "unread", message, "Read the whole file again."))
        )
    if not ended and current is not None and current.strange:
        current.doubt()
    for draft in reading.drafts[begun:]:
        conclude_state(draft)


def _has_blocks(text: str) -> bool:
    """Whether a line has the size of an array: ``976630464 blocks super 1.2 [2/1] [U_]``."""
    return " blocks" in text and any(match.lastgroup == "blocks" for match in pieces(text, 0))


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
        self.draft = ArrayDraft(source=Source.MDSTAT, output=output, node=f"/dev/{name}")
        self.words: list[str] = []
        self.strange = False
        """Its last line is not understood completely."""

    def doubt(self) -> None:
        """Make the members unknown, since the output ends within the last line."""
        for member in self.draft.members.values():
            if member.get("status") == "ok":
                member.override("status", "unknown")

    def ends(self, text: str) -> bool:
        """Whether a line belongs to another array: each prints its blocks once."""
        return "size_bytes" in self.draft.values and _has_blocks(text)

    def read_line(self, line: Line, start: int) -> None:
        draft = self.draft
        self.strange = False
        for match in pieces(line.text, start):
            kind = match.lastgroup or "other"
            if kind == "other":
                self.strange = True
                if start:  # in the first line, which lists the members: sdb2[?](F)
                    _read_strange(draft, line, match)
            elif kind == "state":
                self.words.append(match[kind])
                draft.put_labelled(line, "status_text", " ".join(self.words[:_MAX_WORDS]), "state")
            else:
                _READERS[kind](draft, line, match)
        if self.strange:
            draft.doubt_line(line)
        else:
            mark_read(line)


def _read_counts(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    draft.put_labelled(line, "drives_expected", int(match["want"]), "devices")
    draft.put_labelled(line, "drives_active", int(match["have"]), "active")


def _read_bar(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """``[=>...................]``: an operation is running."""
    del line, match
    draft.busy = True


def _read_work(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    progress = Progress(
        operation=OPERATIONS[match["doing"]], percent=min(float(match["percent"]), 100.0), state="running"
    )
    draft.put_labelled(line, "progress", progress, match["doing"])


def _read_finish(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """``finish=44.1min``: the kernel's estimate of the time left."""
    draft.detail(line, "finish", match["minutes"])
    _add(draft, remaining_seconds=round(float(match["minutes"].removesuffix("min")) * 60))


def _read_speed(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """``speed=161600K/sec``: KiB per second of each member; below zero while unknown."""
    draft.detail(line, "speed", match["rate"])
    rate = int(match["rate"].removesuffix("K/sec")) * 1024
    _add(draft, rate_bytes=rate if rate >= 0 else None)


def _add(draft: ArrayDraft, **values: int | None) -> None:
    progress = draft.get("progress")
    if isinstance(progress, Progress):
        draft.override("progress", replace(progress, **values))


def _read_waits(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    draft.detail(line, "waiting", match["waits"])
    reason = waits_for(match["why"], str(draft.get("status_text") or ""))
    progress = Progress(operation=OPERATIONS[match["for"]], state="queued", reason=reason)
    draft.put_labelled(line, "progress", progress, match["for"])


def _read_bitmap(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    draft.put_labelled(line, "bitmap", match["file"] or "internal", "bitmap")
    draft.detail(line, "bitmap pages", match["pages"])


def _read_blocks(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    draft.detail(line, "blocks", match["count"])
    draft.put_labelled(line, "size_bytes", int(match["count"]) * 1024, "blocks")


def _read_parity(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    draft.read_level(line, "level", f"raid{match['digit']}")
    draft.put_labelled(line, "strip_bytes", int(match["chunk"]) * 1024, "chunk")
    _read_algorithm(draft, line, match["algorithm"])


def _read_algorithm(draft: ArrayDraft, line: Line, number: str) -> None:
    draft.detail(line, "algorithm", number)
    layout = parity_layout(str(draft.get("raid_level"))[-1:], int(number))
    if layout:
        draft.put_labelled(line, "layout", layout, "algorithm")


def _read_copies(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    known = draft.get("layout")
    layout = f"{match['where']}={match['times']}"
    draft.put_labelled(line, "layout", f"{known}, {layout}" if known else layout, "copies")


def _read_old(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    label, _, value = match["old"].strip("[]").partition(" ")
    draft.detail(line, label.rstrip(":"), value)


def _read_faults(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    label, _, value = match["faults"].partition("=")
    draft.detail(line, label, value or "yes")


def _read_super(draft: ArrayDraft, line: Line, word: str) -> None:
    if not word.startswith("external:"):
        draft.put_labelled(line, "metadata", version(word), "super")
        return
    name = word.removeprefix("external:")
    if name[:1] not in "/-":
        # a container has no level: "active raid4" above a damaged "external:/md127/0" is an array
        draft.is_container = "raid_level" not in draft.values
        draft.put_labelled(line, "metadata", name, "super")
        return
    # external:/md127/0 is the first array of container md127; a minus instead of the slash means that it is frozen
    draft.detail(line, "super", word)
    container, _, index = name[1:].partition("/")
    draft.parent = Parent(f"/dev/{container}", index)


def _read_member(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """Read a member, such as ``sdc1[4](W)(S)``.

    An array that is not started gives every device (S), be it a member or a spare.
    """
    name, number, flags = match.group("name", "number", "flags")
    if name.startswith("[dev"):
        member = draft.member(name[5:-1])
    else:
        name = name.replace("!", "/")
        member = draft.member(name, f"/dev/{name}")
    member.number = number
    member.detail(line, "number", number)
    if not flags:
        member.put(line, "role", "member")
        member.put(line, "status", "ok")
        return
    letters = flags[1::3]
    # Linux 2.4 names the level of an array that is not running; the marks mean something then
    inactive = str(draft.get("status_text") or "").startswith("inactive") and "raid_level" not in draft.values
    if "F" in letters:
        role, health = "failed", "critical"
    else:
        role = "journal" if "J" in letters else "spare" if "S" in letters and not inactive else "member"
        health = "critical" if "E" in letters else "ok"
    member.put(line, "role", role)
    member.put(line, "status", health)
    member.put(line, "status_text", flags)
    if role == "member" and "S" in letters:
        draft.undecided.add(member.name)
    named = tuple(_FLAG_NAMES[letter] for letter in letters if letter in _FLAG_NAMES)
    if named:
        member.put(line, "flags", named)
    if set(letters) - set("FSRWJE"):
        _doubt(member, line, flags)


def _read_odd_member(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """``sdc1[4](f)``: whether it has failed is unknown."""
    name = match["odd"].replace("!", "/")
    member = draft.member(name, f"/dev/{name}")
    member.number = match["place"]
    member.detail(line, "number", match["place"])
    _doubt(member, line, printable(match["mark"]))


def _doubt(member: MemberDraft, line: Line, flags: str) -> None:
    member.put(line, "status", "unknown")
    member.add_problem("warning", "unread", f"Unknown member flag {flags!r}.")


def _read_strange(draft: ArrayDraft, line: Line, match: re.Match[str]) -> None:
    """A word where the kernel prints a state or a member: ``(stalled)``, ``[UU?]``, ``rewrite=DELAYED``."""
    draft.detail(line, "unknown word", match[0].strip())
    draft.add_problem("warning", "unread", f"Unknown word {match[0].strip()[:80]!r} in /proc/mdstat.")


_Reader = Callable[[ArrayDraft, Line, re.Match[str]], None]
_READERS: dict[str, _Reader] = {
    "member": _read_member,
    "odd_member": _read_odd_member,
    **dict.fromkeys(("odd_state", "odd_map", "odd_waits"), _read_strange),
    "bar": _read_bar,
    "level": lambda draft, line, match: draft.read_level(line, "level", match["level"]),
    "super": lambda draft, line, match: _read_super(draft, line, match["format"]),
    "counts": _read_counts,
    "map": lambda draft, line, match: draft.detail(line, "map", match["slots"]),
    "blocks": _read_blocks,
    "parity": _read_parity,
    "degree": lambda draft, line, match: draft.read_level(line, "level", f"raid{match['raid']}"),
    "chunk_only": lambda draft, line, match: draft.put_labelled(line, "strip_bytes", int(match["kib"]) * 1024, "chunk"),
    "rule": lambda draft, line, match: _read_algorithm(draft, line, match["order"]),
    "chunks": lambda draft, line, match: draft.put_labelled(line, "strip_bytes", int(match["strip"]) * 1024, "chunks"),
    "copies": _read_copies,
    "sets": lambda draft, line, match: draft.detail(line, "devices per set", match["perset"]),
    "rounding": lambda draft, line, match: draft.detail(line, "rounding", f"{match['round']}k"),
    "work": _read_work,
    "waits": _read_waits,
    "done": lambda draft, line, match: draft.detail(line, "done", match["sectors"]),
    "finish": _read_finish,
    "speed": _read_speed,
    "bitmap": _read_bitmap,
    "old": _read_old,
    "faults": _read_faults,
}
"""The function for each kind of token. States are read by the array."""
