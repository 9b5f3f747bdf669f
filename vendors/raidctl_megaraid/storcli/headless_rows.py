"""Lines of the tools' tables that stand outside of any table.

The beginning of the output is missing, or a terminal or a mailer wrapped it. They are always reported.
"""

from __future__ import annotations

from raidctl.text import regex

# EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp
HEAD = regex(
    r"(?:EID:Slt +(?:[DP]ID|Progress%)|DG/VD +TYPE|DG +(?:Arr|Span) +Row|Ct(?:l|rl) +(?:Model|Product)|Ctrl_Prop +Value"
    r"|Property +Value|EID +State|VD +Operation|Drive-ID +Progress%|Policy +Current)\b"
)
"""The first titles of a table, from the line's first character. Such a head is whole."""
_LINE = regex(
    # 252:0     9 Onln   0 893.75 GB SATA SSD
    r"(?:[\d-]{1,6}| ?):\d{1,6} +\d{1,6} +[A-Z]\w{2,10} +\S"
    # 0/0   RAID1 Optl  RW
    r"|[\d-]{0,6}/\d{1,6} +(?:RAID|Cac)\w{1,6} +\S"
    # 0 0   0   32:1     1   DRIVE Onln
    r"|[\d-]{1,6} +[\d-]{1,6} +[\d-]{1,6} +\S{1,12} +[\d-]{1,6} +(?:DRIVE|RAID\d+|Cac\d)\b"
    # Hlth of the overview:    0 AVAGOMegaRAIDSAS9361-8i      8  12   1     0   1     0 Opt
    r"|\d{1,3} +\S{4,60}(?: +\d{1,5}){6,7} +[A-Z]\w+ +\S"
)
_MARK = regex(r"^\s*(?:[-*•>|]\s+)?")
_LOOKED_AT = 400
"""Characters of a line that are examined."""


def of_table(text: str) -> bool:
    """Whether a line outside any table is a table's head or row."""
    bare = text[:_LOOKED_AT]
    return any(HEAD.match(part) or _LINE.match(part) for part in (bare, _MARK.sub("", bare)))
