"""NPEM: the LEDs of NVMe bays. The PCIe port above the drive switches them, from Linux 6.12. Pure."""

from __future__ import annotations

from raidctl.change.indicator import Indicator
from raidctl.locate.files import indicator_of
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted


def find(wanted: Wanted, leds: KernelLeds) -> Indicator | str:
    """Return the LED of the drive's port, or of its NVMe function. Otherwise why there is none."""
    if not leds.npem:
        return "the kernel shows no NPEM LED"
    places = {place for address in wanted.pci for place in (address, leds.port(address)) if place}
    mine = [led for led in leds.npem if led.id == wanted.bay.object_id or led.place in places]
    if len(mine) != 1:
        return "the port above this drive has none" if not mine else "several ports lead to this drive"
    return indicator_of(mine[0], wanted.bay, "npem")
