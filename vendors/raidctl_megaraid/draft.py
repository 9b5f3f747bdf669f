"""The drafts of a MegaRAID card and of what is on it, filled by the readers of every dialect.

Values are put under the names of the model (``Draft.put``): ``model``, ``serial``, ``size_bytes``, ``raid_level``,
``errors.media``, ``cache.size_bytes`` … already in the model's types. Some names are only worked out at the end, when
all outputs are read, from what stands under these names of our own:

==========  =====================  ======================================================================
draft       name                   value
==========  =====================  ======================================================================
volume      ``write_configured``   ``WritePolicy``: the default or initial setting
volume      ``write_current``      ``WritePolicy``: as the current token or policy names it
volume      ``…_unread``           bool: the tool names it in words that are not known
volume      ``bad_bbu``            bool: the configured setting stays write-back with a bad battery
volume      ``target``             int: the SCSI target that the kernel shows
card        ``number``             int: the tool's number of the controller
card        ``bbu_status``         int: the ``BBU Status`` bit mask
card        ``bbu_present``        bool: a battery, CacheVault or energy pack is there
card        ``bus``                str: ``0000:03:00.0`` as far as the tool tells it
==========  =====================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from raidctl.vendor.draft import Draft


@dataclass
class GroupDraft(Draft):
    """A drive group; ``name`` is its number as printed. Drives by their keys (see :meth:`CardDraft.drive`)."""

    members: dict[str, None] = field(default_factory=dict)
    spares: dict[str, None] = field(default_factory=dict)


@dataclass
class VolumeDraft(Draft):
    """A virtual drive; ``name`` is its number (the target id). ``members`` as in :class:`GroupDraft`."""

    members: dict[str, None] = field(default_factory=dict)


@dataclass
class CardDraft(Draft):
    """A card; ``name`` is its number in the tool, empty when the output does not tell it."""

    groups: dict[str, GroupDraft] = field(default_factory=dict)
    volumes: dict[str, VolumeDraft] = field(default_factory=dict)
    drives: dict[str, Draft] = field(default_factory=dict)
    batteries: dict[str, Draft] = field(default_factory=dict)

    def group(self, name: str) -> GroupDraft:
        """The draft of a drive group."""
        return self.groups.setdefault(name, GroupDraft(name))

    def volume(self, name: str) -> VolumeDraft:
        """The draft of a virtual drive."""
        return self.volumes.setdefault(name, VolumeDraft(name))

    def drive(self, key: str) -> Draft:
        """The draft of a drive; the key is ``252:3``, and ``:3`` for a drive without an enclosure."""
        return self.drives.setdefault(key, Draft(key))

    def battery(self, name: str) -> Draft:
        """The draft of a battery; the name is ``bbu``, ``cachevault`` or ``energypack``, with a number beyond one."""
        return self.batteries.setdefault(name, Draft(name))

    def all(self) -> Iterator[Draft]:
        """The card's draft and those of all that is on it."""
        yield self
        yield from self.groups.values()
        yield from self.volumes.values()
        yield from self.drives.values()
        yield from self.batteries.values()


@dataclass
class Cards:
    """The cards that some outputs of one machine told of, by their numbers."""

    cards: dict[str, CardDraft] = field(default_factory=dict)

    def card(self, number: str | None) -> CardDraft:
        """The draft of a card. An output that does not name its card speaks of the only one there is."""
        if number is None:
            if len(self.cards) == 1:
                return next(iter(self.cards.values()))
            return self.cards.setdefault("", CardDraft(""))
        return self.cards.setdefault(number, CardDraft(number))
