"""The drafts of a card and of what is on it, filled by the readers of text and JSON alike.

Besides the fields of the model (``model``, ``cache.size_bytes`` …) the drafts carry names that are worked out when all
outputs are read: ``cache.caching``, ``cache.setting``, ``cache.status`` on volumes, ``part.…`` on batteries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from raidctl.evidence import Line
from raidctl.vendor.draft import WEAK, Draft, Pair


@dataclass(frozen=True)
class Segment:
    """``Segment 0 : Present (Controller:1,Enclosure:0,Slot:2)  SERIAL``: one drive of a volume or an array."""

    line: Line
    label: str
    state: str
    """In lower case: ``present``, ``missing``, ``rebuilding`` …; empty where only the place is told."""
    key: str | None = None
    """``0,3``: channel and device, where the line tells them."""
    place: tuple[str, str, str] | None = None
    """``("enclosure", "0", "2")``, ``("connector", "0", "1")``: as the drive's own section tells its location."""
    serial: str | None = None
    size_bytes: int | None = None
    interface: str | None = None
    media: str | None = None


@dataclass
class GroupDraft(Draft):
    """A volume or an array: something that lies on drives."""

    segments: list[Segment] = field(default_factory=list)
    spares: dict[str, bool] = field(default_factory=dict)
    """Spare drives that the tool lists for it, by channel and device; True for a dedicated one."""
    members: dict[str, None] = field(default_factory=dict)
    """Drives that it lies on, by channel and device: filled when all is read."""


@dataclass
class CardDraft(Draft):
    """A card, and everything on it. ``name`` is arcconf's number of it, empty where no output tells it."""

    arrays: dict[str, GroupDraft] = field(default_factory=dict)
    volumes: dict[str, GroupDraft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    batteries: dict[str, Draft] = field(default_factory=dict)
    sections: set[str] = field(default_factory=set)
    """Areas of the output that were seen: ``controller``, ``logical`` …."""

    def array(self, name: str) -> GroupDraft:
        """The draft of an array."""
        return self.arrays.setdefault(name, GroupDraft(name))

    def volume(self, name: str) -> GroupDraft:
        """The draft of a logical device."""
        return self.volumes.setdefault(name, GroupDraft(name))

    def drive(self, key: str) -> Draft:
        """The draft of a drive; the key is channel and device, ``0,4``."""
        return self.drives.setdefault(key, Draft(key))

    def battery(self, name: str) -> Draft:
        """The draft of a battery, ZMM or backup unit, by the kind of its section."""
        return self.batteries.setdefault(name, Draft(name))

    def all(self) -> Iterator[Draft]:
        """The card's draft and those of all that is on it."""
        yield self
        yield from self.arrays.values()
        yield from self.volumes.values()
        yield from self.drives.values()
        yield from self.batteries.values()


def keep(draft: Draft, pair: Pair, section: str = "", prefix: str = "") -> None:
    """A pair as a detail under its own label; with its section's title where the label is taken by another value."""
    label = f"{prefix}{pair.label}"
    if draft.details.get(label, pair.value) != pair.value and section:
        label = f"{section}: {label}"
    draft.keep_detail(Pair(label, pair.value, pair.lines))


def conclude(draft: Draft, name: str, value: Any, weight: int = WEAK) -> None:
    """A value that follows from others, or that is only needed later: no line is evidence for it."""
    if name not in draft.values or draft.values[name][0] < weight:
        draft.values[name] = (weight, value)
