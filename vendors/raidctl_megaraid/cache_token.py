"""The cache token of a virtual drive: read, write and IO policy."""

from __future__ import annotations

from typing import NamedTuple

from raidctl.model import IoPolicy, ReadPolicy, WritePolicy
from raidctl.text import regex

# R=Read Ahead Always|Ra=Read Ahead Adaptive|NR=No Read Ahead|WB=WriteBack|AWB=Always WriteBack|WT=WriteThrough|
# C=Cached IO|D=Direct IO
_TOKEN = regex(r"(NR|Ra|R)?(AWB|FWB|WB|WT)([CD])?")
_PARTS = regex(r"(NoRA|NR|ADRA|Ra|RA|R),(AWB|FWB|WB|WT)(?:,([CD]))?")
_READ: dict[str, ReadPolicy] = {
    "NR": "none", "NoRA": "none", "R": "read_ahead", "RA": "read_ahead", "Ra": "adaptive", "ADRA": "adaptive",
}  # fmt: skip
_WRITE: dict[str, WritePolicy] = {
    "WB": "protected_write_back",
    "AWB": "unprotected_write_back",
    "FWB": "unprotected_write_back",
    "WT": "write_through",
}
_IO: dict[str, IoPolicy] = {"C": "cached", "D": "direct"}


class CacheToken(NamedTuple):
    """The policies that a token names. None for one that it leaves out."""

    read_policy: ReadPolicy | None
    write_policy: WritePolicy
    """``WB`` is write-back while the battery is good, ``AWB`` always."""
    io_policy: IoPolicy | None


def cache_token(text: str) -> CacheToken | None:
    """The policies of ``RAWBD``, ``NRWTC``, ``RWB``, or of version 8's ``NR,WB``. None for an unknown token.

    ``RAWBD`` is read ahead, always write back, direct: no version prints ``RA`` for the read policy in one word with
    the others. ``RaWBD`` of the first versions is adaptive; the case of the letters counts.
    """
    bare = ",".join(part.strip() for part in text.split(","))
    match = _PARTS.fullmatch(bare) if "," in bare else _TOKEN.fullmatch(bare)
    if match is None:
        return None
    return CacheToken(_READ.get(match[1] or ""), _WRITE[match[2]], _IO.get(match[3] or ""))
