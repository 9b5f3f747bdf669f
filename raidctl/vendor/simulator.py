"""Simulated machines: recordings with changeable cache settings, for ``--demo`` and the tests.

A family's simulator is three pure functions on the outputs of its tools: the settings in a recorded output, the effect
of a changing command on them, and the output as the tool would print it with other settings. So a simulated machine
prints the recorded outputs, with the current settings.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Literal, NamedTuple, Protocol

from raidctl.text import regex

State = dict[str, str]
"""The values, in the tool's words, by the simulator's names (``slot=1/ld 1/arrayaccelerator``)."""


def fields(value: str) -> dict[str, str]:
    """Return the fields of a state's value: ``slot=0 state=in_sync``."""
    return dict(word.split("=", 1) for word in value.split())


def words(of: Mapping[str, str]) -> str:
    """Return the value of these fields."""
    return " ".join(f"{name}={value}" for name, value in of.items())


class Reply(NamedTuple):
    """A tool's reply to a changing command, and the settings after it."""

    code: int
    out: str
    state: Mapping[str, str]
    """Unchanged if the tool refuses."""


class Simulator(Protocol):
    """A family's simulator: a module with these functions."""

    def initial(self, argv: tuple[str, ...], text: str) -> State:
        """The settings in a recorded output. Empty for the output of another tool."""

    def change(self, argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
        """The reply to a changing command. None if it is not one of this family."""

    def render(self, argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
        """A recorded output with the current settings. The output of another tool is unchanged."""


Visit = Callable[[str, str], str | None]
"""A function from a setting's name and value to the printed value. None leaves the line out."""


class Place(ABC):
    """The position in an output of lines ``label: value``.

    It follows the family's sections, and the settings in them.
    """

    pairs: ClassVar[tuple[re.Pattern[str], ...]] = (
        #    Cache Ratio: 25% Read / 75% Write
        regex(r"(?P<head>\s*(?P<label>[^:]+):\s*)(?P<value>\S.*?)(?P<tail>\s*)"),
    )
    """The forms of a line with a value. The first that matches counts."""

    @abstractmethod
    def read(self, line: str, label: str, value: str) -> str | None:
        """Follow a line. Return the name of the setting in it, None for any other line.

        Args:
            line: The line.
            label: Its label in lower case, empty for a line without a value.
            value: Its value.
        """


def walk(text: str, place: Place, visit: Visit) -> str:
    """Print an output again. Each setting is passed to ``visit`` and printed with the value that it returns."""
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
    """The settings in an output, each with the first value printed. ``plain`` converts it to the commands' spelling."""
    found: State = {}

    def take(name: str, value: str) -> str:
        spelt = plain(name, value)
        if spelt is not None:
            found.setdefault(name, spelt)
        return value

    walk(text, place, take)
    return found


NewDrive = Literal["like", "small", "failing", "other_media"]
"""An inserted drive. It is like the bay's last one, half as large, failing soon, or of the other media type."""


class Bays(Protocol):
    """Additional simulator functions for a machine with drive bays and a clock.

    All of it is in the state, under names of the family's own. Two of them are the same for all families, as the core
    looks them up: ``FAMILY/clock = SECONDS`` and ``FAMILY/bay BAY = SERIAL`` for each bay with a drive. Others are
    the family's: the drives on the shelf, what is being filled since when. ``initial`` takes
    them from the recorded output, so that every demo of the family has bays; ``render`` prints the output for the
    drives as they are now: a drive that was pulled is gone from it, its volume is degraded in the tool's words, a
    rebuild has a percentage. What a controller does automatically (a rebuild begins, a hot spare steps in, a
    rebuild ends) happens in ``advance``, ``pull`` and ``insert``. A whole rebuild takes between 600 and 36,000 s.

    ``bay`` is the last part of the drive's id, ``1I:1:4`` or ``32:5``; with several controllers, also the whole id. The
    functions raise LookupError for a state of another family, as all simulators of a machine are tried; ValueError,
    with a sentence that lists the existing bays, for a bay that does not exist, or is unexpectedly empty or occupied.
    """

    def advance(self, state: Mapping[str, str], seconds: float) -> State:
        """Let time pass: rebuilds advance and end. Unchanged for a machine without a clock."""

    def pull(self, state: Mapping[str, str], bay: str) -> State:
        """Take the drive out of a bay. Then it is on the shelf, with its serial number and content."""

    def insert(self, state: Mapping[str, str], bay: str, serial: str | None, kind: NewDrive = "like") -> State:
        """Put a drive from the shelf into an empty bay. Without a serial number, it is new: ``ZC1N0001`` and so on."""

    def fail(self, state: Mapping[str, str], bay: str) -> State:
        """Let the drive in a bay fail, in the tool's words. It stays in its bay."""


class Leds(Protocol):
    """The additional function of a simulator whose tools switch locate LEDs."""

    def leds(self, argv: tuple[str, ...], text: str) -> State:
        """The locate LEDs of the drives in a recorded output, all off. No output shows them as settings."""
