"""The drafts of a card and of what is on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.vendor.draft import Draft


@dataclass
class ArrayDraft(Draft):
    """An array; members and spares by their addresses, as printed."""

    members: dict[str, None] = field(default_factory=dict)
    spares: dict[str, None] = field(default_factory=dict)


@dataclass
class ControllerDraft(Draft):
    """A card, and everything on it. ``name`` is its slot, empty when no output told it."""

    chassis: str | None = None
    arrays: dict[str, ArrayDraft] = field(default_factory=dict)
    volumes: dict[str, Draft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    """``logical`` and ``physical``: the tool says that there are none."""

    def all(self) -> list[Draft]:
        """The card's draft and those of all that is on it."""
        return [self, *self.arrays.values(), *self.volumes.values(), *self.drives.values()]

    def array(self, name: str) -> ArrayDraft:
        """The draft of an array."""
        return self.arrays.setdefault(name, ArrayDraft(name))

    def volume(self, name: str) -> Draft:
        """The draft of a volume."""
        return self.volumes.setdefault(name, Draft(name))

    def drive(self, address: str) -> Draft:
        """The draft of a drive."""
        return self.drives.setdefault(address, Draft(address))
