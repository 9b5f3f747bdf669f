"""The first working method for each drive. Reasons why earlier ones do not work are included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from raidctl.change.indicator import Indicator, Passed, Unlit, Way
from raidctl.locate import enclosures, ledctl, npem, pci_slots, sg_ses, vendor_tools
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted
from raidctl.model import Tool
from raidctl.request import Dialogue, ask_all
from raidctl.vendor.protocol import Vendor

Found = Mapping[str, Indicator | str]
_FILES: Mapping[Way, Callable[[Wanted, KernelLeds], Indicator | str]] = {
    "enclosure": enclosures.find,
    "npem": npem.find,
    "pci_slot": pci_slots.find,
}


def choose(
    wanted: Sequence[Wanted], leds: KernelLeds, vendors: Sequence[Vendor], tools: Sequence[Tool], seconds: float
) -> Dialogue[list[Indicator | Unlit]]:
    """Return each drive's or bay's LED, by the first working method.

    For a drive behind a RAID controller, the controller's tool comes first; for a bay, and a drive that the operating
    system sees (HBA, JBOD, NVMe), the kernel's files.
    """
    found = _FoundLeds(wanted)
    for ways in (("tool", *_FILES), (*_FILES, "tool")):
        group = [one for one in found.open if _hidden(one) == (ways[0] == "tool")]
        for way in ways:
            if way == "tool":
                found.take("tool", (yield from vendor_tools.find(found.still(group), vendors, tools, seconds)))
            else:
                found.take(way, {one.bay.object_id: _in_files(way, one, leds) for one in found.still(group)})
    found.take("ledctl", (yield from _if_any(found.open, ledctl.find)))
    found.take("sg_ses", (yield from _if_any(found.open, sg_ses.find)))
    return found.result()


def _in_files(way: Way, wanted: Wanted, leds: KernelLeds) -> Indicator | str:
    found = _FILES[way](wanted, leds)
    return f"{found} (not all files could be read)" if isinstance(found, str) and leds.unlisted else found


def _hidden(wanted: Wanted) -> bool:
    """Whether only a controller sees the drive."""
    return wanted.drive is not None and not wanted.blocks


def _if_any(
    wanted: Sequence[Wanted], way: Callable[[Sequence[Wanted]], Dialogue[dict[str, Indicator | str]]]
) -> Dialogue[Found]:
    yield from ask_all([])
    return (yield from way(wanted)) if wanted else {}


class _FoundLeds:
    """The LEDs found so far, and the methods tried."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        self._wanted = wanted
        self._indicators: dict[str, Indicator] = {}
        self._passed: dict[str, list[Passed]] = {one.bay.object_id: [] for one in wanted}

    @property
    def open(self) -> list[Wanted]:
        """Drives without an LED so far."""
        return self.still(self._wanted)

    def still(self, group: Sequence[Wanted]) -> list[Wanted]:
        """Drives of a group without an LED so far."""
        return [one for one in group if one.bay.object_id not in self._indicators]

    def take(self, way: Way, found: Found) -> None:
        """Store the LEDs of a method, and its reasons for the others."""
        for name, indicator in found.items():
            if isinstance(indicator, Indicator):
                self._indicators[name] = replace(indicator, passed=tuple(self._passed[name]))
            else:
                self._passed[name].append(Passed(way, indicator))

    def result(self) -> list[Indicator | Unlit]:
        """The results, in the order of the request."""
        return [
            self._indicators.get(one.bay.object_id) or Unlit(bay=one.bay, passed=tuple(self._passed[one.bay.object_id]))
            for one in self._wanted
        ]
