"""LEDs that are files: written ``1`` and ``0``, and read back. Pure."""

from __future__ import annotations

from raidctl.change.indicator import Bay, Indicator, Way, writes_only_leds
from raidctl.locate.kernel import FileLed
from raidctl.vendor.plan import Action

_TIMEOUT = 30.0
"""Seconds for a write: an enclosure may be slow."""


def indicator_of(led: FileLed, bay: Bay, way: Way) -> Indicator | str:
    """Return how a file LED is switched. If its state cannot be read, or the file is another one, return why not."""
    on, off = (Action(path=led.path, data=word, timeout=_TIMEOUT) for word in ("1", "0"))
    if not (writes_only_leds(on) and writes_only_leds(off)):
        return f"{led.path} is not the file of a locate LED"
    if led.state is None:
        return f"{led.path} cannot be read{f' ({led.trouble})' if led.trouble else ''}"
    return Indicator(id=led.id, bay=bay, way=way, on=on, off=off, state=led.state)
