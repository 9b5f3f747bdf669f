"""PCIe hot plug slots: their attention LED. Pure.

Only reading the file shows whether a slot has one: under ``acpiphp`` the file exists and cannot be read. Behind Intel
VMD its values have another meaning, so it is not used there.
"""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.locate.files import indicator_of
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted

_LARGEST_DOMAIN = 0xFFFF
"""VMD has PCI domains above."""


def find(wanted: Wanted, leds: KernelLeds) -> Indicator | str:
    """Return the LED of the slot with the drive's PCI address. Otherwise why there is none."""
    if not leds.slots:
        return "the kernel shows no PCIe hot plug slot"
    places = {address.rpartition(".")[0] for address in wanted.pci}
    mine = [led for led in leds.slots if led.id == wanted.bay.object_id or led.place in places]
    if len(mine) != 1:
        return "it is in no PCIe hot plug slot" if not mine else "several slots have its address"
    if int(mine[0].place.partition(":")[0], 16) > _LARGEST_DOMAIN:
        return "behind Intel VMD the slot's LED has other values"
    bay = wanted.bay if wanted.bay.bay else replace(wanted.bay, bay=mine[0].bay)
    return indicator_of(mine[0], bay, "pci_slot")
