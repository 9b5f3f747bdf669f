"""The drafts of a card and of what is on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


@dataclass
class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller and everything on it; ``name`` is its number as the tool counts, from 1.

    Arrays are RAID sets by their numbers; those of which only the name is known by ``=NAME``. Drives are by channel
    (``3``) or place (``E2:S1``).
    """

    numbers: dict[str, str] = field(default_factory=dict)
    """The places by the tool's own drive number (``drv=9``)."""

    array_prefix: ClassVar[str] = "r"

    def new_group(self, name: str) -> GroupDraft:
        """An empty draft of a RAID set or a volume set."""
        return GroupDraft(name)


@dataclass
class Cards:
    """The cards that a collection of outputs tells of."""

    cards: dict[str, ControllerDraft] = field(default_factory=dict)

    def card(self, number: str) -> ControllerDraft:
        """The draft of a card; the tool speaks of the first one unless it is told otherwise."""
        return self.cards.setdefault(number, ControllerDraft(number))

    def of_serial(self, number: str, serial: str) -> ControllerDraft:
        """The card of a number; another one where that has another serial number already."""
        for card in self.cards.values():
            if card.get("serial") == serial:
                return card
        known = self.card(number)
        if known.get("serial") in (None, serial):
            return known
        return self.card(str(max(int(name) for name in self.cards) + 1))
