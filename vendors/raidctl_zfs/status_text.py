"""``zpool status`` and ``zpool import`` as text: labels and vdev table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, printable, regex
from raidctl_zfs.broken_rows import joined
from raidctl_zfs.draft import ControllerDraft, PoolDraft, Vdev
from raidctl_zfs.infer import fine, put_errors, put_message, put_state
from raidctl_zfs.scan import MOVES, read_move, read_scan
from raidctl_zfs.vocabulary import GROUPS, INTERIOR, LOST, VDEV

#   pool: tank
#  state: ONLINE
LABEL = regex(
    r"\s*(pool|id|state|status|action|see|scan warning|scan|scrub|comment|config|errors|remove|checkpoint|"
    r"condense|expand|dedup)\s*:(?:\s+(.*))?",
)
# 	NAME        STATE     READ WRITE CKSUM
_HEAD = regex(r"\s*(?:NAME\s+STATE\b.*|(?:READ\s+)?(?:WRITE\s+)?CKSUM\s*)")
# 	    sda     ONLINE       0     0     0  (resilvering)
_ROW = regex(
    r"(?P<indent>\s*)(?P<name>\S{1,256})"
    r"(?:\s+(?P<state>[A-Z]{2,12}\b|\S{1,20}(?=(?:\s+[\d.]+[KMGTPE]?){3}(?:\s|$)))(?:\s+(?P<read>[\d.]+[KMGTPE]?)\s+"
    r"(?P<write>[\d.]+[KMGTPE]?)\s+(?P<cksum>[\d.]+[KMGTPE]?)(?=\s|$))?(?:\s+(?P<note>\S.*))?)?"
)
# errors: Permanent errors have been detected in the following files:
#
#         tank/data:/file       <metadata>:<0x0>
_FILE = regex(r"/|\S+:[/<]")
_STRANGE = "A line of its list of devices was not understood: “{}”."
_NAMELESS = "The line with the name of the first pool is missing: that pool is unknown."
_AGAIN = "Run zpool status again and keep its whole output."
_COUNTS = (("read", "READ"), ("write", "WRITE"), ("cksum", "CKSUM"))
_SIMPLE = ("id", "see", "comment", "remove", "checkpoint", "condense", "expand", "dedup", "scan warning")
# pool 'tank' is healthy       the answer of -x
_NONE = regex(r"no pools available(?: to import)?|all pools are healthy|pool '[^']{1,256}' is healthy")
_LIVE = ("FAULTED", "UNAVAIL", "SUSPENDED")


def read_status(output: Output, controller: ControllerDraft) -> bool:
    """Read an output. False if it has no pool, and no statement that there is none."""
    pool: PoolDraft | None = None
    sections: list[tuple[str, list[Line], str]] = []
    known = apart = False
    for line in output.lines:
        if not line.stripped:
            apart = True
            continue
        match = LABEL.fullmatch(line.text)
        if match is not None and match[1] == "pool":
            _finish(output, pool, sections)
            pool, sections, known = controller.volume(collapse(match[2] or "")), [], True
            controller.array(pool.name)
            pool.put(line, "name", pool.name)
        elif _NONE.fullmatch(line.stripped):
            known = True
            mark_read(line)
        elif pool is None:
            if (match is not None and match[1] in ("state", "config")) or _is_row(line):
                controller.add_problem("warning", "unread", _NAMELESS, _AGAIN)
        elif match is not None:
            sections.append((match[1], [line], match[2] or ""))
            apart = False
        elif sections:
            label, lines, text = sections[-1]
            if label != "errors" or not (fine(text) or (apart and not _FILE.match(line.stripped))):
                lines.append(line)
                sections[-1] = (label, lines, f"{text} {line.stripped}")
    _finish(output, pool, sections)
    return known


def _is_row(line: Line) -> bool:
    """Whether a line is one of a device, with its state and three counts."""
    match = _ROW.fullmatch(line.text.expandtabs(8).rstrip())
    return match is not None and match["state"] in VDEV and match["cksum"] is not None


def _finish(output: Output, pool: PoolDraft | None, sections: Sequence[tuple[str, list[Line], str]]) -> None:
    if pool is None:
        return
    labels = [label for label, _, _ in sections]
    state = next((text.strip() for label, _, text in sections if label == "state"), "")
    # Solaris prints the id of an imported pool as well
    pool.imported = "id" not in labels or "scan" in labels or "errors" in labels
    for label, lines, text in sections:
        if label in _SECTIONS:
            _SECTIONS[label](pool, lines, text)
        elif label in _SIMPLE:
            pool.detail_of(lines, label, text)
    for label in MOVES:
        read_move(pool, *_section(sections, label))
    put_message(pool, _section(sections, "status"), _section(sections, "action"))
    # errors: No known data errors         the last line of each pool that could be opened
    ended = "errors" in labels or not pool.imported or state in _LIVE
    if not ended or not state or pool.root is None:
        output.gap = "the line that ends a pool is missing"


def _devices(pool: PoolDraft, lines: Sequence[Line], _text: str) -> None:
    mark_read(lines[0])
    table = PoolDraft(pool.name, imported=pool.imported)
    for line in _config(table, lines[1:]):
        pool.add_problem("warning", "unread", _STRANGE.format(printable(line.stripped)[:80]), _AGAIN)
    pool.add_table(table)


_SECTIONS: dict[str, Callable[[PoolDraft, Sequence[Line], str], object]] = {
    #  state: ONLINE
    "state": lambda pool, lines, text: put_state(pool, lines[:1], text),
    # config:
    "config": _devices,
    #   scan: scrub repaired 0B in 00:00:00 with 0 errors on Sat Feb 10 20:34:42 2024
    **dict.fromkeys(("scan", "scrub"), read_scan),
    # errors: No known data errors
    "errors": lambda pool, lines, text: put_errors(pool, lines, collapse(text)),
}
"""What is read of each section, with its lines joined."""


def _section(sections: Sequence[tuple[str, list[Line], str]], wanted: str) -> tuple[list[Line], str]:
    return next(((lines, collapse(text)) for label, lines, text in sections if label == wanted), ([], ""))


def _config(pool: PoolDraft, lines: Sequence[Line]) -> list[Line]:
    """Read the table of devices. Return the lines that are not its rows."""
    rows: list[tuple[list[Line], re.Match[str]]] = []
    bare = False
    strange: list[Line] = []
    more: list[str] = []
    for parts, text in joined(lines):
        # the name of a pool may have blanks
        match = _ROW.fullmatch(text.replace(pool.name, pool.name.replace(" ", "_"), 1))
        if _HEAD.fullmatch(text):
            more = text.partition("CKSUM")[2].split()
            mark_read(*parts)
        elif match is not None and (match["state"] or match["name"] in GROUPS or bare):
            rows.append((parts, match))
            # zpool import prints caches and spares without a state
            bare = not pool.imported and (
                GROUPS.get(match["name"]) in ("cache", "spare") or (not match["state"] and bare)
            )
            mark_read(*parts[1:])
        elif LOST.match(text.strip()):
            pool.lost = True
            mark_read(*parts)
        else:
            strange += parts
    if not rows:
        return strange
    # the pool's own row is indented less than all others except titles
    edge = len(rows[0][1]["indent"])
    even = any(len(match["indent"]) <= edge and match["name"] not in GROUPS for _, match in rows[1:])
    pool.flat = even and any(map(_holds_others, (match["name"] for _, match in rows[1:])))
    part, path = "data", list[tuple[int, Vdev]]()
    for parts, match in rows:
        depth = _depth(match, pool, path) if even else len(match["indent"])
        found = _vdev(parts[0], match, more)
        while path and path[-1][0] >= depth:
            path.pop()
        title = GROUPS.get(found.name) if not path else None
        if title is not None:
            part = title
        found.part = part
        if path:
            path[-1][1].children.append(found)
        elif title is not None or pool.root is not None:
            pool.parts.append(found)
        else:
            pool.root = found
        path.append((depth, found))
    return strange


def _depth(match: re.Match[str], pool: PoolDraft, path: Sequence[tuple[int, Vdev]]) -> int:
    """The depth of a row without indentation, by its name."""
    if pool.root is None or match["name"] in GROUPS:
        return 0
    if INTERIOR.fullmatch(match["name"]):
        return 1
    return 2 if any(INTERIOR.fullmatch(vdev.name) for _, vdev in path) else 1


def _holds_others(name: str) -> bool:
    """Whether a row is, or may be, a vdev of several devices. With ``-g``, numbers are printed instead of names."""
    return name in GROUPS or name.isdecimal() or INTERIOR.fullmatch(name) is not None


def _vdev(line: Line, match: re.Match[str], more: Sequence[str]) -> Vdev:
    """A row. ``more``: the columns that options add after the errors, such as ``SLOW`` of -s and properties of -c."""
    counts = {label: match[name] for name, label in _COUNTS if match[name] is not None}
    words = (match["note"] or "").split()
    values, note = (words[: len(more)], words[len(more) :]) if counts else ([], words)
    details = [(line, label, value) for label, value in zip(more, values, strict=False) if value != "-"]
    return Vdev(match["name"], match["state"] or "", lines=[line], counts=counts, note=" ".join(note), details=details)
