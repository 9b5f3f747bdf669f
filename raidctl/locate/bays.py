"""Bay LEDs by the serial number of the drive. A bay is thus found again when its drive is gone. Pure."""

from __future__ import annotations

from raidctl.change.indicator import Indicator
from raidctl.errors import UsageError
from raidctl.locate import enclosures, npem, pci_slots
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import Wanted, resolve
from raidctl.survey.survey import Survey

_WAYS = (enclosures.find, npem.find, pci_slots.find)
"""Methods that address a bay. Its LED can be switched while it is empty."""


def bays_of(seen: Survey, leds: KernelLeds) -> dict[str, Indicator]:
    """Return the LED of each drive's bay, by the drive's serial number. Each LED has its bay's name."""
    found: dict[str, Indicator] = {}
    for controller in seen.inventory.controllers:
        for drive in controller.drives if controller.mode != "software" and leds.all() else ():
            if drive.serial and (indicator := _indicator(seen, leds, drive.id)) is not None:
                found[drive.serial] = indicator
    return found


def _indicator(seen: Survey, leds: KernelLeds, drive_id: str) -> Indicator | None:
    try:
        wanted: list[Wanted] = resolve(seen.inventory, seen.view, leds, [drive_id])
    except UsageError:
        return None
    indicators = [indicator for one in wanted for way in _WAYS if isinstance(indicator := way(one, leds), Indicator)]
    return indicators[0] if indicators else None
