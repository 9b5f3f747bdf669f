"""LEDs through controllers' own tools, for drives that Linux does not see."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.locate.targets import Wanted
from raidctl.model import Tool
from raidctl.request import Dialogue, Run, ask_all, together
from raidctl.select import family_of
from raidctl.vendor.locating import Light, Locating, NoLight, fits, locating_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of


def offered(vendors: Sequence[Vendor], family: str) -> Locating | None:
    """Return how a family locates drives; None if it cannot."""
    vendor = vendor_of(family, vendors)
    return locating_of(vendor) if vendor is not None else None


def find(
    wanted: Sequence[Wanted], vendors: Sequence[Vendor], tools: Sequence[Tool], seconds: float
) -> Dialogue[dict[str, Indicator | str]]:
    """Return the LED of each drive, or why there is none. The key is the drive's id."""
    groups: dict[str, list[Wanted]] = {}
    for one in wanted:
        groups.setdefault(one.controller.id if one.controller else "", []).append(one)
    parts = yield from together([_of_one(group, vendors, tools, seconds) for group in groups.values()])
    return {name: indicator for part in parts for name, indicator in part.items()}


def _of_one(
    wanted: Sequence[Wanted], vendors: Sequence[Vendor], tools: Sequence[Tool], seconds: float
) -> Dialogue[dict[str, Indicator | str]]:
    """Ask the family of one controller."""
    yield from ask_all([])
    controller = wanted[0].controller
    drives = [one.drive for one in wanted if one.drive is not None]
    names = [one.bay.object_id for one in wanted]
    if controller is None or len(drives) != len(wanted):
        return dict.fromkeys(names, "a bay without a drive has no controller")
    family = family_of(controller)
    vendor = vendor_of(family, vendors)
    way = offered(vendors, family)
    if vendor is None or way is None:
        return dict.fromkeys(names, "no controller's tool manages it")
    known = {spec.name for spec in vendor.TOOLS}
    lights = yield from way.lights(controller, drives, [tool for tool in tools if tool.name in known], seconds)
    found = dict(
        zip(names, [_indicator(light, one, way) for light, one in zip(lights, wanted, strict=True)], strict=True)
    )
    return (yield from _with_states(found, way))


def _indicator(light: Light | NoLight, wanted: Wanted, way: Locating) -> Indicator | str:
    if isinstance(light, NoLight):
        return light.why
    look = light.look.argv if light.look is not None else ()
    commands = [light.on.argv, light.off.argv, *([look] if look else [])]
    wrong = next((argv for argv in commands if not fits(argv[1:], way.SHAPES)), None)
    if wrong is not None:
        return f"the command {' '.join(wrong)} has no permitted form"
    return Indicator(
        id=light.object_id,
        bay=wanted.bay,
        way="tool",
        on=light.on,
        off=light.off,
        look=look,
        controller=wanted.controller.serial if wanted.controller else None,
        limit_seconds=light.limit_seconds,
    )


def _with_states(found: dict[str, Indicator | str], way: Locating) -> Dialogue[dict[str, Indicator | str]]:
    """Read the LEDs that can be read."""
    readable = [indicator for indicator in found.values() if isinstance(indicator, Indicator) and indicator.look]
    states = yield from read_states(readable, way)
    fresh = {indicator.id: indicator for indicator in states}
    return {
        name: fresh.get(indicator.id, indicator) if isinstance(indicator, Indicator) else indicator
        for name, indicator in found.items()
    }


def read_states(indicators: Sequence[Indicator], way: Locating) -> Dialogue[list[Indicator]]:
    """Return LEDs with their states, as the tool shows them."""
    answers = yield from ask_all(
        [
            Run(one.look, timeout=one.off.timeout, lock=one.off.lock, environment=one.off.environment)
            for one in indicators
        ]
    )
    states = [way.lit(answer) for answer in answers]
    return [
        replace(indicator, state=None if lit is None else "on" if lit else "off")
        for indicator, lit in zip(indicators, states, strict=True)
    ]
