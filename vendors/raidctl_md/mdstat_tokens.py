"""The tokens after an array's name in /proc/mdstat, from Linux 2.2 on.

From Linux 2.2 to now, the kernel prints them in ``md_seq_show``, ``status_resync``, and the ``status`` of the bitmap
and of the personalities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.text import regex

# The tokens after "md0 : "; each is anchored at the end of a word, so that "imsm<x>" is not taken for "imsm".
_FLAGS = r"(?P<flags>(?:\([A-Z]\)){0,8})(?!\S)"
_BITMAP_FILE = r"(?:, file: (?P<file>\S{1,400}))?(?=\s|$)"
_PIECES = {
    # sda1[0] nvme0n1p2[3](W) cciss/c0d0p1[1](F) dm-0[5](J); Linux 2.4 without devfs: [dev 08:01][0]
    "member": r"(?P<name>[A-Za-z][^\s\[\]()]{0,80}|\[dev [0-9a-f]{2}:[0-9a-f]{2}\])\[(?P<number>[0-9]{1,6})\]" + _FLAGS,
    # sdh1[5](f): not a flag, where flags are printed
    "odd_member": r"(?P<odd>[A-Za-z][^\s\[\]()]{0,80})\[(?P<place>[0-9]{1,6})\](?P<mark>\(\S{0,8})",
    "state": r"(?:inactive|active|broken)(?=[\s(]|$)|\((?:auto-)?read-only\)",
    "odd_state": r"\((?P<strange>[a-z][a-z-]{1,40})\)(?!\S)",
    "level": r"(?:raid[0-9]{1,2}|linear|multipath|faulty)(?!\S)",
    "blocks": r"(?P<count>[0-9]{1,18}) blocks(?!\S)",
    # super 1.2 | super non-persistent | super external:imsm | super external:/md127/0 | super external:-md127/0
    "super": r"super (?P<format>[0-9]{1,2}\.[0-9]{1,3}|non-persistent|external:[\w./!-]{1,80})(?!\S)",
    # level 6, 512k chunk, algorithm 2
    "parity": r"level (?P<digit>[456]), (?P<chunk>[0-9]{1,9})k chunk, algorithm (?P<algorithm>[0-9]{1,3})(?!\S)",
    # the same where a mailer has wrapped the line
    "degree": r"level (?P<raid>[456]),(?!\S)",
    "chunk_only": r"(?P<kib>[0-9]{1,9})k chunk,(?!\S)",
    "rule": r"algorithm (?P<order>[0-9]{1,3})(?!\S)",
    "chunks": r"(?P<strip>[0-9]{1,9})[kK] chunks(?!\S)",
    "copies": r"(?P<times>[0-9]{1,3}) (?P<where>near|far|offset)-copies(?!\S)",
    "sets": r"(?P<perset>[0-9]{1,4}) devices per set(?!\S)",
    "rounding": r"(?P<round>[0-9]{1,9})k rounding(?!\S)",
    "counts": r"\[(?P<want>[0-9]{1,6})/(?P<have>[0-9]{1,6})\](?!\S)",
    "map": r"\[(?P<slots>[U_E]{1,2000})\](?!\S)",
    # [UU?]: a letter of no kernel
    "odd_map": r"\[(?P<letters>[A-Za-z_?!-]{1,2000})\](?!\S)",
    # [==>..................]  recovery = 14.2% (70811136/498672640) finish=44.1min speed=161600K/sec
    "bar": r"\[[=.]{0,60}>?[=.]{0,60}\](?=\s|$)|\[[=>][=>.]{0,60}$",
    "work": r"(?P<doing>recovery|resync|reshape|check|repair) ?= {0,4}"
    r"(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,2})?)%(?=\s|$)",
    "done": r"\((?P<sectors>[0-9]{1,18}/[0-9]{1,18})\)(?=\s|$)",
    "finish": r"finish ?= ?(?P<minutes>[0-9]{1,12}(?:\.[0-9]{1,2})?min)(?=\s|$)",
    "speed": r"speed ?= ?(?P<rate>-?[0-9]{1,12}K/sec)(?=\s|$)",
    "waits": r"(?P<for>recovery|recover|resync|reshape|check) ?= ?(?P<why>DELAYED|PENDING|REMOTE)(?!\S)",
    "odd_waits": r"(?P<unknown>[a-z]{1,40}) ?= ?(?:DELAYED|PENDING|REMOTE)(?!\S)",
    # bitmap: 3/8 pages [12KB], 65536KB chunk, file: /var/lib/md0.bitmap
    "bitmap": r"bitmap: (?P<pages>[0-9]{1,12}/[0-9]{1,12} pages \[[0-9]{1,12}KB\], "
    r"[0-9]{1,12}K?B chunk)" + _BITMAP_FILE,
    "old": r"(?:read_ahead (?:[0-9]{1,9} sectors|not set)|\[events: [0-9a-f]{1,16}\])(?=\s|$)",
    # the test personality "faulty"
    "faults": r"(?:(?:Write|Read)(?:Transient|Persistent|Fixable|All)"
    r"(?:=[0-9]{1,12}(?:\([0-9]{1,12}\))?)?|nfaults=[0-9]{1,12})"
    r"(?=\s|$)",
}
_PIECE = regex(rf"\s*(?:{'|'.join(f'(?P<{kind}>{piece})' for kind, piece in _PIECES.items())}|(?P<other>\S+))")


def pieces(text: str, start: int) -> Iterator[re.Match[str]]:
    """The tokens of a line in order. The ``lastgroup`` of a match is its kind, ``other`` for an unknown word."""
    # the blanks at the end belong to no token
    return _PIECE.finditer(text, start, len(text.rstrip()))
