"""Simulated machines: a recorded one whose cache settings can be changed, for ``--demo`` and for the tests.

A family's simulator is three pure functions on the texts of its tools: the settings in a recorded output, what a
changing command makes of them, and the output as the tool would print it with other settings. So a simulated machine
prints what the recorded one printed, with the current settings.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple, Protocol

State = dict[str, str]
"""The values, in the tool's words, by the simulator's names (``slot=1/ld 1/arrayaccelerator``)."""


class Reply(NamedTuple):
    """The reply of a tool to a changing command, and the settings after it."""

    code: int
    out: str
    state: Mapping[str, str]
    """Unchanged if the tool refuses."""


class Simulator(Protocol):
    """A family's simulator: a module with these functions."""

    def initial(self, argv: tuple[str, ...], text: str) -> State:
        """The settings in a recorded output; empty for the output of another tool."""

    def change(self, argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
        """The reply to a changing command; None if it is not one of this family."""

    def render(self, argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
        """A recorded output with the current settings; unchanged for the output of another tool."""


Visit = Callable[[str, str], str | None]
"""Takes a setting's name and its value, returns the value to print; None leaves the line out."""


class Place(ABC):
    """Where in an output of lines ``label: value`` the reading is: the family's sections, and the settings in them."""

    pairs: ClassVar[tuple[re.Pattern[str], ...]] = (
        #    Cache Ratio: 25% Read / 75% Write
        re.compile(r"(?P<head>\s*(?P<label>[^:]+):\s*)(?P<value>\S.*?)(?P<tail>\s*)"),
    )
    """The forms of a line with a value; the first that fits counts."""

    @abstractmethod
    def read(self, line: str, label: str, value: str) -> str | None:
        """Follow a line. The name of the setting in it, None for any other line.

        Args:
            line: The line.
            label: Its label in lower case, empty for a line without a value.
            value: Its value.
        """


def walk(text: str, place: Place, visit: Visit) -> str:
    """Print an output again; each setting is handed to ``visit`` and printed with the value that it returns."""
    lines = []
    for line in text.split("\n"):
        match = next((found for form in place.pairs if (found := form.fullmatch(line))), None)
        name = place.read(line, match["label"].strip().lower() if match else "", match["value"] if match else "")
        if match is None or name is None:
            lines.append(line)
        elif (shown := visit(name, match["value"])) is not None:
            lines.append(f"{match['head']}{shown}{match['tail']}")
    return "\n".join(lines)


def settings(text: str, place: Place, plain: Callable[[str, str], str | None]) -> State:
    """The settings in an output, each with the first value printed; ``plain`` spells it as the commands do."""
    found: State = {}

    def take(name: str, value: str) -> str:
        spelt = plain(name, value)
        if spelt is not None:
            found.setdefault(name, spelt)
        return value

    walk(text, place, take)
    return found


class Bays(Protocol):
    """The additional functions of a simulator whose machine has drive bays and a clock."""

    def advance(self, state: Mapping[str, str], seconds: float) -> State:
        """Let time pass: rebuilds advance. Unchanged for a machine without a clock."""

    def pull(self, state: Mapping[str, str], bay: str) -> State:
        """Take the drive out of a bay. Raise ValueError if there is none, LookupError for a machine without bays."""

    def insert(self, state: Mapping[str, str], bay: str, serial: str | None) -> State:
        """Put a drive that was pulled into a bay, or a new one. Raise as :meth:`pull`."""


class Leds(Protocol):
    """The additional function of a simulator whose tools switch locate LEDs."""

    def leds(self, argv: tuple[str, ...], text: str) -> State:
        """The locate LEDs of the drives listed in a recorded output, off: no output shows them as settings."""
