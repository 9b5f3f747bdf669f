"""Drafts of a controller and its objects, filled from text and JSON.

Besides the fields of the model (``model``, ``cache.size_bytes`` …) the drafts carry names that are worked out when all
outputs are read: ``cache.caching``, ``cache.setting``, ``cache.status`` on volumes, ``part.…`` on batteries.
"""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import Line
from raidctl.vendor import draft
from raidctl.vendor.draft import Draft, Pair


class Segment(Struct, frozen=True):
    """``Segment 0 : Present (Controller:1,Enclosure:0,Slot:2)  SERIAL``: one drive of a volume or an array."""

    line: Line
    label: str
    state: str
    """In lower case: ``present``, ``missing``, ``rebuilding`` …. Empty if only the place is reported."""
    key: str | None = None
    """``0,3``: channel and device; None if the line does not print them."""
    place: tuple[str, str, str] | None = None
    """``("enclosure", "0", "2")``, ``("connector", "0", "1")``: in the form of the drive's own section."""
    serial: str | None = None
    size_bytes: int | None = None
    interface: str | None = None
    media: str | None = None


class GroupDraft(draft.GroupDraft):
    """A volume or an array, with what lines report of its drives. ``members`` is filled once everything is read."""

    segments: list[Segment] = field(default_factory=list)


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller, and everything on it.

    ``name`` is arcconf's number, and drives are by channel and device, ``0,4``.
    """

    group_type = GroupDraft

    sections: set[str] = field(default_factory=set)
    """Areas of the output that were seen: ``controller``, ``logical`` …."""


def keep(one: Draft, pair: Pair, section: str = "", prefix: str = "") -> None:
    """Keep a pair as a detail under its own label.

    If another value has the label, the section's title is put before it.
    """
    taken = section and one.details.get(f"{prefix}{pair.label}", pair.value) != pair.value
    one.keep_detail(pair, f"{section}: {prefix}" if taken else prefix)
