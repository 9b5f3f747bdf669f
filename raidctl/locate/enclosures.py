"""The bays of SES enclosures that the kernel's ``ses`` driver shows. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.locate.files import indicator_of
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted


def find(wanted: Wanted, leds: KernelLeds) -> Indicator | str:
    """Return the LED of the bay that links to the drive. Otherwise why there is none."""
    if not leds.enclosures:
        return "the kernel shows no enclosure"
    names = {block.name for block in wanted.blocks}
    mine = [led for led in leds.enclosures if led.id == wanted.bay.object_id or names & set(led.blocks)]
    if not mine:
        return "no bay of an enclosure is linked to this drive" if names else "the operating system does not see it"
    if len(mine) > 1:
        return f"{len(mine)} bays are linked to this drive"
    led = mine[0]
    bay = replace(wanted.bay, enclosure=led.enclosure, bay=led.bay)
    return indicator_of(led, bay, "enclosure")
