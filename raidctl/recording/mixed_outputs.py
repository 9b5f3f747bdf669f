"""Several tools' outputs in one text, in sequence and without prompts. Pure.

The family with the highest confidence reads the text; the lines that it did not understand are offered to all families.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise, takewhile

from msgspec.structs import replace

from raidctl.recording.transcript import JSON_START
from raidctl.recording.unwrap_lines import Reading
from raidctl.vendor.protocol import Confidence, Document, Sniffed, Vendor

_LONGEST = 4 * 1024 * 1024
"""Longest text that is examined, in characters. A longer one was not pasted."""
_BEGINNING = 64 * 1024
"""Characters of the rest that decide on its family."""
_MIN_LINES = 2
"""Least number of lines of a rest for a family without certainty."""
_GAP = 6
"""Greatest distance between two unread lines of the same output, in lines."""
_ODD = 5
"""Least number of lines per odd one in one output. Then all lines between the first and the last unread one are that
output."""
_HEAD = 3
"""Lines above the first unread one that belong to it. They are fewer if a blank line is nearer."""

Claim = Callable[[str, str, Sequence[Vendor]], "tuple[Vendor, Sniffed] | None"]
"""Returns the family of a text, by its name and beginning. Only the families given are considered."""
Look = Callable[[Vendor, Document], Reading]
"""Returns how well a family reads a document."""


def separated(
    document: Document, owner: Vendor, families: Sequence[Vendor], claim: Claim, look: Look
) -> Iterator[tuple[Vendor, Document]]:
    """Split a document into the outputs of its owner and of other families.

    Lines keep their numbers: those of other outputs are empty. A rest without a family stays in the document.
    """
    if len(document.text) > _LONGEST or JSON_START.match(document.text.lstrip()):
        yield owner, document
        return
    lines = document.text.split("\n")
    unread = _unread(document, owner, look)
    for gap in (len(lines), _GAP):
        left = _blocks(lines, unread, gap)
        rest = [line if number in left else "" for number, line in enumerate(lines)]
        shown = "\n".join(filter(None, rest))[:_BEGINNING]
        found = claim(document.name, shown, families) if left else None
        if found is None or found[1].confidence < (Confidence.LIKELY if len(left) >= _MIN_LINES else Confidence.SURE):
            continue
        vendor, sniffed = found
        if vendor is owner and sniffed.kind == document.kind:
            continue  # the same reader would read it
        other = Document(document.name, sniffed.kind, "\n".join(rest))
        strange = _unread(other, vendor, look)
        odd = {number for number in left if lines[number].strip() in strange}
        if len(odd) == len(left) or (gap > _GAP and len(odd) * _ODD > len(left)):
            continue
        kept = ["" if number in left - odd else line for number, line in enumerate(lines)]
        if not any(line.strip() and line.strip() not in unread for line in kept):
            continue  # sentences around one output
        own = ["" if number in odd else line for number, line in enumerate(rest)]
        yield owner, replace(document, text="\n".join(kept[: _end(lines, kept)]) + "\n")
        remaining = [one for one in families if one is not vendor]
        yield from separated(replace(other, text="\n".join(own)), vendor, remaining, claim, look)
        return
    yield owner, document


def _end(lines: Sequence[str], kept: Sequence[str]) -> int:
    """The index after the last line kept and following blank lines. A tool may end its output with these."""
    end = max((number for number, line in enumerate(kept) if line.strip()), default=0) + 1
    return end + sum(1 for _ in takewhile(lambda line: not line.strip(), lines[end:]))


def _blocks(lines: Sequence[str], unread: Collection[str], gap: int) -> frozenset[int]:
    """The indices of the lines of other outputs: unread lines at most ``gap`` apart, and their heads."""
    found = [number for number, line in enumerate(lines) if line.strip() in unread]
    between = [n for a, b in pairwise(found) if b - a <= gap for n in range(a + 1, b)]
    heads = []
    for first in (b for a, b in pairwise([-gap - 1, *found]) if b - a > gap):
        above = list(takewhile(lambda n: lines[n].strip(), range(first - 1, max(first - 1 - _HEAD, -1), -1)))
        heads += above if len(above) < _HEAD else []
    return frozenset(n for n in (*found, *between, *heads) if lines[n].strip())


def rank(parts: Sequence[tuple[Vendor, Document]], look: Look) -> tuple[bool, int]:
    """Return how badly documents are read, for :func:`min`.

    A reader that fails is worst; otherwise they count as one document.
    """
    try:
        return False, sum(look(vendor, document).cost for vendor, document in parts)
    except Exception:  # noqa: BLE001 - it is reported by the final reading
        return True, 0


def _unread(document: Document, vendor: Vendor, look: Look) -> frozenset[str]:
    """Return the lines that a family does not understand, stripped. Empty if its reader fails."""
    try:
        return look(vendor, document).left
    except Exception:  # noqa: BLE001 - as above
        return frozenset()
