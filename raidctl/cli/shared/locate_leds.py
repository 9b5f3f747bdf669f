"""The LEDs of a machine, and their changes in the journal.

``locate`` and ``replace`` switch them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from raidctl.change.indicator import Indicator, Unlit
from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.state_directory import Held, command_on, held_name, holder_of
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.plan_change import DesiredMaker
from raidctl.errors import EXIT_FINE, EXIT_NO, UsageError
from raidctl.locate import family
from raidctl.locate.choose import choose
from raidctl.locate.kernel import KernelLeds, hidden_leds, read_kernel_leds
from raidctl.locate.targets import resolve
from raidctl.model import Host, Problem
from raidctl.request import converse
from raidctl.select import Ambiguous, unseen
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Desired
from raidctl.vendor.protocol import Vendor


class LedMachine(Machine, kw_only=True):
    """The LEDs of a machine, as the change engine sees a machine. A reading is quick, as it runs few tools."""

    indicators: Sequence[Indicator]
    tools_of: Sequence[Vendor]
    """The real vendor packages."""

    def survey(self) -> Survey:
        """Return the LEDs with their current states."""
        self.indicators = converse(family.look(self.indicators, self.tools_of), self.runner)
        return family.survey_of(self.indicators, Host(source=self.source))


def led_machine(named: Machine, indicators: Sequence[Indicator]) -> LedMachine:
    """Return the LEDs of a machine."""
    return LedMachine(
        runner=named.runner,
        vendors=family.families(indicators, named.vendors),
        source=named.source,
        indicators=indicators,
        tools_of=named.vendors,
    )


@dataclass
class Found:
    """What the words name, and how it is located."""

    indicators: list[Indicator]
    unlit: list[Unlit]
    order: list[Indicator | Unlit]
    unread: tuple[Problem, ...] = ()
    """What may hide LEDs. It is empty if all have one."""

    def exit_code(self) -> int:
        """0: all have an LED; 1: one has none; 3: one may have an LED that could not be read."""
        return exit_code(self.unread) or (EXIT_NO if self.unlit else EXIT_FINE)


def find_leds(named: Machine, words: Sequence[str], seconds: float) -> Found:
    """Read a machine, and find the LEDs of the named objects.

    Raises:
        UsageError: A word means nothing, several things, or no drive.
        CannotTell, AccessMissing: The same, but not everything could be read.
    """
    return leds_on(named, named.survey(), words, seconds)


def leds_on(named: Machine, seen: Survey, words: Sequence[str], seconds: float) -> Found:
    """Find the LEDs of the named objects on a machine just read. It raises errors as :func:`find_leds` does."""
    leds = converse(read_kernel_leds(), named.runner)
    try:
        wanted = resolve(seen.inventory, seen.view, leds, words)
    except Ambiguous:
        raise
    except UsageError as error:
        raise unseen(error, [*seen.inventory.problems, *hidden_leds(leds)]) from None
    found = converse(choose(wanted, leds, named.vendors, seen.inventory.tools, seconds), named.runner)
    # two drives may share one LED: both paths of a dual-ported drive without an identity
    indicators = {one.id: one for one in found if isinstance(one, Indicator)}
    unlit = [one for one in found if isinstance(one, Unlit)]
    return Found(list(indicators.values()), unlit, found, hidden_leds(leds) if unlit else ())


def kernel_leds(named: Machine) -> KernelLeds:
    """Return all LEDs that are files."""
    return converse(read_kernel_leds(), named.runner)


def desired_state(indicators: Sequence[Indicator], value: str) -> DesiredMaker:
    """Return the desired state of LEDs: on, or off."""
    return lambda _: [Desired(object_id=indicator.id, setting="locate", value=value) for indicator in indicators]


def open_changes(place: Path, source: str) -> list[JournaledChange]:
    """Return the unfinished changes that switched LEDs on, the newest first."""
    pending = Journal(place).pending()
    return [journaled for journaled in pending if journaled.begin.kind == "locate" and journaled.begin.source == source]


def process_of(place: Path, journaled: JournaledChange) -> int:
    """Return the process that keeps these LEDs on. It will switch them off; the result is 0 if it has ended."""
    for subject in journaled.begin.subjects:
        holder = holder_of(place, held_name(journaled.begin.source, subject.id))
        if holder is not None and holder.change == journaled.begin.change:
            return holder.pid
    return 0


def refuse_twice(place: Path, source: str, indicators: Sequence[Indicator]) -> None:
    """Refuse LEDs that another raidctl process keeps on.

    Raises:
        Held: That is so; the message has the command that ends it.
    """
    wanted = {indicator.id for indicator in indicators}
    for journaled in open_changes(place, source):
        mine = [indicator.bay.object_id for indicator in journaled.begin.indicators if indicator.id in wanted]
        process = process_of(place, journaled) if mine else 0
        if process:
            raise Held(
                f"The LED of {listing(mine)} is on until {journaled.begin.until} (process {process}). "
                f'"{command_on(source, "locate off", place)}" switches it off.'
            )


def with_states(indicators: Sequence[Indicator], machine: LedMachine) -> list[Indicator]:
    """Return LEDs with their states as last read."""
    fresh = {indicator.id: indicator for indicator in machine.indicators}
    return [replace(fresh.get(indicator.id, indicator), passed=indicator.passed) for indicator in indicators]
