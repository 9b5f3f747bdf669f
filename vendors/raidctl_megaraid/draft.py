"""Drafts of a MegaRAID controller and its objects. Every dialect's reader fills them.

Values are put under the names of the model (``Draft.put``): ``model``, ``serial``, ``size_bytes``, ``raid_level``,
``errors.media``, ``cache.size_bytes`` … already in the model's types. Others are worked out when all outputs
are read, from these names that the model does not have:

==========  =====================  ======================================================================
draft       name                   value
==========  =====================  ======================================================================
volume      ``write_configured``   ``WritePolicy``: the default or initial setting
volume      ``write_current``      ``WritePolicy``: as the current token or policy names it
volume      ``…_unread``           bool: the tool names it in unknown words
volume      ``bad_bbu``            bool: the configured setting stays write-back with a bad battery
volume      ``target``             int: the SCSI target that the kernel shows
controller        ``number``             int: the tool's number of the controller
controller        ``bbu_status``         int: the ``BBU Status`` bit mask
controller        ``bbu_present``        bool: a battery, CacheVault or energy pack is there
controller        ``bus``                str: ``0000:03:00.0`` as far as the tool reports it
controller        ``preserved_of``       dict: the tool's words for each volume with preserved data, by its number
==========  =====================  ======================================================================
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller. ``name`` is its number in the tool, empty if the output does not contain it.

    Arrays and volumes are by their numbers, drives by ``252:3``, or ``:3`` without an enclosure; batteries by ``bbu``,
    ``cachevault`` or ``energypack``, with a number beyond one.
    """

    array_prefix: ClassVar[str] = "g"

    def keep_preserved(self, number: str, words: str | None) -> None:
        """Note that the cache holds preserved data of a volume. The key is the volume's number."""
        self.override("preserved_of", value={**(self.get("preserved_of") or {}), number: words})


class Controllers(Struct):
    """The controllers that the outputs of one machine report, by their numbers."""

    by_number: dict[str, ControllerDraft] = {}

    def controller(self, number: str | None) -> ControllerDraft:
        """The draft of a controller. An output that does not name its controller is about the only one."""
        if number is None:
            if len(self.by_number) == 1:
                return next(iter(self.by_number.values()))
            return self.by_number.setdefault("", ControllerDraft(""))
        return self.by_number.setdefault(number, ControllerDraft(number))
