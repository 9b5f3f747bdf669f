"""Rows of zpool's table of devices that a mail program broke. Their parts are joined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl_zfs.vocabulary import GROUPS, VDEV

_HEAD = ("NAME", "STATE", "READ", "WRITE", "CKSUM")
_COUNT = regex(r"[\d.]{1,9}[KMGTPE]?", re.ASCII)


def joined(lines: Sequence[Line]) -> list[tuple[list[Line], str]]:
    """Each row with its lines. Only a part that a row lacks is taken for the rest of it.

    Rows below a heading that is broken within a word, as a terminal does, are not joined.
    """
    rows: list[tuple[list[Line], str]] = []
    for line in lines:
        if rows and _continues(rows[-1][1], line.stripped):
            before, text = rows.pop()
            rows.append(([*before, line], f"{text}  {line.stripped}"))
        else:
            rows.append(([line], line.text.expandtabs(8).rstrip()))
    if any(words[:1] == ["NAME"] and words[:5] != [*_HEAD] for words in (text.split() for _, text in rows)):
        return [([line], line.text.expandtabs(8).rstrip()) for line in lines]
    return rows


def _continues(text: str, rest: str) -> bool:
    """Whether a line is the rest of a row: what is left of its state, its three counts, and its remark."""
    words, more = text.split(), rest.split()
    if words[0] == _HEAD[0]:
        return words == [*_HEAD[: len(words)]] and more[0] in _HEAD[len(words) : len(words) + 1]
    if len(words) == 1:
        return words[0] not in GROUPS and more[0] in VDEV
    #     sdb  INUSE
    # currently in use
    if words[1] == "INUSE" and [*words[2:], *more] == ["currently", "in", "use"]:
        return True
    if words[1] not in VDEV:
        return False
    #     sda  ONLINE       0
    # 0     0  (resilvering)
    counts = sum(_COUNT.fullmatch(word) is not None for word in words[2:5])
    if len(words) < 5:
        wanted = 3 - counts
        return counts == len(words) - 2 and len(more) >= wanted and all(map(_COUNT.fullmatch, more[:wanted]))
    #     sda  ONLINE       0     0     0  (awaiting
    # resilver)
    note = " ".join(words[5:])
    opened = note.count("(") > note.count(")") or (not note and rest.startswith("("))
    return counts == 3 and opened and rest.endswith(")")
