"""Whether the last page of a text output is complete. All pages have the same parts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.text import regex
from raidctl_megaraid.storcli.outline import Section
from raidctl_megaraid.vocabulary import normalized

# Drive /c1/s6 :    Drive /c1/e252/s6 - Detailed Information :    Drive /c1/s6 Device attributes :
_DRIVE = regex(r"drive (/c\d+(?:/e\d+)?/s\d+)(.*)")
# /c0/v1 :    PDs for VD 1 :    VD1 Properties :
_VOLUME = regex(r"(?:(/c\d+/v)|(pds for vd )|(vd))(\d+)( properties)?")
_INQUIRY = "inquiry data"
"""The last part of a drive's page. It belongs to the section before it."""
_PARTS = {
    "drive": (" - detailed information", " state", " device attributes", " policies/settings", _INQUIRY),
    "volume": ("pds for vd ", "vd properties"),
}
"""The parts of a page in order. A page with the first part also has the last."""


def unfinished(sections: Sequence[Section]) -> str:
    """Return the object with an unfinished last page, ``drive /c1/s6``.

    That page ends the output before its last part, or without a part that all other pages have.

    Empty: none does.
    """
    pages: dict[tuple[str, str], set[str]] = {}
    for kind, name, part in _parts(sections):
        pages.setdefault((kind, name), set()).add(part)
    if not pages:
        return ""
    (kind, name), last = list(pages.items())[-1]
    order = _PARTS[kind]
    others = [parts for (other, _), parts in pages.items() if other == kind][:-1]
    always = set.intersection(*others) & set(order) if others else set[str]()
    if order[0] in last:
        always.add(order[-1])
    return f"{kind} {name}" if always - last else ""


def _parts(sections: Sequence[Section]) -> Iterator[tuple[str, str, str]]:
    """``drive``, ``/c1/s6``, `` state``: the parts of all pages in their order."""
    drive = ""
    for section in sections:
        title = normalized(section.title)
        if (match := _DRIVE.fullmatch(title)) is not None:
            drive = match[1]
            yield "drive", drive, match[2]
        elif (match := _VOLUME.fullmatch(title)) is not None and bool(match[3]) == bool(match[5]):
            yield "volume", match[4], f"{match[2] or ''}{'vd properties' if match[3] else ''}"
        if drive and any(normalized(pair.label) == _INQUIRY and pair.value for pair in section.pairs):
            yield "drive", drive, _INQUIRY
