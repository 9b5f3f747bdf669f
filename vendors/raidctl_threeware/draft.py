"""Drafts of a controller and its objects."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from raidctl.evidence import Line
from raidctl.vendor import controllers, draft
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl_threeware.capability import FAMILY


class UnitDraft(GroupDraft):
    """A unit; ``name`` is its number, ``ports`` are those of its members."""

    ports: dict[str, None] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    """Status of its drives by sub-unit (``u0-1-0``)."""
    carved: dict[str, int | None] = field(default_factory=dict)
    """The volumes into which it was carved, by number, with their sizes."""

    @property
    def spare(self) -> bool:
        """Whether it is not a volume but a hot spare."""
        return bool(self.get("type") == "SPARE")

    @property
    def described(self) -> bool:
        """Whether a line describes the unit. A port that names it is not enough."""
        return bool(self.evidence)


class SlotDraft(Struct):
    """A slot of an enclosure: the place of the drive at a port."""

    enclosure: str
    slot: str
    line: Line


class ControllerDraft(draft.ControllerDraft[UnitDraft]):
    """A controller and everything on it; ``name`` is its number. Arrays are its units, drives are by their ports."""

    group_type = UnitDraft

    slots: dict[str, SlotDraft] = field(default_factory=dict)
    newer: bool = False
    """Whether its outputs are those of release 9.5.2 and later. Their Cache column includes the read cache."""
    lists_units: bool = False
    """Whether its outputs have a table of its units."""

    @property
    def object_id(self) -> str:
        """``threeware:0``."""
        return f"{FAMILY}:{self.name or 'unknown'}"

    def assign(self, drive: Draft, unit: str, line: Line) -> None:
        """Put a drive into a unit, as a line reports it."""
        drive.put(None, "unit", unit)
        drive.add_evidence(line, "array", f"{self.object_id}/u{unit}")

    def owned(self, controller_id: str) -> Iterator[tuple[Draft, str]]:
        """Yield each draft with its id. A unit is a volume, a spare unit is its drive."""
        yield self, controller_id
        for unit in self.arrays.values():
            ports = [port for port in unit.ports if port in self.drives]
            spare = f"{controller_id}/p{ports[0]}" if ports else controller_id
            yield unit, spare if unit.spare else f"{controller_id}/v{unit.name}"
        for drive in self.drives.values():
            yield drive, f"{controller_id}/p{drive.name}"
        for number, battery in enumerate(self.batteries.values()):
            yield battery, f"{controller_id}/battery{number}"

    @property
    def reported(self) -> bool:
        """Whether any line is about the controller or something on it."""
        return super().reported or bool(self.slots)


class Controllers(controllers.Controllers[ControllerDraft]):
    """All controllers in a collection of outputs."""

    only: str = ""
    """Number of the only controller named: output that names none belongs to it."""

    controller_type = ControllerDraft

    def controller(self, name: str) -> ControllerDraft:
        """The draft of a controller. An empty number means the only one, or one without a number."""
        return super().controller(name or self.only)
