"""``zpool list`` as text: a table with a row for each pool. With ``-v`` it also has rows for vdevs and devices."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import regex
from raidctl_zfs.draft import ControllerDraft, PoolDraft, Vdev
from raidctl_zfs.infer import put_sizes, put_state
from raidctl_zfs.vocabulary import GROUPS, INTERIOR, POOL

# NAME    SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
# NAME  HEALTH                           zpool list -o name,health
HEAD = regex(r"\s*NAME\s+(?:SIZE\s+(?:ALLOC|USED|AVAIL)\b.*|(?:[A-Z]{3,10}\s+){0,12}HEALTH(?:\s+[A-Z]{3,10}){0,12}\s*)")
# 3.62T   31989997142016   -
_SIZE = regex(r"\d+|\d+(?:[.,]\d+)?[BKMGTPEZ]|-", re.ASCII)
# not a name, but the rest of a row that a mailer has wrapped: "-   4%   63%   1.00x  DEGRADED  -"
_REST = regex(r"-|[\d.,]{1,6}[%xBKMGTPEZ]?", re.ASCII)
_PROPERTIES = {"SIZE": "size", "ALLOC": "allocated", "FREE": "free"}


def read_list(output: Output, controller: ControllerDraft) -> bool:
    """Read the table; False if there is none."""
    columns: list[str] = []
    margin = 0
    pool: PoolDraft | None = None
    tables: list[PoolDraft] = []
    path: list[tuple[int, Vdev]] = []
    lengths: list[int] = []
    for line in output.lines:
        words = line.stripped.split()
        if HEAD.fullmatch(line.text):
            columns, margin = words, line.indent
            mark_read(line)
        elif columns and _is_row(words := _with_whole_name(words, columns), columns):
            row = dict(zip(columns, words, strict=False))
            # a vdev is indented, unless the indentation is lost; only a pool has a deduplication ratio
            inside = pool is not None and (INTERIOR.fullmatch(words[0]) or (pool.flat and row.get("DEDUP") == "-"))
            # a title of -v is not indented either: "logs      -      -      -"
            outer = line.indent <= margin
            title = _title(words)
            is_pool = outer and title is None and not inside
            if is_pool and "HEALTH" in columns and len(words) <= columns.index("HEALTH"):
                output.gap = output.gap or f"the row of {words[0]} has no state"
            if is_pool and (len(words) > 2 or columns[1] != "SIZE"):
                _pool(line, row, controller)
                pool = PoolDraft(row["NAME"], root=(root := Vdev(row["NAME"], row.get("HEALTH", ""), lines=[line])))
                tables.append(pool)
                path = [(0, root)]
            elif pool is not None and not is_pool:
                pool.flat = pool.flat or (outer and title is None)
                lengths.append(len(words))
                _vdev(line, row, pool, path, title)
        elif columns and words and columns[1] != "SIZE":
            output.gap = output.gap or f"the row of {words[0]} has not all columns"
    *others, last = lengths or [0]
    if others and last < min(others):
        output.gap = output.gap or "its last row is shorter than the others"
    for table in tables:
        controller.volume(table.name).add_table(table)
    return bool(columns)


def _title(words: Sequence[str]) -> str | None:
    """The part of a pool whose title a row is: ``spare      -      -      -``. Below a vdev, ``spare`` has a number."""
    return "spare" if words[0] == "spare" and set(words[1:]) <= {"-"} else GROUPS.get(words[0])


def _with_whole_name(words: list[str], columns: Sequence[str]) -> list[str]:
    """The words of a row. A pool's name may have blanks."""
    more = len(words) - len(columns)
    if more <= 0:
        return words
    sized = columns[1] == "SIZE" and not _SIZE.fullmatch(words[1]) and _SIZE.fullmatch(words[more + 1])
    healthy = "HEALTH" in columns and words[columns.index("HEALTH") + more] in POOL
    return [" ".join(words[: more + 1]), *words[more + 1 :]] if sized or healthy else words


def _is_row(words: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a line is a row of the table.

    A row is a name and a size, or a title alone. A sentence below the table is not a row.
    """
    if len(words) < 2:
        return bool(words) and words[0] in GROUPS
    if columns[1] != "SIZE":  # of -o
        return len(words) == len(columns)
    return _SIZE.fullmatch(words[1]) is not None and not _REST.fullmatch(words[0])


def _pool(line: Line, row: dict[str, str], controller: ControllerDraft) -> None:
    name = row["NAME"]
    pool = controller.volume(name)
    array = controller.array(name)
    pool.put(line, "name", name)
    if "HEALTH" in row:
        put_state(pool, [line], row["HEALTH"])
    for label, value in row.items():
        if label in _PROPERTIES:
            put_sizes(array, [line], _PROPERTIES[label], value)
        if label not in ("NAME", "HEALTH") and value != "-":
            pool.detail(line, label, value)


def _vdev(line: Line, row: dict[str, str], pool: PoolDraft, path: list[tuple[int, Vdev]], title: str | None) -> None:
    if title is not None:
        found = Vdev(row["NAME"], "", title, lines=[line])
        pool.parts.append(found)
        path[:] = [(0, found)]
        return
    depth = line.indent if not pool.flat else 1 if INTERIOR.fullmatch(row["NAME"]) else 2
    while len(path) > 1 and path[-1][0] >= depth:
        path.pop()
    above = path[-1][1]
    found = Vdev(row["NAME"], row.get("HEALTH", ""), above.part, lines=[line])
    above.children.append(found)
    path.append((depth, found))
