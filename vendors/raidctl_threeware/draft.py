"""The drafts of a card and of what is on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from raidctl.evidence import Line
from raidctl.vendor.draft import Draft


@dataclass
class UnitDraft(Draft):
    """A unit, ``name`` is its number; ``ports`` are those of its members."""

    ports: dict[str, None] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    """Its disks by the name of the sub-unit (``u0-1-0``), with their status."""
    carved: dict[str, int | None] = field(default_factory=dict)
    """The volumes that it was carved into, by number, with their sizes."""

    @property
    def spare(self) -> bool:
        """Whether it is no volume but a hot spare."""
        return bool(self.get("type") == "SPARE")

    @property
    def described(self) -> bool:
        """Whether any line told of the unit itself: that a port names it leaves open what it is."""
        return bool(self.evidence)


@dataclass
class SlotDraft:
    """A slot of an enclosure: where the drive of a port sits."""

    enclosure: str
    slot: str
    line: Line


@dataclass
class CardDraft(Draft):
    """A card and everything on it; ``name`` is its number, empty when no output told it."""

    units: dict[str, UnitDraft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    batteries: dict[str, Draft] = field(default_factory=dict)
    slots: dict[str, SlotDraft] = field(default_factory=dict)
    newer: bool = False
    """Its outputs are those of release 9.5.2 and later, whose Cache column tells of the read cache as well."""

    def unit(self, number: str) -> UnitDraft:
        """The draft of a unit."""
        return self.units.setdefault(number, UnitDraft(number))

    def drive(self, port: str) -> Draft:
        """The draft of the drive at a port."""
        return self.drives.setdefault(port, Draft(port))

    def battery(self, name: str) -> Draft:
        """The draft of a battery backup unit."""
        return self.batteries.setdefault(name, Draft(name))

    def all(self) -> Iterator[Draft]:
        """The card's draft and those of all that is on it."""
        yield self
        yield from self.units.values()
        yield from self.drives.values()
        yield from self.batteries.values()

    @property
    def told_anything(self) -> bool:
        """Whether any line spoke of the card or of something on it."""
        return any(draft.evidence for draft in self.all()) or bool(self.slots)


@dataclass
class Cards:
    """All cards that a collection of outputs tells of."""

    cards: dict[str, CardDraft] = field(default_factory=dict)
    only: str = ""
    """The number of the only card that the outputs name: what names none belongs to it."""

    def card(self, number: str) -> CardDraft:
        """The draft of a card; an empty number is the only card, or one whose number nobody told."""
        name = number or self.only
        return self.cards.setdefault(name, CardDraft(name))
