"""Which bays blink in a replacement, while a person has to act. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from raidctl.operate.replacement_facts import Facts, Stage, missing
from raidctl.survey.survey import Survey


class Led(Protocol):
    """Switches the LEDs of a replacement."""

    def on(self, names: Sequence[str], seen: Survey) -> None:
        """Make these drives and bays blink, and no others of this replacement. A missing LED raises nothing."""

    def off(self) -> None:
        """Switch off the LEDs of this replacement. Print those that could not be switched off, and continue."""


class NoLed:
    """No LEDs: used if no way to switch them is given."""

    def on(self, names: Sequence[str], seen: Survey) -> None:
        """Switch nothing."""

    def off(self) -> None:
        """Switch nothing."""


def blinking(stage: Stage, seen: Survey, facts: Facts) -> tuple[str, ...] | None:
    """Return what has to blink. None: no change, as the drive that could be addressed is gone.

    First the drive to be pulled, then its empty bay; after a wrong drive was pulled, the bay of that drive.
    """
    if stage.step is None or stage.step.kind != "hand":
        return ()
    gone = missing(seen, facts)
    bays = [led for serial in gone if (led := facts.leds.get(serial))]
    if gone:
        return tuple(bays)
    own = facts.leds.get(facts.old)
    if stage.name == "waiting_pull":
        return (own or facts.old_id,)
    return (own,) if own else None
