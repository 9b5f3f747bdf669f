"""Which bays blink in a replacement: only while a person is waited for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from raidctl.operate.story_facts import Facts, Stage, missing
from raidctl.survey.survey import Survey


class Led(Protocol):
    """Switches the LEDs of a replacement."""

    def on(self, names: Sequence[str], seen: Survey) -> None:
        """Let these drives and bays blink, and no others of this replacement; never raises for want of an LED."""

    def off(self) -> None:
        """Switch off what blinks for this replacement; says what could not be switched off, and goes on."""


class NoLed:
    """Nothing blinks: where nobody has said how LEDs are switched."""

    def on(self, names: Sequence[str], seen: Survey) -> None:
        """Switch nothing."""

    def off(self) -> None:
        """Switch nothing."""


def blinking(stage: Stage, seen: Survey, facts: Facts) -> tuple[str, ...] | None:
    """Return what has to blink; None: whatever does goes on, as only a drive that is gone could be addressed.

    The drive that is to be pulled; then its empty bay; after a wrong drive was pulled, the bay that it came from.
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
