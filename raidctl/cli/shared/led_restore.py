"""Find the locate LEDs that an earlier raidctl left on.

``restore``, ``locate off`` and ``replace`` switch them off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from raidctl.change.engine import boot_id
from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.restore import Restorer
from raidctl.cli.shared.locate_leds import LedMachine, led_machine
from raidctl.cli.shared.machine import Machine
from raidctl.locate.earlier_leds import found_again, renewed


def leds_again(named: Machine, changes: Sequence[JournaledChange]) -> LedMachine:
    """Return the LEDs of unfinished changes, as they can be switched now."""
    indicators = found_again(changes, named.runner, named.survey, named.vendors, boot_id())
    return led_machine(named, indicators)


def led_restorer(
    named: Machine,
    journal: Journal,
    place: Path,
    changes: Sequence[JournaledChange],
    show: Callable[[str], None],
) -> Restorer:
    """Return the engine's restorer for LEDs."""
    leds = leds_again(named, changes)
    restorer = Restorer(journal, place, named.runner, leds.survey, leds.vendors, named.source, show)
    indicators = tuple(leds.indicators)
    restorer.kinds = ("locate",)
    restorer.renew = lambda journaled: renewed(journaled, indicators)
    return restorer
