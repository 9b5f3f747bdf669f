"""The drafts of a card and of what is on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.vendor.draft import DETAIL, Draft


def conclude(draft: Draft, name: str, value: object) -> None:
    """Fill a field with what follows from several outputs, where no line told it."""
    draft.values.setdefault(name, (DETAIL, value))


@dataclass
class CardDraft(Draft):
    """A card and everything on it; ``name`` is its number as the tool counts, from 1."""

    sets: dict[str, Draft] = field(default_factory=dict)
    """RAID sets by their numbers; those of which only the name is known by ``=NAME``."""
    volumes: dict[str, Draft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    """By channel (``3``) or place (``E2:S1``)."""
    numbers: dict[str, str] = field(default_factory=dict)
    """The places by the tool's own drive number (``drv=9``)."""
    battery: Draft = field(default_factory=lambda: Draft("0"))

    def raid_set(self, number: str) -> Draft:
        """The draft of a RAID set."""
        return self.sets.setdefault(number, Draft(number))

    def volume(self, number: str) -> Draft:
        """The draft of a volume set."""
        return self.volumes.setdefault(number, Draft(number))

    def drive(self, place: str) -> Draft:
        """The draft of a drive."""
        return self.drives.setdefault(place, Draft(place))

    def all(self) -> list[Draft]:
        """The card's draft and those of all that is on it."""
        return [self, *self.sets.values(), *self.volumes.values(), *self.drives.values(), self.battery]

    @property
    def told_anything(self) -> bool:
        """Whether any line spoke of the card or of something on it."""
        return any(draft.evidence for draft in self.all())


@dataclass
class Cards:
    """The cards that a collection of outputs tells of."""

    cards: dict[str, CardDraft] = field(default_factory=dict)

    def card(self, number: str) -> CardDraft:
        """The draft of a card; the tool speaks of the first one unless it is told otherwise."""
        return self.cards.setdefault(number, CardDraft(number))

    def of_serial(self, number: str, serial: str) -> CardDraft:
        """The card of a number; another one where that has another serial number already."""
        for card in self.cards.values():
            if card.get("serial") == serial:
                return card
        known = self.card(number)
        if known.get("serial") in (None, serial):
            return known
        return self.card(str(max(int(name) for name in self.cards) + 1))
