"""Physical drives, each once: of a machine, or those below a volume. Pure.

A software array lists partitions and drives that another controller lists as well; ``Drive.backing`` links the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from raidctl.model import Controller, Drive, Volume


def physical_drives(controllers: Iterable[Controller]) -> Iterator[tuple[Controller, Drive]]:
    """Each physical drive once, with its controller.

    Members of software arrays are included only if no other entry is known.
    """
    return ((controller, drive) for controller in controllers for drive in own_drives(controller))


def own_drives(controller: Controller) -> list[Drive]:
    """The drives of a controller that no other one lists as well."""
    return [drive for drive in controller.drives if not drive.backing]


class Members(Struct, frozen=True):
    """The member drives of a volume, without spares, journals and failed drives."""

    drives: tuple[Drive, ...]
    undescribed: bool
    """Whether the array names a drive that no output describes. A row of a list does not count as a description."""
    complete: bool
    """Whether these are known to be all."""


class DrivesBelow(Struct, frozen=True, dict=True):
    """The drives below the volumes of a machine."""

    controllers: tuple[Controller, ...]

    @cached_property
    def items(self) -> dict[str, tuple[Controller, Volume | Drive]]:
        """All volumes and drives by id."""
        found: dict[str, tuple[Controller, Volume | Drive]] = {}
        for controller in self.controllers:
            found |= {volume.id: (controller, volume) for volume in controller.volumes}
            found |= {drive.id: (controller, drive) for drive in controller.drives}
        return found

    @cached_property
    def _arrays(self) -> dict[str, tuple[str, ...]]:
        return {array.id: array.drives for controller in self.controllers for array in controller.arrays}

    def members(self, volume: Volume) -> Members:
        """The member drives as the array lists them."""
        names = self._arrays.get(volume.array or "", ())
        found = [item for name in names if name in self.items and isinstance(item := self.items[name][1], Drive)]
        working = tuple(drive for drive in found if drive.role not in ("spare", "journal", "failed"))
        undescribed = len(found) < len(names) or any(
            drive.size_bytes and drive.write_cache is drive.model is drive.serial is None and not drive.backing
            for drive in found
            if drive.device is None
        )
        return Members(working, undescribed, bool(working) and not undescribed and _all(volume, found, working))

    def in_no_array(self, volume: Volume) -> tuple[Drive, ...]:
        """The drives of a volume's controller that no array lists. Without known members, they may be the volume's."""
        controller = self.items[volume.id][0] if volume.id in self.items else None
        listed = {name for names in self._arrays.values() for name in names}
        return tuple(drive for drive in controller.drives if drive.id not in listed) if controller else ()


def _all(volume: Volume, found: Sequence[Drive], working: Sequence[Drive]) -> bool:
    """Whether as many drives are listed as the volume reports. A degraded one may lack the drive that it lost."""
    if volume.drives_active is not None:
        return len(working) >= volume.drives_active
    lost = volume.status in ("degraded", "rebuilding") and len(working) == len(found)
    return len(found) + lost >= (volume.drives_expected or 0)
