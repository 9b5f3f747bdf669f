"""Bay LEDs by the serial number of the drive. A bay is thus found again when its drive is gone. Pure."""

from __future__ import annotations

from raidctl.change.lamp import Lamp
from raidctl.errors import UsageError
from raidctl.locate import enclosures, npem, pci_slots
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted, resolve
from raidctl.survey.survey import Survey

_WAYS = (enclosures.find, npem.find, pci_slots.find)
"""Methods that address a bay. Its LED can be switched while it is empty."""


def bays_of(seen: Survey, leds: KernelLeds) -> dict[str, Lamp]:
    """Return the LED of each drive's bay, by the drive's serial number. Each LED has its bay's name."""
    found: dict[str, Lamp] = {}
    for controller in seen.inventory.controllers:
        for drive in controller.drives if controller.mode != "software" and leds.all() else ():
            if drive.serial and (lamp := _lamp(seen, leds, drive.id)) is not None:
                found[drive.serial] = lamp
    return found


def _lamp(seen: Survey, leds: KernelLeds, drive_id: str) -> Lamp | None:
    try:
        wanted: list[Wanted] = resolve(seen.inventory, seen.view, leds, [drive_id])
    except UsageError:
        return None
    lamps = [lamp for one in wanted for way in _WAYS if isinstance(lamp := way(one, leds), Lamp)]
    return lamps[0] if lamps else None
