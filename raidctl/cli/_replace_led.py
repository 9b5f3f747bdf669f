"""The LEDs of a replacement. They are a separate change in the journal, undone after a kill or a power failure.

While raidctl waits, a second process switches them off if raidctl is killed. If it stops because a person has to act
(``--no-wait``, Ctrl-C, a wrong drive pulled), the LED stays on for that person: until the replacement continues or is
abandoned, ``raidctl locate off``, or ``raidctl restore`` at the next boot.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from raidctl.change.indicator import ON, TITLES, Indicator
from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.state_directory import command_on
from raidctl.cli.shared.led_restore import led_restorer
from raidctl.cli.shared.locate_leds import desired_state, led_machine, leds_on, open_changes, with_states
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import AGREED, about, work_on
from raidctl.cli.shared.temporary_change import restore_watchdog
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import RaidctlError, UnderWay
from raidctl.survey.survey import Survey
from raidctl.text import listing

_LONGEST = 86400.0
"""Seconds until the hardware switches off, for tools with such a limit."""


@dataclass
class ReplacementLed:
    """The LEDs that blink for one replacement."""

    named: Machine
    place: Path
    settings: Settings
    change: str
    """The replacement's name in the journal."""
    waits: bool = True
    """Whether raidctl stays until the person has acted. If not, the LEDs are left on in any case."""
    _lit: tuple[str, ...] = ()
    _held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def on(self, names: Sequence[str], seen: Survey) -> None:
        """Make these drives and bays blink, and no others of this replacement."""
        if self._lit == tuple(names):
            return
        self.off()
        self._lit = tuple(names)
        try:
            self._switch_on(names, seen)
        except RaidctlError as error:
            self._held.close()
            emit_message(f"No LED blinks: {error}")

    def _switch_on(self, names: Sequence[str], seen: Survey) -> None:
        found = leds_on(self.named, seen, names, _LONGEST)
        for one in found.unlit:
            emit_message(f"No LED blinks for {one.bay.object_id}: {one.why}.")
        if not found.indicators:
            return
        leds = led_machine(self.named, found.indicators)
        work = work_on(leds, self.place, desired_state(found.indicators, ON), AGREED)
        entry = replace(
            work.begin("locate", about()), indicators=tuple(found.indicators), facts={"operation": self.change}
        )
        if not work.plan.steps:
            emit_message(f"{_named(found.indicators)} is on already; raidctl does not switch it off.")
            return
        self._held.enter_context(work.hold(entry))
        watchdog = self._held.enter_context(restore_watchdog(self.settings, entry)) if self.waits else None
        work.change(entry, _quiet).apply()
        for indicator in with_states(found.indicators, leds) if self.waits else ():  # else left_on() prints it
            emit_message(f"{_sentence(indicator)}.")
        if watchdog is not None and not self.settings.host:
            watchdog.wait()

    def off(self) -> None:
        """Switch off the LEDs of this replacement. Those that an earlier raidctl left on are included."""
        self._held.close()
        self._lit = ()
        changes = self._open()
        if not changes:
            return
        restorer = led_restorer(self.named, Journal(self.place), self.place, changes, _quiet)
        for journaled in changes:
            for result in restorer.restore(journaled.begin.change):
                faults = [*result.faults, *([result.busy] if result.busy else [])]
                if faults:
                    what = _named(journaled.begin.indicators)
                    emit_message(f'{what} is not switched off: {listing(faults)}. Try "{self._off_command}".')

    def preview_off(self) -> None:
        """Print which LEDs :meth:`off` would switch off. Nothing is changed."""
        for journaled in self._open():
            for indicator in journaled.begin.indicators:
                emit_message(f"{_named([indicator])} would be switched off, if it still blinks: {indicator.off}")

    @property
    def _off_command(self) -> str:
        return command_on(self.named.source, "locate off", self.place)

    def _open(self) -> list[JournaledChange]:
        changes = open_changes(self.place, self.named.source)
        return [journaled for journaled in changes if journaled.begin.facts.get("operation") == self.change]

    def left_on(self) -> None:
        """Keep the LEDs on for the person who has to act. Print how to switch them off."""
        self._held.close()
        for journaled in self._open():
            for indicator in journaled.begin.indicators:
                emit_message(f'{_sentence(indicator)} until this continues; "{self._off_command}" switches it off.')


@contextlib.contextmanager
def blinking_bays(
    named: Machine, place: Path, settings: Settings, change: str, *, waits: bool
) -> Iterator[ReplacementLed]:
    """Switch LEDs for a replacement. Switch them off at the end, unless a person has to act."""
    led = ReplacementLed(named, place, settings, change, waits)
    try:
        yield led
    except UnderWay:
        led.left_on()
        raise
    except BaseException:
        led.off()
        raise
    led.off()


def _named(indicators: Sequence[Indicator]) -> str:
    places = [
        " ".join(word for word in (one.bay.enclosure and f"enclosure {one.bay.enclosure},", one.bay.bay) if word)
        or one.bay.object_id
        for one in indicators
    ]
    return f"The LED of {listing(places)}"


def _sentence(indicator: Indicator) -> str:
    """Return what blinks and how it was switched. Include whether that was read back."""
    known = "read back" if indicator.readable else "accepted; nothing reports whether it is on"
    return f"{_named([indicator])} blinks (via {TITLES[indicator.way]}, {known})"


def _quiet(_text: str) -> None:
    """Print nothing: the user does not need the commands of the LEDs."""
